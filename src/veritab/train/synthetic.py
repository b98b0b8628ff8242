"""Synthetic examples about a world that does not exist: enough to check that training works, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from veritab.errors import InputError
from veritab.models.candidates import CandidateText
from veritab.train.examples import EncoderExample, SelectorExample, VerdictExample

_TOWNS = ("Ardun", "Belmor", "Cestria", "Dovane", "Elgate", "Fennick", "Garlow", "Hestin")
_GOODS = ("salt", "wool", "tin", "amber", "glass", "honey", "timber", "silk")
_FRAME = "sells has no trade is the of and . , : ;"
EXAMPLES = 384


def examples(
    job: str, *, seed: int, count: int = EXAMPLES
) -> Iterator[VerdictExample | SelectorExample | EncoderExample]:
    """Statements about what towns sell."""
    makers: dict[str, Callable[[np.random.Generator], VerdictExample | SelectorExample | EncoderExample]]
    makers = {"verdict": _pair, "selector": _choice, "encoder": _triple}
    if count < 1:
        raise InputError(f"{count} synthetic examples are too few; expected 1 or more")
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield makers[job](rng)


def _picked(rng: np.random.Generator, words: tuple[str, ...], count: int) -> list[str]:
    return [words[place] for place in rng.permutation(len(words))[:count]]


def _pair(rng: np.random.Generator) -> VerdictExample:
    (town,) = _picked(rng, _TOWNS, 1)
    sold, other = _picked(rng, _GOODS, 2)
    label = int(rng.integers(3))
    evidence = (f"{town} sells {sold}.", f"{town} has no {sold}.", f"{town} is the {other} of trade.")[label]
    return VerdictExample(f"{town} sells {sold}.", evidence, label)


def _choice(rng: np.random.Generator) -> SelectorExample:
    (town,) = _picked(rng, _TOWNS, 1)
    sold, also = _picked(rng, _GOODS, 2)
    relevant, first = bool(rng.integers(2)), bool(rng.integers(2))
    said = f"trade {sold}" if relevant else sold
    cells = (said, also) if first else (also, said)
    start = len(town) + 2
    middle = start + len(cells[0]) + 2
    spans = ((start, start + len(cells[0])), (middle, middle + len(cells[1])))
    candidate = CandidateText(f"{town}: {cells[0]}; {cells[1]}.", spans)
    return SelectorExample(f"{town} sells {sold}.", candidate, relevant, (relevant and first, relevant and not first))


def _triple(rng: np.random.Generator) -> EncoderExample:
    town, other = _picked(rng, _TOWNS, 2)
    (sold,) = _picked(rng, _GOODS, 1)
    return EncoderExample(
        f"{town} sells {sold}", f"{sold} is the trade of {town}.", (f"{sold} is the trade of {other}.",)
    )


def write_tokenizer(path: Path) -> int:
    """Write a tokenizer of this world's words; the size of its vocabulary."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *_FRAME.split(), *_GOODS, *(town.lower() for town in _TOWNS)]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(path))
    return len(words)
