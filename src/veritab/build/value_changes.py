"""Claims with another number, year or date, or with a word swapped for its opposite."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from veritab.build import mutations
from veritab.build.implications import MutatedText, SourceClaim
from veritab.build.negations import NEGATION, says_one_thing
from veritab.decompose.clauses import clause_head
from veritab.lexicon.antonyms import ANTONYMS, OPPOSITES
from veritab.lexicon.comparison import is_comparative, is_superlative
from veritab.lexicon.numbers import ORDINALS
from veritab.text import tokenize

_BOUNDED = re.compile(
    r"\b(?:than|least|most|over|under|about|around|nearly|almost|some|roughly|approximately|up to|between|from|to|"
    r"since|until|before|after|by|the|all|these|those|of|and|or)\s*$"
)
_RELATIVE = re.compile(r"\b(?:than|times|only|as \w+ as|at least|at most|together|average)\b")
_ONCE = re.compile(
    r"\b(?:born|died|founded|established|discovered|invented|published|completed|built|launched|patented|isolated|"
    r"released|premiered|incorporated|demolished|dissolved|abolished|assassinated|executed|crowned|first)\b"
)
"""What happens to a thing once: another year makes it false. What is won or held may be so again."""
_VALUES = (mutations.year, mutations.number, mutations.day, mutations.count)
_FARTHEST_YEAR = 20
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
            if (
                _ONE_OF_TWO.search(before)
                or re.match(r" (?:or|and) \d", after)
                or before.count("(") > before.count(")")
            ):
                continue
            if change.kind == "count" and _odd_count(change, before, after, source.text):
                continue
            # "Voyager 2" and "the 1908 Summer Olympics" are names.
            if text == source.text or source.text.count(change.old) > 1 or _in_name(before, after, change.kind):
                continue
            bounded = bool(_BOUNDED.search(before)) or bool(_RELATIVE.search(source.text))
            again = change.kind in ("year", "date") and not _ONCE.search(source.text)
            unsure = bounded or again or bool(NEGATION.search(source.text))
            details = {"old": change.old, "new": change.new, "kind": change.kind}
            yield MutatedText(text, "open" if unsure else "other value", details)


def _odd_count(change: mutations.Mutation, before: str, after: str, claim: str) -> bool:
    """Whether a number in words says which is meant: "the first three dives", "as first languages"."""
    # "Three clubs: Rome, Turin and Milan" are counted there and then.
    if re.search(rf"\b{change.new}\b", claim) or after.startswith(" of ") or ": " in after:
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
    return bool(re.search(r"[A-Z][\w’'-]* $", before) or re.match(r"(?:st|nd|rd|th)?[- ][A-Z]", after))


# The list of opposites is of words; in a sentence these are often something else ("left Paris", "one day").
_UNSURE_OPPOSITES = frozenset(
    """left right black white day night single double primary secondary end beginning major minor common rare popular
    unpopular defeated joined live-action animated hero villain acquired bought sold rich poor wealthy comedy tragedy
    summer winter started finished former current upper lower most least largely hardly including excluding always
    never domestic international success failure majority minority fiction non-fiction shorter shortest over under
    rose fell rises falls gained closed ended ends founded dissolved public private winner winners loser losers greater
    greatest further farther nearer ancient modern""".split()
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
        if old == "more" and after.startswith(" than one "):
            continue
        if old == "more" and re.match(r"(?: than [\w,]+)?(?: [A-Za-z]+)? [A-Za-z]{3,}s\b", after):
            new = "fewer"
        compares = after.startswith(" than ") if is_comparative(old) else is_superlative(old)
        sure = says_one_thing(source.text) and (old in _CONTRARIES or compares)
        # "A year later", "the first man" and "the highest mountain was climbed" only say which is meant.
        if old in _IN_PASSING or is_superlative(old):
            sure = sure and bool(_SAID_OF_IT.search(before))
        elif not compares:
            head = clause_head(tokens, 0)
            sure = sure and head is not None and tokens[head.verb].start < found.start()
        details = {"old": old, "new": new}
        text = mutations.Mutation(old, new, "opposite").apply(source.text)
        yield MutatedText(text, "contrary" if sure else "open", details)
