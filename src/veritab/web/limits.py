"""How much is too much: one place for every number that keeps the server standing."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from veritab.corpus.streams import LARGEST_RECORD
from veritab.errors import InputError
from veritab.schema import LONGEST_CLAIM

DOCUMENT_PATHS = frozenset({"/documents", "/v1/corpora"})
"""Where documents are brought."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask for, and how much work may wait."""

    workers: int = max(1, min(4, os.cpu_count() or 1))
    """Threads that check claims."""
    queue: int = 32
    """Requests that may wait for a worker; one more is answered 503."""
    seconds: float = 30.0
    """How long a claim, or eight of a batch, may wait for a worker, and how long the work may then take."""
    stream_seconds: float = 600.0
    """How long an answer that is streamed may take in all."""
    body_bytes: int = 1 << 20
    """The size of a request's body."""
    upload_bytes: int = 8 << 20
    """The size of a form with files."""
    form_files: int = 200
    """Files in one form."""
    form_fields: int = 20
    """Other fields in one form."""
    body_seconds: float = 15.0
    """How long a client may take to send its body."""
    header_seconds: float = 10.0
    """How long a client may take to send its headers."""
    write_seconds: float = 30.0
    """How long a client may leave a piece of an answer unread."""
    idle_seconds: float = 5.0
    """How long a connection may wait for the next request."""
    shutdown_seconds: float = 30.0
    """How long work that has begun may take to end when the server stops."""
    connections: int = 512
    """Connections open at a time."""
    header_bytes: int = 32 << 10
    """The size of a request's line and headers."""
    body_values: int = 50_000
    """Values in a request's JSON, all together: members of objects and entries of lists."""
    claim_characters: int = LONGEST_CLAIM
    """The length of a claim or a query."""
    text_characters: int = 100_000
    """The length of a text whose claims are checked, or of a document to score claims by."""
    claims: int = 100
    """Claims, pairs or queries in one request."""
    stream_claims: int = 1000
    """The same where the answer is streamed."""
    hits: int = 100
    """Hits of a search."""
    evidence_pieces: int = 200
    """Pieces of evidence to judge one claim by."""
    evidence_cells: int = 20_000
    """Cells in the tables among them."""

    # -- documents that visitors bring

    documents_bytes: int = 100 << 20
    """The size of documents sent at a time, all files together."""
    document_bytes: int = LARGEST_RECORD
    """The size of one document."""
    document_files: int = 200
    """Documents sent at a time."""
    documents_seconds: float = 600.0
    """How long a client may take to send documents."""
    pasted_characters: int = 500_000
    """The length of a text that is pasted to be checked against."""
    reading_seconds: float = 600.0
    """How long reading documents may take."""
    reading_bytes: int = 4 << 30
    """The memory that reading documents may take."""
    uploads: int = 64
    """Sets of documents held at a time."""
    uploads_per_client: int = 8
    """The same for one client."""
    uploads_bytes: int = 4 << 30
    """The disk that all sets of documents may take."""
    upload_seconds: float = 2 * 3600.0
    """How long a set of documents is held after it was last used."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            least = 0 if each.name == "queue" else 1 if isinstance(value, int) else 0.01
            if value < least:
                raise InputError(f"the limit {each.name} is {value}; it must be at least {least}")
