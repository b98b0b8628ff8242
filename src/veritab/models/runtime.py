"""A transformer runs from its folder: tokens, batches and an ONNX file."""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from veritab.cancel import stop_if_cancelled
from veritab.errors import FormatError, InputError, NotFound
from veritab.models.dequantise import add_initializers, dequantise_model
from veritab.models.pair_tokens import clean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Inputs: TypeAlias = Sequence[str] | Sequence[tuple[str, str]]

_MODELS = ("model", "model_quantized", "model_int8", "model_qint8", "model_optimized", "model_fp16")
_FOLDERS = ("", "onnx")
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.h5")
_EXPORT = (
    "export it with: pip install 'optimum[onnxruntime]' && "
    "optimum-cli export onnx --model {folder} --task {task} {folder}/onnx"
)
# These count positions from the number of the padding token on, so two of them hold no word.
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "mpnet"}
_PADDING = ("[PAD]", "<pad>")
_LONGEST = 512
# Begins the operators that round activations by the largest of the whole batch; those that round block by block, such
# as MatMulNBits, are called otherwise.
_ROUNDS_BY_BATCH = b"DynamicQuantize"
# Texts are tokenised this many at a time: the tokens of a million texts at once would fill the memory.
STRETCH = 4096
_BATCH = 32
# More tokens at once are no faster on a processor: they no longer fit its cache.
_BATCH_TOKENS = 1024


class Batch(NamedTuple):
    """One output for some of the inputs: their indices, the values, and the attention mask."""

    places: list[int]
    values: NDArray[np.float32]
    mask: NDArray[np.int64]


class Outputs(NamedTuple):
    """As `Batch`, for several outputs at once."""

    places: list[int]
    values: list[NDArray[np.float32]]
    mask: NDArray[np.int64]


class OnnxModel:
    """A model and its tokenizer; `OnnxModel.open(folder)` makes one."""

    def __init__(
        self, file: Path, session: InferenceSession, tokenizer: Tokenizer, *, batch_size: int | None = None
    ) -> None:
        self.file = file
        self.ranks: dict[str, int] = {given.name: len(given.shape or ()) for given in session.get_outputs()}
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = {given.name: _input_type(file, given) for given in session.get_inputs()}
        self._padding = next((id for name in _PADDING if (id := tokenizer.token_to_id(name)) is not None), 0)
        self._batch_size = batch_size or self._own_batch_size()

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        task: str,
        max_length: int,
        model: str = "",
        threads: int | None = None,
        batch_size: int | None = None,
    ) -> OnnxModel:
        """Read a model from its folder; `model` names one of several ONNX files, `threads` fixes their number.

        A batch has 32 inputs, but only one where the output would otherwise depend on those beside it. `task` is what
        optimum calls the export.
        """
        if not folder.is_dir():
            raise NotFound(f"no model in {str(folder)!r}; expected a folder with model.onnx and tokenizer.json")
        file = _model_file(folder, model, task)
        return cls(
            file, open_session(file, threads), _limited(read_tokenizer(folder), max_length), batch_size=batch_size
        )

    def _own_batch_size(self) -> int:
        """The largest batch in which no input changes the output of another."""
        return 1 if "attention_mask" not in self._inputs or _rounds_by_batch(self.file) else _BATCH

    @property
    def metadata(self) -> Mapping[str, str]:
        """The metadata of the file."""
        found: Mapping[str, str] = self._session.get_modelmeta().custom_metadata_map
        return found

    def run(self, inputs: Inputs, output: str) -> Iterator[Batch]:
        """One output of the model for texts or pairs of texts, in batches of about the same length."""
        for start in range(0, len(inputs), STRETCH):
            tokens = self._tokenizer.encode_batch([_clean(each) for each in inputs[start : start + STRETCH]])
            for places, (values,), mask in self.run_tokens(tokens, (output,)):
                yield Batch([start + place for place in places], values, mask)

    def run_tokens(self, tokens: Sequence[Encoding], outputs: Sequence[str], *, workers: int = 1) -> Iterator[Outputs]:
        """Some outputs of the model for tokenised inputs, in batches of about the same length.

        `workers` batches run side by side, each on the threads of the session.
        """
        batches = list(_batches(tokens, self._batch_size))

        def run(places: list[int]) -> Outputs:
            return Outputs(places, *self._run([tokens[place] for place in places], outputs))

        if min(workers, len(batches)) <= 1:
            yield from map(run, batches)
            return
        with ThreadPoolExecutor(workers, "veritab-model") as pool:
            yield from pool.map(run, batches)

    def _run(
        self, tokens: Sequence[Encoding], outputs: Sequence[str]
    ) -> tuple[list[NDArray[np.float32]], NDArray[np.int64]]:
        import numpy as np

        stop_if_cancelled()
        # A text without any token still takes one masked place; a model cannot run on nothing.
        shape = (len(tokens), max(1, *(len(text.ids) for text in tokens)))
        ids = np.full(shape, self._padding, dtype=np.int64)
        mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, text in enumerate(tokens):
            length = len(text.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = text.ids, 1, text.type_ids
        values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        feed = {name: values[name].astype(kind, copy=False) for name, kind in self._inputs.items()}
        try:
            found = self._session.run(list(outputs), feed)
        except Exception as error:  # onnxruntime's errors have no class of their own in common
            raise FormatError(
                f"{str(self.file)!r} cannot run on {shape[1]} tokens; is the longest input its settings allow, or its "
                f"tokenizer, that of another model? {error}"
            ) from None
        return [values.astype(np.float32, copy=False) for values in found], mask

    def fingerprint(self, settings: Mapping[str, Any]) -> str:
        """An id of the outputs: the same for the same weights, tokenizer and settings only."""
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
        digest.update(self._tokenizer.to_str().encode())
        # Weights of more than 2 GB lie beside the model, in files called after it.
        for file in sorted(self.file.parent.glob(f"{self.file.name}*")):
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return digest.hexdigest()[:32]


def _clean(given: str | tuple[str, str]) -> str | tuple[str, str]:
    return clean(given) if isinstance(given, str) else (clean(given[0]), clean(given[1]))


def _batches(tokens: Sequence[Encoding], size: int) -> Iterator[list[int]]:
    """Indices of texts of about the same length, shortest first, so that there is little padding."""
    batch: list[int] = []
    for place in sorted(range(len(tokens)), key=lambda place: len(tokens[place].ids)):
        if len(batch) == size or (len(batch) + 1) * len(tokens[place].ids) > _BATCH_TOKENS:
            if batch:
                yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


# -- what a folder holds -----------------------------------------------------------------------------------


def _model_file(folder: Path, name: str, task: str) -> Path:
    if name:
        if (folder / name).is_file():
            return folder / name
        raise NotFound(f"no model {name!r} in {str(folder)!r}; it has {_listed(folder, _onnx_files(folder))}")
    for candidate in (folder / inner / f"{model}.onnx" for model in _MODELS for inner in _FOLDERS):
        if candidate.is_file():
            return candidate
    found = _onnx_files(folder)
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"several models in {str(folder)!r}; name one of {_listed(folder, found)}")
    raise NotFound(_no_model(folder, task))


def _onnx_files(folder: Path) -> list[Path]:
    return sorted(file for inner in _FOLDERS for file in (folder / inner).glob("*.onnx"))


def _listed(folder: Path, files: Sequence[Path]) -> str:
    return ", ".join(repr(file.relative_to(folder).as_posix()) for file in files) or "no ONNX file"


def _no_model(folder: Path, task: str) -> str:
    weights = sorted(file.name for pattern in _WEIGHTS for file in folder.glob(pattern))
    if weights:
        return f"{str(folder)!r} has {weights[0]} but no ONNX file; {_EXPORT.format(folder=folder, task=task)}"
    return f"no ONNX file in {str(folder)!r}; expected model.onnx or onnx/model.onnx beside tokenizer.json"


def _rounds_by_batch(model: Path) -> bool:
    """Whether the model is quantised dynamically, as the name of an operator in it shows."""
    if not model.stat().st_size:
        return False
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(_ROUNDS_BY_BATCH) >= 0


def open_session(model: Path, threads: int | None = None) -> InferenceSession:
    """An ONNX file, ready to run; `threads` fixes their number."""
    if threads is not None and threads < 1:
        raise InputError(f"{threads} threads are too few; expected 1 or more")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # To plan which results may share memory takes as long as all else here together, and makes no answer faster.
    options.enable_mem_reuse = False
    if threads is not None:
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
    source: str | bytes = str(model)
    if ready := dequantise_model(model, threads):
        add_initializers(options, ready.weights)
        source = ready.model
    try:
        session: InferenceSession = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no class of their own in common
        raise FormatError(f"{str(model)!r} is not a model that onnxruntime can run; copy it again: {error}") from None
    return session


def read_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a folder, with the cut and the padding that its file carries."""
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        raise NotFound(
            f'no tokenizer.json in {str(folder)!r}; write it with: python -c "from transformers import AutoTokenizer; '
            f"AutoTokenizer.from_pretrained('{folder}').save_pretrained('{folder}')\""
        )
    try:
        tokenizer: Tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises nothing more exact
        raise FormatError(f"{str(file)!r} is not a tokenizer; copy it again: {error}") from None
    return tokenizer


def _limited(tokenizer: Tokenizer, max_length: int) -> Tokenizer:
    # Files often carry the cut and the padding of their training.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length)
    return tokenizer


def _input_type(model: Path, given: Any) -> str:
    kinds = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
    if given.name not in ("input_ids", "attention_mask", "token_type_ids") or given.type not in kinds:
        raise InputError(
            f"{str(model)!r} wants the input {given.name!r} ({given.type}); "
            "expected only input_ids, attention_mask and token_type_ids"
        )
    return kinds[given.type]


# -- what its settings say ---------------------------------------------------------------------------------


def read_max_length(folder: Path) -> int:
    """How many tokens the model takes, by the settings in its folder."""
    config = read_object(folder / "config.json")
    wanted = read_object(folder / "sentence_bert_config.json").get("max_seq_length")
    # A tokenizer without a limit says so with a number of thirty digits.
    limit = read_object(folder / "tokenizer_config.json").get("model_max_length")
    positions = config.get("max_position_embeddings")
    try:
        if positions and config.get("model_type") in _OFFSET_POSITIONS:
            positions -= 2
        return int(min(wanted or limit or _LONGEST, positions or limit or _LONGEST, 8192))
    except (TypeError, ValueError):
        raise FormatError(
            f"the JSON files in {str(folder)!r} give a longest input that is not a number: "
            f"{wanted!r}, {limit!r}, {positions!r}"
        ) from None


def read_object(file: Path) -> Mapping[str, Any]:
    """The object in a JSON file; an empty one where there is no file."""
    found = read_json(file)
    if found is not None and not isinstance(found, dict):
        raise FormatError(f"{str(file)!r} does not hold a JSON object")
    return found or {}


def read_json(file: Path) -> Any:
    """What a JSON file holds; None where there is no file."""
    if not file.is_file():
        return None
    try:
        return json.loads(file.read_bytes())
    except ValueError as error:
        raise FormatError(f"{str(file)!r} is not JSON; copy it again: {error}") from None
