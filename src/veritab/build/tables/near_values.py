"""Values that may stand in place of another one: its neighbours in the column of a table, and numbers near it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

BLANK = re.compile(
    r"(?i:[\W_]*|n/?a|tba|tbd|none|unknown|yes|no|bye|dnq|dns|dnf|vacant|non-album .*)|"
    r"(?:[Nn]o|[Nn]ot|[Dd]id not) [a-z].*|[Vv]arious\b.*"
)
"""What a cell holds that says nothing of its own."""
YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
NUMBER = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<unit>(?: [a-z]+)?)")
SUMMED = re.compile(
    r"(?:.*\b(?:sub-?)?totals?|majority|turnout|swing|career\b.*|average|overall|margin.*|all|others?|combined)\W*",
    re.IGNORECASE,
)
"""What a row is called that sums up others."""
_DOUBTED = re.compile(r"\?|\bor\b|/")
_MARKED = re.compile(r"[*#†‡§^]$")
"""How a cell ends that refers to a note: what is right is given without, so that a mark would tell what is wrong."""
_PLAIN_NUMBER = re.compile(r"[\d,.]+")
_SCORE = re.compile(r"(\d+)[–-](\d+)")
_NEAREST = 6
_MOST_WORDS = 9
_MOST_TIMES = 5


def near_numbers(text: str, rng: random.Random) -> list[str]:
    """Numbers a little off, written as the given one is; none of something that is no number."""
    match = NUMBER.fullmatch(text)
    if not match:
        return []
    digits = match["number"].replace(",", "")
    places = len(digits.partition(".")[2])
    value = float(digits)
    if places:
        steps: Sequence[float] = [10**-places * step for step in (1, 2, 3, 5)] + [value * 0.1]
    elif YEAR.fullmatch(match["number"]) or value < 20:
        steps = (1, 2, 3)
    else:
        steps = (1, 2, 5, round(value * 0.1)) if value < 1000 else [round(value * part) for part in (0.03, 0.1, 0.2)]
    # One of something is said in other words than several.
    least = 0 if places else 1
    found = dict.fromkeys(
        f"{new:{',' if ',' in match['number'] else ''}.{places}f}{match['unit']}"
        for step in steps
        for new in (value - step, value + step)
        if new > least
    )
    numbers = [each for each in found if each != text]
    rng.shuffle(numbers)
    return numbers


def nearest_in_column(
    rows: Sequence[Sequence[str]], header: Sequence[str], own: int, texts: Sequence[str]
) -> list[str]:
    """The values of the entries nearest to one of the rows, where `texts` is what each row says in the column."""
    kept = [place for place, row in enumerate(rows) if place == own or not is_heading(row, header)]
    return nearest([texts[place] for place in kept], kept.index(own))


def nearest(texts: Sequence[str], own: int) -> list[str]:
    """The other values of a column, those of the rows nearest to one of them; few, and each once."""
    places = sorted(range(len(texts)), key=lambda place: (abs(place - own), place))
    values = dict.fromkeys(texts[place] for place in places)
    return [value for value in values if is_like(value, texts[own])][:_NEAREST]


def is_heading(row: Sequence[str], header: Sequence[str]) -> bool:
    """Whether a row is no entry of its table: it says one thing all over, or repeats a text of the header in place."""
    if len(row) < 2:
        return False
    return len(set(row)) == 1 or any(text and text == head for text, head in zip(row, header, strict=True))


def is_like(one: str, other: str) -> bool:
    """Whether one value can stand where another does: of the same kind, and not the same in other words."""
    if BLANK.fullmatch(one) or SUMMED.fullmatch(one) or _DOUBTED.search(one) or one.count(" ") >= _MOST_WORDS:
        return False
    if any(bool(kind.fullmatch(one)) != bool(kind.fullmatch(other)) for kind in (YEAR, _PLAIN_NUMBER)):
        return False
    if bool(_MARKED.search(one)) != bool(_MARKED.search(other)):
        return False
    if not _is_plausible(one, other) or any((mark in one) != (mark in other) for mark in (", ", '"', "(")):
        return False
    if one[:1].isupper() != other[:1].isupper() or one[:1].isdigit() != other[:1].isdigit():
        return False
    first, second = set(re.findall(r"\w+", one.casefold())), set(re.findall(r"\w+", other.casefold()))
    return bool(first) and not first <= second and not second <= first


def _is_plausible(new: str, old: str) -> bool:
    """Whether a number could be another: of about its size, or written in as many digits."""
    if not old[:1].isdigit():
        return True
    if (one := _SCORE.fullmatch(new)) and (other := _SCORE.fullmatch(old)):
        # "A 2–3 win" is none.
        return _leads(one) == _leads(other)
    if (one := NUMBER.fullmatch(new)) and (other := NUMBER.fullmatch(old)):
        sizes = [float(each["number"].replace(",", "")) for each in (one, other)]
        return one["unit"] == other["unit"] and min(sizes) > 0 and max(sizes) / min(sizes) <= _MOST_TIMES
    return sum(map(str.isdigit, new)) == sum(map(str.isdigit, old))


def _leads(score: re.Match[str]) -> int:
    """1 where the first side has more, -1 where the second has, 0 where they are even."""
    first, second = int(score[1]), int(score[2])
    return (first > second) - (first < second)
