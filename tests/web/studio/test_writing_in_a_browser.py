"""Writing claims in Chromium: FEVER's claims and mutations, FEVEROUS's three claims, with the mouse and without."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from tests.web.serving import until
from tests.web.studio.desk import PHONE, Desk, desk_of, faults_of, saved
from tests.web.studio.world import World
from veritab.studio.drawing import Prescription
from veritab.studio.projects import Workflow, find_project
from veritab.studio.records import AssignmentRecord, HighlightRecord, StudioClaimRecord
from veritab.studio.states import ClaimState, TaskState
from veritab.studio.tasks import add_mutations_task, draw_writing_tasks
from veritab.studio.vocabulary import ClaimType, HighlightKind, MutationType, PageRule, PrescribedTruth

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAME = "quiet-fox"
OLYMPICS = "1948 Summer Olympics_sentence_0"
SIZES = ((360, 740), (820, 1100), (1440, 900))


@pytest.fixture
def desk(world: World, browser: Browser) -> Iterator[Desk]:
    with desk_of(world, browser) as made:
        yield made


# -- tasks -------------------------------------------------------------------------------------------------


def begin_sentence(desk: Desk, **options: Any) -> Page:
    """FEVER's first step, about a certain sentence."""
    world = desk.world
    world.project("fever", Workflow.FEVER)
    with world.writing() as session:
        project = find_project(session, "fever")
        (task,) = draw_writing_tasks(session, project, world.checker.store.pages(), count=1, now=world.now)
        place(session.get_one(HighlightRecord, task.highlight_id), HighlightKind.SENTENCES, OLYMPICS)
    return desk.begin(world.member(NAME, "fever"), "fever", **options)


def begin_mutations(desk: Desk, text: str, sentence: str = "", **options: Any) -> Page:
    """FEVER's second step; a claim that came from a file has no sentence."""
    world = desk.world
    world.project("fever", Workflow.FEVER)
    with world.writing() as session:
        project = find_project(session, "fever")
        highlight = None
        if sentence:
            highlight = HighlightRecord(project_id=project.id)
            place(highlight, HighlightKind.SENTENCES, sentence)
            session.add(highlight)
            session.flush()
        claim = StudioClaimRecord(
            project_id=project.id,
            text=text,
            highlight_id=highlight.id if highlight else None,
            state=ClaimState.GOOD,
            pool="work",
            source={},
            made_at=world.now,
        )
        session.add(claim)
        session.flush()
        add_mutations_task(session, project, claim, now=world.now)
    return desk.begin(world.member(NAME, "fever"), "fever", **options)


FALSE_NEGATION = Prescription(
    PrescribedTruth.FALSE, PageRule.SEVERAL_PAGES, ClaimType.HIGHLIGHT_ONLY, MutationType.NEGATION
)


def begin_highlight(
    desk: Desk,
    ids: Sequence[str],
    kind: HighlightKind = HighlightKind.TABLE,
    drawn: Prescription = FALSE_NEGATION,
    **options: Any,
) -> Page:
    """FEVEROUS's three claims, as they were prescribed."""
    world = desk.world
    with world.writing() as session:
        project = find_project(session, "rivers")
        (task,) = draw_writing_tasks(session, project, world.checker.store.pages(), count=1, now=world.now)
        place(session.get_one(HighlightRecord, task.highlight_id), kind, *ids)
        task.drawn = {name: str(value) for name, value in drawn._asdict().items()}
    return desk.begin(world.member(NAME), "rivers", **options)


def place(highlight: HighlightRecord, kind: HighlightKind, *ids: str) -> None:
    highlight.page, highlight.kind, highlight.elements = ids[0].rsplit("_", 2)[0], kind, {"ids": list(ids)}


# -- looks -------------------------------------------------------------------------------------------------


def claims_of(desk: Desk) -> list[StudioClaimRecord]:
    with desk.world.studio.database.reading() as session:
        return list(session.scalars(select(StudioClaimRecord).order_by(StudioClaimRecord.id)))


def wait_for_advice(page: Page, name: str, *codes: str) -> None:
    told = page.locator(f"#{name}-advice")
    end = time.monotonic() + 10
    while (found := told.evaluate("list => [...list.children].map((line) => line.dataset.code)")) != list(codes):
        assert time.monotonic() < end, found
        page.wait_for_timeout(50)


def marks_in(page: Page, name: str) -> list[str]:
    return page.locator(f"[data-claim]:has(#{name}) mark").all_inner_texts()


def path_of(page: Page) -> str:
    return urlsplit(page.url).path


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


# -- FEVER's claims ----------------------------------------------------------------------------------------


def test_claims_about_a_sentence_are_written_one_a_line_and_submitted(desk: Desk) -> None:
    page = begin_sentence(desk)
    assert page.locator("[data-claim]:visible").count() == 2
    page.get_by_text("Show context").click()
    assert page.locator(".source-context mark").is_visible()
    page.locator(".source-sentence a", has_text="London").click()
    assert page.locator("#entry-1").get_attribute("open") is not None
    assert page.locator("#entry-2").get_attribute("open") is None
    page.locator("#claim-1").fill("It was held in London")
    wait_for_advice(page, "claim-1", "title-missing", "pronoun", "no-period")
    assert marks_in(page, "claim-1") == ["It", "n"]
    page.locator("#claim-1").fill("The 1948 Summer Olympics took place in London.")
    wait_for_advice(page, "claim-1")
    page.locator("[data-submit]").click()
    page.locator("#claim-2-fault", has_text="Write 2 to 5 claims, or skip the sentence.").wait_for()
    page.locator("[data-more]").click()
    page.locator("#claim-3").fill("Twelve years passed between the Summer Olympics of Berlin and London.")
    saved(page)
    page.locator("[data-submit]").click()
    shown = page.locator("dialog[data-confirm][open]")
    shown.wait_for()
    assert shown.locator(".claim-shown").all_inner_texts() == [
        "The 1948 Summer Olympics took place in London.",
        "Twelve years passed between the Summer Olympics of Berlin and London.",
    ]
    shown.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="Submitted").wait_for()
    assert [claim.text for claim in claims_of(desk)] == [
        "The 1948 Summer Olympics took place in London.",
        "Twelve years passed between the Summer Olympics of Berlin and London.",
    ]
    assert len(desk.answers()) == 1


def test_claims_are_written_by_keyboard_alone(desk: Desk) -> None:
    page = begin_sentence(desk)
    page.keyboard.press("w")
    assert page.evaluate("document.activeElement.id") == "claim-1"
    page.keyboard.type("The 1948 Summer Olympics were held in London?")
    page.keyboard.press("Enter")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")  # opens a third line
    assert page.locator("[data-claim]:visible").count() == 3
    page.keyboard.press("Backspace")  # and closes it
    assert page.locator("[data-claim]:visible").count() == 2
    assert page.evaluate("document.activeElement.id") == "claim-2"
    page.keyboard.press("Control+A")
    page.keyboard.type("Summer Olympics were held in Berlin twelve years before 1948.")
    page.keyboard.press("Control+Enter")
    shown = page.locator("dialog[data-confirm][open]")
    shown.wait_for()
    wait_for_advice(page, "claim-1", "nearly-copied", "question")
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")  # out of the second line, to the end of the first
    assert page.evaluate("document.activeElement.id") == "claim-1"
    page.keyboard.press("Backspace")
    page.keyboard.type(".")
    wait_for_advice(page, "claim-1", "nearly-copied")
    page.keyboard.press("Control+Enter")
    shown.wait_for()
    assert "nearly a sentence of the page" in shown.inner_text()
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="Submitted").wait_for()
    assert [claim.text for claim in claims_of(desk)] == [
        "The 1948 Summer Olympics were held in London.",
        "Summer Olympics were held in Berlin twelve years before 1948.",
    ]


def test_letters_of_keys_are_letters_while_somebody_types(desk: Desk) -> None:
    page = begin_sentence(desk)
    page.locator("#claim-1").focus()
    page.keyboard.type("w?/fbh")
    assert page.input_value("#claim-1") == "w?/fbh"
    assert page.locator("dialog[open]").count() == 0
    page.keyboard.press("Control+Space")
    assert page.locator("#skip[open]").count() == 1
    page.keyboard.press("Escape")
    page.locator("h2").first.click()
    page.keyboard.press("?")
    keys = page.locator("dialog[data-keys][open]")
    keys.wait_for()
    assert "The next claim" in keys.inner_text()


def test_lines_that_are_pasted_become_claims_in_one_step(desk: Desk) -> None:
    page = begin_sentence(desk)
    page.locator("#claim-1").fill("The Danube is a river.\n\nThe Nile is a river.\nK2 is a mountain.")
    assert [page.input_value(f"#claim-{number}") for number in (1, 2, 3)] == [
        "The Danube is a river.",
        "The Nile is a river.",
        "K2 is a mountain.",
    ]
    assert page.locator("[data-count-claims]").inner_text() == "3 claims of 2 to 5"
    page.locator("[data-undo]").click()
    assert [page.input_value(f"#claim-{number}") for number in (1, 2, 3)] == ["", "", ""]
    page.locator("[data-redo]").click()
    assert page.input_value("#claim-3") == "K2 is a mountain."


def test_a_copied_sentence_cannot_be_submitted(desk: Desk) -> None:
    page = begin_sentence(desk)
    page.locator("#claim-1").fill(page.locator(".source-sentence").inner_text())
    page.locator("#claim-2").fill("The 1948 Summer Olympics began in July.")
    wait_for_advice(page, "claim-1", "copied")
    assert page.locator("[data-claim]:has(#claim-1).refused").count() == 1
    page.locator("[data-submit]").click()
    page.locator("[data-faults]", has_text="word for word").wait_for()
    assert page.evaluate("document.activeElement.id") == "claim-1"
    assert page.get_by_text("word for word").count() == 2  # at the field once, and where one submits
    assert page.locator("dialog[open]").count() == 0
    assert not desk.answers()


def test_a_sentence_is_skipped_with_a_reason(desk: Desk) -> None:
    page = begin_sentence(desk)
    page.locator("#claim-1").fill("Half a")
    page.keyboard.press("Control+Space")
    page.get_by_label("Formatting problems").check()
    page.locator("#skip").get_by_role("button", name="Skip").click()
    page.get_by_text("Skipped.").wait_for()
    kept = desk.world.find(AssignmentRecord, 1)
    assert (kept.state, kept.reason) == ("skipped", "formatting")
    assert desk.world.task_of(kept.task_id).state == TaskState.FLAGGED


# -- FEVER's mutations -------------------------------------------------------------------------------------

DANUBE = "The Danube flows through Vienna."


def test_a_claim_is_changed_in_some_of_six_ways(desk: Desk) -> None:
    page = begin_mutations(desk, "The 1948 Summer Olympics took place in London.", OLYMPICS)
    assert page.locator("[data-claim]:visible").count() == 6
    assert page.get_by_role("img", name="A tree of things").is_visible()
    page.locator("[data-submit]").click()
    page.locator(".fault", has_text="Change the claim in at least one way, or skip it.").wait_for()
    page.locator("#mutation-negation").fill("The 1948 Summer Olympics were never in London.")
    wait_for_advice(page, "mutation-negation", "plain-negation")
    assert marks_in(page, "mutation-negation") == ["never"]
    assert page.locator("mark.negation").count() == 1
    page.locator("#mutation-negation").fill("The 1948 Summer Olympics were held outside England.")
    wait_for_advice(page, "mutation-negation")
    page.locator("#mutation-similar_substitution").fill("The 1948 Summer Olympics took place in Paris.")
    page.keyboard.press("Control+Enter")
    page.locator("dialog[data-confirm][open]").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="Submitted").wait_for()
    original, *changed = claims_of(desk)
    assert [(claim.mutation, claim.text) for claim in changed] == [
        (MutationType.NEGATION, "The 1948 Summer Olympics were held outside England."),
        (MutationType.SIMILAR_SUBSTITUTION, "The 1948 Summer Olympics took place in Paris."),
    ]
    assert {claim.parent_id for claim in changed} == {original.id}


def test_a_claim_of_a_file_is_changed_without_a_sentence(desk: Desk) -> None:
    page = begin_mutations(desk, DANUBE)
    assert page.locator(".source, .entries").count() == 0
    page.locator("#mutation-paraphrase").fill(DANUBE)
    wait_for_advice(page, "mutation-paraphrase", "repeated")


def test_what_is_written_twice_in_time_stays_marked_where_it_has_not_changed(desk: Desk) -> None:
    page = begin_mutations(desk, DANUBE)
    page.locator("#mutation-negation").fill("The Danube does not flow.")
    wait_for_advice(page, "mutation-negation", "plain-negation")
    page.locator("#mutation-negation").press("End")
    page.keyboard.type(" Not")
    assert marks_in(page, "mutation-negation")[0] == "not"


# -- FEVEROUS's three claims -------------------------------------------------------------------------------


def test_three_claims_about_a_table_are_written_beside_the_corpus(desk: Desk) -> None:
    page = begin_highlight(desk, ["K2_table_0"])
    assert page.locator("#table_0.highlighted").is_visible()
    assert page.get_by_text("Write a claim that is FALSE.").is_visible()
    assert page.get_by_text("Add something from at least one other page.").is_visible()
    assert page.get_by_text("Change claim I: negation.").is_visible()
    assert page.get_by_text("Write that one first").is_visible()
    page.locator("#claim-1").fill("K2 is lower than Mount Everest")
    assert page.locator("[data-changed-claim]").inner_text().endswith("K2 is lower than Mount Everest")
    wait_for_advice(page, "claim-1", "no-period")
    page.locator("#claim-1").press("End")
    page.keyboard.type(".")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "challenge-1"
    page.locator("#challenge-1").select_option("Numerical Reasoning")
    assert page.locator("#challenge-1-help").inner_text().startswith("Something has to be counted")
    # Another page, and back to the highlight.
    page.locator("#corpus-search").fill("Mount Everest")
    page.get_by_role("option", name="Mount Everest", exact=True).click()
    page.locator("article[data-title='Mount Everest']").wait_for()
    assert page.locator(".highlighted").count() == 0
    page.locator("[data-return]").first.click()
    page.locator("#table_0.highlighted").wait_for()
    page.locator("#claim-2").fill("K2 is lower than Mount Everest, which stands on the border of Nepal.")
    page.locator("#challenge-2").select_option("Multi-hop Reasoning")
    page.locator("#claim-3").fill("K2 is lower than Mount Everest.")
    wait_for_advice(page, "claim-3", "repeated")
    page.locator("#claim-3").fill("K2 is at least as high as Mount Everest.")
    page.locator("[data-submit]").click()
    page.locator("#challenge-3-fault").wait_for()
    assert page.evaluate("document.activeElement.id") == "challenge-3"
    page.locator("#challenge-3").select_option("Other")
    assert page.locator(".fault").count() == 0
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")  # each side scrolls by itself
    page.locator("#challenge-3").press("Control+Enter")
    shown = page.locator("dialog[data-confirm][open]")
    shown.wait_for()
    assert "Expected challenge: Multi-hop reasoning" in shown.inner_text()
    shown.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="Submitted").wait_for()
    first, second, third = claims_of(desk)
    assert (first.prescribed_truth, first.expected_challenge) == ("false", "Numerical Reasoning")
    assert second.page_rule == PageRule.SEVERAL_PAGES
    assert (third.mutation, third.parent_id) == (MutationType.NEGATION, first.id)


def test_four_sentences_are_marked_in_their_page(desk: Desk) -> None:
    ids = [f"Olympic Games_sentence_{number}" for number in range(1, 5)]
    page = begin_highlight(desk, ids, kind=HighlightKind.SENTENCES)
    marked = page.locator(".highlighted")
    assert [each.get_attribute("id") for each in marked.all()] == [f"sentence_{number}" for number in range(1, 5)]
    assert marked.first.inner_text().startswith("Highlight begins:")
    page.locator("#claim-1").fill(marked.nth(1).inner_text())
    wait_for_advice(page, "claim-1", "copied")


# -- nothing is lost ---------------------------------------------------------------------------------------


def test_a_draft_outlives_a_reload_and_two_windows_show_the_same(desk: Desk) -> None:
    page = begin_highlight(desk, ["K2_table_0"])
    page.locator("#claim-1").fill("K2 is high.")
    page.locator("#challenge-2").select_option("Other")
    saved(page)
    page.reload()
    assert page.input_value("#claim-1") == "K2 is high."
    assert page.input_value("#challenge-2") == "Other"
    other = desk.open(page.context, path_of(page))
    assert other.input_value("#claim-1") == "K2 is high."
    other.locator("#claim-2").fill("K2 is in Asia.")
    saved(other)
    until(lambda: page.input_value("#claim-2") == "K2 is in Asia.")
    page.locator("#claim-2").fill("K2 lies in Asia.")
    saved(page)
    until(lambda: other.input_value("#claim-2") == "K2 lies in Asia.")
    assert dict(desk.draft().fields) == {
        "claim-1": "K2 is high.",
        "challenge-2": "Other",
        "claim-2": "K2 lies in Asia.",
    }


def test_what_another_window_changed_is_shown_before_it_is_submitted(desk: Desk) -> None:
    page = begin_mutations(desk, DANUBE, expect_errors=True)  # the browser logs the answer 409
    page.locator("#mutation-paraphrase").fill("Vienna lies on the Danube.")
    page.keyboard.press("Control+Enter")
    page.locator("dialog[data-confirm][open]").wait_for()
    another_browser = desk.sit_down(desk.world.sign_in(NAME))  # windows of one tell each other
    other = desk.open(another_browser, path_of(page), expect_errors=True)
    other.locator("#mutation-paraphrase").fill("Vienna stands on the Danube.")
    saved(other)
    page.keyboard.press("Control+Enter")
    stale = page.locator("dialog[data-stale][open]")
    stale.wait_for()
    assert "Vienna lies" in stale.locator("[data-mine]").inner_text()
    assert "Vienna stands" in stale.locator("[data-theirs]").inner_text()
    stale.locator("[data-choose=mine]").click()
    page.locator("dialog[data-confirm][open]").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="Submitted").wait_for()
    assert [claim.text for claim in claims_of(desk)][1:] == ["Vienna lies on the Danube."]


def test_advice_comes_again_with_the_connection(desk: Desk) -> None:
    page = begin_mutations(desk, DANUBE, expect_errors=True)
    page.context.set_offline(True)
    page.locator("#mutation-negation").fill("The Danube is not a river.")
    page.get_by_text("No connection to the studio.").wait_for()
    page.context.set_offline(False)
    wait_for_advice(page, "mutation-negation", "plain-negation")
    saved(page)
    assert dict(desk.draft().fields) == {"mutation-negation": "The Danube is not a river."}


def test_what_a_claim_holds_is_text(desk: Desk) -> None:
    harm = "<img src=x onerror=document.title='harm'> is not <b>bold</b>."
    page = begin_mutations(desk, harm)
    assert page.locator(".claim-text").first.inner_text().endswith(harm)
    page.locator("#mutation-negation").fill(harm.replace("bold", "thin"))
    wait_for_advice(page, "mutation-negation", "small-letter", "plain-negation")
    page.keyboard.press("Control+Enter")
    shown = page.locator("dialog[data-confirm][open]")
    shown.wait_for()
    assert "<b>thin</b>" in shown.inner_text()
    assert page.title() != "harm"


# -- for everybody -----------------------------------------------------------------------------------------


SCREENS: dict[str, Callable[..., Page]] = {
    "sentence": begin_sentence,
    "mutations": partial(begin_mutations, text="The 1948 Summer Olympics took place in London.", sentence=OLYMPICS),
    "highlight": partial(begin_highlight, ids=("K2_table_0",)),
}


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_no_fault_and_nothing_is_too_wide(desk: Desk, screen: str) -> None:
    page = SCREENS[screen](desk, viewport=PHONE)
    name = "mutation-negation" if screen == "mutations" else "claim-1"
    codes = ["title-missing", "pronoun", *(["plain-negation"] if screen == "mutations" else []), "no-period"]
    assert faults_of(page) == []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert fits(page), width
    page.locator(f"#{name}").fill("It is not good")
    wait_for_advice(page, name, *codes)
    page.emulate_media(color_scheme="dark")
    assert faults_of(page) == []
    page.locator("[data-opens=skip]").click()
    assert faults_of(page) == []
