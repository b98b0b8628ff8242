"""The words of a claim that ask for a computation, by the name of what they ask.

The semantic parser's weights were fitted with these lists: a word added or removed calls for fitting them again, and so
some lists lack words that `comparison` has.
"""

from __future__ import annotations

CUE_WORDS = {
    "high": """highest most largest greatest biggest longest tallest oldest heaviest best maximum max top strongest
        richest deepest widest fastest hottest warmest newest""",
    "low": """lowest least smallest fewest shortest youngest lightest worst minimum min bottom slowest poorest narrowest
        coldest""",
    "early": "earliest first oldest initial opening debut begin began",
    "late": "latest last final newest youngest recently recent",
    "more": """more higher greater larger bigger longer taller older heavier better above over exceed exceeded outnumber
        beat later farther further faster wider deeper ahead""",
    "less": "less fewer lower smaller shorter younger lighter worse below under earlier slower behind",
    "than": "than",
    "before": "before prior earlier preceded predate predated previous",
    "after": "after later followed following since subsequent next succeeded",
    "count": "count time once twice different occasion instance several multiple",
    "sum": "total sum combined altogether together overall cumulative aggregate",
    "mean": "average averaged mean typical averaging",
    "only": "only sole solely exclusively alone just unique",
    "all": "all every each always everyone entire throughout any",
    "none": "none no never nobody neither nor without zero",
    "not": "not never didn doesn wasn isn weren haven hasn cannot fail failed unable no non",
    "most_of": "majority mostly mainly",
    "half": "half third quarter percent percentage proportion share cent majority",
    "same": "same identical equal equally tie tied share shared similar both",
    "different": "different differ unique distinct various varied separate",
    "difference": "difference differential gap margin apart between by",
    "twice": "twice double doubled triple tripled thrice quadrupled halved",
    "common": "often frequent frequently commonly popular",
    "and": "and both while but",
    "or": "or",
    "if": "when if where with who that which while for during in on",
    "rise": """increase increased increasing rise rose grew growth grow growing improved climb climbed gain gained""",
    "fall": "decrease decreased decreasing decline declined fall fell drop dropped shrank reduced lost",
    "other": "other another else except besides rest remaining exception",
    "win": "win won victory defeat defeated beat champion victorious winner",
    "lose": "lose lost loss losing loser",
    "draw": "draw drew drawn tied tie",
    "consecutive": "consecutive row straight streak",
    "range": "between from range",
    "rank": "rank ranked ranking place placed finished position",
    "lasting": """lasted lived served governed ruled reigned held aged age old stayed remained took spent duration
        tenure""",
}
CUE_PHRASES = {
    "superlative": r"\b(?!forest|west|east|rest|test)\w{3,}est\b|(?!^)(?<!at )\b(?:most|least) (?!of\b)\w+",
    "late": r"\bmost recent\b",
    "count": r"\bthere (?:be|are|were|is|was|have been)\b|\b(?:number|total) of\b|\bhow many\b",
    "sum": r"\bin (?:all|total)\b|\badd up\b|\bbetween them\b|\bend to end\b",
    "mean": r"\bon average\b",
    "none": r"\bnot (?:any|one|a single)\b",
    "most_of": r"(?<!at )\bmost\b|\bmore than half\b",
    "twice": r"\bhalf as\b|\btime (?:as|more|the|higher|larger|longer)\b",
    "common": r"\bmost common\b|\b(?:most|more) time\b",
    "and": r"\bas well as\b",
    "ordinal": r"\b(?:second|third|fourth|fifth|sixth|seventh|[0-9]*(?:1st|2nd|3rd|[0-9]th))\b",
    "than any": r"\bthan (?:any|all|every|each|everyone)\b|\bthan .*\bthe other\b|\bno other\b",
    "no than": r"\b(?:no|none|never|nobody|not (?:one|a|any))\b.*\b(?:than|as \w+ .*\bas)\b",
    "part of": r"\b(?:percent|cent|half|third|quarter|majority|share|proportion|most)\b.*\bof\b",
    "are the": r"\b(?:are|were) (?:the|those)\b|\bthose\b|\bthe one\b|\b(?:that|which|who)\b.*\b(?:are|were)\b",
    "among": r"\b(?:one of|among) the\b",
}
"""Regular expressions over the stems of a claim."""
PROGRAM_CUES = {
    "sum": "total sum combined altogether together overall cumulative aggregate add taken put amount come",
    "mean": "average averaged mean averaging",
    "share": "percent per cent half majority share proportion account make made",
    "count": "exactly total number time different",
    "distinct": "different distinct separate number various unique",
    "ratio": "time twice double doubled triple tripled quadrupled half",
    "only": "only sole alone one single unique",
    "same": "same identical equal different separate both",
    "trend": "increase increased rise rose grew fell decrease decreased decline declined",
    "most": "majority mostly",
    "difference": "difference margin gap exactly",
}
"""The stems that a kind of program explains: a claim with nothing else is covered by it."""
ORDER_CUES = frozenset(
    """more most less least fewer first last best top worst before after earlier later next previous followed
    following ahead behind beat over under above below exceed surpassed recent final predate predated prior""".split()
)
"""Words that order two things or set one first."""
DURATION_CUES = frozenset(
    """lasted last lived live served serve governed ruled reigned held hold aged age old stayed remained took spent
    duration tenure longer longest long shorter shortest past office""".split()
)
"""Words that ask how long something was."""
QUANTIFIER_CUES = frozenset(
    """only sole all every each any none most both either neither also majority least other another others except while
    but whereas respectively average mean""".split()
)
"""Words with which a claim is about more than two values."""
COLUMN_CUES = """
    all any average both combined count decrease each either every exactly except few fewer fewest first former
    greater greatest half highest increase last latest largest least less longest lowest majority many maximum mean
    minimum more most multiple neither never no none number numerous often oldest once only other over same second
    several shortest smallest some sum than total twice various winningest worst youngest best biggest earliest
"""
"""Words with which a claim asks about a whole column, as the weights of cell retrieval know them."""
