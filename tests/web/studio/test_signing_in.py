"""Signing in and out, cookies, form tokens, and joining by a link."""

from __future__ import annotations

from http.cookies import SimpleCookie

from tests.web.studio.world import PASSWORD, Person, World, fields_of, words_of
from veritab.web.studio.sessions import LOGIN


def sign_in_by_form(person: Person, name: str, password: str = PASSWORD, status: int = 303, then: str = "/") -> None:
    form = person.see(f"/sign-in?then={then}").forms[0]
    sent = fields_of(form) | {"name": name, "password": password}
    answer = person.client.post("/sign-in", data=sent)
    assert answer.status_code == status, answer.text[-800:]
    person.login = person.client.cookies.get(LOGIN, "")
    person.last = answer  # type: ignore[attr-defined]


def cookie_of(answer: object, name: str) -> SimpleCookie:
    for line in answer.headers.get_list("set-cookie"):  # type: ignore[attr-defined]
        if line.startswith(f"{name}="):
            return SimpleCookie(line)
    raise AssertionError("there is no such cookie")


def test_somebody_signs_in_sees_their_projects_and_signs_out(world: World) -> None:
    world.manager("wise-owl")
    person = world.stranger()
    assert person.get("/", 303).headers["location"] == "/sign-in"
    sign_in_by_form(person, "wise-owl")
    assert "Rivers of the world" in words_of(person.see("/"))
    answer = person.send("/sign-out")
    assert answer.headers["location"] == "/sign-in"
    person.client.cookies.set(LOGIN, person.login)  # a cookie that somebody kept
    assert person.get("/", 303).headers["location"] == "/sign-in"
