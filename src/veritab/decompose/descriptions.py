"""Descriptions in a claim that stand for a name: "the city that hosted the 1936 Games", "Japan's highest mountain".

A claim about what is described needs two pieces of evidence: one that says what that is, one about it by its name. Once
the name is found, the claim can be read with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from veritab.decompose.parts_of_speech import is_adverb, is_finite, may_be_finite
from veritab.decompose.subjects import PEOPLE
from veritab.decompose.verbs import is_past_or_participle, may_be_participle
from veritab.lexicon.comparison import is_superlative
from veritab.lexicon.grammar import (
    ARTICLES,
    AUXILIARIES,
    BE,
    CLAUSE_CONJUNCTIONS,
    DETERMINERS,
    HAVE,
    NEGATED_AUXILIARIES,
    PREPOSITIONS,
    RELATIVE_WORDS,
)
from veritab.text import STOP_WORDS, Span, Token, tokenize

_PERSON_ROLES = frozenset(
    """author writer composer painter sculptor architect designer builder inventor discoverer founder creator director
    producer winner champion holder captain coach manager head chief chair chairman chairwoman chairperson president
    minister chancellor mayor governor king queen emperor empress pope leader commander editor conductor engineer
    successor predecessor father mother son daughter brother sister wife husband widow teacher pupil developer secretary
    treasurer auditor curator""".split()
)
_ROLES = _PERSON_ROLES | frozenset(
    """capital birthplace hometown host publisher maker manufacturer owner supplier operator sponsor contractor language
    currency namesake headquarters seat""".split()
)
"""Nouns that name one thing by its relation to another."""
PERSON_NOUNS = PEOPLE | _PERSON_ROLES | frozenset("astronaut climber laureate someone".split())
"""Nouns for people."""
CITY_NOUNS = frozenset("city town village capital birthplace hometown host seat headquarters place".split())
COUNTRY_NOUNS = frozenset("country nation state province region republic kingdom continent".split())
_RELATIVE = frozenset("who that which whose where".split())
_NAMED = frozenset("called named known".split())
_LONGEST_HEAD = 6
_LONGEST_CLAIM, _LONGEST_CLAUSE = 120, 40
_MOST_DESCRIPTIONS = 2
_NOT_NAMED = frozenset("number time way day height length size age speed diameter amount price weight".split())
"""What two things may have in common and no name stands for."""
_GENERAL = frozenset(
    "one fact idea time day moment way reason first second people those number men women children".split()
)
"""Nouns before a clause that do not stand for a name."""
_BEING = (
    BE
    | HAVE
    | NEGATED_AUXILIARIES
    | frozenset("be been become became becomes remain remains remained with as for".split())
)
_BRACKETS = frozenset({",", "(", "–", "—"})
_PRONOUNS = frozenset("he she it they his her its their them him this these those".split())
_SAME = frozenset("same very".split())
_POSSESSION_VERBS = frozenset("has have had share shares shared use uses used".split())
_SINGULARS = {"were": "was", "are": "is", "have": "has", "lie": "lies", "come": "comes", "share": "shares"}
_LONGEST_ABBREVIATION = 2
_INSIDE_NAMES = frozenset("of de da van von der del la the &".split())


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
        end = _end_of_description(tokens, place)
        inside = tokens[place:end] if end else []
        if end is None or _refers(inside) or _is_ranked(inside) or _is_what_is_claimed(tokens, place, end):
            place += 1
            continue
        start, stop = tokens[place].start, tokens[end - 1].end
        found.append(_describe(start, claim[start:stop].removesuffix("'s").removesuffix("’s")))
        place = end
    return found


def _describe(start: int, written: str) -> Description:
    text = _with_article(written)
    tokens = tokenize(text)
    ends = _RELATIVE | _NAMED | PREPOSITIONS | {"formerly"}
    place = next((place for place, token in enumerate(tokens) if token.lower in ends), len(tokens))
    if tokens[0].lower != "the":
        place = len(tokens)
    head = tokens[place - 1].lower
    return Description(start, start + len(written), text, head, _state(text, tokens, head))


def _state(text: str, tokens: list[Token], head: str) -> str:
    """The clause of a description as a statement of its own, or what it is: "{} is the capital of Germany"."""
    place = next((place for place, token in enumerate(tokens) if token.lower in _RELATIVE), len(tokens))
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
    return f"{{}} is {text}."


# -- "the same" --------------------------------------------------------------------------------------------


def _find_same(claim: str, tokens: list[Token]) -> Description | None:
    """What two things have in common: "X was born in the same town as Y", "X and Y were born in the same town"."""
    words = [token.lower for token in tokens]
    place = next((place for place, pair in enumerate(pairwise(words)) if pair == ("the", "same")), None)
    verb = next((each for each in range(1, place) if may_be_finite(tokens, each)), None) if place else None
    end = _strip_end(tokens)
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
    if not text.lower().startswith("the "):
        return text
    first, _, rest = text[4:].partition(" ")
    return f"the {rest if first.lower() in _SAME else text[4:]}"


def _is_ranked(tokens: list[Token]) -> bool:
    """Whether a description ranks by something else than what its noun is: "the ship that spent longest in dock"."""
    clause = next((place for place, token in enumerate(tokens) if token.lower in _RELATIVE | {"with"}), len(tokens))
    return any(_is_extreme(token.lower) for token in tokens[clause:])


def _refers(tokens: list[Token]) -> bool:
    """Whether a description needs the rest of the claim to be understood."""
    return any(token.lower in _PRONOUNS for token in tokens)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def find_names(text: str) -> Iterator[str]:
    """The names in a text: words with capitals, and the small ones between them; "Swiss" in "Swiss guide" is none."""
    tokens = tokenize(text)
    place = 0
    while place < len(tokens):
        if not tokens[place].is_capital or tokens[place].lower in STOP_WORDS:
            place += 1
            continue
        end = _end_of_name(tokens, place)
        if end - place > 1 or not _is_adjective(tokens, place):
            yield text[tokens[place].start : tokens[end - 1].end].removesuffix("'s").removesuffix("’s")
        place = end


def _end_of_name(tokens: list[Token], start: int) -> int:
    """One past the last word of a name: initials have dots, and small words may stand inside it."""
    end = start + 1
    while end < len(tokens) and not tokens[end - 1].lower.endswith(("'s", "’s")):
        if tokens[end].is_capital:
            end += 1
            continue
        if tokens[end].text == "." and len(tokens[end - 1].text) <= _LONGEST_ABBREVIATION:
            small = 1
        else:
            small = next((n for n, token in enumerate(tokens[end : end + 3]) if token.lower not in _INSIDE_NAMES), 0)
        if not small or end + small >= len(tokens) or not tokens[end + small].is_capital:
            break
        end += small + 1
    return end


def _is_adjective(tokens: list[Token], place: int) -> bool:
    """Whether a word with a capital stands before a noun: "British" in "British king"."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or not after.is_word or not after.text[0].islower() or tokens[place].lower.endswith(("'s", "’s")):
        return False
    if after.lower in PREPOSITIONS | AUXILIARIES | CLAUSE_CONJUNCTIONS | RELATIVE_WORDS | {"or", "than"}:
        return False
    return not may_be_finite(tokens, place + 1) and not is_adverb(after)


# -- where a description ends ------------------------------------------------------------------------------


def _end_of_description(tokens: list[Token], start: int) -> int | None:
    if tokens[start].lower == "the":
        return _end_after_article(tokens, start)
    if tokens[start].is_capital and (owner := _end_of_owner(tokens, start)):
        return _end_of_role(tokens, owner)
    return None


def _end_after_article(tokens: list[Token], start: int) -> int | None:
    """The end of "the ..." where a clause, a participle or "of" says which is meant."""
    superlative = False
    for place in range(start + 1, min(start + 1 + _LONGEST_HEAD, len(tokens) - 1)):
        token, before = tokens[place], tokens[place - 1]
        word = token.lower
        if not token.is_word:
            return None
        if place > start + 1 and _may_be_head(before):
            following = tokens[place + 1].lower
            if (word in _RELATIVE and following != "of") or (
                word in PREPOSITIONS and following in ("which", "whom", "whose")
            ):
                return _end_of_clause(tokens, place + (word not in _RELATIVE), start)
            if word in _NAMED and following in ("after", "as", "for"):
                return _end_of_phrase(tokens, place + 2)
            if word == "formerly" and following in _NAMED:
                return _end_of_phrase(tokens, place + 3)
            if word == "of" and (superlative or _is_role(tokens, place - 1)):
                return _end_of_phrase(tokens, place + 1)
            if superlative and word == "in":
                return _end_of_phrase(tokens, place + 1)
        if before.is_capital and place > start + 1 and word == "capital" and tokens[place + 1].lower != "of":
            return None if _is_followed_by_noun(tokens, place) else place + 1
        superlative = superlative or _is_extreme(word)
        if word in PREPOSITIONS or (word in DETERMINERS and not superlative):
            return None
        if is_finite(tokens, place) and not may_be_participle(word):
            return None
    last = len(tokens) - 1
    if tokens[last].lower == "capital" and last - start == 2 and tokens[last - 1].is_capital:
        return last + 1
    return None


def _end_of_owner(tokens: list[Token], start: int) -> int | None:
    """The end of a name with an "'s" that begins here."""
    before = tokens[start - 1] if start else None
    if (
        before
        and before.is_word
        and before.lower not in (PREPOSITIONS - {"of"}) | {"and"}
        and not may_be_finite(tokens, start - 1)
    ):
        return None
    if tokens[start].lower.removesuffix("'s").removesuffix("’s") in STOP_WORDS | {"what", "that"}:
        return None  # "she's"
    for place in range(start, min(start + 5, len(tokens))):
        if tokens[place].lower.endswith(("'s", "’s")):
            return place + 1
        if not tokens[place].is_capital:
            return None
    return None


def _end_of_role(tokens: list[Token], start: int) -> int | None:
    """The end of "highest mountain" or "poet father" after a name with an "'s"."""
    superlative = False
    for place in range(start, min(start + 4, len(tokens))):
        word = tokens[place].lower
        if not tokens[place].is_word or word in PREPOSITIONS or word in AUXILIARIES:
            return None
        if superlative or _is_role(tokens, place):
            return None if _is_followed_by_noun(tokens, place) else place + 1
        superlative = _is_extreme(word)
    return None


def _is_followed_by_noun(tokens: list[Token], place: int) -> bool:
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or not after.is_word or is_adverb(after) or after.lower in PREPOSITIONS | {"than", "and", "when"}:
        return False
    # "Europe's longest river empties into": a verb that no list has.
    following = tokens[place + 2].lower if place + 2 < len(tokens) else ""
    is_verb = after.lower.endswith("s") and following in PREPOSITIONS | DETERMINERS
    return not is_verb and not may_be_finite(tokens, place + 1)


def _is_role(tokens: list[Token], place: int) -> bool:
    word, before = tokens[place].lower, tokens[place - 1].lower
    return word in _ROLES or (word, before) in (("town", "home"), ("city", "host"), ("city", "capital"))


def _is_extreme(word: str) -> bool:
    return word == "most" or (word.endswith("est") and is_superlative(word))


def _may_be_head(token: Token) -> bool:
    """Whether a word is a noun that stands for one thing."""
    word = token.lower
    return not token.is_capital and word not in _GENERAL and (not word.endswith("s") or word.endswith(("ss", "us")))


def _end_of_clause(tokens: list[Token], relative: int, start: int) -> int | None:
    """The end of a clause about a noun: before the verb of the claim, or with the claim where that came before."""
    verb = None
    for place in range(relative + 1, min(relative + _LONGEST_CLAUSE, len(tokens))):
        token = tokens[place]
        if token.lower in CLAUSE_CONJUNCTIONS and _has_verb(tokens[place + 1 :]):
            return None  # whose verb is it?
        if token.lower in (",", ";", ":", "than"):
            return _strip(tokens, place) if verb is not None else None
        if verb is None:
            leads = all(is_adverb(each) for each in tokens[relative + 1 : place])
            follows = leads and tokens[relative].lower in ("who", "that", "which")
            verb = place if may_be_finite(tokens, place) or (follows and _may_be_verb(token)) else None
        elif is_finite(tokens, place) and not _continues(tokens, verb, place):
            return _strip(tokens, place) if not _has_verb(tokens[:start]) else None
    return _strip_end(tokens) if verb is not None and _has_verb(tokens[:start]) else None


def _may_be_verb(token: Token) -> bool:
    """Whether a word right after "who" is its verb, known or not."""
    return token.text[0].islower() and not is_adverb(token) and token.lower not in DETERMINERS


def _end_of_phrase(tokens: list[Token], start: int) -> int | None:
    """The end of what follows "of" or "named after": before a verb, a comma, "than" or a preposition after a name."""
    for place in range(start, len(tokens)):
        word = tokens[place].lower
        inside = place > start and _is_between_capitals(tokens, place)
        if not tokens[place].is_word or word in ("than", "but", "when", "while") or word in _RELATIVE:
            return _strip(tokens, place) if place > start else None
        if word == "and" and not inside:
            return _strip(tokens, place) if place > start else None
        if tokens[place].lower.endswith(("'s", "’s")) and place + 1 < len(tokens):
            return None  # "the king of Norway's daughter"
        if place > start and (may_be_finite(tokens, place) or (word in PREPOSITIONS and word != "of" and not inside)):
            has_year = word == "in" and any(token.is_number for token in tokens[place + 1 : place + 2])
            return _strip(tokens, place + 2 if has_year else place)
    end = _strip_end(tokens)
    return end if end > start and tokens[end - 1].lower not in ARTICLES else None


def _is_between_capitals(tokens: list[Token], place: int) -> bool:
    """Whether a small word stands inside a name: "War and Peace", "Nobel Prize in Physics"."""
    around = tokens[place - 1 : place] + tokens[place + 1 : place + 2]
    return tokens[place].lower in ("and", "in") and len(around) == 2 and all(token.is_capital for token in around)


def _continues(tokens: list[Token], verb: int, place: int) -> bool:
    """Whether a verb form belongs to the verb before it: "had worked", "was later found"."""
    between = tokens[verb + 1 : place]
    plain = all(is_adverb(each) or each.lower in ("not", "been") for each in between)
    return plain and tokens[verb].lower in AUXILIARIES


def _has_verb(tokens: list[Token]) -> bool:
    return any(may_be_finite(tokens, place) for place in range(len(tokens)))


def _strip(tokens: list[Token], end: int) -> int:
    while is_adverb(tokens[end - 1]) or not tokens[end - 1].is_word:
        end -= 1
    return end


def _strip_end(tokens: list[Token]) -> int:
    end = len(tokens)
    while end and not tokens[end - 1].is_word:
        end -= 1
    return end


def _is_what_is_claimed(tokens: list[Token], start: int, end: int) -> bool:
    """Whether the claim says what the description stands for: "Paris is the capital of Germany"."""
    before = [token for token in tokens[:start] if token.lower != "not" and not is_adverb(token)]
    if before and before[-1].lower == "at" and tokens[start + 1].lower == "head":
        return True
    if before and (before[-1].lower in _BEING or may_be_participle(before[-1].lower)):
        return True
    if len(before) > 1 and before[-1].text in _BRACKETS and before[-2].is_capital:
        return True
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
