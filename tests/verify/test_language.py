"""Claims in other languages are told from English ones, and mere letters from words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.verify.foreign import FOREIGN
from veritab import datasets
from veritab.schema import Claim, Evidence, Label, Reason
from veritab.verify.decide import NOT_A_STATEMENT, find_unsettled
from veritab.verify.judge import judge
from veritab.verify.language import find_language, is_gibberish, is_latin, is_word_list

_SENTENCES = [(name, text) for name, texts in FOREIGN.items() for text in texts.splitlines()]
_WRITTEN = Path(__file__).parents[2] / "examples" / "written" / "dev.jsonl.gz"
_SHORTEST = 6


def test_of_sentences_of_six_words_or_more_at_least_95_of_100_are_caught() -> None:
    long = [text for _, text in _SENTENCES if len(text.split()) >= _SHORTEST]
    caught = [text for text in long if find_language(text)]
    assert len(long) > 100
    assert len(caught) >= 0.95 * len(long)


def test_nine_of_ten_that_are_caught_are_called_by_the_name_of_their_language() -> None:
    caught = [(name, find_language(text)) for name, text in _SENTENCES if name != "others" and find_language(text)]
    assert sum(name == found for name, found in caught) >= 0.9 * len(caught)


def test_no_claim_of_the_almanac_or_of_the_written_claims_is_taken_for_another_language_or_for_mere_letters() -> None:
    with gzip.open(_WRITTEN, "rt", encoding="utf-8") as lines:
        claims = [json.loads(line)["claim"] for line in lines]
    claims += [example.claim.text for name in ("claims", "reasoning") for example in datasets.load(f"almanac/{name}")]
    assert len(claims) > 1500
    assert [claim for claim in claims if find_language(claim) or is_gibberish(claim) or is_word_list(claim)] == []


@pytest.mark.parametrize(
    "claim",
    [
        "Rio de Janeiro is in Brazil.",
        "La La Land won six Oscars.",
        "Los Angeles lies in the south of California.",
        "La vita è bella was directed by Roberto Benigni.",
        "Oscar de la Hoya quit boxing.",
        "Der Spiegel is a magazine from Hamburg.",
        "Le Monde and Die Zeit are newspapers.",
        "italy won the world cup",
        "K2 8611 m",
    ],
)
def test_english_claims_with_foreign_names_are_english(claim: str) -> None:
    assert find_language(claim) == ""


@pytest.mark.parametrize("text", ["asdf qwer zxcv", "fjdksl fjdkslf kdlsfjdk", "aaaa bbbb", "hkjh kjhkjh is kjhkjh"])
def test_keys_hit_at_random_are_no_words(text: str) -> None:
    assert is_gibberish(text)


@pytest.mark.parametrize(
    "text", ["K2", "NASA and the BBC", "Kshmr is an American DJ.", "The Schwarzschild radius.", ""]
)
def test_names_and_abbreviations_are_words(text: str) -> None:
    assert not is_gibberish(text)


@pytest.mark.parametrize(
    "text",
    ["Everest mountain height metres", "table chair lamp house", "is was were are", "The of and to in a is that."],
)
def test_words_without_a_verb_or_without_anything_else_are_no_statement(text: str) -> None:
    assert is_word_list(text)
    assert find_unsettled(Claim("", text), Evidence.of(())) == NOT_A_STATEMENT


@pytest.mark.parametrize(
    "text", ["italy won world cup", "Чай горячий", "Celine Dion sings.", "Everest higher than K2", "mammals have hair"]
)
def test_few_words_may_state_something(text: str) -> None:
    assert not is_word_list(text)


def test_a_script_is_told_by_most_letters() -> None:
    assert is_latin("Žižek met Στέφανος in Ljubljana")
    assert not is_latin("Эверест выше K2")


# -- at the doors ------------------------------------------------------------------------------------------


def test_a_claim_in_another_language_is_not_enough_info_and_the_reason_names_it() -> None:
    verdict = judge("Der Mount Everest ist höher als der K2.", "Mount Everest is higher than K2.", model=None)
    assert verdict.certificate.unsettled is not None
    assert verdict.certificate.unsettled.reason is Reason.OTHER_LANGUAGE
    assert verdict.label is Label.NOT_ENOUGH_INFO
    assert verdict.confidence == 0.5
    assert "German" in verdict.reasoning[0]
    assert "English" in verdict.reasoning[0]


def test_whoever_reads_other_languages_is_asked() -> None:
    claim = Claim("", "Der Mount Everest ist höher als der K2")
    evidence = Evidence.of(())
    assert getattr(find_unsettled(claim, evidence), "reason", None) is Reason.OTHER_LANGUAGE
    assert getattr(find_unsettled(claim, evidence, english=False), "reason", None) is Reason.NO_EVIDENCE


@pytest.mark.parametrize(
    "nonsense",
    [
        "asdf qwer zxcv",
        "!!!",
        "lorem ipsum",
        "Lorem ipsum dolor sit amet.",
        "12345",
        "apple pear plum",
        "qwertyuiop",
        "🙂",
    ],
)
def test_nonsense_is_not_enough_info_without_certainty(nonsense: str) -> None:
    verdict = judge(nonsense, "Mount Everest is higher than K2.", model=None)
    assert verdict.label is Label.NOT_ENOUGH_INFO
    assert verdict.confidence == 0.5
    assert verdict.reasoning
