"""What a reader is shown of a verdict, as plain values: the HTML and the terminal module draw the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from veritab.schema import (
    CELLS,
    COMPUTED,
    Certificate,
    CountedRows,
    Edit,
    Element,
    ElementId,
    Flip,
    Hit,
    Kind,
    Label,
    PartVerdict,
    Verdict,
)
from veritab.text import STOP_WORDS, content_terms, nfc, shorten, terms, word_spans, words

# -- labels and scores -------------------------------------------------------------------------------------


class LabelView(NamedTuple):
    """A label for people: its name, a sentence that explains it, and the class that gives it its colour."""

    label: Label
    words: str
    sentence: str
    name: str


LABELS: Mapping[Label, LabelView] = {
    Label.SUPPORTS: LabelView(Label.SUPPORTS, "Supported", "The documents support this claim.", "supports"),
    Label.REFUTES: LabelView(Label.REFUTES, "Refuted", "The documents contradict this claim.", "refutes"),
    Label.NOT_ENOUGH_INFO: LabelView(
        Label.NOT_ENOUGH_INFO, "Not enough information", "The documents do not settle this claim.", "unknown"
    ),
}


class ScoreShare(NamedTuple):
    """A label's score in whole percent; the three add up to a hundred."""

    view: LabelView
    score: float
    percent: int

    @property
    def text(self) -> str:
        """The percentage in words that do not claim more than there is: never 100 %, never 0 %."""
        rounded = format_percent(self.score)
        return rounded if rounded.startswith(("over", "under")) else f"{self.percent} %"


def score_shares(scores: Mapping[Label, float]) -> tuple[ScoreShare, ...]:
    """The scores of all three labels, in the order of the labels."""
    given = {label: min(max(float(scores.get(label, 0.0)), 0.0), 1.0) for label in Label}
    whole = sum(given.values())
    if whole <= 0:
        return tuple(ScoreShare(LABELS[label], 0.0, 0) for label in Label)
    exact = {label: 100 * value / whole for label, value in given.items()}
    percents = {label: int(value) for label, value in exact.items()}
    short = 100 - sum(percents.values())
    for label in sorted(Label, key=lambda label: percents[label] - exact[label])[:short]:
        percents[label] += 1
    return tuple(ScoreShare(LABELS[label], given[label], percents[label]) for label in Label)


def format_percent(probability: float) -> str:
    """A probability as a percentage, "over 99 %" and "under 1 %" at the ends."""
    if probability >= 0.995:
        return "over 99 %"
    if 0 < probability < 0.005:
        return "under 1 %"
    return f"{probability:.0%}".replace("%", " %")


# -- texts -------------------------------------------------------------------------------------------------


class TextRun(NamedTuple):
    """A run of a text: where it links to, and whether it is highlighted."""

    text: str
    highlighted: bool = False
    href: str = ""


def highlight_claim_words(text: str, claim: str) -> tuple[TextRun, ...]:
    """The text in runs, the words that the claim has too highlighted; neighbouring words are one run."""
    text = nfc(text)
    wanted = frozenset(content_terms(claim))
    spans: list[tuple[int, int]] = []
    for start, end in word_spans(text):
        word = text[start:end]
        if STOP_WORDS.issuperset(words(word)) or wanted.isdisjoint(terms(word)):
            continue
        if spans and start - spans[-1][1] <= 1:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    runs: list[TextRun] = []
    position = 0
    for start, end in spans:
        runs += [TextRun(text[position:start])] if start > position else []
        runs.append(TextRun(text[start:end], highlighted=True))
        position = end
    return (*runs, *([TextRun(text[position:])] if position < len(text) else []))


class EditRun(NamedTuple):
    """A stretch of an edited claim: words that stay, that go, or that come in their place."""

    text: str
    is_old: bool = False
    is_new: bool = False


def edit_runs(claim: str, edits: Iterable[Edit]) -> list[EditRun]:
    """The claim with its edits made visible."""
    runs, place = [], 0
    for edit in sorted(edits):
        runs += [EditRun(claim[place : edit.start]), EditRun(edit.old, is_old=True), EditRun(edit.new, is_new=True)]
        place = edit.end
    return [run for run in (*runs, EditRun(claim[place:])) if run.text]


def shorten_around(text: str, spans: Sequence[tuple[int, int]], longest: int) -> tuple[str, list[tuple[int, int]]]:
    """A long text cut to a stretch that begins a little before the first span, and the spans that lie in it."""
    if len(text) <= longest:
        return text, list(spans)
    begin = max(0, min(spans[0][0] - longest // 4 if spans else 0, len(text) - longest))
    begin = text.find(" ", begin) + 1 if begin else 0
    end = begin + longest
    before, after = "… " if begin else "", " …" if end < len(text) else ""
    moved = begin - len(before)
    inside = [(start - moved, stop - moved) for start, stop in spans if begin <= start and stop <= end]
    return before + text[begin:end] + after, inside


def format_kind(kind: Kind) -> str:
    """A kind of element in words."""
    return kind.value.replace("_", " ")


def section_names(element: Element) -> tuple[str, ...]:
    """The sections an element stands in, outermost first."""
    return tuple(near.text for near in element.context if near.id.kind is Kind.SECTION and near.text)


def header_names(element: Element) -> tuple[list[str], list[str]]:
    """The headers left of a cell and those above it, each outermost first."""
    row = element.id.path[1]
    headers = [near for near in reversed(element.context) if near.id.kind is Kind.HEADER_CELL and near.text]
    left = [near.text for near in headers if near.id.path[1] == row]
    return left, [near.text for near in headers if near.id.path[1] != row]


class ClaimSpan(Protocol):
    """A sentence of a text that is worth checking, as `veritab.decompose` finds it."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...


class TextStretch(NamedTuple):
    """A stretch of a text; `number` counts the verdicts from 0 and is None where nothing was checked."""

    text: str
    number: int | None = None


def split_text(body: str, claims: Sequence[ClaimSpan]) -> tuple[TextStretch, ...]:
    """A whole text in stretches, of which those that were checked name their verdict.

    Where two overlap, the one that begins first keeps what they share.
    """
    stretches: list[TextStretch] = []
    position = 0
    for number in sorted(range(len(claims)), key=lambda number: (claims[number].start, number)):
        start, end = max(claims[number].start, position), min(claims[number].end, len(body))
        if start >= end:
            continue
        if start > position:
            stretches.append(TextStretch(body[position:start]))
        stretches.append(TextStretch(body[start:end], number))
        position = end
    if position < len(body):
        stretches.append(TextStretch(body[position:]))
    return tuple(stretches)


# -- evidence ----------------------------------------------------------------------------------------------


class EvidenceCard(NamedTuple):
    """Evidence of one kind from one place: texts of a section of a page, or what lies in one of its tables."""

    page: str
    sections: tuple[str, ...]
    hits: tuple[Hit, ...]
    table: ElementId | None = None
    """The table that all hits lie in."""
    is_key: bool = False
    """Whether it holds evidence that the verdict rests on."""

    @property
    def ids(self) -> tuple[ElementId, ...]:
        return tuple(hit.element.id for hit in self.hits)

    @property
    def is_computed(self) -> bool:
        return any(hit.by == COMPUTED for hit in self.hits)


def group_evidence(evidence: Iterable[Hit], key: frozenset[ElementId] = frozenset()) -> list[EvidenceCard]:
    """The evidence by place: first what the verdict rests on, then what was computed with, then the rest as found."""
    groups: dict[tuple[object, ...], list[Hit]] = {}
    for hit in evidence:
        id = hit.element.id
        place = (id.table,) if id.table else (id.page, section_names(hit.element), id.kind)
        groups.setdefault(place, []).append(hit)
    cards = []
    for hits in groups.values():
        first = hits[0].element
        if first.id.table is None:
            hits.sort(key=lambda hit: hit.element.id.path)
        is_key = not key.isdisjoint(hit.element.id for hit in hits)
        cards.append(EvidenceCard(first.id.page, section_names(first), tuple(hits), first.id.table, is_key))
    return sorted(cards, key=lambda card: (not card.is_key, not card.is_computed))


class EvidenceName(NamedTuple):
    """A piece of evidence in a line: its id, what it says, and where it stands."""

    id: ElementId
    text: str
    place: str = ""


class CertificateEntry(NamedTuple):
    """One line of the certificate: its name, what it says, the evidence it names and the pages it lists."""

    name: str
    text: str = ""
    evidence: tuple[tuple[EvidenceName, str], ...] = ()
    """Each piece with a remark on it."""
    pages: tuple[str, ...] = ()


class PartView(NamedTuple):
    """A part of a claim with a verdict of its own, and the evidence for it."""

    text: str
    view: LabelView
    percent: str
    """The score of its label."""
    shares: tuple[ScoreShare, ...]
    reasoning: tuple[str, ...]
    cards: list[EvidenceCard]
    framed: frozenset[ElementId]
    rows: tuple[CountedRows, ...]


_LONGEST_NAME = 90
_ALL_NEEDED = 4
"""More pieces than these, and all of them, do not say what a verdict rests on."""


@dataclass(frozen=True)
class VerdictView:
    """Everything that is shown of a verdict."""

    verdict: Verdict

    @property
    def certificate(self) -> Certificate:
        return self.verdict.certificate

    @property
    def claim(self) -> str:
        return self.verdict.claim.text

    @property
    def label(self) -> LabelView:
        return LABELS[self.verdict.label]

    @property
    def shares(self) -> tuple[ScoreShare, ...]:
        return score_shares(self.verdict.scores)

    @property
    def confidence(self) -> str:
        """The score of the label as a percentage."""
        return next(share.text for share in self.shares if share.view is self.label)

    @property
    def uncertainty(self) -> str:
        """Why the answer is uncertain; empty where it is not."""
        searched = self.certificate.searched
        if searched and searched.missing:
            count = f"{len(searched.missing):,} of {searched.shards:,} shards"
            return f"{count} could not be searched: {', '.join(searched.missing)}"
        return str(self.verdict.uncertainty or "")

    @cached_property
    def takes_all(self) -> bool:
        """Whether no part smaller than all of the evidence was found to be enough, so that no piece stands out."""
        smallest = frozenset(self.certificate.smallest or ())
        return len(smallest) > _ALL_NEEDED and len(smallest) >= len(self._elements)

    @cached_property
    def key(self) -> frozenset[ElementId]:
        """The evidence that the verdict rests on: the smallest that is enough, else what was computed with or cited.

        What does not settle a claim rests on nothing.
        """
        if self.takes_all or self.verdict.label is Label.NOT_ENOUGH_INFO:
            return frozenset()
        if self.certificate.smallest is not None:
            return frozenset(self.certificate.smallest)
        return self._computed or frozenset(self.certificate.cited)

    @cached_property
    def framed(self) -> frozenset[ElementId]:
        """What is framed where it is drawn: what the verdict rests on and what was computed from."""
        return frozenset() if self.verdict.label is Label.NOT_ENOUGH_INFO else self.key | self._computed

    @cached_property
    def _computed(self) -> frozenset[ElementId]:
        return frozenset(hit.element.id for hit in self.verdict.evidence if hit.by == COMPUTED)

    @cached_property
    def cards(self) -> list[EvidenceCard]:
        """The evidence by place; of a claim with parts only that which is no part's own."""
        told = {id for part in self.certificate.parts for id in part.evidence}
        return group_evidence((hit for hit in self.verdict.evidence if hit.element.id not in told), self.key)

    @cached_property
    def rows(self) -> tuple[CountedRows, ...]:
        """The rows that count; none where the claim is not settled."""
        return () if self.verdict.label is Label.NOT_ENOUGH_INFO else self.certificate.rows

    @cached_property
    def reasoning(self) -> tuple[str, ...]:
        """Why the verdict is what it is; of a claim with parts only what is not said of a part."""
        told = tuple(line for part in self.certificate.parts for line in part.reasoning)
        return tuple(line for line in self.verdict.reasoning if not (told and line.endswith(told)))

    @property
    def without_evidence(self) -> str:
        """What is shown where no piece of evidence is."""
        return "No evidence was found" if self.verdict.corpus else "No piece of the evidence settles it"

    @cached_property
    def parts(self) -> list[PartView]:
        return [self._part(part) for part in self.certificate.parts]

    @cached_property
    def entries(self) -> list[CertificateEntry]:
        """The certificate line by line."""
        return list(self._entries())

    @cached_property
    def _elements(self) -> dict[ElementId, Element]:
        return {hit.element.id: hit.element for hit in self.verdict.evidence}

    def _part(self, part: PartVerdict) -> PartView:
        settled = part.label is not Label.NOT_ENOUGH_INFO
        own = frozenset(part.evidence)
        framed = own if settled else frozenset[ElementId]()
        cards = group_evidence((hit for hit in self.verdict.evidence if hit.element.id in own), framed)
        rows = part.rows if settled else ()
        percent, shares = (
            format_percent(part.scores.get(part.label, 0.0)),
            score_shares(part.scores) if part.scores else (),
        )
        return PartView(part.text, LABELS[part.label], percent, shares, part.reasoning, cards, framed, rows)

    def _name(self, id: ElementId) -> EvidenceName:
        element = self._elements.get(id)
        if element is None:
            return EvidenceName(id, str(id))
        headers = [near.text for near in element.context if near.id.kind is Kind.HEADER_CELL and near.text][:2]
        place = " › ".join(dict.fromkeys((id.page, *headers)))
        text = element.text or f"({format_kind(id.kind)})"
        return EvidenceName(id, shorten(text, _LONGEST_NAME), shorten(place, _LONGEST_NAME))

    def _flips(self, flips: Iterable[Flip]) -> Iterator[tuple[EvidenceName, str]]:
        """What the verdict becomes without a piece of evidence; the cells of a row are one piece."""
        pieces: dict[tuple[object, Label], list[EvidenceName]] = {}
        for flip in flips:
            piece = (flip.id.page, flip.id.path[:2]) if flip.id.kind in CELLS else flip.id
            pieces.setdefault((piece, flip.to), []).append(self._name(flip.id))
        for (_, label), (first, *others) in pieces.items():
            if others:
                row = shorten(" · ".join(name.text for name in (first, *others)), _LONGEST_NAME)
                yield EvidenceName(first.id, row, first.id.page), f"without this row: {label}"
            else:
                yield first, f"without it: {label}"

    def _entries(self) -> Iterator[CertificateEntry]:
        certificate, pieces = self.certificate, len(self.verdict.evidence)
        yield CertificateEntry(
            "Confidence", f"{self.confidence}, {'calibrated' if certificate.calibrated else 'not calibrated'}"
        )
        if self.uncertainty:
            yield CertificateEntry("Uncertain", self.uncertainty)
        if self.takes_all:
            yield CertificateEntry("Enough for the verdict", f"no part smaller than all {pieces} pieces was found")
        elif certificate.smallest:
            order = {id: place for place, id in enumerate(self._elements)}
            ids = sorted(set(certificate.smallest), key=lambda id: order.get(id, len(order)))
            count = f"{len(ids):,} of {pieces:,} pieces of evidence" if pieces > 1 else "this piece of evidence"
            yield CertificateEntry("Enough for the verdict", count, tuple((self._name(id), "") for id in ids))
        if certificate.flips:
            yield CertificateEntry(
                "What would change it",
                evidence=tuple(self._flips(certificate.flips)),
            )
        elif certificate.flips is not None and pieces and self.verdict.label is not Label.NOT_ENOUGH_INFO:
            yield CertificateEntry("What would change it", "no single piece: without any one the verdict stays")
        if certificate.searched:
            searched = certificate.searched
            counts = f"{searched.pages:,} pages, {searched.candidates:,} candidates scored"
            yield CertificateEntry("Searched", counts, pages=searched.read)
        if certificate.program:
            yield CertificateEntry("Computed", certificate.program)
        if certificate.model:
            model = certificate.model
            name = "Language model" if certificate.by == "llm" else "Model"
            yield CertificateEntry(name, " ".join(filter(None, (model.name, model.sha256))))
            if model.profile:
                yield CertificateEntry("Calibration profile", model.profile)
        if self.verdict.corpus.get("name"):
            revision = self.verdict.corpus.get("revision")
            yield CertificateEntry(
                "Corpus", f"{self.verdict.corpus['name']}{f', revision {revision}' * bool(revision)}"
            )
