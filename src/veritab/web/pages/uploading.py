"""One's own documents: brought by a form, followed while they are read, then asked, kept or let go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from veritab.corpus.documents import SUFFIXES
from veritab.web.corpora import Corpora
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.examples import examples
from veritab.web.pages.templating import counted, render_page, show_at
from veritab.web.uploads import KINDS, Upload, Uploads, UploadState

COOKIE = "veritab_documents"
"""Names the documents that a browser brought, so that it can be offered them; set when it brings some, not before."""
_READING_SHARE = 80
_TOKEN = re.compile(r"[\w-]{1,64}", re.ASCII)


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/documents")
    async def form(request: Request) -> Response:
        _uploads(request)
        return render_page(request, "documents.html", here="/documents")

    @router.post("/documents")
    async def receive(request: Request) -> Response:
        uploads = _uploads(request)
        upload = await uploads.receive(request)
        answer = RedirectResponse(_address(upload), 303)
        _remember(answer, [*_remembered(request), upload.token])
        return answer

    @show_at(router, "/documents/{token}")
    async def show(request: Request, token: str) -> Response:
        corpora: Corpora = request.app.state.corpora
        if (kept := corpora.name_of(token)) is not None:
            return RedirectResponse(PageAddresses(kept).to("/"), 303)
        upload = corpora.require_upload(token)
        tried: list[tuple[str, str]] = []
        if upload.checker:
            addresses = PageAddresses(token)
            claims = await request.app.state.readers.run(examples, upload.checker)
            tried = [(claim, addresses.claim(claim)) for claim in claims]
        return render_page(
            request,
            "upload.html",
            here="/documents",
            about=corpora.find(token) if upload.checker else None,
            upload=upload,
            words=_describe(upload),
            percent=_percent(upload),
            examples=tried,
            problem_count=sum(document.problem_count for document in upload.documents),
        )

    @show_at(router, "/documents/{token}/progress")
    async def progress(request: Request, token: str) -> Response:
        upload = request.app.state.corpora.require_upload(token)
        told = {"done": _percent(upload), "over": upload.is_over, "words": _describe(upload), "counts": {}}
        return JSONResponse(told)

    @router.post("/documents/{token}/stop")
    async def stop(request: Request, token: str) -> Response:
        upload = request.app.state.corpora.require_upload(token)
        return RedirectResponse(_address(_uploads(request).stop(upload.token)), 303)

    @router.post("/documents/{token}/keep")
    async def keep(request: Request, token: str, name: Annotated[str, Form()] = "") -> Response:
        kept = await request.app.state.corpora.keep(token, name)
        return RedirectResponse(PageAddresses(kept).to("/"), 303)

    @router.post("/documents/{token}/let-go")
    async def let_go(request: Request, token: str) -> Response:
        _uploads(request).let_go(request.app.state.corpora.require_upload(token).token)
        answer = RedirectResponse("/documents", 303)
        _remember(answer, [each for each in _remembered(request) if each != token])
        return answer


def own_uploads(request: Request) -> list[Upload]:
    """The documents that this browser brought and that are still here."""
    uploads: Uploads | None = request.app.state.corpora.uploads
    return uploads.found(_remembered(request)) if uploads else []


def _remembered(request: Request) -> list[str]:
    """The documents that the browser names: those here, and those that another server behind the address may hold."""
    corpora: Corpora = request.app.state.corpora
    if corpora.uploads is None:
        return []
    most = corpora.uploads.limits.uploads_per_client
    tokens = [token for token in request.cookies.get(COOKIE, "").split(".") if _TOKEN.fullmatch(token)][-most:]
    here = {each.token for each in corpora.uploads.found(tokens)}
    return [token for token in tokens if token in here or corpora.is_elsewhere(token)]


def describe_limits(uploads: Uploads) -> Mapping[str, Any]:
    """What the form says of what may be brought, and what its script checks before anything is sent."""
    limits = uploads.limits
    return {
        "kinds": KINDS,
        "suffixes": ",".join(sorted(SUFFIXES)),
        "files": limits.document_files,
        "file_bytes": limits.document_bytes,
        "file_megabytes": limits.document_bytes >> 20,
        "bytes": limits.documents_bytes,
        "megabytes": limits.documents_bytes >> 20,
        "characters": limits.pasted_characters,
        "held": uploads.time_held,
        "may_keep": uploads.keep_in is not None,
    }


def _uploads(request: Request) -> Uploads:
    corpora: Corpora = request.app.state.corpora
    return corpora.require_uploads()


def _remember(answer: Response, tokens: Sequence[str]) -> None:
    """Name the documents in a cookie that only this server is told, only by its own pages, until the browser ends."""
    if tokens:
        answer.set_cookie(COOKIE, ".".join(tokens), httponly=True, samesite="strict")
    else:
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict")


def _address(upload: Upload) -> str:
    return f"/documents/{upload.token}"


def _percent(upload: Upload) -> int:
    """How far reading is, of a hundred: most of the time goes to the documents, the rest to their index."""
    if upload.state is UploadState.READY:
        return 100
    share = upload.done / upload.total if upload.total else 0.0
    return round(_READING_SHARE * share if upload.stage != "indexing" else _READING_SHARE + 15 * share)


def _describe(upload: Upload) -> str:
    every = counted(len(upload.files), "document")
    match upload.state:
        case UploadState.WAITING:
            return f"Waiting to read {every}"
        case UploadState.READING:
            return f"Reading {every}" if upload.stage != "indexing" else f"Preparing {every} for questions"
        case UploadState.READY:
            texts = sum(document.texts for document in upload.documents)
            tables = sum(document.tables for document in upload.documents)
            read = sum(document.pages > 0 for document in upload.documents)
            some = every if read == len(upload.files) else f"{read:,} of {every}"
            return f"{some} read: {counted(texts, 'sentence')} and {counted(tables, 'table')}"
        case UploadState.STOPPED:
            return "Stopped; nothing was kept"
    return "These documents could not be read"
