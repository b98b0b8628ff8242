"""What a format could not carry: claims it has no room for, and what was lost of those that were written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from veritab.datasets.example_rows import original_record
from veritab.datasets.quoted import gold_texts
from veritab.errors import InputError
from veritab.schema import Claim, Example

CONTEXT = "the context of the evidence"
QUOTED = frozenset(
    (
        "gold_evidence",
        "wikipedia_page",
        "positive_evidence",
        "sentence",
        "page",
        "line",
        "evidence_text",
        "evidence_pages",
    )
)
"""Where records quote their evidence, and name its page: what formats that quote it write, too."""
_QUOTES = "the quoted words of the evidence"
_CORE = frozenset(("id", "claim", "text", "label", "evidence", "challenge", "verifiable", "input", "output", "meta"))
_NOTHING: tuple[object, ...] = (None, "", [], {})
_T = TypeVar("_T")


class UnsupportedExample(ValueError):
    """A format has no way to say what an example says; the message tells what, in fixed words."""


class LostContent(NamedTuple):
    """Something that was not written: what, of how many claims, and which of them was the first."""

    what: str
    claims: int
    first: str


@dataclass
class LossAccount:
    """What has been written so far, and what has not."""

    format: str
    leave_out: bool = False
    carried_keys: frozenset[str] = frozenset()
    """What of the records is written beside what the format asks for."""
    written: int = 0
    refused: dict[str, LostContent] = field(default_factory=dict)
    lost: dict[str, LostContent] = field(default_factory=dict)
    _of_this_claim: list[str] = field(default_factory=list)

    def lose(self, what: str) -> None:
        """Note that something of the claim in hand is not in what is written of it."""
        self._of_this_claim.append(what)

    def lose_rest(self, example: Example, kept: Iterable[str] = ()) -> None:
        """Note what the record of an example says beside its claim, label and evidence, but for what is kept."""
        known = _CORE | self.carried_keys | frozenset(kept)
        record = original_record(example)
        for key, value in record.items():
            if key not in known and value not in _NOTHING:
                self.lose(f"{key!r} of the records")
        if CONTEXT not in known and _has_context(record.get("evidence")):
            self.lose(CONTEXT)
        quotes = known >= QUOTED
        if not quotes and not QUOTED & record.keys() and gold_texts(example):
            self.lose(_QUOTES)

    def carried(self, examples: Iterable[Example], made: Callable[[Example, LossAccount], _T]) -> Iterator[_T]:
        """What is made of each example; one the format cannot carry ends the work, or is counted and left out."""
        for example in examples:
            self._of_this_claim.clear()
            try:
                ready = made(example, self)
            except UnsupportedExample as error:
                if not self.leave_out:
                    raise InputError(
                        f"claim {example.claim.id!r} cannot be written as {self.format}: {error}; "
                        "leave out what does not fit (--leave-out), or choose another format"
                    ) from None
                _count(self.refused, str(error), example.claim)
            else:
                self.written += 1
                for what in dict.fromkeys(self._of_this_claim):
                    _count(self.lost, what, example.claim)
                yield ready

    def refuse_nothing(self) -> None:
        """Refuse to write a file without a claim, before it is there."""
        if not self.written:
            why = f"{'; '.join(self.refused)}; choose another format" if self.refused else "none could be read"
            raise InputError(f"no claim can be written as {self.format}: {why}")


def _has_context(evidence: object) -> bool:
    return isinstance(evidence, list) and any(isinstance(each, dict) and each.get("context") for each in evidence)


def _count(counts: dict[str, LostContent], what: str, claim: Claim) -> None:
    before = counts.get(what)
    counts[what] = before._replace(claims=before.claims + 1) if before else LostContent(what, 1, claim.id)
