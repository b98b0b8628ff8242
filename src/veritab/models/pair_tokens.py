"""Tokenisation of pairs: the claim first, the evidence second, within the window of a model.

The claim is kept whole as long as it leaves 64 tokens of the window, of which the template takes a few; the second text
is truncated at its end. Training and inference truncate alike because both use this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veritab.text import nfc, printable

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# What a claim leaves of the window, and what the longest of the usual templates takes of that.
_LEFT = 64
_ADDED = 4
# A text this long has more tokens than fit, unless it is hardly text; reading on would only take time.
_CHARACTERS_PER_TOKEN = 40


def most_characters(max_length: int) -> int:
    """How many characters of a text a model with this window reads at most."""
    return max_length * _CHARACTERS_PER_TOKEN


def room_beside(claim: int, max_length: int, added: int = _ADDED) -> int:
    """How many tokens of a second text fit beside a claim of `claim` tokens; a claim that is too long is truncated.

    `added` are the special tokens of the template.
    """
    whole = max_length - added
    return max(whole - claim, min(_LEFT - added, whole - whole // 2))


def claim_room(max_length: int, added: int = _ADDED) -> int:
    """How many tokens of a claim are read; the rest is truncated."""
    return max_length - added - room_beside(max_length, max_length, added)


def clean(text: str) -> str:
    """A text in the form the store has it; tokenizers refuse lone surrogates."""
    return nfc(printable(text))


class PairTokenizer:
    """Tokenises pairs by the tokenizer's own template; thread-safe, as it has no state."""

    def __init__(self, tokenizer: Tokenizer, max_length: int) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length, strategy="only_second")
        self._tokenizer = tokenizer
        added = tokenizer.num_special_tokens_to_add(is_pair=True)
        self._claim_room = claim_room(max_length, added)
        self._most_characters = most_characters(max_length)

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[Encoding]:
        """The tokens of each pair, in their order."""
        claims = {claim: self._fitting(claim) for claim, _ in pairs}
        tokens: list[Encoding] = self._tokenizer.encode_batch(
            [(claims[claim], clean(text[: self._most_characters])) for claim, text in pairs]
        )
        return tokens

    def length(self, text: str) -> int:
        """How many tokens a text has, without special tokens; a lower bound for a very long one."""
        return len(self._offsets(clean(text[: self._most_characters])))

    def _fitting(self, claim: str) -> str:
        """A claim as far as it fits; truncated at the end of a token, again where that changed the last tokens."""
        text = clean(claim[: self._most_characters])
        while len(offsets := self._offsets(text)) > self._claim_room:
            text = text[: min(offsets[self._claim_room - 1][1], len(text) - 1)]
        return text

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        """The offsets of all tokens of a text; encoded as a second text, since only those are truncated."""
        found = self._tokenizer.encode("", text, add_special_tokens=False)
        return [place for part in (found, *found.overflowing) for place in part.offsets]
