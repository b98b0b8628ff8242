"""Words that can stand for each other in a sentence and make it say something else."""

from __future__ import annotations

MONTHS = ("January February March April May June July August September October November December").split()
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

NUMBERS = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()

_OPPOSITES = """first/last older/younger oldest/youngest before/after earlier/later earliest/latest north/south
northern/southern northeast/southwest northwest/southeast northeastern/southwestern northwestern/southeastern
east/west eastern/western increase/decrease increased/decreased increasing/decreasing more/less most/least
largest/smallest larger/smaller highest/lowest higher/lower longest/shortest longer/shorter best/worst won/lost
winning/losing male/female men/women men's/women's boys/girls son/daughter sons/daughters husband/wife father/mother
brother/sister public/private upper/lower major/minor professional/amateur former/current opened/closed always/never
including/excluding indoor/outdoor left/right inside/outside ancient/modern domestic/international positive/negative
success/failure successful/unsuccessful winner/loser winners/losers victory/defeat defeated/joined bought/sold
rural/urban single/double beginning/end begins/ends began/ended started/finished majority/minority summer/winter
rejected/accepted primary/secondary above/below arrived/departed hero/villain live-action/animated black/white
fiction/non-fiction maximum/minimum day/night founded/dissolved wealthy/poor rich/poor popular/unpopular
tallest/shortest largely/hardly common/rare rarely/often frequently/seldom acquired/sold comedy/tragedy
senior/junior""".split()
OPPOSITES = {one: other for pair in _OPPOSITES for one, other in (pair.split("/"), pair.split("/")[::-1])}
"""Each word and one that says the opposite."""
