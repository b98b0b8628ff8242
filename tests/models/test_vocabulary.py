"""The words that everybody knows."""

from __future__ import annotations

import pytest

from veritab.models import vocabulary


@pytest.mark.parametrize(
    ("word", "is_common"), [("iran", True), ("island", True), ("einstien", False), ('a"b', False), ("", False)]
)
def test_common_words_are_those_with_a_token_of_their_own(word: str, is_common: bool) -> None:
    assert vocabulary.is_common_word(word) is is_common


def test_an_installation_without_models_knows_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "shipped", dict)
    vocabulary._tokenizer.cache_clear()
    assert not vocabulary.is_common_word("iran")
    vocabulary._tokenizer.cache_clear()
