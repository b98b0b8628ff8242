"""The closed classes of English words: those that name nothing by themselves."""

from __future__ import annotations

from veritab.text import STOP_WORDS, stem

NEGATIONS = frozenset("no not never".split())
NEGATION_WORDS = NEGATIONS | frozenset("none nobody nothing nowhere neither nor cannot without".split())
DENIALS = frozenset("not never cannot didn doesn don wasn isn aren weren hasn hadn haven nor hardly".split())
"""What denies the verb or the comparative after it; contractions without their "t", as words are tokenized."""
WITHOUT = frozenset("no not without outside non none never lack lacked neither".split())
"""What denies the name after it: "without a medal"."""

_NAMING_IN_TABLES = frozenset(
    """again am because can could doing few having here hers himself how i if itself me my nor off once our own should
    some t theirs through too under until we why you your""".split()
)
_EMPTY_IN_TABLES = frozenset("whose less least fewer first last just down per against between".split())
TABLE_STOP_STEMS = frozenset(map(stem, STOP_WORDS - _NAMING_IN_TABLES | _EMPTY_IN_TABLES))
"""Stems that never link a claim to a cell or a header by themselves."""

# -- parts of speech ---------------------------------------------------------------------------------------

ARTICLES = frozenset("a an the".split())
PERSONAL_PRONOUNS = frozenset("he she it they".split())
POSSESSIVES = frozenset("his her its their".split())
QUESTION_WORDS = frozenset("who whom whose what when where why how which".split())
RELATIVE_WORDS = frozenset("who which that whose whom where".split())
"""What begins a clause about a noun."""
SUBORDINATORS = RELATIVE_WORDS | frozenset("when because although though if whether unless how why what".split())
"""What begins any clause inside another."""
BEFORE_GROUP_SIZES = POSSESSIVES | frozenset("the of all s these those among".split())
"""What comes before the number of all the things there are: "the four rivers"."""
CLAUSE_CONJUNCTIONS = frozenset("and but while whereas".split())
"""What joins two clauses of the same rank."""
NAME_PARTICLES = frozenset("of de da di del la le van von der den the al bin ibn y e du des and for in on".split())
"""Words in lower case inside a name: "Leonardo da Vinci"."""
DETERMINERS = frozenset(
    """a an the his her its their this that these those some any many several numerous multiple most more less few both
    each every all no one two three four five six seven eight nine ten various only another""".split()
)
PREPOSITIONS = frozenset(
    """in on at by for from with of to into during after before since until under over as against among between through
    across around about near within without towards toward behind beside below above alongside via per throughout onto
    upon along off out up down outside inside despite beyond like than""".split()
)
ADVERBS = frozenset(
    """also later then subsequently eventually once never always still often finally soon currently now originally first
    previously formerly recently only even thus therefore usually initially mostly mainly primarily widely reportedly
    additionally instead briefly already just further simultaneously successfully actually officially probably
    generally twice largely""".split()
)
BE = frozenset("is are was were".split())
HAVE = frozenset("has have had".split())
MODALS = frozenset("can could will would may might must shall should cannot".split())
AUXILIARIES = BE | HAVE | MODALS | frozenset("does do did".split())
NEGATED_AUXILIARIES = frozenset(
    f"{word}{mark}t"
    for word in "isn aren wasn weren hasn haven hadn doesn don didn can couldn won wouldn shouldn mustn".split()
    for mark in "'’"
)
