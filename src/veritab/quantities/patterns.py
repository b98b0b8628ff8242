"""The forms of numbers and dates, as regular expressions.

Every repetition is bounded and a match starts where no number is under way, so that a hundred thousand digits or commas
cost a hundred thousand small steps, not their square.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from veritab.lexicon.numbers import FRACTION_SIGNS, FRACTIONS_AFTER_NUMBERS, MONTH_WORDS, NUMBER_WORDS, ORDINALS, SCALES
from veritab.quantities.units import UNIT_WORDS, UNITS


def _either(names: Iterable[str], *, any_case: bool = False) -> str:
    """One of many names, the longest that fits; they are matched letter by letter, for there are hundreds.

    With `any_case` a letter may be small or large. `re.IGNORECASE` would also take a dotless i for an i, and no
    dictionary has such a name.
    """
    tails: dict[str, list[str]] = {}
    ends = False
    for name in names:
        if name:
            tails.setdefault(name[0], []).append(name[1:])
        else:
            ends = True
    if not tails:
        return ""
    branches = [_letter(first, any_case) + _either(tails[first], any_case=any_case) for first in sorted(tails)]
    return f"(?:{'|'.join(branches)})" + ("?" if ends else "")


def _letter(character: str, any_case: bool) -> str:
    return f"[{character}{character.upper()}]" if any_case and character.isalpha() else re.escape(character)


_GAP = r"[ \u00a0]"
_DASH = "[-‐‑‒–—−]"
_FRACTION = f"[{''.join(FRACTION_SIGNS)}]"
_PHRASE_ENDS = r"(?=$|[).,;/]|[ \u00a0][(])"

# -- dates -------------------------------------------------------------------------------------------------

_MONTH = rf"(?P<month>{_either(MONTH_WORDS, any_case=True)})\b\.?"
_BEFORE_CHRIST = r"(?:BCE?|bce?|B\.C\.(?:E\.)?|B\. C\.)(?!\w)"
_DAY = r"(?P<day>3[01]|[12][0-9]|0?[1-9])(?i:st|nd|rd|th)?\b"
_YEAR = rf"(?P<year>[12][0-9]{{3}})(?!\w|[.,][0-9]|{_GAP}?{_BEFORE_CHRIST})"
_COMMA = rf"(?:{_GAP}?,{_GAP}?|{_GAP})"
MONTH_FIRST = re.compile(
    rf"\b{_MONTH}{_GAP}?(?:{_DAY}(?:{_COMMA}{_YEAR})?|(?:{_COMMA})?{_YEAR.replace('<year>', '<year_only>')})"
)
DAY_FIRST = re.compile(rf"(?<![\w.,]){_DAY}{_GAP}(?P<of>[oO][fF]{_GAP})?{_MONTH}(?:{_COMMA}{_YEAR})?")
DASHED = re.compile(rf"(?<![\w.,-]){_DAY}(?P<mark>{_GAP}?-{_GAP}?){_MONTH}(?P=mark){_YEAR}(?!{_GAP}?-)")
ISO = re.compile(
    rf"(?<![\w.-])(?P<year>[12][0-9]{{3}})(?P<mark>{_GAP}?[-/]{_GAP}?)(?P<month>0[1-9]|1[0-2])(?P=mark)"
    r"(?P<day>0[1-9]|[12][0-9]|3[01])(?![\w-])"
)
SLASHED = re.compile(
    rf"(?<![\w./])(?P<one>[0-3]?[0-9])(?P<mark>{_GAP}?[/.]{_GAP}?)(?P<other>[0-3]?[0-9])(?P=mark)"
    r"(?P<year>[12][0-9]{3})(?![\w/])"
)
# The 40s of "1930s–40s" are not seconds.
DECADE = re.compile(
    rf"(?<![\w.,])(?P<year>[12][0-9]{{2}}0)['’]?s\b"
    rf"(?:{_GAP}?(?:{_DASH}|/|and|or|to){_GAP}?['’]?(?P<later>[0-9]0)['’]?s\b)?"
)
ERA = re.compile(
    rf"(?<![\w.,])(?:(?:AD|A\.D\.){_GAP}?(?P<after>[0-9]{{1,4}})(?![\w]|[.,][0-9])"
    rf"|(?P<year>[0-9]{{1,4}}){_GAP}?(?:(?P<before>{_BEFORE_CHRIST})|(?:AD|CE|A\.D\.|C\.E\.)(?!\w)))"
)
# The 20th Century Fox is not a date.
CENTURY = re.compile(
    rf"(?<![\w.,])(?:(?P<number>[0-9]{{1,2}})(?:st|nd|rd|th)|(?P<tens>(?i:twenty)-)?"
    rf"(?P<word>{_either(ORDINALS, any_case=True)}))"
    rf"[- \u00a0](?i:century|centuries)(?!\w|{_GAP}[Ff]ox)(?P<before>{_GAP}{_BEFORE_CHRIST})?"
)
CLOCK = re.compile(
    r"(?<![\w.:])(?:(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5][0-9]))?[ \u00a0]?(?P<half>[ap])\.?m\b\.?"
    r"|[0-9]{1,3}(?:(?::[0-5][0-9]){1,2}(?:\.[0-9]{1,6})?|['′][0-5][0-9]\.[0-9]{1,6}(?![\"”″']))(?![\w:]))"
)

# -- numbers -----------------------------------------------------------------------------------------------

# "12 in 1931" has no inches, "5 ft 11 in (1.80 m)" has: letters that are also words count at the end of a phrase.
# A small l is a litre after decimals ("2.0 l"), and may be a loss otherwise.
_MISTAKABLE = rf"(?:in|t|h|g|s|L|(?:(?<=\.[0-9])|(?<=\.[0-9] ))l|W){_PHRASE_ENDS}"
_SYMBOL = rf"(?!(?:in|st|t|h|g|s|L|l|W)\b){_either(name for name in UNITS if len(name) < 5)}(?!\w)"
_UNIT = rf"(?:(?:{_GAP}|-)?(?P<unit>{_either(UNIT_WORDS, any_case=True)}(?!\w)|{_SYMBOL}|{_MISTAKABLE}))?"
AFTER_UNIT = re.compile(_UNIT.removesuffix("?"))
_LINK = rf"(?:{_GAP}|-)"
# "and a half" goes on with a number; "half a" and "a quarter of a" begin one, before a word such as "million".
_AND_PART = rf"(?i:{_LINK}and{_LINK}(?:(?:an?|one){_LINK}(?:half|quarter)|three{_LINK}quarters)\b)"
_PART_OF = (
    rf"(?i:(?:\b(?:three{_LINK}quarters|quarter){_GAP}of{_GAP}an?{_GAP}|\bhalf{_GAP}an?{_GAP}"
    rf"|\b(?:half|quarter){_LINK})(?={_either(SCALES, any_case=True)}\b))"
)
# A sign that stands apart counts where nothing else is before it, and little after: "- 3", "198 ( - 18)".
_ANY_SCALE = rf"(?:{_either(SCALES, any_case=True)}|mln|bn|mn|tn)\b"
_MEASURED = rf"[0-9][0-9.,]{{0,20}}(?:{_GAP}?{_ANY_SCALE})?{_UNIT.replace('?P<unit>', '?:')}"
_APART = rf"(?:(?<![\s\S])|(?<=\()|(?<=\( ))[-−–+]{_GAP}(?=[$€£]?{_MEASURED}(?:\)|{_GAP}\(|\Z))"
_EXPONENT = (
    rf"[eE][-+−]?[0-9]{{1,2}}(?![0-9])"
    rf"|{_GAP}?[×x·]{_GAP}?10(?:\^[-+−]?[0-9]{{1,2}}(?![0-9])|[⁻⁺]?[⁰¹²³⁴-⁹]{{1,2}}(?![⁰¹²³⁴-⁹]))"
)
_NUMBER_SOURCE = (
    rf"(?P<sign>(?<![\w)\]])[-−–+]|{_APART})?(?<!\w)(?<![0-9]\.)"
    rf"(?:(?:(?:U\.S\.|US|AU|A|CA|C|NZ|HK|NT|S)?(?P<money>[$€£¥₹₩₽₺₱₦฿])(?:{_GAP}?(?P<debit>[-−–])(?=[0-9.]))?|(?P<code>R\$|CN¥|Rs\.?|(?<![\s\S])rs\.?(?={_GAP})|(?i:USD|EUR|GBP|JPY|CHF|INR|CNY))){_GAP}?)?"
    # In India, digits are grouped as in 12,34,567.
    r"(?:(?P<whole>(?<![0-9],)[0-9]{1,2}(?:,[0-9]{2}){1,8},[0-9]{3}(?![0-9]|,[0-9])"
    r"|[0-9]{1,3}(?:[,\u00a0\u2009\u202f][0-9]{3}){1,6}(?![0-9]|,[0-9]{3})|[0-9]{1,18}(?![0-9]))"
    # Not the 1 of 1.5xyz: a number is read whole or not at all.
    r"(?P<decimals>\.[0-9]{1,30}(?![0-9]))?(?!\.[0-9])"
    rf"(?:(?P<fraction>{_FRACTION})|(?P<exponent>{_EXPONENT})|(?P<part>{_AND_PART}))?"
    rf"|(?P<lone>{_FRACTION})|(?P<point>(?<!\.)\.[0-9]{{1,18}}(?![0-9])))"
    r"(?:(?P<ordinal>st|nd|rd|th)\b"
    rf"|(?:(?:(?P<short>(?:mln|bn|mn|tn|[kKmMbB])\b)|{_GAP}(?P<apart>(?:mln|bn|mn|tn)\b|(?(money)[mMbB]\b|(?!))))"
    rf"|(?:{_GAP}|-)(?P<scale>{_either(SCALES, any_case=True)})\b)?{_UNIT}"
    # Neither a letter nor a digit of another script goes on with it.
    r"(?![A-Za-z\d]))"
)
NUMBER = re.compile(_NUMBER_SOURCE)
# A cell with nothing but a number in it, which most are. Only there is "1 036 000" one number.
PLAIN = re.compile(
    r"(-?)(?:([0-9]{1,3}(?:,[0-9]{3}){1,4}|[1-9][0-9]?(?: [0-9]{3}){2,4})|([0-9]{1,15}))(?:\.([0-9]{1,15}))?( ?%)?"
)
# Other cells with one number and nothing else. At most 5 is not 5, and accounts write a loss as (500), which elsewhere
# is a number of something; a short one such as (6) is a place or a count. Only with a unit is "12 345 km" one number.
WHOLE_CELL = re.compile(
    rf"[<>≤≥]=?{_GAP}?[$€£]?{_MEASURED}"
    rf"|\({_GAP}?(?!(?:[0-9]{{1,2}}|[12][0-9]{{3}}){_GAP}?\))[$€£]?"
    rf"[0-9]{{1,15}}(?:,[0-9]{{3}}){{0,4}}(?:\.[0-9]{{1,15}})?{_GAP}?%?{_GAP}?\)"
    rf"|(?P<grouped>[-−]?[1-9][0-9]?(?: [0-9]{{3}}){{1,4}})(?:\.[0-9]{{1,15}})?(?=[^0-9.]){_UNIT}"
)
SCALED = re.compile(rf"[0-9](?:{_GAP}|-)?(?P<scale>{_ANY_SCALE}|[kKmMbB]\b)")
SCORE = re.compile(r"[0-9]{1,3}(?: ?[-–] ?[0-9]{1,3}){1,7}")
DIGITS = re.compile("[0-9]+")
SEPARATOR = re.compile(r"[^0-9]")
RANK = re.compile(
    r"(?<![\w.])(?:[Tt] ?[-–] ?(?P<tied>[0-9]{1,4})(?:st|nd|rd|th)\b"
    r"|(?:# ?|[Nn][Oo]\.?[ \u00a0]?|№ ?|[Nn]º ?)(?P<number>[0-9]{1,5})(?!\w|[.,:][0-9])"
    r"|(?<![\s\S])(?:(?:[Tt]|= ?)(?P<alone>[0-9]{1,3})(?:st|nd|rd|th)?|(?P<equal>[0-9]{1,3})(?:st|nd|rd|th)? ?=)\s?\Z)"
)

# -- compounds ---------------------------------------------------------------------------------------------

_BETWEEN = r"(?:,? ?|-|,? and )"
_INCH_MARK = r"(?: ?(?:inch(?:es)?|in)\b| ?(?:[\"”″]|''|’’|′′))"
# Without any mark after it, the 2 of 6'2 is in inches and the 20 of 45'20 is not.
FEET = re.compile(
    r"(?<![\w.,°'’′])(?<!°[ \u00a0])(?:(?P<feet>[0-9]{1,3})(?: ?(?:ft|feet|foot)\b\.?| ?['’′])"
    rf"{_BETWEEN}(?P<inches>(?:1[01]|[0-9])(?:\.[0-9]{{1,3}}|½|¼|¾)?){_INCH_MARK}"
    rf"|(?P<short_feet>[0-9]{{1,3}}[ -]?(?:ft|feet|foot)\b\.?[ -]|[1-9] ?['’′] ?)(?P<short_inches>1[01]|[0-9])(?![0-9])"
    rf"{_PHRASE_ENDS})"
)
STONES = re.compile(r"(?<![\w.,])(?P<stones>[0-9]{1,2})[ -]?(?:st|stones?) ?(?P<pounds>[0-9]{1,2}) ?(?:lbs?|pounds?)\b")
# "5m30s" is a duration; "5 m 30 s" may be a length and a duration.
DURATION = re.compile(
    r"(?<![\w.,])(?:(?:(?:(?P<days>[0-9]{1,4}) ?(?:days?|d) ?)?"
    r"(?P<hours>[0-9]{1,4}) ?(?:hrs?|h) ?(?P<minutes>[0-5]?[0-9]) ?(?:mins?|m)"
    r"|(?P<most_minutes>[0-9]{1,4})(?: ?mins?|m)) ?(?P<seconds>[0-5]?[0-9](?:\.[0-9]{1,6})?) ?(?:secs?|s)\b"
    r"|(?P<whole_hours>[0-9]{1,4}) ?(?:hrs?|h) ?(?P<last_minutes>[0-5]?[0-9]) ?(?:mins?|m)\b)"
)

# -- words and what joins ----------------------------------------------------------------------------------

_WORD = rf"\b{_either(NUMBER_WORDS, any_case=True)}\b"
SPELLED = re.compile(rf"\b(?:{_PART_OF})?{_WORD}(?:{_AND_PART}|(?:-|{_GAP}(?:and{_GAP})?){_WORD}){{0,11}}{_UNIT}")
SPELLED_PIECE = re.compile(rf"(?P<part>{_PART_OF}|{_AND_PART})|{_WORD}")
PART = re.compile(_either(FRACTIONS_AFTER_NUMBERS, any_case=True))
DIGIT = re.compile(f"[0-9]|{_FRACTION}")
LETTERS = re.compile(r"[a-z]+")
JOINT = re.compile(rf"{_GAP}?(?:{_DASH}|to){_GAP}?")
SLASH = re.compile(rf"{_GAP}?/{_GAP}?")
COMMA = re.compile(_COMMA)
COMPOUND_JOINT = re.compile(rf"{_GAP}?(?:,{_GAP}?)?(?:and{_GAP})?")
