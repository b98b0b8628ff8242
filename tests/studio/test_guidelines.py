"""Every kind of task has a guideline, which ships, speaks of what the screen offers, and keeps its own rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from veritab.schema import Label
from veritab.studio.advice import AdviceCode, advise
from veritab.studio.guidelines import default_guideline
from veritab.studio.vocabulary import (
    FEVER_MUTATIONS,
    FEVEROUS_MUTATIONS,
    Challenge,
    ClaimRating,
    FalsehoodCause,
    HighlightSkipReason,
    MutationType,
    PageRule,
    ReportReason,
    SkipReason,
    TaskKind,
)

ROOT = Path(__file__).parents[2]
SHOWN = {
    TaskKind.FEVER_CLAIMS: [each.label for each in HighlightSkipReason],
    TaskKind.FEVER_MUTATIONS: [
        each.label for each in (*FEVER_MUTATIONS, *SkipReason) if each is not SkipReason.NOT_ENOUGH_INFORMATION
    ],
    TaskKind.FEVER_LABELLING: [each.label for each in SkipReason],
    TaskKind.FEVEROUS_CLAIMS: [
        each.label for each in (*FEVEROUS_MUTATIONS, *Challenge, *PageRule, *HighlightSkipReason)
    ],
    TaskKind.FEVEROUS_VERIFICATION: [*(each.label for each in (*Challenge, *ReportReason)), *Label],
    TaskKind.PLAIN_VERIFICATION: [*(each.label for each in ReportReason), *Label],
    TaskKind.PLAIN_RATING: [*(each.label for each in (*ClaimRating, *FalsehoodCause)), *Label],
}
"""What the screen offers and the guideline explains."""
WRITING = (TaskKind.FEVER_CLAIMS, TaskKind.FEVER_MUTATIONS, TaskKind.FEVEROUS_CLAIMS)


@pytest.mark.parametrize("kind", TaskKind)
def test_a_guideline_is_called_like_its_task(kind: TaskKind) -> None:
    text = default_guideline(kind)
    assert text.startswith(f"# {kind.label}\n\nYou see ")
    assert text.count("\n## ") >= 3


@pytest.mark.parametrize(("kind", "shown"), SHOWN.items())
def test_a_guideline_explains_what_the_screen_offers(kind: TaskKind, shown: list[str]) -> None:
    explained = set(re.findall(r"\*\*([^*]+?)\.?\*\*", default_guideline(kind)))
    assert set(shown) <= explained


def examples(kind: TaskKind, mark: str) -> list[tuple[str, str]]:
    """The claims that a guideline gives as examples, and what it says of them in brackets."""
    lines = re.findall(rf"\*\*{mark}:\*\* (.*?\.)(?: \((.*)\))?$", default_guideline(kind), re.MULTILINE)
    return [(claim, comment) for claim, comment in lines]


def found(claim: str, kind: TaskKind) -> list[AdviceCode]:
    mutation = MutationType.NEGATION if kind is TaskKind.FEVER_MUTATIONS else None
    return [advice.code for advice in advise(claim, mutation=mutation)]


@pytest.mark.parametrize("kind", WRITING)
def test_claims_that_are_called_good_need_no_advice(kind: TaskKind) -> None:
    good = examples(kind, "Good")
    assert len(good) >= 3
    assert {claim: found(claim, kind) for claim, _ in good} == {claim: [] for claim, _ in good}


@pytest.mark.parametrize("kind", WRITING)
def test_claims_to_be_avoided_are_noticed_as_they_are_typed(kind: TaskKind) -> None:
    bad = [claim for claim, comment in examples(kind, "Better not") if not comment.startswith("True, but")]
    assert bad
    assert all(found(claim, kind) for claim in bad)


def test_a_wheel_carries_every_guideline() -> None:
    carried = {Path(file.distribution_path) for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert {Path(f"veritab/studio/guidelines/{kind}.md") for kind in TaskKind} <= carried
