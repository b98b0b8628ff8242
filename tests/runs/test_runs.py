"""Runs that are stopped at any byte, and go on."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.runs.stand_in import RAISES, stand_in
from veritab.engine import ThisProcess
from veritab.errors import DiskFull, FormatError, InputError, NotFound, StoreBusy
from veritab.runs.checking import BATCH, AnswerLine, Failed, batches, check_all, check_what_can_be, remaining_batches
from veritab.runs.claims import ClaimRecord, ClaimsFile
from veritab.runs.run import FAILED, FILES, RESULTS, Run, open_run, read_files, read_record, read_results

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


def test_only_who_has_a_run_cuts_off_what_is_torn(tmp_path: Path) -> None:
    with open_run(tmp_path / "run", RECORD, (), resume=False) as run:
        run.note_files([ClaimsFile(tmp_path / "a", "a", 1, "x", "a")])
        files = tmp_path / "run" / FILES
        half = b'{"file":"b","cl'  # another process is writing it
        files.write_bytes(whole := files.read_bytes() + half)
        assert read_files(tmp_path / "run") == [("a", "x")]
        assert files.read_bytes() == whole
    with open_run(tmp_path / "run", RECORD, (), resume=True):
        assert files.read_bytes() == whole.removesuffix(half)


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


# -- claims that fail --------------------------------------------------------------------------------------

POISONED = [each._replace(text=RAISES) if each.number in (3, 20) else each for each in ASKED]


def check_poisoned(folder: Path, *, resume: bool = False, claims: Sequence[ClaimRecord] = POISONED) -> Run:
    with open_run(folder, RECORD, claims, resume=resume) as run:
        for answers in check_what_can_be(remaining_batches(claims, run.done), stand_in, ThisProcess()):
            run.append(answers)
    return run


def answers_again(claims: Sequence[ClaimRecord]) -> list[tuple[ClaimRecord, AnswerLine]]:
    """Whole batches in which claims had failed, checked by a checker that can read all."""
    failed = [batch for batch in batches(claims) if {3, 20} & {each.id for each in batch}]
    able = [each._replace(text=each.text.replace(RAISES, "This is read now.")) for batch in failed for each in batch]
    lines = [line for some in check_all(able, stand_in()) for line in some]
    return [
        (claim, line.replace(b"This is read now.", RAISES.encode()))
        for claim, line in zip(chain.from_iterable(failed), lines, strict=True)
    ]


def test_failed_claims_are_named_beside_the_verdicts(tmp_path: Path) -> None:
    run = check_poisoned(tmp_path / "run")
    assert (run.done, list(run.failed)) == (len(ASKED), ["3", "20"])
    ids = [each["id"] for each in read_results(run.results)]
    assert ids == [each.id for each in ASKED if each.id not in (3, 20)]
    assert list(read_results(run.folder / FAILED)) == [
        {"id": number, "claim": RAISES, "error": "RuntimeError: the checker is at its end"} for number in (3, 20)
    ]


def test_a_run_with_failures_that_was_cut_at_any_line_ends_with_the_same_bytes(tmp_path: Path) -> None:
    check_poisoned(tmp_path / "whole")
    whole = {name: (tmp_path / "whole" / name).read_bytes() for name in (RESULTS, FAILED)}
    lines = whole[RESULTS].splitlines(keepends=True)
    for number in range(len(lines) + 1):
        for rest in (b"", b'{"id": 9, "cl'):
            # The failures of a batch are written first, and may be torn too.
            for failed in (whole[FAILED], whole[FAILED].splitlines(keepends=True)[0] + b'{"id"'):
                if failed != whole[FAILED] and number > BATCH - 1:
                    continue
                folder = tmp_path / "cut"
                folder.mkdir(exist_ok=True)
                (folder / "run.json").write_text(json.dumps(RECORD))
                (folder / RESULTS).write_bytes(b"".join(lines[:number]) + rest)
                (folder / FAILED).write_bytes(failed)
                run = check_poisoned(folder, resume=True)
                assert list(run.failed) == ["3", "20"]
                assert {name: (folder / name).read_bytes() for name in whole} == whole


def test_claims_that_failed_get_their_verdicts_in_their_places(tmp_path: Path) -> None:
    check_poisoned(tmp_path / "run")
    with open_run(tmp_path / "run", RECORD, POISONED, resume=True) as run:
        assert list(run.failed) == ["3", "20"]
        again = answers_again(POISONED)
        run.replace_failed(POISONED, again)
        assert not run.failed
    assert [(each["id"], each["claim"]) for each in read_results(run.results)] == [(e.id, e.text) for e in POISONED]
    assert not (run.folder / FAILED).exists()
    placed = {claim.id: line for claim, line in again}
    lines = run.results.read_bytes().splitlines()
    assert lines[: 2 * BATCH] == [placed[each.id] for each in POISONED[: 2 * BATCH]]


def test_a_claim_that_fails_again_stays_among_the_failed_and_a_verdict_is_kept(tmp_path: Path) -> None:
    check_poisoned(tmp_path / "run")
    before = (tmp_path / "run" / RESULTS).read_bytes().splitlines()
    with open_run(tmp_path / "run", RECORD, POISONED, resume=True) as run:
        again = [
            (claim, Failed(claim.id, claim.text, "again") if claim.id in (3, 4) else line)
            for claim, line in answers_again(POISONED)
        ]
        run.replace_failed(POISONED, again)
        assert [(each.id, each.error) for each in run.failed.values()] == [(3, "again")]
    lines = run.results.read_bytes().splitlines()
    assert lines[2] == before[2]  # claim 4
    assert len(lines) == len(ASKED) - 1
    with open_run(tmp_path / "run", RECORD, POISONED, resume=True) as run:
        assert (run.done, list(run.failed)) == (len(ASKED), ["3"])


def test_a_kill_between_verdicts_and_failures_leaves_a_claim_in_one_of_them(tmp_path: Path) -> None:
    check_poisoned(tmp_path / "run")
    failed = (tmp_path / "run" / FAILED).read_bytes()
    with open_run(tmp_path / "run", RECORD, POISONED, resume=True) as run:
        run.replace_failed(POISONED, answers_again(POISONED))
    (tmp_path / "run" / FAILED).write_bytes(failed)  # as it was before the verdicts were replaced
    with open_run(tmp_path / "run", RECORD, POISONED, resume=True) as run:
        assert (run.done, run.failed) == (len(ASKED), {})
    assert not (tmp_path / "run" / FAILED).exists()


def test_a_full_disk_stops_the_run_and_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_poisoned(tmp_path / "whole")
    syncs = iter(range(100))

    def sync(_: int) -> None:
        if next(syncs) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("veritab.runs.run.os.fsync", sync)
        with pytest.raises(DiskFull, match=r"no room left to write .* answers are kept: make room, then --resume"):
            check_poisoned(tmp_path / "run")
    check_poisoned(tmp_path / "run", resume=True)
    for name in (RESULTS, FAILED):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
