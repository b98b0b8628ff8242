"""API keys: who may ask, where not everybody may."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable
from pathlib import Path

from veritab.errors import InputError, NotFound

_SHORTEST = 16


class Keys:
    """Keys that open the server; none at all leaves it open to everybody.

    Only digests are kept, and every key is compared with every digest in constant time, so that the time an answer
    takes reveals nothing about a key.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._digests = [_digest(_check_key(key)) for key in keys]

    @classmethod
    def read(cls, path: Path) -> Keys:
        """The keys of a file, one a line; empty lines and lines that begin with # are skipped."""
        if not path.is_file():
            raise NotFound(f"no file of API keys at {str(path)!r}; write one key a line into it")
        lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
        keys = [line for line in lines if line and not line.startswith("#")]
        if not keys:
            raise InputError(f"{str(path)!r} holds no API key; write one a line into it")
        return cls(keys)

    def __bool__(self) -> bool:
        return bool(self._digests)

    def identify(self, authorization: str | None) -> str | None:
        """The name of the key that an Authorization header carries, as a token or as the password a browser asked for.

        The name is the beginning of the key's digest, so that it may be kept; None where there is no such key.
        """
        given = _digest(_extract_key(authorization or ""))
        matches = [hmac.compare_digest(given, digest) for digest in self._digests]
        return given.hex()[:16] if any(matches) else None


def _check_key(key: str) -> str:
    if len(key) < _SHORTEST or not key.isascii() or not key.isprintable() or " " in key:
        raise InputError(
            f"an API key of {len(key)} characters cannot be used: it needs at least {_SHORTEST} letters, digits or "
            "signs and no spaces; make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return key


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()


def _extract_key(authorization: str) -> str:
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value.strip(), validate=True).decode("utf-8").partition(":")[2]
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return ""
    return ""
