"""Pairs of texts get a score: a model that adds up what its words weigh, with one output or several."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="makes the tiny models; pip install 'veritab[train]'")

from tests.models.tiny import make_encoder, write_json, write_tokenizer  # noqa: E402
from veritab.errors import FormatError, InputError, NotFound  # noqa: E402
from veritab.models.cross_encoder import CrossEncoder  # noqa: E402

WEIGHTS = {"[PAD]": 1000.0, "[UNK]": 0.0, "[CLS]": 0.0, "one": 1.0, "two": 2.0, "minus": -1.5, "half": 0.5}


def make_cross_encoder(
    folder: Path, *, classes: int = 1, counted: str = "attention_mask", output: str = "logits", **config: Any
) -> Path:
    """A folder with a model whose logits are the weights of the words, times 1, 2, 3 for its classes.

    `counted` is the input that says which tokens count: all of them, or those of the second text.
    """
    folder.mkdir(exist_ok=True)
    table = np.outer(list(WEIGHTS.values()), np.arange(1, classes + 1)).astype(np.float32)
    write_model(folder / "model.onnx", table, counted, output)
    write_tokenizer(folder, {word: number for number, word in enumerate(WEIGHTS)})
    write_json(folder / "config.json", config)
    return folder


def write_model(path: Path, table: Any, counted: str, output: str) -> None:
    helper = onnx.helper
    names = ("input_ids", "attention_mask", "token_type_ids")
    given = [helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["batch", "length"]) for name in names]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["weights"]),
        helper.make_node("Cast", [counted], ["ones"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ones", "last"], ["counts"]),
        helper.make_node("Mul", ["weights", "counts"], ["values"]),
        helper.make_node("ReduceSum", ["values", "words"], [output], keepdims=0),
    ]
    constants = [
        onnx.numpy_helper.from_array(table, "table"),
        onnx.numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "words"),
    ]
    made = helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, ["batch", table.shape[1]])
    graph = helper.make_graph(nodes, "tiny", given, [made], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(model.SerializeToString())


PAIRS = [("one two", "minus"), ("one", ""), ("half half half half", "one two minus"), ("", "two two")]


def test_a_pair_gets_the_output_of_a_ranker_in_the_order_of_pairs(tmp_path: Path) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path), batch_size=2, threads=1)
    assert model.score(PAIRS) == [1.5, 1.0, 3.5, 4.0]
    assert model.score([]) == []


def test_both_texts_of_a_pair_are_cleaned(tmp_path: Path) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path))
    assert model.score([("o\ud800ne two", "minus\udfff")]) == model.score(PAIRS[:1])


def test_the_only_output_may_have_any_name(tmp_path: Path) -> None:
    assert CrossEncoder.open(make_cross_encoder(tmp_path, output="score")).score(PAIRS[:1]) == [1.5]


def test_the_model_is_told_which_text_is_the_second(tmp_path: Path) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path, counted="token_type_ids"))
    assert model.score(PAIRS) == [-1.5, 0.0, 1.5, 4.0]


def test_a_score_does_not_depend_on_the_pairs_beside_it(tmp_path: Path) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path, classes=3, id2label={"0": "entailment"}))
    pairs = [("one " * length, "two minus " * (20 - length)) for length in range(20)] * 3
    assert model.score(pairs) == [score for pair in pairs for score in model.score([pair])]


def test_many_pairs_are_taken_in_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path))
    monkeypatch.setattr("veritab.models.runtime.STRETCH", 3)
    assert model.score(PAIRS * 5) == [1.5, 1.0, 3.5, 4.0] * 5


def test_the_end_of_the_longer_text_is_left_out_of_a_pair_that_is_too_long(tmp_path: Path) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path, max_position_embeddings=8))
    assert model.score([("one", "two " * 50), ("one " * 50, "two")]) == pytest.approx([1 + 2 * 6, 6 + 2])


@pytest.mark.parametrize(
    ("classes", "labels", "label", "chosen"),
    [
        (2, {}, "", 1),
        (2, {"0": "LABEL_0", "1": "LABEL_1"}, "", 1),
        (2, {"0": "Entailment", "1": "not_entailment"}, "", 0),
        (3, {"0": "contradiction", "1": "neutral", "2": "entailment"}, "", 2),
        (3, {"0": "SUPPORTS", "1": "REFUTES", "2": "NOT ENOUGH INFO"}, "refutes", 1),
    ],
)
def test_of_several_classes_the_score_is_the_log_odds_of_one(
    tmp_path: Path, classes: int, labels: dict[str, str], label: str, chosen: int
) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path, classes=classes, id2label=labels), label=label)
    logits = [0.5 * (1 + number) for number in range(classes)]
    others = sum(math.exp(logit) for number, logit in enumerate(logits) if number != chosen)
    assert model.score([("half", "")]) == [pytest.approx(logits[chosen] - math.log(others), abs=1e-6)]


def test_a_sure_model_gives_large_scores_and_not_infinite_ones(tmp_path: Path) -> None:
    model = CrossEncoder.open(make_cross_encoder(tmp_path, classes=2))
    assert model.score([("two " * 400, ""), ("", "minus " * 500)]) == [800.0, -750.0]


# -- what cannot be run --


def test_classes_without_the_wanted_one_say_which_there_are(tmp_path: Path) -> None:
    make_cross_encoder(tmp_path, classes=3, id2label={"0": "SUPPORTS", "1": "REFUTES", "2": "neither"})
    with pytest.raises(InputError, match=r"3 classes and none is called 'entailment'.*'supports', 'refutes'"):
        CrossEncoder.open(tmp_path)
    with pytest.raises(InputError, match="none is called 'SUPORTS'"):
        CrossEncoder.open(tmp_path, label="SUPORTS")
    with pytest.raises(InputError, match="which has nothing"):
        CrossEncoder.open(make_cross_encoder(tmp_path / "bare", classes=3))


@pytest.mark.parametrize("labels", [["entailment"], {"first": "entailment"}])
def test_labels_of_another_shape_are_told(tmp_path: Path, labels: Any) -> None:
    with pytest.raises(FormatError, match=r"id2label in .*expected e\.g\."):
        CrossEncoder.open(make_cross_encoder(tmp_path, classes=3, id2label=labels))


def test_a_length_that_is_no_number_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"longest input that is not a number.*'long'"):
        CrossEncoder.open(make_cross_encoder(tmp_path, max_position_embeddings="long"))


def test_a_sentence_encoder_is_not_one_for_pairs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gives last_hidden_state; expected logits"):
        CrossEncoder.open(make_encoder(tmp_path))


def test_a_folder_without_a_model_says_what_it_should_hold_or_how_to_export(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"expected a folder with model\.onnx and tokenizer\.json"):
        CrossEncoder.open(tmp_path / "nowhere")
    (tmp_path / "model.safetensors").touch()
    with pytest.raises(NotFound, match="--task text-classification"):
        CrossEncoder.open(tmp_path)


def test_a_model_that_gives_no_number_is_damaged(tmp_path: Path) -> None:
    folder = make_cross_encoder(tmp_path)
    write_model(folder / "model.onnx", np.full((len(WEIGHTS), 1), np.nan, np.float32), "attention_mask", "logits")
    with pytest.raises(InputError, match="not finite; copy it again"):
        CrossEncoder.open(folder).score(PAIRS)
