"""An exported network is quantised: its products, its token embeddings, and the metadata of its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from veritab.errors import FormatError
from veritab.models.dequantise import DOMAIN, OPERATOR
from veritab.train.quantise import MAX_INT8, column_scales, quantise_blocks
from veritab.train.recipe import QuantiseConfig

LAYERS = "/encoder/encoder/"
"""How the names of all that happens inside the layers begin."""
OPSET = 21
"""The first that knows numbers of four bits."""
_MICROSOFT = "com.microsoft"
LARGEST_FILE = 95_000_000
_LEAST_MOVED = 1024
"""What is smaller may be a shape, which runtimes want to see before they open other files."""


class OnnxGraph:
    """A model being rewritten."""

    def __init__(self, model: Any, outliers: Mapping[str, Sequence[int]] | None = None) -> None:
        self.model = model
        self._weights = {each.name: each for each in model.graph.initializer}
        self._quantised_inputs: set[str] = set()
        self._split_inputs: set[str] = set()
        self._outliers = outliers or {}

    def quantise(self, config: QuantiseConfig, tokens: int) -> None:
        """Quantise the products of the layers to eight bits, and the embeddings of `tokens` tokens in blocks."""
        nodes, products, tables = [], 0, 0
        for node in self.model.graph.node:
            if node.op_type == "MatMul" and node.name.startswith(LAYERS) and node.input[1] in self._weights:
                nodes += self._product(node, config)
                products += 1
            elif config.embeddings and self._is_table(node, tokens):
                nodes.append(self._table(node, config))
                tables += 1
            else:
                nodes.append(node)
        if not products or (config.embeddings and tables != 1):
            raise FormatError(f"the exported model has {products} products and {tables} tables of tokens to quantise")
        del self.model.graph.node[:]
        self.model.graph.node.extend(nodes)
        self._drop_unused()
        del self.model.opset_import[:]
        self.model.opset_import.extend([helper.make_opsetid("", OPSET), helper.make_opsetid(_MICROSOFT, 1)])
        if config.bits == 4:
            self.model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
            self.model.functions.append(_unpack_function())

    def _add(self, name: str, values: NDArray[Any]) -> str:
        self.model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _once(self, name: str, values: NDArray[Any]) -> str:
        known = any(each.name == name for each in self.model.graph.initializer)
        return name if known else self._add(name, values)

    # -- products

    def _product(self, node: Any, config: QuantiseConfig) -> list[Any]:
        """An integer product, and the nodes that dequantise it."""
        name = node.name
        weights = torch.from_numpy(numpy_helper.to_array(self._weights[node.input[1]]).T.copy())
        if config.bits == 4:
            unpacked, weights = self._unpack_nodes(name, weights, config.block)
        else:
            unpacked = []
        scales = column_scales(weights)
        self._add(f"{name}/columns", scales.numpy())
        if config.bits == 8:
            codes = torch.round(weights / scales.unsqueeze(-1)).to(torch.int8)
            self._add(f"{name}/weights", codes.T.numpy())
        if config.activations == "none":
            return unpacked + self._in_numbers(node)
        outlier_inputs = self._outliers.get(name.removesuffix("/MatMul"), ())
        outlier_nodes, node = (
            self._multiply_outliers_apart(node, outlier_inputs, weights) if outlier_inputs else ([], node)
        )
        quantised = self._by_token(node) if config.activations == "token" else self._by_text(node)
        inputs = node.input[0]
        zero = f"{inputs}/zero"
        if config.activations == "token":
            zero = self._once("middle", np.array(128, dtype=np.uint8))
        return [
            *unpacked,
            *outlier_nodes[:-1],
            *quantised,
            helper.make_node(
                "MatMulInteger", [f"{inputs}/whole", f"{name}/weights", zero], [f"{name}/sums"], f"{name}/MatMulInteger"
            ),
            helper.make_node("Cast", [f"{name}/sums"], [f"{name}/cast"], f"{name}/Cast", to=TensorProto.FLOAT),
            *self._scaled(node, f"{inputs}/scale", config),
            *outlier_nodes[-1:],
        ]

    def _multiply_outliers_apart(self, node: Any, outliers: Sequence[int], weights: Any) -> tuple[list[Any], Any]:
        """Outlier inputs are multiplied in full precision and added; the integer product sees zeros there."""
        name, inputs = node.name, node.input[0]
        nodes = []
        if inputs not in self._split_inputs:
            self._split_inputs.add(inputs)
            others = np.ones(weights.shape[-1], dtype=np.float32)
            others[list(outliers)] = 0
            self._add(f"{inputs}/which", np.array(outliers, dtype=np.int64))
            self._add(f"{inputs}/mask", others)
            nodes = [
                helper.make_node(
                    "Gather", [inputs, f"{inputs}/which"], [f"{inputs}/outliers"], f"{inputs}/Gather", axis=-1
                ),
                helper.make_node("Mul", [inputs, f"{inputs}/mask"], [f"{inputs}/inliers"], f"{inputs}/Mul"),
            ]
        self._add(f"{name}/rows", weights[:, list(outliers)].T.numpy())
        nodes += [
            helper.make_node("MatMul", [f"{inputs}/outliers", f"{name}/rows"], [f"{name}/outliers"], f"{name}/MatMul"),
            helper.make_node("Add", [f"{name}/inliers", f"{name}/outliers"], list(node.output), f"{name}/Add"),
        ]
        return nodes, helper.make_node("MatMul", [f"{inputs}/inliers", node.input[1]], [f"{name}/inliers"], name)

    def _scaled(self, node: Any, scale: str, config: QuantiseConfig) -> list[Any]:
        name = node.name
        if config.activations == "token":
            return [
                helper.make_node("Mul", [f"{name}/cast", f"{name}/columns"], [f"{name}/part"], f"{name}/MulColumns"),
                helper.make_node("Mul", [f"{name}/part", scale], [node.output[0]], f"{name}/MulTokens"),
            ]
        return [
            helper.make_node("Mul", [scale, f"{name}/columns"], [f"{name}/both"], f"{name}/MulScales"),
            helper.make_node("Mul", [f"{name}/cast", f"{name}/both"], [node.output[0]], f"{name}/Mul"),
        ]

    def _unpack_nodes(self, name: str, weights: Any, block: int) -> tuple[list[Any], Any]:
        """Weights of four bits, which become eight when the model is opened: `veritab.models.dequantise`."""
        width = weights.shape[-1]
        if width % block:
            raise FormatError(f"{width} weights of {name!r} do not fill whole blocks of {block}")
        blocks = quantise_blocks(weights, 4, block)
        codes = blocks.codes.permute(1, 2, 0).to(torch.int8).numpy()
        self.model.graph.initializer.append(_four_bits(f"{name}/codes", codes))
        self._add(f"{name}/scales", blocks.scales.T.unsqueeze(1).numpy().astype(np.float16))
        inputs = [f"{name}/codes", f"{name}/scales", f"{name}/columns"]
        node = helper.make_node(OPERATOR, inputs, [f"{name}/weights"], f"{name}/{OPERATOR}", domain=DOMAIN)
        return [node], blocks.weights(width)

    def _in_numbers(self, node: Any) -> list[Any]:
        name = node.name
        return [
            helper.make_node("Cast", [f"{name}/weights"], [f"{name}/cast"], f"{name}/Cast", to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}/cast", f"{name}/columns"], [f"{name}/numbers8"], f"{name}/Mul"),
            helper.make_node("MatMul", [node.input[0], f"{name}/numbers8"], list(node.output), name),
        ]

    def _by_text(self, node: Any) -> list[Any]:
        """An input of several products is quantised once."""
        inputs = node.input[0]
        if inputs in self._quantised_inputs:
            return []
        outputs = [f"{inputs}/whole", f"{inputs}/scale", f"{inputs}/zero"]
        self._quantised_inputs.add(inputs)
        return [helper.make_node("DynamicQuantizeLinear", [inputs], outputs, f"{inputs}/DynamicQuantizeLinear")]

    def _by_token(self, node: Any) -> list[Any]:
        inputs = node.input[0]
        if inputs in self._quantised_inputs:
            return []
        self._quantised_inputs.add(inputs)
        share = self._once("share", np.array(1 / MAX_INT8, dtype=np.float32))
        least = self._once("least", np.array(1e-30, dtype=np.float32))
        middle = self._once("middle number", np.array(128, dtype=np.float32))
        last = self._once("last axis", np.array([-1], dtype=np.int64))
        chain: list[tuple[str, list[str], str, dict[str, Any]]] = [
            ("Abs", [inputs], f"{inputs}/size", {}),
            ("ReduceMax", [f"{inputs}/size", last], f"{inputs}/largest", {"keepdims": 1}),
            ("Mul", [f"{inputs}/largest", share], f"{inputs}/step", {}),
            ("Max", [f"{inputs}/step", least], f"{inputs}/scale", {}),
            ("Div", [inputs, f"{inputs}/scale"], f"{inputs}/parts", {}),
            ("Round", [f"{inputs}/parts"], f"{inputs}/round", {}),
            ("Add", [f"{inputs}/round", middle], f"{inputs}/up", {}),
            ("Cast", [f"{inputs}/up"], f"{inputs}/whole", {"to": TensorProto.UINT8}),
        ]
        return [
            helper.make_node(kind, sources, [out], f"{out}/{kind}", **attributes)
            for kind, sources, out, attributes in chain
        ]

    # -- the table of tokens

    def _is_table(self, node: Any, tokens: int) -> bool:
        table = self._weights.get(node.input[0]) if node.op_type == "Gather" else None
        return table is not None and len(table.dims) == 2 and table.dims[0] == tokens

    def _table(self, node: Any, config: QuantiseConfig) -> Any:
        bits, name = config.embeddings, node.name
        table = torch.from_numpy(numpy_helper.to_array(self._weights[node.input[0]]).copy())
        blocks = quantise_blocks(table, bits, config.block, half=False)
        codes = (blocks.codes + (1 << (bits - 1))).to(torch.uint8).flatten(1).numpy()
        if bits == 4:
            codes = codes[:, 0::2] | (codes[:, 1::2] << 4)
        inputs = [self._add(f"{name}/codes", codes), node.input[1], self._add(f"{name}/scales", blocks.scales.numpy())]
        return helper.make_node(
            "GatherBlockQuantized",
            inputs,
            list(node.output),
            f"{name}/GatherBlockQuantized",
            domain=_MICROSOFT,
            gather_axis=0,
            quantize_axis=1,
            block_size=config.block,
            bits=bits,
        )

    # -- the rest

    def _drop_unused(self) -> None:
        used = {name for node in self.model.graph.node for name in node.input}
        kept = [each for each in self.model.graph.initializer if each.name in used]
        del self.model.graph.initializer[:]
        self.model.graph.initializer.extend(kept)

    def describe(self, properties: Mapping[str, str]) -> None:
        """Write the metadata of the model."""
        helper.set_model_props(self.model, dict(properties))
        self.model.producer_name, self.model.producer_version, self.model.doc_string = "veritab", "", ""

    def write(self, folder: Path) -> list[str]:
        """The model in files none of which is too large; their names."""
        name = "model.onnx"
        names = [name]
        if self.model.ByteSize() > LARGEST_FILE:
            names += _move_to_file(self.model.graph.initializer, folder, f"{name}.data", self.model.ByteSize() // 2)
        onnx.save(self.model, folder / name)
        for each in names:
            if (folder / each).stat().st_size > LARGEST_FILE:
                raise FormatError(f"{each} has more than {LARGEST_FILE:,} bytes; quantise with fewer bits")
        return names


def _move_to_file(tensors: Iterable[Any], folder: Path, name: str, most: int) -> list[str]:
    """Move large weights into a file beside the model, up to `most` bytes."""
    place = 0
    with (folder / name).open("wb") as file:
        for tensor in sorted(tensors, key=lambda each: -len(each.raw_data)):
            data = tensor.raw_data
            if len(data) < _LEAST_MOVED or place + len(data) > most:
                continue
            file.write(data)
            onnx.external_data_helper.set_external_data(tensor, name, offset=place, length=len(data))
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            place += len(data)
    return [name]


def _unpack_function() -> Any:
    """The ONNX function that turns four bits into eight, for runtimes that do not know it."""
    steps = [
        helper.make_node("Cast", ["codes"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["scales"], ["steps"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "steps"], ["blocks"]),
        helper.make_node("Flatten", ["blocks"], ["flat"], axis=2),
        helper.make_node("Div", ["flat", "columns"], ["parts"]),
        helper.make_node("Round", ["parts"], ["round"]),
        helper.make_node("Cast", ["round"], ["weights"], to=TensorProto.INT8),
    ]
    inputs, opset = ["codes", "scales", "columns"], helper.make_opsetid("", OPSET)
    return helper.make_function(DOMAIN, OPERATOR, inputs, ["weights"], steps, [opset])


def _four_bits(name: str, codes: NDArray[np.int8]) -> Any:
    flat = codes.reshape(-1)
    if len(flat) % 2:
        flat = np.append(flat, np.int8(0))
    packed = ((flat[0::2] & 15) | ((flat[1::2] & 15) << 4)).astype(np.uint8)
    tensor = TensorProto(name=name, data_type=TensorProto.INT4, dims=codes.shape)
    tensor.raw_data = packed.tobytes()
    return tensor
