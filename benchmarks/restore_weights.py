"""Makes a trained folder of a model that ships, so that a run can go on from it.

    python -m benchmarks.restore_weights verdict TRAINED --base ENCODERS

The weights in a model's file are eight or four bits with scales; they come back as the floats that these stand for.
`veritab train RECIPE --base TRAINED` starts from them. ENCODERS holds the folder of the encoder that the model was
trained from, whose configuration is kept.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import save_file

from veritab.errors import FormatError
from veritab.models.card import Card
from veritab.models.dequantise import dequantise_model
from veritab.models.registry import folder_of
from veritab.train.network import WEIGHTS
from veritab.train.provenance import write_counts

_PRODUCT = "/MatMul/weights"


def restore(folder: Path) -> dict[str, Any]:
    """The weights of the network in a model's folder, by the names that training gives them."""
    model = onnx.load(folder / "model.onnx")
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    if unpacked := dequantise_model(folder / "model.onnx"):
        stored |= unpacked.weights
    restored = dict(_products(stored)) | dict(_plain_products(model, stored))
    restored["encoder.embeddings.word_embeddings.weight"] = _embeddings(model, stored)
    named = ("encoder.", "dense.", "out.", "whole.", "tokens.")
    restored |= {name: torch.from_numpy(values.copy()) for name, values in stored.items() if name.startswith(named)}
    return {name: values.contiguous() for name, values in restored.items()}


def _products(stored: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, codes in stored.items():
        if name.endswith(_PRODUCT):
            columns = stored[name.removesuffix("weights") + "columns"]
            weights = codes.astype(np.float32) * columns
            path = name.removeprefix("/").removesuffix(_PRODUCT).replace("/", ".")
            yield f"{path}.weight", torch.from_numpy(weights.T.copy())


def _plain_products(model: Any, stored: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Products in full precision without a bias: their weights have lost their names."""
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in stored and node.input[1].startswith("onnx::"):
            path = node.name.removeprefix("/").removesuffix("/MatMul").replace("/", ".")
            yield f"{path}.weight", torch.from_numpy(stored[node.input[1]].T.copy())


def _embeddings(model: Any, stored: dict[str, Any]) -> Any:
    """The table of token vectors, which is quantised in blocks of eight or four bits."""
    for node in model.graph.node:
        if node.op_type == "GatherBlockQuantized":
            codes, scales = stored[node.input[0]], stored[node.input[2]]
            bits = next(each.i for each in node.attribute if each.name == "bits")
            if bits == 4:
                codes = np.stack((codes & 15, codes >> 4), -1).reshape(len(codes), -1)
            numbers = codes.astype(np.float32) - (1 << (bits - 1))
            blocks = numbers.reshape(*scales.shape, -1) * scales[..., None]
            return torch.from_numpy(blocks.reshape(numbers.shape))
    raise FormatError("the model has no quantised token vectors; only models that `veritab train` made can be restored")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model that ships, or the folder of one")
    parser.add_argument("trained", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    options = parser.parse_args(arguments)
    folder = folder_of(options.model)
    card = Card.read(folder)
    options.trained.mkdir(parents=True, exist_ok=True)
    save_file(restore(folder), options.trained / WEIGHTS)
    for name, source in (("config.json", options.base / card.base), ("tokenizer.json", folder)):
        shutil.copy(source / name, options.trained / name)
    write_counts(options.trained, {each.name: each.pairs for each in card.data})


if __name__ == "__main__":
    main()
