"""Four-bit weights of a model file are dequantised to eight bits before onnxruntime sees them.

The file defines how, in an ONNX function that is called once for each weight, so any onnxruntime can open it. But
onnxruntime keeps every intermediate result of every weight until all are done: two gigabytes for a model of 70 MB. Here
the same is done weight by weight, to the same bytes, and the model that onnxruntime opens has no such calls left.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DOMAIN, OPERATOR = "veritab", "Unpack"
"""The function of the file: codes in blocks, the scale of each block and of each output, and out come the weights."""
_AT_ONCE = 1 << 16
"""Weights dequantised at once: intermediate results then stay in the processor's cache."""

# The numbers of fields in ONNX's protobuf messages.
_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_WEIGHT = 1, 5
_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATOR, _NODE_DOMAIN = 1, 2, 4, 7
_DIMENSIONS, _KIND, _NAME, _BYTES, _ELSEWHERE, _PLACE = 1, 2, 8, 9, 13, 14
_INT8, _INT4, _IS_ELSEWHERE = 3, 22, 1
_VARINT, _FIXED64, _COUNTED, _FIXED32 = 0, 1, 2, 5

Bytes: TypeAlias = memoryview | bytes


class DequantisedModel(NamedTuple):
    """A model without its four-bit weights, and the eight-bit ones it needs, by name."""

    model: bytes
    weights: dict[str, NDArray[np.int8]]


class _Field(NamedTuple):
    """A field of a message: its number, what it holds, and all its bytes."""

    number: int
    value: int | memoryview
    whole: memoryview


class _Tensor(NamedTuple):
    kind: int
    shape: tuple[int, ...]
    data: memoryview


class _Call(NamedTuple):
    """A call of the function: the names of its inputs and of its output."""

    codes: str
    scales: str
    columns: str
    weights: str


def dequantise_model(file: Path, threads: int | None = None) -> DequantisedModel | None:
    """A model with dequantised weights; None where there is nothing to dequantise, or the file is not a model."""
    if not file.stat().st_size:
        return None
    with file.open("rb") as stream:
        content = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    try:
        return _dequantise(content, threads or min(4, os.cpu_count() or 1))
    except (ValueError, OverflowError):
        return None


def _dequantise(content: memoryview, threads: int) -> DequantisedModel | None:
    outer: list[Bytes] = []
    inner: list[Bytes] = []
    calls: list[_Call] = []
    tensors: dict[str, _Field] = {}
    for field in _fields(content):
        if field.number != _MODEL_GRAPH:
            outer.append(field.whole)
            continue
        for part in _fields(_message(field)):
            if part.number == _GRAPH_NODE and (call := _call(_message(part))):
                calls.append(call)
            elif part.number == _GRAPH_WEIGHT:
                tensors[_name(_message(part))] = part
            else:
                inner.append(part.whole)
    if not calls:
        return None
    found = {call: [_tensor(tensors, name) for name in call[:3]] for call in calls}
    with ThreadPoolExecutor(threads, "veritab-unpack") as pool:
        weights = dict(zip((call.weights for call in calls), pool.map(_weights, found.values()), strict=True))
    packed = {name for call in calls for name in (call.codes, call.scales)}
    inner += [part.whole for name, part in tensors.items() if name not in packed]
    inner += [_counted(_GRAPH_WEIGHT, _missing(name, values.shape)) for name, values in weights.items()]
    return DequantisedModel(b"".join((*outer, _counted(_MODEL_GRAPH, b"".join(inner)))), weights)


def _weights(given: Sequence[_Tensor]) -> NDArray[np.int8]:
    """The output of the function of the file, to the last bit."""
    import numpy as np

    codes, scales, columns = given
    if codes.kind != _INT4 or len(codes.shape) != 3 or 0 in codes.shape or codes.shape[2] % 2:
        raise ValueError("codes that are not of four bits in blocks, two to a byte")
    blocks, size, outputs = codes.shape
    pairs = np.frombuffer(codes.data, np.int8).reshape(blocks, size, outputs // 2)
    steps = np.frombuffer(scales.data, np.float16).reshape(blocks, 1, outputs)
    shares = np.frombuffer(columns.data, np.float32).reshape(outputs)
    found = np.empty((blocks, size, outputs), np.int8)
    some = max(1, _AT_ONCE // (size * outputs))
    # The first of two lies in the lower four bits.
    for place in (0, 1):
        own_steps, own_shares = steps[..., place::2].astype(np.float32), np.ascontiguousarray(shares[place::2])
        for start in range(0, blocks, some):
            part = slice(start, start + some)
            bits = pairs[part] if place else pairs[part] << 4
            numbers = (bits >> 4).astype(np.float32)
            numbers *= own_steps[part]
            numbers /= own_shares
            found[part, :, place::2] = np.rint(numbers, out=numbers)
    return found.reshape(blocks * size, outputs)


# -- messages ----------------------------------------------------------------------------------------------


def _fields(message: memoryview) -> Iterator[_Field]:
    place = 0
    while place < len(message):
        start = place
        tag, place = _number(message, place)
        value: int | memoryview
        match tag & 7:
            case kind if kind == _VARINT:
                value, place = _number(message, place)
            case kind if kind == _COUNTED:
                size, place = _number(message, place)
                value, place = message[place : place + size], place + size
            case kind if kind in (_FIXED64, _FIXED32):
                size = 8 if kind == _FIXED64 else 4
                value, place = message[place : place + size], place + size
            case kind:
                raise ValueError(f"no field begins with {kind}")
        if place > len(message):
            raise ValueError("a field ends after its message")
        yield _Field(tag >> 3, value, message[start:place])


def _number(message: memoryview, place: int) -> tuple[int, int]:
    found = shift = 0
    while place < len(message) and shift < 64:
        byte = message[place]
        found |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return found, place
    raise ValueError("a number ends after its message")


def _message(field: _Field) -> memoryview:
    if isinstance(field.value, int):
        raise ValueError("a number where a message belongs")
    return field.value


def _text(field: _Field) -> str:
    return bytes(_message(field)).decode()


def _call(node: memoryview) -> _Call | None:
    """The call that a node is, if it is one."""
    fields: dict[int, list[str]] = {}
    for field in _fields(node):
        if field.number in (_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATOR, _NODE_DOMAIN):
            fields.setdefault(field.number, []).append(_text(field))
    if (fields.get(_NODE_DOMAIN), fields.get(_NODE_OPERATOR)) != ([DOMAIN], [OPERATOR]):
        return None
    codes, scales, columns = fields.get(_NODE_INPUT, [])
    (weights,) = fields.get(_NODE_OUTPUT, [])
    return _Call(codes, scales, columns, weights)


def _name(tensor: memoryview) -> str:
    """The name of a weight; a model with weights in other files is left to onnxruntime."""
    name = ""
    for field in _fields(tensor):
        if field.number == _NAME:
            name = _text(field)
        elif field.number == _PLACE and field.value == _IS_ELSEWHERE:
            raise ValueError("weights in other files")
    return name


def _tensor(tensors: dict[str, _Field], name: str) -> _Tensor:
    if name not in tensors:
        raise ValueError(f"no weight {name!r}")
    kind, shape, data = 0, [], memoryview(b"")
    for field in _fields(_message(tensors[name])):
        match field.number, field.value:
            case number, int(value) if number == _DIMENSIONS:
                shape.append(value)
            case number, int(value) if number == _KIND:
                kind = value
            case number, memoryview() if number == _BYTES:
                data = _message(field)
    return _Tensor(kind, tuple(shape), data)


def _missing(name: str, shape: Sequence[int]) -> bytes:
    """A weight that is passed to the session; the external file it names is never opened."""
    written = [_numbered(_DIMENSIONS, size) for size in shape]
    written += [_numbered(_KIND, _INT8), _counted(_NAME, name.encode())]
    written += [_counted(_ELSEWHERE, _counted(1, b"location") + _counted(2, b"unpacked"))]
    return b"".join((*written, _numbered(_PLACE, _IS_ELSEWHERE)))


def _numbered(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value)


def _counted(number: int, value: Bytes) -> bytes:
    return b"".join((_varint(number << 3 | _COUNTED), _varint(len(value)), value))


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


def add_initializers(options: Any, weights: dict[str, NDArray[np.int8]]) -> None:
    """Pass these weights to a session."""
    from onnxruntime import OrtValue

    values = [OrtValue.ortvalue_from_numpy(each) for each in weights.values()]
    options.add_external_initializers(list(weights), values)
