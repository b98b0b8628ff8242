"""Sentences of a page made into claims that stand by themselves: subjects named, asides and last clauses dropped."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_ASIDE = re.compile(r"\s*\([^()]*\)")
_LAST = re.compile(
    r", (?:which|who|whose|where|when|with|and later|and then|but|and was|and is|and has|and had|including|such as) "
    r"|,? (?:while|although|though|because|since|after|before|until|featuring|along with|as well as|following|despite|"
    r"due to) "
)
# Without what limits it, a superlative says more than the sentence did.
_LIMITED = re.compile(r"\b(?:first|last|only|most|least|best|worst|\w{3,}est|every|all|no|not|never)\b")
_OPENS = re.compile(
    r"(?:In|On|At|By|During|Since|From|Born|After|Before|As|While|Although|Following|With|For|\w+ing)\b"
)
_COMMA = re.compile(r", (?=[^,]+$)")
_PRONOUN = re.compile(
    r"(He|She|It|They)\b(?! (?:is|was) (?:also )?(?:not clear|unclear|said|believed|thought|unknown))"
)
_FITS = {
    "He": re.compile(
        r"\b(?:is|was) (?:an?|the)\b.{0,80}(?:er|or|ist|ian|man|king|poet|general|judge|bishop|prince|star|scholar)\b"
    ),
    "She": re.compile(
        r"\b(?:is|was) (?:an?|the)\b.{0,80}(?:er|or|ist|ian|ess|man|queen|model|poet|judge|star|scholar)\b"
    ),
    "It": re.compile(r"\b(?:is|was) (?:an?|the|one)\b"),
    "They": re.compile(r"\b(?:are|were) (?:an?|the)\b"),
}
"""What the first sentence of a page has to say for a pronoun to be about the page."""
_THING = re.compile(
    r"(?:The|This) (film|movie|song|single|album|band|group|series|show|game|book|novel|city|town|village|company|team|"
    r"club|school|university|college|magazine|newspaper|species|genus|district|station|road|river|building|ship|"
    r"airport|church|museum|park|bridge|lake|island|county|municipality|episode|play|opera|organization|party)\b"
    r"(?!'s|’s| of\b| and\b| or\b)"
)
_DATE = r"((?:[A-Z][a-z]+ \d{1,2}, |\d{1,2} [A-Z][a-z]+ )\d{4})"
_BORN = re.compile(rf"\((?:[^()]*; )?born {_DATE}[^()]*\)")
_LIVED = re.compile(rf"\({_DATE} [-–] {_DATE}\)")
_LEADING = re.compile(r"((?:In|On|By|During|Since|From) [^,]{3,40}), (?=(?:he|she|it|they|the \w+|[A-Z]))")
_VERB = re.compile(
    r"\b(?:is|was|are|were|has|have|had|can|will|became|won|made|played|plays|released|wrote|stars|starred|served|"
    r"received|includes|lives|located|born|died|moved|began|held|took|led|known|\w{3,}ed)\b"
)
_UNFIT = re.compile(r"[\[\]{}<>=|:;]|\.\.\.|…|\?|!|\b(?:may refer|refers? to|former name|listen)\b")
LEAST, MOST = 6, 30
"""The least and the most words of a claim."""


class ClaimSentence(NamedTuple):
    """A sentence of a page, and the same as a claim: whole, and cut short where it can be."""

    number: int
    text: str
    claim: str
    short: str


def subject(title: str) -> str:
    """What a page is about, in the words of its title: "Soul Food (film)" is "Soul Food"."""
    return title.partition(" (")[0]


def claim_sentences(title: str, sentences: Sequence[str], rng: random.Random) -> list[ClaimSentence]:
    """The sentences of a page that are claims when they stand by themselves."""
    usable = (_make_claim(number, text, title, sentences[0], rng) for number, text in enumerate(sentences))
    return [*(each for each in usable if each), *_life_dates(title, sentences[0], rng)]


def _life_dates(title: str, first: str, rng: random.Random) -> Iterator[ClaimSentence]:
    """Claims about when somebody was born and died, from the dates in brackets."""
    name = subject(title)
    born, lived = _BORN.search(first), _LIVED.search(first)
    for verb, match, place in (("born", born, 1), ("born", lived, 1), ("died", lived, 2)):
        if match:
            phrase = f"was {verb}" if verb == "born" else verb
            date = match[place]
            claim = f"{name} {phrase} in {date[-4:]}." if rng.random() < 0.5 else f"{name} {phrase} on {date}."
            yield ClaimSentence(0, first, claim, claim)


def _make_claim(number: int, text: str, title: str, first: str, rng: random.Random) -> ClaimSentence | None:
    """The sentence as a claim, where it can stand by itself: of the right length, with a subject and a verb."""
    if not text.endswith(".") or _UNFIT.search(text) or text.count('"') % 2:
        return None
    named = _name_subject(_ASIDE.sub("", text).replace(" ,", ","), title, first)
    if (
        not named
        or "(" in named
        or ")" in named
        or not LEAST <= named.count(" ") + 1 <= MOST
        or not _VERB.search(named)
    ):
        return None
    whole = _move_opening(named) if rng.random() < 0.5 else named
    return ClaimSentence(number, text, whole, drop_last_clause(whole))


def _name_subject(text: str, title: str, first: str) -> str:
    """The sentence with its subject named; nothing where it does not say whom it is about."""
    name = subject(title)
    if match := _PRONOUN.match(text):
        return name + text[match.end() :] if _FITS[match[1]].search(first) else ""
    if match := _THING.match(text):
        same = re.search(rf"\b(?:is|was|are|were) .{{0,80}}\b{match[1]}\b", first)
        return name + text[match.end() :] if same else ""
    if name in text:
        return text
    # "In 2005, she moved" names nobody either, but says so in the middle.
    if match := re.match(r"((?:In|On|By|During|Since|From) [^,]{3,40}), (he|she|it|they) ", text):
        return f"{match[1]}, {name} {text[match.end() :]}" if _FITS[match[2].capitalize()].search(first) else ""
    last = name.split()[-1]
    return text if len(last) > 3 and last[0].isupper() and re.match(rf"{re.escape(last)}\b", text) else ""


def _move_opening(text: str) -> str:
    """A time or place that opens the sentence put at its end."""
    match = _LEADING.match(text)
    if not match or "," in text[match.end() :]:
        return text
    first = match[1][0].lower() + match[1][1:]
    moved = text[match.end() :].removesuffix(".")
    return f"{moved[0].upper()}{moved[1:]} {first}."


def drop_last_clause(text: str) -> str:
    """The sentence without its last clause; the sentence itself where it has none that can be spared."""
    body = text.removesuffix(".")
    if _LIMITED.search(body):
        return text
    opens = bool(_OPENS.match(body))
    cuts = [match.start() for match in _LAST.finditer(body)] + [match.start() for match in _COMMA.finditer(body)]
    for cut in sorted(cuts, reverse=True):
        kept = body[:cut].rstrip(" ,")
        words = kept.split()
        whole = _VERB.search(kept) and _is_whole(kept, body[cut:]) and not (opens and "," not in kept)
        if len(words) >= LEAST and whole:
            return f"{kept}."
    return text


def _is_whole(kept: str, dropped: str) -> bool:
    """Whether what is kept is a sentence: no list cut in the middle, nothing that waits for more."""
    listed = re.match(r", (?:and|or)\b|,(?: \w+){1,4} (?:and|or) ", dropped) is not None
    waits = re.search(r"\b(?:a|an|the|of|in|by|to|and|or|with|for|as|is|was|are|were|its|his|her|both|between)$", kept)
    opened = kept.count(",") % 2 == 1 and re.search(r", (?:who|which|a|an|the|known|born|formerly|also)\b[^,]*$", kept)
    return not (listed or waits or opened)
