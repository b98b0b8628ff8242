"""Descriptions in a claim that stand for a name: "the city that hosted the 1936 Games", "Japan's highest mountain".

A claim about what is described needs two pieces of evidence: one that says what that is, one about it by its name. Once
the name is found, the claim can be read with it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from veritab.decompose.description_ends import NAMED, RELATIVES, ROLES, end_of_description, is_extreme, strip_end
from veritab.decompose.names import find_names
from veritab.decompose.parts_of_speech import is_adverb, may_be_finite
from veritab.decompose.verbs import is_past_or_participle, may_be_participle
from veritab.lexicon.grammar import (
    ARTICLES,
    BE,
    CLAUSE_CONJUNCTIONS,
    DETERMINERS,
    HAVE,
    NEGATED_AUXILIARIES,
    POSSESSIVES,
    PREPOSITIONS,
)
from veritab.text import Span, Token, terms, tokenize

CITY_NOUNS = frozenset("city town village capital birthplace hometown host seat headquarters place".split())
COUNTRY_NOUNS = frozenset("country nation state province region republic kingdom continent".split())
_LONGEST_CLAIM = 120
_MOST_DESCRIPTIONS = 2
_NOT_NAMED = frozenset(
    "number time decade century month way day height length size age speed diameter amount price weight".split()
)
"""What two things may have in common and no name stands for."""
_BEING = (
    BE
    | HAVE
    | NEGATED_AUXILIARIES
    | frozenset("be been become became becomes remain remains remained with as for".split())
)
_APPOINTING = frozenset("elected appointed named crowned declared made called proclaimed dubbed voted".split())
_BRACKETS = frozenset({",", "(", "–", "—"})
_PRONOUNS = frozenset("he she it they his her its their them him this these those".split())
_SAME = frozenset("same very".split())
_POSSESSION_VERBS = frozenset("has have had share shares shared use uses used".split())
_SINGULARS = {"were": "was", "are": "is", "have": "has", "lie": "lies", "come": "comes", "share": "shares"}


class Description(NamedTuple):
    """Where a description stands in a claim, its words, and the sentences that a name completes, where "{}" stands."""

    start: int
    end: int
    text: str
    """The words by which to search for it, with the article."""
    head: str
    """The noun that says what kind of thing is described: "city"."""
    statement: str
    """What holds of the right name: "{} hosted the 1936 Games"."""
    reading: str = "{}"
    """What is read in the place of the description."""
    is_ranked: bool = False
    """Whether it ranks by something that has to be computed: "the ship that spent longest in dock"."""
    is_one_of_many: bool = False
    """Whether nothing says that there is only one: "a library that opened in 1961"."""

    @property
    def modifiers(self) -> frozenset[str]:
        """The words before a role that say which one it is: "chief" in "the chief conductor of the band"."""
        words = tokenize(self.text)
        place = next((place for place, word in enumerate(words) if word.lower == self.head), 0)
        is_clause = any(word.lower in RELATIVES for word in words)
        before = [] if is_clause or self.head not in ROLES else words[1:place]
        plain = [word for word in before if word.text[0].islower() and not is_extreme(word.lower)]
        return frozenset(term for word in plain for term in terms(word.text))

    def statement_for(self, name: str) -> str:
        """The statement that a name fits."""
        return self.statement.replace("{}", name)

    def substitute(self, name: str, claim: str) -> str:
        """The claim with a name in the place of the description."""
        return f"{claim[: self.start]}{self.reading.replace('{}', name)}{claim[self.end :]}"


def find_descriptions(claim: str) -> list[Description]:
    """The descriptions of a claim, two at most; one that the claim itself gives a name to is none."""
    tokens = tokenize(claim)
    if len(tokens) > _LONGEST_CLAIM or "{}" in claim:
        return []
    same = _find_same(claim, tokens)
    if same:
        return [same]
    found: list[Description] = []
    place = 0
    while place < len(tokens) and len(found) < _MOST_DESCRIPTIONS:
        end = end_of_description(tokens, place, repeats=bool(found))
        inside = tokens[place + (tokens[place].lower in POSSESSIVES) : end] if end else []
        if end is None or _refers(inside, begins=not place) or _is_what_is_claimed(tokens, place, end):
            place += 1
            continue
        start, stop = tokens[place].start, tokens[end - 1].end
        written = claim[start:stop].removesuffix("'s").removesuffix("’s")
        owner = _find_owner(claim[:start]) if tokens[place].lower in POSSESSIVES else ""
        if owner or tokens[place].lower not in POSSESSIVES:
            found.append(_describe(start, written, found[-1].head if found else "", owner))
        place = end
    return found


def _find_owner(before: str) -> str:
    """The name that a claim begins with, which is what "its" and "her" after it stand for."""
    name = next(find_names(before), "")
    return name if name and before.removeprefix("The ").startswith(name) else ""


def _describe(start: int, written: str, repeated: str, owner: str) -> Description:
    """A description as it stands in a claim; "the one" repeats a noun, "its" stands for the owner."""
    text = f"{owner}'s {written.partition(' ')[2]}" if owner else _with_article(written)
    if text.startswith("the one ") and repeated:
        text = f"the {repeated} {text.removeprefix('the one ')}"
    tokens = tokenize(text)
    ends = (place for place in range(1, len(tokens)) if _ends_head(tokens, place))
    if tokens[0].lower != "the":
        ends = (place for place, token in enumerate(tokens) if token.lower == "of")
    end = next(ends, len(tokens))
    head = tokens[end - 1].lower
    is_one_of_many = written.lower().startswith(("a ", "an "))
    statement = _state(text, tokens, head, end)
    ranked = _is_ranked(tokens, end)
    return Description(start, start + len(written), text, head, statement, "{}", ranked, is_one_of_many)


def _ends_head(tokens: list[Token], place: int) -> bool:
    """Whether a word no longer belongs to the noun of a description: a relative word, a preposition, a participle."""
    word = tokens[place].lower
    if word in RELATIVES | NAMED | PREPOSITIONS | {"formerly"}:
        return True
    following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    return (may_be_participle(word) and following in PREPOSITIONS) or (word, following) == ("run", "by")


def _state(text: str, tokens: list[Token], head: str, end: int) -> str:
    """The clause of a description as a statement of its own, or what it is: "{} is the capital of Germany"."""
    relatives = RELATIVES | {"whom"}
    place = next((place for place, token in enumerate(tokens) if token.lower in relatives), len(tokens))
    if tokens[0].lower == "the" and place + 1 < len(tokens):
        relative, before, following = tokens[place].lower, tokens[place - 1].lower, tokens[place + 1]
        clause = text[following.start :]
        is_subject = following.text[0].islower() and following.lower not in DETERMINERS
        if relative == "where" or (head == "year" and not is_subject):
            return f"{_capitalise(clause)} in {{}}."
        if before in PREPOSITIONS:
            return f"{_capitalise(clause)} {before} {{}}."
        if is_subject and relative in ("who", "that", "which"):
            return f"{{}} {clause}."
        if relative != "whose" and (tokens[-1].lower in PREPOSITIONS or is_past_or_participle(tokens[-1].lower)):
            return f"{_capitalise(clause)} {{}}."
    if tokens[0].lower == "the" and end < len(tokens) and tokens[end].lower not in NAMED:
        clause = text[tokens[end].start :]
        if may_be_participle(tokens[end].lower) or tokens[end].lower == "run":
            return f"{{}} was {clause}."
        if tokens[end].lower == "with":
            return f"{{}} has {clause.removeprefix('with ')}."
    return f"{{}} is {text}."


# -- "the same" --------------------------------------------------------------------------------------------


def _find_same(claim: str, tokens: list[Token]) -> Description | None:
    """What two things have in common: "X was born in the same town as Y", "X and Y were born in the same town"."""
    words = [token.lower for token in tokens]
    place = next((place for place, pair in enumerate(pairwise(words)) if pair == ("the", "same")), None)
    verb = next((each for each in range(1, place) if may_be_finite(tokens, each)), None) if place else None
    end = strip_end(tokens)
    if place is None or verb is None or _refers(tokens[:end]) or not _NOT_NAMED.isdisjoint(words[place:]):
        return None
    predicate = claim[tokens[verb].start : tokens[place].start]
    if "as" in words[place + 2 : place + 6]:
        after = words.index("as", place) + 1
        if after == place + 3 or after >= end or not _is_one_phrase(tokens[after:end]):
            return None
        noun = claim[tokens[place + 2].start : tokens[after - 2].end]
        other = claim[tokens[after].start : tokens[end - 1].end]
        return _describe_same(predicate, noun, other, (tokens[place].start, tokens[end - 1].end), "{}")
    if not 3 <= end - place <= 5 or words[:verb].count("and") != 1:
        return None
    noun = claim[tokens[place + 2].start : tokens[end - 1].end]
    conjunction = words.index("and")
    if not 0 < conjunction < verb - 1:
        return None
    one, other = claim[: tokens[conjunction - 1].end], claim[tokens[conjunction + 1].start : tokens[verb - 1].end]
    shared, of, _ = one.rpartition(" of ")
    other = f"{shared}{of}{other}" if of else other
    predicate = _singular(predicate)
    reading = f"{{}} is the {noun} of {one}" if _is_having(predicate) else f"{one} {predicate}{{}}"
    return _describe_same(predicate, noun, other, (0, tokens[end - 1].end), reading)


def _is_one_phrase(tokens: list[Token]) -> bool:
    """Whether words are one name or noun, and no clause follows."""
    return all(
        token.is_word and token.lower not in CLAUSE_CONJUNCTIONS and not may_be_finite(tokens, place)
        for place, token in enumerate(tokens)
    )


def _describe_same(predicate: str, noun: str, other: str, span: Span, reading: str) -> Description:
    statement = f"{{}} is the {noun} of {other}." if _is_having(predicate) else f"{other} {predicate}{{}}."
    head = noun.split()[-1].lower()
    return Description(*span, statement.replace("{}", f"the {noun}"), head, _capitalise(statement), reading)


def _is_having(predicate: str) -> bool:
    return predicate.split()[-1] in _POSSESSION_VERBS


def _singular(predicate: str) -> str:
    first, _, rest = predicate.partition(" ")
    return f"{_SINGULARS.get(first, first)} {rest}"


# -- the words of a description ----------------------------------------------------------------------------


def _with_article(text: str) -> str:
    """The words of a description inside a sentence: "the same river that" is "the river that"."""
    article, _, noun = text.partition(" ")
    if article.lower() not in ARTICLES:
        return text
    first, _, rest = noun.partition(" ")
    return f"the {rest if first.lower() in _SAME else noun}"


def _is_ranked(tokens: list[Token], end: int) -> bool:
    """Whether a description ranks by something that its noun is not: "the ship that spent longest in dock"."""
    is_bare = end == len(tokens) and tokens[0].lower == "the"
    if any(token.lower == "whose" for token in tokens):
        return False  # "the country whose largest city is Auckland" says which that is
    return any(is_extreme(token.lower) for token in (tokens if is_bare else tokens[end:]))


def _refers(tokens: list[Token], *, begins: bool = False) -> bool:
    """Whether a description needs the rest of the claim to be understood.

    One that begins the claim does not where its clause has what "its" stands for: "the metal that gave Peru its name".
    """
    clause = next((place for place, token in enumerate(tokens) if token.lower in ("who", "that", "which")), len(tokens))
    outside = tokens[: clause + 2] if begins else tokens
    return any(token.lower in _PRONOUNS for token in outside) or any(
        token.lower in _PRONOUNS - POSSESSIVES for token in tokens
    )


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_appointed(before: list[Token]) -> bool:
    """Whether a verb makes its object what comes next: "was elected the president", not "won the race"."""
    return before[-1].lower in _APPOINTING or any(token.lower in BE | HAVE | {"been"} for token in before[-4:-1])


def _is_what_is_claimed(tokens: list[Token], start: int, end: int) -> bool:
    """Whether the claim says what the description stands for: "Paris is the capital of Germany"."""
    before = [token for token in tokens[:start] if token.lower != "not" and not is_adverb(token)]
    if before and before[-1].lower == "at" and tokens[start + 1].lower == "head":
        return True
    if any(token.lower == "what" for token in before[-6:]):
        return True  # "what is, by area, the largest lake"
    if before and (before[-1].lower in _BEING and (before[-1].lower != "with" or tokens[start].lower == "the")):
        return True
    if before and may_be_participle(before[-1].lower) and _is_appointed(before):
        return True
    if len(before) > 1 and (before[-1].is_capital or (before[-1].text in _BRACKETS and before[-2].is_capital)):
        return True  # "Oslo, the capital of Norway", "Pretoria is the executive and Bloemfontein the judicial capital"
    if any(token.lower in _BEING for token in before[-6:]) and before[-1].lower == "and":
        return True
    after = [token for token in tokens[end:] if not is_adverb(token)]
    if not after:
        return tokens[0].lower in BE  # a question
    if after[0].is_capital or (after[0].text in _BRACKETS and any(token.is_capital for token in after[1:2])):
        return True
    if after[0].lower in _BEING:
        said = [token for token in after[1:4] if token.lower not in ARTICLES | {"not", "been", "called", "named"}]
        return bool(said) and said[0].is_capital
    return False
