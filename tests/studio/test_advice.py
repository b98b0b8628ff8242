"""Writers are told what the papers ask of a claim, where it stands, and whether they may go on."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.schema import LONGEST_CLAIM
from veritab.studio.advice import FORBIDDING, AdviceCode, advise
from veritab.studio.vocabulary import FEVER_MUTATIONS, MutationType

SENTENCES = (
    "The Danube is the second-longest river in Europe, after the Volga in Russia.",
    "It flows through Central and Southeastern Europe, from the Black Forest south into the Black Sea.",
    "Its longest headstream, the Breg, rises in Furtwangen im Schwarzwald.",
    "The river passes through four capital cities.",
)


def told(claim: str, title: str = "Danube", **given: object) -> list[tuple[str, str]]:
    """What is told of a claim: codes, and the words that they are about."""
    return [
        (advice.code.value, claim[slice(*advice.span)] if advice.span else "")
        for advice in advise(claim, title=title, **given)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    "claim",
    [
        "The Danube is longer than the Rhine.",
        "Four of the ten countries on the Danube have their capital on its banks.",
        "In 2018, the Danube fell to its lowest level in Hungary since records began.",
        'The waltz "The Blue Danube" was first played in 1867.',
        "Vienna lies on the Danube, and so does Belgrade (the capital of Serbia).",
        "The Danube flows through as many capitals as the Rhine, the Elbe and the Oder together.",
        "The Danube was regulated by the U.S. Army Corps of Engineers at St. Louis.",
    ],
)
def test_a_good_claim_needs_no_advice(claim: str) -> None:
    assert told(claim, sentences=SENTENCES) == []


# -- what forbids ------------------------------------------------------------------------------------------


def test_only_what_makes_a_claim_unusable_forbids() -> None:
    assert {"empty", "too-long", "repeated", "copied"} == FORBIDDING
    assert not [advice for advice in advise("many rivers might be famous", title="Danube") if advice.forbids]


@pytest.mark.parametrize("claim", ["", "   ", "\n", ".", "…", "–?!", "ⓐ", "\ud800"])
def test_a_claim_without_words_is_empty(claim: str) -> None:
    assert told(claim) == [("empty", "")]


def test_a_claim_that_is_too_long_is_not_read_further() -> None:
    claim = "Many rivers. " * 100_000
    (advice,) = advise(claim, title="Danube")
    assert (advice.code, advice.span, advice.forbids) == (AdviceCode.TOO_LONG, (LONGEST_CLAIM, len(claim)), True)
    assert "1,300,000 characters, and 2,000 are the most" in advice.message
    fits = "The Danube flows" + " on" * 700
    assert "too-long" not in dict(told(fits[: LONGEST_CLAIM - 1] + "."))


def test_a_claim_that_repeats_another_of_the_sheet_is_refused() -> None:
    others = ["The Danube is long.", "The Rhine is short."]
    assert told("the Danube  is long", others=others)[0] == ("repeated", "")
    assert "repeated" not in dict(told("The Danube is very long.", others=others))


def test_a_sentence_of_the_highlight_is_refused_whatever_its_marks_and_capitals() -> None:
    claim = "The Danube is the second-longest river in Europe – after the Volga in Russia."
    (advice,) = advise(claim, title="Danube", sentences=SENTENCES)
    assert (advice.code, advice.forbids) == (AdviceCode.COPIED, True)


def test_what_forbids_is_told_first() -> None:
    claim = "The river passes through four capital cities"
    assert [code for code, _ in told(claim, sentences=SENTENCES)] == ["copied", "title-missing", "no-period"]


# -- what is only advised ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "claim",
    [
        "The Danube is the third-longest river in Europe, after the Volga in Russia.",
        "The Danube is the second-longest river in Europe.",
    ],
)
def test_a_sentence_with_a_word_changed_or_cut_is_nearly_copied(claim: str) -> None:
    assert told(claim, sentences=SENTENCES) == [("nearly-copied", "")]


def test_a_few_words_of_a_sentence_are_no_copy() -> None:
    assert told("The Danube passes through four capitals.", sentences=SENTENCES) == []


def test_several_sentences_are_told_from_the_second_on() -> None:
    assert told("The Danube is long. It is wide.") == [("several-sentences", "It is wide.")]
    assert told("The Danube is long\nThe Rhine is short. ") == [("several-sentences", "The Rhine is short.")]


def test_a_name_with_a_mark_ends_no_sentence() -> None:
    assert told("Jeopardy! is a quiz show of the 1960s.", title="Jeopardy!") == []


@pytest.mark.parametrize(
    ("claim", "last"), [("The Danube is long", "g"), ("The Danube is long! ", "!"), ("The Danube,", ",")]
)
def test_a_claim_ends_with_a_period(claim: str, last: str) -> None:
    assert told(claim) == [("no-period", last)]


@pytest.mark.parametrize("claim", ['The Danube inspired "The Blue Danube."', "The Danube is long (2,850 km.)"])
def test_a_period_may_stand_before_a_closing_mark(claim: str) -> None:
    assert told(claim) == []


def test_a_question_is_no_claim() -> None:
    assert told("Is the Danube long?") == [("question", "Is the Danube long?")]


@pytest.mark.parametrize(
    ("claim", "pronoun"),
    [
        ("It flows past the Danube museum.", "It"),
        ("Its source is the Danube spring.", "Its"),
        ("This bridge on the Danube is old.", "This"),
        ("In 1867, he composed The Blue Danube.", "he"),
        ("In May 1867 he composed The Blue Danube.", "he"),
        ("On the Danube, they met the ship.", "they"),
        ("Later she crossed the Danube.", "she"),
        ("We crossed the Danube in Vienna.", "We"),
    ],
)
def test_a_pronoun_that_nothing_explains_is_told(claim: str, pronoun: str) -> None:
    assert told(claim) == [("pronoun", pronoun)]


@pytest.mark.parametrize(
    "claim",
    [
        "Strauss composed The Blue Danube after he had seen it.",
        "When Trajan reached the Danube, he had a bridge built.",
        "In its upper course, the Danube is called the Breg.",
        "In World War I, the Danube was a front.",
        "I Met the Danube is a film.",
    ],
)
def test_a_pronoun_that_a_name_explains_is_not(claim: str) -> None:
    assert told(claim) == []


def test_a_page_may_be_called_like_a_pronoun() -> None:
    assert told("It is a novel of 1986.", title="It (novel)") == []
    assert told("It is a novel of 1986.", title="With") != []


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        ("The Danube has many tributaries.", "many"),
        ("The Danube has flooded several towns.", "several"),
        ("Few rivers are longer than the Danube.", "Few"),
        ("The Danube has a number of names.", "a number of"),
        ("The Danube has hundreds of tributaries.", "hundreds of"),
        ("The Danube rarely freezes.", "rarely"),
    ],
)
def test_a_vague_count_is_told(claim: str, word: str) -> None:
    assert told(claim) == [("vague-count", word)]


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The Danube is probably longer than the Rhine.", "probably"),
        ("The Danube may be longer than the Rhine.", "may"),
        ("The Danube might flood Vienna.", "might"),
        ("The Danube could be the old border.", "could be"),
        ("The Danube is said to be blue.", "is said to"),
    ],
)
def test_a_hedge_is_told(claim: str, words: str) -> None:
    assert told(claim) == [("hedge", words)]


def test_a_month_and_a_name_are_no_hedge_and_no_count() -> None:
    assert told("In May 2013 the Danube flooded Passau.") == []
    assert told("The Danube was filmed by Famous Players.") == []
    assert told("Many Rivers to Cross is a song.", title="Many Rivers to Cross") == []


def test_a_matter_of_opinion_is_told() -> None:
    assert told("The Danube is a famous river.") == [("subjective", "famous")]


@pytest.mark.parametrize(
    ("claim", "title"),
    [
        ("Berlin is the capital of a republic.", "Danube"),
        ("The 2016 final was lost.", "2017 Wimbledon"),
    ],
)
def test_a_claim_without_a_word_of_the_title_is_told(claim: str, title: str) -> None:
    assert told(claim, title=title) == [("title-missing", "")]


@pytest.mark.parametrize(
    ("claim", "title"),
    [
        ("Italian wine is old.", "Italy"),
        ("The French coast is long.", "France"),
        ("JFK was born in 1917.", "John F. Kennedy"),
        ("The planet Mercury has no moon.", "Mercury (planet)"),
        ("Málaga is a port.", "Malaga"),
        ("The Who played in 1970.", "The Who"),
        ("Berlin is a city.", ""),
    ],
)
def test_a_title_may_be_varied(claim: str, title: str) -> None:
    assert told(claim, title=title) == []


def test_small_letters_are_told_where_a_name_begins_with_a_capital() -> None:
    assert told("danube water is cold.") == [("small-letter", "danube")]
    assert told("The Danube is shorter than the volga.", sentences=SENTENCES) == [("small-letter", "volga")]
    assert told("The work of alan Turing is old.", title="Alan Turing") == []  # a title's first word always has one
    assert told("The work of Alan turing is old.", title="Alan Turing") == [("small-letter", "turing")]
    assert told("iPhone and Danube are names.") == []
    assert told("13th on the list is the Danube.") == []


# -- negations ---------------------------------------------------------------------------------------------


def test_every_not_and_its_kin_is_marked_in_a_negation() -> None:
    claim = "The Danube isn't long, was not wide and has never had no water, nor can’t freeze."
    found = told(claim, mutation=MutationType.NEGATION)
    assert found == [("plain-negation", word) for word in ("isn't", "not", "never", "no", "nor", "can’t")]


@pytest.mark.parametrize("mutation", [each for each in FEVER_MUTATIONS if each is not MutationType.NEGATION])
def test_not_is_marked_in_negations_only(mutation: MutationType) -> None:
    assert told("The Danube is not long.", mutation=mutation) == told("The Danube is not long.") == []


def test_a_negation_without_not_is_fine() -> None:
    assert told("The Danube dries up in summer.", mutation=MutationType.NEGATION) == []


# -- whatever is typed -------------------------------------------------------------------------------------


@given(st.text(max_size=80), st.text(max_size=12), st.lists(st.text(max_size=40), max_size=4))
def test_whatever_is_typed_spans_lie_inside_the_claim(claim: str, title: str, sentences: list[str]) -> None:
    for advice in advise(claim, title=title, sentences=sentences, others=sentences, mutation=MutationType.NEGATION):
        assert advice.message.endswith((".", "?"))
        if advice.span:
            start, end = advice.span
            assert 0 <= start < end <= len(claim)


@pytest.mark.parametrize(
    "claim",
    ["The Danube is longer than the Rhine, the Elbe, the Oder and the Weser, but shorter than the Volga.", "a " * 999],
)
def test_advice_comes_as_fast_as_somebody_types(claim: str) -> None:
    fastest = 1.0
    for _ in range(20):
        start = time.process_time()
        advise(claim, title="A", sentences=SENTENCES, others=[claim + "x"] * 5)
        fastest = min(fastest, time.process_time() - start)
    assert fastest < 0.05  # about 3 ms on an idle machine; half a second is what a page waits after the last key
