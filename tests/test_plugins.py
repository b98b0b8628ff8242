"""Packages of others add readers, retrievers and verifiers; the code is that of docs/howto-extend.md."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from veritab import Checker, Settings
from veritab.corpus.sources import detect_format, read_source
from veritab.errors import InputError, PluginError
from veritab.plugins import load_plugin, plugin_names
from veritab.schema import Page

HOWTO = (Path(__file__).parents[1] / "docs" / "howto-extend.md").read_text(encoding="utf-8")
FILES: dict[str, str] = dict(re.findall(r"```(?:toml|python)\n# (\S+)\n(.*?)```", HOWTO, re.DOTALL))


def installed(target: Path, project: str, **modules: str) -> None:
    """Build a wheel of a package, without a network, and unpack it as an installer does."""
    source = target / "source"
    source.mkdir(parents=True)
    (source / "pyproject.toml").write_text(project, encoding="utf-8")
    for name, code in modules.items():
        (source / f"{name}.py").write_text(code, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (wheel,) = target.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(target)


def project(package: str, group: str, entry: str) -> str:
    """The pyproject.toml of the howto for another package."""
    module = entry.partition(":")[0].split('"')[-1]
    text = FILES["pyproject.toml"].replace("veritab-titles", package).replace("veritab.retrievers", f"veritab.{group}")
    text = re.sub(r'^titles = ".*"$', entry, text, flags=re.MULTILINE)
    return f'{text}\n[tool.hatch.build.targets.wheel]\nonly-include = ["{module}.py"]\n'


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A folder for each package: those of the howto, and two that cannot be used."""
    made = []
    for package, group, entry, code in (
        ("veritab-titles", "retrievers", 'titles = "veritab_titles:TitleRetriever"', FILES["veritab_titles.py"]),
        ("veritab-notes", "readers", 'notes = "veritab_notes:NoteReader"', FILES["veritab_notes.py"]),
        ("veritab-words", "verifiers", 'words = "veritab_words:WordVerifier"', FILES["veritab_words.py"]),
        ("veritab-broken", "retrievers", 'broken = "veritab_broken:Any"', "import a_module_that_nobody_has\n"),
        ("veritab-idle", "retrievers", 'idle = "veritab_idle:Idle"', "class Idle:\n    pass\n"),
    ):
        folder = tmp_path_factory.mktemp(package)
        installed(folder, project(package, group, entry), **{package.replace("-", "_"): code})
        made.append(folder)
    return made


@pytest.fixture
def path(packages: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in packages:
        monkeypatch.syspath_prepend(str(folder))


pytestmark = pytest.mark.usefixtures("path")


def test_the_package_of_the_howto_is_as_short_as_it_says() -> None:
    code = FILES["pyproject.toml"] + FILES["veritab_titles.py"]
    assert len([line for line in code.splitlines() if line.strip()]) <= 32


def test_a_retriever_of_a_package_checks_a_claim() -> None:
    settings = Settings().replaced({"retrieve.retriever": "titles", "verify.model": "none", "select.model": "none"})
    with Checker.open(settings=settings) as checker:
        verdict = checker.check("K2 is higher than the Matterhorn.")
    assert {hit.by for hit in verdict.evidence} & {"titles", "cells"}
    assert {hit.element.id.page for hit in verdict.evidence} <= {"K2", "Matterhorn"}


def test_a_verifier_of_a_package_is_read_by_the_decider() -> None:
    settings = Settings().replaced({"verify.verifier": "words", "select.model": "none", "check.certificate": False})
    with Checker.open(settings=settings) as checker:
        verdict = checker.check("Zebras paint bridges in the rain.")
        assert verdict.label in verdict.scores
        assert "verdict" not in checker.models


def test_a_reader_of_a_package_reads_the_files_it_names(tmp_path: Path) -> None:
    file = tmp_path / "lamp.note"
    file.write_text("Lamp\nA lamp gives light. It needs oil.\nIt is old.\n", encoding="utf-8")
    assert detect_format(file) == "notes"
    (page,) = read_source(file)
    assert isinstance(page, Page)
    assert page.title == "Lamp"
    assert [element.text for element in page.elements][-1] == "It is old."
    other = tmp_path / "lamp.md"
    other.write_text("Lamp\nA lamp.\n", encoding="utf-8")
    assert detect_format(other) == "documents"
    (page,) = read_source(other, "notes")
    assert isinstance(page, Page)
    assert page.title == "Lamp"


def test_a_name_that_is_not_installed_is_an_error_that_lists_those_that_are() -> None:
    assert plugin_names("retrievers") == ["broken", "idle", "titles"]
    with pytest.raises(
        InputError, match="'tittles' is not one of the installed retrievers; installed: broken, idle, t"
    ):
        load_plugin("retrievers", "tittles")
    with pytest.raises(InputError, match=r"'nots' is not a format; known are: .*wikitext, notes"):
        list(read_source("x", "nots"))


def test_a_package_that_cannot_be_used_is_named() -> None:
    with pytest.raises(
        PluginError, match=r"'broken' of the package 'veritab-broken' cannot be loaded \(ModuleNotFound"
    ):
        load_plugin("retrievers", "broken", None)
    with pytest.raises(PluginError, match=r"'idle' of the package 'veritab-idle' cannot be loaded \(TypeError"):
        load_plugin("retrievers", "idle", None)
    with pytest.raises(PluginError, match="'idle' of the package 'veritab-idle' has no method 'retrieve'"):
        load_plugin("retrievers", "idle")
