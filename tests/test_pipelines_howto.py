"""The code of docs/howto-pipelines.md runs, with stand-ins for what it imports from frameworks that are not installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "howto-pipelines.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


# -- langchain-core ----------------------------------------------------------------------------------------


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class RunnableLambda:
    """A function as a step; `a | b` is both, one after the other."""

    func: Callable[[Any], Any]

    def invoke(self, value: Any, config: Any = None) -> Any:
        return self.func(value)

    def __or__(self, after: RunnableLambda) -> RunnableLambda:
        return RunnableLambda(lambda value: after.invoke(self.invoke(value)))


# -- haystack ----------------------------------------------------------------------------------------------


@dataclass
class HaystackDocument:
    content: str
    meta: dict[str, Any] = field(default_factory=dict)


class Component:
    """The decorator `@component`, and `@component.output_types`, which promises what `run` returns."""

    def __call__(self, kind: type) -> type:
        assert callable(kind.run), "a component has a method run"  # type: ignore[attr-defined]
        return kind

    def output_types(self, **types: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def promise(run: Callable[..., Any]) -> Callable[..., Any]:
            def checked(*given: Any, **named: Any) -> Any:
                returned = run(*given, **named)
                assert returned.keys() == types.keys()
                return returned

            return checked

        return promise


class Pipeline:
    """Components by name; each is warmed up before the first run."""

    def __init__(self) -> None:
        self.components: dict[str, Any] = {}

    def add_component(self, name: str, instance: Any) -> None:
        self.components[name] = instance

    def run(self, data: dict[str, dict[str, Any]]) -> dict[str, Any]:
        for each in self.components.values():
            each.warm_up()
        return {name: each.run(**data[name]) for name, each in self.components.items()}


def module(name: str, **names: Any) -> ModuleType:
    made = ModuleType(name)
    made.__dict__.update(names)
    return made


@pytest.fixture(autouse=True)
def frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    for made in (
        module("langchain_core"),
        module("langchain_core.documents", Document=LangChainDocument),
        module("langchain_core.runnables", RunnableLambda=RunnableLambda),
        module("haystack", Document=HaystackDocument, Pipeline=Pipeline, component=Component()),
    ):
        monkeypatch.setitem(sys.modules, made.__name__, made)


@pytest.mark.parametrize(
    ("block", "printed"),
    [
        (0, "Mount Everest is higher than K2. True\nK2 is 9,000 m high. False\n"),
        (1, "Mount Everest is higher than K2.\n"),
        (2, "REFUTES K2 is higher than Mount Everest.\nSUPPORTS The Nile is longer than the Danube.\n"),
    ],
)
def test_the_code_of_the_page_runs_and_prints(block: int, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(compile(BLOCKS[block], f"howto-pipelines.md, block {block}", "exec"), names)
    assert capsys.readouterr().out == printed
    if "checker" in names:
        with names["checker"], pytest.raises(ValueError, match="our documents refute: K2 is higher"):
            names["gate"].invoke("K2 is higher than Mount Everest.")
    if "pipeline" in names:
        names["pipeline"].components["checker"].checker.close()


def test_every_block_is_run() -> None:
    assert len(BLOCKS) == 3
