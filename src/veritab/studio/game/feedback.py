"""What an author is shown while writing: which pieces of the page a retriever would find, and what the checker says.

The claim that fools people is one whose evidence does not come first; hence the rank of the gold evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from veritab.errors import InputError, NotFound, short_repr
from veritab.pipeline import Checker
from veritab.retrieve.in_page import TextTerms, score_texts
from veritab.retrieve.search.highlight import highlights
from veritab.schema import CELLS, LONGEST_CLAIM, Claim, Element, ElementId, Kind, Page
from veritab.studio.advice import Advice
from veritab.studio.game.claim_checks import KnownClaims, claim_advice
from veritab.studio.game.pieces import EvidencePiece, make_pieces
from veritab.text import Span, content_terms, words

if TYPE_CHECKING:
    from veritab.papers.retrieval.tfidf import TextWeights

WORDS, TFIDF = "words", "tfidf"
METHODS = (WORDS, TFIDF)
"""How pieces are ranked: by the words that are rare in the corpus, or as the game of Fool Me Twice did."""
_MOST_SHOWN = 20
_PAGES_AT_ONCE = 64
"""So many pages are written about at a time whose words need not be read with every letter."""


class RankedPiece(NamedTuple):
    """A piece of the page, how well it fits the claim, and its words that the claim has too."""

    piece: EvidencePiece
    score: float
    spans: tuple[Span, ...] = ()
    is_gold: bool = False


@dataclass(frozen=True)
class WritingFeedback:
    """What a retriever would show for a claim, best first, and what to tell its author."""

    pieces: tuple[RankedPiece, ...]
    gold_ranks: tuple[int, ...]
    """The places of the gold pieces, from 1, ascending."""
    advice: tuple[Advice, ...]

    @property
    def gold_rank(self) -> int | None:
        """The place of the gold piece that comes first."""
        return self.gold_ranks[0] if self.gold_ranks else None


def feedback_on(
    text: str,
    page: Page,
    gold_ids: Sequence[str],
    checker: Checker,
    *,
    method: str = WORDS,
    truth: bool | None = None,
    known: KnownClaims | None = None,
    most: int = _MOST_SHOWN,
) -> WritingFeedback:
    """What to show somebody who has written so much of a claim, and has chosen this evidence.

    `truth` is what they were asked for, `known` are the other claims of the game.
    """
    ranked = rank_pieces(text, page, checker, method=method)
    gold = frozenset(gold_ids)
    ranks = tuple(place for place, each in enumerate(ranked, 1) if gold.intersection(each.piece.ids))
    advice = claim_advice(text, page, truth=truth, known=known, is_gold_first=bool(ranks and ranks[0] == 1))
    wanted = [(term,) for term in dict.fromkeys(content_terms(text[:LONGEST_CLAIM]))]
    shown = (
        each._replace(spans=highlights(each.piece.text, wanted), is_gold=bool(gold.intersection(each.piece.ids)))
        for each in ranked[:most]
    )
    return WritingFeedback(tuple(shown), ranks, tuple(advice))


def rank_pieces(text: str, page: Page, checker: Checker, *, method: str = WORDS) -> list[RankedPiece]:
    """The pieces of a page as they fit a claim, best first; of equals the earlier one."""
    if method not in METHODS:
        raise InputError(f"there is no way to rank pieces called {short_repr(method)}; expected one of {METHODS}")
    read = _read(page)
    claim = text[:LONGEST_CLAIM]
    scores = [] if method == TFIDF else score_texts(Claim("", claim), page.title, read.terms, checker.index)
    if not any(scores):  # in a corpus of one page no word is rare, but some are rarer in the page
        scores = read.weights.similarities(claim)
    ranked = (RankedPiece(*each) for each in zip(read.pieces, scores, strict=True))
    return sorted(ranked, key=lambda each: -each.score)


def choose_hints(
    text: str, page: Page, gold: Sequence[EvidencePiece], checker: Checker, most: int
) -> list[EvidencePiece]:
    """The pieces that a voter may buy, best first: nothing of the gold evidence is in them."""
    ids = {id for piece in gold for id in piece.ids}
    said = {tuple(words(piece.text)) for piece in gold}
    # A caption or the header of a column is drawn with every row of its table.
    around = {id.table for id in map(ElementId.parse, ids) if id.kind in (Kind.TABLE_CAPTION, Kind.HEADER_CELL)}
    ranked = (each.piece for each in rank_pieces(text, page, checker))
    hints = (
        piece
        for piece in ranked
        if ids.isdisjoint(piece.ids)
        and tuple(words(piece.text)) not in said
        and not (piece.rows and ElementId.parse(piece.ids[0]).table in around)
    )
    return [piece for piece, _ in zip(hints, range(most), strict=False)]


class _PageReading:
    """The pieces of a page and their terms, read once for many letters."""

    def __init__(self, page: Page) -> None:
        self.pieces = make_pieces(page)

    @cached_property
    def terms(self) -> list[TextTerms]:
        return [TextTerms.of(piece.text, (piece.section, piece.caption)) for piece in self.pieces]

    @cached_property
    def weights(self) -> TextWeights:
        from veritab.papers.retrieval.tfidf import TextWeights

        return TextWeights([piece.text for piece in self.pieces])


@lru_cache(maxsize=_PAGES_AT_ONCE)
def _read(page: Page) -> _PageReading:
    return _PageReading(page)


# -- the checker -------------------------------------------------------------------------------------------


def checker_answer(text: str, pieces: Iterable[EvidencePiece], checker: Checker) -> dict[str, Any]:
    """What the checker says of a claim by some pieces alone, and how sure it is."""
    evidence = [each for piece in pieces for each in _judged(piece, checker)]
    (verdict,) = checker.judge([(text, evidence)])
    return {
        "label": verdict.label.value,
        "scores": {label.value: round(score, 4) for label, score in verdict.scores.items()},
        "confidence": round(verdict.confidence, 4),
    }


def _judged(piece: EvidencePiece, checker: Checker) -> list[Element | str]:
    """The elements of a piece where the corpus has them with these words, else its words."""
    try:
        elements = [checker.store.element(id) for id in piece.ids]
    except NotFound:
        return [piece.text]
    is_same = all(element.kind in CELLS or element.text == piece.text for element in elements)
    return list(elements) if elements and is_same else [piece.text]
