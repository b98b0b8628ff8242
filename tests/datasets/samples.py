"""Examples made by hand and at random, for tests of what is written and read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from veritab import datasets
from veritab.corpus.fever import id_of, title_of
from veritab.datasets.writing import FOLDERS, CardInfo, WriteResult, write
from veritab.schema import Claim, ElementId, Example, Kind, Label
from veritab.text import squeeze

_NUMBERS = {Kind.TITLE: 0, Kind.HEADER_CELL: 3, Kind.CELL: 3, Kind.ITEM: 2}
_NO_CHALLENGE = st.just("")
_ANNOTATED = st.just(False)
TEXTS = st.text(min_size=1, max_size=30).map(squeeze).filter(bool)
TITLES = st.one_of(st.sampled_from(["K2", "Soul Food (film)", "Zoë", "A_header", "Title: part\u2009two"]), TEXTS)
FEVER_TITLES = TITLES.filter(lambda title: title_of(id_of(title)) == title)
IDS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.text(min_size=1, max_size=8).map(str.strip).filter(lambda id: bool(id) and id.isprintable()),
)


def addresses(
    kinds: Sequence[Kind] = tuple(Kind), titles: st.SearchStrategy[str] = TITLES
) -> st.SearchStrategy[ElementId]:
    """Addresses of elements of these kinds."""
    number = st.integers(0, 30)
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.builds(ElementId, titles, st.just(kind), st.tuples(*[number] * _NUMBERS.get(kind, 1)))
    )


def evidence(
    pieces: st.SearchStrategy[ElementId], *, least: int = 0
) -> st.SearchStrategy[tuple[frozenset[ElementId], ...]]:
    """Evidence sets that hold something, each once."""
    sets = st.frozensets(pieces, min_size=1, max_size=4)
    return st.lists(sets, min_size=least, max_size=3, unique=True).map(tuple)


def examples(
    *,
    labels: Sequence[Label | None] = (*Label, None),
    sets: st.SearchStrategy[tuple[frozenset[ElementId], ...]] | None = None,
    challenges: st.SearchStrategy[str] = _NO_CHALLENGE,
    silver: st.SearchStrategy[bool] = _ANNOTATED,
) -> st.SearchStrategy[list[Example]]:
    """Some examples, each with an id of its own."""
    return st.lists(
        st.builds(
            Example,
            st.builds(Claim, IDS, TEXTS),
            st.sampled_from(labels),
            st.just(()) if sets is None else sets,
            challenges,
            silver,
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda example: example.claim.id,
    )


# -- by hand --


def sentence(page: str, line: int) -> ElementId:
    return ElementId(page, Kind.SENTENCE, (line,))


K2 = Example(Claim("7", "K2 is high."), Label.SUPPORTS, (frozenset({sentence("K2", 0)}),))
CELL = ElementId("K2", Kind.CELL, (0, 1, 2))
NOT_ENOUGH = Example(Claim("8", "K2 is old."), Label.NOT_ENOUGH_INFO)


def again(given: list[Example], format: str, task: str = "claims", **options: Any) -> tuple[list[Example], WriteResult]:
    """The examples after they were written and read, and what was told of the writing."""
    with TemporaryDirectory() as folder:
        into = Path(folder) / ("out" if format in FOLDERS else "out.jsonl")
        written = write({"dev": given}, format, into, about=CardInfo(task=task), **options)
        read = datasets.load(into, strict=False)
        back = list(read)
        assert not [problem for problem in read.problems if problem.lost]
        return back, written


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lost(written: WriteResult) -> list[str]:
    return [each.what for each in written.lost]
