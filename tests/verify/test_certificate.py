"""A certificate says what a verdict rests on, what flips it, and what was not found."""

from __future__ import annotations

from collections.abc import Sequence

from veritab.schema import Claim, Context, Element, ElementId, Hit, Kind, Label, Verdict
from veritab.verify.certificate import certified, missing
from veritab.verify.reading import Given

CLAIM = Claim("1", "K2 is tall.")
NOTHING: dict[Label, float] = dict.fromkeys(Label, 1 / 3)


class Words:
    """Refutes where "no" is read, supports where "yes" is, else cannot say; counts what it reads."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.calls = 0

    def judge(self, claims: Sequence[Claim], given: Sequence[Given]) -> list[Verdict]:
        self.calls += 1
        texts = [" ".join(element.text for element in each.elements) for each in given]
        self.read += texts
        return [Verdict(claim, _label(text), NOTHING) for claim, text in zip(claims, texts, strict=True)]


def _label(text: str) -> Label:
    if "no" in text.split():
        return Label.REFUTES
    return Label.SUPPORTS if "yes" in text.split() else Label.NOT_ENOUGH_INFO


def _sentence(number: int, text: str, by: str = "selector") -> Hit:
    return Hit(Element(ElementId("K2", Kind.SENTENCE, (number,)), text), 0.5, by)


def _cell(row: int, column: int, text: str, by: str = "selector") -> Hit:
    return Hit(Element(ElementId("K2", Kind.CELL, (0, row, column)), text), 0.5, by)


def _verdict(label: Label, *hits: Hit, computed: Label | None = None) -> Verdict:
    return Verdict(CLAIM, label, NOTHING, hits, certificate={"computed": str(computed)} if computed else {})


def test_the_smallest_evidence_is_the_fewest_of_the_best_pieces_that_keep_the_verdict() -> None:
    hits = [_sentence(0, "perhaps"), _sentence(1, "yes"), _sentence(2, "perhaps"), _sentence(3, "perhaps")]
    (found,) = certified([_verdict(Label.SUPPORTS, *hits)], Words())
    assert found["smallest"] == ["K2_sentence_0", "K2_sentence_1"]
    assert found["flips"] == [{"id": "K2_sentence_1", "to": "NOT ENOUGH INFO"}]


def test_cells_of_one_row_stay_together() -> None:
    hits = [_cell(1, 0, "K2"), _cell(1, 1, "yes"), _cell(2, 0, "Everest")]
    (found,) = certified([_verdict(Label.SUPPORTS, *hits)], Words())
    assert found["smallest"] == ["K2_cell_0_1_0", "K2_cell_0_1_1"]


def test_a_piece_whose_loss_leaves_the_opposite_flips_to_it() -> None:
    hits = [_sentence(0, "no"), _sentence(1, "yes"), _sentence(2, "perhaps")]
    (found,) = certified([_verdict(Label.REFUTES, *hits)], Words())
    assert found["smallest"] == ["K2_sentence_0"]
    assert found["flips"] == [{"id": "K2_sentence_0", "to": "SUPPORTS"}]


def test_what_was_computed_is_enough_where_it_says_the_same() -> None:
    judge = Words()
    hits = [_cell(1, 1, "8,611 m", by="reasoner"), _sentence(0, "perhaps")]
    (found,) = certified([_verdict(Label.SUPPORTS, *hits, computed=Label.SUPPORTS)], judge)
    assert found["smallest"] == ["K2_cell_0_1_1"]
    assert found["flips"] == [{"id": "K2_cell_0_1_1", "to": "NOT ENOUGH INFO"}]
    assert judge.read == ["perhaps"]


def test_what_was_computed_is_not_enough_where_the_verdict_says_the_opposite() -> None:
    hits = [_cell(1, 1, "8,611 m", by="reasoner"), _sentence(0, "yes"), _sentence(1, "perhaps")]
    (found,) = certified([_verdict(Label.SUPPORTS, *hits, computed=Label.REFUTES)], Words())
    assert found["smallest"] == ["K2_cell_0_1_1", "K2_sentence_0"]


def test_where_nothing_less_keeps_the_verdict_all_of_the_evidence_is_named() -> None:
    hits = [_sentence(number, "perhaps") for number in range(6)]
    (found,) = certified([_verdict(Label.SUPPORTS, *hits)], Words())
    assert len(found["smallest"]) == 6


def test_not_enough_info_rests_on_nothing_and_costs_no_reading() -> None:
    judge = Words()
    assert certified([_verdict(Label.NOT_ENOUGH_INFO, _sentence(0, "yes"))], judge) == [{"smallest": [], "flips": []}]
    assert judge.calls == 0


def test_nothing_is_read_that_an_earlier_reading_made_needless() -> None:
    judge = Words()
    enough = _verdict(Label.SUPPORTS, *(_sentence(number, "yes") for number in range(9)))
    never = _verdict(Label.SUPPORTS, *(_sentence(number, "perhaps") for number in range(9)))
    found = certified([enough] * 5, judge)
    assert len(found) == 5
    assert judge.calls == 2
    assert judge.read == ["yes"] * 5 + ["yes yes yes yes yes"] * 5
    certified([never], (other := Words()))
    assert len(other.read) <= 5


def test_words_that_stand_nowhere_are_missing() -> None:
    title = Context(ElementId("K2", Kind.TITLE), "K2")
    evidence = [Element(ElementId("K2", Kind.SENTENCE, (0,)), "The mountains of Pakistan are high.", (), (title,))]
    assert missing("K2 is the mountain of Jane Doe in Pakistan.", evidence) == ["Jane Doe"]
    assert missing("K2 is high.", evidence) == []
    assert missing("K2 is 8,611 m high.", []) == ["K2", "8,611 m high"]
