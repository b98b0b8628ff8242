"""What a comparison leaves unexplained of its claim, and what it cites."""

from __future__ import annotations

from veritab.lexicon.attributes import ATTRIBUTE_STEMS
from veritab.lexicon.cues import QUANTIFIER_CUES
from veritab.quantities import Quantity
from veritab.reason.comparisons.linking import MeasurementPair, synonyms
from veritab.reason.comparisons.reading import Operation
from veritab.reason.parsing.claims import ParsedClaim
from veritab.schema import ElementId

# Verbs and nouns by which sentences say that something has a value.
_PLAIN = frozenset(
    """have had having number total amount amounted made make up reached found counted living lived home exactly take
    taken took need needed well much many far year time than part whole together combined share percent cent reach wa
    more most least less point it also still even then now one two doubt question live large great""".split()
)


def count_unexplained(claim: ParsedClaim, pair: MeasurementPair) -> int | None:
    """How many words of the claim nothing accounts for; None when one of them is a name or a number."""
    measurements, cues = [*pair.left, *pair.right], pair.comparison.cues
    if any(word in QUANTIFIER_CUES and place not in cues for place, word in enumerate(claim.stems)):
        return None
    exact = {stem for m in measurements for stem in (*m.words, *m.attribute_words, *m.context, *m.entity_words)}
    known = exact | {word for m in measurements for stem in (*m.attribute_words, *m.words) for word in synonyms(stem)}
    known |= {noun for noun, adjectives in ATTRIBUTE_STEMS.items() if not adjectives.isdisjoint(exact)}
    numbers = {place for number in claim.numbers for place in range(*number.span)}
    count = 0
    for place in (claim.content | numbers) - cues:
        stem = claim.stems[place]
        name = claim.text[claim.words[place].start].isupper()
        if stem in exact or (place not in numbers and (stem in known or stem in _PLAIN)):
            continue
        if name and place not in numbers and _is_derived(stem, known):
            continue
        if name or place in numbers or stem.endswith("est"):
            return None
        count += 1
    return count


def _is_derived(stem: str, known: set[str]) -> bool:
    """Whether a word is derived from a known one, or it from the word: Kenyan and Kenya."""
    return len(stem) > 4 and any(word[:5] == stem[:5] for word in known if abs(len(word) - len(stem)) < 4)


def counts_the_unit(claim: ParsedClaim, pair: MeasurementPair) -> bool:
    """Whether the values are of what is counted: "one more run than" is not about the attendance."""
    amount = pair.comparison.amount
    if pair.comparison.operation is not Operation.DIFFERENCE or not amount or not pair.left[0].attribute:
        return True
    after = [claim.stems[place] for place in range(amount.span[1], len(claim.stems)) if place in claim.content]
    unit = amount.value.unit if isinstance(amount.value, Quantity) else ""
    if unit or not after or after[0] not in {claim.stems[place] for place in pair.comparison.left}:
        return True
    return any(after[0] == stem or after[0] in synonyms(stem) for stem in pair.left[0].attribute_words)


def cited_cells(claim: ParsedClaim, pair: MeasurementPair) -> tuple[ElementId, ...]:
    """The values, what names them, and the cells that have other words of the claim about them."""
    cited: dict[ElementId, None] = {}
    for side, places in ((pair.left, pair.comparison.left), (pair.right, pair.comparison.right)):
        words = {claim.stems[place] for place in places}
        for each in side:
            cited.update(dict.fromkeys(each.ids))
            for stem in sorted(words & each.words.keys()) if not each.entity_words <= words else ():
                cited.update(dict.fromkeys(each.words[stem]))
    return tuple(cited)
