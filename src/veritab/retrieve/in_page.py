"""The page is given: which of its sentences, items and captions fit a claim? The game and readers of a page ask this.

What the title says is left out, because every sentence of the page is about it, and long sentences are not held back:
one that says two things of the claim is better evidence than a short one that says one. A sentence encoder, where there
is one, finds what is said in other words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from veritab.retrieve.elements import UnexplainedTerms
from veritab.retrieve.entity_mentions import ClaimQuery
from veritab.retrieve.fuse import fuse, sort_by_score
from veritab.retrieve.index import Index
from veritab.schema import Claim, Element, Hit, Kind, Page
from veritab.text import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SentenceEncoder(Protocol):
    """Texts become vectors of length one."""

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[Any]: ...


_TEXTS = frozenset({Kind.SENTENCE, Kind.ITEM, Kind.TABLE_CAPTION, Kind.PASSAGE})
_HEADINGS = 0.2
# A page has tens of texts, not thousands: there the first places should stand out.
_FLATNESS = 10.0


def rank_in_page(claim: Claim, page: Page, index: Index, encoder: SentenceEncoder | None = None) -> list[Hit]:
    """The texts of a page, best first; the index of its corpus says which words are rare."""
    texts = [element for element in page.elements if element.kind in _TEXTS and element.text]
    by_words = _rank_by_words(claim, page, texts, index)
    if encoder is None or not texts:
        return by_words
    meant = rank_by_encoder(claim, texts, encoder)
    # Where no text has a word of the claim, their order by words says nothing.
    return fuse([by_words, meant] if by_words[0].score else [meant], flatness=_FLATNESS, by="in-page")


def _rank_by_words(claim: Claim, page: Page, texts: Sequence[Element], index: Index) -> list[Hit]:
    read = [TextTerms.of(element.text, (near.text for near in element.context[1:])) for element in texts]
    scores = score_texts(claim, page.title, read, index)
    return sort_by_score(Hit(*each, "in-page") for each in zip(texts, scores, strict=True))


class TextTerms(NamedTuple):
    """The terms of a text of a page, and those of the headings above it that it does not have itself."""

    said: frozenset[str]
    above: frozenset[str]

    @classmethod
    def of(cls, text: str, headings: Iterable[str]) -> Self:
        """Read a text; whoever asks about a page again and again reads its texts once."""
        said = frozenset(terms(text))
        return cls(said, frozenset(term for heading in headings for term in terms(heading)) - said)


def score_texts(claim: Claim, title: str, texts: Iterable[TextTerms], index: Index) -> list[float]:
    """How much each text of a page says of what the claim says beyond the page's title."""
    rest = UnexplainedTerms(ClaimQuery(claim.text, index), title)
    return [round(rest.share(said) + _HEADINGS * rest.share(above), 6) for said, above in texts]


def rank_by_encoder(claim: Claim, texts: Sequence[Element], encoder: SentenceEncoder) -> list[Hit]:
    """Texts by the similarity of their vectors to that of a claim."""
    (vector,) = encoder.encode([claim.text], query=True)
    scores = encoder.encode([element.text for element in texts]) @ vector
    return sort_by_score(
        Hit(element, round(float(score), 6), "dense") for element, score in zip(texts, scores, strict=True)
    )
