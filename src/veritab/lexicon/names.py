"""Names that claims and pages write differently."""

from __future__ import annotations

from veritab.text import stems

_SAME = (
    "United States; US; USA; United States of America; America",
    "United Kingdom; UK; Great Britain; Britain",
    "Soviet Union; USSR",
    "People's Republic of China; China",
    "Republic of Ireland; Ireland",
    "Netherlands; Holland",
    "East Germany; GDR",
    "West Germany; FRG",
    "United Arab Emirates; UAE",
    "European Union; EU",
)
_GROUPS = [[stems(name) for name in line.split("; ")] for line in _SAME]
NAMES_FOR = {name: tuple(other for other in group if other != name) for group in _GROUPS for name in group}
"""The stems of a name, and those of others for the same thing."""

# -- what comes from a place -------------------------------------------------------------------------------

_IRREGULAR_ADJECTIVES = {
    "french": "France", "german": "Germany", "dutch": "Netherlands", "swiss": "Switzerland", "english": "England",
    "british": "United Kingdom", "spanish": "Spain", "danish": "Denmark", "greek": "Greece", "norwegian": "Norway",
    "polish": "Poland", "turkish": "Turkey", "welsh": "Wales", "scottish": "Scotland", "irish": "Ireland",
    "portuguese": "Portugal", "czech": "Czech Republic", "thai": "Thailand", "finnish": "Finland", "afghan":
    "Afghanistan", "american": "United States", "soviet": "Soviet Union", "peruvian": "Peru", "filipino":
    "Philippines", "argentine": "Argentina", "belgian": "Belgium", "uzbek": "Uzbekistan", "kazakh": "Kazakhstan",
    "slovak": "Slovakia", "nigerian": "Nigeria", "venetian": "Venice", "parisian": "Paris",
}  # fmt: skip
_ADJECTIVE_NAMES = {word: stems(name) for word, name in _IRREGULAR_ADJECTIVES.items()}
_ENDINGS = ("an", "ian", "ean", "n", "ese", "ish", "i", "ic")
_LEAST_NAME = 4


def is_of_place(word: str, name: tuple[str, ...]) -> bool:
    """Whether a word is the adjective of a name, or means its people: "Kenyan" of Kenya, "American" of the US."""
    own = _ADJECTIVE_NAMES.get(word)
    if own and (own == name or own in NAMES_FOR.get(name, ())):
        return True
    if len(name) != 1 or len(name[0]) < _LEAST_NAME or own:
        return False
    (place,) = name
    starts = {place}
    if place[-1] in "aeoy":
        starts.add(place[:-1])
    for ending in ("us", "en"):
        starts.add(place.removesuffix(ending))
    return any(word == f"{start}{ending}" for start in starts for ending in _ENDINGS if len(start) >= _LEAST_NAME - 1)
