"""Verdicts that somebody keeps: shown as they were, under an address of their own, until they are forgotten."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import orjson
from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.errors import InputError
from veritab.render.html import VerdictHtml
from veritab.render.tables import table_finder
from veritab.web.archive import Archive, KeptVerdict
from veritab.web.corpora import Chosen, ChosenCorpus
from veritab.web.databases import ask
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.checking import clean_claim, download, file_name
from veritab.web.pages.drawn import RecentVerdicts, draw_verdict
from veritab.web.pages.templating import render_page, show_at
from veritab.web.workers import client


def add(router: APIRouter, recent: RecentVerdicts) -> None:
    """Add these pages to the router."""

    @router.post("/verdicts")
    async def keep(request: Request, chosen: Chosen, claim: Annotated[str, Form()] = "") -> Response:
        state = request.app.state
        text = clean_claim(claim, state.limits.claim_characters)
        if not text:
            raise InputError("there is no claim; check one, and keep its verdict")
        seen = recent.find(chosen.name, text) or await state.workers.run(_check, chosen, text)
        id = await ask(state.keepers, state.archive.keep_verdict, seen, client.get())
        return RedirectResponse(f"/verdicts/{id}", 303)

    @show_at(router, "/verdicts/{id}")
    async def show(request: Request, id: str) -> Response:
        kept = await _find(request, id)
        revision = str(kept.record["corpus"].get("revision", ""))
        return render_page(
            request,
            "kept.html",
            kept=kept,
            moment=datetime.fromtimestamp(kept.kept, UTC),
            again=PageAddresses(kept.corpus).claim(kept.claim, revision),
        )

    @show_at(router, "/verdicts/{id}/verdict.json")
    async def record(request: Request, id: str) -> Response:
        kept = await _find(request, id)
        return download(orjson.dumps(kept.record), f"veritab-{file_name(kept.claim)}.json", "application/json")

    @router.post("/verdicts/{id}/forget")
    async def forget(request: Request, id: str) -> Response:
        kept = await _find(request, id)
        await ask(request.app.state.keepers, request.app.state.archive.forget_verdict, id)
        return RedirectResponse(PageAddresses(kept.corpus).to("/"), 303)


async def _find(request: Request, id: str) -> KeptVerdict:
    archive: Archive = request.app.state.archive
    return await ask(request.app.state.keepers, archive.verdict, id)


def _check(chosen: ChosenCorpus, text: str) -> KeptVerdict:
    addresses = PageAddresses(chosen.name)
    verdict = VerdictHtml(chosen.checker.check(text), table_finder(chosen.checker.store), addresses)
    return draw_verdict(verdict, chosen.name)
