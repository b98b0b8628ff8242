"""A gate for pipelines: claims of chosen labels fail the command, and annotations show where they stand."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson
import typer

from veritab.cli.answers import verdict_of
from veritab.cli.output import answer, counted, talk
from veritab.errors import InputError
from veritab.files import replacing
from veritab.schema import Label, Verdict
from veritab.text import nfc

GITHUB = "github"
"""The format of annotations that GitHub Actions shows beside the lines of a file."""
_FAILED = 3
_UNCERTAIN = "uncertain"
_KINDS = {
    "supports": Label.SUPPORTS.value,
    "refutes": Label.REFUTES.value,
    "nei": Label.NOT_ENOUGH_INFO.value,
    "not enough info": Label.NOT_ENOUGH_INFO.value,
    _UNCERTAIN: _UNCERTAIN,
}
_LONGEST_QUOTE = 200


class Gate:
    """Counts verdicts as they go by, and knows which of them fail."""

    def __init__(self, fail_on: Sequence[str] = ()) -> None:
        """`fail_on` has kinds of verdicts as they are typed, perhaps several in one with commas."""
        self._fail_on = {_parse_kind(each) for given in fail_on for each in given.split(",")}
        self.labels: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self.passed_over = 0
        """Sentences of a text that make no claim."""

    @property
    def is_set(self) -> bool:
        """Whether any verdict would fail."""
        return bool(self._fail_on)

    def fails(self, label: str, *, uncertain: bool) -> bool:
        return label in self._fail_on or (uncertain and _UNCERTAIN in self._fail_on)

    def note(self, label: str, *, uncertain: bool) -> None:
        """Count a verdict."""
        self.labels[label] += 1
        if self.fails(label, uncertain=uncertain):
            self._failed[label if label in self._fail_on else _UNCERTAIN] += 1

    def watch(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The same verdicts as lines of JSON, counted."""
        for line in lines:
            verdict = orjson.loads(line)
            self.note(verdict["label"], uncertain=verdict.get("uncertain", False))
            yield line

    def close(self, format: str) -> None:
        """Say how it went, and leave with a code of its own where a verdict failed."""
        if self._fail_on or format == GITHUB:
            (answer if format == GITHUB else talk).print(self._summary(), markup=False, soft_wrap=True)
        if self._failed:
            raise typer.Exit(_FAILED)

    def _summary(self) -> str:
        found = ", ".join(f"{self.labels[label.value]:,} {label.value}" for label in Label if self.labels[label.value])
        checked = f"{counted(self.labels.total(), 'claim')} checked{f': {found}' if found else ''}"
        if self.passed_over:
            checked += f"; passed over {counted(self.passed_over, 'sentence')} without a claim to check"
        if not self._fail_on:
            return f"{checked}."
        why = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self._failed.items()))
        return f"{checked}; {f'the gate fails: {why}' if why else 'the gate holds'}."


def _parse_kind(given: str) -> str:
    kind = " ".join(given.replace("-", " ").replace("_", " ").split()).casefold()
    if kind not in _KINDS:
        raise InputError(f"--fail-on {given!r} is not known; expected refutes, nei, supports or uncertain")
    return _KINDS[kind]


# -- annotations -------------------------------------------------------------------------------------------


class FilePlace(NamedTuple):
    """Where a claim stands: in a file, perhaps at a line and a column of it; they are counted from 1."""

    file: str = ""
    line: int = 0
    column: int = 0


def write_annotations(
    verdicts: Iterable[bytes | Verdict], places: Iterable[FilePlace], gate: Gate, output: Path | None
) -> None:
    """Annotations of what fails and of what is refuted; each is out as soon as it is there."""
    lines = (
        line
        for each, place in zip(verdicts, places, strict=False)
        if (line := _annotate(each if isinstance(each, Verdict) else verdict_of(each), place, gate))
    )
    if output is not None:
        with replacing(output) as file:
            file.writelines(f"{line}\n".encode() for line in lines)
        return
    for line in lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def _annotate(verdict: Verdict, place: FilePlace, gate: Gate) -> str:
    """The annotation of a verdict; none where it neither fails nor refutes."""
    fails = gate.fails(verdict.label.value, uncertain=verdict.uncertain)
    if not fails and verdict.label is not Label.REFUTES:
        return ""
    doubt = ", uncertain" if verdict.uncertain else ""
    properties = {
        "file": place.file,
        "line": place.line or "",
        "col": place.column or "",
        "title": f"{verdict.label.value} ({verdict.confidence:.0%}{doubt})",
    }
    named = ",".join(f"{name}={_escape(str(value), ':,')}" for name, value in properties.items() if value)
    return f"::{'error' if fails else 'warning'} {named}::{_escape(_explain(verdict))}"


def _explain(verdict: Verdict) -> str:
    """The claim, what was computed, or else the best piece of evidence."""
    reason = "; ".join(verdict.reasoning) if verdict.certificate.computed else ""
    if not reason and verdict.evidence:
        element = verdict.evidence[0].element
        reason = f"{element.id}: {element.text[:_LONGEST_QUOTE]}"
    return "\n".join(filter(None, (verdict.claim.text, reason)))


def _escape(text: str, more: str = "") -> str:
    """A text as a workflow command takes it: on one line, without the signs that end it."""
    for sign in f"%\r\n{more}":
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


# -- where claims stand in a file --------------------------------------------------------------------------

_LINED = frozenset({"", ".txt", ".text", ".md", ".markdown", ".html", ".htm"})
# What may stand between two words of a sentence: tags, entities, the addresses of links, and signs. It is not tried in
# a second way, so that a long stretch of signs takes no longer than it is long.
_BETWEEN = r"(?>(?:<[^<>]*>|&\w+;|\]\([^()\s]*\)|[\W_])+)"
_WORDS = re.compile(r"[^\W_]+")
_MOST_WORDS, _FEWEST_WORDS = 12, 3


def find_places(sentences: Iterable[str], path: Path, shown: str) -> Iterator[FilePlace]:
    """Where sentences stand in the file that they were read from, in their order.

    Documents are read by way of pages, so that sentences are looked for in the file, by their words. A file without
    lines has no places in it.
    """
    source = nfc(path.read_text(encoding="utf-8", errors="replace")) if path.suffix.lower() in _LINED else ""
    start = 0
    for sentence in sentences:
        found = _find(sentence, source, start)
        if not found:
            yield FilePlace(shown)
            continue
        start = found.end()
        line = source.count("\n", 0, found.start()) + 1
        yield FilePlace(shown, line, found.start() - source.rfind("\n", 0, found.start()))


def _find(sentence: str, source: str, start: int) -> re.Match[str] | None:
    words = _WORDS.findall(sentence)[:_MOST_WORDS]
    for count in {len(words): None, min(len(words), _FEWEST_WORDS): None}:
        found = re.compile(rf"(?<!\w){_BETWEEN.join(words[:count])}(?!\w)").search(source, start) if words else None
        if found:
            return found
    return None
