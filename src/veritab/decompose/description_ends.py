"""Where a description ends: "the city that hosted the 1936 Games" before the verb of the claim, or with the claim."""

from __future__ import annotations

from veritab.decompose.parts_of_speech import is_adverb, is_finite, may_be_finite
from veritab.decompose.subjects import PEOPLE
from veritab.decompose.verbs import is_only_participle, may_be_participle
from veritab.lexicon.comparison import is_superlative
from veritab.lexicon.grammar import (
    ARTICLES,
    AUXILIARIES,
    CLAUSE_CONJUNCTIONS,
    DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
    SUBORDINATORS,
)
from veritab.text import STOP_WORDS, Token

_PERSON_ROLES = frozenset(
    """author writer composer painter sculptor architect designer builder inventor discoverer founder creator director
    producer winner champion holder captain coach manager head chief chair chairman chairwoman chairperson president
    minister chancellor mayor governor king queen emperor empress pope leader commander editor conductor engineer
    successor predecessor father mother son daughter brother sister wife husband widow teacher pupil developer secretary
    treasurer auditor curator warden keeper librarian principal headteacher headmaster skipper landlord foreman victor
    runner-up spokesman spokeswoman spokesperson supervisor trainer baker brewer owner tenant deputy boss
    translator illustrator librettist""".split()
)
ROLES = _PERSON_ROLES | frozenset(
    """capital birthplace hometown host publisher maker manufacturer supplier operator sponsor contractor language
    currency namesake headquarters seat homeland venue flagship""".split()
)
"""Nouns that name one thing by its relation to another."""
PERSON_NOUNS = (PEOPLE | _PERSON_ROLES | frozenset("astronaut climber laureate someone".split())) - {"owner", "tenant"}
"""Nouns for people."""
RELATIVES = frozenset("who that which whose where".split())
NAMED = frozenset("called named known".split())
_LONGEST_HEAD = 6
_LONGEST_CLAUSE = 40
_GENERAL = frozenset(
    """one thing fact idea time day week month season decade century moment way reason first second people those number
    men women children""".split()
)
"""Nouns before a clause that do not stand for a name."""
_SINGLING = frozenset("first last only second third".split())
"""Words before a noun that make "to" and a verb say which one is meant: "the first woman to climb Everest"."""
_TIMES = frozenset("once twice thrice".split())
_ACTIVE = frozenset("belonged died lived existed happened occurred arrived appeared remained lasted consisted".split())
"""Verbs of which nothing is the object, so that a form in -ed is no participle: "the nation died in 1948"."""
_BY_PLACE = frozenset("at on near behind".split())
_AROUND_HEADS = _BY_PLACE | {"in", "from"}
_PLACED = frozenset("river lake mountain peak village town city island bay bridge castle church volcano".split())
"""Nouns that a place by itself says which is meant: "the river at Bonn", not "the race at Bonn"."""


def end_of_description(tokens: list[Token], start: int, *, repeats: bool = False) -> int | None:
    """One past the last word of the description that begins at a word; "the one" is one where it `repeats` another."""
    word = tokens[start].lower
    if word == "the":
        return _end_after_article(tokens, start, repeats=repeats)
    if word in ("a", "an") and (_has_verb(tokens[:start]) or _follows_unknown_verb(tokens, start)):
        return _end_after_article(tokens, start)
    if word in POSSESSIVES and start and tokens[start - 1].lower in PREPOSITIONS:
        end = _end_of_role(tokens, start + 1)
        # "at its deepest point" says where, and stands for no name.
        return None if any(is_extreme(token.lower) for token in tokens[start:end]) else end
    if tokens[start].is_capital and (owner := _end_of_owner(tokens, start)):
        return _end_of_role(tokens, owner)
    return None


def is_extreme(word: str) -> bool:
    """Whether a word is a superlative."""
    return word in ("most", "least", "best", "worst") or (word.endswith("est") and is_superlative(word))


def strip_end(tokens: list[Token]) -> int:
    """One past the last word of a claim."""
    end = len(tokens)
    while end and not tokens[end - 1].is_word:
        end -= 1
    return end


def _end_after_article(tokens: list[Token], start: int, *, repeats: bool = False) -> int | None:
    """The end of "the ..." where a clause, a participle or "of" says which is meant."""
    superlative = False
    for place in range(start + 1, min(start + 1 + _LONGEST_HEAD, len(tokens) - 1)):
        token, before = tokens[place], tokens[place - 1]
        word = token.lower
        if not token.is_word:
            return None
        is_one = repeats and place == start + 2 and before.lower == "one"
        if place > start + 1 and (_may_be_head(before) or is_one):
            end = _end_after_head(tokens, start, place, superlative=superlative)
            if end is not None:
                return end or None
        if before.is_capital and place > start + 1 and word == "capital" and tokens[place + 1].lower != "of":
            return None if _is_followed_by_noun(tokens, place) else place + 1
        superlative = superlative or is_extreme(word)
        is_plain = word in DETERMINERS and not superlative and word not in _SINGLING
        if word in PREPOSITIONS or (is_plain and not (repeats and word == "one")):
            return None
        if is_finite(tokens, place) and not may_be_participle(word):
            return None
    last = len(tokens) - 1
    if tokens[last].lower == "capital" and last - start == 2 and tokens[last - 1].is_capital:
        return last + 1
    return None


def _end_after_head(tokens: list[Token], start: int, place: int, *, superlative: bool) -> int | None:
    """The end of what says which thing a noun means and begins here; 0 where it has none, None where none begins."""
    word, following = tokens[place].lower, tokens[place + 1].lower
    if word == "that" and may_be_participle(tokens[place - 1].lower):
        return 0  # "the minister announced that"
    if (word in RELATIVES and following != "of") or (word in PREPOSITIONS and following in ("which", "whom", "whose")):
        return _end_of_clause(tokens, place + (word not in RELATIVES), start) or 0
    if word in NAMED and following in ("after", "as", "for"):
        return _end_of_phrase(tokens, place + 2) or 0
    if word == "formerly" and following in NAMED:
        return _end_of_phrase(tokens, place + 3) or 0
    if word == "of" and (superlative or _is_role(tokens, place - 1)):
        return _end_of_phrase(tokens, place + 1) or 0
    if superlative and word == "in":
        return _end_of_phrase(tokens, place + 1) or 0
    is_single = superlative or any(token.lower in _SINGLING for token in tokens[start + 1 : place])
    if word == "to" and is_single and tokens[place + 1].text[0].islower() and following not in DETERMINERS:
        return _end_after_verb(tokens, place + 1, start) or 0
    if word == "with" and any(is_extreme(token.lower) for token in tokens[place + 1 : place + 3]):
        return _end_after_verb(tokens, place, start) or 0
    if _is_reduced_clause(tokens, start, place):
        return _end_of_reduced_clause(tokens, place, start) or 0
    if word in _AROUND_HEADS and (tokens[place + 1].is_capital or (word, following) == ("behind", "the")):
        return _end_after_place(tokens, place, start)
    is_noun = not is_extreme(tokens[place - 1].lower) and not _is_degree(tokens, place - 1)
    if superlative and not start and is_noun and may_be_finite(tokens, place):
        return place  # "The busiest branch opened in 1904"
    return None


def _end_after_place(tokens: list[Token], place: int, start: int) -> int | None:
    """The end of "in Illinois where the Ohio joins it", or of "at Bonn" itself."""
    end = place + 1
    while end < len(tokens) and tokens[end].is_capital:
        end += 1
    if end + 1 < len(tokens) and tokens[end].lower in RELATIVES:
        return _end_of_clause(tokens, end, start)
    if tokens[place].lower not in _BY_PLACE:
        return None
    head = tokens[place - 1].lower
    says_which = head in PERSON_NOUNS if tokens[place].lower == "behind" else head in _PLACED
    return _end_of_phrase(tokens, place + 1) if says_which else None


def _is_reduced_clause(tokens: list[Token], start: int, place: int) -> bool:
    """Whether a participle says which thing is meant: "the station destroyed by lightning", "born in Ulm".

    At the beginning of a claim it may be the verb instead: "The library opened in 1961".
    """
    word, following = tokens[place].lower, tokens[place + 1].lower
    if not (may_be_participle(word) or (word, following) == ("run", "by")) or following not in PREPOSITIONS:
        return False
    if word in _ACTIVE:
        return False
    is_dated = place + 3 < len(tokens) and tokens[place + 2].is_number and is_finite(tokens, place + 3)
    # After "said that" a clause begins anew, and its verb may be this one: "said that the library opened in 1961".
    begins = start and tokens[start - 1].lower in SUBORDINATORS | {"that"}
    return following == "by" or is_only_participle(word) or is_dated or (_has_verb(tokens[:start]) and not begins)


def _end_of_reduced_clause(tokens: list[Token], participle: int, start: int) -> int | None:
    end = _end_after_verb(tokens, participle, start)
    inside = tokens[participle:end]
    return None if any(token.lower in SUBORDINATORS for token in inside) else end


# -- owners ------------------------------------------------------------------------------------------------


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
        is_double = place + 1 < len(tokens) and _is_role(tokens, place) and _is_role(tokens, place + 1)
        if superlative and _is_degree(tokens, place):
            continue
        if not is_double and (superlative or _is_role(tokens, place)):
            if place + 1 < len(tokens) and tokens[place + 1].lower == "of":
                return _end_of_phrase(tokens, place + 2)  # "the club's best season of the decade"
            return None if _is_followed_by_noun(tokens, place) else place + 1
        superlative = is_extreme(word)
    return None


def _is_degree(tokens: list[Token], place: int) -> bool:
    """Whether a word is an adjective that makes a superlative with the one before it: "most famous", "best known"."""
    before = tokens[place - 1].lower
    return before in ("most", "least") or (before in ("best", "worst") and may_be_participle(tokens[place].lower))


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
    return word in ROLES or (word, before) in (("town", "home"), ("city", "host"), ("city", "capital"))


def _may_be_head(token: Token) -> bool:
    """Whether a word is a noun that stands for one thing."""
    word = token.lower
    return not token.is_capital and word not in _GENERAL and (not word.endswith("s") or word.endswith(("ss", "us")))


# -- clauses and phrases -----------------------------------------------------------------------------------


def _end_of_clause(tokens: list[Token], relative: int, start: int) -> int | None:
    """The end of a clause about a noun, the verb of which comes after a relative word."""
    for place in range(relative + 1, min(relative + _LONGEST_CLAUSE, len(tokens))):
        token = tokens[place]
        if token.lower in CLAUSE_CONJUNCTIONS and _has_verb(tokens[place + 1 :]):
            return None  # whose verb is it?
        if token.lower in (",", ";", ":", "than"):
            return None
        leads = all(is_adverb(each) or each.lower == "ever" for each in tokens[relative + 1 : place])
        follows = leads and tokens[relative].lower in ("who", "that", "which")
        if may_be_finite(tokens, place) or (follows and _may_be_verb(token)):
            return _end_after_verb(tokens, place, start)
    end = strip_end(tokens)
    # A verb at the end of a claim has nothing after it that would show that it is one: "through which the Volga flows".
    is_verb = end - relative > 2 and tokens[end - 1].lower.endswith("s") and tokens[end - 2].is_capital
    return end if is_verb and _has_verb(tokens[:start]) else None


def _end_after_verb(tokens: list[Token], verb: int, start: int) -> int | None:
    """The end of a clause with this verb: before the verb of the claim, or with the claim where that came before."""
    begins = not _has_verb(tokens[:start])
    if tokens[verb + 1 : verb + 2] and tokens[verb + 1].lower == "that":
        return None  # "the minister who announced that"
    for place in range(verb + 1, min(verb + _LONGEST_CLAUSE, len(tokens))):
        token = tokens[place]
        if token.lower in CLAUSE_CONJUNCTIONS and _has_verb(tokens[place + 1 :]):
            return None  # whose verb is it?
        if token.lower == "than" and begins:
            break
        if token.lower in (",", ";", ":", "than"):
            return _strip(tokens, place)
        if is_finite(tokens, place) and not _continues(tokens, verb, place):
            return _strip(tokens, place) if begins else None
    if not begins or _follows_unknown_verb(tokens, start):
        return strip_end(tokens)
    # A verb that no list has: "the Mississippi bears the name".
    places = range(verb + 1, min(verb + _LONGEST_CLAUSE, len(tokens)))
    return next((place for place in places if may_be_finite(tokens, place) or _seems_verb(tokens, place)), None)


def _may_be_verb(token: Token) -> bool:
    """Whether a word right after "who" is its verb, known or not."""
    return token.text[0].islower() and not is_adverb(token) and token.lower not in DETERMINERS | {"ever"}


def _end_of_phrase(tokens: list[Token], start: int) -> int | None:
    """The end of what follows "of" or "named after": before a verb, a comma, "than" or a preposition after a name."""
    for place in range(start, len(tokens)):
        word = tokens[place].lower
        inside = place > start and _is_between_capitals(tokens, place)
        if word in RELATIVES:
            return None  # "the capital of the country that", "the king of Norway who"
        if not tokens[place].is_word or word in ("than", "but", "when", "while"):
            return _strip(tokens, place) if place > start else None
        if word == "and" and not inside:
            return _strip(tokens, place) if place > start else None
        if tokens[place].lower.endswith(("'s", "’s")) and place + 1 < len(tokens):
            return None  # "the king of Norway's daughter"
        if place > start and (may_be_finite(tokens, place) or (word in PREPOSITIONS and word != "of" and not inside)):
            has_year = word == "in" and any(token.is_number for token in tokens[place + 1 : place + 2])
            return _strip(tokens, place + 2 if has_year else place)
    end = strip_end(tokens)
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


def _seems_verb(tokens: list[Token], place: int) -> bool:
    """Whether a word after a name has the form of a present and another word follows: "Otto Brandl lends money"."""
    word, before = tokens[place].text, tokens[place - 1]
    if (
        not word[0].islower()
        or word in POSSESSIVES
        or not word.endswith("s")
        or word.endswith(("ss", "us", "'s"))
        or not before.is_capital
    ):
        return False
    return place + 1 < len(tokens) and tokens[place + 1].is_word


def _follows_unknown_verb(tokens: list[Token], start: int) -> bool:
    """Whether a verb that no list has seems to stand before a word and its preposition: "The race finishes at"."""
    if start < 3 or tokens[start - 1].lower not in PREPOSITIONS or not tokens[start - 2].text[0].islower():
        return False
    noun, verb = tokens[start - 3], tokens[start - 2].lower
    return noun.is_word and noun.lower not in DETERMINERS | PREPOSITIONS and verb.endswith("s")


def _strip(tokens: list[Token], end: int) -> int:
    while (is_adverb(tokens[end - 1]) and tokens[end - 1].lower not in _TIMES) or not tokens[end - 1].is_word:
        end -= 1
    return end
