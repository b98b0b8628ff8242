"""Work on many things by one process or by many; what comes, and its order, do not depend on how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from veritab.engine import Engine, ThisProcess
from veritab.schema import Claim, Element, Verdict
from veritab.settings import Settings

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_BATCH = 32
Given = TypeVar("Given")
Made = TypeVar("Made")


def map_in_order(
    work: Callable[[Given], list[Made]], given: Iterable[Given], engine: Engine | None = None
) -> Iterator[Made]:
    """What `work` makes of each thing, in order, here or by an engine, to which it has to travel."""
    if engine is None or isinstance(engine, ThisProcess):
        for each in given:
            yield from work(each)
        return
    for made in engine.map(partial(_work_on, work), in_batches(given, _BATCH)):
        yield from made


def in_batches(given: Iterable[Given], size: int) -> Iterator[list[Given]]:
    """The things in lists of a size."""
    rest = iter(given)
    while batch := list(islice(rest, size)):
        yield batch


def _work_on(work: Callable[[Given], list[Made]], batch: list[Given]) -> list[Made]:
    return [made for each in batch for made in work(each)]


def from_anywhere(path: Path | None) -> Path | None:
    """A path as a process that was started in another folder finds it."""
    return path.absolute() if path else None


# -- a checker ---------------------------------------------------------------------------------------------


@dataclass
class TravellingChecker:
    """A checker that goes where the work goes: each process opens it for itself, when it first asks."""

    corpus: Path | None
    settings: Settings
    opened: Checker | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "corpus": from_anywhere(self.corpus), "opened": None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.opened:
            self.opened.close()

    def open(self) -> Checker:
        """The checker of this process."""
        from veritab.pipeline import Checker

        self.opened = self.opened or Checker.open(self.corpus, self.settings)
        return self.opened

    def check_many(self, claims: Iterable[str | Claim], batch: int | None = None) -> Iterator[Verdict]:
        """Its verdicts on claims."""
        return self.open().check_many(claims, batch)

    def judge(self, pairs: Iterable[tuple[Claim, Sequence[Element]]]) -> list[Verdict]:
        """Its verdicts by given evidence."""
        return self.open().judge(pairs)
