"""People at Chromium, at a studio that can be stopped and started again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, select

from tests.web.serving import until
from tests.web.studio.world import Person, World
from veritab.studio import accounts
from veritab.studio.annotating import draft_of, events_of
from veritab.studio.log import AnnotationDraft, LogEvent
from veritab.studio.records import AnnotationRecord, AssignmentRecord, LoginRecord
from veritab.web.server import Server, listen, server_for
from veritab.web.studio.app import create_studio_app
from veritab.web.studio.sessions import LOGIN

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

WINDOW = {"width": 1360, "height": 850}
PHONE = {"width": 360, "height": 740}


class Desk:
    """A studio behind a socket, and the windows that look at it; an error in any of them fails the test."""

    def __init__(self, world: World, browser: Browser) -> None:
        self.world, self.browser = world, browser
        self.faults: list[str] = []
        self.port = 0
        self._contexts: list[BrowserContext] = []
        self._running: tuple[Server, threading.Thread, Any] | None = None
        self.start()

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    # -- the server

    def start(self) -> None:
        """Serve, at the same address as before."""
        app = create_studio_app(self.world.studio, clock=lambda: self.world.now)
        opened = listen("127.0.0.1", self.port)
        self.port = opened.getsockname()[1]
        server = server_for(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        until(lambda: server.started)
        self._running = server, thread, opened

    def stop(self) -> None:
        """Answer nobody any longer."""
        if self._running is None:
            return
        server, thread, opened = self._running
        self._running = None
        server.stop()
        thread.join(20)
        opened.close()
        assert not thread.is_alive()

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        self.stop()

    # -- windows

    def sit_down(self, person: Person, **options: Any) -> BrowserContext:
        """A browser in which somebody is signed in."""
        context = self.browser.new_context(**{"viewport": WINDOW, **options})
        self._contexts.append(context)
        context.add_cookies([{"name": LOGIN, "value": person.login, "url": self.home}])
        return context

    def open(self, context: BrowserContext, path: str, *, expect_errors: bool = False) -> Page:
        """A window; where something is to fail, the browser says so on its console."""
        page = context.new_page()
        page.set_default_timeout(10_000)
        if not expect_errors:
            page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda sent: None if sent.url.startswith(self.home) else self.faults.append(sent.url))
        page.goto(f"{self.home}{path}")
        return page

    def begin(self, person: Person, project: str = "rivers", *, expect_errors: bool = False, **options: Any) -> Page:
        """Somebody's next task, in a window."""
        address = person.send(f"/p/{project}/next").headers["location"]
        return self.open(self.sit_down(person, **options), address, expect_errors=expect_errors)

    # -- what the studio knows

    def log(self) -> list[LogEvent]:
        """The log of the last assignment."""
        with self.world.studio.database.reading() as session:
            return events_of(session, _last_assignment(session))

    def draft(self) -> AnnotationDraft:
        """Where the last assignment stands."""
        with self.world.studio.database.reading() as session:
            return draft_of(session, _last_assignment(session))

    def answers(self) -> list[AnnotationRecord]:
        with self.world.studio.database.reading() as session:
            return list(session.scalars(select(AnnotationRecord).order_by(AnnotationRecord.id)))

    def end_logins(self, name: str) -> None:
        """Let every session of somebody be over."""
        with self.world.writing() as session:
            id = accounts.find_account(session, name).id
            session.execute(delete(LoginRecord).where(LoginRecord.account_id == id))


def _last_assignment(session: Any) -> AssignmentRecord:
    found: AssignmentRecord = session.scalars(
        select(AssignmentRecord).order_by(AssignmentRecord.id.desc()).limit(1)
    ).one()
    return found


@contextmanager
def desk_of(world: World, browser: Browser) -> Iterator[Desk]:
    """A desk, put away afterwards."""
    desk = Desk(world, browser)
    try:
        yield desk
    finally:
        desk.close()
    assert not desk.faults


def saved(page: Page) -> None:
    """Wait until the server has everything."""
    page.wait_for_selector("[data-saved][data-state=saved]")


def faults_of(page: Page, **only: Any) -> list[str]:
    """The faults that axe finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in found]
