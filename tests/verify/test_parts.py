"""All parts must hold for SUPPORTS, and one that is refuted is enough for REFUTES."""

from __future__ import annotations

from dataclasses import replace

import pytest

from veritab.schema import Claim, Label, Verdict
from veritab.verify.parts import joined_parts

S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


def _verdict(label: Label, sure: float = 0.8) -> Verdict:
    scores = {each: sure if each is label else (1 - sure) / 2 for each in Label}
    return Verdict(Claim("1", f"part that is {label}"), label, scores, (), (f"because {label}",), {"model": "m"})


@pytest.mark.parametrize(
    ("labels", "whole"),
    [((S, S), S), ((S, R), R), ((R, N), R), ((S, N), N), ((N, N), N), ((S, S, R), R)],
)
def test_the_label_follows_from_those_of_the_parts(labels: tuple[Label, ...], whole: Label) -> None:
    found = joined_parts(_verdict(S), [_verdict(label) for label in labels])
    assert found.label is whole
    assert sum(found.scores.values()) == pytest.approx(1)
    assert max(found.scores, key=lambda label: found.scores[label]) is whole or len(set(labels)) > 1


def test_the_certificate_says_which_part_failed() -> None:
    found = joined_parts(_verdict(S), [_verdict(S), _verdict(R)])
    assert [part["label"] for part in found.certificate["parts"]] == ["SUPPORTS", "REFUTES"]
    assert found.certificate["parts"][1]["text"] == "part that is REFUTES"
    assert found.certificate["model"] == "m"
    assert found.reasoning == ("because SUPPORTS", "because REFUTES")
    assert found.claim == _verdict(S).claim


def test_a_part_whose_answer_could_not_be_read_is_marked() -> None:
    unread = replace(_verdict(N), certificate={"by": "llm", "unparsed": "it is not one JSON object", "answer": "Hm."})
    found = joined_parts(_verdict(S), [_verdict(S), unread])
    assert "unparsed" not in found.certificate["parts"][0]
    assert found.certificate["parts"][1]["unparsed"] == "it is not one JSON object"
    assert found.certificate["parts"][1]["answer"] == "Hm."
