"""Files of claims in every shape people have them in."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from veritab.errors import FormatError, InputError, MissingExtra, NotFound
from veritab.runs.claims import ClaimRecord, ClaimsFile, SeenIds, detect_format, read_claims


def written(folder: Path, name: str, data: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def claims(file: Path) -> list[tuple[object, str]]:
    return [(each.id, each.text) for each in ClaimsFile.open(file)]


def test_records_of_every_benchmark_are_claims(tmp_path: Path) -> None:
    records = [
        {"evidence": [{"content": []}], "id": "", "claim": "", "label": "", "challenge": ""},
        {
            "id": 91198,
            "verifiable": "VERIFIABLE",
            "label": "SUPPORTS",
            "claim": "K2 is high.",
            "evidence": [[[1, 2, "K2", 0]]],
        },
        {"category": "Geography", "id": "01EIC", "label": "REFUTES", "text": "K2 is low."},
        {"claim": "  K2  is\ncold. "},
    ]
    file = written(tmp_path, "claims.jsonl", "".join(json.dumps(each) + "\n" for each in records))
    assert claims(file) == [(91198, "K2 is high."), ("01EIC", "K2 is low."), (4, "K2 is cold.")]


def test_plain_lines_are_claims_named_by_their_number(tmp_path: Path) -> None:
    file = written(tmp_path, "claims.txt", b"\xef\xbb\xbf\r\nK2 is high.\r\n\r\n{K2} is cold.\r\n")
    assert claims(file) == [(2, "K2 is high."), (4, "{K2} is cold.")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_needs_a_column_of_claims(tmp_path: Path, separator: str) -> None:
    rows = [["Id", "Source", "Claim"], ["a", "", '"K2, they say, is\nhigh."'], ["", "x", "K2 is cold."], ["", "", ""]]
    file = written(tmp_path, "claims.csv", "\n".join(separator.join(row) for row in rows))
    assert claims(file) == [("a", "K2, they say, is high."), (4, "K2 is cold.")]


def test_a_table_without_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column called claim, only 'a,b'"):
        ClaimsFile.open(written(tmp_path, "claims.csv", "a,b\n1,2\n"))
    with pytest.raises(InputError, match="check its quotes"):
        ClaimsFile.open(written(tmp_path, "claims.csv", 'claim\n"K2 is high.\n'))


def test_an_array_of_records_and_a_compressed_file_are_read_too(tmp_path: Path) -> None:
    array = written(tmp_path, "claims.json", '[{"id": 1, "claim": "K2 is high."},\n "K2 is cold."]')
    packed = written(tmp_path, "claims.jsonl.gz", gzip.compress(b'{"id": 1, "claim": "K2 is high."}\n"K2 is cold."\n'))
    assert claims(array) == claims(packed) == [(1, "K2 is high."), (2, "K2 is cold.")]
    assert ClaimsFile.open(array).sha256 == ClaimsFile.open(packed).sha256


def test_the_style_of_lines_without_a_name_is_told_by_the_first(tmp_path: Path) -> None:
    assert [detect_format(line) for line in (b'{"claim": "a"}', b"  [", b"id,Claim,x\n", b"A claim, they say.", b"")] == [
        "json", "json", "csv", "lines", "lines",
    ]  # fmt: skip
    assert claims(written(tmp_path, "unnamed", "\n\nid;claim\na;K2 is high.\n"))[0][1] == "K2 is high."


def test_every_bad_line_is_named_and_a_few_are_told(tmp_path: Path) -> None:
    lines = ['{"claim": "K2 is high."}', "{oops", "3", '{"id": 1}', '{"claim": "?!"}', '{"claim": 5}']
    with pytest.raises(InputError) as told:
        ClaimsFile.open(written(tmp_path, "claims.jsonl", "\n".join(lines)))
    said = str(told.value)
    assert [f".jsonl, line {number}" in said for number in range(1, 7)] == [False, True, True, True, False, False]
    assert "and 2 more bad lines" in said
    assert 'expected e.g. {"id": 1, "claim"' in said


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        ClaimsFile.open(tmp_path / "nothing.txt")
    with pytest.raises(InputError, match="line 1 is not UTF-8"):
        ClaimsFile.open(written(tmp_path, "claims.txt", "Zürich is a city.".encode("latin-1")))
    with pytest.raises(InputError, match="not UTF-8"):
        ClaimsFile.open(written(tmp_path, "claims.csv", "claim\nZürich is a city.".encode("latin-1")))
    with pytest.raises(FormatError, match="could not be read to its end"):
        ClaimsFile.open(written(tmp_path, "claims.jsonl.gz", gzip.compress(b'{"claim": "K2 is high."}\n' * 99)[:40]))


def test_a_file_may_hold_nothing(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.csv", "a.txt", "a"):
        assert len(ClaimsFile.open(written(tmp_path, name, "\n \n" if name != "a.csv" else ""))) == 0


def test_lines_know_how_many_came_before() -> None:
    assert list(read_claims([b"\n", b"K2 is high.\n"], "stdin", "lines", skipped=10)) == [
        ClaimRecord(12, 12, "K2 is high.")
    ]


def test_a_claim_knows_whether_its_id_is_the_files_own() -> None:
    lines = [b'{"id": 1, "claim": "K2 is high."}\n', b'{"claim": "K2 is low."}\n']
    assert list(read_claims(lines, "a")) == [ClaimRecord(1, 1, "K2 is high.", True), ClaimRecord(2, 2, "K2 is low.")]


def test_a_file_that_is_changed_while_it_is_read_is_told(tmp_path: Path) -> None:
    file = ClaimsFile.open(written(tmp_path, "claims.txt", "K2 is high.\nK2 is cold.\n"))
    for changed in ("K2 is high.\nK2 is warm.\n", "K2 is high.\n", "K2 is high.\n?!\n"):
        written(tmp_path, "claims.txt", changed)
        with pytest.raises(FormatError, match=r"claims\.txt was changed while its claims were checked"):
            list(file)


# -- Parquet -----------------------------------------------------------------------------------------------


def parquet(folder: Path, **columns: list[object]) -> Path:
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    writer.write_table(arrow.table(columns), folder / "claims.parquet", row_group_size=2)
    return folder / "claims.parquet"


def test_parquet_has_claims_in_a_column(tmp_path: Path) -> None:
    texts: list[object] = ["K2 is  high.", "K2 is cold.", "K2 is far."]
    assert claims(parquet(tmp_path, Id=["a", "", None], Claim=texts, other=[1, 2, 3])) == [
        ("a", "K2 is high."), (2, "K2 is cold."), (3, "K2 is far."),
    ]  # fmt: skip
    assert claims(parquet(tmp_path, id=[7, 8, 9], text=texts))[2] == (9, "K2 is far.")


def test_parquet_without_claims_is_told_by_row(tmp_path: Path) -> None:
    for columns, what in (
        ({"a": ["K2 is high."]}, r"claims\.parquet has no column called claim, only 'a'"),
        ({"claim": ["K2 is high.", None]}, r"claims\.parquet, row 2 has no claim but None"),
        ({"claim": ["K2 is high."], "id": [1.5]}, r"row 1 has the id 1\.5"),
        ({"claim": ["?!"]}, r"row 1: '\?!' is not a claim"),
    ):
        with pytest.raises(InputError, match=what):
            ClaimsFile.open(parquet(tmp_path, **columns))
    cut = parquet(tmp_path, claim=["K2 is high."] * 99).read_bytes()[:-20]
    with pytest.raises(FormatError, match="not a complete Parquet file"):
        ClaimsFile.open(written(tmp_path, "claims.parquet", cut))


def test_parquet_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = parquet(tmp_path, claim=["K2 is high."])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"veritab\[scale\]"):
        ClaimsFile.open(file)


# -- ids ---------------------------------------------------------------------------------------------------


def test_ids_that_stand_for_two_claims_are_refused_with_both_lines(tmp_path: Path) -> None:
    same = written(tmp_path, "a.jsonl", '{"id": 7, "claim": "K2 is high."}\n\n{"id": "7", "claim": "K2 is low."}\n')
    with pytest.raises(InputError, match=r"a\.jsonl, line 3 has the id '7', as .*a\.jsonl, line 1 has"):
        SeenIds().add(ClaimsFile.open(same))
    number = written(tmp_path, "b.jsonl", '{"claim": "K2 is high."}\n{"id": 1, "claim": "K2 is low."}\n')
    with pytest.raises(InputError, match=r"line 2 has the id 1, as .*line 1 has"):
        SeenIds().add(ClaimsFile.open(number))


def test_ids_are_told_apart_over_many_files(tmp_path: Path) -> None:
    files = [
        ClaimsFile.open(
            written(
                tmp_path, f"{n}.jsonl", "".join(f'{{"id": {n * 10 + k}, "claim": "K2 is {k}."}}\n' for k in range(n))
            )
        )
        for n in range(9)
    ]
    seen = SeenIds()
    for number, file in enumerate(files):
        seen.add(file, files[:number])
    again = ClaimsFile.open(written(tmp_path, "again.jsonl", '{"id": 99, "claim": "a"}\n{"id": 52, "claim": "b"}\n'))
    with pytest.raises(InputError, match=r"again\.jsonl, line 2 has the id 52, as .*5\.jsonl, line 3 has"):
        seen.add(again, files)
