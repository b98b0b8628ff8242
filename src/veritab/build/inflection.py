"""Forms of English verbs: what a finite form is a form of, and the other forms of it (lemminflect)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from veritab.decompose.verbs import is_past
from veritab.errors import MissingExtra

# Forms whose lemma the tables get wrong, or leave open, in the sense that claims have them.
_BASES = {"found": "find", "lay": "lie", "lies": "lie", "left": "leave", "felt": "feel", "saw": "see", "bore": "bear"}
_PARTICIPLES = {"lie": "lain", "get": "got", "beat": "beaten"}
_PASTS = {"lie": "lay", "be": "was"}


@lru_cache(maxsize=1)
def _inflector() -> Any:
    try:
        import lemminflect
    except ModuleNotFoundError:
        raise MissingExtra("changing the form of a verb", "build") from None
    return lemminflect


@lru_cache(maxsize=4096)
def base_form(verb: str) -> str:
    """The infinitive of a finite verb: "won" is "win"."""
    if verb in _BASES:
        return _BASES[verb]
    found = _inflector().getLemma(verb, "VERB")
    return str(found[0]) if found else verb


@lru_cache(maxsize=4096)
def base_noun(noun: str) -> str:
    """The singular of a noun: "mountains" is "mountain"."""
    found = _inflector().getLemma(noun, "NOUN")
    return str(found[0]) if found else noun


@lru_cache(maxsize=4096)
def inflect(base: str, tag: str) -> str:
    """A form of a verb by its Penn tag: VBD the past, VBN the participle, VBZ the third person, VBG the gerund."""
    if tag == "VBN" and base in _PARTICIPLES:
        return _PARTICIPLES[base]
    if tag == "VBD" and base in _PASTS:
        return _PASTS[base]
    found = _inflector().getInflection(base, tag)
    return str(found[0]) if found else base


def is_past_form(verb: str) -> bool:
    """Whether a finite verb is in the past: "won", "cost"; a form that is both is taken for the past."""
    return is_past(verb) or inflect(base_form(verb), "VBD") == verb
