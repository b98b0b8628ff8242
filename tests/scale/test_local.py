"""An engine on workers of this machine."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import ref

import pytest

from tests.scale import work
from veritab.engine import count_cores
from veritab.errors import InputError, NotFound, VeritabError
from veritab.scale import open_engine

if TYPE_CHECKING:
    from veritab.scale.cluster import ClusterEngine

pytest.importorskip("distributed", reason="the extra scale is not installed")

from distributed import Future
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError


@pytest.fixture(scope="module")
def engine() -> Iterator[ClusterEngine]:
    with open_engine("local:2") as opened:
        yield opened


def test_results_come_in_the_order_of_the_items(engine: ClusterEngine) -> None:
    assert list(engine.map(work.wait_longer_if_even, range(20))) == list(range(20))


def test_workers_of_one_machine_share_its_cores(engine: ClusterEngine) -> None:
    assert engine.cores == max(1, count_cores() // 2)


def test_endless_items_are_taken_as_workers_become_free(engine: ClusterEngine) -> None:
    taken = itertools.count()
    results = engine.map(work.square, taken)
    assert list(itertools.islice(results, 10)) == [n * n for n in range(10)]
    results.close()  # type: ignore[attr-defined]
    assert next(taken) < 100


def test_large_items_and_results_travel(engine: ClusterEngine) -> None:
    items = [os.urandom(12_000_000) for _ in range(3)]
    assert list(engine.map(work.same, items)) == items


def test_an_error_of_ours_comes_back_as_it_is(engine: ClusterEngine) -> None:
    with pytest.raises(NotFound, match="no page three"):
        list(engine.map(work.fail_own, range(5)))


def test_another_error_is_told_with_its_worker_and_place(engine: ClusterEngine) -> None:
    with pytest.raises(VeritabError, match=r"worker tcp://127\.0\.0\.1:\d+: ValueError: three .*work\.py"):
        list(engine.map(work.fail, range(5)))


def test_an_exit_in_a_task_is_an_error_and_the_worker_lives(engine: ClusterEngine) -> None:
    with pytest.raises(VeritabError, match="SystemExit"):
        list(engine.map(work.leave, range(2)))
    assert list(engine.map(work.square, [3])) == [9]


def test_what_cannot_travel_is_refused(engine: ClusterEngine) -> None:
    with pytest.raises(InputError, match="cannot travel"):
        list(engine.map(lambda number: number, [1]))


@pytest.mark.slow
def test_an_item_that_workers_die_of_is_given_up_and_no_other(engine: ClusterEngine) -> None:
    results = list(engine.map(work.die_at_seven, range(12), lambda item, why: -item))
    assert results == [0, 1, 2, 3, 4, 5, 6, -7, 8, 9, 10, 11]


@pytest.mark.slow
def test_without_a_substitute_a_lost_item_ends_the_work(engine: ClusterEngine) -> None:
    with pytest.raises(VeritabError, match=r"given up at one item: 3 workers died of it.*the item is 7"):
        list(engine.map(work.die_at_seven, range(6, 9)))


@pytest.mark.slow
def test_a_task_is_done_again_when_its_worker_is_killed(engine: ClusterEngine, tmp_path: Path) -> None:
    items = [(tmp_path, number) for number in range(30)]
    assert list(engine.map(work.die_once_at_ten, items)) == list(range(30))


@pytest.mark.parametrize("error", [FutureCancelledError("a key", "its worker left"), CommClosedError("closed")])
def test_a_task_whose_result_is_lost_on_the_way_is_done_again(
    engine: ClusterEngine, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    fetch, errors = Future.result, iter([error])

    def fetch_late(future: Future[Any], timeout: float | None = None) -> Any:
        for each in errors:
            raise each
        return fetch(future, timeout)

    monkeypatch.setattr(Future, "result", fetch_late)
    assert list(engine.map(work.square, range(9))) == [number * number for number in range(9)]


def test_what_waits_for_an_earlier_result_is_not_held(engine: ClusterEngine) -> None:
    held: list[ref[frozenset[int]]] = []

    def items() -> Iterator[frozenset[int]]:
        for number in range(40):
            item = frozenset({number})
            held.append(ref(item))
            yield item

    for _ in engine.map(work.count, items()):
        assert sum(each() is not None for each in held) <= 2  # the last one, and the one before it


def test_a_shared_folder_is_left_as_it_was(engine: ClusterEngine, tmp_path: Path) -> None:
    engine.check_folder(tmp_path / "new" / "folder")
    assert list(engine.map(work.square, [2])) == [4]
    engine.close()
    assert list((tmp_path / "new" / "folder").iterdir()) == []


def test_what_killed_commands_left_in_a_shared_folder_goes_in_time(engine: ClusterEngine, tmp_path: Path) -> None:
    left, at_work = tmp_path / ".shared-left", tmp_path / ".shared-at-work"
    for token in (left, at_work):
        token.touch()
    os.utime(left, (0, 0))
    engine.check_folder(tmp_path)
    assert not left.exists()
    assert at_work.exists()


def test_a_file_in_place_of_a_folder_is_refused(engine: ClusterEngine, tmp_path: Path) -> None:
    (tmp_path / "corpus").write_text("kept")
    with pytest.raises(InputError, match="is a file; name a folder"):
        engine.check_folder(tmp_path / "corpus")
    assert (tmp_path / "corpus").read_text() == "kept"


def test_a_worker_tells_why_it_cannot_use_a_folder(tmp_path: Path) -> None:
    from veritab.scale.working import see_folder

    assert see_folder(tmp_path / "token", "0") == "no such file or directory"
    (tmp_path / "token").write_text("another")
    assert see_folder(tmp_path / "token", "0") == "reads something else there"
    (tmp_path / "token").write_text("token")
    assert see_folder(tmp_path / "token", "0") == ""
    assert (tmp_path / "token.0").exists()


def test_a_worker_tells_why_it_cannot_read_a_source(tmp_path: Path) -> None:
    from veritab.scale.working import see_source

    assert see_source(tmp_path / "pages.jsonl", 3) == "no such file or directory"
    (tmp_path / "pages.jsonl").write_text("12345")
    assert see_source(tmp_path / "pages.jsonl", 3) == "it has 5 bytes there, and 3 where the command runs"
    assert see_source(tmp_path / "pages.jsonl", 5) == ""


@pytest.mark.parametrize("memory", ["much", "-1", "0"])
def test_memory_that_is_no_amount_is_refused(memory: str) -> None:
    with pytest.raises(InputError, match="no amount of memory"), open_engine("local:1", memory=memory):
        pass
