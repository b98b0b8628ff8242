"""Verdicts updated after their corpus changed: only claims whose verdict may have changed are checked again.

A verdict names the pages it was based on, each with its digest. While these are unchanged, so is the verdict. NOT
ENOUGH INFO is based on what was missing, so any change of the corpus may change it. A verdict that was reached without
some shards is reached again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from veritab.errors import FormatError, NotFound
from veritab.runs.checking import batches, check_batch
from veritab.runs.claims import ClaimRecord
from veritab.runs.run import RESULTS, read_results
from veritab.schema import Label

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_MOST_LISTED = 3


class Rechecked(NamedTuple):
    """A verdict before and after; `why` is the reason it was checked again, empty where it was not."""

    id: Any
    claim: str
    why: str
    old: str
    new: str
    line: bytes

    @property
    def is_changed(self) -> bool:
        return self.old != self.new


def find_results(path: Path) -> Path:
    """The file of verdicts of a run folder, or the file itself."""
    file = path / RESULTS if path.is_dir() else path
    if not file.is_file():
        wanted = f"no {RESULTS} in {str(path)!r}" if path.is_dir() else f"no file {str(path)!r}"
        raise NotFound(f"{wanted}; name a folder that veritab check --into made, or a file of its answers")
    return file


def read_verdicts(file: Path) -> Iterator[dict[str, Any]]:
    """The verdicts of a file as JSON, each with what a recheck needs."""
    for number, result in enumerate(read_results(file), 1):
        corpus = result.get("corpus")
        has_revision = isinstance(corpus, dict) and isinstance(corpus.get("revision"), str)
        if not has_revision or not isinstance(result.get("claim"), str) or result.get("label") not in set(Label):
            raise FormatError(
                f"{str(file)!r}, line {number} is not an answer of veritab check; expected a claim, a label and the "
                "corpus it was checked against"
            )
        yield result


def recheck_reason(result: Mapping[str, Any], checker: Checker) -> str:
    """Why a claim must be checked again; empty where it need not be."""
    corpus = result["corpus"]
    if missing := ((result.get("certificate") or {}).get("searched") or {}).get("missing"):
        return _list_titles(missing, "could not be searched")
    if corpus["revision"] == checker.corpus["revision"]:
        return ""
    if "read" not in corpus:
        return "it does not say which pages it rests on"
    before = corpus["read"]
    now = checker.digests(before)
    removed = [title for title in before if title not in now]
    changed = [title for title, digest in before.items() if title in now and now[title] != digest]
    if removed or changed:
        return "; ".join(filter(None, (_list_titles(changed, "changed"), _list_titles(removed, "is gone"))))
    return "the corpus changed, so there may be evidence now" if result["label"] == Label.NOT_ENOUGH_INFO else ""


def _list_titles(titles: list[str], what: str) -> str:
    if not titles:
        return ""
    more = f" and {len(titles) - _MOST_LISTED} more" if len(titles) > _MOST_LISTED else ""
    return f"{', '.join(titles[:_MOST_LISTED])}{more} {what}"


def recheck(results: Iterable[dict[str, Any]], checker: Checker) -> Iterator[Rechecked]:
    """Each verdict in order; claims whose verdict may have changed are checked again."""
    # The old verdict travels in the place of the id, so that batches are cut as in a run.
    for batch in batches(ClaimRecord(number, result, result["claim"]) for number, result in enumerate(results, 1)):
        reasons = [recheck_reason(each.id, checker) for each in batch]
        stale = [
            ClaimRecord(each.number, each.id.get("id"), each.text)
            for each, why in zip(batch, reasons, strict=True)
            if why
        ]
        lines = iter(check_batch(checker, stale) if stale else ())
        for (_, old, claim, *_), why in zip(batch, reasons, strict=True):
            if why:
                line = next(lines)
                label = orjson.loads(line)["label"]
            else:
                line = orjson.dumps({**old, "corpus": {**old["corpus"], **checker.corpus}})
                label = old["label"]
            yield Rechecked(old.get("id"), claim, why, old["label"], label, line)


def count_stale(results: Iterable[dict[str, Any]], checker: Checker) -> tuple[int, int]:
    """How many verdicts there are, and how many of them must be checked again."""
    every = stale = 0
    for result in results:
        every += 1
        stale += bool(recheck_reason(result, checker))
    return every, stale
