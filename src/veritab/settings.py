"""How claims are checked, as one TOML file whose keys are the fields below; any other word is an error."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, get_args

from veritab.errors import FormatError, InputError, NotFound, nearest_name

ReadingMode: TypeAlias = Literal["together", "one by one"]
"""Whether a model reads all evidence at once, or each piece with the scores averaged."""
ShownEvidence: TypeAlias = Literal["cut", "official"]
"""Whether a verdict shows the evidence that bears on the claim, or all that the official scores allow."""
ShardSearch: TypeAlias = Literal["together", "parallel"]
"""How the shards of a corpus are searched."""

NONE = "none"
"""The name that turns a model off."""
LLM = "llm"
"""The name that has a language model verify claims."""

_MODEL_NAMES = frozenset({"verdict", "fast", "selector", "encoder", NONE, LLM})
"""What a model may be called; anything else is its folder."""

DEFAULT = "default"
"""Stands for the retriever and the verifier that come with Veritab."""


_EXPECTED = 'expected sections and keys, e.g. [verify] and below it model = "verdict"'

FAST = "fast"
PROFILES: Mapping[str, Mapping[str, Any]] = {
    DEFAULT: {},
    FAST: {"verify.model": FAST, "select.candidates": 12},
}
"""Settings that go together, by the name that commands give them: `fast` has a smaller model read less."""


@dataclass(frozen=True)
class Retrieve:
    """Where evidence is looked for: how many pages, over how many links, and how much is found on them."""

    retriever: str = DEFAULT
    """A retriever that another package adds, by its name; nothing else here concerns it but `candidates`."""
    pages: int = 8
    """How many of the best pages are read."""
    links: int = 2
    """The links of how many of them are followed."""
    candidates: int = 40
    """How many sentences, items, captions and tables go on to be selected."""
    dense: bool = True
    """Whether meaning finds evidence too, where the corpus has vectors."""
    encoder: str = "encoder"
    """The sentence encoder that made those vectors, by name or folder."""
    shards: ShardSearch = "together"
    """Whether the shards of a corpus are searched "together", as one, or in "parallel", which pays for large ones; what
    is found is the same."""
    shard_seconds: int = 10
    """How long shards that are searched in parallel may take; a verdict tells which took longer."""


@dataclass(frozen=True)
class Select:
    """Which of what was found is evidence."""

    model: str = "selector"
    """A cross-encoder by name or folder; "none" leaves it to words and numbers."""
    sentences: int = 5
    cells: int = 25
    tables: int = 4
    """The cells of how many tables compete for the budget."""
    candidates: int = 30
    """How many texts and rows the model reads."""
    text_weight: float = 0.5
    """What the model's opinion of a text counts beside that of retrieval, 0 to 1."""
    cell_weight: float = 0.7
    """What the model's opinion of a cell counts beside that of words and numbers, 0 to 1."""


@dataclass(frozen=True)
class Verify:
    """How evidence decides."""

    model: str = "verdict"
    """A verdict model by name or folder; "none" leaves the answer to what can be computed, "llm" asks that of [llm]."""
    verifier: str = DEFAULT
    """A verifier that another package adds, by its name, in place of a model."""
    reading: ReadingMode = "together"
    pieces: int = 5
    """How many pieces are read one by one."""
    threshold: float = 0.1
    """What share of the best score a cell must have to be read, where a reranker selects; 0 has all of them read."""
    facts: bool = True
    """Whether the model reads what was worked out from whole tables."""
    rows: bool = True
    """Whether the model reads rows of whole tables."""
    vote: bool = True
    """Whether what was computed decides."""
    profile: str = "default"
    """Which of the calibrations in the card of the model is used."""
    threads: int = 0
    """How many threads a model uses; 0 takes what there is."""


@dataclass(frozen=True)
class Llm:
    """The language model that decides where verify.model is "llm": claims and evidence are sent to its server.

    Its key is never a setting, since settings are written into the records of runs.
    """

    endpoint: str = ""
    """The address up to its version, e.g. http://127.0.0.1:8080/v1."""
    model: str = ""
    """Its name on that server."""
    key_file: str = ""
    """A file that holds the key and nothing else."""
    key_variable: str = ""
    """The environment variable that holds the key."""
    timeout: int = 60
    """The seconds that one answer may take."""
    retries: int = 2
    """How often a request is repeated that times out or fails."""
    concurrency: int = 4
    """How many requests are sent at the same time."""
    pieces: int = 30
    """How many pieces of evidence are shown."""
    options: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 300})
    """What else is sent with each question."""


@dataclass(frozen=True)
class Check:
    """What is done for each claim."""

    parts: bool = True
    """Whether a claim of several parts is checked part by part too."""
    names: bool = True
    """Whether a description in a claim is read as the name it stands for; it costs a search for each."""
    certificate: bool = True
    """Whether it is worked out which evidence the verdict rests on; it costs more readings."""
    evidence: ShownEvidence = "cut"
    """What a verdict shows: "cut" leaves out what hardly bears on the claim; "official" shows all of the budgets in
    [select], which scoring counts. Both have the same label and scores."""
    batch: int = 8
    """How many claims go through the stages together."""


@dataclass(frozen=True)
class Settings:
    """Everything that a check depends on besides its corpus."""

    retrieve: Retrieve = field(default_factory=Retrieve)
    select: Select = field(default_factory=Select)
    verify: Verify = field(default_factory=Verify)
    llm: Llm = field(default_factory=Llm)
    check: Check = field(default_factory=Check)

    def __post_init__(self) -> None:
        for section in fields(self):
            _check_section(section.name, getattr(self, section.name))
        if self.verify.model == NONE and not self.verify.vote:
            raise InputError(
                "verify.model is 'none' and verify.vote is false, so that nothing decides; change one of them"
            )

    @classmethod
    def read(cls, path: Path | str) -> Settings:
        """The settings in a TOML file; what it does not say is as if nothing had been set."""
        file = Path(path)
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            why = (error.strerror or "refused").lower()
            raise NotFound(f"cannot read the settings {str(path)!r}: {why}; give a TOML file that exists") from None
        except UnicodeDecodeError:
            raise FormatError(f"{str(path)!r} is no TOML file: it is not text in UTF-8; {_EXPECTED}") from None
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"line \d+, column \d+", str(error))
            where = f"{place[0]} cannot be read" if place else "it ends too early"
            raise FormatError(f"{str(path)!r} is no TOML file: {where}; {_EXPECTED}") from None
        try:
            return cls.of(table)
        except InputError as error:
            raise InputError(f"in {str(path)!r}: {error}") from None

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Settings:
        """Settings from nested mappings, as TOML gives them."""
        known = {section.name: type(getattr(_DEFAULT, section.name)) for section in fields(cls)}
        sections = {}
        for name, values in table.items():
            if name not in known:
                raise InputError(f"there is no section [{name}]; did you mean [{nearest_name(name, list(known))}]?")
            if not isinstance(values, Mapping):
                raise InputError(f"{name} is {values!r}; expected a section [{name}] with keys of its own")
            sections[name] = _section(name, known[name], values)
        return cls(**sections)

    def with_profile(self, name: str) -> Settings:
        """These settings with those of a profile in place of some."""
        if name not in PROFILES:
            raise InputError(f"no profile {name!r}; expected {' or '.join(PROFILES)}")
        return self.replaced(PROFILES[name])

    def replaced(self, changes: Mapping[str, Any]) -> Settings:
        """These settings with others in place of some, named as in "verify.model"."""
        table = self.table()
        for name, value in changes.items():
            section, dot, key = name.partition(".")
            if not dot:
                raise InputError(f"{name!r} names no setting; expected a section and a key, e.g. 'verify.model'")
            table.setdefault(section, {})[key] = value
        return Settings.of(table)

    def for_worker(self, cores: int) -> Settings:
        """The same for a worker that has so many cores, unless it is said how many threads a model uses.

        It may have been started in another folder, so what is a path here is a whole one there.
        """
        models = {
            "retrieve.encoder": self.retrieve.encoder,
            "select.model": self.select.model,
            "verify.model": self.verify.model,
        }
        paths = {name: given for name, given in models.items() if given not in _MODEL_NAMES}
        paths |= {"llm.key_file": self.llm.key_file} if self.llm.key_file else {}
        changes: dict[str, Any] = {name: str(Path(given).absolute()) for name, given in paths.items()}
        return self.replaced(changes if self.verify.threads else changes | {"verify.threads": cores})

    def table(self) -> dict[str, dict[str, Any]]:
        """The settings as nested mappings."""
        return asdict(self)

    def as_toml(self) -> str:
        """The settings as the file that reads back as them."""
        sections = (
            "\n".join([f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in values.items())])
            for name, values in self.table().items()
        )
        return "\n\n".join(sections) + "\n"

    def digest(self) -> str:
        """What tells these settings from others."""
        return hashlib.sha256(json.dumps(self.table(), sort_keys=True).encode()).hexdigest()[:16]


class Recorded(Protocol):
    """What a record is taken of: a checker."""

    @property
    def settings(self) -> Settings: ...
    @property
    def corpus(self) -> Mapping[str, Any]: ...
    @property
    def models(self) -> Mapping[str, str]: ...


def record(checker: Recorded) -> dict[str, Any]:
    """What a run needs to be repeated: settings, versions, the hashes of models and the state of the corpus."""
    from importlib.metadata import version

    return {
        "veritab": version("veritab"),
        "python": platform.python_version(),
        "settings": checker.settings.table(),
        "digest": checker.settings.digest(),
        "models": dict(checker.models),
        "corpus": dict(checker.corpus),
    }


# -- what a value may be -----------------------------------------------------------------------------------

_LEAST = {"pages": 1, "candidates": 1, "pieces": 1, "batch": 1, "timeout": 1, "concurrency": 1, "shard_seconds": 1}
_RENAMED = {"verify.near": "threshold"}
"""What keys of earlier versions are called now."""
_ONE_OF = {"reading": get_args(ReadingMode), "evidence": get_args(ShownEvidence), "shards": get_args(ShardSearch)}


def _section(name: str, kind: type, values: Mapping[str, Any]) -> Any:
    known = [each.name for each in fields(kind)]
    for key in values:
        if renamed := _RENAMED.get(f"{name}.{key}"):
            raise InputError(f"[{name}] has no {key!r}; it is called {renamed!r} now")
        if key not in known:
            raise InputError(f"[{name}] has no {key!r}; did you mean {nearest_name(key, known)!r}?")
    return kind(**values)


def _check_section(name: str, section: Any) -> None:
    default = type(section)()
    for each in fields(section):
        value, usual = getattr(section, each.name), getattr(default, each.name)
        _check_value(f"{name}.{each.name}", value, usual)
        if isinstance(usual, int) and not isinstance(usual, bool) and value < _LEAST.get(each.name, 0):
            raise InputError(f"{name}.{each.name} is {value}; it must be {_LEAST.get(each.name, 0)} or more")
        if each.name in _ONE_OF and value not in _ONE_OF[each.name]:
            raise InputError(f"{name}.{each.name} is {value!r}; expected {' or '.join(map(repr, _ONE_OF[each.name]))}")
        if isinstance(usual, float) and not 0 <= value <= 1:
            raise InputError(f"{name}.{each.name} is {value}; it must lie between 0 and 1")


def _check_value(name: str, value: object, usual: object) -> None:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", dict: "a table"}
    wanted = kinds[type(usual)]
    is_right = type(value) is type(usual) or (isinstance(usual, float) and type(value) is int)
    if not is_right:
        raise InputError(f"{name} is {value!r}; expected {wanted}, e.g. {_toml(usual)}")


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_toml(key)} = {_toml(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value).lower() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


_DEFAULT = Settings()
