"""Networks: attention in one kernel says the same, token vectors are moved and come back, losses of two answers."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.train.small_networks import network_of
from veritab.train.network import fuse_attention, perturbed_embeddings
from veritab.train.objectives import two_way_losses


@pytest.fixture
def network() -> Any:
    return network_of("mpnet", "verdict", fused=False)


def texts(width: int, rows: int = 3, seed: int = 0) -> dict[str, Any]:
    ids = torch.randint(4, 60, (rows, width), generator=torch.Generator().manual_seed(seed))
    mask = torch.ones_like(ids)
    mask[0, width // 2 :] = 0
    return {"input_ids": ids, "attention_mask": mask}


def test_attention_in_one_kernel_says_the_same_for_texts_of_any_length(network: Any) -> None:
    given = [texts(16), texts(48, 2, 1), texts(16, 5, 2), texts(48, 2, 3)]
    with torch.no_grad():
        wanted = [network(**each) for each in given]
        fuse_attention(network)
        found = [network(**each) for each in given]
    for one, other in zip(wanted, found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5)


def test_distances_are_looked_up_once_for_a_length(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = network.encoder.encoder
    asked: list[int] = []
    own = layers.compute_position_bias

    def counted(states: Any) -> Any:
        asked.append(states.shape[1])
        return own(states)

    monkeypatch.setattr(layers, "compute_position_bias", counted)
    fuse_attention(network)
    with torch.inference_mode():
        network(**texts(16))
    network.train()
    for width in (16, 32, 16, 32):
        network(**texts(width)).sum().backward()
    assert asked == [16, 32]
    assert not layers.compute_position_bias(torch.zeros(1, 16, 32)).is_inference()
    assert layers.relative_attention_bias.weight.grad is None
    assert layers.layer[0].attention.attn.q.weight.grad.abs().sum() > 0


def test_token_vectors_are_moved_by_so_much_and_come_back_exactly(network: Any) -> None:
    table = network.encoder.get_input_embeddings().weight
    before = {name: values.clone() for name, values in network.state_dict().items()}
    labels = torch.tensor([0, 1, 2])

    loss: Any = torch.nn.functional.cross_entropy(network(**texts(16)), labels)
    loss.backward()
    with perturbed_embeddings(network, 0.5), torch.no_grad():
        moved = table - before["encoder.embeddings.word_embeddings.weight"]
        assert float(moved.norm()) == pytest.approx(0.5)
        assert torch.nn.functional.cross_entropy(network(**texts(16)), labels) > loss
    assert all(torch.equal(values, before[name]) for name, values in network.state_dict().items())


def test_the_two_verdicts_are_told_apart_whatever_the_third_answer_is() -> None:
    logits = torch.tensor([[2.0, 0.0, 9.0], [2.0, 0.0, -9.0], [2.0, 0.0, 0.0], [2.0, 0.0, 0.0]], requires_grad=True)
    losses = two_way_losses(logits, torch.tensor([0, 0, 1, 2]))
    easy = float(torch.log1p(torch.exp(torch.tensor(-2.0))))
    assert losses.tolist() == pytest.approx([easy, easy, easy + 2, 0.0])
    (gradient,) = torch.autograd.grad(losses.sum(), logits)
    assert not gradient[:, 2].any()
    assert not gradient[3].any()
