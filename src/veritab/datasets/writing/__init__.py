"""Examples become files again, in the formats that others read; what a format cannot carry is reported, never dropped.

    write({"dev": examples}, "feverous", Path("dev.jsonl"))

A claim that a format has no words for (NOT ENOUGH INFO in FM2) ends the work with a reason, or is left out and counted
where that was asked for. What is lost of the claims that are written (their challenge, say) is counted, too.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from veritab.datasets.example_rows import original_record
from veritab.datasets.writing import beir, faviq, fever, feverous, fm2, kilt, label_studio, parquet
from veritab.datasets.writing.account import LossAccount, LostContent
from veritab.datasets.writing.parquet import UNKNOWN, CardInfo
from veritab.datasets.writing.sets import ElementOf
from veritab.errors import InputError
from veritab.files import refuse_missing_folder, replacing, write_whole
from veritab.schema import Element, Example

__all__ = ["FOLDERS", "FORMATS", "CardInfo", "ElementOf", "LostContent", "WriteResult", "packed", "write"]

FORMATS: Mapping[str, str] = {
    "fever": "FEVER's JSON lines",
    "feverous": "FEVEROUS's JSON lines, with context and operations",
    "fm2": "FoolMeTwice's JSON lines",
    "faviq": "FaVIQ's JSON lines",
    "kilt": "KILT's JSON lines",
    "beir": "a folder of BEIR: corpus.jsonl, queries.jsonl, qrels/*.tsv",
    "label-studio": "tasks for Label Studio, with the labelling interface beside them",
    "parquet": "a folder as Hugging Face has it: Parquet and a data card",
}
"""The formats that examples can be written in, and what each is."""
FOLDERS = frozenset({"beir", "parquet"})
"""The formats that are folders, and can hold several splits."""
_SPLIT = re.compile(r"\w+(?:\.\w+)*", re.ASCII)


class WriteResult(NamedTuple):
    """What was written where, which claims were left out, and what was lost of the others."""

    files: tuple[Path, ...]
    claims: int
    left_out: tuple[LostContent, ...] = ()
    lost: tuple[LostContent, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The account as JSON."""
        return {
            "files": [str(file) for file in self.files],
            "claims": self.claims,
            "left_out": [each._asdict() for each in self.left_out],
            "lost": [each._asdict() for each in self.lost],
        }


def write(
    parts: Mapping[str, Iterable[Example]],
    format: str,
    into: Path,
    *,
    about: CardInfo = UNKNOWN,
    element_of: ElementOf | None = None,
    elements: Iterable[Element] = (),
    leave_out: bool = False,
    carry: Collection[str] = (),
) -> WriteResult:
    """Write the examples of one split, or of several where the format is a folder; nothing is there until all is.

    `element_of` finds elements in a corpus, for formats that hold words or context; `elements` are all of a corpus,
    for BEIR. With `leave_out`, claims that the format cannot carry are left out and counted. `carry` are keys of the
    records that JSON lines have beside the format's own, which other readers pass over.
    """
    if format not in FORMATS:
        raise InputError(f"no format {format!r}; expected one of {', '.join(FORMATS)}")
    account = LossAccount(format, leave_out, frozenset() if format == "beir" else frozenset(carry))
    if format in FOLDERS:
        _refuse_split_names(parts)
        with _new_folder(into) as folder:
            if format == "beir":
                beir.write(parts, folder, account, about.task, element_of, elements)
            else:
                parquet.write(parts, folder, account, about)
            account.refuse_nothing()
            names = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
        files = tuple(into / name for name in names)
    else:
        if len(parts) != 1:
            raise InputError(f"{format} is one file for one split, not for {len(parts)}; write each to its own file")
        (examples,) = parts.values()
        files = _write_file(examples, format, into, account, about.task, element_of)
    return WriteResult(files, account.written, tuple(account.refused.values()), tuple(account.lost.values()))


# -- files -------------------------------------------------------------------------------------------------


def _write_file(
    examples: Iterable[Example],
    format: str,
    into: Path,
    account: LossAccount,
    task: str,
    element_of: ElementOf | None,
) -> tuple[Path, ...]:
    refuse_missing_folder(into)
    with replacing(into) as file, packed(file, into) as out:
        made = _maker(format, task, element_of)
        records = account.carried(examples, made if format == "label-studio" else _carrying(made))
        if format == "label-studio":
            label_studio.write(records, out)  # with the whole record of each claim
        else:
            if format == "feverous":
                out.write(_line(feverous.HEADER))
            out.writelines(map(_line, records))
        account.refuse_nothing()
    if format != "label-studio":
        return (into,)
    interface = into.with_name(f"{into.name.split('.')[0]}.interface.xml")
    write_whole(interface, label_studio.INTERFACE.encode())
    return into, interface


def _maker(format: str, task: str, element_of: ElementOf | None) -> Callable[[Example, LossAccount], dict[str, Any]]:
    match format:
        case "fever":
            return fever.record_of
        case "kilt":
            return kilt.record_of
        case "label-studio":
            return lambda example, account: label_studio.task_of(example, account, task, element_of)
    made = {"feverous": feverous.record_of, "fm2": fm2.record_of, "faviq": faviq.record_of}[format]
    return lambda example, account: made(example, account, element_of)


def _carrying(
    made: Callable[[Example, LossAccount], dict[str, Any]],
) -> Callable[[Example, LossAccount], dict[str, Any]]:
    """A record with what it carries of the one before."""

    def make(example: Example, account: LossAccount) -> dict[str, Any]:
        before = original_record(example)
        return made(example, account) | {key: before[key] for key in sorted(account.carried_keys & before.keys())}

    return make


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


@contextmanager
def packed(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """The file, compressed where its name says so; the same claims always become the same bytes."""
    if path.suffix != ".gz":
        yield file
        return
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        yield cast(BinaryIO, packed)


# -- folders -----------------------------------------------------------------------------------------------


def _refuse_split_names(parts: Mapping[str, Iterable[Example]]) -> None:
    for split in parts:
        if not _SPLIT.fullmatch(split):
            raise InputError(f"{split!r} cannot name a split; use letters, digits and underscores, e.g. 'dev'")


@contextmanager
def _new_folder(into: Path) -> Iterator[Path]:
    """A folder that appears under its name when all of it is written."""
    if into.exists() and not into.is_dir():
        raise InputError(f"{str(into)!r} is a file; name a folder to write to")
    if into.is_dir() and any(into.iterdir()):
        raise InputError(f"{str(into)!r} holds files already; name a new folder")
    parent = into.absolute().parent
    if not parent.is_dir():
        raise InputError(f"there is no folder {str(into.parent)!r} to write {into.name!r} into; make it first")
    made = Path(tempfile.mkdtemp(prefix=f".{into.name}.", suffix=".partial", dir=parent))
    try:
        yield made
        made.chmod(0o755)
        if into.is_dir():
            into.rmdir()
        made.replace(into)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
