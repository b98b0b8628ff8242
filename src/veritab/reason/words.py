"""The words of claims, headers and cells, as reasoning compares them: folded, without plural endings, numbers whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[0-9]+(?:[.,:][0-9]+)*|[^\W_]+", re.UNICODE)


class Word(NamedTuple):
    """A word of a text: as compared, and where it stands."""

    stem: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words of a text with their places."""
    return [Word(stem(found[0]), found.start(), found.end()) for found in _WORD.finditer(text)]


@lru_cache(maxsize=65536)
def stems(text: str) -> tuple[str, ...]:
    """The words of a text, as compared."""
    return tuple(stem(word) for word in _WORD.findall(text))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word as compared: "Games" is "game", "1,234" is "1234", "Málaga" is "malaga"."""
    if word[0].isdigit():
        return word.replace(",", "").lower()
    folded = word.casefold() if word.isascii() else _unaccented(word)
    if len(folded) > 3 and folded.endswith("s") and not folded.endswith(("ss", "us", "is")):
        if folded.endswith(("ches", "shes", "sses", "xes")):
            return folded[:-2]
        return folded[:-3] + "y" if folded.endswith("ies") and len(folded) > 4 else folded[:-1]
    return folded


def _unaccented(word: str) -> str:
    folded = unicodedata.normalize("NFD", word).casefold()
    return "".join(letter for letter in folded if not unicodedata.combining(letter)) or word


_ENDINGS = re.compile(
    r"(?<=....)(?:ations?|itions?|ances?|ences?|ments?|ings?|ions?|ives?|ous|ity|ably|als?|ers?|ors?|eds?|ly|ies|y|e)$"
)


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """What words made from one another share: "discovery", "discovered" and "discoverer" are "discover"."""
    if not word.isalpha():
        return word
    shorter = _ENDINGS.sub("", word)
    return _ENDINGS.sub("", shorter) if shorter != word and len(shorter) > 6 else shorter


# Words that name nothing in a table: they never link a claim to a cell or a header by themselves.
EMPTY = frozenset(
    stem(word)
    for word in """a about also an and are as at be been being but by did do does during each for from had has have he
    her his in into is it its of on or out over s she so than that the their there these they this those to was were
    what when where which while who whom whose will with would it's not no more most less least fewer only all any both
    other after before first last same than them then he his him such very just up down per against between""".split()
)

# How a claim speaks of the outcome of a game, and how cells begin that tell it.
_WORDS_FOR_OUTCOMES = {
    "win": "win won winning victory victorious defeat defeated beat beating triumph",
    "loss": "lose lost loss losing",
    "draw": "draw drew drawn tie tied",
}
OUTCOMES = {stem(word): outcome for outcome, line in _WORDS_FOR_OUTCOMES.items() for word in line.split()}
OUTCOME_CELLS = {
    "win": frozenset("w win won winner victory champion".split()),
    "loss": frozenset("l loss los lost lose runner".split()),
    "draw": frozenset("d draw drew drawn t tie tied".split()),
}

# -- what tables and claims call by different names -----------------------------------------------------------

# A word of a header, then words by which a claim may mean the column. Adjectives stand in their plain form.
_FAMILIES = """
    born: birth birthday old young
    birth: born birthday
    died: die death dead live
    death: die died dead
    win: won winner winning victory victorious champion title
    winner: won win champion victory
    lost: lose loss losing loser defeat
    result: win won lost lose loss defeat beat tie draw drew outcome
    score: result point goal
    author: wrote written writer
    writer: wrote written
    director: directed
    producer: produced
    film: movie title
    title: named called episode song album single book work
    built: construct constructed construction completed finish old new year
    completed: built finish finished old new
    location: place site venue city town country where held stand
    venue: stadium ground arena played
    height: tall high elevation rise low
    elevation: high height rise tall low
    altitude: high height
    age: old young
    weight: heavy weigh light
    mass: heavy weigh light massive
    length: long stretch short
    width: wide broad narrow
    depth: deep down shallow
    diameter: large big size small wide
    area: large size big cover small ground land space
    size: large big small
    volume: hold water large
    distance: far near close
    density: dense
    difference: close margin
    margin: close difference
    temperature: warm hot cold cool
    melting: melt
    boiling: boil
    period: orbit around trip revolve day time year
    orbit: around trip revolve circle
    discharge: flow
    capacity: seat hold
    played: game match appearance app cap
    app: appearance game match
    game: match
    match: game
    point: pts score scored
    pts: point score scored
    rank: pos position place placed finish finished ranking
    po: position place placed finish finished rank
    pos: position place placed finish finished rank
    position: rank finish finished play place
    place: finish finished rank where city
    nation: nationality country from runner
    nationality: country nation from
    country: nation state from
    coach: manager
    attendance: crowd attended spectator fan people watched
    spectator: attendance crowd watched people
    crowd: attendance spectator people attended
    began: start started begin from
    begun: start started begin began
    start: began begin from
    end: ended until
    from: became become took
    spouse: wife husband married
    party: democrat republican political belong belonged
    population: inhabitant people resident populated populous count large big small
    inhabitant: population people resident populous
    language: spoken speaker speak
    character: role played portrayed star
    actor: actress played starring
    date: day when month early late first last
    day: date
    year: when season date dated old new early late first last open opened found founded appear appeared publish
    time: long fast slow last lasted quick
    life: last lasted long live
    transmission: transmit transmitted
    opponent: against team versus vs opposing beat defeated lost won faced
    home: host hosted
    away: visitor visiting visited
    team: club side franchise
    player: name
    name: player called
    pick: selected drafted overall
    round: pick drafted
    college: school university
    gold: medal
    silver: medal
    bronze: medal
    total: medal all overall altogether
    goal: scored
    driver: racer drove
    constructor: team
    lap: completed
    grid: started
    viewer: watched view viewed
    aired: air broadcast premiere date
    release: released appear appeared
    published: publish appear appeared
    opened: open opening old new first last completed
    founded: found old new establish
    established: founded formed
    incumbent: elected representative
    status: re elected
    channel: station
    enrollment: student enrolled
    mascot: nickname
    runner: second
    price: cost money earning prize expensive cheap
    cost: price expensive cheap
    earning: money prize won
    money: prize earning won
    speed: fast slow
    record: win loss
    network: broadcast
    duration: length long last lasted time
    note: detail
    par: score
    tournament: event championship
    event: tournament competition fight
    surface: clay grass hard carpet
    partner: with
    method: by
    series: season
    manufacturer: made make
    maker: made make
    type: kind
    kind: type
    touchdown: td
    attempt: att
    average: avg mean
    avg: average
    floor: storey
    station: stop
    abundance: common rare makeup share
    share: percent percentage proportion part common
    output: produce produced production made
    city: place town where
    town: place city
    subject: about on
    votes: chose poll
    power: need strong
    gravity: strong weak
    founder: founded
    discovered: found
    found: discover discovery
    chosen: choose select
    climber: climbed ascent
    ascent: climbed climber reached top
    blows: blow wind
    known: famous
    traffic: carry
    song: piece
    piece: contain
    use: purpose
"""  # fmt: skip


def _read(lines: str) -> Mapping[str, frozenset[str]]:
    read: dict[str, frozenset[str]] = {}
    for line in lines.strip().splitlines():
        head, _, others = line.partition(":")
        read[stem(head.strip())] = read.get(stem(head.strip()), frozenset()) | frozenset(map(stem, others.split()))
    return read


_KIN = _read(_FAMILIES)


def kin(header_word: str) -> frozenset[str]:
    """The words by which a claim may mean a column, given a word of its header."""
    return _KIN.get(header_word, frozenset())
