"""Answers brought up to date after their corpus changed: only those are worked out again that may have changed.

An answer names the pages it was found on, each with the digest it had. While these are as they were, so is a verdict
that rests on them. NOT ENOUGH INFO rests on what was not there, so any change of the corpus may end it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from veritab.errors import FormatError, NotFound
from veritab.runs.asked import Asked
from veritab.runs.checking import batches, lines_of
from veritab.runs.runs import RESULTS, read_results
from veritab.schema import Label

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_MOST_NAMED = 3


class Rechecked(NamedTuple):
    """An answer and what became of it; `why` is empty where it stands as it was, without a look."""

    id: Any
    claim: str
    why: str
    old: str
    new: str
    line: bytes

    @property
    def is_other(self) -> bool:
        return self.old != self.new


def results_file(path: Path) -> Path:
    """The answers of a run, or the file itself."""
    file = path / RESULTS if path.is_dir() else path
    if not file.is_file():
        wanted = f"no {RESULTS} in {str(path)!r}" if path.is_dir() else f"no file {str(path)!r}"
        raise NotFound(f"{wanted}; name a folder that veritab check --into made, or a file of its answers")
    return file


def read_answers(file: Path) -> Iterator[dict[str, Any]]:
    """The answers of a file, each with what a recheck needs."""
    for number, result in enumerate(read_results(file), 1):
        corpus = result.get("corpus")
        known = isinstance(corpus, dict) and isinstance(corpus.get("revision"), str)
        if not known or not isinstance(result.get("claim"), str) or result.get("label") not in set(Label):
            raise FormatError(
                f"{str(file)!r}, line {number} is no answer of veritab check; expected a claim, a label and the corpus "
                "it was checked against"
            )
        yield result


def why_again(result: Mapping[str, Any], checker: Checker) -> str:
    """Why an answer must be worked out again; empty where it need not be."""
    corpus = result["corpus"]
    if corpus["revision"] == checker.corpus["revision"]:
        return ""
    if "read" not in corpus:
        return "it does not say which pages it rests on"
    known = corpus["read"]
    now = checker.digests(known)
    gone = [title for title in known if title not in now]
    changed = [title for title, digest in known.items() if title in now and now[title] != digest]
    if gone or changed:
        return "; ".join(filter(None, (_named(changed, "changed"), _named(gone, "is gone"))))
    return "the corpus changed, so there may be evidence now" if result["label"] == Label.NOT_ENOUGH_INFO else ""


def _named(titles: list[str], what: str) -> str:
    if not titles:
        return ""
    more = f" and {len(titles) - _MOST_NAMED} more" if len(titles) > _MOST_NAMED else ""
    return f"{', '.join(titles[:_MOST_NAMED])}{more} {what}"


def recheck(results: Iterable[dict[str, Any]], checker: Checker) -> Iterator[Rechecked]:
    """Each answer in order, those that may have changed worked out again."""
    for batch in batches(Asked(number, result, result["claim"]) for number, result in enumerate(results, 1)):
        whys = [why_again(each.id, checker) for each in batch]
        stale = [Asked(each.number, each.id.get("id"), each.text) for each, why in zip(batch, whys, strict=True) if why]
        lines = iter(lines_of(checker, stale) if stale else ())
        for each, why in zip(batch, whys, strict=True):
            yield _again(each.id, why, next(lines)) if why else _as_it_was(each.id, checker)


def _again(old: dict[str, Any], why: str, line: bytes) -> Rechecked:
    return Rechecked(old.get("id"), old["claim"], why, old["label"], orjson.loads(line)["label"], line)


def _as_it_was(old: dict[str, Any], checker: Checker) -> Rechecked:
    """An answer that stands, said of the corpus as it is now."""
    line = orjson.dumps({**old, "corpus": {**old["corpus"], **checker.corpus}})
    return Rechecked(old.get("id"), old["claim"], "", old["label"], old["label"], line)


def count(results: Iterable[dict[str, Any]], checker: Checker) -> tuple[int, int]:
    """How many answers there are, and how many of them must be worked out again."""
    every = stale = 0
    for result in results:
        every += 1
        stale += bool(why_again(result, checker))
    return every, stale
