"""What would be true: a refuted claim with the smallest edit that the evidence supports."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.build.correcting.correction import correct
from veritab.render.html import CorrectionHtml
from veritab.render.tables import table_finder
from veritab.web.corpora import Chosen
from veritab.web.guards import is_foreign
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.checking import clean_claim
from veritab.web.pages.templating import render_page, show_at


def add(router: APIRouter) -> None:
    """Add this page to the router."""

    @show_at(router, "/correct")
    async def correct_claim(request: Request, chosen: Chosen, claim: str = "") -> Response:
        checker, addresses = chosen.checker, PageAddresses(chosen.name)
        text = clean_claim(claim, request.app.state.limits.claim_characters)
        if not text:
            return RedirectResponse(addresses.to("/"), 303)
        if is_foreign(request):  # another site may ask by a link, but only who follows it has the work done
            return RedirectResponse(addresses.to("/", claim=text), 303)
        correction = await request.app.state.workers.run(correct, checker, text)
        return render_page(
            request,
            "correction.html",
            here="/",
            correction=correction,
            drawn=CorrectionHtml(correction, table_finder(checker.store), addresses),
            corrected=addresses.claim(correction.text),
            again=addresses.claim(text),
        )
