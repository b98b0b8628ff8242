"""Writing a claim, asked as a browser without a script asks, and as the page's script does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from httpx2 import Response
from lxml import html
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.web.studio.game.world import GAME, TOPIC, GameWorld
from tests.web.studio.world import Person, fields_of, parsed, words_of
from veritab.studio import projects
from veritab.studio.game import writing as service
from veritab.studio.game.pieces import make_pieces
from veritab.studio.game.records import GameClaimRecord, GamePointRecord, GameWritingRecord
from veritab.studio.game.vocabulary import WritingState
from veritab.studio.game.writing import MOST_OTHER_PAGES
from veritab.web.studio.game import writing as desk

PAGE = "Eight-thousander"
ROW = [f"{PAGE}_header_cell_1_3_1", f"{PAGE}_cell_1_3_2", f"{PAGE}_cell_1_3_3"]
"""K2, and how high it is."""
SENTENCE = f"{PAGE}_sentence_0"
CLAIM = "No mountain on the list of eight-thousanders rises above the one called K2."
MARKUP = "The page says <script>alert(1)</script> & <b>nothing</b> else about {{ 7*7 }}."


@pytest.fixture
def crane(world: GameWorld) -> Person:
    return world.player("calm-crane")


def open_writing(
    world: GameWorld, name: str = "calm-crane", *, page: str = PAGE, truth: bool = False, **columns: Any
) -> str:
    """Somebody at work on a claim about a page; its address."""
    with world.writing() as session:
        record = GameWritingRecord(
            project_id=projects.find_project(session, GAME).id,
            account_id=world.account_id(name),
            page=page,
            truth=truth,
            **{
                "topic": TOPIC,
                "state": WritingState.OPEN.value,
                "opened_at": world.now,
                "deadline": world.now + 480,
                "draft": {"text": "", "gold": []},
                **columns,
            },
        )
        session.add(record)
        session.flush()
        return f"/p/{GAME}/writings/{record.id}"


def ask(person: Person, path: str, status: int = 200, **body: Any) -> Any:
    """What the script of the page asks."""
    headers = {"accept": "application/json", "x-form-token": person.form_token}
    answer = person.client.post(path, json={"text": "", "gold": [], **body}, headers=headers)
    assert answer.status_code == status, (answer.status_code, answer.text[-1500:])
    return answer.json()


def drawn(told: Any) -> html.HtmlElement:
    """What an answer to the script draws."""
    return html.document_fromstring(f"<main>{told['html']}</main>")


def publish(person: Person, address: str, text: str, gold: list[str], status: int = 303) -> Response:
    return person.send(f"{address}/publish", status, text=text, gold=json.dumps(gold))


def claims_of(world: GameWorld) -> list[GameClaimRecord]:
    """What was published."""
    with world.studio.database.reading() as session:
        query = select(GameClaimRecord).where(GameClaimRecord.state != "practice").order_by(GameClaimRecord.id)
        return list(session.scalars(query))


def record_of(world: GameWorld, address: str) -> GameWritingRecord:
    found: GameWritingRecord = world.find(GameWritingRecord, int(address.rpartition("/")[2]))
    return found


def faults_of(page: html.HtmlElement) -> list[str]:
    return [" ".join(fault.text_content().split()) for fault in page.cssselect(".fault:not([hidden])")]


# -- beginning ---------------------------------------------------------------------------------------------


def test_a_page_and_a_truth_are_given_and_told(world: GameWorld, crane: Person) -> None:
    address = crane.send(f"/p/{GAME}/write", topic="").headers["location"]
    assert address.startswith(f"/p/{GAME}/writings/")
    record = record_of(world, address)
    page = crane.see(address)
    asked = " ".join(page.cssselect("h1")[0].text_content().split())
    wanted, other = ("TRUE", "false") if record.truth else ("FALSE", "true")
    assert asked == f"Write a claim that is {wanted} about {record.page}, and that looks {other}."
    assert page.cssselect("[data-clock]")[0].text == "8:00"
    assert page.cssselect("article[data-page]")[0].get("data-title") == record.page


def test_who_begins_again_goes_on_with_the_same_page_and_clock(world: GameWorld, crane: Person) -> None:
    first = crane.send(f"/p/{GAME}/write", topic="").headers["location"]
    world.now += 100
    assert crane.send(f"/p/{GAME}/write", topic="").headers["location"] == first
    assert crane.see(first).cssselect("[data-clock]")[0].text == "6:20"


def test_a_topic_that_is_none_is_refused(world: GameWorld, crane: Person) -> None:
    assert "Basket weaving" in words_of(parsed(crane.send(f"/p/{GAME}/write", 400, topic="Basket weaving")))


def test_the_page_comes_with_its_contents_open(world: GameWorld, crane: Person) -> None:
    page = crane.see(open_writing(world))
    contents = page.cssselect("details.page-contents[open] a")
    assert len(contents) > 1
    for link in contents:
        assert page.cssselect(link.get("href"))


def test_links_of_the_page_lead_to_the_corpus_and_not_to_another_writing(world: GameWorld, crane: Person) -> None:
    links = crane.see(open_writing(world)).cssselect("article p a")
    assert links
    for link in links:
        assert link.get("href").startswith(f"/p/{GAME}/page?title=")
    crane.see(links[0].get("href"))


# -- the draft ---------------------------------------------------------------------------------------------


def test_a_draft_is_kept_and_comes_back_with_the_page_and_the_clock(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    told = ask(crane, f"{address}/draft", text=CLAIM, gold=[SENTENCE])
    assert told["seconds_left"] == 480
    assert [piece["ids"] for piece in told["pieces"]] == [[SENTENCE]]
    world.now += 61
    page = crane.see(address)
    assert page.cssselect("textarea#claim")[0].text == CLAIM
    assert page.cssselect("[data-clock]")[0].text == "6:59"
    opened = json.loads(page.cssselect("#opened")[0].text)
    assert (opened["text"], opened["gold"], opened["seconds_left"]) == (CLAIM, [SENTENCE], 419)
    again = crane.get(f"{address}/draft", headers={"accept": "application/json"}).json()
    assert (again["text"], again["state"]) == (CLAIM, "open")


def test_cells_of_one_row_are_one_piece(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    assert len(ask(crane, f"{address}/draft", text=CLAIM, gold=ROW)["pieces"]) == 1
    both = ask(crane, f"{address}/draft", text=CLAIM, gold=[*ROW, SENTENCE])["pieces"]
    assert [piece["ids"] for piece in both] == [ROW, [SENTENCE]]


def test_a_draft_is_kept_only_with_a_form_token(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    answer = crane.client.post(
        f"{address}/draft", json={"text": CLAIM, "gold": []}, headers={"accept": "application/json"}
    )
    assert answer.status_code == 403
    for name in ("publish", "look", "give-up", "another-page"):
        assert crane.client.post(f"{address}/{name}", data={"text": CLAIM}).status_code == 403
    assert record_of(world, address).draft["text"] == ""
    assert record_of(world, address).state == WritingState.OPEN


@pytest.mark.parametrize(
    "body",
    [
        {"text": "x" * 100_000},
        {"text": 7},
        {"gold": "no list"},
        {"gold": [["nested"]]},
        {"gold": ["x"] * 201},
        {"deadline": 9_999_999_999.0},
        {"truth": True},
    ],
)
def test_what_no_draft_is_is_refused_in_words(world: GameWorld, crane: Person, body: Any) -> None:
    address = open_writing(world)
    for name in ("draft", "feedback", "checker"):
        assert ask(crane, f"{address}/{name}", 400, **body)["detail"]
    assert record_of(world, address).draft["text"] == ""


def test_odd_characters_do_no_harm(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    headers = {"accept": "application/json", "content-type": "application/json", "x-form-token": crane.form_token}
    for text, status in (("\0 and \u202e", 200), ("half a \ud83d", 400), ("\x1b[2J", 200)):
        body = json.dumps({"text": text, "gold": ["\0", "no element", f"{PAGE}_cell_999_1_1"]})
        for name in ("draft", "feedback", "checker"):
            answer = crane.client.post(f"{address}/{name}", content=body, headers=headers)
            assert answer.status_code == status, (name, text, answer.text)
        crane.see(address)


def test_a_draft_about_a_page_that_was_left_in_another_window_is_not_kept(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    assert PAGE in ask(crane, f"{address}/draft", 409, text=CLAIM, gold=[], page="Mount Everest")["detail"]
    ask(crane, f"{address}/draft", text=CLAIM, gold=[], page=PAGE)


# -- feedback ----------------------------------------------------------------------------------------------


def test_feedback_shows_what_a_search_finds_with_matching_words_marked(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    told = ask(crane, f"{address}/feedback", text="There are fourteen mountains of that height.", gold=[SENTENCE])
    part = drawn(told)
    assert len(part.cssselect("ol.ranked > li")) == 10
    marked = {mark.text.lower() for mark in part.cssselect("ol.ranked mark")}
    assert "fourteen" in marked
    assert "Your evidence" in part.cssselect("ol.ranked > li.gold")[0].text_content()


def test_a_row_of_a_table_is_shown_in_words(world: GameWorld, crane: Person) -> None:
    told = ask(crane, f"{open_writing(world)}/feedback", text="Lhotse rises 8,516 m.", gold=[])
    first = drawn(told).cssselect("ol.ranked > li")[0]
    assert "The fourteen eight-thousanders" in first.cssselect(".place")[0].text
    assert "Mountain: Lhotse" in first.text_content()
    assert {"Lhotse", "516"} <= {mark.text for mark in first.cssselect("mark")}


def test_the_place_of_the_evidence_is_said_in_words(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)

    def rank_of(text: str, *gold: str) -> str:
        (told,) = drawn(ask(crane, f"{address}/feedback", text=text, gold=gold)).cssselect("[data-rank]")
        return str(told.text_content())

    said = world.checker.store.element(SENTENCE).text
    assert rank_of(said, SENTENCE).startswith("Your evidence comes first")
    assert "no word of the claim" in rank_of("Kangchenjunga tops them.", SENTENCE)
    assert "hard to find" in rank_of("Annapurna, Lhotse, Makalu, Manaslu and Nanga Parbat are mountains.", SENTENCE)
    assert "Choose your evidence" in rank_of(said)


def test_advice_is_told_and_not_forced(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    text = "It is not a river."
    told = ask(crane, f"{address}/feedback", text=text, gold=[SENTENCE])["html"]
    assert "advice" in told
    publish(crane, address, text, [SENTENCE])
    assert claims_of(world)[0].text == text


def test_markup_in_a_claim_is_shown_as_text(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    ask(crane, f"{address}/draft", text=MARKUP, gold=[SENTENCE])
    for shown in (crane.get(address).text, ask(crane, f"{address}/feedback", text=MARKUP, gold=[])["html"]):
        assert "<script>alert" not in shown
        assert "<b>nothing" not in shown
    publish(crane, address, MARKUP, [SENTENCE])
    shown = crane.get(address).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<script>alert" not in shown


def test_a_claim_in_another_script_gets_feedback_and_is_told_so(world: GameWorld, crane: Person) -> None:
    told = ask(crane, f"{open_writing(world)}/feedback", text="Эверест выше всех.", gold=[SENTENCE])
    assert "other letters" in told["html"]


def test_the_checker_says_what_it_thinks_and_how_sure_it_is(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    by_gold = ask(crane, f"{address}/checker", text=CLAIM, gold=ROW)
    assert by_gold["label"] in ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
    assert 0 <= by_gold["confidence"] <= 1
    assert "By your evidence" in by_gold["html"]
    assert "sure" in by_gold["html"]
    assert "By what a search finds" in ask(crane, f"{address}/checker", text=CLAIM, gold=[])["html"]
    assert ask(crane, f"{address}/checker", text=" ", gold=ROW) == {"html": ""}


# -- publishing --------------------------------------------------------------------------------------------


def test_a_claim_is_published_with_its_hints_and_the_page_shows_them(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    page = crane.follow(publish(crane, address, f"  {CLAIM} ", ROW))
    (claim,) = claims_of(world)
    assert (claim.text, claim.truth, claim.page, claim.author_id) == (
        CLAIM, False, PAGE, world.account_id("calm-crane"),
    )  # fmt: skip
    assert [piece["ids"] for piece in claim.gold["pieces"]] == [ROW]
    hints = claim.hints["pieces"]
    assert len(hints) == 10
    assert not {id for piece in hints for id in piece["ids"]} & set(ROW)
    said = words_of(page)
    assert CLAIM in said
    assert "Published" in said
    assert len(page.cssselect(".shown-to-voters li")) == 10
    assert len(page.cssselect(".shown-last li")) == 1
    assert not page.cssselect(".shown-to-voters .evidence")
    assert not page.cssselect(f"form[action='/p/{GAME}/vote']")  # nobody else has written anything
    assert page.cssselect(f"form[action='/p/{GAME}/write']")
    world.pair(topic="Elsewhere")
    (vote,) = crane.see(address).cssselect(f"form[action='/p/{GAME}/vote']")
    assert vote.fields["topic"] == ""


def test_whoever_writes_when_the_corpus_changes_gets_the_claim_back_and_gives_it_up(
    world: GameWorld, crane: Person
) -> None:
    address = open_writing(world)
    with world.writing() as session:
        projects.find_project(session, GAME).corpus_digest = "another"
    for answer in (crane.get(address, 409), crane.send(f"{address}/publish", 409, text=CLAIM, gold=json.dumps(ROW))):
        page = parsed(answer)
        assert "The pages have changed since you began" in words_of(page)
        assert not page.cssselect(f"form[action='/p/{GAME}/write']")
    assert page.get_element_by_id("written").text == CLAIM
    told = ask(crane, f"{address}/draft", 409, text=CLAIM, gold=ROW)["detail"]
    assert told.startswith("the pages have changed since you began")
    assert "another" not in told
    crane.send(page.cssselect("form[action$='/give-up']")[0].get("action"))
    assert record_of(world, address).state == "given up"


def test_points_for_writing_are_told_where_there_are_any(world: GameWorld) -> None:
    world.game("generous", writing_points=100)
    person = world.player("red-newt", "generous")
    address = person.send("/p/generous/write", topic="").headers["location"]
    record = record_of(world, address)
    sentence = next(id for id in _sentences(world, record.page))
    page = person.follow(publish(person, address, "Some of what is said here is not so.", [sentence]))
    assert page.cssselect(".points")[0].text == "100"
    with world.studio.database.reading() as session:
        assert [each.points for each in session.scalars(select(GamePointRecord))] == [100]


def _sentences(world: GameWorld, page: str) -> list[str]:
    return [str(each.id) for each in world.checker.store.page(page).elements if each.kind.value == "sentence"]


@pytest.mark.parametrize(
    ("text", "gold", "of_text", "of_gold"),
    [
        ("", [], "Write a claim", "Choose the evidence"),
        ("?!", [SENTENCE], "Write a claim", ""),
        ("One is here. Another is there.", [SENTENCE], "sentence", ""),
        ("x" * 100_000, [SENTENCE], "100,000 characters", ""),
        (CLAIM, [], "", "Choose the evidence"),
        (CLAIM, ["Mount Everest_sentence_0"], "", "another page"),
        (CLAIM, [f"{PAGE}_cell_999_1_1"], "", "cell_999_1_1"),
        (CLAIM, ["nonsense"], "", "nonsense"),
        (CLAIM, [SENTENCE, f"{PAGE}_sentence_1", f"{PAGE}_sentence_2"], "", "3 pieces"),
    ],
)
def test_what_is_forced_is_told_beside_its_field_all_at_once_and_the_text_stays(
    world: GameWorld, crane: Person, text: str, gold: list[str], of_text: str, of_gold: str
) -> None:
    address = open_writing(world)
    page = parsed(publish(crane, address, text, gold, 400))
    beside = " ".join(page.cssselect(".claim-field")[0].text_content().split())
    told = faults_of(page)
    assert of_text in beside
    assert (of_text != "") == bool(page.cssselect("textarea#claim[aria-invalid]"))
    assert any(of_gold in each for each in told)
    assert len(told) == bool(of_text) + bool(of_gold)
    assert (page.cssselect("textarea#claim")[0].text or "") == text
    assert not claims_of(world)


def test_a_form_whose_evidence_cannot_be_read_is_refused(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    for value in ("no json", "{}", "[7]", '["\\u0000"]', "[" * 50_000):
        assert "evidence" in words_of(parsed(crane.send(f"{address}/publish", 400, text=CLAIM, gold=value)))
    assert not claims_of(world)


def test_the_page_is_ranked_and_sorted_before_others_have_to_wait(
    world: GameWorld, crane: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, held = world.studio.database, list[bool]()
    write = database.writing

    @contextmanager
    def writing() -> Iterator[Session]:
        held.append(True)
        with write() as session:
            yield session
        held.pop()

    while_writing = list[int]()

    def watched(name: str, module: Any) -> None:
        function = getattr(module, name)

        def noting(*args: Any) -> Any:
            while_writing.append(len(held))
            return function(*args)

        monkeypatch.setattr(module, name, noting)

    monkeypatch.setattr(database, "writing", writing)
    watched("choose_hints", service)
    watched("topics_of", desk)
    address = crane.send("/p/peaks/write").headers["location"]
    crane.send(f"{address}/another-page", page=record_of(world, address).page)
    gold = make_pieces(world.checker.store.page(record_of(world, address).page))[0].ids
    publish(crane, address, "Some of what is said here is not so.", list(gold))
    assert while_writing == [0, 0, 0]
    assert len(claims_of(world)) == 1


def test_a_claim_published_twice_at_once_is_published_once(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: publish(crane, address, CLAIM, ROW), range(4)))
    assert {answer.headers["location"] for answer in answers} == {address}
    assert len(claims_of(world)) == 1
    assert ask(crane, f"{address}/draft", 409, text="later")["detail"]


def test_nothing_is_published_after_the_deadline_and_the_text_can_be_copied(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    ask(crane, f"{address}/draft", text="What I had.", gold=[])
    world.now += 480
    page = parsed(publish(crane, address, CLAIM, ROW, 200))
    assert page.cssselect("textarea[readonly]")[0].text == CLAIM
    assert "Time is over" in words_of(page)
    assert "Nothing was published" in words_of(page)
    assert not claims_of(world)
    assert record_of(world, address).state == WritingState.TIMED_OUT
    again = crane.see(address)
    assert again.cssselect("textarea[readonly]")[0].text == "What I had."
    for name in ("draft", "feedback", "checker"):
        assert ask(crane, f"{address}/{name}", 409, text=CLAIM)["detail"]
    told = crane.get(f"{address}/draft", headers={"accept": "application/json"}).json()
    assert (told["state"], told["seconds_left"]) == ("timed out", 0)


def test_anybody_elses_writing_is_not_there(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    other = world.player("red-newt")
    other.see(address, 404)
    other.get(f"{address}/draft", 404)
    for name in ("draft", "feedback", "checker"):
        ask(other, f"{address}/{name}", 404, text=CLAIM)
    for name in ("publish", "look", "give-up", "another-page"):
        other.send(f"{address}/{name}", 404, text=CLAIM)
    crane.see(f"/p/{GAME}/writings/{2**62}", 404)
    crane.see(f"/p/{GAME}/writings/0", 400)


# -- other pages, and giving up ----------------------------------------------------------------------------


def test_another_page_can_be_taken_some_times_while_the_clock_runs_on(world: GameWorld, crane: Person) -> None:
    address = crane.send(f"/p/{GAME}/write", topic="").headers["location"]
    ask(crane, f"{address}/draft", text=CLAIM, gold=[])
    world.now += 60
    for left in reversed(range(MOST_OTHER_PAGES)):
        before = record_of(world, address).page
        page = crane.follow(crane.send(f"{address}/another-page", page=before))
        assert record_of(world, address).page != before
        assert page.cssselect("[data-clock]")[0].text == "7:00"
        assert not page.cssselect("textarea#claim")[0].text
        assert bool(page.cssselect("form[action$='/another-page']")) == bool(left)
    before = record_of(world, address).page
    crane.send(f"{address}/another-page", 409, page=before)
    assert record_of(world, address).page == before


def test_another_page_is_taken_once_however_often_the_button_is_pressed(world: GameWorld, crane: Person) -> None:
    address = crane.send(f"/p/{GAME}/write", topic="").headers["location"]
    before = record_of(world, address).page
    crane.send(f"{address}/another-page", page=before)
    taken = record_of(world, address).page
    assert taken != before
    crane.send(f"{address}/another-page", page=before)
    assert record_of(world, address).page == taken


def test_who_gives_up_publishes_nothing_and_can_copy_what_they_wrote(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    ask(crane, f"{address}/draft", text=CLAIM, gold=[])
    page = crane.follow(crane.send(f"{address}/give-up"))
    assert "Given up" in words_of(page)
    assert page.cssselect("textarea[readonly]")[0].text == CLAIM
    crane.send(f"{address}/give-up")
    publish(crane, address, CLAIM, ROW, 200)
    assert not claims_of(world)


# -- without a script --------------------------------------------------------------------------------------


def test_without_a_script_evidence_is_ticked_looked_at_and_published(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    page = _without_script(crane.get(address))
    (form,) = page.cssselect("form[data-claim-form]")
    ticks = form.cssselect("input[type=checkbox][name=gold]")
    texts = {json.loads(tick.get("value"))[0]: tick for tick in ticks}
    assert SENTENCE in texts
    texts[SENTENCE].set("checked", "")
    form.cssselect("textarea")[0].text = CLAIM
    (look,) = form.cssselect("button[formaction]")
    answer = crane.client.post(look.get("formaction"), data={**fields_of(form), "gold": texts[SENTENCE].get("value")})
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{address}?checker=1#feedback"
    page = _without_script(crane.get(answer.headers["location"]))
    assert page.cssselect("ol.ranked > li")
    assert "the checker says" in page.cssselect("[data-checker]")[0].text_content()
    (form,) = page.cssselect("form[data-claim-form]")
    chosen = [tick.get("value") for tick in form.cssselect("input[name=gold][checked]")]
    assert [json.loads(value) for value in chosen] == [[SENTENCE]]
    sent = {**fields_of(form), "gold": chosen}
    assert crane.client.post(form.get("action"), data=sent).status_code == 303
    assert claims_of(world)[0].gold["pieces"][0]["ids"] == [SENTENCE]


def test_cells_that_were_chosen_with_a_script_can_be_unticked_without_one(world: GameWorld, crane: Person) -> None:
    address = open_writing(world)
    ask(crane, f"{address}/draft", text=CLAIM, gold=ROW[:2])
    page = _without_script(crane.get(address))
    chosen = [json.loads(tick.get("value")) for tick in page.cssselect("input[name=gold][checked]")]
    assert chosen == [ROW[:2]]


def _without_script(answer: Response) -> html.HtmlElement:
    """The page as a browser without scripts reads it."""
    return html.document_fromstring(re.sub("</?noscript>", "", answer.text))
