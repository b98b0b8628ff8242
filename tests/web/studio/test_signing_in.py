"""Signing in and out, cookies, form tokens, and joining by a link."""

from __future__ import annotations

from http.cookies import Morsel, SimpleCookie
from typing import Any

import pytest

from tests.web.studio.world import PASSWORD, Person, World, fields_of, parsed, words_of
from veritab.studio import accounts, projects
from veritab.studio.accounts import IDLE_SECONDS
from veritab.studio.states import MemberStage
from veritab.studio.throttle import FIRST_WAIT, FREE_TRIES
from veritab.studio.vocabulary import Role
from veritab.web.studio.sessions import LOGIN, VISITOR, local_address


def sign_in(person: Person, name: str, password: str = PASSWORD, status: int = 303, then: str = "/") -> Any:
    """Fill in the form of the page to sign in on, and send it."""
    form = person.see(f"/sign-in?then={then}").forms[0]
    answer = person.client.post("/sign-in", data=fields_of(form) | {"name": name, "password": password})
    assert answer.status_code == status, answer.text[-800:]
    person.login = person.client.cookies.get(LOGIN) or ""
    return answer


def cookie_of(answer: Any, name: str) -> Morsel[str]:
    lines = [line for line in answer.headers.get_list("set-cookie") if line.startswith(f"{name}=")]
    assert lines, "there is no such cookie"
    return SimpleCookie(lines[-1])[name]


def invitation(world: World, role: Role = Role.ANNOTATOR, **options: Any) -> str:
    with world.writing() as session:
        project = projects.find_project(session, "rivers")
        return accounts.invite(session, project.id, role, by=None, now=world.now, **options)


def member_stage(world: World, name: str) -> tuple[str, str]:
    with world.studio.database.reading() as session:
        member = projects.member_of(
            session, projects.find_project(session, "rivers"), accounts.find_account(session, name).id
        )
        return member.role, member.stage


# -- signing in and out ------------------------------------------------------------------------------------


def test_somebody_signs_in_sees_their_projects_and_signs_out(world: World) -> None:
    world.manager("wise-owl")
    person = world.stranger()
    assert person.get("/", 303).headers["location"] == "/sign-in"
    sign_in(person, "wise-owl")
    assert "Rivers of the world" in words_of(person.see("/"))
    assert person.send("/sign-out").headers["location"] == "/sign-in"
    person.keep(LOGIN, person.login)  # a cookie that somebody kept
    assert person.get("/", 303).headers["location"] == "/sign-in"


def test_after_signing_in_one_is_where_one_was(world: World) -> None:
    world.manager("wise-owl")
    person = world.stranger()
    asked = person.get("/p/rivers/manage/tasks?state=open", 303).headers["location"]
    assert asked == "/sign-in?then=%2Fp%2Frivers%2Fmanage%2Ftasks%3Fstate%3Dopen"
    form = person.see(asked).forms[0]
    answer = person.client.post("/sign-in", data=fields_of(form) | {"name": "wise-owl", "password": PASSWORD})
    assert answer.headers["location"] == "/p/rivers/manage/tasks?state=open"


@pytest.mark.parametrize(
    "address",
    [
        "//elsewhere.example",
        "//[",
        "http://[",
        "https://elsewhere.example/",
        "/\\elsewhere.example",
        "javascript:alert(1)",
        "x",
        "/a\nb",
        "",
    ],
)
def test_nobody_is_led_to_another_site(address: str) -> None:
    assert local_address(address) == "/"


def test_a_wrong_password_is_said_and_the_name_stays_in_the_form(world: World) -> None:
    world.account("wise-owl")
    person = world.stranger()
    answer = sign_in(person, "wise-owl", "not the password", 403)
    assert "do not belong together" in answer.text
    assert 'value="wise-owl"' in answer.text
    assert LOGIN not in person.client.cookies


def test_guessing_a_password_is_slowed_down_also_for_names_that_nobody_has(world: World) -> None:
    world.account("wise-owl")
    for name in ("wise-owl", "no-such-bird"):
        person = world.stranger()
        for _ in range(FREE_TRIES):
            assert "do not belong together" in sign_in(person, name, "guess guess guess", 403).text
        assert "too many wrong passwords" in sign_in(person, name, "guess guess guess", 403).text.lower()
    assert "too many wrong passwords" in sign_in(world.stranger(), "wise-owl", PASSWORD, 403).text.lower()
    world.now += FIRST_WAIT + 1
    sign_in(world.stranger(), "wise-owl")


def test_the_cookie_of_a_login_is_for_this_site_and_no_script(world: World) -> None:
    world.account("wise-owl")
    for base, secure in (("http://127.0.0.1", ""), ("http://localhost:8400", ""), ("https://studio.example", True)):
        person = world.stranger(base)
        answer = sign_in(person, "wise-owl")
        cookie = cookie_of(answer, LOGIN)
        assert cookie["httponly"]
        assert cookie["samesite"] == "strict"
        assert cookie["path"] == "/"
        assert cookie["secure"] == secure
        assert not cookie["domain"]
        assert not cookie["expires"]  # it goes with the browser


def test_a_login_has_a_new_token_whatever_cookie_the_browser_came_with(world: World) -> None:
    world.account("wise-owl")
    victim = world.stranger()
    victim.keep(LOGIN, "planted-by-somebody")
    victim.keep(VISITOR, "planted-too")
    answer = sign_in(victim, "wise-owl")
    given = cookie_of(answer, LOGIN).value
    assert given not in ("planted-by-somebody", "planted-too")
    assert len(given) >= 43
    for planted in ("planted-by-somebody", "planted-too"):
        assert Person(world.app, planted).get("/", 303).headers["location"] == "/sign-in"


def test_the_login_that_a_browser_came_with_ends_when_somebody_else_signs_in(world: World) -> None:
    world.account("wise-owl")
    attacker = world.sign_in("calm-crane")  # plants their own login in a victim's browser
    victim = world.stranger()
    victim.keep(LOGIN, attacker.login)
    sent = {"form_token": attacker.form_token, "name": "wise-owl", "password": PASSWORD}
    answer = victim.client.post("/sign-in", data=sent)
    assert answer.status_code == 303
    assert cookie_of(answer, LOGIN).value != attacker.login
    attacker.get("/", 303)


def test_a_session_that_nobody_uses_ends_and_one_in_use_goes_on(world: World) -> None:
    person = world.manager()
    for _ in range(4):
        world.now += IDLE_SECONDS / 2
        person.get("/p/rivers")
    world.now += IDLE_SECONDS + 1
    assert person.get("/p/rivers", 303).headers["location"].startswith("/sign-in")


def test_what_was_sent_after_the_session_ended_is_sent_again_after_signing_in(world: World) -> None:
    person = world.manager()
    world.now += IDLE_SECONDS + 1
    page = person.send("/p/rivers/guidelines/feverous-claims/edit", 401, text="Write <b>well</b>.", step="publish")
    assert "nothing is lost" in page.text
    form = parsed(page).forms[0]
    answer = person.client.post("/sign-in", data=fields_of(form) | {"name": "wise-owl", "password": PASSWORD})
    assert answer.status_code == 200
    again = next(form for form in parsed(answer).forms if form.action.endswith("/edit"))
    assert again.action == "/p/rivers/guidelines/feverous-claims/edit"
    sent = fields_of(again)
    assert sent["text"] == "Write <b>well</b>."
    assert person.client.post(again.action, data=sent).headers["location"].endswith("done=published")
    assert "Write &lt;b&gt;well&lt;/b&gt;." in person.get("/p/rivers/guidelines/feverous-claims").text


def test_a_form_without_fields_is_sent_again_too(world: World) -> None:
    person = world.member("calm-crane")
    world.now += IDLE_SECONDS + 1
    page = person.send("/p/rivers/next", 401)
    answer = person.client.post(
        "/sign-in", data=fields_of(parsed(page).forms[0]) | {"name": "calm-crane", "password": PASSWORD}
    )
    again = next(form for form in parsed(answer).forms if form.action == "/p/rivers/next")
    assert person.client.post(again.action, data=fields_of(again)).headers["location"] == "/p/rivers?done=nothing"


def test_an_address_that_only_takes_forms_leads_back_to_the_project(world: World) -> None:
    page = world.member("calm-crane").see("/p/rivers/next", 405)
    assert page.cssselect(".error a")[0].get("href") == "/p/rivers"


def test_a_password_is_never_held(world: World) -> None:
    person = world.sign_in("calm-crane")
    world.now += IDLE_SECONDS + 1
    page = person.send(
        "/account/password", 401, current=PASSWORD, password="another password", again="another password"
    )
    assert "is not held" in page.text
    assert PASSWORD not in page.text
    assert "another password" not in page.text


def test_a_file_is_not_held_and_that_is_said(world: World) -> None:
    person = world.manager()
    world.now += IDLE_SECONDS + 1
    page = person.send("/p/rivers/manage/import", 401, files={"file": ("claims.txt", b"K2 is high.")}, format="claims")
    assert "send it again" in page.text
    assert fields_of(parsed(page).forms[0])["then"] == "/p/rivers"
    person = world.sign_in("wise-owl")
    sent = {"form_token": "of another login"}
    answer = person.client.post("/p/rivers/manage/import", data=sent, files={"file": ("claims.txt", b"K2 is high.")})
    assert answer.status_code == 403
    assert "open it again" in answer.text


def test_a_link_of_another_site_does_not_sign_anybody_out(world: World) -> None:
    person = world.manager()
    held_back = world.stranger()  # a browser sends no strict cookie along with such a link
    foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    answer = held_back.get("/p/rivers", headers=foreign)
    assert 'http-equiv="refresh"' in answer.text
    assert "set-cookie" not in answer.headers
    assert "Rivers" in words_of(person.see("/p/rivers"))


# -- form tokens -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", [None, "", "0" * 64, "é"])
def test_a_form_without_the_right_token_is_refused_and_changes_nothing(world: World, token: str | None) -> None:
    person = world.manager()
    data = {"text": "Other rules.", "step": "publish"} | ({} if token is None else {"form_token": token})
    answer = person.client.post("/p/rivers/guidelines/feverous-claims/edit", data=data)
    assert answer.status_code == 403
    assert "Other rules." in answer.text
    assert "Send it now" in answer.text
    assert "Other rules." not in person.get("/p/rivers/guidelines/feverous-claims").text
    answer = person.client.post("/p/rivers/next", data=data, headers={"Accept": "application/json"})
    assert answer.status_code == 403
    assert answer.json()["status"] == 403


def test_the_form_token_of_somebody_else_is_refused(world: World) -> None:
    person, other = world.manager(), world.member("calm-crane")
    person.send("/p/rivers/manage/close", 403, form_token=other.form_token)
    assert world.project_of().closed_at is None


def test_a_page_of_another_site_may_send_nothing(world: World) -> None:
    person = world.manager()
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://elsewhere.example"}):
        answer = person.client.post("/p/rivers/manage/close", data={"form_token": person.form_token}, headers=headers)
        assert answer.status_code == 403
    assert world.project_of().closed_at is None


def test_signing_in_needs_a_form_token_too(world: World) -> None:
    world.account("wise-owl")
    answer = world.stranger().client.post("/sign-in", data={"name": "wise-owl", "password": PASSWORD})
    assert answer.status_code == 403
    assert "cookies" in answer.text
    assert "set-cookie" not in answer.headers


def test_every_form_that_changes_anything_carries_a_token(world: World) -> None:
    from tests.web.studio.busy import make_busy
    from tests.web.studio.test_walk import MANAGER_PAGES

    tasks = make_busy(world)
    person = world.sign_in("wise-owl")
    seen = 0
    for path in (*MANAGER_PAGES, f"/qa/{tasks['disputed']}", f"/qa/{tasks['settled']}", "/manage/members/1"):
        if path.endswith(".json"):
            continue
        for form in person.see(f"/p/rivers{path}").forms:
            if form.method == "POST":
                assert fields_of(form)["form_token"] == person.form_token, (path, form.action)
                seen += 1
    assert seen > 40


def test_a_program_acts_with_a_token_and_needs_no_form_token(world: World) -> None:
    person = world.manager()
    page = person.send("/account/tokens", 200, name="nightly", days="")
    token = page.text.split('class="secret">')[1].split("<")[0]
    program = world.stranger()
    program.client.headers.update({"Authorization": f"Bearer {token}", "Accept": "application/json"})
    assert "writing" in program.get("/p/rivers/figures.json").json()
    answer = program.client.post("/p/rivers/manage/close")
    assert answer.status_code == 303
    assert world.project_of().closed_at is not None
    id = person.see("/account").xpath("//form[contains(@action, 'revoke')]/@action")[0]
    for path in ("/account/tokens", "/account/password", "/account/close", id):  # it cannot make itself last
        assert program.client.post(path, data={"name": "for-ever"}).status_code == 403, path
    person.send(id)
    assert program.client.get("/p/rivers/figures.json").status_code == 401


def test_a_form_that_makes_something_makes_one_thing_however_often_it_is_sent(world: World) -> None:
    person = world.manager()
    form = next(form for form in person.see("/p/rivers/manage/members").forms if form.action.endswith("/invite"))
    sent = fields_of(form)
    assert person.client.post(form.action, data=sent).status_code == 200
    again = person.client.post(form.action, data=sent)
    assert again.status_code == 409
    assert "sent already" in again.text
    with world.studio.database.reading() as session:
        assert len(accounts.invitations_of(session, projects.find_project(session, "rivers"))) == 1


# -- joining -----------------------------------------------------------------------------------------------


def join(person: Person, token: str, status: int = 303, query: str = "", **fields: str) -> Any:
    form = next(form for form in person.see(f"/join/{token}{query}").forms if "/join/" in form.action)
    answer = person.client.post(form.action, data=fields_of(form) | fields)
    assert answer.status_code == status, answer.text[-800:]
    person.login = person.client.cookies.get(LOGIN) or ""
    return answer


def test_who_is_invited_chooses_a_pseudonym_and_a_password_and_is_in(world: World) -> None:
    token, person = invitation(world), world.stranger()
    page = person.see(f"/join/{token}")
    assert "invited as an annotator. You do tasks" in words_of(page)
    assert page.cssselect("[name=name]")[0].get("value")  # one is proposed
    answer = join(person, token, name="quiet-heron", password=PASSWORD, again=PASSWORD)
    assert answer.headers["location"] == "/p/rivers?done=joined"
    assert person.get("/p/rivers", 303).headers["location"] == "/p/rivers/consent"
    assert member_stage(world, "quiet-heron") == ("annotator", MemberStage.INVITED)
    sign_in(world.stranger(), "quiet-heron")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "Ada Lovelace"}, "cannot be a name"),
        ({"name": "ada@mail.example"}, "looks like an e-mail address"),
        ({"name": "wise-owl"}, "is taken"),
        ({"password": "short", "again": "short"}, "expected 10 to"),
        ({"again": "another password"}, "two passwords differ"),
    ],
)
def test_what_is_wrong_with_a_name_or_password_is_said_and_the_link_stays_good(
    world: World, fields: dict[str, str], words: str
) -> None:
    world.account("wise-owl")
    token, person = invitation(world), world.stranger()
    sent = {"name": "quiet-heron", "password": PASSWORD, "again": PASSWORD} | fields
    answer = join(person, token, 409 if words == "is taken" else 400, **sent)
    assert words in answer.text
    join(world.stranger(), token, name="quiet-heron", password=PASSWORD, again=PASSWORD)


def test_an_invitation_is_used_once(world: World) -> None:
    token = invitation(world)
    join(world.stranger(), token, name="quiet-heron", password=PASSWORD, again=PASSWORD)
    assert "used already" in words_of(world.stranger().see(f"/join/{token}", 409))
    late = world.stranger()
    late.see("/sign-in")  # for a form token
    form = fields_of(late.see("/sign-in").forms[0])
    answer = late.client.post(
        f"/join/{token}", data=form | {"name": "late-lark", "password": PASSWORD, "again": PASSWORD}
    )
    assert answer.status_code == 409


def test_an_invitation_that_expired_or_was_revoked_or_never_was_lets_nobody_in(world: World) -> None:
    manager = world.manager()
    token = invitation(world, days=1)
    assert "no such invitation" in words_of(world.stranger().see("/join/not-a-token", 404))
    world.now += 2 * 24 * 3600
    assert "expired" in words_of(world.stranger().see(f"/join/{token}", 409))
    token = invitation(world)
    manager = world.sign_in("wise-owl")
    revoke = manager.see("/p/rivers/manage/members").xpath("//form[contains(@action, 'revoke')]/@action")[0]
    manager.send(revoke)
    assert "taken back" in words_of(world.stranger().see(f"/join/{token}", 409))


def test_who_is_signed_in_joins_as_who_they_are(world: World) -> None:
    person = world.sign_in("calm-crane")
    before = person.login
    answer = join(person, invitation(world, Role.MANAGER))
    assert answer.headers["location"] == "/p/rivers?done=joined"
    assert member_stage(world, "calm-crane")[0] == "manager"
    assert person.login != before
    assert Person(world.app, before).get("/", 303)  # the login before has ended


def test_people_of_a_panel_come_with_a_number_and_come_back_with_it(world: World) -> None:
    token = invitation(world, places=2, panel_code="C0DE42")
    person = world.stranger()
    assert "participant 5f3a9c" in words_of(person.see(f"/join/{token}?PROLIFIC_PID=5f3a9c"))
    join(person, token, query="?participant=5f3a9c")
    account = person.see("/account").cssselect("h1")[0].text_content()
    assert not person.see("/account").cssselect("#password")  # there is none to change
    back = world.stranger()
    join(back, token, query="?workerId=5f3a9c")
    assert back.see("/account").cssselect("h1")[0].text_content() == account
    other = world.stranger()
    answer = join(other, token, 400, participant="somebody@mail.example")
    assert "looks like an e-mail address" in answer.text


def test_a_panels_code_is_shown_when_enough_is_done(world: World) -> None:
    token = invitation(world, panel_code="C0DE42")
    manager = world.manager()
    manager.send("/p/rivers/manage/settings", panel_answers="1")
    person = world.stranger()
    join(person, token, query="?participant=5f3a9c")
    person.send("/p/rivers/consent")
    person.send("/p/rivers/guidelines/feverous-verification/read", version="1")
    name = person.see("/account").cssselect("h1")[0].text_content()
    assert "C0DE42" not in words_of(person.see("/p/rivers"))
    world.task()
    world.answer(name)
    assert "C0DE42" in words_of(person.see("/p/rivers"))


def test_a_panels_code_is_shown_early_only_where_the_studio_finds_nothing_left(world: World) -> None:
    token = invitation(world, panel_code="C0DE42")
    person = world.stranger()
    join(person, token, query="?participant=5f3a9c")
    person.send("/p/rivers/consent")
    person.send("/p/rivers/guidelines/feverous-verification/read", version="1")
    world.task()
    assert "C0DE42" not in person.get("/p/rivers?done=nothing").text
    other_kind = person.send("/p/rivers/next", kind="feverous-claims")
    assert other_kind.headers["location"] == "/p/rivers?done=nothing-of-kind"
    name = person.see("/account").cssselect("h1")[0].text_content()
    world.answer(name)
    assert "C0DE42" not in person.get("/p/rivers").text
    assert "C0DE42" in person.send("/p/rivers/next", 200).text


# -- the account -------------------------------------------------------------------------------------------


def test_a_password_is_changed_by_who_knows_it_and_ends_other_logins(world: World) -> None:
    person, elsewhere = world.sign_in("calm-crane"), world.sign_in("calm-crane")
    sent = {"password": "five other words here", "again": "five other words here"}
    assert "current password is another" in person.send("/account/password", 403, current="wrong wrong", **sent).text
    answer = person.send("/account/password", current=PASSWORD, **sent)
    assert cookie_of(answer, LOGIN).value != person.login
    elsewhere.get("/account", 303)
    sign_in(world.stranger(), "calm-crane", sent["password"])


def test_an_account_is_closed_after_a_question(world: World) -> None:
    person = world.member("calm-crane")
    assert "cannot sign in again" in words_of(person.see("/account/close"))
    assert person.send("/account/close").headers["location"] == "/sign-in"
    person.keep(LOGIN, person.login)
    person.get("/account", 303)
    sign_in(world.stranger(), "calm-crane", PASSWORD, 403)


def test_an_administrator_takes_a_project_in_hand_and_its_trail_says_so(world: World) -> None:
    world.account("grand-goose", administrator=True)
    person = world.sign_in("grand-goose")
    assert "Other projects" in words_of(person.see("/"))
    person.get("/p/rivers", 404)
    assert person.send("/manage", project="rivers").headers["location"] == "/p/rivers"
    person.send("/p/rivers/consent")
    assert "grand-goose" in words_of(person.see("/p/rivers/manage/trail"))
    nobody = world.sign_in("calm-crane")
    nobody.send("/manage", 403, project="rivers")
    assert "Other projects" not in words_of(nobody.see("/"))
