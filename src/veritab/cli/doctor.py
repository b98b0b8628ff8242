"""`veritab doctor`: whether the installation and a corpus are sound, and what to do when they are not."""

from __future__ import annotations

import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.text import Text

from veritab import __version__
from veritab.cli.options import Corpus
from veritab.cli.output import Json, answer, counted, print_json
from veritab.corpus import open_corpus
from veritab.corpus.feverous import FeverousDatabase
from veritab.corpus.store import Store, quote_path
from veritab.errors import NotFound, StaleIndex, StoreError, VeritabError
from veritab.models.card import Card
from veritab.models.registry import NAMES, load, shipped
from veritab.retrieve.index import Index

_PACKAGES = ("lxml", "numpy", "onnxruntime", "orjson", "rapidfuzz", "sentencex", "tantivy", "tokenizers")
_EXTRAS = {
    "documents": ("openpyxl", "pdfplumber", "docx"),
    "dense": ("usearch",),
    "evaluate": ("altair", "ir_measures", "pyarrow", "scipy", "sklearn", "vl_convert"),
    "spacy": ("spacy",),
    "train": ("onnx", "safetensors", "torch", "transformers"),
    "scale": ("pyarrow",),
    "web": ("fastapi", "jinja2", "python_multipart", "uvicorn"),
    "mcp": ("mcp",),
}
_WEB = Path(__file__).parents[1] / "web"
_REINSTALL = "reinstall with: pip install --force-reinstall veritab"
_MARKS = {"ok": ("✓", "green"), "note": ("·", "dim"), "warning": ("!", "yellow"), "error": ("✗", "red")}


class Diagnosis(NamedTuple):
    """The state of one thing: `ok`, a `note`, a `warning` or an `error`, and what to do about it."""

    state: str
    what: str
    remedy: str = ""


class ModelState(NamedTuple):
    """A model that ships: what it does, how large it is, and whether its files are those of its card and open."""

    name: str
    job: str
    shipped: bool
    bytes: int = 0
    licence: str = ""
    verified: bool = False
    opens: bool = False
    problem: str = ""


def doctor(
    corpus: Corpus = None,
    deep: Annotated[bool, typer.Option("--deep", help="Read the whole corpus and its index.")] = False,
    as_json: Json = False,
) -> None:
    """Check the installation, its models and a corpus; exit 1 when something is wrong."""
    models = [_inspect_model(name) for name in NAMES]
    findings = [*_diagnose_installation(), *_diagnose_web(), *map(_diagnose_model, models)]
    findings += _diagnose_corpus(corpus, deep=deep)
    if as_json:
        print_json(
            {
                "ok": not _has_error(findings),
                "findings": [finding._asdict() for finding in findings],
                "models": [model._asdict() for model in models],
            }
        )
    else:
        for finding in findings:
            mark, style = _MARKS[finding.state]
            answer.print(Text(f"{mark} ", style=style) + Text(finding.what, style=""), soft_wrap=True)
            if finding.remedy:
                answer.print(Text(f"  {finding.remedy}", style="dim"), soft_wrap=True)
    if _has_error(findings):
        raise typer.Exit(1)


def _has_error(findings: list[Diagnosis]) -> bool:
    return any(finding.state == "error" for finding in findings)


def _diagnose_installation() -> list[Diagnosis]:
    findings = [
        Diagnosis("ok", f"veritab {__version__} on Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}")
    ]
    for package in _PACKAGES:
        try:
            findings.append(Diagnosis("ok", f"{package} {version(package)}"))
        except PackageNotFoundError:
            findings.append(Diagnosis("error", f"{package} is missing", _REINSTALL))
    for extra, modules in _EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        if missing:
            findings.append(Diagnosis("note", f"extra {extra!r} is not installed", f"pip install 'veritab[{extra}]'"))
        else:
            findings.append(Diagnosis("ok", f"extra {extra!r} is installed"))
    return findings


def _diagnose_web() -> list[Diagnosis]:
    """Whether `veritab serve` could start: its pages are there, and its port is free."""
    if any(find_spec(module) is None for module in _EXTRAS["web"]):
        return []
    missing = [name for name in ("templates", "static") if not any((_WEB / name).glob("*"))]
    if missing:
        return [Diagnosis("error", f"the web page lacks its {' and '.join(missing)}", _REINSTALL)]
    from veritab.cli.serve import DEFAULT_PORT
    from veritab.web.server import listen

    try:
        with listen("127.0.0.1", DEFAULT_PORT):
            return [Diagnosis("ok", f"veritab serve can listen on port {DEFAULT_PORT}, and its pages are there")]
    except VeritabError as error:
        return [Diagnosis("note", f"veritab serve: {error}")]


def _inspect_model(name: str) -> ModelState:
    folder = shipped().get(name)
    state = ModelState(name, NAMES[name], shipped=folder is not None)
    if folder is None:
        return state
    try:
        card = Card.read(folder)
        size = sum((folder / file).stat().st_size for file in card.files)
        state = state._replace(job=card.job, bytes=size, licence=card.licence)
        card.verify(folder)
        state = state._replace(verified=True)
        _check_calibration(card)
        load(name)
        return state._replace(opens=True)
    except (VeritabError, OSError, ImportError) as error:
        return state._replace(problem=str(error))


def _check_calibration(card: Card) -> None:
    # What it comes with takes a while to import, and only verdicts need it.
    if card.calibration:
        from veritab.verify.calibrate import Calibration

        Calibration.profiles(card.calibration)


def _diagnose_model(model: ModelState) -> Diagnosis:
    if not model.shipped:
        return Diagnosis("note", f"model {model.name!r} ({model.job}) did not come with this installation")
    if model.problem:
        return Diagnosis("error", f"model {model.name!r} ({model.job}): {model.problem}", _REINSTALL)
    name = f"model {model.name!r} ({model.job}, {model.bytes / 1e6:.1f} MB, {model.licence})"
    return Diagnosis("ok", f"{name}: its files match its card, and it opens")


def _diagnose_corpus(path: Path | None, *, deep: bool) -> list[Diagnosis]:
    name = "the almanac" if path is None else str(path)
    try:
        with open_corpus(path) as opened:
            if isinstance(opened, Store):
                return _diagnose_store(opened, name, deep=deep)
            findings = [Diagnosis("ok", f"{name}: a FEVEROUS database of {len(opened):,} pages, used in place")]
            return findings + (_diagnose_integrity(opened) if deep else [])
    except VeritabError as error:
        return [Diagnosis("error", f"{name}: {error}")]


def _diagnose_store(store: Store, name: str, *, deep: bool) -> list[Diagnosis]:
    counts = ", ".join(counted(count, what.removesuffix("s")) for what, count in store.counts().items())
    findings = [Diagnosis("ok", f"{name}: {counts}")]
    findings += [
        Diagnosis(
            "warning",
            f"reading {source.name} was interrupted",
            "run the same ingest again; it goes on where it stopped",
        )
        for source in store.sources()
        if not source.complete
    ]
    broken: list[Any] = list(store.broken_redirects())
    if broken:
        findings.append(Diagnosis("warning", f"{len(broken):,} redirects lead nowhere, e.g. {broken[0]!r}"))
    return findings + (_diagnose_integrity(store) if deep else []) + _diagnose_index(store, deep=deep)


def _diagnose_index(store: Store, *, deep: bool) -> list[Diagnosis]:
    remedy = f"veritab index --rebuild {quote_path(store.folder)}"
    try:
        with Index(store) as index:
            findings = [Diagnosis("ok", f"its index finds {counted(len(index.pages), 'page')}")]
            wrong = index.check_integrity() if deep else []
            left = index.leftovers()
    except (NotFound, StaleIndex) as error:
        return [Diagnosis("note", str(error))]
    except StoreError as error:
        return [Diagnosis("error", str(error))]
    if left:
        what = f"{counted(len(left), 'file')} left over from an index that was stopped"
        findings.append(
            Diagnosis("note", what, f"the next veritab index {quote_path(store.folder)} removes what is left over")
        )
    return [Diagnosis("error", f"damage in the index: {one}", remedy) for one in wrong] or findings


def _diagnose_integrity(corpus: Store | FeverousDatabase) -> list[Diagnosis]:
    wrong = corpus.check_integrity()
    remedy = "ingest its sources again into a new folder"
    if wrong:
        return [Diagnosis("error", f"damage in the file: {one}", remedy) for one in wrong]
    return [Diagnosis("ok", "the whole file was read, and nothing is wrong with it")]
