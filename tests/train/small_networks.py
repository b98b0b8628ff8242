"""Networks so small that a test can run them, and texts of random tokens for each job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, BertConfig, MPNetConfig

from veritab.train.network import NETWORKS, fuse_attention
from veritab.train.tokens import DTYPES, NEGATIVE, Tokens

KINDS_OF_NETWORK = {"bert": BertConfig, "mpnet": MPNetConfig}
WORDS, GROUPS = 60, 12


@pytest.fixture
def alone() -> Iterator[None]:
    """Threads would wait for each other longer than so small networks take."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def network_of(kind: str, name: str, pool: str = "first", *, fused: bool = True) -> Any:
    torch.manual_seed(3)
    config = KINDS_OF_NETWORK[kind](
        vocab_size=WORDS,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=80,
        initializer_range=0.2,
    )
    encoder: Any = AutoModel.from_config(config, add_pooling_layer=False)  # type: ignore[no-untyped-call]
    made = NETWORKS[name](encoder, pool)
    for head in made.children():
        if isinstance(head, torch.nn.Linear):
            # As it is initialised for training, next to nothing of the encoder would come through.
            torch.nn.init.normal_(head.weight, std=0.5)
    if kind == "mpnet":
        torch.nn.init.normal_(encoder.encoder.relative_attention_bias.weight)
        if fused:
            fuse_attention(made)
    return made.eval()


def tokens_of(name: str, seed: int = 0) -> Tokens:
    """Groups of a query, a passage that decides it and at most two that do not; the other jobs take them as texts."""
    chance = np.random.default_rng(seed)
    sizes = chance.integers(2, 5, GROUPS)
    count = int(sizes.sum())
    lengths = chance.integers(3, 64, count)
    whole = int(lengths.sum())
    roles = np.concatenate([np.minimum(np.arange(size), NEGATIVE) for size in sizes])
    marks = chance.integers(0, 9, whole if name == "selector" else 0)
    return Tokens(
        ids=chance.integers(4, WORDS, whole).astype(DTYPES["ids"]),
        lengths=lengths,
        firsts=lengths // 2,
        labels=roles if name == "encoder" else chance.integers(0, 3 if name == "verdict" else 2, count),
        groups=np.repeat(np.arange(GROUPS), sizes),
        marks=marks.astype(DTYPES["marks"]),
    )
