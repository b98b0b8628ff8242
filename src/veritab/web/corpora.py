"""The corpora that a server answers from: a request names one by `?corpus=NAME`, or gets the first.

Documents that a visitor brought are a corpus too, under a token that only the visitor knows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fastapi import Depends, Query
from starlette.requests import Request

from veritab.errors import InputError, NotFound
from veritab.web.job_book import UPLOADED
from veritab.web.problems import RequestRefused

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.web.uploads import Upload, Uploads

_LONGEST_NAME = 120
_NAMED = "n"


class ChosenCorpus(NamedTuple):
    """The corpus that a request is about; the name is empty where the request named none."""

    name: str
    checker: Checker


class Corpora:
    """The open corpora of a server, by name, in the order they are offered, and the documents of its visitors."""

    def __init__(self, checkers: Iterable[Checker], uploads: Uploads | None = None) -> None:
        """Without `uploads` nobody can bring documents."""
        self._checkers: dict[str, Checker] = {}
        self._names_by_token: dict[str, str] = {}
        self.uploads = uploads
        self.elsewhere: frozenset[str] = frozenset()
        """The keys of what other servers have that share this one's database."""
        for checker in checkers:
            self._add(checker)
        if not self._checkers:
            raise InputError("a server needs a corpus; name a folder, or none for the almanac")
        for token, checker in uploads.kept(self.names) if uploads else ():
            self._add(checker, token)

    def _add(self, checker: Checker, token: str = "") -> None:
        if checker.name in self._checkers:
            raise InputError(f"two corpora are called {checker.name!r}; rename the folder of one")
        self._checkers[checker.name] = checker
        if token:
            self._names_by_token[token] = checker.name

    @property
    def default(self) -> Checker:
        return next(iter(self._checkers.values()))

    @property
    def names(self) -> list[str]:
        """Those that everybody may ask."""
        return list(self._checkers)

    def find(self, name: str = "") -> ChosenCorpus:
        """The corpus of that name or token, the first where no name is given. May be called in a thread."""
        if not name:
            return ChosenCorpus("", self.default)
        known = self._names_by_token.get(name, name)
        if known in self._checkers:
            return ChosenCorpus(known, self._checkers[known])
        upload = self.uploads.find(name) if self.uploads else None
        if upload is None:
            self.refuse_elsewhere(name)
            gone = "; documents that were brought are let go after a while" if self.uploads else ""
            raise NotFound(f"no corpus {name[:60]!r} on this server; it has {', '.join(self.names)}{gone}")
        return ChosenCorpus(name, _ready(upload))

    def key_of(self, name: str) -> str:
        """What servers tell each other of a corpus: not its name, which may be a token that only its owner knows."""
        return _key(_NAMED if name in self._checkers else UPLOADED, name)

    def keys(self) -> frozenset[str]:
        """The keys of all that this server has."""
        tokens = {*list(self._names_by_token), *(self.uploads.tokens if self.uploads else ())}
        return frozenset({_key(_NAMED, name) for name in self.names} | {_key(UPLOADED, token) for token in tokens})

    def is_elsewhere(self, token: str) -> bool:
        """Whether another server holds the documents under a token."""
        return _key(UPLOADED, token) in self.elsewhere

    def refuse_elsewhere(self, token: str) -> None:
        """Refuse what is asked of documents that another server holds."""
        if self.is_elsewhere(token):
            raise RequestRefused(
                503,
                "these documents were brought to another of the servers behind this address, which holds them alone; "
                "ask again, and have all requests of a visitor sent to the same server (sticky sessions)",
                retry_after="1",
            )

    def name_of(self, token: str) -> str | None:
        """What documents are called that were brought under a token and then kept."""
        return self._names_by_token.get(token)

    async def keep(self, token: str, name: str) -> str:
        """Offer documents that a visitor brought to everybody, from now on and after a restart, under a name."""
        checker = await self.require_uploads().keep(token, name, self.names)
        self._add(checker, token)
        return checker.name

    def require_upload(self, token: str) -> Upload:
        """The documents under a token, which must be here."""
        uploads = self.require_uploads()
        if uploads.find(token) is None:
            self.refuse_elsewhere(token)
        return uploads.require(token)

    def follow_kept(self) -> None:
        """Offer what other servers have kept meanwhile in the folder that they share with this one."""
        for token, checker in self.uploads.kept(self.names) if self.uploads else ():
            self._add(checker, token)

    def require_uploads(self) -> Uploads:
        """The documents of visitors, where they may bring any."""
        if self.uploads is None:
            raise NotFound("this server takes no documents; start it with --uploads")
        return self.uploads

    def close(self) -> None:
        """Close every corpus."""
        for checker in self._checkers.values():
            checker.close()


def _key(kind: str, name: str) -> str:
    return kind + "-" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]


def _ready(upload: Upload) -> Checker:
    if upload.checker is None:
        remedy = "open them again" if upload.error or upload.is_over else "wait until they are read"
        raise NotFound(f"the documents {upload.name[:60]!r} are not ready: {upload.error or upload.state}; {remedy}")
    return upload.checker


async def _choose_corpus(
    request: Request,
    corpus: Annotated[
        str, Query(max_length=_LONGEST_NAME, description="Which corpus to use; the server's first when not given.")
    ] = "",
) -> ChosenCorpus:
    corpora: Corpora = request.app.state.corpora
    return corpora.find(corpus)


Chosen = Annotated[ChosenCorpus, Depends(_choose_corpus)]
"""What a route declares to be told the corpus that its request is about."""
