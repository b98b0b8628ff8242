"""Addresses of clusters, as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from veritab.engine import count_cores
from veritab.errors import FormatError, InputError, NotFound
from veritab.scale.address import LocalWorkers, RunningScheduler, read_address


def test_local_means_as_many_workers_as_cores() -> None:
    assert read_address("local") == LocalWorkers(count_cores())
    assert read_address("local:3") == LocalWorkers(3)


@pytest.mark.parametrize("url", ["tcp://10.0.0.5:8786", "tls://scheduler.example:8786", "tcp://[::1]:8786"])
def test_a_url_names_a_scheduler(url: str) -> None:
    assert read_address(url) == RunningScheduler(url)


def test_a_scheduler_file_names_one(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text('{"type": "Scheduler", "address": "tcp://127.0.0.1:8786"}')
    assert read_address(str(file)) == RunningScheduler("tcp://127.0.0.1:8786", file)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("local:", "expected 1 to"),
        ("local:0", "expected 1 to"),
        ("local:two", "'two' in 'local:two' is no number of workers"),
        ("local:-1", "expected 1 to"),
        ("local:99999", "expected 1 to"),
        (f"local:{'9' * 5000}", "expected 1 to"),
        ("", "is no cluster; expected local, local:4"),
        ("locl", "is no cluster; expected local, local:4"),
        ("host:8786", "has no scheme; write tcp://host:8786"),
        ("http://host:8786", "begins with http://"),
        ("tcp://host", "expected a host and a port"),
        ("tcp://:8786", "expected a host and a port"),
        ("tcp://host:port", "is no address of a scheduler"),
        ("tcp://host:99999", "is no address of a scheduler"),
        ("tcp://host:8786/status", "expected a host and a port"),
    ],
)
def test_an_address_that_means_nothing_is_refused_with_what_is_expected(address: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        read_address(address)
    assert says in str(refused.value)


def test_a_scheduler_file_that_is_missing_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no scheduler file"):
        read_address(str(tmp_path / "scheduler.json"))
    with pytest.raises(NotFound, match=r"no scheduler file '~nobody-here/scheduler\.json'"):
        read_address("~nobody-here/scheduler.json")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"address": 3}', '{"address": "tcp://"}', "\xff"])
def test_a_scheduler_file_that_is_damaged_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(FormatError, match="scheduler file"):
        read_address(str(file))
