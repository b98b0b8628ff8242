"""A checker that needs no corpus and no model: its answers are a function of the claim."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self, cast

from veritab.errors import MissingExtra
from veritab.pipeline import Checker
from veritab.schema import Claim, Element, ElementId, Hit, Label, Verdict

SLOW = "This takes a minute."
PAGES = {"K2": "1" * 16, "Nile": "2" * 16}


@dataclass
class StandIn:
    """Supports claims that say "is", refutes those that say "never", and has read the page K2 for all of them."""

    revision: str = "first"
    pages: Mapping[str, str] = field(default_factory=lambda: PAGES)
    asked: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    @property
    def corpus(self) -> dict[str, Any]:
        return {"name": "made up", "revision": self.revision, "pages": len(self.pages)}

    def digests(self, titles: Iterable[str]) -> dict[str, str]:
        return {title: self.pages[title] for title in titles if title in self.pages}

    def check_many(self, claims: Iterable[Claim]) -> Iterator[Verdict]:
        for claim in claims:
            self.asked.append(claim.text)
            if claim.text == SLOW:
                time.sleep(60)
            yield self._verdict(claim)

    def _verdict(self, claim: Claim) -> Verdict:
        words = claim.text.split()
        label = Label.SUPPORTS if "is" in words else Label.REFUTES if "never" in words else Label.NOT_ENOUGH_INFO
        scores = {each: 1.0 if each is label else 0.0 for each in Label}
        hit = Hit(Element(ElementId.parse("K2_sentence_0"), "K2 is high."), 0.5, "stand-in")
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
