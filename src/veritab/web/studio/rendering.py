"""The look of the studio: one frame around every page, and guidelines drawn from Markdown that holds no HTML."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from veritab.render.markup import Markup
from veritab.web.pages.templating import as_sentence, environment
from veritab.web.problems import NOTHING_SERVED, ProblemDetails, problem_response
from veritab.web.studio.sessions import (
    LOGIN,
    ConsentNeeded,
    FrameValues,
    JoinNeeded,
    ProjectVisit,
    Visit,
    address_in,
    held_fields,
    known_visitor,
    leads_from_elsewhere,
    room_address,
    sign_in_address,
    wants_page,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_ONCE_BYTES = 9
_PRIVATE = {"Cache-Control": "no-store"}  # a page is somebody's own, and the next person may use the same browser
_TITLES = {
    400: "That cannot be read",
    401: "Sign in first",
    403: "Not allowed",
    404: "Nothing here",
    405: "Not this way",
    408: "Too slow",
    409: "Things have moved on",
    413: "Too much at once",
    415: "Not this way",
    429: "Enough for now",
    503: "Busy just now",
    504: "That took too long",
}
_NOTICES: Mapping[str, str] = {
    "joined": "Welcome. You are in.",
    "agreed": "Thank you. You can begin.",
    "read": "Noted. Tasks of this kind can come to you now.",
    "read-first": "Read this first; then your task comes.",
    "published": "Published. Everybody is asked to read it before they go on.",
    "unchanged": "That is what is published already; there is no new version.",
    "nothing": "There is nothing for you to do just now. Come back later.",
    "nothing-of-kind": "There is no task of that kind for you just now. The next task is of another kind.",
    "skipped": "Skipped. You do not see it again.",
    "kept": "Your answer stays as it was.",
    "reported": "Reported. A manager looks at the claim.",
    "no-practice": "You have done every practice task.",
    "feedback-read": "Noted. Phase two can begin.",
    "decided": "Decided. The task is settled.",
    "in-review": "It is in your hands now.",
    "reopened": "One more person is asked.",
    "commented": "Your comment is there.",
    "graded": "Graded.",
    "member-decided": "Done.",
    "role-changed": "The role is changed.",
    "super-changed": "Done.",
    "invitation-revoked": "The invitation is revoked: nobody comes in by it any more.",
    "report-ended": "The report is dealt with.",
    "drawn": "The tasks are there.",
    "drawn-none": "Nothing was drawn: every page that has something to write about is used already.",
    "priority": "The priority is changed.",
    "settings": "The settings are changed; what was drawn before stays as it was.",
    "consent": "The text is changed, and everybody is asked to agree to it before they go on.",
    "closed": "The project is closed: nothing is given out any more.",
    "opened": "The project is open again.",
    "rules": "The rules are changed; rounds that are open go on with theirs.",
    "open-to-all": "Anybody who finds the page may play now.",
    "by-invitation": "Only who is invited can join now; who is in goes on.",
    "corpus": "The corpus is accepted as it is now.",
    "same": "Nothing was changed.",
    "work-begun": "Begun. It goes on by itself, also after a restart; this page shows how far it is.",
    "work-stopped": "Stopped.",
    "claim-kept": "Kept. The claim is played.",
    "claim-withdrawn": "Withdrawn. The claim is not played any more, and can be brought back.",
    "claim-restored": "The claim is back, and is played.",
    "claim-corrected": "This is the corrected claim, without votes; the old one is withdrawn.",
    "claim-tagged": "The tags are noted.",
    "suspicion-dismissed": "Noted in the trail. It comes back when there is more of it.",
    "password": "Your password is changed, and every other login of yours has ended.",
    "round-over": "This round was over already. What you did first counts.",
    "token-revoked": "The token is revoked: whatever uses it is refused from now on.",
}
"""What a page says after something was done; an address holds the word, never the sentence."""


def render(visit: Visit, template: str, *, here: str = "", status: int = 200, **values: Any) -> HTMLResponse:
    """A page of the studio; `here` is the entry of the navigation that it belongs to."""
    if isinstance(visit, ProjectVisit):
        values = {"project": visit.project, "member": visit.member, "settings": visit.settings, "to": visit.to} | values
    return _render(visit.request, template, status, {"here": here, "now": visit.now, **values})


def _render(request: Request, template: str, status: int, values: Mapping[str, Any]) -> HTMLResponse:
    import veritab

    frame: FrameValues = getattr(request.state, "frame", FrameValues())
    known = {
        "frame": frame,
        "form_token": frame.form_token,
        "notice": _NOTICES.get(request.query_params.get("done", ""), ""),
        "in_project": address_in,
        "moment": format_moment,
        "day": format_day,
        "once": lambda: secrets.token_urlsafe(_ONCE_BYTES),
        "version": veritab.__version__,
        "here": "",
    }
    return HTMLResponse(environment().get_template(f"studio/{template}").render({**known, **values}), status, _PRIVATE)


def format_day(at: float) -> str:
    """A day in two short words: "3 Oct"."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.day} {moment:%b}"


def is_sure(visit: Visit) -> bool:
    """Whether somebody was asked, and said yes."""
    return visit.field("sure", 10) == "yes"


def ask_first(visit: Visit, question: str, words: str, button: str, back: str) -> Response:
    """Ask before what cannot be undone; a click sends the same form again, with the answer."""
    held = [each for each in held_fields(visit.request) or () if each[0] != "sure"]
    then = visit.request.url.path
    return render(visit, "confirm.html", question=question, words=words, button=button, back=back, held=held, then=then)


def format_moment(at: float | None) -> Markup:
    """A moment as people read it, with the exact one for programs; the server's own time zone is nobody's."""
    if at is None:
        return Markup("")
    moment = datetime.fromtimestamp(at, UTC)
    return Markup(f'<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">{moment.day} {moment:%b %Y, %H:%M} UTC</time>')


# -- Markdown ----------------------------------------------------------------------------------------------


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def draw_markdown(text: str, title: str = "", under: int = 1) -> Markup:
    """Guidelines as HTML: HTML inside of them is text, pictures are left out, and links lead only to the web.

    The highest heading comes `under` so many of the page; the first is left out where it is the page's `title`.
    """
    tokens = _markdown().parse(text)
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[1].content.strip() == title:
        tokens = tokens[3:]
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    highest = min((int(token.tag[1]) for token in headings), default=1)
    for token in headings:
        token.tag = f"h{min(int(token.tag[1]) - highest + 1 + under, 6)}"
    return Markup(_markdown().renderer.render(tokens, _markdown().options, {}))


# -- what goes wrong ---------------------------------------------------------------------------------------


def error_page(request: Request, problem: ProblemDetails) -> Response:
    """What went wrong, in the look of all pages."""
    values = {
        "code": problem.status,
        "title": _TITLES.get(problem.status, problem.title),
        "detail": as_sentence("" if problem.detail == NOTHING_SERVED else problem.detail),
        "retry": problem.headers.get("Retry-After", ""),
        "back": _way_back(request),
    }
    return _render(request, "error.html", problem.status, values)


async def ask_to_sign_in(request: Request, _: Exception) -> Response:
    """The answer to somebody who is not signed in: a page to sign in on, with what they sent held for them."""
    if not wants_page(request):
        detail = "sign in first, or send the header Authorization: Bearer TOKEN"
        return problem_response(request, ProblemDetails(401, detail, headers={"WWW-Authenticate": "Bearer"}))
    if leads_from_elsewhere(request):  # the browser holds the cookie back once, after a link of another site
        return _render(request, "continue.html", 200, {})
    if request.method in ("GET", "HEAD"):
        return RedirectResponse(sign_in_address(request), 303)
    held = held_fields(request)
    if held is None:
        lost = "a file or a password was sent, which is not held; send it again"
        return sign_in_page(request, then=_way_back(request), refused=lost, status=401)
    return sign_in_page(request, then=request.url.path, held=held, status=401)


def sign_in_page(
    request: Request,
    *,
    then: str = "/",
    held: Sequence[tuple[str, str]] | None = None,
    name: str = "",
    refused: str = "",
    status: int = 200,
) -> Response:
    """Where one signs in; afterwards one is led back, and what one sent meanwhile can be sent again."""
    values = {
        "then": then,
        "held": held,
        "name": name,
        "refused": as_sentence(refused),
        "was_signed_in": LOGIN in request.cookies and then != "/",
    }
    return known_visitor(request, lambda: _render(request, "sign_in.html", status, values))


async def ask_to_send_again(request: Request, _: Exception) -> Response:
    """The answer to a form of an earlier login, or of another site: nothing was done, and what it holds is shown."""
    if not wants_page(request):
        detail = "the form token is missing or of another login; open the page again"
        return problem_response(request, ProblemDetails(403, detail))
    held = held_fields(request)
    if held is None:
        return error_page(request, ProblemDetails(403, "this form was not opened since you signed in; open it again"))
    return send_again_page(request, request.url.path, held, "This form was not opened since you signed in.", status=403)


def send_again_page(
    request: Request, then: str, held: Sequence[tuple[str, str]], why: str, *, status: int = 200
) -> Response:
    """Shows what somebody sent in vain, and sends it at a click."""
    values = {"then": then, "held": list(held), "why": why, "back": _way_back(request)}
    return _render(request, "again.html", status, values)


def _way_back(request: Request) -> str:
    """The project that a request is about, or the list of them."""
    parts = request.url.path.split("/")
    return f"/p/{parts[2]}" if len(parts) > 2 and parts[1] == "p" else "/"


async def ask_to_join(request: Request, error: Exception) -> Response:
    """The answer to somebody who is not in an open game yet: the page where they can join it."""
    assert isinstance(error, JoinNeeded)
    if leads_from_elsewhere(request):
        return _render(request, "continue.html", 200, {})
    return RedirectResponse(f"/play/{error.project}{_by_way_of(request, error.project)}", 303)


async def ask_for_consent(request: Request, error: Exception) -> Response:
    """The answer to a member who has not agreed yet."""
    assert isinstance(error, ConsentNeeded)
    if not wants_page(request):
        return problem_response(request, ProblemDetails(403, "consent comes first; open the project in a browser"))
    return RedirectResponse(address_in(error.project, "consent") + _by_way_of(request, error.project), 303)


def _by_way_of(request: Request, project: str) -> str:
    """What a detour says of the room that somebody was sent to, so that they come to it afterwards."""
    then = room_address(project, request.url.path)
    return f"?{urlencode({'then': then})}" if then else ""
