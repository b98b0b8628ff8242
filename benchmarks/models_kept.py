"""What took long to work out is kept in a folder: a model's answers by what it read, and what was made of the data."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

import veritab
from veritab.models.candidates import CandidateScore, CandidateText
from veritab.models.encoder import Encoder
from veritab.models.selector import SelectorModel
from veritab.models.verdict import VerdictModel

_AT_ONCE = 128
_TELL = 20.0
_SAVE = 60.0
# What examples, their texts and what is computed for them are made by.
_ROOMS = ("corpus", "models/pair_tokens.py", "quantities", "reason", "text.py", "schema", "train/sources", "verify")


def say(text: str) -> None:
    """A line about progress."""
    print(text, file=sys.stderr, flush=True)


@cache
def code() -> str:
    """A name for the code that makes examples: another one as soon as a line of it changes."""
    root = Path(veritab.__file__).parent
    digest = hashlib.sha256()
    for room in _ROOMS:
        for file in sorted((root / room).rglob("*.py")) if (root / room).is_dir() else [root / room]:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


class Kept:
    """Values that can be written as JSON, by name; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def made(self, name: str, make: Callable[[], Any]) -> Any:
        """The value of that name, made now unless the same code has made it before."""
        if not self.folder:
            return make()
        file = self.folder / f"{name.replace('/', '-')}-{code()}.json"
        if not file.is_file():
            value = make()
            self.folder.mkdir(parents=True, exist_ok=True)
            file.write_bytes(orjson.dumps(value))
        return orjson.loads(file.read_bytes())


class _Numbers:
    """Rows of numbers by a digest of what they were made of."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._rows: dict[bytes, Sequence[float]] = {}
        if file and file.is_file():
            self._rows = {bytes.fromhex(key): row for key, row in orjson.loads(file.read_bytes()).items()}
        self._saved = time.monotonic()

    def __contains__(self, key: bytes) -> bool:
        return key in self._rows

    def __getitem__(self, key: bytes) -> Sequence[float]:
        return self._rows[key]

    def add(self, rows: Iterable[tuple[bytes, Sequence[float]]]) -> None:
        self._rows.update(rows)
        if time.monotonic() - self._saved > _SAVE:
            self.save()

    def save(self) -> None:
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part = self._file.with_suffix(".part")
            part.write_bytes(orjson.dumps({key.hex(): row for key, row in self._rows.items()}))
            part.replace(self._file)
        self._saved = time.monotonic()


def _digest(*parts: object) -> bytes:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()[:12]


def _file(folder: Path | None, model: VerdictModel | SelectorModel) -> Path | None:
    digest = _digest(sorted(model.card.files.items()), model.card.max_length, model.card.labels).hex()
    return folder / f"{model.card.job}-{digest}.json" if folder else None


class _Progress:
    """Tells now and then how much is left."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._started = self._told = time.monotonic()

    def tell(self, done: int) -> None:
        now = time.monotonic()
        if now - self._told > _TELL:
            self._told = now
            rate = done / (now - self._started)
            say(f"{self._what}: {done:,} of {self._total:,}, {rate:.1f} a second")


class Reader:
    """A verdict model that reads no pair twice."""

    def __init__(self, name: str, model: VerdictModel, folder: Path | None) -> None:
        self.name = name
        self.model = model
        self._known = _Numbers(_file(folder, model))

    def logits(self, pairs: Sequence[tuple[str, str]], what: str = "") -> NDArray[np.float64]:
        """The logits of SUPPORTS, REFUTES and NOT ENOUGH INFO of each pair."""
        keys = [_digest(*pair) for pair in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._known}
        # The long ones first: what is left to do is then never longer than it looks.
        order = sorted(new, key=lambda key: -len(new[key][0]) - len(new[key][1]))
        progress = _Progress(f"{self.name} {what}", len(order))
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE]
            found = self.model.logits([new[key] for key in some])
            self._known.add(zip(some, found.astype(float).tolist(), strict=True))
            progress.tell(start + len(some))
        if new:
            self._known.save()
        return np.array([self._known[key] for key in keys], dtype=float).reshape(-1, 3)


class Chooser:
    """A selector model that reads no candidate twice."""

    def __init__(self, model: SelectorModel, folder: Path | None) -> None:
        self.model = model
        self._known = _Numbers(_file(folder, model))

    def scores(self, given: Sequence[tuple[str, CandidateText]], what: str = "") -> list[CandidateScore]:
        """The scores of candidates and of their spans."""
        keys = [_digest(claim, tuple(candidate)) for claim, candidate in given]
        new = {key: each for key, each in zip(keys, given, strict=True) if key not in self._known}
        order = sorted(new, key=lambda key: -len(new[key][1].text))
        progress = _Progress(f"selector {what}", len(order))
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE]
            found = self.model.scores([new[key] for key in some])
            rows = [(each.whole, *each.spans) for each in found]
            self._known.add(zip(some, rows, strict=True))
            progress.tell(start + len(some))
        if new:
            self._known.save()
        return [CandidateScore(row[0], tuple(row[1:])) for row in (self._known[key] for key in keys)]


class Vectors:
    """An encoder that takes no text twice; what it made is kept as numbers of four bytes, which JSON would double."""

    def __init__(self, name: str, model: Encoder, folder: Path | None) -> None:
        self.name = name
        self.model = model
        self._file = folder / f"encoder-{model.fingerprint}.npz" if folder else None
        self._rows: dict[bytes, NDArray[np.float32]] = {}
        if self._file and self._file.is_file():
            with np.load(self._file) as kept:
                self._rows = {key.tobytes(): row for key, row in zip(kept["keys"], kept["rows"], strict=True)}
        self._saved = time.monotonic()

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One vector of unit length per text; a few new ones are not worth a file until `save` is called."""
        keys = [_digest(text, query) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._rows}
        order = sorted(new, key=lambda key: -len(new[key]))
        progress = _Progress(f"{self.name}, texts", len(order))
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE]
            self._rows.update(zip(some, self.model.encode([new[key] for key in some], query=query), strict=True))
            progress.tell(start + len(some))
            if time.monotonic() - self._saved > _SAVE:
                self.save()
        if len(order) >= _AT_ONCE:
            self.save()
        made = [self._rows[key] for key in keys]
        return np.stack(made) if made else np.empty((0, self.model.dimension), np.float32)

    def save(self) -> None:
        if self._file and self._rows:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part = self._file.with_suffix(".part")
            keys = np.frombuffer(b"".join(self._rows), np.uint8).reshape(len(self._rows), -1)
            with part.open("wb") as file:
                np.savez(file, keys=keys, rows=np.stack(list(self._rows.values())))
            part.replace(self._file)
        self._saved = time.monotonic()
