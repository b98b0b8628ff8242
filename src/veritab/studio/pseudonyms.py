"""What people are called in a studio: names that say nothing about who they are."""

from __future__ import annotations

import re
from random import Random

from veritab.errors import InputError, short_repr

_NAME = re.compile(r"[a-z0-9](?:-?[a-z0-9]){2,39}")

_MANNERS = (
    "amber bold brisk calm candid careful cheerful clear clever curious eager early fair fleet gentle glad golden "
    "hardy hazel honest humble jolly keen kind lively lucid mellow merry mild nimble noble patient placid plain proud "
    "quick quiet ready sage sandy serene silver sincere sober sprightly steady still sunny swift tidy warm wise witty"
).split()
_ANIMALS = (
    "badger beaver bison bittern bunting chamois crane curlew deer dipper dolphin dove dunlin egret eider falcon finch "
    "gannet godwit goose grebe hare hawk heron hoopoe ibex ibis jay kestrel kite lark lynx marmot marten merlin "
    "moose otter owl pika plover puffin quail raven robin seal shrew siskin snipe stork swallow swan swift tern thrush "
    "turtle wagtail wren"
).split()


def check_pseudonym(name: str) -> str:
    """The name in small letters, where it may be somebody's; otherwise an InputError."""
    if "@" in name:
        raise InputError(
            f"{short_repr(name)} looks like an e-mail address; people have pseudonyms here, e.g. 'quiet-heron-17'"
        )
    found = name.strip().lower()
    if not _NAME.fullmatch(found):
        raise InputError(
            f"{short_repr(name)} cannot be a name; expected 3 to 40 letters from a to z, digits and single dashes, "
            "e.g. 'quiet-heron-17'"
        )
    return found


def draw_pseudonym(rng: Random) -> str:
    """A pleasant name that nobody chose, e.g. "quiet-heron-17"."""
    return f"{rng.choice(_MANNERS)}-{rng.choice(_ANIMALS)}-{rng.randrange(10, 100)}"
