"""Who asks: a login in a cookie or a program's token, a form token with every change, a transaction for each request.

Pages are functions of a `Visit`, run in a worker thread: `look` gives one that reads, `change` one that writes. What
somebody sent while they were signed out is held for them, and sent again after they have signed in.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Concatenate, NamedTuple, ParamSpec
from urllib.parse import quote, unquote, urlencode

from fastapi import Path as PathParameter
from sqlalchemy.orm import Session
from starlette.datastructures import FormData, State, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.errors import NotFound, VeritabError
from veritab.studio import accounts, projects
from veritab.studio.accounts import SignedIn
from veritab.studio.game.players import is_open_to_all, refuse_voter
from veritab.studio.opened import Studio
from veritab.studio.projects import ProjectSettings
from veritab.studio.records import MembershipRecord, ProjectRecord
from veritab.studio.sent_forms import forget_sent, note_sent
from veritab.studio.vocabulary import Role
from veritab.web.guards import is_foreign
from veritab.web.problems import RequestRefused
from veritab.web.server import LOOPBACK
from veritab.web.workers import Workers

P = ParamSpec("P")

RecordNumber = Annotated[int, PathParameter(ge=1, le=2**63 - 1)]
"""The number of a record in an address."""

LOGIN = "veritab_studio"
"""The cookie of somebody who is signed in."""
VISITOR = "veritab_studio_visitor"
"""The cookie of somebody who is not, yet: what tells their forms from those of other sites."""
FORM_TOKEN = "form_token"
FORM_TOKEN_HEADER = "x-form-token"
ONCE = "once"
"""The field of a form that makes something new: a key, so that it makes one thing however often it is sent."""
_VISITOR_BYTES = 24
_SECRETS = frozenset({"password", "current", "again"})
_LONGEST_ADDRESS = 2000
_PATIENCE = 1.0


class SignInNeeded(Exception):
    """Nobody is signed in, and this is not for everybody."""


class StaleForm(Exception):
    """A form of one's own, opened before one signed in anew, or of another site: it is sent again only by a click."""


class ConsentNeeded(Exception):
    """Somebody has not yet agreed to what a project asks."""

    def __init__(self, project: str) -> None:
        super().__init__(project)
        self.project = project


class JoinNeeded(Exception):
    """Somebody is not in a game yet that anybody may join."""

    def __init__(self, project: str) -> None:
        super().__init__(project)
        self.project = project


class NotDone(Exception):
    """Nothing of it is to be kept, and this page says why."""

    def __init__(self, answer: Response) -> None:
        super().__init__()
        self.answer = answer


class FrameValues(NamedTuple):
    """What the frame of every page shows, as plain values: an error page is drawn when the transaction is over."""

    form_token: str = ""
    name: str = ""
    is_administrator: bool = False
    project: str = ""
    project_title: str = ""
    is_manager: bool = False
    is_game: bool = False


@dataclass(frozen=True)
class Visit:
    """One request of somebody, and the transaction that it happens in."""

    request: Request
    session: Session
    studio: Studio
    now: float
    token: str
    """The login's; of somebody who is not signed in, what their forms are known by."""
    who: SignedIn | None
    form: FormData = field(default_factory=FormData)

    @property
    def signed(self) -> SignedIn:
        """Who is signed in; whoever is not is asked to."""
        if self.who is None:
            raise SignInNeeded
        return self.who

    @property
    def form_token(self) -> str:
        return accounts.form_token(self.token) if self.token else ""

    def field(self, name: str, most: int = 10_000) -> str:
        """What a form says in a field, without the white space around it; nothing where it has none."""
        value = self.form.get(name)
        text = value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""
        if "\0" in text:
            raise RequestRefused(400, f"{name} holds a character that is none; type it again")
        if len(text) > most:
            raise RequestRefused(400, f"{name} has {len(text):,} characters; at most {most:,} are taken")
        return text

    def upload(self, name: str) -> UploadFile | None:
        """The file that a form brings; none where nobody chose one."""
        value = self.form.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def within(self, session: Session) -> Visit:
        """The same visit in another transaction."""
        return replace(self, session=session)

    def enter(self, name: str, role: Role = Role.ANNOTATOR, *, consented: bool = True) -> ProjectVisit:
        """The same visit inside a project; whoever is no member finds nothing there, unless it is open to all."""
        try:
            account_id = self.signed.account_id
            project = projects.find_project(self.session, name)
            member = projects.member_of(self.session, project, account_id)
        except (SignInNeeded, NotFound):
            if self._could_join(name):
                raise JoinNeeded(name) from None
            raise
        self.request.state.frame = _frame_of(self, project, member)
        projects.require_role(member, role)
        if consented and member.consented_at is None:
            raise ConsentNeeded(project.name)
        return ProjectVisit(
            *(getattr(self, name) for name in Visit.__dataclass_fields__),
            project=project,
            member=member,
            settings=projects.settings_of(project),
        )

    def _could_join(self, name: str) -> bool:
        """Whether somebody who looks at a page of a game may join it; who was signed in a while ago signs in again."""
        is_look = self.request.method in ("GET", "HEAD") and wants_page(self.request)
        was_here = self.who is None and LOGIN in self.request.cookies
        return is_look and not was_here and is_open_to_all(self.session, name)


@dataclass(frozen=True)
class ProjectVisit(Visit):
    """One request of a member of a project."""

    project: ProjectRecord = field(kw_only=True)
    member: MembershipRecord = field(kw_only=True)
    settings: ProjectSettings = field(kw_only=True)

    @property
    def is_manager(self) -> bool:
        return self.member.role == Role.MANAGER

    def refuse_reading(self) -> None:
        """A refusal where somebody may not read the corpus now: in a game, before they have voted."""
        if projects.is_game(self.project):
            refuse_voter(self.session, self.project, self.member.account_id, now=self.now)

    def to(self, *parts: str | int, **query: str | int) -> str:
        """An address inside the project."""
        return address_in(self.project.name, *parts, **query)


def address_in(project: str, *parts: str | int, **query: str | int) -> str:
    """An address inside a project."""
    path = "/".join(["/p", project, *(quote(str(part), safe="") for part in parts)])
    return f"{path}?{urlencode(query)}" if query else path


def move_on(address: str, notice: str = "") -> Response:
    """Go on to an address after something was done; the page there says what."""
    if notice:
        address += f"{'&' if '?' in address else '?'}{urlencode({'done': notice})}"
    return RedirectResponse(address, 303)


# -- one request, one transaction --------------------------------------------------------------------------


async def look(
    request: Request, act: Callable[Concatenate[Visit, P], Response], *args: P.args, **kwargs: P.kwargs
) -> Response:
    """A page that changes nothing, drawn in a worker thread."""

    def read() -> tuple[Response, str]:
        studio: Studio = request.app.state.studio
        with studio.database.reading() as session:
            visit = _visit(request, session, FormData())
            answer = act(visit, *args, **kwargs)
            is_due = visit.who is not None and accounts.is_due(session, visit.who, now=visit.now)
        return answer, visit.token if is_due else ""

    readers: Workers = request.app.state.readers
    answer, login = await readers.run(read)
    if login:
        await _renew(request.app.state, login)
    return answer


async def _renew(state: State, login: str) -> None:
    """Note that a login is used, unless somebody keeps the database to themselves: then a later page does it."""
    with suppress(TimeoutError, RequestRefused, VeritabError):
        async with asyncio.timeout(_PATIENCE):
            await state.writers.run(state.studio.who, login, now=state.clock())


async def change(
    request: Request, act: Callable[Concatenate[Visit, P], Response], *args: P.args, **kwargs: P.kwargs
) -> Response:
    """Something that changes the studio: refused without the form token, and done in one transaction."""
    form = await request.form() if _has_form(request) else FormData()
    request.state.form = form

    def write() -> Response:
        studio: Studio = request.app.state.studio
        with studio.database.writing() as session:
            visit = _visit(request, session, form)
            require_form_token(visit)
            if key := _once_key(form):
                note_sent(session, key, now=visit.now)
            return act(visit, *args, **kwargs)

    return await _do(form, request.app.state.writers, write)


async def _do(form: FormData, workers: Workers, act: Callable[[], Response]) -> Response:
    """What a form asks for, or the page that says why nothing was done."""
    try:
        return await workers.run(act)
    except NotDone as refused:
        return refused.answer
    finally:
        await form.close()


def _once_key(form: FormData) -> str:
    """What tells a form from the same one sent again, by a reload or a second click."""
    key = form.get(ONCE)
    return key if isinstance(key, str) else ""


@contextmanager
def _sent_once(studio: Studio, key: str, now: float) -> Iterator[None]:
    """Refuses what was sent before; what is known to have failed may be sent again."""
    if key:
        with studio.database.writing() as session:
            note_sent(session, key, now=now)
    try:
        yield
    except Exception:
        if key:
            with studio.database.writing() as session:
                forget_sent(session, key)
        raise


async def attempt(
    request: Request, act: Callable[Concatenate[Visit, P], Response], *args: P.args, **kwargs: P.kwargs
) -> Response:
    """Something that changes the studio in transactions of its own, because most of its time is spent elsewhere."""
    form = await request.form()
    request.state.form = form

    def try_it() -> Response:
        studio: Studio = request.app.state.studio
        with studio.database.reading() as session:
            visit = _visit(request, session, form)
            require_form_token(visit)
        with _sent_once(studio, _once_key(form), visit.now):
            return act(visit, *args, **kwargs)

    # Not among the writers: they may all be waiting for what this is about to end.
    return await _do(form, request.app.state.workers, try_it)


def _visit(request: Request, session: Session, form: FormData) -> Visit:
    now: float = request.app.state.clock()
    studio: Studio = request.app.state.studio
    if "\0" in unquote(f"{request.url.path}?{request.url.query}"):  # what not every database can look for
        raise RequestRefused(400, "the address holds a character that is none; is the link complete?")
    if program := _program_token(request):
        signed = accounts.who_by_api_token(session, program, now=now)
        if signed is None:
            raise RequestRefused(401, "this API token is not known, or is over; make another one")
        visit = Visit(request, session, studio, now, "", signed, form)
    else:
        login = request.cookies.get(LOGIN, "")
        signed = accounts.who(session, login, now=now) if login else None
        visit = Visit(
            request, session, studio, now, login if signed else request.cookies.get(VISITOR, ""), signed, form
        )
    request.state.frame = _frame_of(visit)
    return visit


def _frame_of(
    visit: Visit, project: ProjectRecord | None = None, member: MembershipRecord | None = None
) -> FrameValues:
    return FrameValues(
        form_token=visit.form_token,
        name=visit.who.name if visit.who else "",
        is_administrator=visit.who.is_administrator if visit.who else False,
        project=project.name if project else "",
        project_title=project.title if project else "",
        is_manager=bool(member and member.role == Role.MANAGER),
        is_game=bool(project and projects.is_game(project)),
    )


def frame_game(visit: Visit) -> None:
    """Draw the frame of games around a page for people who are in none yet."""
    visit.request.state.frame = visit.request.state.frame._replace(is_game=True)


def require_form_token(visit: Visit) -> None:
    """Browsers send cookies along with what other sites make them send; a form token they cannot know."""
    if _program_token(visit.request):
        return
    given = visit.request.headers.get(FORM_TOKEN_HEADER) or visit.form.get(FORM_TOKEN)
    right = isinstance(given, str) and visit.token and hmac.compare_digest(given.encode(), visit.form_token.encode())
    if right:
        return
    if visit.who is None and visit.request.cookies.get(LOGIN):
        raise SignInNeeded  # signed in when the form was opened, and not any more
    if visit.who is None:
        raise RequestRefused(
            403,
            "this form was opened too long ago, or the browser keeps no cookies; open the page again, with cookies "
            "allowed and, on any other machine, by an address that begins with https",
        )
    raise StaleForm


def _program_token(request: Request) -> str:
    scheme, _, value = request.headers.get("authorization", "").strip().partition(" ")
    return value.strip() if scheme.lower() == "bearer" else ""


def _has_form(request: Request) -> bool:
    """Whether a form was sent; a program sends JSON, or nothing."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return bool(kind) and not kind.endswith(("/json", "+json"))


# -- cookies -----------------------------------------------------------------------------------------------


def keep_login(request: Request, answer: Response, token: str) -> Response:
    """Sign a browser in: the token is a new one, whatever cookie the browser came with."""
    set_cookie(request, answer, LOGIN, token)
    answer.delete_cookie(VISITOR, httponly=True, samesite="strict")
    return answer


def forget_login(answer: Response) -> Response:
    """Sign a browser out."""
    answer.delete_cookie(LOGIN, httponly=True, samesite="strict")
    return answer


def known_visitor(request: Request, draw: Callable[[], Response]) -> Response:
    """A page with a form for people who are not signed in, and the cookie that their form is known by."""
    frame: FrameValues = getattr(request.state, "frame", FrameValues())
    if frame.form_token:
        return draw()
    token = request.cookies.get(VISITOR) or secrets.token_urlsafe(_VISITOR_BYTES)
    request.state.frame = frame._replace(form_token=accounts.form_token(token))
    answer = draw()
    set_cookie(request, answer, VISITOR, token)
    return answer


def set_cookie(request: Request, answer: Response, name: str, value: str) -> None:
    """A cookie that no script reads and no other site sends; only over TLS, except on this machine."""
    secure = (request.url.hostname or "").strip("[]") not in LOOPBACK
    answer.set_cookie(name, value, httponly=True, samesite="strict", secure=secure)


# -- where one was -----------------------------------------------------------------------------------------


def local_address(text: str) -> str:
    """An address of this server, to go back to; the first page where it is any other."""
    plain = text.isprintable() and text.isascii() and "\\" not in text and len(text) <= _LONGEST_ADDRESS
    return text if plain and text.startswith("/") and not text.startswith("//") else "/"


def room_address(project: str, text: str) -> str:
    """An address of a room of a game, to go on to; nothing where it is any other."""
    return text if local_address(text).startswith(address_in(project, "rooms") + "/") else ""


def held_fields(request: Request) -> list[tuple[str, str]] | None:
    """What a form held that was not taken, to be sent again; None where it brought a file or a secret."""
    fields: list[tuple[str, str]] = []
    for name, value in getattr(request.state, "form", FormData()).multi_items():
        if name in _SECRETS or not isinstance(value, str):
            return None
        if name != FORM_TOKEN:
            fields.append((name, value))
    return fields


def leads_from_elsewhere(request: Request) -> bool:
    """Whether a link of another site led here, so that the browser held the cookie of a login back."""
    return request.method == "GET" and is_foreign(request) and LOGIN not in request.cookies


def wants_page(request: Request) -> bool:
    """Whether people read the answer."""
    return "text/html" in request.headers.get("accept", "")


def sign_in_address(request: Request) -> str:
    """Where one signs in and comes back from."""
    here: Any = request.url
    back = here.path + (f"?{here.query}" if here.query else "")
    return "/sign-in" if back == "/" else f"/sign-in?{urlencode({'then': back})}"
