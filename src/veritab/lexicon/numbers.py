"""The words and signs that numbers, fractions, multiples and dates are written with."""

from __future__ import annotations

_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
SMALL_CARDINALS = {word: n for n, word in enumerate(f"zero {_ONES} eighteen nineteen".split())}
TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
SCALES = {
    "hundred": 10**2, "thousand": 10**3, "lakh": 10**5, "million": 10**6, "crore": 10**7, "billion": 10**9,
    "trillion": 10**12, "dozen": 12,
}  # fmt: skip
SCALE_ABBREVIATIONS = {"k": 10**3, "m": 10**6, "mn": 10**6, "mln": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40,
    "fiftieth": 50, "sixtieth": 60, "seventieth": 70, "eightieth": 80, "ninetieth": 90, "hundredth": 100,
}  # fmt: skip
NUMBER_WORDS = frozenset({*SMALL_CARDINALS, *TENS, *SCALES, *ORDINALS})

# -- fractions and multiples -------------------------------------------------------------------------------

FRACTION_SIGNS = {
    "½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅖": 2 / 5, "⅗": 3 / 5, "⅘": 4 / 5,
    "⅙": 1 / 6, "⅚": 5 / 6, "⅐": 1 / 7, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8, "⅞": 7 / 8, "⅑": 1 / 9, "⅒": 1 / 10,
}  # fmt: skip
FRACTIONS_AFTER_NUMBERS = {"half": 1 / 2, "quarter": 1 / 4, "quarters": 3 / 4}
"""What "and a half" adds to the number before it."""
NUMERATORS = {"a": 1, **{word: SMALL_CARDINALS[word] for word in ("one", "two", "three", "four")}}
DENOMINATORS = {"half": 2, "halve": 2, "quarter": 4, **{word: n for word, n in ORDINALS.items() if 3 <= n <= 10}}
"""Stems of the words that divide: the third of "two thirds"."""
FACTORS = {"twice": 2.0, "double": 2.0, "thrice": 3.0, "triple": 3.0, "half": 0.5}
"""What "twice as many" multiplies by."""
GROWTH_FACTORS = {"doubled": 2.0, "tripled": 3.0, "trebled": 3.0, "quadrupled": 4.0, "halved": 0.5}
"""What a value that "quadrupled" is multiplied by."""
MULTIPLES = {**FACTORS, **GROWTH_FACTORS, "treble": 3.0, "quadruple": 4.0, "tenfold": 10.0}

# -- the calendar ------------------------------------------------------------------------------------------

MONTH_NAMES = tuple("January February March April May June July August September October November December".split())
MONTHS = {name.lower(): n for n, name in enumerate(MONTH_NAMES, 1)}
MONTH_WORDS = MONTHS | {name[:3]: n for name, n in MONTHS.items()} | {"sept": 9}
"""Names of months and what they are shortened to, with their numbers."""
MONTHS_ALSO_VERBS = ("march", "may")
WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
CALENDAR_WORDS = WEEKDAYS | MONTHS.keys()
