"""Models small enough to know what must come out, in folders as people have them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from veritab.models.card import Card

onnx = pytest.importorskip("onnx", reason="makes the tiny models; pip install 'veritab[train]'")

WORDS = ("one", "two", "three", "four", "query", "passage")


def make_encoder(folder: Path, words: Sequence[str] = WORDS, *, model: str = "model.onnx", **options: Any) -> Path:
    """A folder with an encoder that gives every word a direction of its own."""
    vocabulary = {word: number for number, word in enumerate(("[PAD]", "[UNK]", "[CLS]", *words))}
    directions = np.eye(len(vocabulary), dtype=np.float32)
    (folder / model).parent.mkdir(parents=True, exist_ok=True)
    write_encoder(folder / model, directions, **options)
    write_tokenizer(folder, vocabulary)
    return folder


def write_encoder(
    path: Path,
    directions: Any,
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    output: str = "",
    kind: int = 7,
    rounded: bool = False,
) -> None:
    """An embedding and nothing else, or `rounded` to eight bits by its largest number in the batch.

    `output` asks for sentence vectors, the sum of the words', under that name.
    """
    helper = onnx.helper
    given = [helper.make_tensor_value_info(name, kind, ["batch", "length"]) for name in inputs]
    nodes = [helper.make_node("Gather", ["directions", "input_ids"], ["whole" if rounded else "last_hidden_state"])]
    if rounded:
        nodes.append(helper.make_node("DynamicQuantizeLinear", ["whole"], ["eight_bits", "scale", "zero"]))
        nodes.append(helper.make_node("DequantizeLinear", ["eight_bits", "scale", "zero"], ["last_hidden_state"]))
    shape: list[str | int] = ["batch", "length", directions.shape[1]]
    if output:
        nodes.append(helper.make_node("ReduceSum", ["last_hidden_state", "axis"], [output], keepdims=0))
        shape = ["batch", directions.shape[1]]
    made = helper.make_tensor_value_info(output or "last_hidden_state", onnx.TensorProto.FLOAT, shape)
    weights = [onnx.numpy_helper.from_array(directions, "directions")]
    weights += [onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "axis")] if output else []
    graph = helper.make_graph(nodes, "tiny", given, [made], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(model.SerializeToString())


def write_tokenizer(folder: Path, vocabulary: dict[str, int]) -> None:
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A", pair="[CLS] $A $B:1", special_tokens=[("[CLS]", vocabulary["[CLS]"])]
    )
    # As many published files do, it carries the limits of its training; they must not count.
    tokenizer.enable_padding(length=7)
    tokenizer.enable_truncation(3)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


# -- models with cards -------------------------------------------------------------------------------------

WEIGHTS = {
    "[PAD]": 1000.0,
    "[UNK]": 0.0,
    "[CLS]": 0.0,
    "one": 1.0,
    "two": 2.0,
    "minus": -1.5,
    "half": 0.5,
    "break": np.nan,
}
"""What each word adds to the outputs of a tiny model; padding must add nothing."""

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def make_verdict(folder: Path, labels: Sequence[str] = LABELS, *, stored: str = "", **options: Any) -> Path:
    """A folder with a model whose logits are the weights of the words of both texts, times 1, 2, 3 in its columns."""
    table = np.outer(list(WEIGHTS.values()), np.arange(1, 4)).astype(np.float32)
    write_pair_model(folder, table, "logits", metadata={"labels": stored} if stored else {}, **options)
    return with_card(folder, job="verdict", labels=list(labels))


def make_selector(folder: Path, *, max_length: int = 64, **options: Any) -> Path:
    """A folder with a model that gives each token its weight, and the candidate the sum of all."""
    table = np.array(list(WEIGHTS.values()), dtype=np.float32)[:, None]
    write_pair_model(folder, table, "whole", **options)
    return with_card(folder, job="selector", max_length=max_length)


def write_pair_model(
    folder: Path, table: Any, output: str, *, metadata: dict[str, str] | None = None, rounded: bool = False
) -> None:
    """A model that adds up the rows of a table, `rounded` to eight bits by the largest number in the batch.

    The output "whole" has one number for a pair, and beside it "tokens" has one for a token.
    """
    folder.mkdir(parents=True, exist_ok=True)
    helper = onnx.helper
    given = [helper.make_tensor_value_info(name, 7, ["batch", "length"]) for name in ("input_ids", "attention_mask")]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["exact" if rounded else "weights"]),
        helper.make_node("Cast", ["attention_mask"], ["ones"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ones", "last"], ["counts"]),
        helper.make_node("Mul", ["weights", "counts"], ["values"]),
        helper.make_node("ReduceSum", ["values", "words"], ["sums"], keepdims=0),
    ]
    if rounded:
        nodes.insert(1, helper.make_node("DynamicQuantizeLinear", ["exact"], ["eight_bits", "scale", "zero"]))
        nodes.insert(2, helper.make_node("DequantizeLinear", ["eight_bits", "scale", "zero"], ["weights"]))
    if output == "whole":
        nodes.append(helper.make_node("Squeeze", ["sums", "words"], ["whole"]))
        nodes.append(helper.make_node("Squeeze", ["values", "last"], ["tokens"]))
        shapes: dict[str, list[str | int]] = {"whole": ["batch"], "tokens": ["batch", "length"]}
    else:
        nodes.append(helper.make_node("Identity", ["sums"], [output]))
        shapes = {output: ["batch", table.shape[1]]}
    made = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    constants = [
        onnx.numpy_helper.from_array(table, "table"),
        onnx.numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "words"),
    ]
    graph = helper.make_graph(nodes, "tiny", given, made, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    helper.set_model_props(model, metadata or {})
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    write_tokenizer(folder, {word: number for number, word in enumerate(WEIGHTS)})


def write_four_bits(folder: Path, *, hidden: int) -> None:
    """A verdict model whose every product is by weights of four bits, with a layer for each token."""
    write_tokenizer(folder, {word: number for number, word in enumerate(WEIGHTS)})
    helper, array, rng = onnx.helper, onnx.numpy_helper.from_array, np.random.default_rng(0)

    def product(given: str, made: str, size: int) -> Any:
        weights = rng.integers(0, 256, size=(size, hidden // 32, 16), dtype=np.uint8)
        constants.append(array(weights, f"{made}_weights"))
        constants.append(array(rng.normal(size=(size, hidden // 32)).astype(np.float32) / 50, f"{made}_scales"))
        given_names = [given, f"{made}_weights", f"{made}_scales"]
        shape = {"K": hidden, "N": size, "bits": 4, "block_size": 32, "accuracy_level": 4}
        return helper.make_node("MatMulNBits", given_names, [made], domain="com.microsoft", **shape)

    constants = [array(rng.normal(size=(len(WEIGHTS), hidden)).astype(np.float32), "table")]
    constants += [array(np.array([2], dtype=np.int64), "last"), array(np.array([1], dtype=np.int64), "words")]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
        product("embedded", "layer", hidden),
        helper.make_node("Tanh", ["layer"], ["bent"]),
        helper.make_node("Cast", ["attention_mask"], ["ones"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ones", "last"], ["counts"]),
        helper.make_node("Mul", ["bent", "counts"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "words"], ["sums"], keepdims=0),
        product("sums", "logits", 3),
    ]
    given = [helper.make_tensor_value_info(name, 7, ["batch", "length"]) for name in ("input_ids", "attention_mask")]
    made = [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, ["batch", 3])]
    graph = helper.make_graph(nodes, "tiny", given, made, constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def with_card(folder: Path, **values: Any) -> Path:
    """The folder with a card that fits its files."""
    hashes = {name: sha256(folder / name) for name in ("model.onnx", "tokenizer.json")}
    plain = {"name": "tiny", "what": "adds up words", "base": "none", "licence": "Apache-2.0", "max_length": 512}
    Card.of(plain | {"files": hashes} | values).write(folder)
    return folder


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
