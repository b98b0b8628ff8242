"""Claims with another number, year or date, or with a word swapped for its opposite."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from veritab.build import mutations
from veritab.build.mutating.implications import MutatedText, SourceClaim
from veritab.build.mutating.mentions import BEGINNINGS
from veritab.build.mutating.negations import NEGATION, says_one_thing
from veritab.decompose.clauses import clause_head
from veritab.decompose.parts_of_speech import is_finite
from veritab.decompose.verbs import may_be_participle
from veritab.lexicon.antonyms import ANTONYMS, OPPOSITES
from veritab.lexicon.comparison import is_comparative, is_superlative
from veritab.lexicon.numbers import ORDINALS, SMALL_CARDINALS
from veritab.quantities import Quantity, parse_quantities
from veritab.text import tokenize, words

_BOUNDED = re.compile(
    r"\b(?:than|least|most|over|under|about|around|nearly|almost|some|roughly|approximately|up to|between|from|to|"
    r"since|until|before|after|by|the|all|these|those|of|and|or)\s*$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:than|times|only|as \w+ as|at least|at most|together|average)\b")
_ONCE = re.compile(
    r"\b(?:born|died|founded|established|discovered|invented|published|completed|built|launched|patented|isolated|"
    r"released|premiered|incorporated|demolished|dissolved|abolished|assassinated|executed|crowned|first)\b",
    re.IGNORECASE,
)
"""What happens to a thing once: another year makes it false. What is won or held may be so again."""
_AUXILIARY = re.compile(r"\b(?:is|was|are|were|been|be|first)(?: [a-z]+ly)? $")
_VALUES = (mutations.year, mutations.number, mutations.day, mutations.count)
_FARTHEST_YEAR = 20
_FARTHEST_FACTOR = 2.0
_NEAR_FACTORS = (0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.5)
_PERCENT = re.compile(r" ?(?:%|per ?cent\b)")
_MOST_PERCENT = 100.0
_FRACTION = re.compile(r"[ -](?:halves|thirds|quarters|(?:four|fif|six|seven|eigh|nin|ten)ths)\b")
_NUMBERED = re.compile(r"\b(?:[Nn]o|[Nn]r|[Nn]um|[Vv]ol|[Oo]p)\. ?$")
_ONE_OF_TWO = re.compile(r"\b(?:all|both|either|or|and|every) $")
"""A number after these stands beside another: "at 21 or 22", "all six"."""


def change_value(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """Another number, year or date."""
    for rule in _VALUES:
        for change in rule(source.text, rng):
            text = change.apply(source.text)
            place = source.text.find(change.old)
            before, after = source.text[:place], source.text[place + len(change.old) :]
            # A racing driver of 1890 would give the change away.
            if change.kind == "year" and abs(int(change.new) - int(change.old)) > _FARTHEST_YEAR:
                by = rng.choice((1, 2, 3, 4, 5, 8, 10, 15))
                change = change._replace(new=str(int(change.old) - by))
                text = change.apply(source.text)
            if change.kind == "number":
                change = _nearer(change, percent=bool(_PERCENT.match(after)), rng=rng)
                text = change.apply(source.text)
            if (
                _ONE_OF_TWO.search(before)
                or re.match(r" (?:or|and|[-–]) \d|['’]s\b", after)
                or re.search(r"\d [-–] $", before)
                or before.count("(") > before.count(")")
            ):
                continue
            if change.kind == "count" and _odd_count(change, before, after, source.text):
                continue
            # "Voyager 2" and "the 1908 Summer Olympics" are names.
            if text == source.text or source.text.count(change.old) > 1 or _in_name(before, after, change.kind):
                continue
            if change.kind == "number" and any(change.old in words(page) for page in source.pages):
                continue
            if change.new in words(source.text):
                continue
            bounded = bool(_BOUNDED.search(before)) or bool(_RELATIVE.search(source.text))
            again = change.kind in ("year", "date") and not _happens_once(before, after)
            unsure = bounded or again or bool(NEGATION.search(source.text))
            details = {"old": change.old, "new": change.new, "kind": change.kind}
            yield MutatedText(text, "open" if unsure else "other value", details)


def _nearer(change: mutations.Mutation, *, percent: bool, rng: random.Random) -> mutations.Mutation:
    """The same change by less, where it goes so far that it gives itself away: 237 years of age, 116 per cent."""
    old, new = (float(each.replace(",", "")) for each in (change.old, change.new))
    most = _MOST_PERCENT if percent and old <= _MOST_PERCENT else old * _FARTHEST_FACTOR
    if old < 10 or old / _FARTHEST_FACTOR <= new <= most:
        return change
    decimals = len(change.old.partition(".")[2])
    factors = [each for each in _NEAR_FACTORS if old * each <= most]
    near = old * rng.choice(factors)
    return change._replace(new=f"{near:,.{decimals}f}" if "," in change.old else f"{near:.{decimals}f}")


def _happens_once(before: str, after: str) -> bool:
    """Whether the verb nearest to a date is of what happens once: "founded in 1992, it was held in 1993" has two."""
    if earlier := list(_ONCE.finditer(before)):
        return not _has_verb(before[earlier[-1].end() :])
    later = _ONCE.search(after)
    return later is not None and not _has_verb(_AUXILIARY.sub("", after[: later.start()]))


def _has_verb(text: str) -> bool:
    tokens = [token for token in tokenize(text) if not token.depth]
    return any(is_finite(tokens, place) or may_be_participle(token.text) for place, token in enumerate(tokens))


def _odd_count(change: mutations.Mutation, before: str, after: str, claim: str) -> bool:
    """Whether a number in words says which is meant: "the first three dives", "as first languages"."""
    # "Three clubs: Rome, Turin and Milan" are counted there and then.
    if re.search(rf"\b{change.new}\b", claim) or after.startswith(" of ") or ": " in after:
        return True
    if _FRACTION.match(after) or before.endswith("-"):
        return True
    if change.old not in ORDINALS:
        return False
    # "The second-highest" may be the third-highest; nobody says "first-highest".
    if after.startswith("-"):
        return change.new == "first"
    return not re.search(r"\b(?:the|his|her|its|their) $", before) or bool(
        re.match(r" \w+s\b| (?:two|three|four)\b", after)
    )


def _in_name(before: str, after: str, kind: str) -> bool:
    if kind in ("date", "count"):
        return False
    # "Symphony No. 41" is a name, and so is the "24" that "ended in May".
    if _NUMBERED.search(before) or (
        not before and (_has_verb(after[: after.find(" ", 1)]) or after.startswith(" the "))
    ):
        return True
    named = re.search(r"([A-Z][\w’'-]*) $", before)
    return bool((named and named[1] not in BEGINNINGS) or re.match(r"(?:st|nd|rd|th)?[- ][A-Z]", after))


# The list of opposites is of words; in a sentence these are often something else ("left Paris", "one day").
_UNSURE_OPPOSITES = frozenset(
    """left right black white day night single double primary secondary end beginning major minor common rare popular
    unpopular defeated joined live-action animated hero villain acquired bought sold rich poor wealthy comedy tragedy
    summer winter started finished former current upper lower most least largely hardly including excluding always
    never domestic international success failure majority minority fiction non-fiction shorter shortest over under
    rose fell rises falls gained closed ended ends founded dissolved public private winner winners loser losers greater
    greatest further farther nearer ancient modern husband wife""".split()
)
_CONTRARIES = frozenset(
    """older younger oldest youngest before after earlier later earliest latest north south northern southern northeast
    southwest northwest southeast northeastern southwestern northwestern southeastern east west eastern western
    increase decrease increased decreased increasing decreasing more less largest smallest larger smaller highest
    lowest higher longest shortest longer best worst tallest male female first last father mother brother sister son
    daughter husband wife inside outside above below""".split()
)
_OPPOSITES = {
    word: opposites[0]
    for word, opposites in OPPOSITES.items()
    if word not in _UNSURE_OPPOSITES and (word in ANTONYMS or is_comparative(word) or is_superlative(word))
}
_OPPOSITE = re.compile(rf"(?<![\w'-])({'|'.join(sorted(map(re.escape, _OPPOSITES), key=len, reverse=True))})(?![\w'-])")
_IN_PASSING = frozenset("later earlier first last".split())
_SAID_OF_IT = re.compile(r"\b(?:is|was|are|were)(?: the)?(?: \w+-)? $")
_OF_KIN = frozenset("father mother brother sister son daughter".split())
_TELLS_GENDER = re.compile(
    rf"\b(?:he|she|his|her|him|himself|herself|wife|husband|actor|actress|king|queen|duchess|princess|countess|empress|men|women|{'|'.join(sorted(_OF_KIN))})\b",
    re.IGNORECASE,
)
_DIRECTIONS = re.compile(r"(?:north|south|east|west)+(?:ern)?$")
_LIES_THERE = re.compile(
    r"\b(?:lies|lay|stands|stood|located|situated|born|died|buried|built|founded)\b[^,;:]*$|"
    r"\b(?:is|was|are|were) (?:[\w,]+ (?:km|kilometres|miles|metres|m|degrees) )?"
    r"(?:in |on |at |to |just |directly |the )*$"
)
"""What a thing does in one place; who lived in the south may have lived in the north as well."""
_FIRST_OF_ALL = re.compile(r"(?:\b(?:the|his|her|its|their|very)|['’]s) $")
_OPENING = frozenset("began begin begins start starts started".split())
_GOES_ON = re.compile(r" (?:to|as|\w+ing|his|her|its|their|out)\b")
_FIXED = (
    re.compile(r"\b(?:named|called|known|modelled|modeled|looked?|looks|takes?|took|taken|goes|went|go) $"),
    re.compile(r" (?:known|remembered|selling|seller|man)\b"),
)
"""What stands before "after" and behind "best" in a phrase that has no opposite: "named after", "best known"."""
_COUNTED = re.compile(
    rf"(?: than (?:\d[\d,.]*|{'|'.join(SMALL_CARDINALS)})(?: (?:hundred|thousand|million|billion))?)?"
    r"(?: (?!(?:of|than|it|he|she|they|we|you|is|was|on|in|at|by)\b)[a-z-]+)?"
    r" (?:[a-z]{3,}s|people|men|women|children)\b"
)
"""What can be counted after "more": there the opposite is "fewer"."""
_CONTESTS = re.compile(
    r"^(?:[^,.]*?\b(?:games?|match(?:es)?|elections?|races?|battles?|wars?|finals?|semi-?finals?|championships?|cups?|"
    r"titles?|seats?|bouts?|fights?|cases?|votes?|series|tournaments?|quarter-?finals?)\b|"
    r" \d+[–-]\d+| against |\.)"
)
"""What can be lost as well as won; nobody loses an award."""


def use_opposite(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A word swapped for its opposite."""
    if NEGATION.search(source.text):
        return
    tokens = tokenize(source.text)
    for found in _OPPOSITE.finditer(source.text):
        old, new = found[1], _OPPOSITES[found[1]]
        before, after = source.text[: found.start()], source.text[found.end() :]
        if [each[1] for each in _OPPOSITE.finditer(source.text)].count(old) > 1 or re.search(
            rf"\b{new}\b", source.text
        ):
            continue
        if old in ("won", "lost", "winning", "losing") and (" to " in after or not _CONTESTS.match(after)):
            continue
        # "Was later repaired" says when, and "earlier repaired" is no English.
        if old in ("later", "earlier") and not (after.startswith((" than", ".", ",")) or before.endswith("s ")):
            continue
        if _reads_oddly(old, before, after):
            continue
        if old == "more" and _COUNTED.match(after) and not _is_measured(after):
            new = "fewer"
        compares = after.startswith(" than ") if is_comparative(old) else is_superlative(old)
        sure = says_one_thing(source.text) and (old in _CONTRARIES or compares)
        # "A year later", "the first man" and "the highest mountain was climbed" only say which is meant.
        if old in _IN_PASSING or is_superlative(old):
            sure = sure and bool(_SAID_OF_IT.search(before))
        elif not compares:
            head = clause_head(tokens, 0)
            sure = sure and head is not None and tokens[head.verb].start < found.start()
        if _DIRECTIONS.match(old):
            sure = sure and bool(_LIES_THERE.search(before))
        details = {"old": old, "new": new}
        text = mutations.Mutation(old, new, "opposite").apply(source.text)
        yield MutatedText(text, "contrary" if sure else "open", details)


def _reads_oddly(old: str, before: str, after: str) -> bool:
    """Whether a word stands where its opposite is no English, or disagrees with another word of the claim."""
    if old in ("first", "last"):
        # "Was first prepared" says when it began, and nothing is "last prepared".
        return not _FIRST_OF_ALL.search(before)
    if old in _OF_KIN:
        noun_follows = re.match(r" (?!(?:of|and|who|is|was|to|in|by|with)\b)[a-z]", after)
        return bool(noun_follows or _TELLS_GENDER.search(before) or _TELLS_GENDER.search(after))
    if old in _OPENING:
        return bool(_GOES_ON.match(after))
    if old == "more":
        # "The higher you get, the more it rains" has two that go together.
        return after.startswith(" than one ") or before.endswith(("the ", "The "))
    if old in ("higher", "lower"):
        return after.startswith((" up", " down"))
    return bool(_FIXED[0].search(before) if old == "after" else old == "best" and _FIXED[1].match(after))


def _is_measured(after: str) -> bool:
    """Whether what follows is a measure, of which there is less and not fewer: "than 30 centimetres"."""
    found = next(iter(parse_quantities(after)), None)
    return isinstance(found, Quantity) and bool(found.unit) and found.span[0] <= len(" than ")
