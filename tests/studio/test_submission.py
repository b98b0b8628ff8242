"""What an answer must have before it counts, kind of task by kind of task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.studio.workplace import event, fill_in
from veritab.schema import ElementId
from veritab.studio.log import AnnotationDraft, LogOperation, fold
from veritab.studio.projects import ProjectSettings
from veritab.studio.records import TaskRecord
from veritab.studio.submission import DraftFault, find_faults, find_warnings, read_answer
from veritab.studio.vocabulary import Pool, TaskKind

ONE, TWO = "Nile_sentence_0", "Nile_cell_0_1_1"
SENTENCE = "Nile_sentence_1"


def make_draft(*sets: Sequence[str], **fields: str) -> AnnotationDraft:
    """A draft with these evidence sets and fields."""
    events = fill_in(**fields)
    for number, pieces in enumerate(sets, 1):
        events.append(event(LogOperation.EVIDENCE_SET, str(number)))
        events += [event(LogOperation.HIGHLIGHT, piece) for piece in pieces]
    return fold(events)


def faults(
    kind: TaskKind,
    draft: AnnotationDraft,
    *,
    seconds: float = 60,
    exists: Callable[[ElementId], bool] = lambda _: True,
    pool: Pool = Pool.WORK,
    settings: ProjectSettings | None = None,
    sentences: Sequence[str] = (),
    original: str = "",
) -> list[DraftFault]:
    task = TaskRecord(kind=kind, pool=pool)
    return find_faults(
        kind,
        draft,
        task,
        seconds=seconds,
        exists=exists,
        settings=settings,
        sentences=sentences,
        original=original,
    )


def codes(kind: TaskKind, draft: AnnotationDraft, **options: object) -> list[str]:
    return [fault.code for fault in faults(kind, draft, **options)]  # type: ignore[arg-type]


# -- FEVEROUS verification ---------------------------------------------------------------------------------

VERIFICATION = TaskKind.FEVEROUS_VERIFICATION


@pytest.mark.parametrize(
    ("sets", "fields"),
    [
        ([[ONE]], {"verdict": "SUPPORTS"}),
        ([[ONE, TWO], [TWO], [ONE]], {"verdict": "SUPPORTS"}),
        ([[ONE]], {"verdict": "REFUTES", "misled": "yes"}),
        ([[ONE]], {"verdict": "NOT ENOUGH INFO", "misled": "no"}),
        ([], {"verdict": "NOT ENOUGH INFO"}),
        ([[ONE], []], {"verdict": "SUPPORTS"}),
    ],
)
def test_a_complete_verification_has_no_faults(sets: list[list[str]], fields: dict[str, str]) -> None:
    assert codes(VERIFICATION, make_draft(*sets, **fields, challenge="Multi-hop Reasoning")) == []


@pytest.mark.parametrize(
    ("sets", "fields", "expected"),
    [
        ([[ONE]], {}, ["verdict-missing"]),
        ([[ONE]], {"verdict": "MAYBE"}, ["verdict-missing"]),
        ([], {"verdict": "SUPPORTS"}, ["evidence-missing"]),
        ([[], []], {"verdict": "REFUTES", "misled": "yes"}, ["evidence-missing"]),
        ([[ONE]], {"verdict": "REFUTES"}, ["misled-missing"]),
        ([[ONE]], {"verdict": "REFUTES", "misled": "perhaps"}, ["misled-missing"]),
        ([[ONE]], {"verdict": "REFUTES", "misled": "no"}, ["not-misled"]),
        ([[ONE], [TWO], [SENTENCE], [ONE, TWO]], {"verdict": "SUPPORTS"}, ["too-many-sets"]),
        ([[], [ONE]], {"verdict": "SUPPORTS"}, ["empty-set"]),
        ([[ONE], [], [TWO]], {"verdict": "NOT ENOUGH INFO"}, ["empty-set"]),
        ([[ONE, TWO], [TWO, ONE]], {"verdict": "SUPPORTS"}, ["equal-sets"]),
    ],
)
def test_a_verification_with_a_fault_is_told_it(
    sets: list[list[str]], fields: dict[str, str], expected: list[str]
) -> None:
    assert codes(VERIFICATION, make_draft(*sets, **fields, challenge="Other")) == expected


@pytest.mark.parametrize("challenge", ["", "Easy"])
def test_a_verification_needs_one_of_the_six_challenges(challenge: str) -> None:
    draft = make_draft([ONE], verdict="SUPPORTS", challenge=challenge)
    assert faults(VERIFICATION, draft)[0].field == "challenge"


def test_after_ten_minutes_the_verdict_is_not_enough_info() -> None:
    draft = make_draft([ONE], verdict="SUPPORTS", challenge="Other")
    assert codes(VERIFICATION, draft, seconds=600) == []
    assert codes(VERIFICATION, draft, seconds=600.1) == ["time-over"]
    assert "10 minutes" in faults(VERIFICATION, draft, seconds=601)[0].message
    no_info = make_draft([ONE], verdict="NOT ENOUGH INFO", challenge="Other")
    assert codes(VERIFICATION, no_info, seconds=3600) == []


def test_a_projects_own_limit_counts_and_super_annotators_have_none() -> None:
    draft = make_draft([ONE], verdict="SUPPORTS", challenge="Other")
    settings = ProjectSettings(advised_seconds={VERIFICATION.value: 90})
    assert codes(VERIFICATION, draft, seconds=91, settings=settings) == ["time-over"]
    assert codes(VERIFICATION, draft, seconds=9999, pool=Pool.SUPER) == []


def test_evidence_that_vanished_from_the_corpus_is_named() -> None:
    draft = make_draft([ONE], [ONE, TWO], verdict="SUPPORTS", challenge="Other")
    (fault,) = faults(VERIFICATION, draft, exists=lambda id: str(id) != TWO)
    assert (fault.code, fault.field) == ("element-gone", "set-2")
    assert TWO in fault.message


@pytest.mark.parametrize("element", ["Nile_title", "Nile_section_2", "Nile_table_0", "Nile_list_1"])
def test_context_is_no_evidence(element: str) -> None:
    draft = make_draft([element], verdict="SUPPORTS", challenge="Other")
    assert codes(VERIFICATION, draft) == ["not-evidence"]


def test_not_enough_info_without_evidence_is_a_warning_and_no_fault() -> None:
    bare, full = (make_draft(sets, verdict="NOT ENOUGH INFO", challenge="Other") for sets in ([], [ONE]))
    assert [warning.code for warning in find_warnings(VERIFICATION, bare)] == ["no-evidence"]
    assert find_warnings(VERIFICATION, full) == []


# -- FEVER labelling ---------------------------------------------------------------------------------------

LABELLING = TaskKind.FEVER_LABELLING


@pytest.mark.parametrize(
    ("sets", "fields", "expected"),
    [
        ([[ONE], [SENTENCE]], {"set_1_verdict": "REFUTES", "set_2_verdict": "REFUTES"}, []),
        ([[ONE], [], [SENTENCE]], {"set_1_verdict": "REFUTES", "set_3_verdict": "REFUTES"}, []),
        ([[ONE], []], {"set_1_verdict": "SUPPORTS", "set_2_verdict": "REFUTES"}, []),
        ([], {"verdict": "NOT ENOUGH INFO"}, []),
        ([], {}, ["evidence-missing"]),
        ([[ONE]], {}, ["verdict-missing"]),
        ([[ONE]], {"set_1_verdict": "NOT ENOUGH INFO"}, ["verdict-missing"]),
        ([[ONE]], {"set_1_verdict": "SUPPORTS", "verdict": "NOT ENOUGH INFO"}, ["evidence-for-nothing"]),
        ([[ONE], [SENTENCE]], {"set_1_verdict": "SUPPORTS", "set_2_verdict": "REFUTES"}, ["mixed-verdicts"]),
        (
            [[ONE, SENTENCE], [SENTENCE, ONE]],
            {"set_1_verdict": "SUPPORTS", "set_2_verdict": "SUPPORTS"},
            ["equal-sets"],
        ),
        ([[TWO]], {"set_1_verdict": "SUPPORTS"}, ["not-evidence"]),
    ],
)
def test_groups_of_sentences_say_one_thing_each_once(
    sets: list[list[str]], fields: dict[str, str], expected: list[str]
) -> None:
    assert codes(LABELLING, make_draft(*sets, **fields)) == expected


def test_the_label_is_that_of_the_groups() -> None:
    draft = make_draft([], [ONE], set_1_verdict="SUPPORTS", set_2_verdict="REFUTES")
    assert read_answer(LABELLING, draft).label == "REFUTES"
    assert read_answer(LABELLING, make_draft(verdict="NOT ENOUGH INFO")).label == "NOT ENOUGH INFO"


# -- writing -----------------------------------------------------------------------------------------------

NILE, TOWNS, SEA = "The Nile is a river.", "The Nile flows past Cairo.", "The Nile reaches a sea."


def test_two_to_five_fever_claims_are_written() -> None:
    kind = TaskKind.FEVER_CLAIMS
    assert codes(kind, make_draft(claim_1=NILE, claim_2=TOWNS)) == []
    assert codes(kind, make_draft(claim_2=NILE, claim_5=TOWNS)) == []
    (fault,) = faults(kind, make_draft(claim_1=NILE, claim_2="  "))
    assert (fault.code, fault.field) == ("too-few-claims", "claim-2")


@pytest.mark.parametrize(
    ("claim", "code"), [(NILE, "repeated"), ("the longest river is here.", "copied"), ("x" * 2001, "too-long")]
)
def test_what_no_claim_may_be_is_refused(claim: str, code: str) -> None:
    draft = make_draft(claim_1=NILE, claim_2=claim)
    found = faults(TaskKind.FEVER_CLAIMS, draft, sentences=["The longest river is here."])
    assert (code, "claim-2") in {(fault.code, fault.field) for fault in found}


def test_mere_advice_does_not_refuse() -> None:
    draft = make_draft(claim_1="he probably swam", claim_2=NILE)
    assert codes(TaskKind.FEVER_CLAIMS, draft) == []


def test_mutations_may_be_blank_but_not_all() -> None:
    kind = TaskKind.FEVER_MUTATIONS
    assert codes(kind, make_draft(mutation_paraphrase=TOWNS), original=NILE) == []
    assert codes(kind, fold([])) == ["too-few-claims"]
    assert codes(kind, make_draft(mutation_negation=NILE), original=NILE) == ["repeated"]


def test_three_feverous_claims_with_their_challenges_are_written() -> None:
    kind, other = TaskKind.FEVEROUS_CLAIMS, {"challenge_1": "Other", "challenge_2": "Other", "challenge_3": "Other"}
    assert codes(kind, make_draft(claim_1=NILE, claim_2=TOWNS, claim_3=SEA, **other)) == []
    assert codes(kind, make_draft(claim_1=NILE, claim_3=SEA, **other)) == ["claim-missing"]
    del other["challenge_3"]
    (fault,) = faults(kind, make_draft(claim_1=NILE, claim_2=TOWNS, claim_3=SEA, **other))
    assert (fault.code, fault.field) == ("challenge-missing", "challenge-3")


# -- plain -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sets", "fields", "expected"),
    [
        (TaskKind.PLAIN_VERIFICATION, [[ONE]], {"verdict": "REFUTES"}, []),
        (TaskKind.PLAIN_VERIFICATION, [], {"verdict": "NOT ENOUGH INFO"}, []),
        (TaskKind.PLAIN_VERIFICATION, [], {"verdict": "SUPPORTS"}, ["evidence-missing"]),
        (TaskKind.PLAIN_VERIFICATION, [[ONE]], {}, ["verdict-missing"]),
        (TaskKind.PLAIN_RATING, [], {"verdict": "SUPPORTS"}, ["rating-missing"]),
        (TaskKind.PLAIN_RATING, [], {"rating": "perfect"}, ["verdict-missing"]),
        (TaskKind.PLAIN_RATING, [], {"rating": "minor", "verdict": "SUPPORTS"}, []),
        (TaskKind.PLAIN_RATING, [], {"rating": "minor", "verdict": "REFUTES", "cause": "shared attributes"}, []),
        (TaskKind.PLAIN_RATING, [], {"rating": "minor", "verdict": "REFUTES", "cause": "bad luck"}, ["cause-unknown"]),
        (TaskKind.PLAIN_RATING, [], {"rating": "incomprehensible"}, []),
        (
            TaskKind.PLAIN_RATING,
            [],
            {"rating": "incomprehensible", "verdict": "SUPPORTS"},
            ["verdict-for-nothing"],
        ),
    ],
)
def test_plain_claims_are_rated_first_then_given_a_verdict(
    kind: TaskKind, sets: list[list[str]], fields: dict[str, str], expected: list[str]
) -> None:
    assert codes(kind, make_draft(*sets, **fields)) == expected


def test_an_answer_is_what_was_filled_in() -> None:
    draft = make_draft([ONE], verdict="REFUTES", misled="yes", challenge="Other", note=" by the delta ", rating="")
    answer = read_answer(VERIFICATION, draft)
    assert (answer.label, answer.challenge, answer.rating) == ("REFUTES", "Other", "")
    assert answer.fields == {"misled": "yes", "note": "by the delta"}
