"""What the screens for writing claims show and tell, without a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from veritab.errors import NotFound
from veritab.pipeline import Checker
from veritab.schema import Page, Sentence
from veritab.studio.advice import Advice, AdviceCode
from veritab.studio.drawing import Prescription
from veritab.studio.records import HighlightRecord, StudioClaimRecord, TaskRecord
from veritab.studio.submission import MUTATION_FIELDS
from veritab.studio.vocabulary import (
    ClaimType,
    HighlightKind,
    MutationType,
    PageRule,
    PrescribedTruth,
    TaskKind,
)
from veritab.web.studio.writing import (
    MUTATION_VIEWS,
    WritingMaterial,
    advice_to_json,
    advise_on_fields,
    read_material,
    read_prescription,
    view_cards,
    view_source,
)

LookUp = Callable[[str], Page | None]


@pytest.fixture(scope="module")
def look_up(checker: Checker) -> LookUp:
    def find(title: str) -> Page | None:
        try:
            return checker.store.page(title)
        except NotFound:
            return None

    return find


def highlight(page: str, *ids: str, kind: HighlightKind = HighlightKind.SENTENCES) -> HighlightRecord:
    return HighlightRecord(page=page, kind=kind, elements={"ids": list(ids)})


def codes(found: dict[str, list[Advice]]) -> dict[str, list[str]]:
    return {name: [one.code.value for one in advice] for name, advice in found.items()}


# -- what is written about ---------------------------------------------------------------------------------


def test_a_source_sentence_has_its_context_and_its_words_lead_to_the_dictionary(look_up: LookUp) -> None:
    about = highlight("1948 Summer Olympics", "1948 Summer Olympics_sentence_0")
    material = read_material(TaskKind.FEVER_CLAIMS, about, None, look_up)
    assert material.source
    shown = view_source(material.source)
    assert not shown.before
    assert len(shown.after) == 5
    london, berlin = shown.dictionary
    assert (london.term, london.title) == ("London", "London")
    assert (berlin.term, berlin.title) == ("Games in Berlin", "1936 Summer Olympics")
    assert '<a href="#entry-2">Games in Berlin</a>' in shown.sentence
    assert {london.sentence, berlin.sentence, shown.text, *shown.after} == set(material.sentences)


def test_what_a_sentence_holds_is_text(look_up: LookUp) -> None:
    source = read_material(TaskKind.FEVER_CLAIMS, highlight("K2", "K2_sentence_0"), None, look_up).source
    assert source
    harmful = source._replace(sentence=type(source.sentence)(source.sentence.id, "<script>1</script>", (), ()))
    assert "<script>" not in view_source(harmful).sentence


def test_a_claim_from_a_file_can_be_changed_without_a_page(look_up: LookUp) -> None:
    claim = StudioClaimRecord(text="The Danube flows through Vienna.")
    assert read_material(TaskKind.FEVER_MUTATIONS, None, claim, look_up) == WritingMaterial(original=claim.text)


def test_a_highlight_that_has_gone_from_the_corpus_says_so(look_up: LookUp) -> None:
    for page, id in (("Atlantis", "Atlantis_table_0"), ("K2", "K2_table_99"), ("K2", "K2_sentence_999")):
        material = read_material(TaskKind.FEVEROUS_CLAIMS, highlight(page, id), None, look_up)
        assert material.gone.startswith(f"{page}: the corpus does not have this page as it was drawn.")


def test_a_sentence_that_is_no_longer_in_the_introduction_is_gone(look_up: LookUp) -> None:
    page = look_up("K2")
    assert page
    last = max(block.number for block in page.blocks if type(block) is Sentence)
    material = read_material(TaskKind.FEVER_CLAIMS, highlight("K2", f"K2_sentence_{last}"), None, look_up)
    assert material.gone


def test_a_claim_can_be_changed_though_its_sentence_has_gone(look_up: LookUp) -> None:
    claim = StudioClaimRecord(text="Atlantis is an island.")
    material = read_material(TaskKind.FEVER_MUTATIONS, highlight("Atlantis", "Atlantis_sentence_0"), claim, look_up)
    assert (material.gone, material.source, material.original) == ("", None, claim.text)


def test_three_claims_may_copy_no_sentence_of_the_page(look_up: LookUp) -> None:
    material = read_material(
        TaskKind.FEVEROUS_CLAIMS, highlight("K2", "K2_table_0", kind=HighlightKind.TABLE), None, look_up
    )
    copied = material.sentences[3]
    found = advise_on_fields(TaskKind.FEVEROUS_CLAIMS, {"claim-2": copied, "challenge-2": "Other"}, material)
    assert found["claim-2"][0].code is AdviceCode.COPIED
    assert found["claim-2"][0].forbids


# -- advice ------------------------------------------------------------------------------------------------


def test_each_line_is_told_about_and_blank_ones_are_not() -> None:
    fields = {"claim-1": "It is a river", "claim-2": "  ", "claim-4": "The Danube is a river.", "verdict": "It is"}
    found = advise_on_fields(TaskKind.FEVER_CLAIMS, fields, WritingMaterial("Danube"))
    assert codes(found) == {"claim-1": ["title-missing", "pronoun", "no-period"], "claim-4": []}


def test_the_same_claim_twice_is_refused_in_both_lines() -> None:
    fields = {"claim-1": "The Danube is a river.", "claim-5": "the Danube is a river"}
    found = advise_on_fields(TaskKind.FEVER_CLAIMS, fields, WritingMaterial("Danube"))
    assert [advice[0].code for advice in found.values()] == [AdviceCode.REPEATED] * 2


def test_a_change_that_changes_nothing_is_refused() -> None:
    material = WritingMaterial("Danube", original="The Danube flows through Vienna.")
    found = advise_on_fields(TaskKind.FEVER_MUTATIONS, {"mutation-paraphrase": material.original}, material)
    assert codes(found) == {"mutation-paraphrase": ["repeated"]}


@pytest.mark.parametrize("mutation", MUTATION_FIELDS)
def test_not_is_marked_in_every_change_of_a_claim_that_has_none(mutation: MutationType) -> None:
    name = MUTATION_FIELDS[mutation]
    material = WritingMaterial("Danube", original="The Danube flows through Vienna.")
    (found,) = advise_on_fields(
        TaskKind.FEVER_MUTATIONS, {name: "The Danube does not flow through Vienna."}, material
    ).values()
    assert [(one.code, one.span) for one in found] == [(AdviceCode.PLAIN_NEGATION, (16, 19))]


def test_not_is_marked_only_in_the_negation_where_the_claim_has_it_already() -> None:
    material = WritingMaterial("Danube", original="The Danube never flows through Paris.")
    fields = {"mutation-paraphrase": "Paris is not on the Danube.", "mutation-negation": "The Danube is not far."}
    found = advise_on_fields(TaskKind.FEVER_MUTATIONS, fields, material)
    assert codes(found) == {"mutation-paraphrase": [], "mutation-negation": ["plain-negation"]}


def test_spans_count_as_scripts_count() -> None:
    text = "𝄞 is not 🎼."
    (found,) = advise_on_fields(TaskKind.FEVER_MUTATIONS, {"mutation-negation": text}, WritingMaterial()).values()
    told = next(one for one in advice_to_json(text, found) if one["code"] == "plain-negation")
    start, end = told["span"]
    assert text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == "not"
    assert (start, end) == (6, 9)
    assert told["forbids"] is False


# -- what is asked -----------------------------------------------------------------------------------------


def test_all_six_changes_have_an_example_of_their_own() -> None:
    assert [view.type for view in MUTATION_VIEWS] == list(MUTATION_FIELDS)
    assert len({view.example for view in MUTATION_VIEWS}) == 6
    fields = {view.field: view.example for view in MUTATION_VIEWS}
    material = WritingMaterial("Danube", original="The Danube flows through Vienna.")
    assert not any(advise_on_fields(TaskKind.FEVER_MUTATIONS, fields, material).values())


def test_the_cards_say_what_was_drawn() -> None:
    drawn = Prescription(
        PrescribedTruth.FALSE, PageRule.SEVERAL_PAGES, ClaimType.BEYOND_HIGHLIGHT, MutationType.NEGATION
    )
    task = TaskRecord(drawn={name: str(value) for name, value in drawn._asdict().items()})
    assert read_prescription(task) == drawn
    first, second, third = view_cards(HighlightKind.TABLE, drawn)
    assert first.asked == "Write a claim that is FALSE."
    assert "cells" in first.rule
    assert second.asked == "Add something from at least one other page."
    assert third.asked == "Change claim II: negation."
    assert (third.field, third.changes) == ("claim-3", "claim-2")


def test_the_first_claim_about_sentences_joins_them() -> None:
    drawn = Prescription(PrescribedTruth.TRUE, PageRule.SAME_PAGE, ClaimType.HIGHLIGHT_ONLY, MutationType.PARAPHRASE)
    first, second, third = view_cards(HighlightKind.SENTENCES, drawn)
    assert (first.asked, third.changes) == ("Write a claim that is TRUE.", "claim-1")
    assert "sentences" in first.rule
    assert second.asked == "Add something from elsewhere on the page of the highlight."
