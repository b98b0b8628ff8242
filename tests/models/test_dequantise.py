"""Weights of four bits are dequantised to what onnxruntime makes of them itself, bit by bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from tests.models.tiny import make_encoder
from veritab.errors import FormatError
from veritab.models.dequantise import DOMAIN, OPERATOR, dequantise_model
from veritab.models.runtime import open_session

onnx = pytest.importorskip("onnx", reason="makes the tiny models; pip install 'veritab[train]'")
graph = pytest.importorskip("veritab.train.onnx_graph", reason="says how models unpack; pip install 'veritab[train]'")


def write_packed(path: Path, *, blocks: int = 3, outputs: int = 6, codes: str = "codes") -> Path:
    """A model that multiplies with weights of four bits, whose scales are of all sizes, below zero and zero."""
    helper, rng = onnx.helper, np.random.default_rng(blocks)
    numbers = rng.integers(-8, 8, (blocks, 32, outputs)).astype(np.int8)
    scales = (rng.normal(size=(blocks, 1, outputs)) * 10.0 ** rng.integers(-4, 1, (blocks, 1, outputs))).astype("f2")
    scales[0, 0, 0] = 0
    largest = np.abs(numbers * scales.astype(np.float32)).max((0, 1))
    columns = np.where(largest == 0, np.float32(1), largest / np.float32(127))
    weights = [onnx.numpy_helper.from_array(values, name) for name, values in (("s", scales), ("columns", columns))]
    nodes = [
        helper.make_node(OPERATOR, [codes, "s", "columns"], ["weights"], domain=DOMAIN),
        helper.make_node("MatMulInteger", ["given", "weights"], ["found"]),
    ]
    given = helper.make_tensor_value_info("given", onnx.TensorProto.UINT8, ["texts", 32 * blocks])
    found = helper.make_tensor_value_info("found", onnx.TensorProto.INT32, ["texts", outputs])
    made = helper.make_graph(nodes, "packed", [given], [found], [graph._four_bits("codes", numbers), *weights])
    opsets = [helper.make_opsetid("", graph.OPSET), helper.make_opsetid(DOMAIN, 1)]
    model = helper.make_model(made, opset_imports=opsets, functions=[graph._unpack_function()], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return path


def said(session: Any, blocks: int) -> Any:
    """The weights themselves: what comes out where one input is 1."""
    return session.run(None, {"given": np.eye(32 * blocks, dtype=np.uint8)})[0]


def plainly(path: Path) -> Any:
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize(("blocks", "outputs"), [(1, 2), (3, 6), (7, 1100)])
@pytest.mark.parametrize("threads", [None, 1, 2])
def test_weights_are_those_that_onnxruntime_makes_itself(
    blocks: int, outputs: int, threads: int | None, tmp_path: Path
) -> None:
    path = write_packed(tmp_path / "model.onnx", blocks=blocks, outputs=outputs)
    found = dequantise_model(path, threads)
    assert found is not None
    wanted = said(plainly(path), blocks)
    np.testing.assert_array_equal(found.weights["weights"], wanted)
    assert np.abs(wanted).max() == 127
    np.testing.assert_array_equal(said(open_session(path, threads), blocks), wanted)


def test_what_is_opened_has_no_packed_weights_left(tmp_path: Path) -> None:
    path = write_packed(tmp_path / "model.onnx", outputs=1000)
    found = dequantise_model(path)
    assert found is not None
    left = onnx.load_model_from_string(found.model)
    assert [node.op_type for node in left.graph.node] == ["MatMulInteger"]
    assert sorted(each.name for each in left.graph.initializer) == ["columns", "weights"]
    assert len(found.model) < path.stat().st_size / 5


def test_an_odd_number_of_outputs_is_left_to_onnxruntime(tmp_path: Path) -> None:
    path = write_packed(tmp_path / "model.onnx", outputs=5)
    assert dequantise_model(path) is None
    np.testing.assert_array_equal(said(open_session(path), 3), said(plainly(path), 3))


def test_a_model_without_packed_weights_is_opened_as_it_is(tmp_path: Path) -> None:
    folder = make_encoder(tmp_path)
    assert dequantise_model(folder / "model.onnx") is None
    assert open_session(folder / "model.onnx").get_outputs()[0].name == "last_hidden_state"


def test_a_call_without_its_weights_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = write_packed(tmp_path / "model.onnx", codes="elsewhere")
    with pytest.raises(FormatError, match=r"model\.onnx"):
        open_session(path)


@pytest.mark.parametrize("missing", ["input", "output"])
def test_a_call_that_is_given_or_gives_nothing_is_left_to_onnxruntime(missing: str, tmp_path: Path) -> None:
    path = write_packed(tmp_path / "model.onnx")
    model = onnx.load(path)
    model.graph.node[0].ClearField(missing)
    path.write_bytes(model.SerializeToString())
    assert dequantise_model(path) is None


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("size", [0, 2**63 - 1])
def test_codes_of_no_possible_size_are_left_to_onnxruntime(place: int, size: int, tmp_path: Path) -> None:
    path = write_packed(tmp_path / "model.onnx")
    model = onnx.load(path)
    (codes,) = (each for each in model.graph.initializer if each.name == "codes")
    codes.dims[place] = size
    path.write_bytes(model.SerializeToString())
    assert dequantise_model(path) is None


@pytest.mark.parametrize("kept", [0, 1, 40, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_an_error_that_names_it(kept: float, tmp_path: Path) -> None:
    path = write_packed(tmp_path / "model.onnx")
    content = path.read_bytes()
    path.write_bytes(content[: int(kept if kept >= 1 else kept * len(content))])
    with pytest.raises(FormatError, match=r"model\.onnx"):
        open_session(path)


@pytest.mark.parametrize("content", [b"\x0b" * 50, b"\xff" * 50, b"no model", bytes(range(256))])
def test_a_file_of_something_else_is_an_error_that_names_it(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(content)
    with pytest.raises(FormatError, match=r"model\.onnx"):
        open_session(tmp_path / "model.onnx")
