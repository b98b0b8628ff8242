"""Names of peoples and places that can stand for each other in a sentence and make it say something else."""

from __future__ import annotations

NATIONALITIES = (
    "American British English Scottish Welsh Irish French German Italian Spanish Portuguese Dutch Belgian Swiss "
    "Austrian Polish Czech Hungarian Romanian Bulgarian Greek Turkish Russian Ukrainian Swedish Norwegian Danish "
    "Finnish Icelandic Canadian Mexican Brazilian Argentine Chilean Colombian Peruvian Cuban Jamaican Australian "
    "Indian Pakistani Bangladeshi Chinese Japanese Korean Vietnamese Thai Indonesian Malaysian Filipino Iranian Iraqi "
    "Israeli Egyptian Moroccan Nigerian Ghanaian Kenyan Ethiopian Serbian Croatian Slovenian Albanian Latvian "
    "Lithuanian Estonian"
).split()
COUNTRIES = (
    "France Germany Italy Spain Portugal Belgium Switzerland Austria Poland Hungary Romania Bulgaria Greece Turkey "
    "Russia Ukraine Sweden Norway Denmark Finland Iceland Canada Mexico Brazil Argentina Chile Colombia Peru Cuba "
    "Jamaica Australia India Pakistan Bangladesh China Japan Vietnam Thailand Indonesia Malaysia Iran Iraq Israel "
    "Egypt Morocco Nigeria Ghana Kenya Ethiopia Serbia Croatia Slovenia Albania Latvia Lithuania Estonia England "
    "Scotland Wales Ireland"
).split()
LARGE_PLACES = frozenset(
    "United States,United Kingdom,Great Britain,Europe,Asia,Africa,North America,South America,America,Soviet Union,"
    "California,Texas,New York,Florida,European Union,Western Europe,Eastern Europe,UK,US,USA,U.S.,Britain".split(",")
)
"""PackedPositions that hold many others: a town swapped for one of them may make no false sentence."""
