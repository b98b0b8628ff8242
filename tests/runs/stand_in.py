"""A checker that needs no corpus and no model: its answers are a function of the claim."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self, cast
from zlib import crc32

from veritab.errors import MissingExtra
from veritab.pipeline import Checker
from veritab.schema import Claim, Element, ElementId, Hit, Label, Verdict

SLOW = "This takes a minute."
RAISES = "This is more than a checker can read."
KILLS = "This is the end of a process."
KILLS_LATE = "This is the end of a process that has been up for a while."
PAGES = {"K2": "1" * 16, "Nile": "2" * 16}


@dataclass
class StandIn:
    """Supports claims that say "is", refutes those that say "never", and has read the page K2 for all of them."""

    revision: str = "first"
    pages: Mapping[str, str] = field(default_factory=lambda: PAGES)
    asked: list[str] = field(default_factory=list)
    pipeline: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        pass

    @property
    def corpus(self) -> dict[str, Any]:
        return {"name": "made up", "revision": self.revision, "pages": len(self.pages)}

    def digests(self, titles: Iterable[str]) -> dict[str, str]:
        return {title: self.pages[title] for title in titles if title in self.pages}

    def check_many(self, claims: Iterable[Claim]) -> Iterator[Verdict]:
        batch = list(claims)
        for claim in batch:
            self.asked.append(claim.text)
            if claim.text == SLOW:
                time.sleep(60)
            if claim.text == RAISES:
                raise RuntimeError("the checker is at its end")
            if claim.text in (KILLS, KILLS_LATE):
                time.sleep(0 if claim.text == KILLS else 1)
                os._exit(3)
            yield self._verdict(claim, batch)

    def _verdict(self, claim: Claim, batch: list[Claim]) -> Verdict:
        words = claim.text.split()
        label = Label.SUPPORTS if "is" in words else Label.REFUTES if "never" in words else Label.NOT_ENOUGH_INFO
        scores = {each: 1.0 if each is label else 0.0 for each in Label}
        # As of models, the last digits of a score depend on what else is in the batch.
        rest = crc32("\n".join(each.text for each in batch).encode()) / 2**32
        hit = Hit(Element(ElementId.parse("K2_sentence_0"), "K2 is high."), 0.5 + rest * 1e-6, "stand-in")
        return Verdict(claim, label, scores, (hit,), corpus={**self.corpus, "read": self.digests(["K2"])})


def stand_in(**given: Any) -> Checker:
    """A stand-in where a checker is wanted."""
    return cast(Checker, StandIn(**given))


def that_dies() -> Checker:
    """Opened in a process of its own, it takes the process with it."""
    os._exit(3)


def that_lacks_a_part() -> NoReturn:
    """Cannot be opened anywhere."""
    raise MissingExtra("a stand-in", "none")


def of_another_revision() -> Checker:
    """A worker that sees another state of the corpus than the work was begun with."""
    return stand_in(revision="second")


def that_cannot_be_read() -> Checker:
    """Fails with all claims alike."""
    return cast(Checker, _Broken())


class _Broken(StandIn):
    def check_many(self, claims: Iterable[Claim]) -> Iterator[Verdict]:
        raise RuntimeError("the models are damaged")
