"""What a reproduction works with: data sets, a corpus in place of the paper's, and a cache of costly answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_cache_path

from veritab.datasets import data_folder
from veritab.files import write_whole
from veritab.schema import Example

ALMANAC = "almanac/claims"
_DIGITS = 16
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class TableInputs:
    """One wish: where things are, and on how many claims at most a number may rest (0: all)."""

    data: Path | None = None
    corpus: Path | None = None
    cache: Path | None = None
    at_most: int = 0

    @property
    def data_folder(self) -> Path:
        """The folder of data sets, or an error that says how to name it."""
        return data_folder(self.data)

    @property
    def cache_folder(self) -> Path:
        """Where fitted models and rankings lie between runs."""
        return self.cache or user_cache_path("veritab", appauthor=False) / "reproduce"

    def cached(self, name: str, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, as JSON; where it was made before from the same key, it is read."""
        digest = hashlib.sha256(json.dumps(key, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:_DIGITS]
        file = self.cache_folder / f"{name}-{digest}.json"
        if file.is_file():
            try:
                return json.loads(file.read_text(encoding="utf-8"))
            except ValueError:
                file.unlink()  # a cache may be thrown away at any time
        made = make()
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, json.dumps(made, ensure_ascii=False).encode())
        return made

    def sample(self, items: Iterable[_Item], name: Callable[[_Item], str], most: int | None = None) -> list[_Item]:
        """At most so many of the items, the same ones every time, in the order they came."""
        every = list(items)
        limit = self.at_most if most is None else most
        if not limit or len(every) <= limit:
            return every
        drawn = sorted(range(len(every)), key=lambda place: hashlib.sha1(name(every[place]).encode()).digest())
        return [every[place] for place in sorted(drawn[:limit])]

    def sample_examples(self, examples: Sequence[Example], most: int | None = None) -> list[Example]:
        """At most so many examples."""
        return self.sample(examples, lambda example: str(example.claim.id), most)
