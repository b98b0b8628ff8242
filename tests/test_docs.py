"""The documentation is kept true: its commands run, its code runs, its reference is generated."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer.main

from tests.commands import veritab
from veritab.cli import app
from veritab.cli.commands import COMMANDS
from veritab.corpus.sources import FORMATS
from veritab.datasets import load
from veritab.schema import Label
from veritab.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = ROOT / "docs" / "reference-cli.md"
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
]


def without_times(text: str) -> str:
    """Output without what differs from run to run, and without scores, which differ from weights to weights."""
    text = "\n".join(line.rstrip() for line in text.splitlines())
    text = re.sub(r" *[█░]+ +\d+ %", " N %", text)
    return re.sub(r"^([A-Z ]+)  0\.\d\d$", r"\1  N", re.sub(r"\d+(?:\.\d+)? s\b", "N s", text), flags=re.MULTILINE)


def console_blocks(page: Path) -> list[tuple[str, str]]:
    """Every `$ command` of a page with the output shown under it."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


SHOWING = ("audit", "compare", "datasets", "evaluate", "gate", "judge", "reproduce", "search", "train")
RUNNING = (
    "data-written",
    *(f"howto-{each}" for each in ("build", "check", "compare", "datasets", "evaluate", "export", "judge", "retrieve")),
)


@pytest.mark.parametrize("name", ["README.md", *(f"docs/howto-{each}.md" for each in SHOWING)])
def test_the_commands_of_a_page_print_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("documents", "evaluate"):
        shutil.copytree(ROOT / "examples" / folder, tmp_path / "examples" / folder)
    monkeypatch.delenv("VERITAB_DATA", raising=False)
    commands = console_blocks(ROOT / name)
    assert len(commands) >= 3
    for command, shown in commands:
        program, *words = shlex.split(command)
        assert program == "veritab"
        done = veritab(*words, cwd=tmp_path)
        failing = shown.startswith("error:")
        assert done.code == (2 if failing else 0), done.err
        printed, expected = without_times(done.err if failing else done.out), without_times(shown)
        if expected.endswith("…"):  # only the beginning is shown
            expected = expected.removesuffix("…")
            printed = printed[: len(expected)]
        assert printed == expected


def test_the_tutorial_leads_from_an_empty_folder_to_a_report(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(sh|console)\n(.*?)```", page, re.DOTALL)
    assert blocks[0][0] == "sh"
    assert "pip install" in blocks[0][1]
    for kind, block in blocks[1:]:
        if kind == "sh":  # files for the reader to write
            subprocess.run(["bash", "-euc", block], cwd=tmp_path, check=True)
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            expected = without_times(shown)
            done = veritab(*shlex.split(command)[1:], cwd=tmp_path)
            assert done.code == 0, done.err
            printed = without_times(done.out)
            cut = expected.removesuffix("…")
            assert (printed if cut == expected else printed[: len(cut)]) == cut
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    claims = (tmp_path / "claims.txt").read_text(encoding="utf-8").splitlines()
    assert len(claims) == 5
    assert all(claim in report for claim in claims)


def test_questions_tables_and_claims_become_a_rated_audited_and_split_data_set(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "build", tmp_path / "examples" / "build")
    page = (ROOT / "docs" / "howto-build.md").read_text(encoding="utf-8")
    walk = page.partition("## A data set in ten minutes")[2].partition("\n## ")[0]
    commands = "".join(re.findall(r"```sh\n(.*?)```", walk, re.DOTALL)).splitlines()
    assert len(commands) > 10
    for command in commands:
        if command.startswith("cat "):
            subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True)
            continue
        done = veritab(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.code == 0, f"{command}\n{done.err}"
    parts = [load(tmp_path / "parts" / f"{name}.jsonl") for name in ("train", "dev", "test")]
    labels = Counter(example.label for part in parts for example in part)
    assert all(labels[label] > 10 for label in Label)
    rules = {example.record["origin"]["rule"] for part in parts for example in part}
    assert {"given cell", "negate", "nearest", "absent", "correct"} <= rules


def test_the_navigation_of_the_site_names_every_page_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"(\S+\.md)$", navigation, re.MULTILINE)
    assert sorted(named) == sorted(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md"))


def test_every_public_name_is_generated_into_the_reference() -> None:
    import veritab

    generated = re.findall(r"^::: veritab\.(\w+)$", (ROOT / "docs" / "reference-api.md").read_text(), re.MULTILINE)
    assert sorted(generated) == [name for name in veritab.__all__ if name != "__version__"]


def test_every_command_is_listed_on_the_first_page() -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert not [name for name in COMMANDS if f"`veritab {name}" not in page]


def test_the_glossary_has_each_term_once_and_in_order() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| \*\*(.+?)\*\* \|", page, re.MULTILINE)
    assert len(terms) > 50
    assert terms == sorted(set(terms), key=str.casefold)


def test_the_python_of_the_readme_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "REFUTES 4 rows have Italy as Winner (1934, 1938, 1982 and 2006): 4, not 5, "
        'so "five" is false FIFA World Cup_header_cell_1_3_0',
        "REFUTES ('Km of Danube: 2850; of Nile: 6650; 6650 − 2850 = 3,800 less, so \"longer\" is false',)",
    ]


@pytest.mark.parametrize("name", RUNNING)
def test_the_python_of_a_page_runs(name: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "evaluate", tmp_path / "examples" / "evaluate")
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert blocks
    for code in blocks:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr


def test_the_test_command_of_the_readme_is_what_runs_before_a_change_lands() -> None:
    assert "```sh\nmake test\n```" in README
    commands = [
        line
        for line in (ROOT / ".ci" / "run").read_text().splitlines()
        if line and not line.startswith(("#", "set", "cd", "export CI"))
    ]
    assert commands == ["make test"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_the_documentation_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), f"{page} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_and_file_of_the_documentation_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = set(re.findall(r"\bveritab(?:\.[A-Za-z_]\w*)+", text))
    names |= {
        f"{module}.{name}" for module, name in re.findall(r"^from (veritab[\w.]*) import (\w+)", text, re.MULTILINE)
    }
    entry_points = {f"veritab.{group}" for group in ("readers", "retrievers", "verifiers")}
    if page.name != "CHANGELOG.md":  # it also names what is gone
        assert not [name for name in sorted(names - entry_points) if not name_exists(name)]
    paths = re.findall(r"`((?:src/veritab|tests|benchmarks|docs|examples)/[\w/.-]+)`", text)
    assert not [path for path in paths if not (ROOT / path).exists()]


def name_exists(dotted: str) -> bool:
    """Whether a dotted name is a module, or what a module has."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_every_format_is_documented() -> None:
    howto = (ROOT / "docs" / "howto-ingest.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in howto for name in FORMATS)


def test_every_setting_is_documented() -> None:
    howtos = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("howto-check.md", "howto-llm.md"))
    for section, values in Settings().table().items():
        assert f"[{section}]" in howtos
        assert not [name for name in values if not re.search(rf"\b{name}\b", howtos)], section


def test_every_addressed_example_of_the_concept_page_exists() -> None:
    from veritab import ElementId, open_corpus

    concept = (ROOT / "docs" / "concept.md").read_text(encoding="utf-8")
    addresses = re.findall(r"`([A-Z][^`]*_(?:sentence|cell|caption|item)_[0-9_]+)`", concept)
    assert len(addresses) >= 5
    with open_corpus() as corpus:
        for address in addresses:
            assert corpus.element(ElementId.parse(address)).text


# -- the reference --


def reference() -> str:
    """Every command and option, as the command line itself knows them."""
    group: Any = typer.main.get_command(app)
    parts = [
        "# Command line reference",
        "",
        "Generated from the commands themselves by `python -m tests.test_docs`.",
        "",
    ]
    parts += [
        "Answers go to stdout, talk and progress to stderr. Exit codes: 0 fine, 1 failed, 2 bad input, 3 a gate failed.",
        "",
    ]
    for name, command in _commands(group):
        parts += _command(name, command)
    return "\n".join(parts)


def _commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """All commands by name; one that has commands of its own comes before them."""
    for name in sorted(group.commands):
        command = group.commands[name]
        yield before + name, command
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")


def _command(name: str, command: Any) -> list[str]:
    arguments = " ".join(parameter.metavar for parameter in command.params if parameter.param_type_name == "argument")
    parts = [
        f"## veritab {name}",
        "",
        f"`veritab {name} {arguments}`".replace(" `", "`"),
        "",
        " ".join((command.help or "").split()),
        "",
    ]
    parts += ["| option | meaning | default |", "|---|---|---|"]
    for parameter in command.params:
        if parameter.param_type_name == "option" and not parameter.hidden:
            default = (
                "" if parameter.default in (None, False) or callable(parameter.default) else str(parameter.default)
            )
            default = "" if name == "ingest" and parameter.name == "workers" else default
            parts.append(f"| `{', '.join(parameter.opts)}` | {parameter.help} | {default} |")
    return [*parts, ""]


def test_the_reference_is_up_to_date() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == reference(), "run: python -m tests.test_docs"


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
