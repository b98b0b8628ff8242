"""The forms of English verbs and nouns, from lemminflect's lists; words that those do not know follow the rules."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from veritab.decompose.verbs import is_past
from veritab.errors import MissingExtra
from veritab.lexicon.grammar import ARTICLES, PREPOSITIONS, SUBORDINATORS

FINITE = frozenset(("VBD", "VBZ", "VBP"))
BASE = frozenset(("VB",))
PARTICIPLES = frozenset(("VBN", "VBG"))
# Forms whose lemma the lists get wrong, or leave open, in the sense that claims have them.
_BASES = {"found": "find", "lay": "lie", "lies": "lie", "left": "leave", "felt": "feel", "saw": "see", "bore": "bear"}
_IRREGULAR = {
    ("lie", "VBN"): "lain", ("lie", "VBD"): "lay", ("get", "VBN"): "got", ("beat", "VBN"): "beaten",
    ("be", "VBD"): "was",
}  # fmt: skip
_VOWELS = frozenset("aeiou")


@lru_cache(1)
def _lists() -> ModuleType:
    try:
        import lemminflect
    except ImportError:
        raise MissingExtra("changing the forms of words", "build") from None
    module: ModuleType = lemminflect
    return module


def check_installed() -> None:
    """Raise `MissingExtra` where the lists of forms are not installed, before any work is begun."""
    _lists()


@lru_cache(50_000)
def verb_tags(word: str) -> frozenset[str]:
    """Which forms of a verb a word in lower case may be, by their Penn tags; none where it is no verb."""
    prefix, stem = _cut_prefix(word)
    if not stem.isalpha():
        return frozenset()
    tags: set[str] = set()
    for lemma in _lists().getAllLemmas(stem).get("VERB", ()):
        forms = _lists().getAllInflections(lemma, "VERB")
        tags.update(tag for tag, spelled in forms.items() if stem in spelled)
    if prefix and "VB" not in tags and not tags:
        return frozenset()
    if tags & {"VBD"} and stem.endswith("ed"):
        tags.add("VBN")
    return frozenset(tags)


@lru_cache(50_000)
def may_be_modifier(word: str) -> bool:
    """Whether a word may be an adjective or an adverb."""
    known = _lists().getAllLemmas(word) if word.isalpha() else {}
    return "ADJ" in known or "ADV" in known


@lru_cache(50_000)
def is_only_verb(word: str) -> bool:
    """Whether a word is neither a noun nor an adjective nor an adverb by the lists."""
    return not {"NOUN", "ADJ", "ADV"} & set(_lists().getAllLemmas(_cut_prefix(word)[1]))


@lru_cache(50_000)
def is_adjective(word: str) -> bool:
    """Whether a word is an adjective and nothing else."""
    return word.isalpha() and set(_lists().getAllLemmas(word)) == {"ADJ"}


@lru_cache(50_000)
def is_adverb(word: str) -> bool:
    """Whether a word is an adverb and nothing else: "originally"."""
    return word.isalpha() and set(_lists().getAllLemmas(word)) == {"ADV"}


@lru_cache(50_000)
def is_plural_noun(word: str) -> bool:
    """Whether a word is a plural noun by its form: "episodes", "men"."""
    if not word.isalpha():
        return False
    lemmas = _lists().getAllLemmas(word).get("NOUN", ())
    return bool(lemmas) and word not in lemmas and word not in ("us", "is", "was", "has")


@lru_cache(50_000)
def is_common(word: str) -> bool:
    """Whether a word in lower case is a common one: in the lists as anything but a name alone."""
    kinds = _lists().getAllLemmas(word) if word.isalpha() else {}
    return word in ARTICLES | PREPOSITIONS | SUBORDINATORS or any(kind != "PROPN" for kind in kinds)


@lru_cache(50_000)
def inflect(word: str, tag: str) -> str:
    """A verb in another of its forms: inflect("go", "VBD") is "went"; a word that is no verb stays as it is."""
    prefix, stem = _cut_prefix(word)
    known = _lists().getAllLemmas(stem).get("VERB", ())
    lemma = stem if stem in known else next(iter(known), stem)
    if tag == "VB":
        return prefix + lemma
    forms = _lists().getInflection(lemma, tag, inflect_oov=False)
    return prefix + (_IRREGULAR.get((lemma, tag)) or (forms[0] if forms else _regular(lemma, tag)))


@lru_cache(4096)
def base_form(verb: str) -> str:
    """The infinitive of a finite verb in a statement: "won" is "win", "found" is "find"."""
    return _BASES.get(verb) or str(next(iter(_lists().getLemma(verb, "VERB")), verb))


def is_past_form(verb: str) -> bool:
    """Whether a finite verb is in the past: "won", "cost"; a form that is both is taken for the past."""
    return is_past(verb) or inflect(base_form(verb), "VBD") == verb


@lru_cache(4096)
def base_noun(noun: str) -> str:
    """The singular of a noun, also of one that the lists do not know: "mountains" is "mountain"."""
    return str(next(iter(_lists().getLemma(noun, "NOUN")), noun))


@lru_cache(50_000)
def lemma_of(word: str) -> str:
    """The base form of a word that may be a verb; any other word as it is."""
    return inflect(word, "VB") if verb_tags(word) else word


@lru_cache(10_000)
def singular(word: str) -> str:
    """A plural noun in the singular; any other word as it is."""
    return str(_lists().getAllLemmas(word)["NOUN"][0]) if is_plural_noun(word) else word


@lru_cache(4096)
def plural_noun(word: str) -> str:
    """The plural of a noun in the singular; empty where the lists know none."""
    if word not in _lists().getAllLemmas(word).get("NOUN", ()):
        return ""
    return str(next(iter(_lists().getInflection(word, "NNS", inflect_oov=False)), ""))


@lru_cache(maxsize=16384)
def is_common_word(word: str) -> bool:
    """Whether a word in lower case is one of the language, in any form: "chokes", not "louisiana"."""
    return bool(_lists().getAllLemmas(word))


@lru_cache(maxsize=4096)
def is_comparative(word: str) -> bool:
    """Whether a word compares: "longer", not "number" or "river"."""
    if not word.endswith("er") or word in ("number", "former", "other", "latter"):
        return False
    return any(str(base) != word for base in _lists().getLemma(word, "ADJ", lemmatize_oov=False))


@lru_cache(maxsize=4096)
def is_only_noun(word: str) -> bool:
    """Whether a word in lower case is a noun, and no adjective or adverb."""
    kinds = set(_lists().getAllLemmas(word)) if word.isalpha() else set()
    return "NOUN" in kinds and not kinds & {"ADJ", "ADV"} and not verb_tags(word) & PARTICIPLES


@lru_cache(maxsize=4096)
def inflect_noun(noun: str) -> str:
    """The plural of a noun; nothing where the lists have none."""
    found = _lists().getInflection(base_noun(noun), "NNS", inflect_oov=False)
    return str(found[0]) if found else ""


@lru_cache(maxsize=4096)
def is_noun(word: str) -> bool:
    """Whether a word in lower case can be a noun."""
    return bool(_lists().getLemma(word, "NOUN", lemmatize_oov=False))


def _cut_prefix(word: str) -> tuple[str, str]:
    """What comes before the last hyphen, and the rest: "co-" and "wrote"."""
    head, hyphen, stem = word.rpartition("-")
    return head + hyphen, stem


def _regular(lemma: str, tag: str) -> str:
    ends_in_y = len(lemma) > 1 and lemma.endswith("y") and lemma[-2] not in _VOWELS
    if tag == "VBZ":
        if ends_in_y:
            return f"{lemma[:-1]}ies"
        return f"{lemma}es" if lemma.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{lemma}s"
    if tag in ("VBD", "VBN"):
        if ends_in_y:
            return f"{lemma[:-1]}ied"
        return f"{lemma}d" if lemma.endswith("e") else f"{lemma}ed"
    if tag == "VBG":
        return f"{lemma[:-1]}ing" if lemma.endswith("e") and not lemma.endswith("ee") else f"{lemma}ing"
    return lemma
