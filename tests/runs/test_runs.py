"""Runs that are stopped at any byte, and go on."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runs.stand_in import SLOW, stand_in, that_dies, that_lacks_a_part
from veritab.errors import FormatError, InputError, MissingExtra, NotFound, StoreBusy, VeritabError
from veritab.runs.checking import BATCH, check_all, check_in_processes
from veritab.runs.claims import ClaimRecord
from veritab.runs.run import open_run, read_record, read_results

ASKED = [ClaimRecord(n, n, f"Claim {n} {('is', 'never', 'was')[n % 3]} high.") for n in range(1, 2 * BATCH + 6)]
RECORD: dict[str, Any] = {"claims_sha256": "a" * 64, "file": "x", "settings": {"retrieve": {"pages": 8}}}


def run_to_the_end(folder: Path, *, resume: bool = False, record: Mapping[str, Any] = RECORD) -> list[str]:
    """Works a run off, and tells what was asked for it."""
    checker = stand_in()
    with open_run(folder, record, ASKED, resume=resume) as run:
        for lines in check_all(ASKED, checker, done=run.done):
            run.append(lines)
        assert run.done == len(ASKED)
    return checker.asked  # type: ignore[attr-defined,no-any-return]


def test_a_run_keeps_its_answers_in_order_and_what_it_was_begun_with(tmp_path: Path) -> None:
    run_to_the_end(tmp_path / "deep" / "run")
    found = list(read_results(tmp_path / "deep" / "run" / "results.jsonl"))
    assert [(each["id"], each["claim"]) for each in found] == [(each.id, each.text) for each in ASKED]
    assert [each["label"] for each in found[:3]] == ["REFUTES", "NOT ENOUGH INFO", "SUPPORTS"]
    assert read_record(tmp_path / "deep" / "run") == RECORD


def test_a_run_that_was_cut_at_any_byte_ends_with_the_same_bytes(tmp_path: Path) -> None:
    run_to_the_end(tmp_path / "whole")
    whole = (tmp_path / "whole" / "results.jsonl").read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == 10]
    cuts = {
        0,
        1,
        *ends[:2],
        ends[0] - 1,
        ends[0] + 1,
        ends[0] + 40,
        ends[BATCH - 1],
        ends[BATCH] + 7,
        *ends[-2:],
        len(whole) - 1,
    }
    run = tmp_path / "cut"
    for cut in sorted(cuts):
        run.mkdir()
        (run / "run.json").write_text(json.dumps(RECORD))
        (run / "results.jsonl").write_bytes(whole[:cut])
        asked = run_to_the_end(run, resume=True)
        assert (run / "results.jsonl").read_bytes() == whole
        done = whole[:cut].count(b"\n")
        assert len(asked) == len(ASKED) - done // BATCH * BATCH if done < len(ASKED) else not asked
        for file in run.iterdir():
            file.unlink()
        run.rmdir()


def test_what_a_crash_left_of_the_last_line_is_done_again(tmp_path: Path) -> None:
    run_to_the_end(tmp_path / "run")
    results = tmp_path / "run" / "results.jsonl"
    whole = results.read_bytes()
    first = whole.index(b"\n") + 1
    for rest in (b"\0" * 500, b'{"id": 2, "cl', b"\xff\xfe\n", b"[]\n"):
        results.write_bytes(whole[:first] + rest)
        run_to_the_end(tmp_path / "run", resume=True)
        assert results.read_bytes() == whole


def test_damage_in_the_middle_is_told_and_nothing_is_overwritten(tmp_path: Path) -> None:
    run_to_the_end(tmp_path / "run")
    results = tmp_path / "run" / "results.jsonl"
    lines = results.read_bytes().splitlines(keepends=True)
    for damaged, what in ((b"{oops\n", "line 3 is damaged"), (lines[5], "line 3 is not the answer to that claim")):
        data = b"".join([*lines[:2], damaged, *lines[3:]])
        results.write_bytes(data)
        with pytest.raises(FormatError, match=what):
            run_to_the_end(tmp_path / "run", resume=True)
        assert results.read_bytes() == data
    results.write_bytes(b"".join([*lines, lines[-1]]))
    with pytest.raises(FormatError, match="not the answer"):
        run_to_the_end(tmp_path / "run", resume=True)


def test_a_run_is_not_begun_over_another(tmp_path: Path) -> None:
    run_to_the_end(tmp_path / "run")
    with pytest.raises(InputError, match=f"{len(ASKED)} of its claims checked; add --resume"):
        run_to_the_end(tmp_path / "run")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        run_to_the_end(tmp_path / "file")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "results.jsonl").write_text("mine\n")
    with pytest.raises(InputError, match=r"holds 'results\.jsonl' but no run"):
        run_to_the_end(tmp_path / "others", resume=True)
    assert (tmp_path / "others" / "results.jsonl").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"settings": {"retrieve": {"pages": 5}}}, r"settings.retrieve.pages was 8, is 5"),
        ({"veritab": "9"}, r'veritab was null, is "9"'),
        ({"claims_sha256": "b" * 64}, r"the claims of 'x' changed since"),
        ({"claims_sha256": "b" * 64, "file": "y"}, r"'x' was asked, not 'y'"),
    ],
)
def test_a_run_goes_on_only_as_it_was_begun(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    run_to_the_end(tmp_path / "run")
    with pytest.raises(InputError, match=what):
        run_to_the_end(tmp_path / "run", resume=True, record={**RECORD, **change})
    run_to_the_end(tmp_path / "run", resume=True, record={**RECORD, "file": "moved", "python": "3.99"})


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    with open_run(tmp_path / "run", RECORD, ASKED, resume=False), pytest.raises(StoreBusy, match="another process"):
        run_to_the_end(tmp_path / "run", resume=True)


def test_a_record_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="holds no run"):
        read_record(tmp_path)
    for damaged in ("{oops", "[]"):
        (tmp_path / "run.json").write_text(damaged)
        with pytest.raises(FormatError, match=r"run\.json"):
            read_record(tmp_path)


def test_several_processes_answer_in_the_same_order() -> None:
    alone = [line for lines in check_all(ASKED, stand_in()) for line in lines]
    assert [line for lines in check_in_processes(ASKED, stand_in, 2) for line in lines] == alone
    assert [line for lines in check_in_processes(ASKED, stand_in, 2, done=BATCH + 3) for line in lines] == alone[
        BATCH + 3 :
    ]


def test_processes_end_when_nobody_wants_their_answers() -> None:
    answers = check_in_processes([*ASKED[:BATCH], *(ClaimRecord(0, 0, SLOW) for _ in range(9 * BATCH))], stand_in, 2)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_what_a_process_cannot_open_is_told_as_it_is() -> None:
    with pytest.raises(MissingExtra, match=r"a stand-in needs .*veritab\[none\]"):
        list(check_in_processes(ASKED, that_lacks_a_part, 2))


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(VeritabError, match="a worker process died"):
        list(check_in_processes(ASKED, that_dies, 2))
