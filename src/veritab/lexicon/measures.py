"""What adjectives and verbs of a claim measure, and what pages call it: taller is by height, older by birth."""

from __future__ import annotations

from veritab.text import stem

# Headers that mean the same, each by the stems that are left of it, under one name.
_ATTRIBUTE_NAMES = {
    "height": "height; elevation; altitude; peak elevation; summit elevation; highest elevation; structural height;"
    " architectural height; roof height",
    "length": "length; overall length; main length",
    "depth": "depth; deepest point",
    "width": "width; breadth",
    "area": "area; land area; surface area; area land; area surface",
    "population": "population; pop; inhabitant; resident; population city; city population",
    "diameter": "diameter; mean diameter; equatorial diameter",
    "size": "size",
    "mass": "mass; weight",
    "atomic weight": "atomic weight; atomic mass; standard atomic weight; relative atomic mass",
    "density": "density; population density",
    "volume": "volume; water volume",
    "speed": "speed; top speed",
    "duration": "duration; running time; run time; runtime; length time; playing time",
    "temperature": "temperature; mean temperature; average temperature; surface temperature",
    "born": "born; birth; birthdate; birthday; year birth; birth year; born year",
    "died": "died; death; deathdate; year death; death year; died year",
    "founded": "founded; established; formed; formation; founding; foundation; inception; inaugurated; incorporated;"
    " created; establishment; date created; year founded; year established",
    "built": "built; construction; constructed; year built; built year",
    "completed": "completed; completion; finished; year completed; construction ended; building finished",
    "opened": "opened; opening; open; inaugurated; opened year; year opened",
    "released": "released; release; publication; published; year released; release year",
    "launched": "launched; launch",
    "discovered": "discovered; discovery; year discovered; found",
    "first climbed": "first ascent; first climbed; first climb",
    "dissolved": "dissolved; disbanded; defunct; closed",
    "reign": "reign; reigned",
    "age": "age",
    "cost": "cost; price; construction cost",
    "budget": "budget",
    "capacity": "capacity; seating capacity; seat",
    "discharge": "discharge; average discharge; mean discharge",
    "capital": "capital; capital city",
    "birthplace": "birthplace; birth place; place birth; born place",
    "death place": "death place; place death; deathplace",
    "language": "language; official language",
    "country": "country; countri",
    "largest city": "largest city",
    "highest point": "highest point; highest mountain",
    "longest river": "longest river",
}
ATTRIBUTE_OF = {
    frozenset(header.split()): name for name, line in _ATTRIBUTE_NAMES.items() for header in line.split("; ")
}
"""The stems of a header, and the name of what it measures."""
HEADER_FILLERS = frozenset(
    """total maximum max greatest official estimate estimated census date the of in a an overall approximate approx by
    on full current present number no for at known""".split()
)
"""Stems that leave a header the same: the maximum depth is the depth."""
COMPARED_ATTRIBUTES = {
    "taller": (("height",), 1), "higher": (("height",), 1), "lower": (("height",), -1),
    "shorter": (("height", "length", "duration"), -1), "longer": (("length", "duration"), 1),
    "deeper": (("depth",), 1), "shallower": (("depth",), -1), "wider": (("width",), 1), "narrower": (("width",), -1),
    "larger": (("area", "population", "diameter", "size"), 1),
    "bigger": (("area", "population", "diameter", "size"), 1),
    "smaller": (("area", "population", "diameter", "size"), -1), "heavier": (("mass", "atomic weight"), 1),
    "lighter": (("mass", "atomic weight"), -1), "more massive": (("mass",), 1), "less massive": (("mass",), -1),
    "denser": (("density",), 1), "more populous": (("population",), 1), "less populous": (("population",), -1),
    "faster": (("speed",), 1), "slower": (("speed",), -1), "warmer": (("temperature",), 1),
    "hotter": (("temperature",), 1), "colder": (("temperature",), -1), "cooler": (("temperature",), -1),
    "older": (("born", "founded", "completed", "opened", "built"), -1),
    "younger": (("born", "founded", "completed", "opened", "built"), 1),
    "newer": (("founded", "completed", "opened", "built", "released"), 1),
    "more expensive": (("cost",), 1), "cheaper": (("cost",), -1), "costlier": (("cost",), 1),
}  # fmt: skip
"""Comparatives: what they compare by, and whether more of it or less of it makes the comparison true."""
TITLES = ("capital city", "capital", "largest city", "highest point", "highest mountain", "longest river")
"""What one thing alone is of a place: "B is the capital of A"."""
MUST_AGREE = frozenset({"larger", "bigger", "smaller"})
"""Comparatives that do not say by what they compare, so that every attribute that both have must agree."""
POSITIVE_ATTRIBUTES = {
    "tall": "height", "high": "height", "long": "length", "deep": "depth", "wide": "width", "large": "area",
    "big": "area", "heavy": "mass", "dense": "density", "populous": "population", "massive": "mass", "old": "age",
    "expensive": "cost", "fast": "speed",
}  # fmt: skip
DATE_ATTRIBUTES = frozenset(
    "born died founded built completed opened released launched discovered dissolved".split()
) | {"first climbed"}
ATTRIBUTE_DIMENSIONS = {
    "height": "length", "length": "length", "depth": "length", "width": "length", "diameter": "length", "area": "area",
    "mass": "mass", "speed": "speed", "duration": "time", "temperature": "temperature", "population": "",
    "volume": "volume", "melting point": "temperature", "boiling point": "temperature", "orbital period": "time",
    "latitude": "",
}  # fmt: skip
"""The dimension of the numbers that an attribute has; a population has none."""
MEASURING_VERBS = {
    "melts": "melting point", "boils": "boiling point", "weighs": "mass", "weighed": "mass", "covers": "area",
    "covered": "area", "costs": "cost", "cost": "cost",
}  # fmt: skip
"""Verbs that have a number, and what pages call it."""
HAVING_VERBS = {
    stem(noun): frozenset(map(stem, line.split()))
    for noun, line in {
        "goal": "score scored", "try": "score scored", "point": "score scored earn earned collect collected",
        "pts": "point score scored earn earned", "run": "score scored", "cap": "win won earn earned",
        "touchdown": "score scored", "medal": "win won", "total": "medal win won", "gold": "medal win won",
        "silver": "medal win won", "bronze": "medal win won", "vote": "receive received", "seat": "win won",
        "podium": "stand stood finish finished", "title": "win won", "reign": "hold held",
        "passenger": "carry carried handle handled", "enrollment": "student enrolled", "copy": "sell sold",
        "sales": "sell sold", "grossed": "gross earn earned", "gross": "gross grossed earn earned",
        "created": "founded formed established", "height": "stand stood", "podiums": "stand stood",
    }.items()
}  # fmt: skip
"""Words of headers, and the verbs that say no more than that something has so many of it."""
MUST_BE_NAMED = frozenset("gold silver bronze".split())
"""Words of headers that a claim has to have: more medals are not more gold medals."""
_GAMES = "game match time fixture"
_ABBREVIATIONS = {
    "w": ("win won winning victory", _GAMES), "won": ("win won winning victory", _GAMES),
    "l": ("lose lost losing loss defeat", _GAMES), "lost": ("lose lost losing loss defeat", _GAMES),
    "d": ("draw drew drawn tied", _GAMES), "drawn": ("draw drew drawn tied", _GAMES), "t": ("tied tie", _GAMES),
    "gf": ("score scored scoring/goal", ""), "ga": ("concede conceded conceding/goal", ""),
    "pf": ("score scored scoring/point", ""), "pa": ("concede conceded conceding allow allowed/point", ""),
    "pld": ("play played playing", _GAMES), "gp": ("play played playing", _GAMES),
    "pts": ("point", "score scored earn earned collect collected finish finished"),
    "h": ("hit", "make made record recorded"), "hr": ("homer home", "run hit"), "rbi": ("rbi", ""),
    "pop": ("population people inhabitant resident", "live lived populous"), "led": ("led", "lap"),
}  # fmt: skip
ABBREVIATED_HEADERS = {
    header: (
        tuple(frozenset(map(stem, words.split())) for words in said.split("/")),
        frozenset(map(stem, more.split())),
    )
    for header, (said, more) in _ABBREVIATIONS.items()
}
"""Headers of tables of results: words of which a claim has to have one of each group, and others that it may have."""
NAMING_VERBS = {
    "discovered by": ("discovered", "discoverer"), "found by": ("discovered", "discoverer"),
    "named after": ("after named",), "isolated by": ("isolated",),
    "first isolated by": ("isolated",), "opened by": ("opened",), "designed by": ("designed", "designer", "architect"),
    "invented by": ("invented", "inventor"), "written by": ("written", "author", "writer"),
    "directed by": ("directed", "director"),
}  # fmt: skip
"""Verbs that have a name, and what pages call it."""
PLACE_VERBS = {"born": "birthplace", "died": "death place"}
DATE_VERBS = {
    "born": "born", "died": "died", "passed away": "died", "founded": "founded", "established": "founded",
    "formed": "founded", "created": "founded", "built": "built", "constructed": "built", "completed": "completed",
    "finished": "completed", "opened": "opened", "inaugurated": "opened", "released": "released",
    "published": "released", "launched": "launched", "discovered": "discovered", "first climbed": "first climbed",
    "dissolved": "dissolved", "disbanded": "dissolved", "closed": "dissolved",
}  # fmt: skip
"""Verbs that have a date, and what pages call it."""
ONE_TIME_VERBS = frozenset(
    """born died founded established joined became invented discovered abolished independent completed proclaimed
    incorporated gained""".split()
)
"""Words of what happens to one thing once, so that another date contradicts the one that is given."""
