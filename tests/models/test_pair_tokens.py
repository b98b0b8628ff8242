"""Two texts share the window of a model: the claim stays whole, the evidence loses its end."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from veritab.models.pair_tokens import PairTokenizer, room_beside


def tokenizer() -> Tokenizer:
    made = Tokenizer(WordLevel({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "c": 3, "e": 4}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.enable_padding(length=9)
    return made


@pytest.mark.parametrize(
    ("claim", "evidence", "kept"),
    [
        (5, 10, (5, 10)),
        (5, 500, (5, 120)),
        (64, 500, (64, 61)),
        (65, 1, (64, 1)),
        (500, 500, (64, 61)),
        (500, 0, (64, 0)),
        (0, 0, (0, 0)),
    ],
)
def test_the_claim_keeps_all_but_64_tokens_of_the_window(claim: int, evidence: int, kept: tuple[int, int]) -> None:
    (read,) = PairTokenizer(tokenizer(), 128).encode([("c " * claim, "e " * evidence)])
    assert (read.ids.count(3), read.ids.count(4)) == kept
    assert read.ids == [1, *[3] * kept[0], 2, *[4] * kept[1], 2]
    assert read.type_ids[-1] == 1


def test_in_a_small_window_the_claim_has_half() -> None:
    (read,) = PairTokenizer(tokenizer(), 16).encode([("c " * 50, "e " * 50)])
    assert read.ids == [1, *[3] * 6, 2, *[4] * 7, 2]


@pytest.mark.parametrize("window", [8, 16, 17, 96, 128, 129])
@pytest.mark.parametrize("claim", [0, 5, 64, 65, 500])
def test_the_room_that_is_told_is_the_room_there_is(window: int, claim: int) -> None:
    (read,) = PairTokenizer(tokenizer(), window).encode([("c " * claim, "e " * 500)])
    assert read.ids.count(4) == room_beside(claim, window, added=3)


def test_the_length_of_a_text_counts_no_special_tokens_and_is_not_cut() -> None:
    pairs = PairTokenizer(tokenizer(), 16)
    assert [pairs.length(text) for text in ("", "e", "e " * 50, "\ud800e\x00")] == [0, 1, 50, 1]


@pytest.mark.parametrize("text", ["e " * 500_000, "x" * 1_000_000, "é̂" * 500_000, "\x00" * 1_000_000, "漢" * 1_000_000])
def test_a_million_characters_are_cut_to_what_the_model_reads(text: str) -> None:
    pairs = PairTokenizer(tokenizer(), 128)
    (read,) = pairs.encode([(text, text)])
    assert pairs.length(text) <= 40 * 128
    assert len(read.ids) <= 128


@pytest.mark.parametrize(
    "text", ["", " ", "\ud800", "\x00\x1b[31m", "שלום עולם", "日本語", "🦉" * 9, "a\u0301" * 40, "\t\n"]
)
def test_any_text_has_tokens_or_none(text: str) -> None:
    for read in PairTokenizer(tokenizer(), 16).encode([(text, "e"), ("c", text), (text, text)]):
        assert 3 <= len(read.ids) <= 16
