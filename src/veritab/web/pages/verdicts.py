"""A verdict for the eye: its label, a bar for each score, cards of evidence, the computation and the certificate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from veritab.errors import InputError
from veritab.render.tables import tables_of
from veritab.render.view import Card as Place
from veritab.render.view import cards, matching_words, shares
from veritab.schema import CELLS, COMPUTED, Element, ElementId, Kind, Label, Verdict
from veritab.web.pages.marking import Piece, Pieces, check_address, element_address, page_address
from veritab.web.pages.tables import Drawn, around

if TYPE_CHECKING:
    from veritab.corpus.store import Store

_LONGEST_NAME = 90
_MOST_READ = 12
_MOST_NAMED = 30
_FEW = 4
_MOST_CARDS = 4
_MOST_FACTS = 12


class Told(NamedTuple):
    """A label as people say it, and the class that gives it its colour and its sign."""

    label: str
    words: str
    sentence: str
    name: str


TOLD: Mapping[Label, Told] = {
    Label.SUPPORTS: Told("SUPPORTS", "Supported", "The documents support this claim.", "supports"),
    Label.REFUTES: Told("REFUTES", "Refuted", "The documents contradict this claim.", "refutes"),
    Label.NOT_ENOUGH_INFO: Told(
        "NOT ENOUGH INFO", "Not enough information", "The documents do not settle this claim.", "unknown"
    ),
}


class Bar(NamedTuple):
    """One score: how wide its bar is, and the number beside it."""

    told: Told
    width: str
    percent: str


class Quote(NamedTuple):
    """A sentence, an item or a caption, with the words of the claim marked."""

    pieces: Pieces
    href: str
    id: str
    kind: str
    is_key: bool


class Card(NamedTuple):
    """What one place of one page says: quotes, or a table with its cells marked."""

    title: str
    title_href: str
    sections: str
    href: str
    quotes: Sequence[Quote]
    table: Drawn | None
    cells: int
    is_computed: bool
    has_key: bool
    is_first: bool = True


class Named(NamedTuple):
    """A piece of evidence in a line: what it says, where it stands, and what the verdict would be without it."""

    text: str
    place: str
    href: str
    told: Told | None = None


class Part(NamedTuple):
    """A part of a long claim with its own verdict."""

    text: str
    told: Told
    percent: str
    evidence: Sequence[Named]
    href: str


class Fact(NamedTuple):
    """Something worked out from a table, and from which of its cells."""

    text: str
    href: str


class Shown(NamedTuple):
    """Everything the page says of a claim."""

    claim: str
    told: Told
    bars: Sequence[Bar]
    confidence: str
    is_calibrated: bool
    cards: Sequence[Card]
    reasoning: Sequence[str]
    facts: Sequence[Fact]
    smallest: Sequence[Named]
    takes_all: bool
    """Whether no part smaller than all of the evidence was found to be enough, so that no piece of it stands out."""
    flips: Sequence[Named] | None
    """None where nobody has looked for them."""
    parts: Sequence[Part]
    missing: Sequence[str]
    searched_pages: int | None
    candidates: int | None
    read: Sequence[tuple[str, str]]
    read_more: int
    made_with: Sequence[tuple[str, str]]
    corpus: Mapping[str, Any]
    pieces: int


def shown(verdict: Verdict, store: Store) -> Shown:
    """A verdict made ready for the template."""
    return _Showing(verdict, store).shown()


def percent(share: float) -> str:
    """A probability in words that do not claim more than there is: never 100 %, never 0 %."""
    if share >= 0.995:
        return "over 99 %"
    if 0 < share < 0.005:
        return "under 1 %"
    return f"{share:.0%}".replace("%", " %")


def bars(scores: Mapping[Label, float]) -> list[Bar]:
    """A bar for each label, always in the same order, with percents that add up as at a terminal."""
    return [
        Bar(TOLD[label], f"{100 * min(max(scores.get(label, 0.0), 0.0), 1.0):.1f}%", _percent(scores, label, whole))
        for label, whole in shares(scores)
    ]


def _percent(scores: Mapping[Label, float], label: Label, whole: int) -> str:
    said = percent(scores.get(label, 0.0))
    return said if said.startswith(("over", "under")) else f"{whole} %"


class _Showing:
    """A verdict on its way to the page; what its certificate says is read with care, as any verifier may write it."""

    def __init__(self, verdict: Verdict, store: Store) -> None:
        self._verdict = verdict
        self._tables = tables_of(store)
        self._elements = {str(hit.element.id): hit.element for hit in verdict.evidence}
        self._certificate = verdict.certificate
        smallest = frozenset(self._ids("smallest"))
        self._takes_all = len(smallest) > _FEW and len(smallest) >= len(self._elements)
        self._key = frozenset() if self._takes_all else smallest

    def shown(self) -> Shown:
        verdict, certificate = self._verdict, self._certificate
        searched = _mapping(certificate.get("searched"))
        read = [str(title) for title in _list(searched.get("read"))]
        confidence = certificate.get("confidence", verdict.scores.get(verdict.label, 0.0))
        return Shown(
            claim=verdict.claim.text,
            told=TOLD[verdict.label],
            bars=bars(verdict.scores),
            confidence=percent(float(confidence)),
            is_calibrated="confidence" in certificate,
            cards=_most_telling([self._card(card) for card in cards(verdict.evidence)]),
            reasoning=verdict.reasoning,
            facts=list(self._facts()),
            smallest=[self._named(id) for id in sorted(self._key, key=self._order)],
            takes_all=self._takes_all,
            flips=list(self._flips()) if "flips" in certificate else None,
            parts=list(self._parts()),
            missing=[str(each) for each in _list(certificate.get("missing"))],
            searched_pages=_number(searched.get("pages")),
            candidates=_number(searched.get("candidates")),
            read=[(title, page_address(title)) for title in read[:_MOST_READ]],
            read_more=max(0, len(read) - _MOST_READ),
            made_with=list(self._made_with()),
            corpus=verdict.corpus,
            pieces=len(verdict.evidence),
        )

    # -- cards

    def _card(self, card: Place) -> Card:
        cells = [id for id in card.ids if id.kind in CELLS]
        marked = sorted(cells) if cells else card.ids
        key = [id for id in card.ids if str(id) in self._key]
        table = self._tables(card.table) if card.table else None
        return Card(
            title=card.page,
            title_href=page_address(card.page),
            sections=" › ".join(card.sections),
            href=page_address(card.page, marked),
            quotes=() if card.table else [self._quote(hit.element) for hit in card.hits],
            table=around(card.hits, table, key) if card.table else None,
            cells=len(cells),
            is_computed=any(hit.by == COMPUTED for hit in card.hits),
            has_key=bool(key),
        )

    def _quote(self, element: Element) -> Quote:
        spans = matching_words(element.text, self._verdict.claim.text)
        marked = [Piece(span.text, "", span.matches) for span in spans]
        key = str(element.id) in self._key
        return Quote(marked, element_address(element.id), str(element.id), _kind_in_words(element.kind), key)

    # -- the certificate

    def _ids(self, name: str) -> list[str]:
        return [str(id) for id in _list(self._certificate.get(name))]

    def _order(self, id: str) -> int:
        return list(self._elements).index(id) if id in self._elements else len(self._elements)

    def _named(self, id: str, to: Told | None = None) -> Named:
        element = self._elements.get(id)
        if element is None:
            return Named(id, "", _address_of(id), to)
        text = element.text or f"({_kind_in_words(element.kind)})"
        headers = [near.text for near in element.context if near.id.kind is Kind.HEADER_CELL and near.text][:2]
        place = " › ".join(dict.fromkeys((element.id.page, *headers)))
        return Named(_short(text), _short(place), element_address(element.id), to)

    def _flips(self) -> Iterator[Named]:
        for each in _list(self._certificate.get("flips"))[:_MOST_NAMED]:
            flip = _mapping(each)
            to = _label(flip.get("to"))
            if "id" in flip and to:
                yield self._named(str(flip["id"]), to)

    def _parts(self) -> Iterator[Part]:
        for each in _list(self._certificate.get("parts")):
            part = _mapping(each)
            told = _label(part.get("label"))
            if not told or "text" not in part:
                continue
            scores = _mapping(part.get("scores"))
            text = str(part["text"])
            known = [
                id for id in map(str, _list(part.get("evidence"))) if id in self._elements
            ]  # the rest has no words
            evidence = [self._named(id) for id in known[:3]]
            yield Part(text, told, percent(float(scores.get(told.label, 0.0))), evidence, check_address(text))

    def _facts(self) -> Iterator[Fact]:
        for each in _list(self._certificate.get("facts"))[:_MOST_FACTS]:
            fact = _mapping(each)
            cells = [id for id in map(_parsed, _list(fact.get("cells"))) if id]
            href = page_address(cells[0].page, [id for id in cells if id.page == cells[0].page][:50]) if cells else ""
            yield Fact(str(fact.get("text", "")), href)

    def _made_with(self) -> Iterator[tuple[str, str]]:
        certificate, corpus = self._certificate, self._verdict.corpus
        if certificate.get("model"):
            name = "Language model" if certificate.get("by") == "llm" else "Model"
            yield name, " ".join(str(certificate[key]) for key in ("model", "sha256") if certificate.get(key))
        if certificate.get("profile"):
            yield "Calibration", str(certificate["profile"])
        if corpus.get("name"):
            yield "Corpus", str(corpus["name"])
        if corpus.get("revision"):
            yield "Revision", str(corpus["revision"])


def _most_telling(every: Sequence[Card]) -> list[Card]:
    """What the verdict rests on comes first, then a few of the best; the rest is shown to those who ask for it."""
    ordered = sorted(every, key=lambda card: (not card.has_key, not card.is_computed))
    resting = sum(card.has_key or card.is_computed for card in ordered)
    return [card._replace(is_first=number < max(resting, _MOST_CARDS)) for number, card in enumerate(ordered)]


def _kind_in_words(kind: Kind) -> str:
    return kind.value.replace("_", " ")


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _label(value: Any) -> Told | None:
    try:
        return TOLD[Label(value)]
    except ValueError:
        return None


def _parsed(id: Any) -> ElementId | None:
    try:
        return ElementId.parse(str(id))
    except InputError:
        return None


def _address_of(id: str) -> str:
    parsed = _parsed(id)
    return element_address(parsed) if parsed else ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1].rstrip()}…"


def counted(labels: Iterable[Label]) -> list[tuple[Told, int]]:
    """How often each label was given, always in the same order."""
    given = list(labels)
    return [(told, given.count(label)) for label, told in TOLD.items()]
