"""Verifying and labelling in Chromium: by mouse, by keyboard alone, in two windows, and when things go wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.studio.desk import PHONE, Desk, desk_of, faults_of, saved
from tests.web.studio.test_working import SUMMIT
from tests.web.studio.world import PASSWORD, Person, World
from veritab.studio.log import LogEvent, LogOperation, fold
from veritab.studio.projects import Workflow, find_project
from veritab.studio.records import HighlightRecord, ReportRecord, StudioClaimRecord, TaskRecord
from veritab.web.pages.templating import script_address

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SECOND = "Mount Everest_sentence_1"


@pytest.fixture
def desk(world: World, browser: Browser) -> Iterator[Desk]:
    world.task()
    with desk_of(world, browser) as made:
        yield made


@pytest.fixture
def fox(world: World) -> Person:
    return world.member("quiet-fox")


def look_up(page: Page, title: str) -> None:
    """Open a page of the corpus by its title."""
    page.fill("#corpus-search", "")
    page.locator("#corpus-search").press_sequentially(title)
    page.locator("[role=option]", has_text=title).first.click()
    page.wait_for_selector(f"article[data-place='{title}']")


def pieces(page: Page) -> list[str]:
    """The evidence of the current set."""
    found: list[str] = page.eval_on_selector_all("[data-piece]", "all => all.map(each => each.dataset.piece)")
    return found


def ids(desk: Desk) -> list[list[str]]:
    return [[str(id) for id in pieces] for pieces in desk.draft().sets]


def mark(page: Page, name: str) -> None:
    """Click a word of an element that is no link."""
    place = page.locator(f"#{name}").evaluate(
        """element => {
          const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          while (walk.nextNode()) {
            const node = walk.currentNode, range = new Range();
            if (node.parentElement.closest('a, .aloud') || !node.data.trim()) continue;
            element.scrollIntoView({ block: 'center' });
            const start = node.data.search(/[^ ]/);
            range.setStart(node, start), range.setEnd(node, start + 1);
            const box = range.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
          }
        }"""
    )
    page.mouse.click(*place)


def give_verdict(page: Page, words: str = "Supported") -> None:
    page.locator("label", has_text=words).locator("[name=verdict]").check()


def challenge(page: Page) -> None:
    page.check("[name=challenge][value=Other]")


# -- FEVEROUS's verification -------------------------------------------------------------------------------


def test_a_verdict_without_evidence_is_told_so(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    give_verdict(page)
    challenge(page)
    page.click("[data-submit]")
    page.locator("[data-faults]", has_text="needs evidence").wait_for()  # no field is at fault: the script goes on


def test_steps_that_meet_a_changed_corpus_are_sent_once_it_is_back(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, expect_errors=True)
    saved(page)

    def put(digest: str) -> str:
        with desk.world.writing() as session:
            project = find_project(session, "rivers")
            before, project.corpus_digest = project.corpus_digest, digest
            return before

    as_it_was = put("another")
    give_verdict(page)
    told = page.locator("[data-banner]", has_text="a manager brings back what it was")
    told.wait_for()
    assert "1 step is kept in this browser and will be sent." in told.inner_text()
    put(as_it_was)
    page.reload()
    saved(page)
    assert desk.draft().fields["verdict"] == "SUPPORTS"


def test_a_claim_is_verified_with_the_mouse(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    look_up(page, "Mount Everest")
    mark(page, "sentence_0")
    look_up(page, "Eight-thousander")
    mark(page, "cell_2_1_2")
    page.wait_for_selector("#header_cell_2_0_2.context")
    assert page.locator("h2.context").inner_text() == "Eight-thousander"
    assert "picked" in str(page.get_attribute("#cell_2_1_2", "class"))
    assert pieces(page) == [SUMMIT, "Eight-thousander_cell_2_1_2"]
    give_verdict(page)
    challenge(page)
    page.click("[data-submit]")
    confirm = page.locator("dialog[data-confirm]")
    confirm.wait_for()
    shown = confirm.inner_text()
    for words in (
        "Mount Everest is taller than K2.",
        "Supported",
        "Other",
        "Mount Everest is the highest mountain",
        "›",
    ):
        assert words in shown
    confirm.locator("button[type=submit]").click()
    page.wait_for_selector("h1:text-is('Submitted')")
    (answer,) = desk.answers()
    assert (answer.label, answer.challenge) == ("SUPPORTS", "Other")
    assert ids(desk) == [[SUMMIT, "Eight-thousander_cell_2_1_2"]]
    assert [(each.operation, each.value) for each in desk.draft().operations] == [
        ("start", "start"),
        ("Now on", "?search="),
        ("search", "Mount Everest"),
        ("Now on", "Mount Everest"),
        ("Highlighting", SUMMIT),
        ("search", "Eight-thousander"),
        ("Now on", "Eight-thousander"),
        ("Highlighting", "Eight-thousander_cell_2_1_2"),
        ("finish", "finish"),
    ]


def test_a_claim_is_verified_by_the_keyboard_alone(desk: Desk, fox: Person) -> None:
    desk.world.task("K2 is higher than Mount Everest.")
    page = desk.begin(fox)
    press = page.keyboard.press
    press("/")
    page.keyboard.type("eight-th")
    page.locator("[role=option]").first.wait_for()
    press("ArrowDown")
    press("Enter")
    page.wait_for_selector("article[data-place='Eight-thousander']")
    press("e")
    here = "document.activeElement.id"
    assert page.evaluate(here) == "header_cell_0_0_0"
    press("ArrowDown")
    press("ArrowRight")
    assert page.evaluate(here) == "cell_0_1_1"
    press("ArrowUp")
    press("ArrowUp")  # there is nothing above
    press("ArrowDown")
    press("ArrowRight")
    press("Enter")
    for _ in range(6):
        press("ArrowDown")
    assert page.evaluate(here) == "sentence_0"
    press("Enter")
    press("ArrowLeft")
    press("r")
    last = page.evaluate(here).removeprefix("cell_")
    assert pieces(page) == [f"Eight-thousander_{name}" for name in ("cell_0_1_1", "sentence_0", f"cell_{last}")]
    press("1")
    page.wait_for_selector("[name=verdict][value=SUPPORTS]:checked")
    for _ in range(60):
        press("Tab")
        if page.evaluate("document.activeElement.name") == "challenge":
            break
    press("Space")
    press("Control+Enter")
    page.locator("dialog[data-confirm]").wait_for()
    press("Control+Enter")
    page.wait_for_selector("h1:text-is('Submitted')")
    assert [each.label for each in desk.answers()] == ["SUPPORTS"]
    assert page.evaluate("document.activeElement.textContent") == "Next task"
    press("Enter")
    page.wait_for_selector(".claim-text:text('K2 is higher')")


def test_a_row_and_a_column_are_one_step_each_also_where_cells_span(desk: Desk, fox: Person) -> None:
    table = desk.world.checker.store.page("Eight-thousander").tables[2]
    row = [str(id) for id in table.grid[3][1:] if id]
    column = [str(line[2]) for line in table.grid[1:]]
    page = desk.begin(fox)
    look_up(page, "Eight-thousander")
    mark(page, "cell_2_3_1")
    page.keyboard.press("r")
    assert sorted(pieces(page)) == row
    page.keyboard.press("Control+z")
    assert pieces(page) == ["Eight-thousander_cell_2_3_1"]
    page.keyboard.press("Control+Shift+Z")
    assert sorted(pieces(page)) == row
    page.keyboard.press("r")
    assert pieces(page) == []
    page.click("[data-column]")
    assert pieces(page) == column
    page.keyboard.press("Control+z")
    saved(page)
    assert ids(desk) == [[]]


def test_undo_takes_back_a_verdict_and_what_went_with_it(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    give_verdict(page, "Refuted")
    page.locator("[data-misled] [value=no]").check()
    assert page.is_checked("[name=verdict][value='NOT ENOUGH INFO']")
    assert "not enough information" in page.locator("[data-verdict-changed]").inner_text()
    assert page.locator("[data-misled]").is_hidden()
    page.click("[data-undo]")
    assert page.is_checked("[name=verdict][value=REFUTES]")
    assert not page.is_checked("[data-misled] [value=no]")
    page.locator("[data-misled] [value=yes]").check()
    saved(page)
    assert desk.draft().fields == {"verdict": "REFUTES", "misled": "yes"}


def test_evidence_sets_are_added_filled_and_removed(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    look_up(page, "Mount Everest")
    mark(page, "sentence_0")
    page.keyboard.press("n")
    mark(page, "sentence_1")
    page.click("[data-add-set]")
    mark(page, "sentence_2")
    assert page.locator("[role=tab]").count() == 3
    assert page.is_disabled("[data-add-set]")
    page.click("[role=tab] >> nth=1")
    assert pieces(page) == [SECOND]
    assert "picked-elsewhere" in str(page.get_attribute("#sentence_0", "class"))
    page.click("[data-remove-set]")
    saved(page)
    assert ids(desk)[:2] == [[SUMMIT], ["Mount Everest_sentence_2"]]
    page.keyboard.press("Control+z")
    saved(page)
    assert ids(desk) == [[SUMMIT], [SECOND], ["Mount Everest_sentence_2"]]


def test_what_is_missing_is_told_before_anything_is_submitted(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[data-faults] li")
    told = page.locator("[data-faults]").inner_text()
    assert "Choose a verdict" in told
    assert page.evaluate("document.activeElement.hasAttribute('data-refused')")
    page.keyboard.press("3")
    challenge(page)
    assert page.locator("[data-wants-evidence]").is_visible()
    page.click("[data-submit]")
    page.locator("dialog[data-confirm]").wait_for()
    assert "Is there nothing that speaks to the claim?" in page.locator("[data-warnings]").inner_text()
    assert "No evidence." in page.locator("[data-shown]").inner_text()
    page.click("dialog[data-confirm] [data-close]")
    assert desk.answers() == []


def test_keys_do_nothing_while_somebody_types(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    page.click("details.note summary")
    page.fill("#note", "")
    page.locator("#note").press_sequentially("1 2 3 r c n ? / b")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Space")
    assert page.locator("dialog[open]").count() == 0
    page.evaluate("document.activeElement.blur()")
    saved(page)
    assert set(desk.draft().fields) == {"note"}
    assert desk.draft().fields["note"].startswith("1 2 3 r c n ? / b")
    page.keyboard.press("?")
    keys = page.locator("dialog[data-keys]").inner_text()
    for words in ("Ctrl+Enter", "Ctrl+Space", "Ctrl+Z", "Ctrl+Shift+Z", "The whole row", "The whole column"):
        assert words in keys
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Space")
    assert page.locator("#skip[open]").count() == 1


def test_only_not_enough_information_is_left_when_the_time_is_over(desk: Desk, fox: Person) -> None:
    address = fox.send("/p/rivers/next").headers["location"]
    desk.world.now += 601
    page = desk.open(desk.sit_down(fox), address)
    assert page.locator("[data-time-told]").is_visible()
    assert page.locator("[data-clock]").inner_text().startswith("10:0")
    assert page.is_disabled("[name=verdict][value=SUPPORTS]")
    page.keyboard.press("1")
    page.keyboard.press("3")
    assert page.is_checked("[name=verdict][value='NOT ENOUGH INFO']")


def test_a_claim_is_reported_from_its_dialog(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    look_up(page, "Mount Everest")
    mark(page, "sentence_0")
    page.click("[data-opens=report]")
    page.check("#report [value=note]")
    page.fill("#report-note", "It compares nothing.")
    page.click("#report button[type=submit]")
    page.wait_for_url("**/p/rivers?done=reported")
    with desk.world.studio.database.reading() as session:
        assert session.query(ReportRecord).one().note == "It compares nothing."
    assert ids(desk) == [[SUMMIT]]  # what was done before is kept


def test_a_comment_is_added_without_leaving_the_page(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    page.click("#comments summary")
    page.fill("#comment", "Which K2 <b>is</b> meant?")
    page.click("form[data-comment] button")
    page.wait_for_selector(".comments li:has-text('Which K2 <b>is</b> meant?')")


# -- the corpus --------------------------------------------------------------------------------------------


def operations(desk: Desk) -> list[tuple[str, str]]:
    return [(each.operation.value, each.value) for each in desk.log()]


def test_searching_links_contents_and_back_are_logged_as_feverous_does(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    page.locator("#corpus-search").press_sequentially("highest mountain")
    page.locator("[role=option].containing").click()
    page.wait_for_selector(".place-results .found")
    page.locator(".found h3 a", has_text="Mount Everest").first.click()
    page.wait_for_selector("article[data-place='Mount Everest']")
    page.click(".page-contents summary")
    page.locator(".page-contents a").first.click()
    page.locator("article p a", has_text="Nepal").first.click()
    page.wait_for_selector("article[data-place=Nepal]")
    page.click("[data-back]")
    page.wait_for_selector("article[data-place='Mount Everest']")
    page.go_back()
    page.wait_for_selector(".place-results")
    page.go_forward()
    page.wait_for_selector("article[data-place='Mount Everest']")
    saved(page)
    contents = next(value for name, value in operations(desk) if name == "hyperlink" and "_section_" in value)
    assert contents.endswith("Mount Everest_section_0")
    assert [pair for pair in operations(desk) if pair[1] != contents] == [
        ("start", "start"),
        ("Now on", "?search="),
        ("search", "Contains...highest mountain"),
        ("Now on", "?search=highest mountain"),
        ("hyperlink", "Mount Everest"),
        ("Now on", "Mount Everest"),
        ("hyperlink", "Nepal"),
        ("Now on", "Nepal"),
        ("back-button-clicked", "back-button-clicked"),
        ("Now on", "Mount Everest"),
        ("back-button-clicked", "back-button-clicked"),
        ("Now on", "?search=highest mountain"),
        ("Now on", "Mount Everest"),
    ]


def test_words_are_found_on_the_page_counted_and_let_go(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    look_up(page, "Mount Everest")
    page.keyboard.press("f")
    page.keyboard.type("nepal")
    count = page.locator("[data-count]")
    assert count.inner_text().startswith("1 of ")
    total = int(count.inner_text().split()[2])
    page.keyboard.press("Enter")
    assert count.inner_text().startswith("2 of ")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    assert count.inner_text().startswith(f"{total} of ")
    assert page.evaluate("CSS.highlights.get('found').size") == total
    page.click("[data-reset]")
    assert count.inner_text() == ""
    saved(page)
    assert [pair for pair in operations(desk) if "earch" in pair[0]] == [
        ("search", "Mount Everest"), ("Page search", "nepal"), ("page-search-reset", "page-search-reset"),
    ]  # fmt: skip


def test_a_reload_and_a_second_look_show_what_was_there(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    address = page.url
    look_up(page, "Mount Everest")
    mark(page, "sentence_1")
    give_verdict(page)
    saved(page)
    for path in (page.url, address):
        page.goto(path)
        assert page.get_attribute("article", "data-place") == "Mount Everest"
        assert pieces(page) == [SECOND]
        assert "picked" in str(page.get_attribute("#sentence_1", "class"))
        assert page.is_checked("[name=verdict][value=SUPPORTS]")
        assert page.is_enabled("[data-undo]")
    saved(page)
    assert [name for name, _ in operations(desk)].count("Now on") == 2


def test_a_piece_leads_back_to_its_page(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    look_up(page, "Mount Everest")
    mark(page, "sentence_0")
    look_up(page, "K2")
    page.click(".pieces summary")
    page.click(".pieces a")
    page.wait_for_selector("article[data-place='Mount Everest']")
    page.wait_for_selector("#sentence_0:focus")
    page.keyboard.press("Enter")
    assert pieces(page) == []


def test_every_row_of_a_table_is_drawn_and_scrolls_in_its_frame(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox)
    look_up(page, "FIFA World Cup")
    assert page.locator("#FIFA, .left-out").count() == 0
    table = page.locator(".scroll", has=page.locator("[id^=cell_1_]"))
    assert table.locator("tr").count() == 25
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# -- when things go wrong ----------------------------------------------------------------------------------


def test_two_windows_both_add_and_each_shows_both(desk: Desk, fox: Person) -> None:
    context = desk.sit_down(fox)
    address = fox.send("/p/rivers/next").headers["location"]
    one, other = (
        desk.open(context, f"{address}?title=Mount+Everest"),
        desk.open(context, f"{address}?title=Mount+Everest"),
    )
    mark(one, "sentence_0")
    other.wait_for_selector(f"[data-piece='{SUMMIT}']")
    mark(other, "sentence_1")
    one.wait_for_selector(f"[data-piece='{SECOND}']")
    assert pieces(one) == pieces(other) == [SUMMIT, SECOND]
    one.keyboard.press("Control+z")
    other.wait_for_selector(f"[data-piece='{SECOND}']", state="detached")
    saved(one)
    assert ids(desk) == [[SUMMIT]]


def test_a_submission_that_another_window_overtook_shows_both_versions(desk: Desk, fox: Person) -> None:
    address = fox.send("/p/rivers/next").headers["location"]
    one = desk.open(desk.sit_down(fox), f"{address}?title=Mount+Everest", expect_errors=True)
    mark(one, "sentence_0")
    give_verdict(one)
    challenge(one)
    one.click("[data-submit]")
    one.locator("dialog[data-confirm]").wait_for()
    other = desk.open(desk.sit_down(fox), f"{address}?title=Mount+Everest", expect_errors=True)  # another browser
    mark(other, "sentence_1")
    saved(other)
    one.click("dialog[data-confirm] button[type=submit]")
    stale = one.locator("dialog[data-stale]")
    stale.wait_for()
    assert "It lies on the border" not in stale.locator("[data-mine]").inner_text()
    assert stale.locator("[data-mine] li").count() == 1
    assert stale.locator("[data-theirs] li").count() == 2
    assert faults_of(one) == []
    assert desk.answers() == []
    stale.locator("[data-choose=mine]").click()
    one.locator("dialog[data-confirm]").wait_for()
    one.click("dialog[data-confirm] button[type=submit]")
    one.wait_for_selector("h1:text-is('Submitted')")
    assert ids(desk) == [[SUMMIT]]
    mark(other, "sentence_2")
    other.wait_for_selector("[data-banner]:has-text('submitted in another window')")
    assert len(desk.answers()) == 1


def test_without_a_connection_everything_waits_and_nothing_is_lost(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, expect_errors=True)
    look_up(page, "Mount Everest")
    saved(page)
    page.context.set_offline(True)
    mark(page, "sentence_0")
    mark(page, "sentence_1")
    page.keyboard.press("Control+z")
    page.keyboard.press("2")
    page.wait_for_selector("[data-banner]:has-text('No connection')")
    assert "4 steps are kept in this browser" in page.locator("[data-banner]").inner_text()
    assert pieces(page) == [SUMMIT]
    page.click("[data-submit]")
    assert page.locator("dialog[open]").count() == 0
    page.locator("article p a").first.click()
    page.wait_for_selector("[data-browser-note]:has-text('no connection')")
    page.context.set_offline(False)
    saved(page)
    assert page.locator("[data-banner]").is_hidden()
    assert ids(desk) == [[SUMMIT]]
    assert desk.draft().fields == {"verdict": "REFUTES"}


def test_what_a_window_left_behind_is_sent_by_the_next(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, expect_errors=True)
    look_up(page, "Mount Everest")
    saved(page)
    page.context.set_offline(True)
    mark(page, "sentence_0")
    page.wait_for_selector("[data-banner]:has-text('No connection')")
    page.close()
    context = page.context
    context.set_offline(False)
    again = desk.open(context, page.url.removeprefix(desk.home))
    saved(again)
    assert pieces(again) == [SUMMIT]
    assert ids(desk) == [[SUMMIT]]
    assert again.evaluate("Object.keys(localStorage).filter(each => each.startsWith('veritab-studio')).length") == 0


def test_a_server_that_was_killed_and_came_back_has_everything_once(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, expect_errors=True)
    look_up(page, "Mount Everest")
    mark(page, "sentence_0")
    saved(page)
    desk.stop()
    mark(page, "sentence_1")
    give_verdict(page)
    challenge(page)
    page.wait_for_selector("[data-banner]:has-text('No connection')")
    desk.start()
    page.click("[data-again]")
    saved(page)
    assert ids(desk) == [[SUMMIT, SECOND]]
    page.click("[data-submit]")
    page.locator("dialog[data-confirm]").wait_for()
    desk.stop()
    page.click("dialog[data-confirm] button[type=submit]")
    page.wait_for_selector("[data-sending]:has-text('no connection')")
    desk.start()
    page.wait_for_selector("h1:text-is('Submitted')")
    assert len(desk.answers()) == 1


def test_an_answer_whose_confirmation_got_lost_is_submitted_once(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, expect_errors=True)
    look_up(page, "Mount Everest")
    mark(page, "sentence_0")
    give_verdict(page)
    challenge(page)
    page.click("[data-submit]")
    page.locator("dialog[data-confirm]").wait_for()
    lost: list[str] = []

    def lose(route: Any) -> None:
        if not lost:
            route.fetch()  # the server has it; the answer never arrives
            lost.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    page.route("**/submit", lose)
    page.click("dialog[data-confirm] button[type=submit]")
    page.wait_for_selector("h1:text-is('Submitted')")
    assert lost
    assert len(desk.answers()) == 1


def test_a_session_that_is_over_keeps_everything_until_one_is_signed_in_again(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, expect_errors=True)
    look_up(page, "Mount Everest")
    saved(page)
    desk.end_logins("quiet-fox")
    mark(page, "sentence_0")
    banner = page.locator("[data-banner]")
    page.wait_for_selector("[data-banner]:has-text('You are signed out')")
    assert "1 step is kept in this browser" in banner.inner_text()
    with page.context.expect_page() as opening:
        banner.locator("[data-sign-in]").click()
    signing = opening.value
    signing.fill("#name", "quiet-fox")
    signing.fill("#password", PASSWORD)
    signing.click("form.fields button[type=submit]")
    signing.wait_for_url(f"{desk.home}/")
    page.bring_to_front()
    page.click("[data-again]")
    saved(page)
    assert ids(desk) == [[SUMMIT]]
    mark(page, "sentence_1")
    saved(page)
    assert ids(desk) == [[SUMMIT, SECOND]]


def test_a_step_that_cannot_be_kept_is_left_out_and_told(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, expect_errors=True)
    look_up(page, "Mount Everest")
    page.locator("#sentence_1").evaluate("each => { each.id = 'sentence_x'; }")
    mark(page, "sentence_0")
    mark(page, "sentence_x")
    mark(page, "sentence_2")
    page.wait_for_selector("[data-banner]:has-text('One step could not be kept')")
    saved(page)
    assert ids(desk) == [[SUMMIT, "Mount Everest_sentence_2"]]


# -- FEVER's labelling -------------------------------------------------------------------------------------


@pytest.fixture
def labeller(world: World) -> Person:
    """Somebody with a claim about Mount Everest to label."""
    world.project("fever", Workflow.FEVER)
    task = world.task("Mount Everest is the highest mountain on Earth.", "fever")
    with world.writing() as session:
        record = session.get_one(TaskRecord, task)
        highlight = HighlightRecord(
            project_id=record.project_id, page="Mount Everest", kind="sentences", elements={"ids": [SUMMIT]}
        )
        session.add(highlight)
        session.flush()
        session.get_one(StudioClaimRecord, record.claim_id).highlight_id = highlight.id
    return world.member("quiet-fox", "fever")


def test_groups_of_sentences_support_or_refute_a_claim(desk: Desk, labeller: Person) -> None:
    page = desk.begin(labeller, "fever")
    first = page.locator(f"[data-sentence='{SUMMIT}']")
    first.locator("[data-expand]").click()
    first.locator("[data-introduction=Earth] input").first.check()
    first.locator("[data-verdict=SUPPORTS]").click()
    page.wait_for_selector("[data-groups] li")
    second = page.locator(f"[data-sentence='{SECOND}']")
    second.locator("[data-expand]").click()
    second.get_by_text("Add this page").click()
    second.locator("[data-introduction='Mount Everest'] input").first.check()
    second.locator("input[type=search]").press_sequentially("K2")
    second.locator("[role=option]", has_text="K2").first.click()
    second.locator("[data-introduction=K2] input").first.check()
    page.reload()  # what is ticked stays
    second.locator("[data-introduction=K2] input:checked").wait_for()
    page.locator("body").click(position={"x": 600, "y": 20})
    page.keyboard.press("1")
    page.wait_for_selector("[data-groups] li >> nth=1")
    saved(page)
    assert ids(desk) == [[SUMMIT, "Earth_sentence_0"], [SECOND, SUMMIT, "K2_sentence_0"]]
    assert desk.draft().fields == {"set-1-verdict": "SUPPORTS", "set-2-verdict": "SUPPORTS"}
    page.click("[data-submit][data-flag]")
    page.locator("dialog[data-confirm]").wait_for()
    assert page.locator("[data-flagged]").is_visible()
    page.click("dialog[data-confirm] button[type=submit]")
    page.wait_for_selector("h1:text-is('Submitted')")
    (answer,) = desk.answers()
    assert (answer.label, answer.is_flagged) == ("SUPPORTS", True)


def test_a_group_that_is_there_already_is_warned_of_and_one_can_be_taken_away(desk: Desk, labeller: Person) -> None:
    page = desk.begin(labeller, "fever")
    first = page.locator(f"[data-sentence='{SUMMIT}']")
    for verdict in ("SUPPORTS", "REFUTES"):
        first.locator("[data-expand]").click()
        first.locator(f"[data-verdict={verdict}]").click()
    assert "are a group already" in first.locator(".notice").inner_text()
    first.locator("[data-cancel]").click()
    assert first.locator(".expanded").count() == 0
    saved(page)
    assert desk.draft().fields == {"set-1-verdict": "SUPPORTS"}
    page.get_by_text("Take it away").click()
    saved(page)
    assert ids(desk) == [[]]
    page.keyboard.press("Control+z")
    saved(page)
    assert ids(desk) == [[SUMMIT]]
    assert desk.draft().fields == {"set-1-verdict": "SUPPORTS"}


def test_a_claim_is_skipped_for_one_of_fevers_reasons(desk: Desk, labeller: Person) -> None:
    page = desk.begin(labeller, "fever")
    page.keyboard.press("Control+Space")
    assert page.locator("#skip [name=reason]").count() == 5
    page.check("#skip [value='not enough information']")
    page.click("#skip button[type=submit]")
    page.wait_for_selector("h1:text-is('Submitted')")
    assert [each.label for each in desk.answers()] == ["NOT ENOUGH INFO"]


# -- plain claims ------------------------------------------------------------------------------------------


def test_the_checkers_answer_comes_after_ones_own_which_may_be_changed_then(desk: Desk) -> None:
    world = desk.world
    world.project("after", Workflow.PLAIN, suggestion="after")
    world.task(project="after", wanted=2)
    world.studio._checkers["", True] = world.checker
    page = desk.begin(world.member("quiet-fox", "after"), "after")
    assert page.locator("[data-suggestion]").count() == 0
    look_up(page, "Mount Everest")
    mark(page, "sentence_0")
    give_verdict(page)
    page.click("[data-submit]")
    page.click("dialog[data-confirm] button[type=submit]")
    page.wait_for_selector("[data-said]:has-text('The checker says')")
    page.click("text=Change my answer")
    page.wait_for_selector("[data-answer]")
    page.keyboard.press("3")
    saved(page)
    page.click("[data-submit]")
    page.click("dialog[data-confirm] button[type=submit]")
    page.wait_for_selector("h1:text-is('Submitted')")
    assert [(each.label, each.suggestion.get("shown", "")) for each in desk.answers()] == [
        ("SUPPORTS", ""), ("NOT ENOUGH INFO", "after"),
    ]  # fmt: skip


def test_a_built_claim_is_rated_before_it_is_labelled(desk: Desk) -> None:
    from veritab.studio.vocabulary import TaskKind

    world = desk.world
    world.project("built", Workflow.PLAIN, suggestion="first")
    world.task(project="built", kind=TaskKind.PLAIN_RATING)
    world.studio._checkers["", True] = world.checker
    page = desk.begin(world.member("quiet-fox", "built"), "built")
    page.wait_for_selector("[data-said]")
    assert page.locator("[name=verdict]").first.is_hidden()
    page.check("[name=rating][value=minor]")
    assert page.locator("[name=cause]").first.is_hidden()
    page.keyboard.press("2")
    page.check("[name=rating][value=incomprehensible]")
    assert page.locator("[data-no-label]").is_visible()
    saved(page)
    assert desk.draft().fields == {"rating": "incomprehensible", "verdict": ""}
    page.click("[data-undo]")
    saved(page)
    assert desk.draft().fields == {"rating": "minor", "verdict": "REFUTES"}
    page.check("[name=cause][value=antonym]")
    page.click("[data-submit]")
    page.click("dialog[data-confirm] button[type=submit]")
    page.wait_for_selector("h1:text-is('Submitted')")
    (answer,) = desk.answers()
    assert (answer.rating, answer.label, answer.suggestion["shown"]) == ("minor", "REFUTES", "first")
    assert answer.fields == {"cause": "antonym"}


# -- how it looks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_on_the_working_screen(desk: Desk, fox: Person, scheme: str) -> None:
    page = desk.begin(fox, color_scheme=scheme)
    assert faults_of(page) == []
    look_up(page, "Eight-thousander")
    mark(page, "sentence_0")
    mark(page, "cell_2_1_2")
    page.keyboard.press("n")
    mark(page, "cell_2_1_1")
    page.wait_for_selector("#header_cell_2_0_1.context")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    give_verdict(page, "Refuted")
    assert faults_of(page) == []
    page.locator("[data-misled] [value=yes]").check()
    challenge(page)
    for button, dialog in (
        ("[data-submit]", "[data-confirm]"),
        ("[data-opens=report]", "#report"),
        ("[data-opens=skip]", "#skip"),
    ):
        page.click(button)
        page.locator(f"dialog{dialog}[open]").wait_for()
        assert faults_of(page) == [], dialog
        page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    page.click("[data-submit]")
    page.click("dialog[data-confirm] button[type=submit]")
    page.wait_for_selector("h1:text-is('Submitted')")
    assert faults_of(page) == []


def test_axe_finds_no_fault_while_claims_are_labelled(desk: Desk, labeller: Person) -> None:
    page = desk.begin(labeller, "fever")
    page.locator("[data-expand]").first.click()
    page.locator(".introduction input").first.check()
    assert faults_of(page) == []
    page.locator("[data-verdict=REFUTES]").click()
    page.wait_for_selector("[data-groups] li")
    assert faults_of(page) == []


def test_a_claim_is_verified_on_a_phone(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)

    def fits() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth <= 360"))

    assert fits()
    look_up(page, "Eight-thousander")
    assert fits()
    page.locator("#sentence_0").tap(position={"x": 3, "y": 5})
    page.click("[data-look-at=answer]")
    assert pieces(page) == ["Eight-thousander_sentence_0"]
    assert fits()
    page.locator("label:has([name=verdict][value=SUPPORTS])").tap()
    page.locator("label:has([name=challenge][value=Other])").tap()
    page.locator("[data-submit]").tap()
    page.locator("dialog[data-confirm] button[type=submit]").tap()
    page.wait_for_selector("h1:text-is('Submitted')")
    assert fits()
    assert len(desk.answers()) == 1


def test_without_script_one_reads_searches_and_skips_and_is_told_the_rest(desk: Desk, fox: Person) -> None:
    page = desk.begin(fox, java_script_enabled=False)
    assert "needs JavaScript" in page.locator("main").inner_text()
    page.fill("#corpus-search", "highest mountain")
    page.press("#corpus-search", "Enter")
    page.locator(".found a").first.click()
    assert page.locator("article").count() == 1
    page.click("noscript button")
    page.wait_for_url("**/p/rivers?done=skipped")


# -- one log, folded twice ---------------------------------------------------------------------------------


def test_the_browser_folds_a_log_as_the_studio_does(desk: Desk, fox: Person) -> None:
    rng = random.Random(19)
    elements = [f"Nile_sentence_{number}" for number in range(4)]

    def draw(number: int) -> LogEvent:
        operation = rng.choice(
            [LogOperation.HIGHLIGHT] * 4 + [LogOperation.UNHIGHLIGHT] * 2 + [LogOperation.WRITE] * 3
            + [LogOperation.EVIDENCE_SET, LogOperation.UNDO, LogOperation.UNDO, LogOperation.REDO, LogOperation.NOW_ON,
               LogOperation.EVIDENCE_ADDED, LogOperation.EVIDENCE_REMOVED]
        )  # fmt: skip
        value = {
            LogOperation.WRITE: rng.choice(["verdict=SUPPORTS", "verdict=REFUTES", "note=a=b", "note=", "misled=no"]),
            LogOperation.EVIDENCE_SET: str(rng.randint(1, 4)),
        }.get(operation, rng.choice(elements))
        key = f"gesture-{number // 3}/{number}" if rng.random() < 0.4 else str(number)
        return LogEvent(operation, value, 0.0, key)

    logs = [[draw(number) for number in range(rng.randint(0, 40))] for _ in range(400)]
    page = desk.begin(fox)
    sent = [[{"operation": each.operation.value, "value": each.value, "key": each.key} for each in log] for log in logs]
    folded = page.evaluate(
        f"async (logs) => {{ const {{ fold }} = await import('{script_address('fold.js')}'); return logs.map(fold); }}",
        sent,
    )
    for log, found in zip(logs, folded, strict=True):
        draft = fold(log)
        assert found == {
            "sets": [[str(id) for id in pieces] for pieces in draft.sets],
            "current": draft.current,
            "fields": dict(draft.fields),
            "canUndo": draft.can_undo,
            "canRedo": draft.can_redo,
        }, json.dumps([each.operation.value for each in log])
