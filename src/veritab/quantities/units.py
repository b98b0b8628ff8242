"""Units: their names, what they measure, and how one is turned into another."""

from __future__ import annotations

from dataclasses import replace

from veritab.quantities.types import Quantity

_YEAR = 31_556_952.0  # seconds in the mean year of the calendar, 365.2425 days

# By what is measured: each unit under the name it is compared by, its factor to the first unit, and its other names.
# Tons are taken for tonnes. Gallons differ between countries, so they are a measure of their own.
_MEASURES: dict[str, dict[str, tuple[float, str]]] = {
    "share": {"%": (1, "percent|per cent|pct")},
    "length": {
        "m": (1, "metres|metre|meters|meter"),
        "km": (1000, "kilometres|kilometre|kilometers|kilometer|kms"),
        "cm": (0.01, "centimetres|centimetre|centimeters|centimeter"),
        "mm": (0.001, "millimetres|millimetre|millimeters|millimeter"),
        "mi": (1609.344, "miles|mile"),
        "nmi": (1852, "nautical miles|nautical mile"),
        "furlong": (201.168, "furlongs"),
        "yd": (0.9144, "yards|yard|yds"),
        "ft": (0.3048, "feet|foot"),
        "in": (0.0254, "inches|inch"),
        "ly": (9.4607304725808e15, "light-years|light-year|light years|light year"),
    },
    "area": {
        "m²": (1, "m2|square metres|square metre|square meters|square meter|sq m|m square"),
        "km²": (1e6, "km2|square kilometres|square kilometre|square kilometers|square kilometer|sq km|km square"),
        "sq mi": (2_589_988.110336, "square miles|square mile|mi²|mi2|mi square"),
        "sq ft": (0.09290304, "square feet|square foot|ft²|ft2|ft square"),
        "ha": (1e4, "hectares|hectare"),
        "acre": (4046.8564224, "acres"),
    },
    "volume": {
        "L": (1, "litres|litre|liters|liter"),
        "hL": (100, "hectolitres|hectolitre|hectoliters|hectoliter|hl"),
        "mL": (0.001, "millilitres|milliliters"),
        "cm³": (0.001, "cm3|cc|cubic centimetres|cubic centimeters"),
        "m³": (1000, "m3|cubic metres|cubic metre|cubic meters|cubic meter"),
    },
    "gallons": {"gal": (1, "gallons|gallon")},
    "mass": {
        "kg": (1, "kilograms|kilogram|kilogrammes|kilogramme|kilos|kgs"),
        "g": (0.001, "grams|gram|grammes"),
        "mg": (1e-6, "milligrams|milligram"),
        "t": (1000, "tonnes|tonne|tons|ton"),
        "lb": (0.45359237, "pounds|pound|lbs"),
        "oz": (0.028349523125, "ounces|ounce"),
        "st": (6.35029318, "stone|stones"),
    },
    "time": {
        "s": (1, "seconds|second|sec|secs"),
        "ms": (0.001, "milliseconds|millisecond"),
        "min": (60, "minutes|minute|mins"),
        "h": (3600, "hours|hour|hrs|hr"),
        "day": (86_400, "days"),
        "week": (604_800, "weeks"),
        "month": (_YEAR / 12, "months"),
        "year": (_YEAR, "years|yrs|yr"),
        "decade": (10 * _YEAR, "decades"),
        "century": (100 * _YEAR, "centuries"),
    },
    "speed": {
        "km/h": (
            1 / 3.6,
            "kph|kmh|km / h|km per hour|kilometres per hour|kilometers per hour|kilometre per hour|kilometer per hour",
        ),
        "mph": (0.44704, "miles per hour|mile per hour|mi per hour|mi/h"),
        "km/s": (1e3, "km / s|km per second|kilometres per second|kilometers per second"),
        "m/s": (1, "m / s|m per second|metres per second|meters per second|metre per second|meter per second"),
        "ft/s": (0.3048, "feet per second|ft per second"),
        "kn": (1852 / 3600, "knots|knot|kts"),
    },
    "power": {
        "W": (1, "watts|watt"),
        "kW": (1e3, "kilowatts|kilowatt"),
        "MW": (1e6, "megawatts|megawatt"),
        "GW": (1e9, "gigawatts|gigawatt"),
        "hp": (745.69987158227, "horsepower|bhp"),
        "PS": (735.49875, ""),
    },
    "energy": {
        "kWh": (1, "kilowatt-hours|kilowatt hours"),
        "MWh": (1e3, "megawatt-hours|megawatt hours"),
        "GWh": (1e6, "gigawatt-hours|gigawatt hours"),
        "TWh": (1e9, "terawatt-hours|terawatt hours"),
    },
    "frequency": {"Hz": (1, "hertz"), "kHz": (1e3, "kilohertz"), "MHz": (1e6, "megahertz"), "GHz": (1e9, "gigahertz")},
    "data": {
        "byte": (1, "bytes"),
        "kB": (1e3, "KB|kilobytes|kilobyte"),
        "MB": (1e6, "megabytes|megabyte"),
        "GB": (1e9, "gigabytes|gigabyte"),
        "TB": (1e12, "terabytes|terabyte"),
    },
    "temperature": {
        "°C": (1, "degrees Celsius|degree Celsius|degrees C|C°"),
        "°F": (5 / 9, "degrees Fahrenheit|degree Fahrenheit|degrees F"),
        "kelvin": (1, "kelvins"),
    },
}
# Every dollar is a "$", whichever country's: a text that says A$ once says $ afterwards.
_MONEY = {
    "$": "US$|US dollars|U.S. dollars|Australian dollars|Canadian dollars|dollars|dollar|USD",
    "€": "euros|euro|EUR",
    "£": "pounds sterling|GBP",
    "¥": "yen|JPY",
    "₹": "rupees|rupee|INR",
    "CN¥": "yuan|renminbi|RMB|CNY",
    "₩": "KRW",
    "₽": "rubles|ruble|roubles|rouble|RUB",
    "₺": "",
    "₱": "",
    "₦": "naira|NGN",
    "฿": "baht|THB",
    "R$": "BRL",
    "CHF": "Swiss francs",
    "franc": "francs",
    "lira": "liras|lire",
    "peso": "pesos",
    "kr": "kronor|krona|kroner|krone",
    "SEK": "",
    "NOK": "",
    "DKK": "",
    "zł": "PLN|zloty|zlotys",
}
_MEASURES |= {f"money:{unit}": {unit: (1, names)} for unit, names in _MONEY.items()}
_CONVERSIONS = {unit: (measure, factor) for measure, units in _MEASURES.items() for unit, (factor, _) in units.items()}
# What 0 of a unit is in the first unit of its measure, where it is not 0.
_ZERO_POINTS = {"°F": -160 / 9, "kelvin": -273.15}

UNITS = {
    name: unit
    for units in _MEASURES.values()
    for unit, (_, names) in units.items()
    for name in (unit, *filter(None, names.split("|")))
}
# Tokenised tables are in small letters. A small w is a win more often than a watt.
UNITS |= {name.lower(): unit for name, unit in UNITS.items() if len(name) < 5 and name != "W"} | UNITS
UNIT_WORDS = {name.lower(): unit for name, unit in UNITS.items() if len(name) > 3}

# A compound such as 6 ft 2 in: how many of the second unit the first one has, and so may not be reached.
COMPOUNDS = {
    ("ft", "in"): 12, ("st", "lb"): 14, ("lb", "oz"): 16, ("yd", "ft"): 3, ("mi", "yd"): 1760, ("m", "cm"): 100,
    ("km", "m"): 1000, ("kg", "g"): 1000,
    ("year", "month"): 12, ("year", "week"): 53, ("year", "day"): 366, ("month", "week"): 5, ("month", "day"): 31,
    ("week", "day"): 7, ("day", "h"): 24, ("day", "s"): 86_400, ("h", "min"): 60, ("h", "s"): 3600, ("min", "s"): 60,
}  # fmt: skip


def parse_unit(name: str) -> str:
    """The unit that a name stands for: "km²" for "square kilometres", empty for what is not a unit."""
    name = name.strip()
    return UNITS.get(name) or UNIT_WORDS.get(name.lower(), "")


def dimension(unit: str) -> str:
    """What a unit measures ("length", "time", "money:$"), empty for what is not a unit."""
    return _CONVERSIONS[unit][0] if unit in _CONVERSIONS else _CONVERSIONS.get(parse_unit(unit), ("", 0))[0]


def convert(quantity: Quantity, unit: str) -> Quantity | None:
    """The same quantity in another unit of the same dimension; None where the dimensions differ."""
    target = unit if unit in _CONVERSIONS else parse_unit(unit)
    if quantity.unit == target and target:
        return quantity
    if quantity.unit not in _CONVERSIONS or target not in _CONVERSIONS:
        return None
    (measure, factor), (target_measure, target_factor) = _CONVERSIONS[quantity.unit], _CONVERSIONS[target]
    if measure != target_measure:
        return None
    shift = _ZERO_POINTS.get(quantity.unit, 0.0) - _ZERO_POINTS.get(target, 0.0)
    value = (quantity.value * factor + shift) / target_factor
    return replace(quantity, value=value, unit=target, step=quantity.step * factor / target_factor)


def compound(major: Quantity, minor: Quantity) -> Quantity | None:
    """One quantity out of two such as 6 ft and 2 in, in the unit of the first; None where they do not add up."""
    most = COMPOUNDS.get((major.unit, minor.unit))
    if not most or major.step != 1 or major.value < 0 or not 0 <= minor.value < most:
        return None
    added = convert(minor, major.unit)
    span = (major.span[0], minor.span[1])
    return added and Quantity(major.value + added.value, major.unit, span, added.step)
