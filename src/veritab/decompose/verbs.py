"""English verb forms: always finite, past or participle, participle alone, or perhaps a noun."""

from __future__ import annotations

from functools import lru_cache

from veritab.lexicon.grammar import AUXILIARIES, NEGATED_AUXILIARIES

# Past forms that are not participles, and forms of the present that are hardly ever nouns.
_ALWAYS_FINITE = frozenset(
    """became began went wrote took gave came saw drew flew grew knew threw rose fell spoke broke chose drove ate sang
    swam lay bore wore tore swore arose awoke forgot froze shook stole strove withdrew undertook overtook mistook ran
    sank sprang shrank drank overcame underwent oversaw foresaw forbade forgave outgrew rode hid bit blew
    contains includes consists belongs becomes comes goes begins occurs appears receives takes gives makes provides
    requires represents describes tells operates competes connects occupies lies exists portrays depicts stands says
    depends remains borders stretches measures holds speaks writes wins loses owns employs publishes manufactures
    specialises specializes teaches refers involves focuses aims derives originates sells keeps brings leads
    allows uses wears carries maintains considers believes claims argues""".split()
)
# Nouns as often as verbs: only the context shows which.
_NOUNS_OR_VERBS = frozenset(
    """stars features plays works serves hosts shows covers runs tours reports ranks lives releases ends starts starred
    moves turns returns falls rises forms follows produces grows sings dates costs houses weighs sits flows
    draws offers marks sees gains claims holds remains measures leads uses stretches borders""".split()
)
# Of these, verbs even before a name: "stars Ann Lee", but not "defensive ends Ann Lee and ...".
_BEFORE_NAMES = frozenset("stars features hosts plays serves covers follows shows offers produces sees leads".split())
_PAST_OR_PARTICIPLE = frozenset(
    """won led made left lost held found built sold got met kept said told taught thought brought bought fought caught
    sought spent sent lent felt slept dealt meant paid laid set put cut hit shot stood understood heard sat beat slid
    spread split read lay burnt learnt cost ran come become rebuilt bred fled bound fed struck hung drew underwent
    overthrew""".split()
)
_ONLY_PARTICIPLES = frozenset(
    """born written known given taken seen done gone been begun broken chosen driven eaten fallen forgotten frozen grown
    hidden shown spoken stolen sung sunk thrown drawn worn sworn torn risen withdrawn overseen proven flown ridden
    rewritten forbidden beaten overthrown""".split()
)
_NOT_PAST_FORMS = frozenset(
    """hundred red seed speed breed need weed deed indeed bed shed unlimited united allied aged bred sacred naked wicked
    rugged embed feed succeed exceed proceed greed reed steed inbred left-handed biped moped hatred kindred""".split()
)
# Past forms with an object or a place after them: a verb after "and", whatever follows.
_ACTIVE_PAST = frozenset(
    """received earned married died moved graduated attended joined finished scored appeared worked served lived
    studied retired resigned returned participated competed collaborated reached peaked debuted ended started
    continued remained gained achieved succeeded arrived emigrated migrated lasted occurred happened existed
    belonged contained included consisted featured starred played wanted hoped tried refused decided agreed
    enjoyed suffered survived escaped visited travelled traveled toured defeated ranked placed qualified
    represented coached performed lacked resulted emerged collapsed disappeared vanished originated evolved
    stemmed depended contributed excelled failed hailed settled aired premiered voted applied relied covered
    weighed measured cost costs declared claimed stated announced believed argued helped employed passed won lost
    led made held sold got met kept spent sent fought taught sought brought bought felt stood beat had""".split()
)
# Present forms without an ending: finite after a plural, an infinitive after "to".
_PLURAL_PRESENT = frozenset(
    """eat live make take give form contain include belong consist need use grow produce come go see become run hold
    carry show lie begin end bear speak play work serve appear exist occur require provide represent feed lay swim fly
    breed reach cover know think believe cause help keep lose win sell buy move follow measure weigh vary differ range
    remain migrate inhabit hunt sleep drink absorb emit reflect orbit attract repel conduct cost""".split()
)


@lru_cache(maxsize=8192)
def is_always_finite(word: str) -> bool:
    """Whether a word is a finite verb wherever it stands."""
    return (
        (word in _ALWAYS_FINITE and word not in _NOUNS_OR_VERBS) or word in AUXILIARIES or word in NEGATED_AUXILIARIES
    )


def is_noun_or_verb(word: str) -> bool:
    """Whether a word is a verb or the plural of a noun."""
    return word in _NOUNS_OR_VERBS


def may_precede_name(word: str) -> bool:
    """Whether such a word is a verb where a name follows."""
    return word in _BEFORE_NAMES


@lru_cache(maxsize=8192)
def is_past_or_participle(word: str) -> bool:
    """Whether a word is a past form that may be a participle: "released", "won"."""
    return word in _PAST_OR_PARTICIPLE or (
        word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST_FORMS and "-" not in word
    )


def is_only_participle(word: str) -> bool:
    """Whether a word is a participle and nothing else: "born", "written"."""
    return word in _ONLY_PARTICIPLES


def may_be_participle(word: str) -> bool:
    """Whether a word is a past participle, or a past form that may be one."""
    return is_past_or_participle(word) or word in _ONLY_PARTICIPLES


def is_active_past(word: str) -> bool:
    """Whether a past form after "and" needs no look at what follows to be a verb."""
    return word in _ACTIVE_PAST


def is_plural_present(word: str) -> bool:
    """Whether a word may be the present of a plural: "whales eat fish"."""
    return word in _PLURAL_PRESENT


def is_past(word: str) -> bool:
    """Whether a finite verb is in the past."""
    return word in ("was", "were", "had", "did") or word.endswith("ed") or word in _PAST_OR_PARTICIPLE or word in _PASTS


_PASTS = frozenset(word for word in _ALWAYS_FINITE if not word.endswith("s"))
