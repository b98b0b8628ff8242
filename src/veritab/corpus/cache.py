"""The user's cache: what can be made anew at any time, kept where only its owner can read it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from veritab.files import make_private_folder, why_unwritable

_PACKAGE = Path(__file__).parents[1]


def cache_folder(holding: str = "") -> Path:
    """The folder of the cache; one of the temporary folder where the user's own can neither be written nor has that."""
    own = user_cache_path("veritab", appauthor=False)
    with suppress(OSError):
        make_private_folder(own)
        if not why_unwritable(own) or (holding and (own / holding).exists()):
            return own
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return make_private_folder(Path(tempfile.gettempdir()) / f"veritab-{user}")


def hash_code(*rooms: str) -> hashlib.blake2b:
    """A hash that changes with the code of rooms and of the modules beside them: what was read may be read otherwise.

    More can be added to it, and its `hexdigest` names what was made by that code.
    """
    made_by = hashlib.blake2b(digest_size=8)
    for path in (*sorted(_PACKAGE.glob("*.py")), *(path for room in rooms for path in _sources(room))):
        made_by.update(path.name.encode())
        made_by.update(path.read_bytes())
    return made_by


def _sources(room: str) -> list[Path]:
    return sorted((_PACKAGE / room).rglob("*.py"))
