"""FEVER's Wikipedia becomes pages: the introductions of June 2017, one numbered line for each sentence.

Two things of that corpus are put right on reading: its text was tokenised for parsers ("Inc. , was", "-LRB-", "``"),
and its titles are written as ids ("Soul_Food_-LRB-film-RRB-").
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from veritab.corpus.database import is_sqlite
from veritab.corpus.draft import Draft
from veritab.corpus.inline import clean_line, mark_links
from veritab.corpus.records import IN_PIECES, REPLACED, decode_utf8, group_lines, parse_object
from veritab.corpus.remote import SourcePath, on_disk
from veritab.corpus.streams import (
    LARGEST_RECORD,
    WHOLE,
    ByteRange,
    RawRecord,
    bounded_lines,
    divides_by_lines,
    open_lines,
    open_stream,
    truncation,
)
from veritab.corpus.tokenised import BRACKETS, detokenise, restore_brackets
from veritab.errors import FormatError
from veritab.schema import Links, Page, Problem, Redirect
from veritab.text import nfc, sentences, squeeze, title_form

# -- titles ------------------------------------------------------------------------------------------------

_TO_ID = str.maketrans({" ": "_", ":": "-COLON-"} | {mark: f"-{name}-" for name, mark in BRACKETS.items()})


def title_of(id: str) -> str:
    """The title an id of FEVER stands for: "Soul_Food_-LRB-film-RRB-" is "Soul Food (film)"."""
    return title_form(restore_brackets(id.replace("_", " ")).replace("-COLON-", ":"))


def id_of(title: str) -> str:
    """The id FEVER gives a title; the inverse of `title_of` for titles without underscores."""
    return nfc(title).translate(_TO_ID)


# A quotation mark inside a JSON string has a backslash before it, so this finds keys only.
_PAGE = re.compile(rb'"page"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"')


# Titles of a slice; past so many, a page that comes back is no longer noticed here.
_MOST_REMEMBERED = 1_000_000


def _page_key(line: bytes) -> bytes | None:
    match = _PAGE.search(line)
    return match[1] if match else None


@dataclass(frozen=True)
class FeverReader:
    """Reads FEVER's wiki-pages (JSON lines or fever.db), and slices of them with one sentence a line.

    Sentences keep the numbers of their lines, because evidence names them; blank lines leave gaps.
    """

    def divided_by(self, path: SourcePath) -> str:
        """What a file can be cut between: the lines of wiki-pages; those of a slice belong together."""
        if is_sqlite(path):
            return ""
        with open_stream(path) as stream:
            first = next(bounded_lines(stream, path.name), None)
        return "" if isinstance(first, RawRecord) and _page_key(first.data) else divides_by_lines(path)

    def cut(self, path: SourcePath, span: ByteRange = WHOLE) -> Iterator[RawRecord | Problem]:
        """The pages of a database or of JSON lines; the lines of a slice are put together page by page.

        A page of a slice that comes back after another one is reported, and becomes a second page with its title: to
        put them together would mean to hold the whole file.
        """
        if is_sqlite(path):
            with on_disk(path) as database:
                yield from _database_rows(database)
            return
        with open_lines(path, span) as stream:
            seen: set[bytes] = set()
            lines = bounded_lines(stream, path.name, LARGEST_RECORD, span.end)
            for raw in group_lines(lines, _page_key, LARGEST_RECORD):
                page = _page_key(raw.data) if isinstance(raw, RawRecord) else None
                if page in seen:
                    yield Problem("", raw.where, IN_PIECES)
                elif page is not None and len(seen) < _MOST_REMEMBERED:
                    seen.add(page)
                yield raw

    def parse(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        """The page of one record, or of the lines of a slice that belong together."""
        records: list[dict[str, Any]] = []
        wrong: dict[str, None] = {}
        for line in raw.data.split(b"\n"):
            try:
                record, replaced = parse_object(line)
            except ValueError as error:
                wrong[f"not JSON: {error}"] = None
                continue
            records.append(record)
            if replaced:
                wrong[REPLACED] = None
        first: dict[str, Any] = records[0] if records else {}
        name = first.get("page") if "page" in first else first.get("id")
        title = (title_of(name) if isinstance(name, str) else "") or raw.title
        if "page" in first:
            lines = list(_slice_lines(records, wrong))
        else:
            lines = list(_page_lines(first, wrong)) if records else []
        if lines and not title:
            wrong["a page without a title"] = None
        if lines and title:
            draft = Draft(title, revision=raw.revision)
            _add(draft, lines, wrong)
            yield from (Problem(title, raw.where, what) for what in wrong)
            yield draft.page()
        elif wrong.keys() <= {REPLACED}:
            # The dump has thousands of these, and begins with one that has no title either.
            yield Problem(title, raw.where, "an empty page")
        else:
            yield from (Problem(title, raw.where, what, lost=what != REPLACED) for what in wrong)


# -- the database ------------------------------------------------------------------------------------------

_COLUMNS = ("id", "text", "lines")


def _database_rows(path: Path) -> Iterator[RawRecord | Problem]:
    size = path.stat().st_size
    try:
        # Not "immutable": a journal left behind by another program has to be replayed.
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as database:
            columns = {row[1] for row in database.execute("PRAGMA table_info(documents)")}
            if not columns.issuperset(_COLUMNS):
                raise FormatError(f"{str(path)!r} has no table documents(id, text, lines); it is not FEVER's database")
            (total,) = database.execute("SELECT count(*) FROM documents").fetchone()
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * LARGEST_RECORD)
            # SQLite hands out whatever it was given: one row that is not UTF-8 must not end the reading.
            database.text_factory = bytes
            cursor = database.execute(f"SELECT {', '.join(_COLUMNS)} FROM documents")
            number = 0
            while rows := cursor.fetchmany(16):
                for row in rows:
                    number += 1
                    yield from _row(row, f"{path.name}:{number}", size * number // total)
    except sqlite3.DatabaseError as error:
        yield truncation(path.name, error)


def _row(row: Sequence[Any], where: str, position: int) -> Iterator[RawRecord | Problem]:
    record: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    replaced = False
    for column, value in record.items():
        if isinstance(value, bytes):
            record[column], flawed = decode_utf8(value)
            replaced |= flawed
    if replaced:
        yield Problem("", where, REPLACED)
    if record["lines"]:
        del record["text"]  # the same words once more
    data = json.dumps(record, ensure_ascii=False).encode()
    if len(data) > LARGEST_RECORD:
        yield Problem("", where, f"a row is longer than {LARGEST_RECORD // 2**20} MB", lost=True)
    else:
        yield RawRecord(where, data, position=position)


# -- lines -------------------------------------------------------------------------------------------------


class _SentenceLine(NamedTuple):
    """A line that holds a sentence: its number if it has one, and its links as anchor, target, anchor, target, ..."""

    number: int | None
    text: str
    links: Sequence[str] = ()


# Sentences may hold stray newlines, so a line begins only where a number and a tab follow.
_LINE_BREAK = re.compile(r"\n(?=[0-9]{1,9}\t)")
_NUMBER = re.compile(r"([0-9]{1,9})\t")


def _page_lines(record: dict[str, Any], wrong: dict[str, None]) -> Iterator[_SentenceLine]:
    lines, text = record.get("lines"), record.get("text")
    if isinstance(lines, str) and lines.strip():
        for piece in _LINE_BREAK.split(lines):
            match = _NUMBER.match(piece)
            sentence, *links = piece[match.end() :].split("\t") if match else [piece]
            if squeeze(sentence):
                yield _SentenceLine(int(match[1]) if match else None, sentence, links)
    elif isinstance(text, str) and text.strip():
        wrong["a page without lines; its text was split into sentences"] = None
        whole = detokenise(text)
        yield from (_SentenceLine(number, whole[start:end]) for number, (start, end) in enumerate(sentences(whole)))
    elif not isinstance(lines, str) and not isinstance(text, str):
        wrong["a record without lines"] = None


def _slice_lines(records: Iterable[dict[str, Any]], wrong: dict[str, None]) -> Iterator[_SentenceLine]:
    for record in records:
        number, text = record.get("line"), record.get("text")
        if not isinstance(text, str):
            wrong["a line without text"] = None
            continue
        if str(record.get("page")).endswith("-RRB-"):
            # The public slice has the bracket of a title such as "Hugo (film)" left before many sentences.
            text = text.removeprefix(") ")
        if squeeze(text):
            yield _SentenceLine(number if type(number) is int and 0 <= number < 10**9 else None, text)


def _add(draft: Draft, lines: Sequence[_SentenceLine], wrong: dict[str, None]) -> None:
    """Add the sentences of a page. One whose number is missing or taken gets a number after all others."""
    taken: set[int] = set()
    highest = -1
    spare = max((line.number for line in lines if line.number is not None), default=-1)
    for line in lines:
        number = line.number
        if number is None:
            wrong["a line without a number"] = None
        elif number <= highest:
            wrong["line numbers out of order or repeated"] = None
        if number is None or number in taken:
            spare += 1
            number = spare
        else:
            highest = max(highest, number)
        taken.add(number)
        draft.sentence(*_linked(detokenise(line.text), line.links, wrong), number=number)


# -- links -------------------------------------------------------------------------------------------------

# No sentence has more links, and no anchor comes more often: what goes beyond is damage that would take very long.
_MOST_LINKS = 500
_MOST_PLACES = 20


def _linked(text: str, fields: Sequence[str], wrong: dict[str, None]) -> tuple[str, Links]:
    """A sentence with its links found in it: FEVER names the words they cover, in no particular order."""
    if not fields:
        return clean_line(text)
    pairs = [(detokenise(anchor), _target(target)) for anchor, target in zip(fields[::2], fields[1::2], strict=False)]
    missing = len(pairs) > _MOST_LINKS or (len(fields) % 2 == 1 and bool(fields[-1].strip()))
    used = bytearray(len(text))
    spans: list[tuple[int, int, str]] = []
    # Longer anchors first: "New York" must not take the place of "New York City".
    for anchor, target in sorted(pairs[:_MOST_LINKS], key=lambda pair: -len(pair[0])):
        start = _find(text, anchor, used) if anchor and target else -1
        if start >= 0:
            end = start + len(anchor)
            used[start:end] = b"\x01" * len(anchor)
            spans.append((start, end, target))
        elif anchor not in text:
            missing = True
        elif target:
            wrong["link anchors inside longer ones"] = None
    if missing:
        wrong["link anchors not found in their sentence"] = None
    return clean_line(mark_links(text, sorted(spans)))


def _find(text: str, anchor: str, used: bytearray) -> int:
    """The first free place of an anchor that begins a word, and ends one if there is such a place."""
    begun = -1
    position = text.find(anchor)
    for _ in range(_MOST_PLACES):
        if position < 0:
            break
        end = position + len(anchor)
        if 1 not in used[position:end] and not _inside_word(text, position):
            if not _inside_word(text, end):
                return position
            begun = position if begun < 0 else begun
        position = text.find(anchor, position + 1)
    return begun


def _inside_word(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1 : position + 1].isalnum()


def _target(written: str) -> str:
    """The title a link points to: without the place on its page, and with the capital that titles begin with."""
    title = title_of(written.partition("#")[0])
    return title[:1].upper() + title[1:]
