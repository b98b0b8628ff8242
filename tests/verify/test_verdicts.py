"""Verdicts of a model: what it reads, what is made of its logits, and what the answer tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.verify.tiny import make_reader
from veritab.errors import FormatError, InputError, NotFound
from veritab.models import open_verdict
from veritab.schema import (
    Claim,
    Element,
    ElementId,
    Hit,
    Kind,
    Label,
    Page,
    Sentence,
    Table,
    TableBlock,
    Verdict,
    Verifier,
)
from veritab.verify.calibration import Calibration
from veritab.verify.reading import Given
from veritab.verify.verdicts import NO_CLAIM, NO_EVIDENCE, NO_NUMBER, NOT_LATIN, ModelVerifier

CLAIM = Claim("1", "Tea is hot.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_reader(tmp_path_factory.mktemp("model"))


def sentences(*texts: str, title: str = "Tea") -> list[Element]:
    return [Element(ElementId(title, Kind.SENTENCE, (n,)), text) for n, text in enumerate(texts)]


def hits(*texts: str) -> list[Hit]:
    return [Hit(element, 1.0, "test") for element in sentences(*texts)]


def judged(verifier: ModelVerifier, *texts: str, claim: Claim = CLAIM) -> Verdict:
    (verdict,) = verifier.verify([claim], [hits(*texts)])
    return verdict


class Counted:
    """A model that counts how often it is asked."""

    def __init__(self, folder: Path) -> None:
        self._model = open_verdict(folder)
        self.card = self._model.card
        self.max_length = self._model.max_length
        self.length = self._model.length
        self.asked: list[list[tuple[str, str]]] = []

    def logits(self, pairs: Any) -> Any:
        self.asked.append(list(pairs))
        return self._model.logits(pairs)


def test_each_claim_is_judged_by_its_own_evidence_in_one_call(folder: Path) -> None:
    model = Counted(folder)
    verifier: Verifier = ModelVerifier(model)
    found = verifier.verify([CLAIM] * 4, [hits("yes"), hits("no"), hits(), hits("perhaps")])
    assert [each.label for each in found] == list(Label)[:2] + [Label.NOT_ENOUGH_INFO] * 2
    assert model.asked == [[("Tea is hot.", f"Tea. {word}.") for word in ("yes", "no", "perhaps")]]
    for each in found:
        assert sum(each.scores.values()) == pytest.approx(1)


def test_without_evidence_the_model_is_not_asked(folder: Path) -> None:
    model = Counted(folder)
    for given in (Given(), Given(sentences("")), Given(sentences("\x00 \x01"))):
        (found,) = ModelVerifier(model).judge([CLAIM], [given])
        assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (NO_EVIDENCE,))
    assert model.asked == []


@pytest.mark.parametrize("claim", ["", "  \n", "???", "\x00"])
def test_a_claim_that_says_nothing_is_answered_so(claim: str, folder: Path) -> None:
    found = judged(ModelVerifier.open(folder), "yes", claim=Claim("", claim))
    assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (NO_CLAIM,))


@pytest.mark.parametrize("claim", ["茶は熱いです。", "Чай горячий, говорит Tea.", "चाय गर्म है।", "الشاي ساخن"])
def test_a_claim_in_another_script_is_not_for_the_model(claim: str, folder: Path) -> None:
    model = Counted(folder)
    found = judged(ModelVerifier(model), "yes", claim=Claim("", claim))
    assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (NOT_LATIN,))
    assert model.asked == []
    (bare,) = ModelVerifier(model).judge([Claim("", claim)], [Given()])
    assert bare.reasoning == (NO_EVIDENCE,)


@pytest.mark.parametrize(
    "claim", ["In Moscow, Чайковский drank hot tea.", "Tee ist heiß.", "Le thé est brûlé.", "1 + 1"]
)
def test_a_claim_in_latin_letters_is_read_whatever_its_names_and_its_language(claim: str, folder: Path) -> None:
    assert judged(ModelVerifier.open(folder), "yes", claim=Claim("", claim)).label is Label.SUPPORTS


def test_what_is_computed_decides_a_claim_in_another_script(folder: Path) -> None:
    table = Table.of([["Нил", "6650"], ["Дунай", "2850"]], header=["Река", "Длина"], title="Реки")
    claim, given = Claim("", "Нил Длина 2850"), Given((), [table])
    (found,) = ModelVerifier.open(folder).judge([claim], [given])
    assert found.label is Label.REFUTES
    assert found.scores[Label.REFUTES] == max(found.scores.values())
    assert found.reasoning == ("Длина of Нил = 6,650, not 2,850, so that is false", NOT_LATIN)
    assert {hit.by for hit in found.evidence} == {"reasoner"}
    (two,) = ModelVerifier.open(folder, ways=2).judge([claim], [given])
    assert (two.label, two.scores[Label.NOT_ENOUGH_INFO]) == (Label.REFUTES, 0)
    (unheard,) = ModelVerifier.open(folder, vote=False).judge([claim], [given])
    assert (unheard.label, unheard.reasoning) == (Label.NOT_ENOUGH_INFO, (NOT_LATIN,))


def test_one_by_one_the_logits_of_the_best_pieces_are_averaged(folder: Path) -> None:
    model = Counted(folder)
    found = judged(ModelVerifier(model, reading="one by one", pieces=3), "yes", "yes", "no", "no", "no")
    assert found.label is Label.SUPPORTS
    assert len(model.asked[0]) == 3
    assert found.certificate["dropped"] == ["Tea_sentence_3", "Tea_sentence_4"]
    assert judged(ModelVerifier(model), "yes", "yes", "no", "no", "no").label is Label.REFUTES


def test_the_cells_of_a_row_are_one_piece(folder: Path) -> None:
    model = Counted(folder)
    table = Table.of([["Nile", "6650"], ["Danube", "2850"]], header=["River", "Length"])
    ModelVerifier(model, reading="one by one", facts=False).judge(
        [Claim("", "The Nile is long.")], [Given((), [table])]
    )
    assert [text for _, text in model.asked[0]] == [
        "River is Nile; Length is 6650.",
        "River is Danube; Length is 2850.",
    ]


def test_facts_of_whole_tables_are_read_or_not(tmp_path: Path) -> None:
    folder = make_reader(tmp_path, max_length=384)
    table = Table.of([["Nile", "6650"], ["Danube", "2850"]], header=["River", "Length (km)"], title="Rivers")
    claim = Claim("", "The Nile is longer than the Danube.")
    for facts in (True, False):
        model = Counted(folder)
        (found,) = ModelVerifier(model, facts=facts).judge([claim], [Given((), [table])])
        ((_, text),) = model.asked[0]
        assert ("Rivers. River is Nile; Length (km) is 6650. River is Danube" in text) is not facts
        assert bool(found.certificate["facts"]) is facts
        assert ("Row 1: " in text) is facts
        assert found.scores[Label.SUPPORTS] > found.scores[Label.REFUTES]
        assert [hit.by for hit in found.evidence][:4] == ["reasoner"] * 4
        assert "6,650" in found.reasoning[0]
    only = Counted(folder)
    (found,) = ModelVerifier(only, rows=False, vote=False).judge([claim], [Given((), [table])])
    assert "River is Nile; Length (km) is 6650. River" not in only.asked[0][0][1]
    assert "reasoner" not in {hit.by for hit in found.evidence}


def test_facts_leave_room_for_the_sentences_beside_a_table(folder: Path) -> None:
    rows = [[f"River {n}", f"{n * 100}", "Sea"] for n in range(1, 30)]
    table = Table.of(rows, header=["River", "Length (km)", "Mouth"], title="Rivers")
    claim = Claim("", "River 7 is longer than River 5 and tea is hot.")
    (found,) = ModelVerifier.open(folder).judge([claim], [Given(sentences("Tea is hot, yes."), [table])])
    assert found.certificate["facts"]
    assert "Tea_sentence_0" in {str(hit.element.id) for hit in found.evidence}


def test_the_calibration_of_the_card_is_used_unless_another_is_given(tmp_path: Path) -> None:
    hot = ModelVerifier.open(make_reader(tmp_path / "hot", temperature=3.0), vote=False)
    cold = ModelVerifier.open(make_reader(tmp_path / "cold"), vote=False)
    assert judged(hot, "yes").scores[Label.SUPPORTS] < judged(cold, "yes").scores[Label.SUPPORTS] - 0.1
    assert judged(hot, "yes").certificate["temperature"] == 3.0
    shy = ModelVerifier.open(tmp_path / "cold", calibration=Calibration(abstain=0.99))
    assert judged(shy, "yes").label is Label.NOT_ENOUGH_INFO
    with pytest.raises(FormatError, match="in the card of 'tiny': a calibration has no 'gama'; did you mean 'gamma'"):
        ModelVerifier.open(make_reader(tmp_path / "wrong", gama=0.1))


def test_a_label_that_has_not_the_highest_score_is_explained(folder: Path) -> None:
    plain, wary = (ModelVerifier.open(folder, calibration=Calibration(abstain=most)) for most in (0.0, 0.99))
    assert not any("higher score" in line for line in judged(plain, "yes").reasoning)
    found = judged(wary, "yes")
    assert found.label is Label.NOT_ENOUGH_INFO
    assert f"SUPPORTS has a higher score, {100 * found.scores[Label.SUPPORTS]:.0f} %, but" in found.reasoning[0]


def test_a_computation_that_the_model_overrules_is_not_told_as_the_reason(tmp_path: Path) -> None:
    table = Table.of([["Nile", "6650"], ["Danube", "2850"]], header=["River", "Length (km)"], title="Rivers")
    claim = Claim("", "The Danube is longer than the Nile.")
    given = Given(sentences("yes yes yes yes yes yes"), [table])
    for reasoner, start in ((0.0, "overruled by the model: Length"), (9.0, "Length")):
        model = make_reader(tmp_path / str(reasoner), max_length=384, reasoner=reasoner)
        (found,) = ModelVerifier.open(model).judge([claim], [given])
        assert (found.label is Label.SUPPORTS) is (reasoner == 0.0)
        assert found.reasoning[0].startswith(start)


def test_a_use_with_a_calibration_of_its_own_is_named(tmp_path: Path) -> None:
    folder = make_reader(tmp_path, temperature=2.0, fm2={"gamma": 0.9, "nei": "merged"})
    text = "perhaps perhaps yes"
    plain, own = (ModelVerifier.open(folder, ways=2, profile=profile) for profile in ("default", "fm2"))
    merged = ModelVerifier.open(folder, ways=2, nei="merged")
    assert judged(own, text).scores == judged(merged, text).scores != judged(plain, text).scores
    assert (judged(own, text).label, judged(merged, text).label) == (Label.SUPPORTS, Label.REFUTES)
    assert judged(own, text).certificate["profile"] == "fm2"
    with pytest.raises(InputError, match="in the card of 'tiny': no profile 'fm3'; known are 'default', 'fm2'"):
        ModelVerifier.open(folder, profile="fm3")
    with pytest.raises(InputError, match="a calibration and the profile 'fm2' were given"):
        ModelVerifier.open(folder, profile="fm2", calibration=Calibration())


def test_two_ways_never_say_not_enough_info_of_what_was_read(folder: Path) -> None:
    for nei, label in (("excluded", Label.SUPPORTS), ("merged", Label.REFUTES)):
        found = judged(ModelVerifier.open(folder, ways=2, nei=nei), "perhaps perhaps yes")
        assert found.label is label
        assert found.scores[Label.NOT_ENOUGH_INFO] == 0


def test_the_certificate_says_what_read_what(folder: Path) -> None:
    model = open_verdict(folder)
    found = judged(ModelVerifier(model), "yes", "word " * 500)
    assert found.certificate["model"] == "tiny"
    assert model.card.files["model.onnx"].startswith(found.certificate["sha256"])
    assert found.certificate["dropped"] == ["Tea_sentence_1"]
    assert found.certificate["tokens"] == model.length("Tea. yes.")
    assert found.reasoning == ("the model read 1 piece of evidence; there was no room for 1 more",)
    assert [str(hit.element.id) for hit in found.evidence] == ["Tea_sentence_0"]


def test_of_long_documents_what_is_nearest_to_the_claim_is_read(folder: Path) -> None:
    filler = [f"Sentence number {n} is about something else." for n in range(300)]
    given = Given(sentences(*filler, "Tea is hot, yes."))
    (found,) = ModelVerifier.open(folder).judge([CLAIM], [given])
    assert found.label is Label.SUPPORTS
    assert found.evidence[0].element.id.path == (300,)


def test_of_several_tables_the_rows_nearest_to_the_claim_are_read_first(folder: Path) -> None:
    page = Page("Waters")
    tables = [
        Table(page, TableBlock(n, Table.of([[f"{word} {row}", "wet"] for row in range(20)]).rows, f"About {word}"), ())
        for n, word in enumerate(("lake", "pond", "river"))
    ]
    (found,) = ModelVerifier.open(folder, facts=False).judge([Claim("", "Is river 7 wet?")], [Given((), tables)])
    assert [str(hit.element.id) for hit in found.evidence][:2] == ["Waters_cell_2_7_0", "Waters_cell_2_7_1"]


def test_long_captions_of_other_tables_leave_room_for_what_is_said(folder: Path) -> None:
    tables = [
        Table(Page("Waters"), TableBlock(n, Table.of([["lake", "wet"]]).rows, "a long caption " * 12), ())
        for n in range(6)
    ]
    for rows in (True, False):
        verifier = ModelVerifier.open(folder, facts=False, vote=False, rows=rows)
        (found,) = verifier.judge([CLAIM], [Given(sentences("Tea is hot, yes."), tables)])
        assert "Tea_sentence_0" in {str(hit.element.id) for hit in found.evidence}


def test_a_sentence_too_long_to_stand_beside_the_name_of_a_table_is_cut(folder: Path) -> None:
    table = Table.of([["Nile", "6650"]], header=["River", "Length"], title="Rivers")
    model = Counted(folder)
    ModelVerifier(model, facts=False).judge([CLAIM], [Given(sentences("Tea is hot " * 500), [table])])
    assert model.asked[0][0][1].startswith("Rivers. Tea. Tea is hot Tea is hot")


def test_cells_are_read_where_their_table_is_not_given(folder: Path) -> None:
    table = Table.of([["Nile", "yes"], ["Danube", "no"]], header=["River", "Wet"], title="Rivers")
    cells = [table.element(ElementId("Rivers", Kind.CELL, (0, 1, column))) for column in (0, 1)]
    model = Counted(folder)
    (alone,) = ModelVerifier(model).judge([Claim("", "The Nile is wet.")], [Given(cells)])
    assert model.asked == [[("The Nile is wet.", "Rivers. River is Nile; Wet is yes.")]]
    assert [hit.element for hit in alone.evidence] == cells
    assert alone.reasoning[-1] == "the model read 2 pieces of evidence"
    (both,) = ModelVerifier(model).judge([Claim("", "The Nile is wet.")], [Given(cells, [table])])
    assert len(both.evidence) == len({hit.element.id for hit in both.evidence})


def test_in_a_small_window_a_long_claim_leaves_half_of_it_to_the_evidence(tmp_path: Path) -> None:
    model = Counted(make_reader(tmp_path, max_length=32))
    verdict = judged(ModelVerifier(model), "word " * 100, claim=Claim("", "tea " * 100))
    assert 8 <= verdict.certificate["tokens"] <= 14


def test_the_order_of_evidence_that_fits_changes_nothing(folder: Path) -> None:
    verifier = ModelVerifier.open(folder)
    one, other = sentences("yes", "no yes"), sentences("yes", "no yes")[::-1]
    first, second = verifier.judge([CLAIM] * 2, [Given(one), Given(other)])
    assert first.scores == second.scores


@pytest.mark.parametrize(
    "text",
    [
        "word " * 200_000,
        "x" * 1_000_000,
        "山" * 1_000_000,
        "茶は熱いです。",
        "\x00\x01\u202e\ud800 tea",
        "a\u0301\u0302" * 1000,
        "\u200b",
        "9" * 5000,
    ],
)
def test_any_text_as_claim_or_evidence_gets_a_label(text: str, folder: Path) -> None:
    verifier = ModelVerifier.open(folder)
    for claim, evidence in ((text, "yes"), ("Tea is hot.", text), (text, text)):
        found = judged(verifier, evidence, claim=Claim("", claim))
        assert found.label in Label
        assert sum(found.scores.values()) == pytest.approx(1)
    page = Page("Tea", (Sentence(0, text),))
    assert verifier.judge([CLAIM], [Given(page.elements)])[0].label in Label


def test_a_model_that_breaks_down_is_told(folder: Path) -> None:
    found = judged(ModelVerifier.open(folder), "break")
    assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (NO_NUMBER,))
    averaged = judged(ModelVerifier.open(folder, reading="one by one"), "break", "yes")
    assert averaged.label is Label.SUPPORTS


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reading": "backwards"}, "reading is 'backwards'; expected 'together' or 'one by one'"),
        ({"ways": 4}, "ways is 4; expected 2 or 3"),
        ({"nei": "lost"}, "nei is 'lost'"),
        ({"pieces": 0}, "0 pieces are too few"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], message: str, folder: Path) -> None:
    with pytest.raises(InputError, match=message):
        ModelVerifier.open(folder, **settings)


def test_a_model_that_is_not_there_is_told() -> None:
    with pytest.raises(NotFound, match="no model 'nowhere'"):
        ModelVerifier.open("nowhere")
