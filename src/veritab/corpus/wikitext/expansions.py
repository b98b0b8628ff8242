"""What a reader sees of one template: each function here turns a call into the wikitext it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from veritab.corpus.inline import BREAK, MARK
from veritab.corpus.wikitext.literals import SOFT
from veritab.corpus.wikitext.markup import FLAG, ICON, ICON_END, link


class Call(NamedTuple):
    """A template as it is called: its name in small letters, what is given by position and what by name."""

    name: str
    given: list[str]
    named: dict[str, str]

    def first(self) -> str:
        return self.given[0] if self.given else ""

    def second(self) -> str:
        return self.given[1] if len(self.given) > 1 else ""

    def last(self) -> str:
        return self.given[-1] if self.given else ""

    def any_of(self, *names: str) -> str:
        """The first of these parameters that is not empty."""
        return next((value for name in names if (value := self.named.get(name))), "")


Shows: TypeAlias = Callable[[Call], str]


def always(text: str) -> Shows:
    return lambda call: text


def first_or(text: str) -> Shows:
    return lambda call: call.first() or text


def before_first(text: str) -> Shows:
    return lambda call: text + call.first()


_LACKS_CITATIONS = re.compile(
    r"(?:blp )?(?:unreferenced|refimprove|unsourced|sources|more (?:citations|sources) needed|citations? missing|"
    r"no footnotes|more footnotes(?: needed)?|no citations?)(?:[ -](?:section|list|blp|person))?$|belege(?: fehlen)?$"
)


def notice(name: str) -> bool:
    """Whether the template of this name says that citations lack."""
    return bool(_LACKS_CITATIONS.match(name))


# -- paragraphs and lists of their own ---------------------------------------------------------------------


def _soft(text: str) -> str:
    return text.replace("\n", SOFT)


def paragraph(text: str) -> str:
    return f"{SOFT}{SOFT}{_soft(text)}{SOFT}{SOFT}" if text else ""


def linked(name: str, label: str = "") -> str:
    """A link, unless what is given holds one already."""
    return name if MARK in name or not name else link(name, label or None)


def hatnote(lead: str, leads: str = "") -> Shows:
    """{{main|X|Y}}: "Main articles: X and Y."."""

    def show(call: Call) -> str:
        names = [linked(name, call.any_of(f"l{at}", f"label{at}")) for at, name in enumerate(call.given, 1) if name]
        if not names:
            return ""
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        return paragraph(f"{leads if leads and len(names) > 1 else lead} {listed}.")

    return show


def _others(uses: list[str]) -> str:
    """Pairs of a use and its article: " For the film, see Film."."""
    pairs = zip(uses[::2], uses[1::2], strict=False)
    return "".join(f" For {use or 'other uses'}, see {linked(article)}." for use, article in pairs if article)


def for_others(call: Call) -> str:
    return paragraph(_others(call.given).strip())


def other_uses(call: Call) -> str:
    return paragraph(_others(["", call.first()]).strip())


def about(call: Call) -> str:
    subject = f"This article is about {call.first()}." if call.first() else ""
    return paragraph((subject + _others(call.given[1:])).strip())


def redirects_here(call: Call) -> str:
    return paragraph(f'"{call.first()}" redirects here.{_others(call.given[1:])}') if call.first() else ""


def two_redirect_here(call: Call) -> str:
    return paragraph(f'"{call.first()}" and "{call.second()}" redirect here.{_others(call.given[2:])}')


def quotation(call: Call) -> str:
    text = call.any_of("text", "quote") or call.first()
    by = call.any_of("author", "sign") or call.second()
    return paragraph(f"{text} — {by}" if by and text else text)


def list_inside(call: Call) -> str:
    """{{plainlist|...}}: the list it holds, as lines of its own."""
    return f"{SOFT}{_soft(call.last())}{SOFT}"


def listed(call: Call) -> str:
    """{{ubl|a|b}}: one below the other."""
    return BREAK.join(call.given)


def issues(call: Call) -> str:
    """{{multiple issues|...}}: the notices inside it, or (of old) named by its parameters."""
    inside = any(FLAG in part for part in (*call.given, *call.named.values()))
    return FLAG if inside or any(map(notice, call.named)) else ""


# -- numbers, dates and measures ---------------------------------------------------------------------------

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_BETWEEN = {"to": " to ", "-": "–", "–": "–", "and": " and ", "or": " or ", "x": " × ", "×": " × ", "by": " by "}
_POWERS = {
    f"{unit}{power}": f"{unit}{sign}"
    for unit in ("m", "km", "cm", "mm", "ft", "in", "mi")
    for power, sign in ("2²", "3³")
}
_UNITS = {**_POWERS, "C": "°C", "F": "°F", "sqmi": "sq mi", "sqft": "sq ft", "PD/sqmi": "/sq mi", "PD/km2": "/km²"}
# A second value in a smaller unit: 6 ft 2 in. Anything else in that place is a precision.
_SMALLER = frozenset({("ft", "in"), ("lb", "oz"), ("st", "lb"), ("mi", "yd"), ("mi", "ft"), ("yd", "ft")})


def thousands(value: str) -> str:
    """A number with its thousands set off, as templates show it."""
    whole, point, decimals = value.strip().partition(".")
    return (
        f"{int(whole):,}{point}{decimals}" if whole.isascii() and whole.isdigit() and len(whole) < 40 else value.strip()
    )


def number(call: Call) -> str:
    return thousands(call.first())


def date(call: Call) -> str:
    """{{birth date|1879|3|14}}: "14 March 1879"; a date in words stays as it is."""
    given = [part for part in call.given if part]
    if not given or not given[0].isdecimal():
        return given[0] if given else ""
    year, month, day = (*given[:3], "", "")[:3]
    if month.isdecimal():
        month = _MONTHS[int(month) - 1] if len(month) < 3 and 1 <= int(month) <= 12 else ""
    return " ".join(filter(None, (day.lstrip("0") if day.isdecimal() else "", month, year)))


def as_of(call: Call) -> str:
    return call.named.get("alt") or f"{'as of' if call.named.get('lc') else 'As of'} {date(call)}"


def years(lead: str) -> Shows:
    return lambda call: f"{lead} {'–'.join(filter(None, call.given[:2]))}".strip()


def convert(call: Call) -> str:
    """{{convert|8,849|m|ft}}: "8,849 m"; what it converts to says nothing new."""
    given = call.given
    value, at = thousands(call.first()), 1
    while at + 1 < len(given) and given[at] in _BETWEEN:
        value += _BETWEEN[given[at]] + thousands(given[at + 1])
        at += 2
    unit = given[at] if at < len(given) else ""
    shown = f"{value} {_UNITS.get(unit, unit)}".strip()
    return (
        f"{shown} {given[at + 1]} {given[at + 2]}"
        if at + 2 < len(given) and (unit, given[at + 2]) in _SMALLER
        else shown
    )


def height(call: Call) -> str:
    return " ".join(f"{call.named[unit]} {unit}" for unit in ("m", "cm", "ft", "in") if call.named.get(unit))


def coordinates(call: Call) -> str:
    """{{coord|43|42|N|79|24|W}} or {{coord|43.7|-79.4}}; those shown beside the title are not part of the text."""
    if call.named.get("display", "inline") in ("title", "t"):
        return ""
    sides: list[str] = []
    numbers: list[str] = []
    for part in call.given:
        if part in ("N", "S", "E", "W"):
            sides.append("".join(number + sign for number, sign in zip(numbers, "°′″", strict=False)) + part)
            numbers = []
        elif part.lstrip("-").replace(".", "", 1).isdecimal():
            numbers.append(part)
        else:
            break
    if not sides and len(numbers) > 1:
        pairs = zip(numbers, ("NS", "EW"), strict=False)
        sides = [f"{number.lstrip('-')}°{letters[number.startswith('-')]}" for number, letters in pairs]
    return " ".join(sides)


def fraction(call: Call) -> str:
    given = call.given
    return (
        f"{given[0]} {given[1]}/{given[2]}"
        if len(given) == 3
        else "/".join(given if len(given) == 2 else ["1", *given])
    )


def value(call: Call) -> str:
    """{{val|1.2|0.1|e=3|u=m}}: "1.2±0.1×10³ m"."""
    power = f"×10<sup>{call.named['e']}</sup>" if call.named.get("e") else ""
    return f"{'±'.join(filter(None, call.given[:2]))}{power} {call.any_of('u', 'ul')}".strip()


def raised(call: Call) -> str:
    return f"<sup>{call.first()}</sup>"


def power_of_ten(call: Call) -> str:
    return f"×10<sup>{call.first()}</sup>"


# -- names -------------------------------------------------------------------------------------------------


def person(call: Call) -> str:
    """{{sortname|First|Last|target|dab=...}}: one link."""
    name = " ".join(filter(None, call.given[:2]))
    if call.named.get("nolink"):
        return name
    target = call.given[2] if len(call.given) > 2 and call.given[2] else name
    return link(f"{target} ({call.named['dab']})" if call.named.get("dab") else target, name)


def country(call: Call) -> str:
    """A flag with its country; a code does not say which article it stands for."""
    name = call.named.get("name") or call.first()
    return name if len(name) <= 3 and name.isupper() else linked(name)


def athlete(call: Call) -> str:
    return f"{call.first()} ({call.second()})" if call.second() else call.first()


def flag_icon(call: Call) -> str:
    return f"{ICON}{call.first()}{ICON_END}" if call.first() and MARK not in call.first() else ""


def ship(call: Call) -> str:
    """{{ship|HMS|Hood|51}} or {{HMS|Hood|51}}: a link to "HMS Hood (51)"."""
    prefix, name, mark = (*(call.given if call.name == "ship" else (call.name.upper(), *call.given)), "", "")[:3]
    shown = f"{prefix} {name}".strip()
    return link(f"{shown} ({mark})" if mark else shown, shown)


def other_language(call: Call) -> str:
    return linked(call.first(), call.named.get("lt", ""))


def japanese(call: Call) -> str:
    """{{nihongo|English|kanji|romaji}}: "English (kanji, romaji)"."""
    inside = ", ".join(filter(None, call.given[1:3]))
    return f"{call.first()} ({inside})" if inside and call.first() else call.first() or inside


def marriage(call: Call) -> str:
    between = "–".join(filter(None, call.given[1:3]))
    return f"{call.first()} ({between})" if between else call.first()


def sounds(call: Call) -> str:
    """{{IPAc-en|d|ɒ|g}}: "/dɒg/"; words among the sounds only say how to show them."""
    spoken = "".join(part for part in call.given if len(part) < 4 and part.lower() not in ("uk", "us", "ipa"))
    return f"/{spoken}/" if spoken else ""


def together(call: Call) -> str:
    return "".join(call.given)


def address(call: Call) -> str:
    written = call.first()
    return call.second() or (written if "://" in written or not written else f"http://{written}")


def identifier(call: Call) -> str:
    return f"{call.name.upper()} {call.first()}"
