"""Pairs of texts become tokens: a claim first, what is read beside it second, within the window of a model.

The claim is kept whole as long as it leaves 64 tokens of the window, of which the template takes a few; the second text
is cut at its end. Training and running cut alike because both come here.
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
    """How much of a text is looked at by a model with a window of so many tokens."""
    return max_length * _CHARACTERS_PER_TOKEN


def room_beside(claim: int, max_length: int, added: int = _ADDED) -> int:
    """How many tokens of a second text fit beside a claim of so many, of which what is too long is cut.

    `added` are the tokens of the template.
    """
    whole = max_length - added
    return max(whole - claim, min(_LEFT - added, whole - whole // 2))


def clean(text: str) -> str:
    """A text in the form the store has it; a lone surrogate is more than a tokenizer can take."""
    return nfc(printable(text))


class PairTokenizer:
    """Tokenises pairs by the tokenizer's own template for them; thread-safe, as it changes nothing."""

    def __init__(self, tokenizer: Tokenizer, max_length: int) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length, strategy="only_second")
        self._tokenizer = tokenizer
        added = tokenizer.num_special_tokens_to_add(is_pair=True)
        self._claim_room = max_length - added - room_beside(max_length, max_length, added)
        self._most_characters = most_characters(max_length)

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[Encoding]:
        """The tokens of each pair, in their order."""
        claims = {claim: self._fitting(claim) for claim, _ in pairs}
        tokens: list[Encoding] = self._tokenizer.encode_batch(
            [(claims[claim], clean(text[: self._most_characters])) for claim, text in pairs]
        )
        return tokens

    def length(self, text: str) -> int:
        """How many tokens a text has, without those that the template adds; a very long one has at least so many."""
        return len(self._offsets(clean(text[: self._most_characters])))

    def _fitting(self, claim: str) -> str:
        """A claim as far as it fits; cut where a token ends, and again where that made other tokens of its end."""
        text = clean(claim[: self._most_characters])
        while len(offsets := self._offsets(text)) > self._claim_room:
            text = text[: min(offsets[self._claim_room - 1][1], len(text) - 1)]
        return text

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        """Where the tokens of a text lie in it, all of them; as the tokenizer cuts second texts only, it is one."""
        found = self._tokenizer.encode("", text, add_special_tokens=False)
        return [place for part in (found, *found.overflowing) for place in part.offsets]
