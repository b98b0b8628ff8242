"""The folder of a server: what its visitors brought, and what outlives a restart. One server at a time has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veritab.corpus.database import take_lock
from veritab.errors import InputError
from veritab.files import make_private_folder

_LOCK = "server.lock"


def default_folder(port: int) -> Path:
    """Where the server of a port keeps its state: addresses hold the port too, so they stay valid."""
    from platformdirs import user_state_path

    return user_state_path("veritab", appauthor=False) / str(port)


def default_corpora() -> Path:
    """Where documents are kept under a name, for every server of this user."""
    from platformdirs import user_data_path

    return user_data_path("veritab", appauthor=False) / "corpora"


@contextmanager
def held_folder(folder: Path) -> Iterator[Path]:
    """The folder, for its owner and for one server alone."""
    try:
        made = make_private_folder(folder)
        lock = take_lock(made / _LOCK)
    except OSError as error:
        raise InputError(
            f"cannot write to {str(folder)!r}: {error.strerror}; give another folder: --state DIR"
        ) from None
    if lock is None:
        raise InputError(f"another server uses {str(folder)!r}; stop it, or give this one a folder: --state DIR")
    try:
        (made / _LOCK).chmod(0o600)
        yield made
    finally:
        lock.close()
