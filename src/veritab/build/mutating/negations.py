"""Denials of a sentence: "not" with do-support, never, no, failed to, without, unlike, neither, or its own "not" gone.

A denial says of itself whether it denies the whole sentence: then the denial of a refuted claim is supported. Where a
subject is quantified ("All ...", "Two of ..."), or nothing tells which verb is the main one, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from veritab.build.inflection import base_form, base_noun, inflect, is_past_form
from veritab.build.mutations import with_article
from veritab.decompose.clauses import clause_head
from veritab.decompose.parts_of_speech import is_adverb
from veritab.decompose.verbs import is_always_finite, may_be_participle
from veritab.lexicon.comparison import is_comparative
from veritab.lexicon.grammar import BE, DETERMINERS, HAVE, MODALS, PREPOSITIONS
from veritab.lexicon.numbers import SMALL_CARDINALS
from veritab.text import Token, tokenize


class Denial(NamedTuple):
    """A sentence that denies another, the word that does it, and whether it denies all that the other says."""

    text: str
    by: str
    whole: bool


_QUANTIFIED = frozenset(
    """all every each both some many most few several only none no neither either any half more less fewer another a an
    one two three four five six seven eight nine ten eleven twelve at there nobody nothing everybody everything
    somebody someone almost nearly about around roughly approximately over under up between dozens hundreds thousands
    millions various numerous plenty lots parts not out apart besides""".split()
)
"""What a subject begins with when "not" after the verb does not deny the sentence."""
_PARTS = re.compile(
    r"[,;:](?!\d)| (?:and|or|but|who|which|that|where|when|while|because|although|whose|after|before|except|if|"
    r"only|also|both|until|since|so) "
)
"""What makes a sentence say more than one thing, or compare: its denial leaves open which of them is false."""
NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|neither|without|nobody|nothing|nowhere|cannot|hardly|barely|scarcely|rarely|seldom|unlike)"
    r"\b|n['’]t\b",
    re.I,
)
_NOT_AFTER = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|must|should|may|might) not (?!only|yet)")
_DO_NOT = re.compile(r"\b(did|does|do) not (?!only|yet)([a-z]+)\b")
_NEVER_VERB = re.compile(r"\bnever ([a-z]+)\b")
_NAMING = frozenset("called named known based dubbed titled rose".split())
"""Participles on their nouns, and a noun: "the metal called Mercury boils", "on the wind rose"."""
_OTHER_CLAUSES = frozenset(
    "before after when while until because but what both whether if though although than".split()
)
_TIMED = re.compile(
    r"\b\d{4}\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|once|twice|"
    r"first|last|times?|century|ago|later|already|often|always|usually|originally|still|years?|months?|days?)\b"
)
_ACHIEVEMENTS = frozenset(
    """win reach finish complete receive become discover invent earn qualify cross climb beat defeat land achieve pass
    gain conquer publish score survive escape break join enter capture solve prove isolate explain predict measure sell
    persuade convince secure obtain graduate marry hold sign unite""".split()
)
"""What somebody may fail to do."""
_STATES = frozenset(
    """lie contain consist belong include have be stand cost weigh measure mean remain equal comprise cover exceed
    border flow rise stretch extend span last resemble follow precede come date number share""".split()
)
"""What is so all the time: "never" would be odd."""
_ONCE = frozenset(
    "die begin start end open close bear found establish release publish air premiere happen occur grow get".split()
)
"""What happens to a thing once, when and where the claim says: "never died younger" would be odd."""
_SECOND_CLAUSE = re.compile(r"\band (?:he|she|it|they) ")
"""What is said besides of the same thing: "was not born in 1970 and he was famous" leaves a reader at a loss."""
_COUNTS_NONE = re.compile(r"\b(?:zero|sometime)\b")
_COUNT = rf"(?:\d[\d,]*|several|many|{'|'.join(list(SMALL_CARDINALS)[1:])})"
_HAS_SOME = re.compile(
    rf"\b(has|have|had) (an?|{_COUNT}) (?!(?:more|of|or|to|and|percent|per|million|billion)\b)(?=[a-z])"
)
_WITH_SOME = re.compile(
    rf"(?<!together)(?<!along)(?<!border)(?<!borders)(?<!shared)(?<!shares)(?<!began)(?<!begins)(?<!ended)"
    rf"(?<!,) with (an?|{_COUNT}) (?=[a-z])"
)
_UNFULFILLED = re.compile(r"\b(?:yet to|fail(?:s|ed)? to|refuse[sd]? to|unable to|incapable of)\b")
"""What did not come about: "has yet to sign without a label" would be a second denial, and say nothing."""
_MEASURED = re.compile(r"(?:\S+ ){0,3}of\b")
"""What follows where a quantity is meant: "a population of eight million"."""
_LIKE = re.compile(r"^(Like|Unlike)(?= [^,]+, )")
_BOTH = re.compile(r"^Both (?P<one>[^,]+?) and (?P<other>[^,]+?) (?P<verb>are|were|have|[a-z]+(?:ed)?)(?= )")
_PLURAL = re.compile(r" (?P<before>(?:[\w-]+ )??)(?P<noun>[A-Za-z]{3,}s)(?=[ .,])")
_SINGULAR = {"are": "is", "were": "was", "have": "has"}
_AFTER_NOT = {"already": "yet", "some": "any", "somewhat": "at all", "too": "either"}


def says_one_thing(claim: str) -> bool:
    """Whether a sentence makes one statement, as far as its words show: no second clause, nothing listed."""
    return not _PARTS.search(claim)


def denials(claim: str) -> Iterator[Denial]:
    """The denials of a sentence that the rules can make, each by another word."""
    if like := _LIKE.match(claim):
        other = "Unlike" if like[1] == "Like" else "Like"
        yield Denial(f"{other}{claim[like.end() :]}", other.lower(), False)
        return
    if both := _BOTH.match(claim):
        if denial := _neither(claim, both):
            yield denial
        return
    whole = says_one_thing(claim)
    if NEGATION.search(claim):
        affirmed = _affirm(claim)
        if affirmed:
            yield Denial(affirmed, "not left out", whole)
        return
    yield from _by_verb(claim, whole)
    yield from _by_noun(claim)


def why_none(claim: str) -> str:
    """Why a sentence has no denial by rule."""
    tokens = tokenize(claim)
    if NEGATION.search(claim):
        return "it denies something already, in a way that cannot be turned round by rule"
    verb = _main_verb(tokens)
    if verb is None:
        return "no rule finds its main verb"
    return f"its subject is quantified ({tokens[_subject(tokens, verb)].text!r}), so that a denial may leave it true"


def _affirm(claim: str) -> str:
    """The sentence without its "not"; nothing where it is not of the verb, or not the only denial."""
    if len(NEGATION.findall(claim)) > 1 or re.search(r"\b(?:until|but|yet|any|either|even)\b", claim):
        return ""
    tokens = tokenize(claim)
    verb = _main_verb(tokens)
    if verb is None:
        return ""
    start = tokens[verb].start
    if tokens[verb].text == "cannot":
        return f"{claim[:start]}can{claim[tokens[verb].end :]}"
    if (found := _NOT_AFTER.search(claim)) and found.start() == start:
        return f"{claim[: found.end(1)]} {claim[found.end() :]}"
    if (found := _DO_NOT.search(claim)) and found.start() == start:
        tag = {"did": "VBD", "does": "VBZ"}.get(found[1])
        said = inflect(found[2], tag) if tag else found[2]
        return f"{claim[: found.start()]}{said}{claim[found.end() :]}"
    found = _NEVER_VERB.search(claim)
    if (
        found
        and (start == found.start(1) or claim[start : found.start()].strip() in BE | HAVE | MODALS)
        and (found[1] in BE | HAVE | MODALS or may_be_participle(found[1]) or is_past_form(found[1]))
    ):
        return f"{claim[: found.start()]}{claim[found.start(1) :]}"
    return ""


# -- by the verb -------------------------------------------------------------------------------------------


def _main_verb(tokens: list[Token]) -> int | None:
    head = clause_head(tokens, 0)
    if head is None:
        return None
    verb = head.verb
    before = tokens[verb - 1].lower
    # "Games ever to be postponed" and "the team coached by" have a participle there, not the verb of the sentence;
    # after "before" or "but" it is the verb of another clause.
    if before in ("be", "been", "being", "to", "not", "ever", "last") or before in PREPOSITIONS:
        return None
    if tokens[verb].lower in _NAMING or _may_be_of_noun(tokens, head.subject, verb):
        return None
    return None if any(token.lower in _OTHER_CLAUSES for token in tokens[head.subject : verb]) else verb


def _may_be_of_noun(tokens: list[Token], subject: int, verb: int) -> bool:
    """Whether what looks like the verb may be of a noun: "the Guard, formed in 1986, has", "only used old forms"."""
    words = [token.lower for token in tokens[subject:verb] if not token.depth]
    if any(word == "only" and words[place - 1] != "the" for place, word in enumerate(words)):
        return True
    return words.count(",") % 2 == 1 and not is_always_finite(tokens[verb].lower)


def _subject(tokens: list[Token], verb: int) -> int:
    head = clause_head(tokens, 0)
    return head.subject if head else 0


def _by_verb(claim: str, whole: bool) -> Iterator[Denial]:
    tokens = tokenize(claim)
    verb = _main_verb(tokens)
    if verb is None:
        return
    first = tokens[_subject(tokens, verb)]
    if first.lower in _QUANTIFIED or first.is_number:
        return
    word, before = tokens[verb].text, claim[: tokens[verb].start]
    rest = claim[tokens[verb].end :]
    if word in ("did", "does", "do") or _SECOND_CLAUSE.search(rest) or rest.startswith((" yet ", " only ever ")):
        return
    after = tokens[verb + 1] if verb + 1 < len(tokens) else None
    # "Has not only won a medal" says that there is more, and does not deny it.
    if word in HAVE and re.match(r" only [a-z]+", rest) and may_be_participle(rest.split()[1]):
        return
    if word in BE and after is not None and after.lower == "still":
        yield Denial(f"{before}{word} no longer{rest.removeprefix(' still')}", "no longer", whole)
        return
    if word in BE or word in MODALS or (word in HAVE and _is_perfect(tokens, verb)):
        denied = "cannot" if word == "can" else f"{word} not"
        yield Denial(f"{before}{denied}{_under_not(rest)}", "not", whole)
        if word in HAVE and not _TIMED.search(claim):
            yield Denial(f"{before}{word} never{_without_adverb(rest)}", "never", whole)
        return
    base, past = base_form(word), is_past_form(word)
    if base == word and not past and after is not None and after.text == "'s":
        return
    # "also won": "did not also win" is no denial of the winning.
    if verb > 1 and is_adverb(tokens[verb - 1]):
        return
    do = "did" if past else "does" if word != base else "do"
    yield Denial(f"{before}{do} not {base}{_under_not(rest)}", "not", whole)
    if past and base not in _STATES | _ONCE and not _TIMED.search(claim) and not _COUNTS_NONE.search(rest):
        yield Denial(f"{before}never {word}{rest}", "never", whole)
    if past and base in _ACHIEVEMENTS and _NAMES_SOMEBODY.match(before):
        # What was tried and failed was not done; what was not done need not have been tried.
        yield Denial(f"{before}failed to {base}{_under_not(rest)}", "failed to", False)


_NAMES_SOMEBODY = re.compile(r"(?:(?:In|On|At|By) [^,]+, )?(?:The )?[A-Z]")


def _is_perfect(tokens: list[Token], verb: int) -> bool:
    """Whether "has" is followed by a participle: "has lost its magnetism", not "has lost brothers"."""
    for place in range(verb + 1, min(verb + 4, len(tokens))):
        word = tokens[place].lower
        if word == "been" or may_be_participle(word):
            following = tokens[place + 1] if place + 1 < len(tokens) else None
            # "Had mixed reviews" has an adjective there, "had won three times" a participle.
            return (
                word == "been"
                or following is None
                or following.lower in DETERMINERS | PREPOSITIONS
                or not following.text.islower()
                or is_adverb(following)
                or following.lower == "together"
            )
        if not is_adverb(tokens[place]) and word not in ("earlier", "since", "long", "ever", "not", "all", "both"):
            return False
    return False


def _under_not(rest: str) -> str:
    """What follows a verb, as it reads after "not"."""
    rest = re.sub(r"^ also\b", "", rest)
    first = re.match(r" (already|some|somewhat|too)\b", rest)
    return f" {_AFTER_NOT[first[1]]}{rest[first.end() :]}" if first else rest


def _without_adverb(rest: str) -> str:
    return re.sub(r"^ (?:also|already)\b", "", rest)


# -- by a noun ---------------------------------------------------------------------------------------------


def _by_noun(claim: str) -> Iterator[Denial]:
    tokens = tokenize(claim)
    verb = _main_verb(tokens)
    if verb is None or tokens[_subject(tokens, verb)].lower in _QUANTIFIED:
        return
    found = _HAS_SOME.search(claim)
    one_thing = says_one_thing(claim)
    counted = found and found.start() == tokens[verb].start and not _MEASURED.match(claim[found.end() :])
    # "Has no lower weight than" says more than that it has not a lower one.
    if found and counted and one_thing and not is_comparative(claim[found.end() :].split()[0]):
        # What is refuted of 30 islands says nothing about none.
        yield Denial(f"{claim[: found.end(1)]} no {claim[found.end() :]}", "no", found[2] in ("a", "an"))
    found = None if _UNFULFILLED.search(claim) else _WITH_SOME.search(claim)
    if found and one_thing and not _MEASURED.match(claim[found.end() :]):
        noun = claim[found.end() :]
        some = with_article(noun) if found[1] in ("a", "an") else f"any {noun}"
        yield Denial(f"{claim[: found.start()]} without {some}", "without", False)


def _neither(claim: str, both: re.Match[str]) -> Denial | None:
    verb, rest = both["verb"], claim[both.end() :]
    if verb in _SINGULAR:
        singular = _SINGULAR[verb]
        # "are mountains in America": each of them is one.
        if several := _PLURAL.match(rest) if verb != "have" else None:
            noun = several["noun"]
            if noun[0].isupper() or several["before"].strip() in DETERMINERS:
                return None
            said = f"{several['before']}{base_noun(noun)}"
            rest = f" {with_article(said)}{rest[several.end() :]}"
    elif is_past_form(verb):
        singular = verb
    elif base_form(verb) == verb:
        singular = inflect(verb, "VBZ")
    else:
        return None
    return Denial(f"Neither {both['one']} nor {both['other']} {singular}{rest}", "neither", False)
