"""One's own account: the password, tokens for programs, and the end of it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.errors import InputError, NotAllowed, VeritabError
from veritab.studio import accounts
from veritab.studio.records import AccountRecord
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import NotDone, RecordNumber, Visit, change, forget_login, keep_login, look, move_on


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/account")
    async def show(request: Request) -> Response:
        return await look(request, _show)

    @router.post("/account/password")
    async def set_password(request: Request) -> Response:
        return await change(request, _set_password)

    @router.post("/account/tokens")
    async def make_token(request: Request) -> Response:
        return await change(request, _make_token)

    @router.post("/account/tokens/{token}/revoke")
    async def revoke_token(request: Request, token: RecordNumber) -> Response:
        return await change(request, _revoke_token, token)

    @show_at(router, "/account/close")
    async def ask_to_close(request: Request) -> Response:
        return await look(request, _ask_to_close)

    @router.post("/account/close")
    async def close(request: Request) -> Response:
        return await change(request, _close)


def _show(visit: Visit, *, refused: str = "", made: str = "", status: int = 200) -> Response:
    account = visit.session.get_one(AccountRecord, visit.signed.account_id)
    return render(
        visit,
        "account.html",
        here="account",
        status=status,
        account=account,
        tokens=accounts.api_tokens_of(visit.session, account.id),
        shortest=accounts.SHORTEST_PASSWORD,
        most_days=accounts.MOST_DAYS,
        refused=as_sentence(refused),
        made=made,
    )


def _refuse(visit: Visit, error: VeritabError) -> NotDone:
    problem = describe_error(error)
    return NotDone(_show(visit, refused=problem.detail, status=problem.status))


def _require_login(visit: Visit) -> int:
    """One's own account; a program that got hold of it for a day must not keep it for ever, nor end it."""
    if not visit.signed.login_id:
        raise NotAllowed("a token does not change the account that it acts for; sign in with the password")
    return visit.signed.account_id


def _set_password(visit: Visit) -> Response:
    own = _require_login(visit)
    password = str(visit.form.get("password", ""))
    try:
        if password != visit.form.get("again"):
            raise InputError("the two new passwords differ; type the same one twice")
        accounts.set_password(
            visit.session,
            own,
            password,
            current=str(visit.form.get("current", "")),
            by=own,
            now=visit.now,
            hasher=visit.studio.hasher,
        )
    except VeritabError as error:
        raise _refuse(visit, error) from None
    token = accounts.begin_login(visit.session, own, now=visit.now)
    return keep_login(visit.request, move_on("/account", "password"), token)


def _make_token(visit: Visit) -> Response:
    own, days = _require_login(visit), visit.field("days", 10)
    try:
        if days and not days.isdecimal():
            raise InputError(f"{days!r} is not a number of days; leave it empty for a token without an end")
        made = accounts.create_api_token(
            visit.session, own, visit.field("name"), days=int(days) if days else None, by=own, now=visit.now
        )
    except VeritabError as error:
        raise _refuse(visit, error) from None
    return _show(visit, made=made)


def _revoke_token(visit: Visit, token: int) -> Response:
    own = _require_login(visit)
    accounts.revoke_api_token(visit.session, own, token, by=own, now=visit.now)
    return move_on("/account", "token-revoked")


def _ask_to_close(visit: Visit) -> Response:
    visit.signed  # noqa: B018  # whoever is not signed in has none to close
    return render(visit, "account_close.html", here="account")


def _close(visit: Visit) -> Response:
    own = _require_login(visit)
    accounts.close_account(visit.session, own, by=own, now=visit.now)
    return forget_login(RedirectResponse("/sign-in", 303))
