"""One file says how claims are checked, and a record of it repeats a run."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, ClassVar

import pytest

from veritab.errors import FormatError, InputError, NotFound
from veritab.models.registry import NAMES
from veritab.settings import LLM, NONE, Settings, record


def test_settings_written_as_toml_read_back_as_they_were(tmp_path: Path) -> None:
    settings = Settings.of({"verify": {"model": 'a "folder"', "threads": 2}, "select": {"cell_weight": 0.25}})
    file = tmp_path / "settings.toml"
    file.write_text(settings.as_toml(), encoding="utf-8")
    assert Settings.read(file) == settings
    assert tomllib.loads(settings.as_toml()) == settings.table()


def test_options_of_any_shape_survive_toml() -> None:
    options = {"temperature": 0.5, "stop": ["a", "b"], "thinking": {"on": False, "a word": "ü"}}
    settings = Settings.of({"llm": {"options": options}})
    assert Settings.of(tomllib.loads(settings.as_toml())) == settings


def test_what_a_file_does_not_say_is_as_usual(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[verify]\nmodel = "none"\n')
    read = Settings.read(file)
    assert read.verify.model == "none"
    assert (read.retrieve, read.select, read.check) == (Settings().retrieve, Settings().select, Settings().check)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"verfy": {}}, r"no section \[verfy\]; did you mean \[verify\]"),
        ({"verify": {"modle": "x"}}, r"\[verify\] has no 'modle'; did you mean 'model'"),
        ({"verify": 3}, r"verify is 3; expected a section"),
        ({"verify": {"threads": "2"}}, r"verify.threads is '2'; expected a whole number, e.g. 0"),
        ({"check": {"parts": 1}}, r"check.parts is 1; expected true or false"),
        ({"retrieve": {"pages": 0}}, r"retrieve.pages is 0; it must be 1 or more"),
        ({"verify": {"reading": "aloud"}}, r"verify.reading is 'aloud'; expected 'together' or 'one by one'"),
        ({"llm": {"key": "secret"}}, r"\[llm\] has no 'key'; did you mean 'key_file'"),
        ({"llm": {"options": 3}}, r"llm.options is 3; expected a table, e.g. \{\"temperature\" = 0"),
        ({"select": {"cell_weight": 1.5}}, r"select.cell_weight is 1.5; it must lie between 0 and 1"),
    ],
)
def test_a_wrong_word_or_value_is_told_with_the_nearest_right_one(table: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Settings.of(table)


def test_a_wrong_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no such.toml"):
        Settings.read(tmp_path / "no such.toml")
    file = tmp_path / "broken.toml"
    file.write_text("[verify\n")
    with pytest.raises(FormatError, match=r"broken.toml' is no TOML file"):
        Settings.read(file)
    file.write_text("[check]\nparts = 1\n")
    with pytest.raises(InputError, match=r"in .*broken.toml': check.parts"):
        Settings.read(file)


def test_a_whole_number_may_stand_for_a_weight() -> None:
    assert Settings.of({"select": {"cell_weight": 1}}).select.cell_weight == 1


def test_single_settings_are_replaced_by_name() -> None:
    changed = Settings().replaced({"verify.model": "none", "check.batch": 3})
    assert (changed.verify.model, changed.check.batch) == ("none", 3)
    with pytest.raises(InputError, match="'model' names no setting"):
        Settings().replaced({"model": "none"})


def test_other_settings_have_another_digest() -> None:
    assert Settings().digest() == Settings().digest()
    assert Settings().digest() != Settings().replaced({"verify.vote": False}).digest()


class _Checker:
    settings = Settings()
    corpus: ClassVar = {"name": "almanac", "revision": "ab", "pages": 2}
    models: ClassVar = {"verdict": "0123"}


def test_a_record_holds_all_that_a_run_needs_to_be_repeated() -> None:
    kept = record(_Checker())
    assert Settings.of(kept["settings"]) == Settings()
    assert kept["corpus"]["revision"] == "ab"
    assert kept["models"] == {"verdict": "0123"}
    assert kept["veritab"]
    assert kept["python"]


def test_a_worker_uses_the_cores_it_has_unless_threads_are_given() -> None:
    assert Settings().for_worker(3).verify.threads == 3
    assert Settings.of({"verify": {"threads": 2}}).for_worker(3).verify.threads == 2


def test_a_worker_that_was_started_elsewhere_finds_models_and_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"verify": {"model": "./ours"}, "select": {"model": "theirs"}, "llm": {"key_file": "key"}}
    there = Settings.of(given).for_worker(1)
    assert (there.verify.model, there.select.model) == (str(tmp_path / "ours"), str(tmp_path / "theirs"))
    assert there.llm.key_file == str(tmp_path / "key")
    for name in (*NAMES, NONE, LLM):
        assert Settings.of({"verify": {"model": name}}).for_worker(1).verify.model == name
    assert Settings().for_worker(1).replaced({"verify.threads": 0}) == Settings()
