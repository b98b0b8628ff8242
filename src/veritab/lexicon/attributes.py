"""What tables and claims call by different names: the attributes that columns hold, and the outcomes of a game."""

from __future__ import annotations

from veritab.text import stem

# How a claim names the outcome of a game, and how the cells begin that hold one.
_OUTCOME_WORDS = {
    "win": "win won winning victory victorious defeat defeated beat beating triumph",
    "loss": "lose lost loss losing",
    "draw": "draw drew drawn tie tied",
}
OUTCOME_STEMS = {stem(word): outcome for outcome, line in _OUTCOME_WORDS.items() for word in line.split()}
OUTCOME_CELL_STEMS = {
    "win": frozenset("w win won winner victory champion".split()),
    "loss": frozenset("l loss los lost lose runner".split()),
    "draw": frozenset("d draw drew drawn t tie tied".split()),
}

_GENDER_WORDS = {"female": "woman women female girl girls ladies lady", "male": "man men male boy boys"}
GENDER_STEMS = {stem(word): gender for gender, line in _GENDER_WORDS.items() for word in line.split()}
GENDER_CELLS = {
    cell: gender
    for gender, line in {"female": "f w female women woman girls", "male": "m male men man boys"}.items()
    for cell in line.split()
}
"""What stands for a gender in a column that holds nothing else."""

RANK_HEADER_STEMS = frozenset("rank place position po pos ranking standing seed grid pick".split())
COUNTER_HEADER_STEMS = frozenset("game week stage episode round no series season match race".split())
"""Headers of numbers that count up: of two of them, one is earlier or later and never more."""

BIRTH_STEMS, DEATH_STEMS = frozenset("born birth baptised".split()), frozenset("died death dead".split())
START_HEADER_STEMS = BIRTH_STEMS | frozenset("start started begin began opened from founded elected".split())
END_HEADER_STEMS = DEATH_STEMS | frozenset("end ended closed until to dissolved left".split())
"""Headers of the dates at which something starts or ends."""

# The retriever and the reasoner were fitted with tables of their own: what helps to find a cell may mislead a program.
ADJECTIVE_ATTRIBUTES = (
    ("tall taller tallest high higher highest", "height elevation"),
    ("large larger largest big bigger biggest small smaller smallest", "area size population"),
    ("deep deeper deepest", "depth"),
    ("long longer longest short shorter shortest", "length duration"),
    ("dense denser densest", "density"),
    ("heavy heavier heaviest light lighter lightest", "mass weight"),
    ("old older oldest young younger youngest", "age born founded established"),
    ("hot hotter hottest cold colder coldest warm warmer warmest", "temperature"),
    ("fast faster fastest slow slower slowest quick quicker quickest", "speed time"),
    ("populous crowded", "population"),
    ("wide wider widest", "width"),
    ("born", "birth birthplace"),
    ("died", "death"),
)
"""Adjectives of a claim, and the words by which a page has what they measure."""
TERM_FAMILIES = (
    "born birth", "die died death dead", "win won winner victori champion titl", "lost loss lose defeat",
    "result win won lost lose loss defeat beat tie draw drew victori outcom score final", "hold held holder",
    "lead led leader", "fight fought", "wrote written writer author", "elect chose chosen vote", "film movi titl",
    "build built construct complet", "locat place site venu citi town counti held", "height tall high", "age old",
    "play game match app", "point pts score", "rank po posit place finish", "nation countri", "coach manag",
    "attend crowd spectat", "began start begin begun from", "spous wife husband marri", "parti polit",
    "popul inhabit peopl resid", "spoke spoken languag", "character role star portray play", "note detail descript",
)  # fmt: skip
"""Index terms that tables and claims write differently, and that English stems do not bring together."""
_ATTRIBUTE_WORDS = {
    "length": "long longer longest", "width": "wide wider widest", "breadth": "wide broad", "height": "high tall",
    "elevation": "high higher tall height", "depth": "deep deeper deepest", "age": "old older oldest",
    "weight": "heavy weigh weighed", "mass": "heavy weigh", "area": "large larger size big", "year": "when",
    "population": "people inhabitant resident live lived home populou", "died": "die death dead",
    "born": "birth older younger elder", "founded": "older younger", "built": "older newer",
    "duration": "long longer", "opened": "opening", "country": "nation", "time": "long minute second hour needed",
}  # fmt: skip
ATTRIBUTE_STEMS = {noun: frozenset(line.split()) for noun, line in _ATTRIBUTE_WORDS.items()}
"""Attributes, and the stems by which a claim may mean them when it compares two values."""

# A word of a header, then words by which a claim may mean the column. Adjectives are in the positive degree.
_HEADER_SYNONYMS = """
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
"""
_SYNONYMS: dict[str, frozenset[str]] = {}
for _line in _HEADER_SYNONYMS.strip().splitlines():
    _header, *_others = map(stem, _line.replace(":", "").split())
    _SYNONYMS[_header] = _SYNONYMS.get(_header, frozenset()) | frozenset(_others)


def header_synonyms(header_stem: str) -> frozenset[str]:
    """The stems of the words by which a claim may mean a column, given one of its header."""
    return _SYNONYMS.get(header_stem, frozenset())


HOST_STEMS = frozenset({"host", "venue", "location"})
"""Words of headers for where all that a page is about takes place."""
