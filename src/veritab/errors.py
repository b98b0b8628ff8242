"""The exception tree, drawn once, so that every door knows how to answer.

VeritabError                  anything Veritab raises on purpose
├── InputError                the caller's words are off            exit 2, HTTP 400
│   └── FormatError           a file is not what it should be
├── NotFound                  nothing has that name                 exit 1, HTTP 404
├── NotAllowed                somebody's role does not go that far   exit 1, HTTP 403
├── Conflict                  things have moved on, or never could   exit 1, HTTP 409
├── StoreError                a corpus on disk cannot be used       exit 1, HTTP 500
│   ├── NewerStore            written by a later Veritab
│   ├── DamagedStore          truncated, or not a store at all
│   ├── StaleIndex            not of this corpus, encoder or version; says the command to run
│   ├── StoreBusy             another writer is at work
│   └── DiskFull              no room to go on; what was written stays
├── Cancelled                 nobody waits for the work any longer     exit 1, HTTP 504
├── EndpointError             a configured server fails            exit 1, HTTP 502
├── TooManyProblems           an ingest lost more records than allowed   exit 1
├── PluginError               an installed plugin cannot be used       exit 1
└── MissingExtra              an optional dependency is not installed    exit 1

Every message carries the offending value and the remedy.
"""

from __future__ import annotations

from collections.abc import Iterable


class VeritabError(Exception):
    """Anything Veritab raises on purpose; `exit_code` is what the command line answers with."""

    exit_code = 1


class InputError(VeritabError):
    """The caller's words cannot be understood."""

    exit_code = 2


class FormatError(InputError):
    """A file does not hold what its name or the caller says it holds."""


class NotFound(VeritabError):
    """No page, element or folder has that name."""


class NotAllowed(VeritabError):
    """Whoever asks may not do this, though it could be done."""


class Conflict(VeritabError):
    """What is asked does not fit where things stand now; looking again shows what does."""


class StoreError(VeritabError):
    """A corpus on disk cannot be used as it is."""


class NewerStore(StoreError):
    """The store was written by a later version of Veritab."""


class DamagedStore(StoreError):
    """The store's file is truncated, overwritten or not a store at all."""


class StaleIndex(StoreError):
    """An index does not belong to its corpus, encoder or version; the message says the command to run."""


class StoreBusy(StoreError):
    """Another process is writing to the store."""


class DiskFull(StoreError):
    """There is no room left; everything committed so far is kept."""


class Cancelled(VeritabError):
    """Work ended early because whoever asked for it no longer waits."""


class EndpointError(VeritabError):
    """A server that the settings name does not answer, or not as it should."""


class TooManyProblems(VeritabError):
    """An ingest lost a larger share of its records than the caller allows."""


class PluginError(VeritabError):
    """A package that adds a reader, retriever or verifier cannot be imported or lacks a method."""


class MissingExtra(VeritabError):
    """An optional dependency is needed and not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional part; install it with: pip install 'veritab[{extra}]'")
        self.purpose, self.extra = purpose, extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        # Worker processes send errors home, and by default with the message in place of both arguments.
        return type(self), (self.purpose, self.extra)


# -- parts of messages -------------------------------------------------------------------------------------


def short_repr(value: object, most: int = 80) -> str:
    """A value for a message: its repr, cut to `most` characters; its type where it nests too deep to be written."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"<{type(value).__name__}, too deep or too long to show>"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def nearest_name(name: str, known: Iterable[str], cutoff: float = 0.0) -> str | None:
    """The known name that is most like another, for "did you mean"; None where none reaches the cutoff."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), 1, cutoff=cutoff)), None)
