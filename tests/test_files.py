"""A file is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from veritab.errors import InputError
from veritab.files import new_folder, partial_path, refuse_missing_folder, replacing, write_whole


def test_what_is_written_takes_the_place_of_the_old_file_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    file.write_bytes(b"old")
    with replacing(file) as new:
        new.write(b"new")
        assert file.read_bytes() == b"old"
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    write_whole(file, b"old")

    def failing() -> None:
        with replacing(file) as new:
            new.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link_and_rights_stay_as_they_were(tmp_path: Path) -> None:
    file, link = tmp_path / "answers", tmp_path / "link"
    file.write_bytes(b"old")
    file.chmod(0o600)
    link.symlink_to(file)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_new_file_has_the_rights_that_the_user_gives_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "answers", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "answers").stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to() -> None:
    reader, terminal = os.openpty()
    device = Path(os.ttyname(terminal))
    write_whole(device, b"somewhere")
    assert os.read(reader, 100) == b"somewhere"
    assert device.is_char_device()
    os.close(terminal)
    os.close(reader)


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 250)
    write_whole(file, b"new")
    assert file.read_bytes() == b"new"


def test_a_folder_that_is_none_is_told_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        refuse_missing_folder(tmp_path / "missing" / "answers")
    with pytest.raises(InputError, match="is a folder; name a file"):
        refuse_missing_folder(tmp_path)
    with pytest.raises(InputError, match="there is no folder"), replacing(tmp_path / "missing" / "answers"):
        pass


def test_a_path_is_renamed_once_it_is_written_and_gone_after_an_error(tmp_path: Path) -> None:
    file = tmp_path / "graph"
    with partial_path(file) as partial:
        partial.write_bytes(b"new")
        assert not file.exists()
    assert file.read_bytes() == b"new"

    def failing() -> None:
        with partial_path(file) as partial:
            partial.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_appears_whole_and_the_first_of_two_stays(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with new_folder(folder) as slower:
        slower.mkdir()
        with new_folder(folder) as faster:
            faster.mkdir()
            (faster / "page").write_bytes(b"first")
            assert not folder.exists()
        (slower / "page").write_bytes(b"second")
    assert (folder / "page").read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [folder]
