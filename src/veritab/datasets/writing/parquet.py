"""A folder as Hugging Face has it: one Parquet file for each split, and a card that says what the data is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from veritab.datasets.example_rows import to_row
from veritab.datasets.statistics import Statistics, StatisticsCounter
from veritab.datasets.summary import as_markdown
from veritab.datasets.writing.account import LossAccount
from veritab.errors import MissingExtra
from veritab.schema import Example, Label

_BATCH = 1000
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
# As the Hub spells them; any other licence is "other" there, with its name.
_LICENCES = {
    "apache-2.0", "mit", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-4.0",
}  # fmt: skip
_FIELDS = """
| field | type | what it holds |
|---|---|---|
| `id` | string | the claim's id in the file it is from |
| `claim` | string | the claim |
| `label` | string or null | {labels}; null where it is not given |
| `evidence` | lists of strings | evidence sets, any one of which is enough; a piece is e.g. `Alan Turing_sentence_0` |
| `challenge` | string | what makes the claim hard to check, where that is given |
| `silver` | bool | whether the evidence was found rather than annotated |
| `task` | string | whose rules score it |
| `record` | string | what the file it is from says of the claim, as JSON |
"""


class CardInfo(NamedTuple):
    """What a card says of data: its name, whose task it is, under which licence, and where it comes from."""

    name: str = ""
    task: str = "claims"
    licence: str = ""
    home: str = ""


UNKNOWN = CardInfo()


def write(parts: Mapping[str, Iterable[Example]], folder: Path, account: LossAccount, about: CardInfo) -> None:
    """Write the rows of each split, and the card."""
    (folder / "data").mkdir()
    splits = []
    for split, examples in parts.items():
        counting = StatisticsCounter()
        rows = account.carried(_counted(examples, counting), lambda example, _: to_row(example, about.task))
        _write_rows(folder / "data" / f"{split}-00000-of-00001.parquet", rows)
        splits.append(counting.result(split))
    (folder / "README.md").write_text(_card(splits, about), encoding="utf-8")


def _counted(examples: Iterable[Example], counting: StatisticsCounter) -> Iterator[Example]:
    for example in examples:
        counting.add(example)
        yield example


def _write_rows(file: Path, rows: Iterator[dict[str, Any]]) -> None:
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("writing Parquet", "evaluate") from None
    text = pyarrow.string()
    schema = pyarrow.schema(
        [
            ("id", text),
            ("claim", text),
            ("label", text),
            ("evidence", pyarrow.list_(pyarrow.list_(text))),
            ("challenge", text),
            ("silver", pyarrow.bool_()),
            ("task", text),
            ("record", text),
        ]
    )
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := [
            {**row, "record": json.dumps(row["record"], ensure_ascii=False)} for row in islice(rows, _BATCH)
        ]:
            writer.write_batch(pyarrow.RecordBatch.from_pylist(batch, schema))


# -- the card ----------------------------------------------------------------------------------------------


def _card(splits: Sequence[Statistics], about: CardInfo) -> str:
    name = about.name or "claims"
    home = f"It was made from {about.home}. " if about.home else ""
    return "\n".join(
        [
            "---",
            *_front_matter(splits, about, name),
            "---",
            "",
            f"# {name}",
            "",
            f"Claims with labels and evidence, for fact verification. {home}"
            f"Licence: {about.licence or 'not stated; ask whoever made the data before you pass it on'}.",
            "",
            "## Fields",
            _FIELDS.format(labels=", ".join(f"`{label}`" for label in Label)),
            "## Numbers",
            "",
            "Lengths are in words between white space; three numbers are quartiles.",
            "",
            as_markdown(splits),
            "",
            "Written by Veritab; `veritab.datasets.load` reads this folder.",
            "",
        ]
    )


def _front_matter(splits: Sequence[Statistics], about: CardInfo, name: str) -> Iterator[str]:
    claims = sum(each.claims for each in splits)
    yield f"pretty_name: {_quoted(name)}"
    yield from _licence(about.licence)
    yield "task_categories:\n- text-classification\ntask_ids:\n- fact-checking"
    yield f"size_categories:\n- {next((size for limit, size in _SIZES if claims < limit), 'n>1M')}"
    yield "configs:\n- config_name: default\n  data_files:"
    for each in splits:
        yield f"  - split: {each.name}\n    path: data/{each.name}-*"


def _licence(licence: str) -> Iterator[str]:
    spelled = re.sub(r"\s+", "-", licence.strip().casefold())
    if not spelled:
        yield "license: unknown"
    elif spelled in _LICENCES:
        yield f"license: {spelled}"
    else:
        yield f"license: other\nlicense_name: {_quoted(licence)}"


def _quoted(text: str) -> str:
    """A text as YAML, which takes JSON's."""
    return json.dumps(text, ensure_ascii=False)
