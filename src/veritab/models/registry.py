"""Models are opened by name or by folder, once: callers of the same model share one session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias, TypeVar

from veritab.errors import NotFound
from veritab.models.card import FILE, MODEL, TOKENIZER
from veritab.models.encoder import Encoder
from veritab.models.selector import SelectorModel
from veritab.models.verdict import VerdictModel

NAMES = {"verdict": "verdict", "fast": "verdict", "selector": "selector", "encoder": "encoder"}
"""The models that ship, by name, and the job of each."""

_SHIPPED = Path(__file__).parent / "shipped"
_Key: TypeAlias = tuple[type, str, int | None, tuple[int, ...]]
Model = TypeVar("Model")
_opened: dict[_Key, Any] = {}
_lock = Lock()


def shipped() -> dict[str, Path]:
    """The folders of the models that came with this installation, by name."""
    return {name: _SHIPPED / name for name in NAMES if (_SHIPPED / name / FILE).is_file()}


def open_verdict(name_or_folder: str | Path = "verdict", threads: int | None = None) -> VerdictModel:
    """A model that classifies claims by the text of their evidence: "verdict", or any folder with one."""
    return _shared(VerdictModel, name_or_folder, threads, VerdictModel.open)


def open_selector(name_or_folder: str | Path = "selector", threads: int | None = None) -> SelectorModel:
    """A model that scores what may be evidence for a claim: "selector", or any folder with one."""
    return _shared(SelectorModel, name_or_folder, threads, SelectorModel.open)


def open_encoder(name_or_folder: str | Path = "encoder", threads: int | None = None) -> Encoder:
    """A sentence encoder: "encoder", or any folder with one, be it ours or one that sentence-transformers wrote."""
    return _shared(Encoder, name_or_folder, threads, Encoder.open)


def load(name: str) -> None:
    """Open a shipped model and all its files, to check that it works."""
    match NAMES[name]:
        case "verdict":
            open_verdict(name).load()
        case "selector":
            open_selector(name).load()
        case _:
            open_encoder(name)


def folder_of(name_or_folder: str | Path) -> Path:
    """The folder of a model. A bare name is that of a shipped one; "./verdict" is a folder."""
    if isinstance(name_or_folder, str) and name_or_folder in NAMES:
        folder = shipped().get(name_or_folder)
        if folder is None:
            raise NotFound(
                f"the model {name_or_folder!r} did not come with this installation, which has {_listed()}; "
                f"install veritab again, or name a folder with {MODEL}, {TOKENIZER} and {FILE}"
            )
        return folder
    folder = Path(name_or_folder)
    if not folder.is_dir():
        raise NotFound(
            f"no model {str(name_or_folder)!r}; expected a folder with {MODEL}, {TOKENIZER} and {FILE}, or one of the "
            f"names {', '.join(NAMES)}, of which this installation has {_listed()}"
        )
    return folder


def _listed() -> str:
    return ", ".join(shipped()) or "none"


def _shared(kind: type[Model], wanted: str | Path, threads: int | None, opened: Callable[..., Model]) -> Model:
    folder = folder_of(wanted).resolve()
    key = (kind, str(folder), threads, _state(folder))
    with _lock:
        if key not in _opened:
            _opened[key] = opened(folder, threads=threads)
        found: Model = _opened[key]
        return found


def _state(folder: Path) -> tuple[int, ...]:
    """What changes when a model is exported into its folder again."""
    file = folder / FILE
    return (file.stat().st_size, file.stat().st_mtime_ns) if file.is_file() else ()
