"""What a reader is shown of a verdict, as plain values: cards of evidence, matching words, notes.

Pages, reports and terminals draw the same values each in its own way; no markup is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from veritab.schema import COMPUTED, Element, ElementId, Hit, Kind, Label, Verdict
from veritab.text import STOP_WORDS, content_terms, nfc, terms, word_spans, words

# -- scores ------------------------------------------------------------------------------------------------


class Share(NamedTuple):
    """A label's part of the bar of scores, in whole percent."""

    label: Label
    percent: int


def shares(scores: Mapping[Label, float]) -> tuple[Share, ...]:
    """The scores of all three labels in whole percent that add up to a hundred, in the order of the labels."""
    given = {label: min(max(float(scores.get(label, 0.0)), 0.0), 1.0) for label in Label}
    whole = sum(given.values())
    if whole <= 0:
        return tuple(Share(label, 0) for label in Label)
    exact = {label: 100 * value / whole for label, value in given.items()}
    floors = {label: int(value) for label, value in exact.items()}
    short = 100 - sum(floors.values())
    for label in sorted(Label, key=lambda label: floors[label] - exact[label])[:short]:
        floors[label] += 1
    return tuple(Share(label, floors[label]) for label in Label)


# -- words that match --------------------------------------------------------------------------------------


class Span(NamedTuple):
    """A stretch of text, and whether the claim has its words too."""

    text: str
    matches: bool


def matching_words(text: str, claim: str) -> tuple[Span, ...]:
    """The text in stretches; neighbouring words of the claim are one stretch with what stands between them."""
    text = nfc(text)
    asked = frozenset(content_terms(claim))
    found = [span for span in word_spans(text) if _is_asked(text[slice(*span)], asked)]
    return tuple(_stretches(text, _joined(text, found)))


def _is_asked(word: str, asked: frozenset[str]) -> bool:
    return not STOP_WORDS.issuperset(words(word)) and not asked.isdisjoint(terms(word))


def _joined(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans with nothing but a little white space or punctuation between them, made one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start - joined[-1][1] <= 1:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _stretches(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Span]:
    position = 0
    for start, end in spans:
        if start > position:
            yield Span(text[position:start], False)
        yield Span(text[start:end], True)
        position = end
    if position < len(text):
        yield Span(text[position:], False)


# -- cards of evidence -------------------------------------------------------------------------------------


class Card(NamedTuple):
    """Evidence of one kind from one place: texts of a section of a page, or what lies in one of its tables."""

    page: str
    sections: tuple[str, ...]
    hits: tuple[Hit, ...]
    table: ElementId | None = None
    """The table that all hits lie in."""

    @property
    def ids(self) -> tuple[ElementId, ...]:
        return tuple(hit.element.id for hit in self.hits)


def cards(evidence: Iterable[Hit]) -> tuple[Card, ...]:
    """The evidence by place, in the order in which the places come first; a table is one card."""
    groups: dict[tuple[object, ...], list[Hit]] = {}
    for hit in evidence:
        groups.setdefault(_place(hit.element), []).append(hit)
    return tuple(_card(hits) for hits in groups.values())


def _card(hits: list[Hit]) -> Card:
    first = hits[0].element
    table = first.id.table
    if table is None:
        hits.sort(key=lambda hit: hit.element.id.path)
    return Card(first.id.page, sections(first), tuple(hits), table)


def _place(element: Element) -> tuple[object, ...]:
    table = element.id.table
    return (table,) if table else (element.id.page, sections(element), element.kind)


def sections(element: Element) -> tuple[str, ...]:
    """The sections an element stands in, outermost first."""
    return tuple(near.text for near in element.context if near.id.kind is Kind.SECTION and near.text)


def deciding(verdict: Verdict) -> frozenset[ElementId]:
    """The evidence that was computed with, or that is enough by itself for the verdict."""
    enough = frozenset(map(str, verdict.certificate.get("smallest") or ()))
    hits = (hit for hit in verdict.evidence if hit.by == COMPUTED or str(hit.element.id) in enough)
    return frozenset(hit.element.id for hit in hits)


# -- texts marked up ---------------------------------------------------------------------------------------


class FoundClaim(Protocol):
    """A sentence of a text that is worth checking, as `veritab.decompose` finds it."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Stretch(NamedTuple):
    """A stretch of a text; `number` counts the verdicts from 0 and is None where nothing was checked."""

    text: str
    number: int | None = None


def stretches(body: str, found: Sequence[FoundClaim]) -> tuple[Stretch, ...]:
    """A whole text in stretches, of which those that were checked name their verdict.

    Where two overlap, the one that begins first keeps what they share.
    """
    told: list[Stretch] = []
    position = 0
    for number in sorted(range(len(found)), key=lambda number: (found[number].start, number)):
        start, end = max(found[number].start, position), min(found[number].end, len(body))
        if start >= end:
            continue
        if start > position:
            told.append(Stretch(body[position:start]))
        told.append(Stretch(body[start:end], number))
        position = end
    if position < len(body):
        told.append(Stretch(body[position:]))
    return tuple(told)


# -- the certificate in words ------------------------------------------------------------------------------

_MOST_NAMED = 12


class Note(NamedTuple):
    """One thing that a certificate says: its name, what it says in words, and the elements it names."""

    name: str
    text: str
    ids: tuple[str, ...] = ()


def notes(verdict: Verdict) -> tuple[Note, ...]:
    """What the certificate of a verdict says to a reader, most telling first."""
    certificate = verdict.certificate
    told = (_confidence, _missing, _smallest, _flips, _searched, _who)
    return tuple(note for tell in told for note in tell(certificate))


def _confidence(certificate: Mapping[str, Any]) -> Iterator[Note]:
    value = certificate.get("confidence")
    if isinstance(value, int | float):
        yield Note("Confidence", f"{100 * value:.0f} %")


def _missing(certificate: Mapping[str, Any]) -> Iterator[Note]:
    missing = [str(part) for part in certificate.get("missing") or ()]
    if missing:
        yield Note("Nothing found for", "; ".join(missing[:_MOST_NAMED]))


def _smallest(certificate: Mapping[str, Any]) -> Iterator[Note]:
    ids = tuple(str(id) for id in certificate.get("smallest") or ())
    if ids:
        pieces = "this piece" if len(ids) == 1 else f"these {len(ids)} pieces"
        yield Note("Enough for the verdict", f"{pieces} of evidence alone", ids)


def _flips(certificate: Mapping[str, Any]) -> Iterator[Note]:
    for flip in certificate.get("flips") or ():
        yield Note("Rests on", f"without it: {flip['to']}", (str(flip["id"]),))


def _searched(certificate: Mapping[str, Any]) -> Iterator[Note]:
    searched = certificate.get("searched")
    if not isinstance(searched, Mapping):
        return
    read = [str(title) for title in searched.get("read") or ()]
    told = [f"{searched['pages']:,} pages"] if isinstance(searched.get("pages"), int) else []
    if isinstance(searched.get("candidates"), int):
        told.append(f"{searched['candidates']:,} pieces looked at")
    if read:
        more = f" and {len(read) - _MOST_NAMED:,} more" if len(read) > _MOST_NAMED else ""
        told.append(f"read: {', '.join(read[:_MOST_NAMED])}{more}")
    if told:
        yield Note("Searched", "; ".join(told))


def _who(certificate: Mapping[str, Any]) -> Iterator[Note]:
    if certificate.get("model"):
        by = " (a language model's answer)" if certificate.get("by") == "llm" else ""
        digest = f", {certificate['sha256']}" if certificate.get("sha256") else ""
        yield Note("Decided by", f"{certificate['model']}{digest}{by}")


class Part(NamedTuple):
    """A part of a claim and what became of it."""

    text: str
    label: Label
    evidence: tuple[str, ...] = ()


def parts(verdict: Verdict) -> tuple[Part, ...]:
    """The parts of a claim that has several, each with its own label."""
    return tuple(
        Part(str(part["text"]), Label(part["label"]), tuple(str(id) for id in part.get("evidence") or ()))
        for part in verdict.certificate.get("parts") or ()
    )
