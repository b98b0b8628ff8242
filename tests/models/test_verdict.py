"""Claims are judged beside their evidence, by a model whose sums can be done by hand."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.tiny import (
    LABELS,
    WEIGHTS,
    make_encoder,
    make_selector,
    make_verdict,
    with_card,
    write_four_bits,
    write_pair_model,
)
from veritab.errors import FormatError, InputError, NotFound
from veritab.models.verdict import VerdictModel
from veritab.schema import Label

PAIRS = [("one two", "minus"), ("one", ""), ("half half half half", "one two minus"), ("", "two two")]
SUMS = [1.5, 1.0, 3.5, 4.0]


def logits(folder: Path, pairs: Sequence[tuple[str, str]] = PAIRS, **options: Any) -> Any:
    return VerdictModel.open(folder, **options).logits(pairs)


def test_each_pair_gets_the_logits_of_the_three_labels_in_the_order_of_pairs(tmp_path: Path) -> None:
    found = logits(make_verdict(tmp_path), threads=1, batch_size=2)
    np.testing.assert_array_equal(found, np.outer(SUMS, [1, 2, 3]))
    assert found.dtype == np.float32


def test_no_pairs_give_no_rows_and_open_nothing(tmp_path: Path) -> None:
    folder = make_verdict(tmp_path)
    (folder / "model.onnx").write_bytes(b"")
    assert logits(folder, []).shape == (0, 3)


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (LABELS, [1, 2, 3]),
        (("NOT ENOUGH INFO", "REFUTES", "SUPPORTS"), [3, 2, 1]),
        (("REFUTES", "NOT ENOUGH INFO", "SUPPORTS"), [3, 1, 2]),
    ],
)
def test_columns_come_in_one_order_whatever_that_of_the_model(
    tmp_path: Path, labels: Sequence[str], columns: list[int]
) -> None:
    folder = make_verdict(tmp_path, labels, stored=",".join(labels))
    np.testing.assert_array_equal(logits(folder, [("one", "")]), [columns])
    assert VerdictModel.open(folder).card.labels == tuple(map(Label, labels))


@pytest.mark.parametrize("rounded", [False, True])
def test_a_row_does_not_depend_on_the_pairs_beside_it(tmp_path: Path, rounded: bool) -> None:
    folder = make_verdict(tmp_path, rounded=rounded) if not rounded else make_rounded(tmp_path)
    rng = np.random.default_rng(0)
    words = ["one", "two", "minus", "half"]
    texts = [" ".join(rng.choice(words, size=size)) for size in rng.integers(1, 40, size=60)]
    pairs = list(zip(texts[:30], texts[30:], strict=True))
    model = VerdictModel.open(folder)
    alone = np.concatenate([model.logits([pair]) for pair in pairs])
    np.testing.assert_array_equal(model.logits(pairs), alone)
    np.testing.assert_array_equal(model.logits(pairs[::-1]), alone[::-1])
    np.testing.assert_array_equal(VerdictModel.open(folder, threads=1).logits(pairs), alone)
    if rounded:
        assert (VerdictModel.open(folder, batch_size=30).logits(pairs) != alone).any()


def test_with_weights_of_four_bits_and_sums_over_words_a_row_still_stands_alone(tmp_path: Path) -> None:
    write_four_bits(tmp_path, hidden=64)
    folder = with_card(tmp_path, job="verdict", labels=list(LABELS))
    pairs = [("one two half " * (1 + n % 5), "minus two " * (1 + n % 13)) for n in range(70)]
    model = VerdictModel.open(folder)
    alone = np.concatenate([model.logits([pair]) for pair in pairs])
    np.testing.assert_array_equal(model.logits(pairs), alone)
    np.testing.assert_allclose(VerdictModel.open(folder, batch_size=32).logits(pairs), alone, atol=1e-4)
    assert len(np.unique(alone, axis=0)) > 30


def test_batches_hold_pairs_of_about_the_same_length(tmp_path: Path) -> None:
    model = VerdictModel.open(make_verdict(tmp_path), batch_size=4)
    pairs = [("one", "two " * count) for count in (1, 90, 2, 80, 3, 85, 4, 95)]
    batches = [batch.places for batch in model._session().run_tokens(model._pairs().encode(pairs), ("logits",))]
    assert batches == [[0, 2, 4, 6], [3, 5, 1, 7]]
    np.testing.assert_array_equal(model.logits(pairs)[:, 0], [1 + 2 * text.count("two") for _, text in pairs])


def make_rounded(folder: Path) -> Path:
    """A model that rounds by the largest number in its batch, with weights that show it."""
    table = np.random.default_rng(1).normal(size=(len(WEIGHTS), 3)).astype(np.float32)
    write_pair_model(folder, table, "logits", rounded=True)
    return with_card(folder, job="verdict", labels=list(LABELS))


def test_a_pair_on_which_the_model_breaks_down_says_nothing_and_the_log_tells(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = logits(make_verdict(tmp_path), [("one", "break"), ("one", "two")])
    np.testing.assert_array_equal(found, [[0, 0, 0], [3, 6, 9]])
    assert "gives no number for 1 of 2 pairs" in caplog.text


@pytest.mark.parametrize(
    "text", ["", " ", "\ud800", "\x00\x1b[31m", "שלום עולם", "日本語の文", "🦉" * 9, "one " * 250_000, "x" * 1_000_000]
)
def test_whatever_is_given_three_finite_numbers_come(tmp_path: Path, text: str) -> None:
    model = VerdictModel.open(make_verdict(tmp_path), threads=1)
    model.load()
    found = model.logits([(text, "one"), ("one", text), (text, text)])
    assert np.isfinite(found).all()


def test_two_threads_share_a_model_and_get_what_one_gets(tmp_path: Path) -> None:
    folder = make_verdict(tmp_path)
    wanted = logits(folder, PAIRS * 20)
    model = VerdictModel.open(folder)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(model.logits, [PAIRS * 20] * 16):
            np.testing.assert_array_equal(found, wanted)


def test_the_card_says_how_much_is_read(tmp_path: Path) -> None:
    folder = with_card(make_verdict(tmp_path), job="verdict", labels=list(LABELS), max_length=130)
    model = VerdictModel.open(folder)
    assert (model.max_length, model.length("one two " * 100)) == (130, 200)
    np.testing.assert_array_equal(model.logits([("one", "two " * 999)]), [[257, 514, 771]])


# -- what is refused ---------------------------------------------------------------------------------------


def test_opening_reads_the_card_and_first_use_the_files(tmp_path: Path) -> None:
    folder = make_verdict(tmp_path)
    (folder / "model.onnx").write_bytes(b"something else")
    model = VerdictModel.open(folder)
    for use in (model.load, lambda: model.logits(PAIRS), lambda: model.length("one")):
        with pytest.raises(FormatError, match=r"model\.onnx' is not the file its card describes: expected sha256"):
            use()


def test_weights_that_are_no_model_are_told(tmp_path: Path) -> None:
    folder = make_verdict(tmp_path)
    (folder / "model.onnx").write_bytes(b"something else")
    with_card(folder, job="verdict", labels=list(LABELS))
    with pytest.raises(FormatError, match="is not a model that onnxruntime can run; copy it again"):
        VerdictModel.open(folder).load()


def test_a_model_with_another_order_of_labels_than_its_card_is_refused(tmp_path: Path) -> None:
    folder = make_verdict(tmp_path, stored="REFUTES,SUPPORTS,NOT ENOUGH INFO")
    message = r"expected 'SUPPORTS,REFUTES,NOT ENOUGH INFO' by the card, found 'REFUTES,SUPPORTS,NOT ENOUGH INFO' in"
    with pytest.raises(FormatError, match=message):
        logits(folder)


def test_a_model_of_another_job_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds a model for 'selector', not for 'verdict'"):
        VerdictModel.open(make_selector(tmp_path))
    folder = with_card(make_encoder(tmp_path / "encoder"), job="verdict", labels=list(LABELS))
    with pytest.raises(FormatError, match="last_hidden_state of 3; a model for 'verdict' gives 'logits' of 2"):
        logits(folder)


def test_a_model_with_two_logits_is_refused(tmp_path: Path) -> None:
    write_pair_model(tmp_path, np.ones((len(WEIGHTS), 2), np.float32), "logits")
    with_card(tmp_path, job="verdict", labels=list(LABELS))
    with pytest.raises(FormatError, match="gives 2 logits for a pair and its card names 3 labels"):
        logits(tmp_path)


def test_a_tokenizer_of_another_model_is_told_and_does_not_crash(tmp_path: Path) -> None:
    folder = make_verdict(tmp_path)
    write_pair_model(folder, np.ones((4, 3), np.float32), "logits")
    with_card(folder, job="verdict", labels=list(LABELS))
    with pytest.raises(FormatError, match=r"cannot run on \d tokens"):
        logits(folder)


def test_too_few_threads_and_no_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0 threads are too few"):
        VerdictModel.open(make_verdict(tmp_path), threads=0)
    with pytest.raises(InputError, match="0 pairs in a batch are too few"):
        VerdictModel.open(tmp_path, batch_size=0)
    with pytest.raises(NotFound, match="no model in"):
        VerdictModel.open(tmp_path / "nowhere")
