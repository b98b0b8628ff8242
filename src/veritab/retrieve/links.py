"""One hop along links: evidence on a page that the claim does not name, but that its best page points to.

"A Milli is a song by someone born in 1978" names the song; the page of the song names its singer, and the birth date is
there. Hyperlinks serve where a page has them; where it has none, the titles its sentences mention do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import log

from veritab.lexicon.numbers import CALENDAR_WORDS
from veritab.retrieve.entity_mentions import ClaimQuery, plausible_targets
from veritab.retrieve.name_index import NameIndex, NameSource, NameSpan, NameTarget, key
from veritab.retrieve.pages import FeatureValues, PageCandidate
from veritab.retrieve.sparse import SparseHit
from veritab.schema import Kind, ListBlock, Section, TableBlock
from veritab.text import STOP_WORDS, Token, terms, tokenize_for_index

WEIGHTS: FeatureValues = {
    "hop": -2.06,
    "hop_first": 0.3,
    "hop_is": 0.56,
    "hop_long": -1.46,
    "hop_namesakes": -0.49,
    "hop_near": 1.76,
    "hop_proper": 0.55,
    "hop_rest": 1.65,
    "hop_size": -0.18,
    "hop_source": 2.1,
    "hop_times": 0.39,
    "hop_words": 1.46,
    "known": -1.74,
    "rank": 2.17,
    "score": 1.54,
}

_SENTENCES = 15
_RANKED = 40
_LOWEST = -10.0
_AHEAD = 0.5
_MOST_NAMESAKES = 6
_REACH = 5
_TEXTS = 300
_FIELDS = {"title": 0.5, "introduction": 1.0}


def follow_links(query: ClaimQuery, ranked: Sequence[PageCandidate], pages: int) -> list[PageCandidate]:
    """Rank anew with the pages that the best ones point to. The best page stays: a hop never passes where it began."""
    if not ranked:
        return []
    found = link_features(query, ranked, pages)
    for page in found:
        page.score = sum(WEIGHTS.get(name, 0.0) * value for name, value in page.features.items())
    best, *others = found
    best.score = max((page.score for page in others), default=best.score) + _AHEAD
    return [best, *sorted(others, key=lambda page: (-page.score, page.title))]


def link_features(query: ClaimQuery, ranked: Sequence[PageCandidate], pages: int) -> list[PageCandidate]:
    """The best pages and those they point to, with their features; the best page first."""
    found: dict[str, PageCandidate] = {}
    for place, page in enumerate(ranked[:_RANKED]):
        behind = max(page.score - ranked[0].score, _LOWEST)
        features = {"score": behind / 3, "rank": 1 / (1 + place), "known": 1.0}
        found[page.title] = PageCandidate(page.number, page.title, features)
    for title, target in _targets(query, ranked[:pages]).items():
        page = found.setdefault(title, PageCandidate(target.number, title, {"score": _LOWEST / 3}))
        page.features |= target.features
    return list(found.values())


@dataclass(slots=True)
class _Target:
    """A page that is pointed to."""

    number: int = 0
    features: FeatureValues = field(default_factory=dict)
    times: int = 0

    def meet(self, features: FeatureValues) -> None:
        """It is mentioned once more; the mention that says most is kept."""
        self.times += 1
        if not self.features or _say(features) > _say(self.features):
            self.features = features


def _say(features: FeatureValues) -> float:
    return features["hop_source"] + features["hop_first"] + features["hop_proper"] + 2 * features["hop_near"]


def _targets(query: ClaimQuery, sources: Sequence[PageCandidate]) -> dict[str, _Target]:
    targets: dict[str, _Target] = {}
    for place, source in enumerate(sources):
        unexplained = query.unexplained(source.title)
        for text in _texts(query, source.title):
            for title, features in _mentioned(query.index.names, text, unexplained, query.said):
                if title != source.title:
                    features["hop_source"] = 1 / (1 + place)
                    targets.setdefault(title, _Target()).meet(features)
    targets = _numbered(query, targets)
    if sources:
        _introductions(query, sources[0], targets)
    for target in targets.values():
        target.features["hop_times"] = min(target.times / 4, 1.0)
        target.features["hop_long"] = query.length / 3
    return targets


@dataclass(slots=True)
class _LinkedSentence:
    """A sentence of a page and its links."""

    place: int
    words: list[Token]
    terms: list[list[str]]
    linked: list[tuple[NameSpan, str]]


def _texts(query: ClaimQuery, title: str) -> Iterator[_LinkedSentence]:
    prose = (block for block in query.page(title).blocks if not isinstance(block, Section | ListBlock | TableBlock))
    for place, block in enumerate(islice(prose, _SENTENCES)):
        words = tokenize_for_index(block.text)
        linked = [
            (NameSpan(inside[0], inside[-1] + 1, ""), link.target)
            for link in block.links
            if (inside := [i for i, word in enumerate(words) if link.start <= word.start < link.end])
        ]
        yield _LinkedSentence(place, words, [terms(word.lower) for word in words], linked)


def _mentioned(
    names: NameIndex, text: _LinkedSentence, unexplained: dict[str, float], said: frozenset[str]
) -> Iterator[tuple[str, FeatureValues]]:
    if text.linked:
        for span, target in text.linked:
            yield target, _features(text, span, unexplained) | {"hop_proper": 1.0}
        return
    spans = names.spans(text.words, proper_only=True)
    nearby = {term for found in text.terms for term in found} | said
    for span, targets in spans.items():
        single = span.last - span.first == 1
        if (single and (span.key in CALENDAR_WORDS or span.key.isdigit())) or _is_covered(span, spans):
            continue
        features = _features(text, span, unexplained)
        for named in plausible_targets(targets, nearby, _MOST_NAMESAKES):
            if named.how is NameSource.ANCHOR:
                continue
            unsure = named.how is NameSource.UNQUALIFIED
            yield named.target, features | {"hop_namesakes": log(1 + len(targets)) if unsure else 0.0}


def _is_covered(span: NameSpan, spans: dict[NameSpan, list[NameTarget]]) -> bool:
    return any(other != span and other.first <= span.first and span.last <= other.last for other in spans)


def _features(text: _LinkedSentence, span: NameSpan, unexplained: dict[str, float]) -> FeatureValues:
    before = (
        unexplained.get(term, 0.0) / (1 + distance / 2)
        for distance, position in enumerate(_before(text.words, span.first))
        for term in text.terms[position]
    )
    return {
        "hop": 1.0,
        "hop_first": float(text.place == 0),
        "hop_proper": _proper(text.words[span.first : span.last]),
        "hop_words": min(span.last - span.first, 3) / 3,
        "hop_near": min(max(before, default=0.0) / 8, 1.0),
        "hop_source": 0.0,
    }


def _before(words: list[Token], first: int) -> Iterator[int]:
    """The words before a name, nearest first, without other names: "starring" is near all that are enumerated."""
    left = _REACH
    for position in range(first - 1, -1, -1):
        if not words[position].is_proper:
            yield position
            left -= 1
        if not left:
            return


def _proper(words: list[Token]) -> float:
    content = [word for word in words if word.lower not in STOP_WORDS]
    return sum(word.is_proper for word in content) / len(content) if content else 0.0


def _numbered(query: ClaimQuery, targets: dict[str, _Target]) -> dict[str, _Target]:
    """The targets that are pages, by title; of titles that differ in spelling only, the longest page."""
    store = query.index.store
    leads_to = {name: page for name, page in store.resolve_all(targets).items() if page}
    numbers = store.numbers_by_title(leads_to.values())
    sizes = query.index.names.sizes(numbers.values())
    longest: dict[str, str] = {}
    for title in sorted(numbers, key=lambda title: (-sizes.get(numbers[title], 0), title)):
        longest.setdefault(key(title), title)
    found: dict[str, _Target] = {}
    for name, page in leads_to.items():
        if longest[key(page)] == page and found.setdefault(page, targets[name]) is targets[name]:
            targets[name].number = numbers[page]
            targets[name].features["hop_size"] = log(1 + sizes.get(numbers[page], 0)) / 10
    return found


def _introductions(query: ClaimQuery, source: PageCandidate, targets: dict[str, _Target]) -> None:
    """How well the introductions of the targets fit what the first page leaves unexplained."""
    rest = list(query.unexplained(source.title))
    numbers = {target.number: target for target in targets.values()}
    hits = query.index.pages.search(rest, _FIELDS, len(numbers) + 1, pages=numbers, boosts=query.boosts)
    for hit in hits:
        numbers[hit.page].features["hop_rest"] = hit.share_of(hits[0])
    first = [
        hit
        for hit in query.index.texts.search(rest, {"body": 1.0}, _TEXTS, pages=numbers, boosts=query.boosts)
        if _is_first(hit)
    ]
    for hit in first:
        numbers[hit.page].features["hop_is"] = hit.share_of(first[0])


def _is_first(hit: SparseHit) -> bool:
    """Whether an entry is the sentence that says what its page is about."""
    return hit.place.kind in (Kind.SENTENCE, Kind.PASSAGE) and hit.place.path == (0,)
