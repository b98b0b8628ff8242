"""Guidelines are read, changed and kept, version by version."""

from __future__ import annotations

import pytest

from tests.web.studio.world import World, words_of
from veritab.studio import projects
from veritab.studio.vocabulary import TaskKind

ADDRESS = "/p/rivers/guidelines/feverous-verification"
HARM = "<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://elsewhere.example/z.png) <img src=x onerror=alert(1)>"


def versions(world: World) -> list[int]:
    with world.studio.database.reading() as session:
        found = projects.guideline_versions(
            session, projects.find_project(session, "rivers"), TaskKind.FEVEROUS_VERIFICATION
        )
        return [each.version for each in found]


def test_a_manager_previews_then_publishes_and_everybody_sees_the_new_version(world: World) -> None:
    manager, person = world.manager(), world.member("calm-crane")
    page = manager.send(f"{ADDRESS}/edit", 200, text="# Rules\n\nLook **twice**.", step="preview")
    assert "<strong>twice</strong>" in page.text
    assert versions(world) == [1]
    answer = manager.send(f"{ADDRESS}/edit", text="# Rules\n\nLook **twice**.", step="publish")
    assert "Published" in words_of(manager.follow(answer))
    assert versions(world) == [2, 1]
    assert "Look twice." in words_of(person.see(ADDRESS))
    assert "This is an earlier version" in words_of(person.see(f"{ADDRESS}?version=1"))
    person.get(f"{ADDRESS}?version=7", 404)
    answer = manager.send(f"{ADDRESS}/edit", text="# Rules\n\nLook **twice**.", step="publish")
    assert "no new version" in words_of(manager.follow(answer))


def test_headings_of_a_text_come_under_the_pages_own(world: World) -> None:
    manager = world.manager()
    manager.send(f"{ADDRESS}/edit", text="# Verify claims\n\n## First\n\n### Then", step="publish")
    page = manager.see(ADDRESS)
    assert [heading.text for heading in page.cssselect(".prose h2, .prose h3, .prose h1")] == ["First", "Then"]
    assert [heading.tag for heading in page.cssselect(".prose > *")] == ["h2", "h3"]


def test_what_guidelines_hold_is_text_and_never_runs(world: World) -> None:
    manager = world.manager()
    manager.send(f"{ADDRESS}/edit", text=HARM, step="publish")
    answer = manager.get(ADDRESS)
    page = manager.see(ADDRESS).cssselect(".prose")[0]
    assert not page.cssselect("script, img")
    assert [link.get("href") for link in page.cssselect("a")] == ["https://elsewhere.example/z.png"]
    assert "<script>alert(1)</script>" in page.text_content()
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_nothing_and_too_much_cannot_be_published(world: World) -> None:
    manager = world.manager()
    assert "without words" in manager.send(f"{ADDRESS}/edit", 400, text="  ", step="publish").text
    long = "word " * 25_000
    page = manager.send(f"{ADDRESS}/edit", 400, text=long, step="publish")
    assert "at most 100,000" in page.text
    assert long.strip() in page.text  # it is not lost
    assert versions(world) == [1]


def test_a_manager_sees_who_has_read_which_version(world: World) -> None:
    manager, person = world.manager(), world.member("calm-crane", has_read=False)
    assert "calm-crane not yet" in words_of(manager.see(ADDRESS))
    answer = person.send(f"{ADDRESS}/read", version="1")
    assert "Noted" in words_of(person.follow(answer))
    assert "You read it on" in words_of(person.see(ADDRESS))
    assert "calm-crane not yet" not in words_of(manager.see(ADDRESS))
    assert not person.see(ADDRESS).cssselect(".side h2")


def test_a_version_that_came_meanwhile_is_not_taken_for_read(world: World) -> None:
    manager, person = world.manager(), world.member("calm-crane", has_read=False)
    manager.send(f"{ADDRESS}/edit", text="Other rules.", step="publish")
    assert "version 2 was published" in person.send(f"{ADDRESS}/read", 409, version="1").text.lower()


@pytest.mark.parametrize("kind", ["fever-claims", "nonsense", "..%2f.."])
def test_there_are_no_guidelines_for_tasks_that_a_project_has_not(world: World, kind: str) -> None:
    world.manager().get(f"/p/rivers/guidelines/{kind}", 404)


def test_annotators_cannot_change_them(world: World) -> None:
    person = world.member("calm-crane")
    person.get(f"{ADDRESS}/edit", 403)
    person.send(f"{ADDRESS}/edit", 403, text="Do as you like.", step="publish")
    assert versions(world) == [1]
    assert not person.see(ADDRESS).xpath("//a[contains(@href, 'edit')]")
