"""A model as a verifier: what it reads, what becomes of its logits, and what its readings record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.verify.tiny import make_reader
from veritab.errors import FormatError, InputError, NotFound
from veritab.models import open_verdict
from veritab.schema import (
    COMPUTED,
    Claim,
    Element,
    ElementId,
    Evidence,
    Hit,
    Kind,
    Label,
    ModelUse,
    Page,
    Reading,
    Sentence,
    Table,
    TableBlock,
    Verdict,
    Verifier,
)
from veritab.verify.calibrate import Calibration, best_label
from veritab.verify.decide import EMPTY_CLAIM, NO_EVIDENCE
from veritab.verify.judge import decider_for, judge_evidence
from veritab.verify.language import OTHER_SCRIPT
from veritab.verify.model import NO_SCORES, NOTHING_TO_READ, ModelVerifier

CLAIM = Claim("1", "Tea is hot.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_reader(tmp_path_factory.mktemp("model"))


def sentences(*texts: str, title: str = "Tea") -> list[Element]:
    return [Element(ElementId(title, Kind.SENTENCE, (n,)), text) for n, text in enumerate(texts)]


def retrieved(*texts: str) -> Evidence:
    return Evidence(tuple(Hit(element, 1.0, "test") for element in sentences(*texts)))


def read(verifier: ModelVerifier, *texts: str, claim: Claim = CLAIM) -> Reading:
    """What the model says of a claim and retrieved sentences."""
    (reading,) = verifier.verify([claim], [retrieved(*texts)])
    return reading


def scores_of(reading: Reading) -> dict[Label, float]:
    assert reading.scores is not None
    return dict(reading.scores)


def use_of(read: Reading | Verdict) -> ModelUse:
    model = read.model if isinstance(read, Reading) else read.certificate.model
    assert model is not None
    return model


def judged(verifier: ModelVerifier, evidence: Evidence, claim: Claim = CLAIM, **options: Any) -> Verdict:
    """The verdict on a claim as one assertion."""
    (verdict,) = judge_evidence([claim], [evidence], verifier, decider_for(verifier, **options), parts=False)
    return verdict


def ids(verdict: Verdict) -> list[str]:
    return [str(hit.element.id) for hit in verdict.evidence]


class RecordingModel:
    """A model that records what it reads."""

    def __init__(self, folder: Path) -> None:
        self._model = open_verdict(folder)
        self.card = self._model.card
        self.max_length = self._model.max_length
        self.length = self._model.length
        self.calls: list[list[tuple[str, str]]] = []

    def logits(self, pairs: Any) -> Any:
        self.calls.append(list(pairs))
        return self._model.logits(pairs)


def test_each_claim_is_read_with_its_own_evidence_in_one_call(folder: Path) -> None:
    model = RecordingModel(folder)
    verifier: Verifier = ModelVerifier(model)
    evidence = [retrieved("yes"), retrieved("no"), retrieved(), retrieved("perhaps")]
    yes, no, nothing, perhaps = verifier.verify([CLAIM] * 4, evidence)
    assert [best_label(scores_of(each)) for each in (yes, no, perhaps)] == list(Label)
    assert model.calls == [[("Tea is hot.", f"Tea. {word}.") for word in ("yes", "no", "perhaps")]]
    for each in (yes, no, perhaps):
        assert sum(scores_of(each).values()) == pytest.approx(1)
    assert (nothing.scores, nothing.unsettled) == (None, NOTHING_TO_READ)


def test_without_evidence_nothing_is_read(folder: Path) -> None:
    model = RecordingModel(folder)
    found = judged(ModelVerifier(model), Evidence.of())
    assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (NO_EVIDENCE.text,))
    for evidence in (Evidence.of(sentences("")), Evidence.of(sentences("\x00 \x01"))):
        found = judged(ModelVerifier(model), evidence)
        assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (NO_EVIDENCE.text,))
        assert found.certificate.unsettled == NO_EVIDENCE
    assert model.calls == []


@pytest.mark.parametrize("claim", ["", "  \n", "???", "\x00"])
def test_an_empty_claim_is_not_enough_info_and_is_not_read(claim: str, folder: Path) -> None:
    model = RecordingModel(folder)
    found = judged(ModelVerifier(model), retrieved("yes"), Claim("", claim))
    assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (EMPTY_CLAIM.text,))
    assert model.calls == []


@pytest.mark.parametrize("claim", ["茶は熱いです。", "Чай горячий, говорит Tea.", "चाय गर्म है।", "الشاي ساخن"])
def test_a_claim_in_another_script_is_not_for_the_model(claim: str, folder: Path) -> None:
    model = RecordingModel(folder)
    found = read(ModelVerifier(model), "yes", claim=Claim("", claim))
    assert (found.scores, found.unsettled) == (None, OTHER_SCRIPT)
    verdict = judged(ModelVerifier(model), Evidence.of(sentences("yes", title=f"Tea {claim}")), Claim("", claim))
    assert (verdict.label, verdict.reasoning) == (Label.NOT_ENOUGH_INFO, (OTHER_SCRIPT.text,))
    assert verdict.certificate.unsettled == OTHER_SCRIPT
    assert model.calls == []
    assert judged(ModelVerifier(model), Evidence.of(), Claim("", claim)).reasoning == (NO_EVIDENCE.text,)


@pytest.mark.parametrize(
    "claim", ["In Moscow, Чайковский drank hot tea.", "Tee ist heiß.", "Le thé est brûlé.", "1 + 1"]
)
def test_a_claim_in_latin_letters_is_read_whatever_its_names_and_its_language(claim: str, folder: Path) -> None:
    assert best_label(scores_of(read(ModelVerifier.open(folder), "yes", claim=Claim("", claim)))) is Label.SUPPORTS


def test_a_computation_decides_a_claim_in_another_script(folder: Path) -> None:
    table = Table.of([["Нил", "6650"], ["Дунай", "2850"]], header=["Река", "Длина"], title="Реки")
    verifier, claim, evidence = ModelVerifier.open(folder), Claim("", "Нил Длина 2850"), Evidence.of((), [table])
    found = judged(verifier, evidence, claim)
    assert found.label is Label.REFUTES
    assert found.scores[Label.REFUTES] == max(found.scores.values())
    assert found.reasoning == ("Длина of Нил: 6650, not 2,850, so that is false", OTHER_SCRIPT.text)
    assert {hit.by for hit in found.evidence} == {COMPUTED}
    assert (found.certificate.computed, found.certificate.unsettled) == (Label.REFUTES, None)
    two = judged(verifier, evidence, claim, ways=2)
    assert (two.label, two.scores[Label.NOT_ENOUGH_INFO]) == (Label.REFUTES, 0)
    without_vote = judged(verifier, evidence, claim, vote=False)
    assert (without_vote.label, without_vote.reasoning) == (Label.NOT_ENOUGH_INFO, (OTHER_SCRIPT.text,))


def test_one_by_one_the_logits_of_the_best_pieces_are_averaged(folder: Path) -> None:
    model = RecordingModel(folder)
    words = ("yes", "yes", "no", "no", "no")
    found = read(ModelVerifier(model, reading="one by one", pieces=3), *words)
    assert best_label(scores_of(found)) is Label.SUPPORTS
    assert len(model.calls[0]) == 3
    assert [str(id) for id in use_of(found).dropped] == ["Tea_sentence_3", "Tea_sentence_4"]
    assert best_label(scores_of(read(ModelVerifier(model), *words))) is Label.REFUTES


def test_the_cells_of_a_row_are_one_piece(folder: Path) -> None:
    model = RecordingModel(folder)
    table = Table.of([["Nile", "6650"], ["Danube", "2850"]], header=["River", "Length"])
    verifier = ModelVerifier(model, reading="one by one", facts=False)
    verifier.verify([Claim("", "The Nile is long.")], [Evidence.of((), [table])])
    assert [text for _, text in model.calls[0]] == [
        "River is Nile; Length is 6650.",
        "River is Danube; Length is 2850.",
    ]


def test_facts_of_whole_tables_are_read_or_not(tmp_path: Path) -> None:
    folder = make_reader(tmp_path, max_length=384)
    table = Table.of([["Nile", "6650"], ["Danube", "2850"]], header=["River", "Length (km)"], title="Rivers")
    claim, evidence = Claim("", "The Nile is longer than the Danube."), Evidence.of((), [table])
    for facts in (True, False):
        model = RecordingModel(folder)
        found = judged(ModelVerifier(model, facts=facts), evidence, claim)
        ((_, text),) = model.calls[0]
        assert ("Rivers. River is Nile; Length (km) is 6650. River is Danube" in text) is not facts
        assert bool(found.certificate.facts) is facts
        assert ("Row 1: " in text) is facts
        assert found.scores[Label.SUPPORTS] > found.scores[Label.REFUTES]
        assert [hit.by for hit in found.evidence][:4] == [COMPUTED] * 4
        assert "6650 km" in found.reasoning[0]
    only = RecordingModel(folder)
    found = judged(ModelVerifier(only, rows=False), evidence, claim, vote=False)
    assert "River is Nile; Length (km) is 6650. River" not in only.calls[0][0][1]
    assert COMPUTED not in {hit.by for hit in found.evidence}


def test_facts_leave_room_for_the_sentences_beside_a_table(folder: Path) -> None:
    rows = [[f"River {n}", f"{n * 100}", "Sea"] for n in range(1, 30)]
    table = Table.of(rows, header=["River", "Length (km)", "Mouth"], title="Rivers")
    claim = Claim("", "River 7 is longer than River 5 and tea is hot.")
    found = judged(ModelVerifier.open(folder), Evidence.of(sentences("Tea is hot, yes."), [table]), claim)
    assert found.certificate.facts
    assert "Tea_sentence_0" in ids(found)


def test_the_calibration_of_the_card_is_used_unless_another_is_given(tmp_path: Path) -> None:
    hot = ModelVerifier.open(make_reader(tmp_path / "hot", temperature=3.0))
    cold = ModelVerifier.open(make_reader(tmp_path / "cold"))
    assert scores_of(read(hot, "yes"))[Label.SUPPORTS] < scores_of(read(cold, "yes"))[Label.SUPPORTS] - 0.1
    assert use_of(read(hot, "yes")).temperature == 3.0
    careful = ModelVerifier.open(tmp_path / "cold", given_calibration=Calibration(abstain=0.99))
    assert judged(cold, retrieved("yes")).label is Label.SUPPORTS
    assert judged(careful, retrieved("yes")).label is Label.NOT_ENOUGH_INFO
    with pytest.raises(FormatError, match="in the card of 'tiny': a calibration has no 'gama'; did you mean 'gamma'"):
        ModelVerifier.open(make_reader(tmp_path / "wrong", gama=0.1))


def test_a_computation_decides_against_the_model_and_the_answer_is_uncertain(tmp_path: Path) -> None:
    table = Table.of([["Nile", "6650"], ["Danube", "2850"]], header=["River", "Length (km)"], title="Rivers")
    claim = Claim("", "The Danube is longer than the Nile.")
    evidence = Evidence.of(sentences("yes yes yes yes yes yes"), [table])
    found = judged(ModelVerifier.open(make_reader(tmp_path, max_length=384)), evidence, claim)
    assert (found.label, found.uncertain) == (Label.REFUTES, True)
    assert found.reasoning[0].startswith("Length")


def test_a_combiner_of_the_card_has_the_best_piece_read_alone_too(tmp_path: Path) -> None:
    low = {"bias": -9.0}
    weights = {"SUPPORTS": {"strongest support": 4.0}, "REFUTES": low, "NOT ENOUGH INFO": low, "parts": 0.5}
    plain = make_reader(tmp_path / "plain")
    combined = make_reader(tmp_path / "combined", combiner={"retrieved": weights, "given": weights})
    evidence = retrieved("yes yes yes", "perhaps perhaps")
    readers = [ModelVerifier.open(folder) for folder in (plain, combined)]
    readings = [reader.verify([Claim("", "K2 is high.")], [evidence])[0] for reader in readers]
    # Without a combiner nothing is read alone: the only piece is all of the text.
    assert [reading.pieces[0].text == reading.text for reading in readings] == [True, False]
    assert judged(readers[1], evidence).label is Label.SUPPORTS
    with pytest.raises(FormatError, match="in the card of 'tiny': the combiner has the tables 'given'"):
        _ = ModelVerifier.open(make_reader(tmp_path / "half", combiner={"given": weights})).combiners


def test_where_a_computation_decides_only_the_best_pieces_are_read(tmp_path: Path) -> None:
    table = Table.of([["Nile", "6650"], ["Danube", "2850"]], header=["River", "Length (km)"], title="Rivers")
    low = {"bias": -9.0}
    weights = {"SUPPORTS": low, "REFUTES": low, "NOT ENOUGH INFO": low, "parts": 0.5}
    folder = make_reader(tmp_path, max_length=384, combiner={"retrieved": weights, "given": weights})
    hits = [Hit(table.element(id), 1.0, "test") for row in table.grid[1:] for id in row if id]
    evidence = Evidence((*hits, *retrieved("yes yes", "no").hits), (table,))
    read = {}
    for brief in (True, False):
        model = RecordingModel(folder)
        claim = Claim("", "The Danube is longer than the Nile.")
        found = judged(ModelVerifier(model, brief_when_computed=brief), evidence, claim)
        assert found.label is Label.REFUTES
        read[brief] = [text for call in model.calls for _, text in call]
    assert len(read[True]) == 1
    assert len(read[False]) > 1
    assert len(read[True][0]) < len(read[False][0])


def test_a_profile_of_the_card_is_used_and_named(tmp_path: Path) -> None:
    folder = make_reader(tmp_path, temperature=2.0, fm2={"gamma": 0.9, "nei": "merged"})
    evidence = retrieved("perhaps perhaps yes")
    plain, own = (ModelVerifier.open(folder, profile=profile) for profile in ("default", "fm2"))
    merged = judged(plain, evidence, ways=2, nei="merged")
    of_profile = judged(own, evidence, ways=2)
    assert (of_profile.label, merged.label) == (Label.SUPPORTS, Label.REFUTES)
    assert of_profile == judged(own, evidence, ways=2, nei="merged")
    assert of_profile.scores != judged(own, evidence, ways=2, nei="excluded").scores
    assert read(own, "yes").scores == read(plain, "yes").scores
    assert (use_of(of_profile).profile, use_of(merged).profile) == ("fm2", "default")
    with pytest.raises(InputError, match="in the card of 'tiny': no profile 'fm3'; known are 'default', 'fm2'"):
        ModelVerifier.open(folder, profile="fm3")
    with pytest.raises(InputError, match="a calibration and the profile 'fm2' were given"):
        ModelVerifier.open(folder, profile="fm2", given_calibration=Calibration())


@pytest.mark.parametrize(("nei", "label"), [("excluded", Label.SUPPORTS), ("merged", Label.REFUTES)])
def test_with_two_labels_what_was_read_is_never_not_enough_info(nei: str, label: Label, folder: Path) -> None:
    found = judged(ModelVerifier.open(folder), retrieved("perhaps perhaps yes"), ways=2, nei=nei)
    assert found.label is label
    assert found.scores[Label.NOT_ENOUGH_INFO] == 0


def test_the_certificate_names_the_model_and_what_it_read(folder: Path) -> None:
    model = open_verdict(folder)
    found = judged(ModelVerifier(model), Evidence.of(sentences("yes", "word " * 500)))
    use = use_of(found)
    assert (use.name, found.certificate.by) == ("tiny", "tiny")
    assert model.card.files["model.onnx"].startswith(use.sha256)
    assert ([str(id) for id in use.dropped], use.dropped_in_all) == (["Tea_sentence_1"], 1)
    assert use.tokens == model.length("Tea. yes.")
    assert found.reasoning == (
        f"“yes” (Tea) speaks for it, {100 * found.confidence:.0f} %",
        "there was no room for 1 more piece of evidence",
    )
    assert ids(found) == ["Tea_sentence_0"]


def test_of_long_documents_what_shares_most_with_the_claim_is_read(folder: Path) -> None:
    filler = [f"Sentence number {n} is about something else." for n in range(300)]
    found = judged(ModelVerifier.open(folder), Evidence.of(sentences(*filler, "Tea is hot, yes.")))
    assert found.label is Label.SUPPORTS
    assert found.evidence[0].element.id.path == (300,)
    dropped = use_of(found)
    assert len(dropped.dropped) == 100 < dropped.dropped_in_all


def test_where_the_best_sentences_leave_a_claim_open_a_long_text_is_read_to_its_end_in_chunks(folder: Path) -> None:
    # The sentence that settles it shares no word with the claim, and many that say nothing share all of them.
    filler = [f"Tea is hot, people say, number {n}." for n in range(200)]
    evidence = Evidence.of(sentences(*filler, "Certainly yes.", *filler))
    model = RecordingModel(folder)
    (plain,) = ModelVerifier(model).verify([CLAIM], [evidence])
    (found,) = ModelVerifier(model, chunked=True).verify([CLAIM], [evidence])
    assert max(scores_of(plain), key=scores_of(plain).__getitem__) is Label.NOT_ENOUGH_INFO
    assert max(scores_of(found), key=scores_of(found).__getitem__) is Label.SUPPORTS
    assert "Tea_sentence_200" in map(str, found.used)
    texts = [text for _, text in model.calls[-1]]
    assert all(any(f"number {n}." in text for text in texts) for n in range(200))


def test_where_the_best_sentences_settle_a_claim_no_chunk_is_read(folder: Path) -> None:
    filler = [f"Sentence number {n} is about something else." for n in range(200)]
    model = RecordingModel(folder)
    evidence = Evidence.of(sentences(*filler, "Certainly yes yes yes.", *filler, "Tea is hot, no."))
    (found,) = ModelVerifier(model, chunked=True).verify([CLAIM], [evidence])
    assert best_label(scores_of(found)) is Label.REFUTES
    assert len(model.calls) == 1


def test_the_chunk_that_says_most_counts_for_or_against(folder: Path) -> None:
    filler = [f"Tea is hot, people say, number {n}." for n in range(200)]
    evidence = Evidence.of(sentences("Certainly yes.", *filler, "No no no."))
    (found,) = ModelVerifier.open(folder, chunked=True).verify([CLAIM], [evidence])
    assert best_label(scores_of(found)) is Label.REFUTES


def test_in_chunks_one_endless_sentence_is_cut_and_read_to_its_end(folder: Path) -> None:
    evidence = Evidence.of(sentences("Tea and so on " * 400 + "yes " + "and on " * 400))
    (found,) = ModelVerifier.open(folder, chunked=True).verify([CLAIM], [evidence])
    assert scores_of(found)[Label.SUPPORTS] > 0.5


def test_what_fits_is_read_once_in_chunks_or_not(folder: Path) -> None:
    model = RecordingModel(folder)
    evidence = Evidence.of(sentences("Tea is hot, yes.", "Tea is a drink."))
    ModelVerifier(model, chunked=True).verify([CLAIM], [evidence])
    ModelVerifier(model).verify([CLAIM], [evidence])
    assert model.calls[0] == model.calls[1]


def test_of_several_tables_the_rows_that_share_most_with_the_claim_are_read_first(folder: Path) -> None:
    page = Page("Waters")
    tables = [
        Table(page, TableBlock(n, Table.of([[f"{word} {row}", "wet"] for row in range(20)]).rows, f"About {word}"), ())
        for n, word in enumerate(("lake", "pond", "river"))
    ]
    verifier = ModelVerifier.open(folder, facts=False)
    (found,) = verifier.verify([Claim("", "Is river 7 wet?")], [Evidence.of((), tables)])
    assert [str(id) for id in found.used if id.kind is Kind.CELL][:2] == ["Waters_cell_2_7_0", "Waters_cell_2_7_1"]


def test_long_captions_of_other_tables_leave_room_for_sentences(folder: Path) -> None:
    tables = [
        Table(Page("Waters"), TableBlock(n, Table.of([["lake", "wet"]]).rows, "a long caption " * 12), ())
        for n in range(6)
    ]
    for rows in (True, False):
        verifier = ModelVerifier.open(folder, facts=False, rows=rows)
        (found,) = verifier.verify([CLAIM], [Evidence.of(sentences("Tea is hot, yes."), tables)])
        assert "Tea_sentence_0" in map(str, found.used)


def test_a_sentence_too_long_to_stand_beside_the_name_of_a_table_is_cut(folder: Path) -> None:
    table = Table.of([["Nile", "6650"]], header=["River", "Length"], title="Rivers")
    model = RecordingModel(folder)
    ModelVerifier(model, facts=False).verify([CLAIM], [Evidence.of(sentences("Tea is hot " * 500), [table])])
    assert model.calls[0][0][1].startswith("Rivers. Tea. Tea is hot Tea is hot")


def test_cells_are_read_where_their_table_is_not_given(folder: Path) -> None:
    table = Table.of([["Nile", "yes"], ["Danube", "no"]], header=["River", "Wet"], title="Rivers")
    cells = [table.element(ElementId("Rivers", Kind.CELL, (0, 1, column))) for column in (0, 1)]
    claim = Claim("", "The Nile is wet.")
    model = RecordingModel(folder)
    alone = judged(ModelVerifier(model), Evidence.of(cells), claim)
    assert model.calls == [[("The Nile is wet.", "Rivers. River is Nile; Wet is yes.")]]
    assert [hit.element for hit in alone.evidence] == cells
    assert alone.reasoning == ("Wet of Nile: yes, so that holds",)
    both = judged(ModelVerifier(model), Evidence.of(cells, [table]), claim)
    assert len(both.evidence) == len(set(ids(both)))


def test_in_a_small_window_a_long_claim_leaves_half_of_it_to_the_evidence(tmp_path: Path) -> None:
    model = RecordingModel(make_reader(tmp_path, max_length=32))
    found = read(ModelVerifier(model), "word " * 100, claim=Claim("", "tea " * 100))
    assert 8 <= use_of(found).tokens <= 14


def test_the_order_of_evidence_that_fits_changes_nothing(folder: Path) -> None:
    one, other = sentences("yes", "no yes"), sentences("yes", "no yes")[::-1]
    first, second = ModelVerifier.open(folder).verify([CLAIM] * 2, [Evidence.of(one), Evidence.of(other)])
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
        found = judged(verifier, retrieved(evidence), Claim("", claim))
        assert found.label in Label
        assert found.scores[found.label] == max(found.scores.values())
        assert sum(found.scores.values()) == pytest.approx(1)
    page = Page("Tea", (Sentence(0, text),))
    assert judged(verifier, Evidence.of(page.elements)).label in Label


def test_logits_that_are_not_numbers_give_no_scores(folder: Path) -> None:
    verifier = ModelVerifier.open(folder)
    assert (read(verifier, "break").scores, read(verifier, "break").unsettled) == (None, NO_SCORES)
    found = judged(verifier, retrieved("break"))
    assert (found.label, found.reasoning) == (Label.NOT_ENOUGH_INFO, (NO_SCORES.text,))
    averaged = read(ModelVerifier.open(folder, reading="one by one"), "break", "yes")
    assert best_label(scores_of(averaged)) is Label.SUPPORTS


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reading": "backwards"}, "reading is 'backwards'; expected 'together' or 'one by one'"),
        ({"pieces": 0}, "0 pieces are too few"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str, folder: Path) -> None:
    with pytest.raises(InputError, match=message):
        ModelVerifier.open(folder, **settings)


def test_a_missing_model_is_an_error() -> None:
    with pytest.raises(NotFound, match="no model 'nowhere'"):
        ModelVerifier.open("nowhere")
