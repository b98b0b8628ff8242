"""The corpora that a server answers from: a request names one by `?corpus=NAME`, or gets the first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fastapi import Depends, Query
from starlette.requests import Request

from veritab.errors import InputError, NotFound

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_LONGEST_NAME = 120


class ChosenCorpus(NamedTuple):
    """The corpus that a request is about; the name is empty where the request named none."""

    name: str
    checker: Checker


class Corpora:
    """The open corpora of a server, by name, in the order they are offered."""

    def __init__(self, checkers: Iterable[Checker]) -> None:
        self._checkers: dict[str, Checker] = {}
        for checker in checkers:
            if checker.name in self._checkers:
                raise InputError(f"two corpora are called {checker.name!r}; rename the folder of one")
            self._checkers[checker.name] = checker
        if not self._checkers:
            raise InputError("a server needs a corpus; name a folder, or none for the almanac")

    @property
    def default(self) -> Checker:
        return next(iter(self._checkers.values()))

    @property
    def names(self) -> list[str]:
        return list(self._checkers)

    def find(self, name: str = "") -> ChosenCorpus:
        """The corpus of that name, the first where no name is given."""
        if not name:
            return ChosenCorpus("", self.default)
        if name not in self._checkers:
            raise NotFound(f"no corpus {name[:60]!r} on this server; it has {', '.join(self.names)}")
        return ChosenCorpus(name, self._checkers[name])


async def _choose_corpus(
    request: Request,
    corpus: Annotated[
        str, Query(max_length=_LONGEST_NAME, description="Which corpus to use; the server's first when not given.")
    ] = "",
) -> ChosenCorpus:
    corpora: Corpora = request.app.state.corpora
    return corpora.find(corpus)


Chosen = Annotated[ChosenCorpus, Depends(_choose_corpus)]
"""What a route declares to be told the corpus that its request is about."""
