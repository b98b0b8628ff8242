"""What `import veritab` offers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import veritab
from tests.verify.tiny import make_reader
from veritab.errors import InputError


def test_every_public_name_exists_and_all_is_sorted() -> None:
    assert veritab.__all__ == sorted(veritab.__all__)
    assert all(hasattr(veritab, name) for name in veritab.__all__)


def test_the_namespace_holds_what_all_says_and_nothing_else() -> None:
    shown = {name for name in dir(veritab) if not name.startswith("_")}
    assert shown == set(veritab.__all__) - {"__version__"}
    assert all(getattr(veritab, name).__doc__ for name in shown)
    with pytest.raises(AttributeError, match="has no attribute 'Chequer'"):
        veritab.Chequer  # noqa: B018


def test_every_public_name_is_explained_in_the_reference() -> None:
    reference = (Path(__file__).parents[1] / "docs" / "reference-python.md").read_text(encoding="utf-8")
    assert not [name for name in veritab.__all__ if f"`{name}`" not in reference]


@pytest.mark.parametrize("module", ["veritab", "veritab.corpus", "veritab.settings"])
def test_importing_is_light(module: str) -> None:
    heavy = {
        "lxml",
        "markdown_it",
        "numpy",
        "onnxruntime",
        "rapidfuzz",
        "rich",
        "tantivy",
        "tokenizers",
        "torch",
        "typer",
    }
    program = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_documents_score_claims_in_pairs(tmp_path: Path) -> None:
    model = make_reader(tmp_path)
    docs = ["yes, the door.", "no, the door.", ["perhaps the door", "perhaps the door"]]
    scores = veritab.score(docs=docs, claims=["The door is open."] * 3, model=model)
    assert scores.labels == [1, 0, 0]
    assert scores.probabilities[0] > 0.5 > max(scores.probabilities[1:])
    labels, probabilities = scores
    assert len(labels) == len(probabilities) == 3


def test_documents_and_claims_must_pair_up() -> None:
    with pytest.raises(InputError, match="2 docs and 1 claims do not pair up"):
        veritab.score(docs=["a", "b"], claims=["c"])
    with pytest.raises(InputError, match="docs is a list"):
        veritab.score(docs="a", claims=["c"])
