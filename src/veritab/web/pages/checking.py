"""One claim at a time: the first page, the verdict, and what can be taken away."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.errors import InputError
from veritab.render import write
from veritab.render.html import VerdictHtml
from veritab.render.tables import table_finder
from veritab.schema import Label, Verdict, refuse_long
from veritab.text import squeeze
from veritab.web.archive import KeptVerdict
from veritab.web.corpora import Chosen
from veritab.web.guards import is_foreign
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.drawn import RecentVerdicts, draw_verdict
from veritab.web.pages.examples import examples
from veritab.web.pages.jobs import MOST_CLAIMS
from veritab.web.pages.templating import render_page, show_at

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_FORMATS = {
    "html": ("html", "html", "text/html"),
    "json": ("jsonl", "json", "application/json"),
    "csv": ("csv", "csv", "text/csv"),
    "xlsx": ("xlsx", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "claimreview": ("claimreview", "json", "application/ld+json"),
    "annotations": ("annotations", "json", "application/ld+json"),
}
_LONGEST_NAME = 48


def add(router: APIRouter, recent: RecentVerdicts) -> None:
    """Add these pages to the router."""

    @show_at(router, "/")
    async def home(request: Request, chosen: Chosen, claim: str = "") -> Response:
        addresses = PageAddresses(chosen.name)
        claims = await request.app.state.readers.run(examples, chosen.checker)
        tried = [(claim, addresses.claim(claim)) for claim in claims]
        asked = clean_claim(claim, request.app.state.limits.claim_characters)
        return render_page(request, "home.html", here="/", claim=asked, examples=tried, most_claims=MOST_CLAIMS)

    @show_at(router, "/check")
    async def check(request: Request, chosen: Chosen, claim: str = "", at: str = "") -> Response:
        checker, addresses = chosen.checker, PageAddresses(chosen.name)
        text = clean_claim(claim, request.app.state.limits.claim_characters)
        if not text:
            return RedirectResponse(addresses.to("/"), 303)
        if is_foreign(request):  # another site may ask by a link, but only who follows it has the work done
            return RedirectResponse(addresses.to("/", claim=text), 303)

        def work() -> tuple[VerdictHtml, KeptVerdict]:
            verdict = VerdictHtml(checker.check(text), table_finder(checker.store), addresses)
            return verdict, draw_verdict(verdict, chosen.name)

        verdict, drawn = await request.app.state.workers.run(work)
        recent.add(drawn)
        revision = str(checker.corpus.get("revision", ""))
        return render_page(
            request,
            "verdict.html",
            here="/",
            verdict=verdict,
            view=verdict.view,
            changed=at[:100] if at and at != revision else "",
            permanent=addresses.claim(text, revision),
            report=addresses.to("/report", claim=text),
            correct=verdict.view.label.label is Label.REFUTES,
        )

    @show_at(router, "/report")
    async def report(request: Request, chosen: Chosen, claim: str = "", format: str = "html") -> Response:
        checker = chosen.checker
        text = clean_claim(claim, request.app.state.limits.claim_characters)
        if format not in _FORMATS or not text:
            raise InputError(f"a report needs a claim and a format, {' or '.join(_FORMATS)}, not {format[:40]!r}")
        written, suffix, media_type = _FORMATS[format]
        content = await request.app.state.workers.run(lambda: write_verdict(written, checker.check(text), checker))
        return download(content, f"veritab-{file_name(text)}.{suffix}", media_type)


def clean_claim(claim: str, longest: int) -> str:
    """A claim as it is checked; too long a one is refused, with what to do instead."""
    text = squeeze(claim)
    refuse_long("a claim", text, longest)
    return text if any(map(str.isalnum, text)) else ""


def write_verdict(format: str, verdict: Verdict, checker: Checker) -> bytes:
    """A verdict as a file."""
    out = BytesIO()
    options = {"title": "Claim checked", "tables": table_finder(checker.store)} if format == "html" else {}
    write(format, [verdict], out, **options)
    return out.getvalue()


def file_name(text: str) -> str:
    """A name that every file system takes and that no header can be broken with."""
    name = re.sub(r"[^a-z0-9]+", "-", text.lower())[:_LONGEST_NAME].strip("-")
    return name or "claim"


def download(content: str | bytes, name: str, media_type: str) -> Response:
    """A file to be kept."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    return Response(data, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
