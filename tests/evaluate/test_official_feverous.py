"""FEVEROUS's score beside the official program itself, on predictions made up by the hundred."""

from __future__ import annotations

import random
from copy import deepcopy
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from veritab.errors import InputError
from veritab.evaluate.official import OfficialScores, feverous_groups, feverous_outcomes, feverous_score, triple

REASON = "the official scorer is not installed; pip install --no-deps feverous==0.54"


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    module = pytest.importorskip("feverous.evaluation.feverous_scorer", reason=REASON)
    assert isinstance(module, ModuleType)
    return module


def official(scorer: ModuleType, records: Any, actual: Any, budgets: dict[str, Any]) -> Any:
    """What the official program says; the name of its error where it has none."""
    try:
        return scorer.feverous_score(deepcopy(records), deepcopy(actual), **budgets)
    except (ZeroDivisionError, AssertionError) as error:
        return type(error)


def ours(records: Any, actual: Any, budgets: dict[str, Any]) -> Any:
    """The same of ours, where a missing F1 is a division by zero there."""
    before = deepcopy((records, actual))
    try:
        score = feverous_score(records, actual, **budgets)
        return ZeroDivisionError if score.f1 is None else tuple(score)
    except InputError as error:
        return ZeroDivisionError if "no predictions" in str(error) else AssertionError
    finally:
        assert (records, actual) == before, "nothing that is given is changed"


kinds = st.sampled_from(["sentence", "cell", "header_cell", "item", "table_caption", "title", "section", "unheard-of"])
pieces = st.tuples(st.sampled_from(["A", "B", "Zürich"]), kinds, st.sampled_from(["0", "1", "1_2_0"])).map(list)
odd_pieces = st.one_of(pieces, pieces.map(tuple), st.just(["A", "sentence", 0]), st.just(["A", "cell"]))
labels = st.sampled_from(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO", "supports"])
gold = st.fixed_dictionaries(
    {"label": labels, "evidence": st.lists(st.lists(pieces, max_size=4), max_size=3)},
)
budgets = st.fixed_dictionaries(
    {},
    optional={
        "max_evidence": st.one_of(st.none(), st.integers(0, 4)),
        "max_evidence_cell": st.one_of(st.none(), st.integers(0, 4)),
    },
)


@st.composite
def claims(draw: st.DrawFn, piece: st.SearchStrategy[Any] = pieces) -> tuple[dict[str, Any], dict[str, Any]]:
    """A prediction and its gold; most of what is predicted is gold, or little would ever be found."""
    told = draw(gold)
    known = [piece for group in told["evidence"] for piece in group]
    pool = st.one_of(piece, st.sampled_from(known)) if known else piece
    predicted = {"predicted_label": draw(labels), "predicted_evidence": draw(st.lists(pool, max_size=8))}
    return (predicted | told, told) if draw(st.booleans()) else (predicted, told)


@given(st.lists(claims(), max_size=6), budgets)
@example([], {})
def test_any_predictions_have_the_official_score(scorer: ModuleType, made: Any, budgets: dict[str, Any]) -> None:
    records, actual = [each[0] for each in made], [each[1] for each in made]
    assert ours(records, actual, budgets) == official(scorer, records, actual, budgets)


@given(st.lists(claims(odd_pieces), min_size=1, max_size=4))
def test_evidence_of_the_wrong_form_is_refused_where_it_is_there(scorer: ModuleType, made: Any) -> None:
    records, actual = [each[0] for each in made], [each[1] for each in made]
    assert ours(records, actual, {}) == official(scorer, records, actual, {})


@pytest.mark.parametrize("seed", range(10))
def test_long_lists_agree_to_the_last_digit(scorer: ModuleType, seed: int) -> None:
    chance = random.Random(seed)
    pool = [[page, kind, str(number)] for page in "AB" for kind in ("sentence", "cell", "item") for number in range(4)]
    records = [
        {
            "label": chance.choice(["SUPPORTS", "REFUTES"]),
            "predicted_label": chance.choice(["SUPPORTS", "REFUTES"]),
            "evidence": [chance.sample(pool, chance.randint(1, 3)) for _ in range(chance.randint(1, 3))],
            "predicted_evidence": chance.sample(pool, chance.randint(0, 20)),
        }
        for _ in range(500)
    ]
    score = ours(records, None, {})
    assert isinstance(score, tuple)
    assert score == official(scorer, records, None, {})


# -- by hand, so that they hold without the official program --


def record(label: str, predicted: str, evidence: list[Any], *groups: list[Any]) -> dict[str, Any]:
    return {"label": label, "predicted_label": predicted, "predicted_evidence": evidence, "evidence": list(groups)}


S0, S1 = ["A", "sentence", "0"], ["A", "sentence", "1"]
CELL = ["A", "cell", "0_0_0"]


def test_not_enough_info_needs_its_evidence_too() -> None:
    found = record("NOT ENOUGH INFO", "NOT ENOUGH INFO", [S0], [S0])
    missed = record("NOT ENOUGH INFO", "NOT ENOUGH INFO", [S1], [S0])
    assert [each.strict for each in feverous_outcomes([found, missed])] == [True, False]


def test_cells_and_sentences_have_budgets_of_their_own() -> None:
    cells = [["N", "cell", f"0_0_{number}"] for number in range(25)]
    sentences = [["N", "sentence", str(number)] for number in range(5)]
    assert not feverous_outcomes([record("SUPPORTS", "SUPPORTS", [*cells, CELL], [CELL])])[0].strict
    assert feverous_outcomes([record("SUPPORTS", "SUPPORTS", [*cells, S0], [S0])])[0].strict
    assert not feverous_outcomes([record("SUPPORTS", "SUPPORTS", [*sentences, S0], [S0])])[0].strict
    assert feverous_outcomes([record("SUPPORTS", "SUPPORTS", [*sentences, CELL], [CELL])])[0].strict


def test_an_empty_gold_set_is_covered_and_no_gold_set_is_found_but_not_strictly() -> None:
    assert feverous_outcomes([record("SUPPORTS", "SUPPORTS", [S0], [])])[0] == (True, True, 0.0, 1.0)
    assert feverous_outcomes([record("SUPPORTS", "SUPPORTS", [S0])])[0] == (True, False, 0.0, 1.0)


def test_where_the_official_f1_divides_by_zero_there_is_none() -> None:
    assert feverous_score([record("SUPPORTS", "REFUTES", [S0], [S1])]) == OfficialScores(0.0, 0.0, 0.0, 0.0, None)


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("Korean Air_cell_1_19_0", ["Korean Air", "cell", "1_19_0"]),
        ("Korean Air_header_cell_1_0_0", ["Korean Air", "header_cell", "1_0_0"]),
        ("Korean Air_table_caption_1", ["Korean Air", "table_caption", "1"]),
        ("Korean Air_title", ["Korean Air", "title", ""]),
        ("A_B_sentence_0", ["A", "B", "sentence_0"]),
    ],
)
def test_ids_are_cut_at_every_underscore_as_the_official_program_cuts_them(id: str, expected: list[str]) -> None:
    assert triple(id) == expected


def test_what_is_no_id_is_told() -> None:
    with pytest.raises(InputError, match="'Korean Air' is not an element id"):
        triple("Korean Air")


def test_the_evidence_of_a_record_becomes_triples() -> None:
    told = {"id": 1, "label": "REFUTES", "evidence": [{"content": ["A_sentence_0", "A_cell_0_0_0"], "context": {}}]}
    assert feverous_groups(told) == [[S0, CELL]]
