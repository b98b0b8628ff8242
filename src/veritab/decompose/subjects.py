"""The subjects of sentences: what kind of thing each is, and which pronouns may stand for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from veritab.decompose.parts_of_speech import is_adverb, may_be_finite
from veritab.lexicon.grammar import ADVERBS, BE, NAME_PARTICLES, PREPOSITIONS, RELATIVE_WORDS
from veritab.text import Token


class SubjectKind(Enum):
    """What a subject is, as far as pronouns distinguish: one person, one thing, or several of either."""

    PERSON = "person"
    THING = "thing"
    MANY = "many"


_MEN = frozenset(
    """he king prince duke sir mr mister lord father son brother husband actor emperor pope monk businessman man boy
    grandfather uncle nephew sportsman chairman nobleman statesman waiter monsieur""".split()
)
_WOMEN = frozenset(
    """she queen princess duchess lady mrs ms miss mother daughter sister wife actress empress nun businesswoman woman
    girl grandmother aunt niece sportswoman chairwoman noblewoman heroine madame countess""".split()
)
_PEOPLE = frozenset(
    """singer painter politician writer author poet scientist physicist chemist mathematician philosopher player
    footballer swimmer athlete cricketer boxer cyclist golfer coach manager president minister senator governor mayor
    judge lawyer doctor physician surgeon nurse teacher professor engineer inventor architect designer director producer
    screenwriter composer musician conductor pianist violinist guitarist rapper dancer comedian model journalist
    novelist historian economist biologist astronomer explorer astronaut pilot general admiral officer soldier
    entrepreneur founder activist artist sculptor photographer chef bishop priest saint scholar theologian
    philanthropist diplomat banker merchant farmer sailor person leader wrestler skater gymnast runner driver chancellor
    researcher psychologist linguist geologist botanist zoologist programmer naturalist captain""".split()
)
THINGS = frozenset(
    """company firm corporation business city town village capital country state nation province county district region
    island river lake mountain film movie series show novel book album song single band team club school university
    college organisation organization party museum church cathedral bridge tower building stadium airport station
    newspaper magazine language species game software ship aircraft car festival award tournament hospital bank airline
    brand planet star moon comet asteroid volcano desert sea ocean forest park castle palace temple mosque monument
    theatre theater hotel opera play poem painting sculpture website program programme project agency institute
    foundation court law treaty war battle disease drug element metal plant animal bird fish tree railway road street
    canal dam port peak summit range glacier valley peninsula kingdom empire republic municipality suburb borough
    manufacturer publisher retailer label channel network league championship cup race event model engine device
    telescope satellite spacecraft mission product sport dish drink""".split()
)
_SYNONYMS = [
    frozenset(line.split())
    for line in (
        "company firm corporation business manufacturer publisher retailer brand airline bank",
        "city town village capital municipality suburb",
        "country nation state kingdom republic empire",
        "film movie",
        "series show programme program",
        "novel book",
        "album record",
        "band group",
        "team club",
        "school university college",
        "organisation organization agency institute foundation charity",
        "mountain peak summit volcano",
        "theatre theater",
        "painter artist",
        "writer author novelist poet",
    )
]
_BY_LAST_WORD = {
    "inc": "company", "corp": "company", "ltd": "company", "gmbh": "company", "ag": "company", "plc": "company",
    "llc": "company", "company": "company", "corporation": "company", "motors": "company", "group": "company",
    "airlines": "airline", "airways": "airline", "records": "company", "industries": "company",
}  # fmt: skip
_GROUPS = frozenset("band group team club company family duo trio crew party".split())
PEOPLE = _PEOPLE | _MEN | _WOMEN
"""Nouns for people."""
DESCRIBING_NOUNS = THINGS | _GROUPS | _PEOPLE | frozenset("actor actress king queen man woman emperor".split())
"""The nouns by which a text may refer to what it has named: "the company"."""
_MALE_NAMES = frozenset(
    """james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark
    donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary
    nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander raymond patrick
    jack dennis jerry tyler aaron jose adam henry nathan douglas peter zachary kyle walter albert isaac louis karl carl
    hans otto wilhelm friedrich johann ludwig wolfgang heinrich franz pierre jean jacques henri andré antoine marco
    giovanni giuseppe leonardo pablo juan carlos luis miguel pedro vladimir ivan dmitri sergei boris nikolai mikhail
    yuri ahmed mohammed muhammad ali omar hassan barack elon bill steve tim jeff bob tom jim joe sam ben nelson winston
    abraham napoleon vincent claude oscar victor hugo max leo felix niels enrico galileo charlie arthur harry philip
    alan ernest erwin werner""".split()
)
_FEMALE_NAMES = frozenset(
    """mary patricia jennifer linda elizabeth barbara susan jessica sarah karen nancy lisa margaret betty sandra ashley
    dorothy kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura sharon cynthia kathleen
    amy angela shirley anna brenda pamela emma nicole helen samantha katherine christine catherine virginia rachel
    janet maria marie heather diane julie joyce victoria kelly christina joan evelyn lauren judith olivia frances
    martha jane ann anne alice julia grace rose sophie sofia clara eva ingrid astrid greta frida ada rosa angelina
    charlotte hannah lucy florence marilyn audrey amelia simone indira benazir malala serena venus billie taylor
    madonna cleopatra eleanor louise caroline isabel isabella claire jacqueline yvonne irene elena natalia olga
    svetlana lena ruth gertrude agatha""".split()
)
_LONGEST = 9


@dataclass
class Subject:
    """A subject of a text: its name as first written, and what is known of it."""

    name: str
    kind: SubjectKind | None = None
    gender: str = ""
    nouns: set[str] = field(default_factory=set)

    def matches_pronoun(self, pronoun: str) -> bool:
        """Whether a pronoun may stand for it, by what is known."""
        if pronoun in ("he", "his", "him", "she", "her", "hers"):
            gender = "man" if pronoun.startswith("h") and pronoun not in ("her", "hers") else "woman"
            return self.gender in ("", gender) and (self.kind is SubjectKind.PERSON or self._may_be_person())
        if pronoun in ("it", "its"):
            return self.kind is SubjectKind.THING or self.kind is None
        return self.kind is SubjectKind.MANY or bool(self.nouns & _GROUPS)

    def _may_be_person(self) -> bool:
        """Whether a name of which nothing is known may be that of a person."""
        return self.kind is None and not self.nouns and not self.name.startswith(("The ", "the "))

    def is_called(self, noun: str) -> bool:
        """Whether it was called that, or by a word that means the same."""
        return noun in self.nouns or any(noun in group and group & self.nouns for group in _SYNONYMS)


class Phrase(NamedTuple):
    """A stretch of tokens: the number of the first, and one past the last."""

    first: int
    last: int


def subject_phrase(tokens: list[Token]) -> tuple[Phrase, int] | None:
    """The subject of a sentence and the place of its verb; a fronted phrase such as "In 1990," is not part of it."""
    verb = next((place for place in range(1, len(tokens)) if may_be_finite(tokens, place)), None)
    if verb is None:
        return None
    first = 0
    commas = [place for place in range(verb) if tokens[place].text == "," and not tokens[place].depth]
    if tokens[0].lower in PREPOSITIONS:
        if commas:
            first = commas[-1] + 1
        elif verb > 2 and tokens[1].is_number:
            first = 2
        else:
            return None
    elif commas:
        after = tokens[commas[0] + 1]
        if after.is_capital and any(token.lower == "and" for token in tokens[commas[0] : verb]):
            return Phrase(0, verb), verb  # a list
        return Phrase(0, commas[0]), verb  # "X, a painter, ..." and "X, who ..."
    last = verb
    while last > first + 1 and is_adverb(tokens[last - 1]):
        last -= 1
    return (Phrase(first, last), verb) if last > first else None


def subject_name(text: str, tokens: list[Token], phrase: Phrase) -> str:
    """The name that a subject is, without a parenthesis after it; empty when it is not one."""
    inside = tokens[phrase.first : phrase.last]
    while inside and inside[-1].depth:
        inside = inside[:-1]
    if not inside or len(inside) > _LONGEST or any(token.depth or not token.is_word for token in inside):
        return ""
    content = inside[1:] if inside[0].lower == "the" else inside
    if not content or inside[-1].lower.endswith(("'s", "’s")):
        return ""
    whole = all(t.is_capital or t.is_number or t.lower in NAME_PARTICLES for t in content) and content[0].is_capital
    if not whole or (len(content) == 1 and content[0].lower in _NOT_NAMES):
        return ""
    return text[inside[0].start : inside[-1].end]


_NOT_NAMES = frozenset(
    """he she it they we i you this that these those there here his her its their our my your who what which where when
    why how whoever whatever whichever wherever whenever anyone anybody anything neither nowhere half all some many most
    several both each every one two three another others people critics experts scientists researchers
    today yesterday now then everyone everybody someone nobody nothing everything something no none few such
    if as while although because since but and or so yet also however not only even just once more less in on at
    sales revenue profits prices""".split()
)


def describe_subject(name: str, tokens: list[Token], phrase: Phrase, verb: int) -> Subject:
    """A subject with what its sentence says of it: "X is a city", "X, the actress", "her"."""
    words = [token.lower.strip(".") for token in tokens[phrase.first : phrase.last] if token.is_word]
    found = Subject(name)
    nouns = set(_nouns_of_name(words))
    nouns |= _predicate_nouns(tokens, phrase, verb)
    if nouns & PEOPLE:
        nouns -= THINGS  # "a film, stage and television actress"
    found.nouns = nouns
    found.gender = _gender(words, nouns)
    is_singular = tokens[verb].lower in _SINGULAR_VERBS
    if tokens[verb].lower in ("are", "were", "have") or ("and" in words and not is_singular):
        found.kind = SubjectKind.MANY
    elif nouns & THINGS:
        found.kind = SubjectKind.THING
    elif found.gender or nouns & PEOPLE or _mentions_life_event(tokens):
        found.kind = SubjectKind.PERSON
    elif _is_plural(words) and not is_singular:
        found.kind = SubjectKind.MANY
    return found


_SINGULAR_VERBS = frozenset("is was has does".split())


def _is_plural(words: list[str]) -> bool:
    return words[0] == "the" and words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))


def _nouns_of_name(words: list[str]) -> set[str]:
    last = words[-1] if words else ""
    known = {_BY_LAST_WORD[last]} if last in _BY_LAST_WORD else set()
    first_or_last = {words[0], last, words[1] if words[0] == "the" and len(words) > 1 else ""}
    return (
        known | ({"mountain"} if words[0] in ("mount", "mt") else set()) | (first_or_last & THINGS - {"star", "play"})
    )


def _predicate_nouns(tokens: list[Token], phrase: Phrase, verb: int) -> set[str]:
    """The nouns by which a sentence calls its subject, after "is a" or in an apposition."""
    found = set()
    starts = [verb + 1] if tokens[verb].lower in BE else []
    if phrase.last < len(tokens) and tokens[phrase.last].text == ",":
        starts.append(phrase.last + 1)
    for start in starts:
        if start < len(tokens) and tokens[start].lower in ("a", "an", "the", "one"):
            found |= _head_nouns(tokens, start)
    return found


def _head_nouns(tokens: list[Token], start: int) -> set[str]:
    """The last nouns of a phrase before a preposition, a comma or a relative clause: "an American film actress"."""
    phrase: list[str] = []
    joined: set[str] = set()
    for token in tokens[start + 1 : start + 14]:
        if token.lower == "and" or token.text == ",":
            joined |= set(phrase[-1:])
            phrase = []
            continue
        if not token.is_word or token.lower in PREPOSITIONS or token.lower in RELATIVE_WORDS:
            break
        phrase.append(token.lower)
    return (joined | set(phrase[-1:])) & (_PEOPLE | _MEN | _WOMEN | THINGS | _GROUPS)


def _gender(words: list[str], nouns: set[str]) -> str:
    if nouns & _MEN or set(words) & {"mr", "sir", "king", "prince", "pope", "emperor", "lord"}:
        return "man"
    if nouns & _WOMEN or set(words) & {"mrs", "ms", "queen", "princess", "lady", "empress"}:
        return "woman"
    if nouns & THINGS or not words:
        return ""
    if len(words) > 1 and words[0] in _MALE_NAMES:
        return "man"
    if len(words) > 1 and words[0] in _FEMALE_NAMES:
        return "woman"
    return ""


def gender_of(name: str) -> str:
    """The gender that a name implies: "man", "woman", or empty."""
    words = [word.strip(".").lower() for word in name.split()]
    return _gender(words, set()) if words else ""


_LIFE_EVENTS = frozenset("born married died".split())


def _mentions_life_event(tokens: list[Token]) -> bool:
    """Whether the sentence is about what happens to people: they are born, marry and die."""
    return any(token.lower in _LIFE_EVENTS and not token.depth for token in tokens)


def other_names(tokens: list[Token], besides: Phrase) -> list[str]:
    """The names of two words or more in a sentence that may be people, apart from its subject."""
    found: list[str] = []
    run: list[Token] = []
    for place, token in enumerate([*tokens, None]):
        inside = token is not None and besides.first <= place < besides.last
        if token is not None and token.is_capital and not inside and token.is_word:
            run.append(token)
            continue
        before = tokens[place - len(run) - 1].lower if place - len(run) > 0 else ""
        if len(run) > 1 and before not in _BEFORE_PLACES and not {t.lower for t in run} & THINGS:
            found.append(" ".join(t.text for t in run))
        run = []
    return found


_BEFORE_PLACES = frozenset("in at near from to the".split())


def cannot_be_name(word: str) -> bool:
    """Whether a word is one that no name would consist of alone."""
    return word in _NOT_NAMES or word in PREPOSITIONS or word in ADVERBS
