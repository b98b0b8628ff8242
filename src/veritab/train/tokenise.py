"""Examples become token ids, truncated as the runtime does: the claim stays whole, the evidence loses its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from veritab.errors import FormatError, NotFound
from veritab.models.candidates import clean_candidate, span_tokens
from veritab.models.pair_tokens import PairTokenizer, clean
from veritab.train.examples import EncoderExample, SelectorExample, VerdictExample
from veritab.train.tokens import DTYPES, MOST_CELLS, NEGATIVE, POSITIVE, QUERY, Tokens, concatenate

Item = TypeVar("Item")
_AT_ONCE = 4096


class Tokeniser:
    """Turns examples into token ids for one encoder."""

    def __init__(self, path: Path, max_length: int) -> None:
        from tokenizers import Tokenizer

        if not path.is_file():
            raise NotFound(f"no tokenizer.json in {str(path.parent)!r}; a base is a folder that transformers opens")
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises nothing more exact
            raise FormatError(f"{str(path)!r} is not a tokenizer; copy it again: {error}") from None
        if self._tokenizer.get_vocab_size() > np.iinfo(DTYPES["ids"]).max + 1:
            raise FormatError(f"{str(path)!r} knows more tokens than fit 16 bits; take a base with a smaller one")
        self._pairs_of = PairTokenizer(self._tokenizer, max_length)
        # Files often carry the cut and the padding of their training.
        self._alone = Tokenizer.from_str(self._tokenizer.to_str())
        self._alone.no_padding()
        self._alone.enable_truncation(max_length)

    def verdict(self, pairs: Iterable[VerdictExample]) -> Tokens:
        """Claims beside their evidence."""
        return concatenate(self._pairs(pairs))

    def selector(self, choices: Iterable[SelectorExample]) -> Tokens:
        """Claims beside candidates; those of one claim are a group."""
        return concatenate(self._choices(choices))

    def encoder(self, triples: Iterable[EncoderExample]) -> Tokens:
        """Queries and passages, each alone; a query with its passages is a group."""
        return concatenate(self._triples(triples))

    def _pairs(self, pairs: Iterable[VerdictExample]) -> Iterator[Tokens]:
        for some in _batches(pairs, _AT_ONCE):
            read = self._pairs_of.encode([(pair.claim, pair.evidence) for pair in some])
            yield _tokens(read, [pair.label for pair in some], range(len(some)))

    def _choices(self, choices: Iterable[SelectorExample]) -> Iterator[Tokens]:
        grouped = (list(own) for _, own in groupby(choices, lambda choice: choice.claim))
        for some in _batches(grouped, _AT_ONCE // 16):
            flat = [choice for own in some for choice in own]
            groups = [number for number, own in enumerate(some) for _ in own]
            read = self._pairs_of.encode([(choice.claim, clean_candidate(choice.candidate).text) for choice in flat])
            marks = [_marks(encoding, choice) for encoding, choice in zip(read, flat, strict=True)]
            yield _tokens(read, [int(choice.relevant) for choice in flat], groups, marks)

    def _triples(self, triples: Iterable[EncoderExample]) -> Iterator[Tokens]:
        for some in _batches(triples, _AT_ONCE // 4):
            texts = [(triple.query, triple.positive, *triple.negatives) for triple in some]
            roles = [min(place, NEGATIVE) for own in texts for place in range(len(own))]
            groups = [number for number, own in enumerate(texts) for _ in own]
            assert (QUERY, POSITIVE) == (0, 1)
            read = self._alone.encode_batch([clean(text) for own in texts for text in own])
            yield _tokens(read, roles, groups)


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def _marks(encoding: Any, choice: SelectorExample) -> NDArray[np.uint8]:
    """Which cell of the candidate each token lies in, and whether that cell is relevant."""
    marks = np.zeros(len(encoding.ids), dtype=np.uint8)
    spans = span_tokens(encoding, clean_candidate(choice.candidate).spans)
    for number, (places, relevant) in enumerate(zip(spans[:MOST_CELLS], choice.cells, strict=False), 1):
        marks[places] = 2 * number + relevant
    return marks


def _tokens(
    read: Sequence[Any],
    labels: Sequence[int],
    groups: Sequence[int],
    marks: Sequence[NDArray[np.uint8]] | None = None,
) -> Tokens:
    ids = [encoding.ids for encoding in read]
    lengths = np.array([len(row) for row in ids], dtype=np.uint16)
    flat = np.fromiter((number for row in ids for number in row), dtype=np.uint16, count=int(lengths.sum()))
    firsts = [len(types) - sum(types) for types in (encoding.type_ids for encoding in read)]
    return Tokens(
        flat,
        lengths,
        np.array(firsts, dtype=np.uint16),
        np.array(labels, dtype=np.uint8),
        np.array(groups, dtype=np.int64),
        np.concatenate(marks) if marks else np.zeros(0, dtype=np.uint8),
    )
