"""The networks that are trained: an encoder, and a small head for its job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional
from transformers import AutoConfig, AutoModel, BertConfig

from veritab.errors import FormatError, InputError
from veritab.train.folders import find_base
from veritab.train.recipe import RANDOM, Recipe
from veritab.train.weights import compress_weights, decompress_weights

WEIGHTS = "weights.safetensors"
"""The weights that a run has trained; the folder of a published encoder does not have this file."""
_MASKED = -1e4
"""Added to attention between two texts; its exponential is 0, and unlike infinity it gives no NaN."""
_TINY: Mapping[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    # The usual 0.02 is for wide networks; in so narrow a one, nothing of the input would come through at first.
    "initializer_range": 0.1,
}


class PackedPositions(NamedTuple):
    """Where the texts of packed sequences lie: the text of every token (padding: one beyond the last), its position
    in that text, and for every text its start, counted through all sequences, and its length."""

    texts: Any
    positions: Any
    starts: Any
    lengths: Any


class VerdictNetwork(nn.Module):
    """Three logits for a pair: SUPPORTS, REFUTES, NOT ENOUGH INFO."""

    def __init__(self, encoder: Any, pool: str = "first") -> None:
        super().__init__()
        width = encoder.config.hidden_size
        self.encoder = encoder
        self.dense = _linear(width, width)
        self.out = _linear(width, 3)
        self.dropout = nn.Dropout(encoder.config.hidden_dropout_prob)
        self._pool = pool

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None, places: Any = None) -> Any:
        states = _states(self.encoder, input_ids, attention_mask, token_type_ids, places)
        one = _pool_texts(states, attention_mask, places, self._pool)
        hidden = torch.tanh(self.dense(self.dropout(one)))
        return self.out(self.dropout(hidden))


class SelectorNetwork(nn.Module):
    """A logit for a candidate as a whole, and one for each of its tokens."""

    def __init__(self, encoder: Any, pool: str = "first") -> None:
        super().__init__()
        width = encoder.config.hidden_size
        self.encoder = encoder
        self.whole = _linear(width, 1)
        self.tokens = _linear(width, 1)
        self.dropout = nn.Dropout(encoder.config.hidden_dropout_prob)
        self._pool = pool

    def forward(
        self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None, places: Any = None
    ) -> tuple[Any, Any]:
        states = self.dropout(_states(self.encoder, input_ids, attention_mask, token_type_ids, places))
        one = _pool_texts(states, attention_mask, places, self._pool)
        return self.whole(one)[:, 0], self.tokens(states)[..., 0]


class EncoderNetwork(nn.Module):
    """A vector for a text: the mean of its tokens, of unit length."""

    def __init__(self, encoder: Any, pool: str = "mean") -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None, places: Any = None) -> Any:
        states = _states(self.encoder, input_ids, attention_mask, token_type_ids, places)
        return functional.normalize(_pool_texts(states, attention_mask, places, "mean"), dim=-1)


NETWORKS: Mapping[str, Any] = {"verdict": VerdictNetwork, "selector": SelectorNetwork, "encoder": EncoderNetwork}


def _linear(width: int, outputs: int) -> nn.Linear:
    made = nn.Linear(width, outputs)
    nn.init.normal_(made.weight, std=0.02)
    nn.init.zeros_(made.bias)
    return made


def _states(encoder: Any, ids: Any, mask: Any, types: Any, places: PackedPositions | None = None) -> Any:
    if (quantiser := getattr(encoder, "activation_quantiser", None)) is not None:
        quantiser.mask, quantiser.places = mask, places
    types_input = {} if types is None else {"token_type_ids": types}
    if places is None:
        return encoder(input_ids=ids, attention_mask=mask, **types_input).last_hidden_state
    states = encoder.embeddings(input_ids=ids, position_ids=places.positions, **types_input)
    return encoder.encoder(states, attention_mask=_block_diagonal_mask(places.texts, states))[0]


def _block_diagonal_mask(texts: Any, states: Any) -> Any:
    """An attention mask under which packed texts do not see each other, and padding sees only padding."""
    device = states.device.type
    kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else states.dtype
    other = texts.unsqueeze(1) != texts.unsqueeze(2)
    return torch.zeros(other.shape, dtype=kind, device=states.device).masked_fill_(other, _MASKED).unsqueeze(1)


def _pool_texts(states: Any, mask: Any, places: PackedPositions | None, pool: str) -> Any:
    """One vector for each text: of its first token, or the mean of all."""
    if places is None:
        return states[:, 0] if pool == "first" else _mean(states, mask)
    tokens = states.flatten(0, 1)
    if pool == "first":
        return tokens.index_select(0, places.starts)
    sums = tokens.new_zeros(len(places.starts) + 1, tokens.shape[-1]).index_add(0, places.texts.flatten(), tokens)
    return sums[:-1] / places.lengths.unsqueeze(-1)


def _mean(states: Any, mask: Any) -> Any:
    kept = mask.unsqueeze(-1).to(states.dtype)
    return (states * kept).sum(1) / kept.sum(1).clamp(min=1)


def first_position(network: Any) -> int | None:
    """The number of the first token's position, for networks that can run packed sequences; None for others."""
    match network.encoder.config.model_type:
        case "bert":
            return 0
        case "mpnet":
            return int(network.encoder.embeddings.padding_idx) + 1
        case _:
            return None


def takes_types(network: Any) -> bool:
    """Whether the network has token types, which mark the two texts of a pair."""
    return int(getattr(network.encoder.config, "type_vocab_size", 0) or 0) > 1


def padding_token(network: Any) -> int:
    """The number of the token that fills short texts."""
    return int(network.encoder.config.pad_token_id or 0)


# -- opening and keeping -----------------------------------------------------------------------------------


def open_network(recipe: Recipe, base: Path | None, tokenizer: Path, also: Sequence[Path] = ()) -> Any:
    """The network a recipe starts with: the encoder of its base, and a head initialised from its seed.

    A base may be what another run trained; where that was for the same job, its head is kept too. The weights of
    several such runs are averaged.
    """
    torch.manual_seed(recipe.seed)
    if recipe.base.startswith(RANDOM):
        return NETWORKS[recipe.job](_random(tokenizer), recipe.pool)
    folder = find_base(recipe, base)
    if (folder / WEIGHTS).is_file():
        return _keep_layers(_continue_from(recipe, (folder, *also)), recipe)
    if also:
        raise InputError(f"{str(folder)!r} was not trained by a run; only what runs trained can be averaged")
    encoder = AutoModel.from_pretrained(folder, dtype=torch.float32, **_without_pooler(folder))
    return _keep_layers(NETWORKS[recipe.job](encoder, recipe.pool), recipe)


def load_trained(recipe: Recipe, folder: Path, attention: str | None = None) -> Any:
    """The network that a run has trained."""
    chosen = {"attn_implementation": attention} if attention else {}
    encoder = AutoModel.from_config(AutoConfig.from_pretrained(folder), **chosen, **_without_pooler(folder))  # type: ignore[no-untyped-call]
    network = NETWORKS[recipe.job](encoder.float(), recipe.pool)
    network.load_state_dict(_weights(folder))
    return network


def save_trained(network: Any, recipe: Recipe, folder: Path, tokenizer: Path) -> None:
    """Write a trained network into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(compress_weights(network, recipe.quantise if recipe.ends_quantised else None), folder / WEIGHTS)
    network.encoder.config.save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes(tokenizer.read_bytes())


def weights_of(folder: Path) -> list[Path]:
    """The files of the weights in the folder of a network: what a run trained, or an encoder in one part or several."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    return sorted(folder.glob("model*.safetensors")) or sorted(folder.glob("pytorch_model*.bin"))


def _weights(folder: Path) -> dict[str, Any]:
    try:
        return decompress_weights(load_file(folder / WEIGHTS))
    except Exception as error:  # safetensors raises nothing more exact
        raise FormatError(f"{str(folder / WEIGHTS)!r} cannot be read; fit the run again: {error}") from None


def _continue_from(recipe: Recipe, folders: Sequence[Path]) -> Any:
    folder = folders[0]
    encoder = AutoModel.from_config(AutoConfig.from_pretrained(folder), **_without_pooler(folder)).float()  # type: ignore[no-untyped-call]
    network = NETWORKS[recipe.job](encoder, recipe.pool)
    own = network.state_dict()
    weights = _mean_weights(folders)
    fitting = {name: w for name, w in weights.items() if name in own and own[name].shape == w.shape}
    missing = [name for name in own if name.startswith("encoder.") and name not in fitting]
    if missing:
        raise FormatError(f"{str(folder)!r} has no weights {missing[0]!r}; expected the trained folder of a run")
    network.load_state_dict(fitting, strict=False)
    return network


def _mean_weights(folders: Sequence[Path]) -> dict[str, Any]:
    mean = _weights(folders[0])
    for number, folder in enumerate(folders[1:], 2):
        other = _weights(folder)
        if other.keys() != mean.keys() or any(other[name].shape != mean[name].shape for name in mean):
            raise InputError(f"{str(folder)!r} and {str(folders[0])!r} are of different shapes and have no mean")
        for name, weights in mean.items():
            if weights.is_floating_point():
                weights.lerp_(other[name], 1 / number)
    return mean


def _without_pooler(folder: Path) -> dict[str, Any]:
    kind = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
    return {"add_pooling_layer": False} if kind in ("bert", "mpnet", "roberta", "xlm-roberta") else {}


def _random(tokenizer: Path) -> Any:
    words = len(json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"])
    config = BertConfig(vocab_size=words, **_TINY)
    return AutoModel.from_config(config, add_pooling_layer=False)  # type: ignore[no-untyped-call]


def _keep_layers(network: Any, recipe: Recipe) -> Any:
    """The network with the layers that the recipe keeps; all, where it names none."""
    if not recipe.layers:
        return network
    layers = network.encoder.encoder.layer
    beyond = [number for number in recipe.layers if not 0 <= number < len(layers)]
    if beyond:
        raise InputError(f"no layer {beyond[0]} in {recipe.base!r}; it has layers 0 to {len(layers) - 1}")
    network.encoder.encoder.layer = nn.ModuleList(layers[number] for number in recipe.layers)
    network.encoder.config.num_hidden_layers = len(recipe.layers)
    return network


@contextmanager
def perturbed_embeddings(network: Any, distance: float) -> Iterator[None]:
    """Token embeddings moved this far along their gradient, towards a higher loss, for adversarial training."""
    table = network.encoder.get_input_embeddings().weight
    exact = table.data
    with torch.no_grad():
        table.data = exact + table.grad * (distance / table.grad.norm().clamp(min=1e-12))
    try:
        yield
    finally:
        table.data = exact


# -- attention ---------------------------------------------------------------------------------------------


def fuse_attention(network: Any) -> None:
    """Let an MPNet attend in one kernel; its relative position bias is no longer trained."""
    if network.encoder.config.model_type != "mpnet":
        return
    layers = network.encoder.encoder
    layers.relative_attention_bias.requires_grad_(False)
    layers.compute_position_bias = _Distances(layers.compute_position_bias)
    bias = _Bias()
    for layer in layers.layer:
        layer.attention.attn.forward = _attention(layer.attention.attn, bias)


class _Distances:
    """The relative position bias: frozen, so it is computed once for every length of texts."""

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self._find = find
        self._known: dict[tuple[int, str], Any] = {}

    def __call__(self, states: Any) -> Any:
        key = (states.shape[1], str(states.device))
        if key not in self._known:
            # What is computed while measuring is also used in training.
            with torch.inference_mode(False), torch.no_grad():
                self._known[key] = self._find(torch.empty_like(states[:1]))
        return self._known[key].expand(len(states), -1, -1, -1)


class _Bias:
    """Position bias and padding mask together; the same in all layers of one pass, so computed once."""

    def __init__(self) -> None:
        self._position: Any = None
        self._found: Any = None

    def __call__(self, position: Any, mask: Any, kind: Any) -> Any:
        if self._position is not position:
            self._position = position
            self._found = (position if mask is None else position + mask).to(kind)
        return self._found


def _attention(own: Any, bias: _Bias) -> Any:
    def heads(states: Any) -> Any:
        return states.view(*states.shape[:2], own.num_attention_heads, own.attention_head_size).transpose(1, 2)

    def attend(states: Any, mask: Any, position_bias: Any, **_: Any) -> tuple[Any]:
        query, key, value = map(heads, _fused_products((own.q, own.k, own.v), states))
        added = bias(position_bias, mask, query.dtype)
        dropout = own.dropout.p if own.training else 0.0
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=added, dropout_p=dropout)
        return (own.o(found.transpose(1, 2).flatten(2)),)

    return attend


def _fused_products(layers: Sequence[nn.Linear], states: Any) -> Sequence[Any]:
    """Several products of the same states as one, unless their inputs are quantised by a hook."""
    if any(layer._forward_pre_hooks for layer in layers):
        return [layer(states) for layer in layers]
    weights, biases = (torch.cat([getattr(layer, name) for layer in layers]) for name in ("weight", "bias"))
    return functional.linear(states, weights, biases).chunk(len(layers), -1)
