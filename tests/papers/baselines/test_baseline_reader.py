"""The reader that answers true or false, on a tiny model made here."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("transformers", reason="training needs transformers")

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

from tests.train.synthetic_pairs import COLOURS, NAMES, PLACES, by_evidence, losses
from veritab.errors import InputError, NotFound
from veritab.papers import baselines
from veritab.papers.baselines import reader
from veritab.papers.baselines.measures import FitProgress, finish, two_way
from veritab.train.examples import VerdictExample


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small networks wait for each other's threads longer than they work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a small model of BART's kind that knows nothing yet."""
    folder = tmp_path_factory.mktemp("tiny")
    words = ["<s>", "<pad>", "</s>", "<unk>", "true", "false", "never", "lives", "lived", "in", "a", "house", "."]
    vocabulary = {word: number for number, word in enumerate([*words, *NAMES, *PLACES, *COLOURS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    ).save_pretrained(folder)
    small: dict[str, Any] = {
        f"{side}_{part}": value for side in ("encoder", "decoder") for part, value in LAYERS.items()
    }
    config = BartConfig(vocab_size=len(vocabulary), d_model=32, max_position_embeddings=128, dropout=0.0, **small)
    torch.manual_seed(0)
    BartForConditionalGeneration(config).save_pretrained(folder)
    return folder


LAYERS = {"layers": 1, "ffn_dim": 64, "attention_heads": 2}
READER: dict[str, Any] = {"batch": 16, "rate": 5e-3, "warm_up": 5, "epochs": 8, "max_length": 64}


def answered(count: int, seed: int = 0) -> list[VerdictExample]:
    return [pair for pair in by_evidence(count, seed) if pair.label < 2]


def test_the_reader_learns_to_say_true_and_false(tiny: Path) -> None:
    told: list[FitProgress] = []

    def listened() -> Generator[FitProgress, None, reader.Seq2SeqReader]:
        steps = reader.steps(answered(240), reader.ReaderConfig(base=str(tiny), **READER))
        while True:
            try:
                told.append(next(steps))
            except StopIteration as end:
                model: reader.Seq2SeqReader = end.value
                return model
            yield told[-1]

    model = finish(listened())
    found = losses(told)
    assert found[-1] < 0.5 * found[0]
    pairs = answered(90, seed=1)
    assert two_way([pair.label for pair in pairs], model.scores(pairs)).accuracy > 0.9


def test_the_reader_comes_back_from_its_folder_and_is_the_same_every_time(tiny: Path, tmp_path: Path) -> None:
    asked = {**READER, "epochs": 1, "fit_gamma": True, "held_out": 0.3}
    one, other = (baselines.fit("reader", by_evidence(60), base=str(tiny), **asked) for _ in range(2))
    pairs = by_evidence(20, seed=1)
    assert one.scores(pairs) == other.scores(pairs)
    one.save(tmp_path)
    again = baselines.load(tmp_path)
    assert again.scores(pairs) == one.scores(pairs)
    assert all(row[2] == 0 for row in again.scores(pairs))


def test_the_reader_is_given_the_claim_and_the_first_passages(tiny: Path) -> None:
    model = reader.Seq2SeqReader(reader.ReaderConfig(passages=2, passage_words=4), *reader._opened(tiny))
    evidence = "Ada lives in Rome. Bert lives there. Carl does not. Dora does."
    read = model.text(VerdictExample("A claim", evidence, 0))
    assert read == "A claim </s> Ada lives in Rome. </s> Bert lives there."
    assert model.text(VerdictExample("A claim", "", 0)) == "A claim"


def test_the_reader_leaves_out_what_is_not_enough_where_it_is_told_to(tiny: Path) -> None:
    with pytest.raises(InputError, match="no pairs"):
        baselines.fit("reader", [VerdictExample("a", "b", 2)], base=str(tiny), not_enough="out")
    with pytest.raises(InputError, match='expected "refuted" or "out"'):
        baselines.fit("reader", [VerdictExample("a", "b", 2)], base=str(tiny), not_enough="maybe")


def test_gamma_moves_the_threshold_as_the_paper_says() -> None:
    raised = np.exp([0.3 + 0.5, 0.7])
    assert reader.with_gamma(0.3, 0.5) == pytest.approx(raised[0] / raised.sum())
    assert reader.with_gamma(0.5, 0.0) == 0.5


def test_the_best_gamma_is_the_one_with_most_claims_right() -> None:
    shares, truth = [0.1, 0.3, 0.35, 0.4], [False, False, True, True]
    gamma = reader.best_gamma(shares, truth)
    assert [reader.with_gamma(share, gamma) > 0.5 for share in shares] == truth
    assert reader.best_gamma([0.2, 0.8], [False, True]) == 0
    assert -1 < reader.best_gamma([1.0, 1.0], [False, False]) < 1
    assert -1 < reader.best_gamma([0.0, 0.5], [True, True]) < 1


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no config\.json"):
        baselines.fit("reader", by_evidence(3), base=str(tmp_path))
