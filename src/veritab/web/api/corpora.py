"""The routes under /v1/corpora: what can be asked, and documents that a program brings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi import Path as InPath
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import NotFound, VeritabError
from veritab.web.api.shapes import CorporaShape, HeldCorpusShape
from veritab.web.api.work import json_response
from veritab.web.bodies import BoundedRoute
from veritab.web.corpora import Corpora
from veritab.web.uploads import Upload, UploadState

_SECONDS_BETWEEN_LOOKS = 2.0
_LOG = logging.getLogger(__name__)
_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                        "text": {"type": "string", "description": "A text to check against, beside files or alone."},
                    },
                }
            }
        },
    }
}
_Name = Annotated[str, InPath(max_length=120, description="The name of a corpus, or the id that documents got.")]


def router(corpora: Corpora) -> APIRouter:
    """The routes; while they are served, documents that nobody uses are let go."""

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        if corpora.uploads is None:
            yield
            return
        async with corpora.uploads.running():
            following = asyncio.ensure_future(_follow_kept(corpora)) if app.state.archive.is_shared else None
            try:
                yield
            finally:
                if following:
                    following.cancel()

    routes = APIRouter(prefix="/v1/corpora", tags=["corpus"], lifespan=lifespan, route_class=BoundedRoute)

    @routes.get("", summary="List the corpora", response_model=CorporaShape)
    async def list_corpora(request: Request) -> Response:
        """The corpora that everybody may ask. Documents that somebody brought are found by their id alone."""
        return json_response({"corpora": [await _describe_name(request, name) for name in corpora.names]})

    @routes.post("", summary="Bring documents", status_code=202, response_model=HeldCorpusShape, openapi_extra=_FORM)
    async def bring(request: Request) -> Response:
        """Send documents to check claims against: PDF, DOCX, XLSX, CSV, HTML, Markdown or text, in one form.

        They are read in the background; follow them under their id. When the state is `ready`, `?corpus=ID` asks them.
        """
        upload = await corpora.require_uploads().receive(request)
        answer = json_response(_describe_upload(corpora, upload))
        answer.status_code = 202
        answer.headers["Location"] = f"/v1/corpora/{upload.token}"
        return answer

    @routes.get("/{name}", summary="Look at a corpus", response_model=HeldCorpusShape)
    async def show(request: Request, name: _Name) -> Response:
        """A corpus, or how far reading documents is and what was read of them."""
        upload = corpora.uploads.find(name) if corpora.uploads else None
        if upload is not None:
            return json_response(_describe_upload(corpora, upload))
        return json_response(await _describe_name(request, corpora.find(name).name))

    @routes.delete("/{name}", summary="Let documents go", response_model=HeldCorpusShape)
    async def let_go(request: Request, name: _Name) -> Response:
        """Remove documents that were brought, and all that was made of them; reading them ends."""
        upload = corpora.uploads.find(name) if corpora.uploads else None
        if upload is None:
            corpora.refuse_elsewhere(name)
            raise NotFound(f"no documents are held under the id {name[:60]!r}; other corpora are not removed here")
        corpora.require_uploads().let_go(name)
        return json_response({**_describe_upload(corpora, upload), "state": "gone"})

    return routes


async def _follow_kept(corpora: Corpora) -> None:
    """Have documents offered soon after another server kept them in a folder that several share."""
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        try:
            await asyncio.to_thread(corpora.follow_kept)
        except (OSError, VeritabError) as error:  # the folder may be on a network
            _LOG.warning("kept documents cannot be looked for: %s", error)


async def _describe_name(request: Request, name: str) -> dict[str, Any]:
    checker = request.app.state.corpora.find(name).checker
    about = await request.app.state.readers.run(lambda: dict(checker.corpus))
    return {"id": name, "name": about["name"], "state": str(UploadState.READY), **_sizes(about)}


def _describe_upload(corpora: Corpora, upload: Upload) -> dict[str, Any]:
    about = upload.checker.corpus if upload.checker else {}
    held = corpora.require_uploads().limits.upload_seconds
    return {
        "id": upload.token,
        "name": upload.name,
        "state": str(upload.state),
        **_sizes(about),
        "done": upload.done,
        "total": upload.total,
        "error": upload.error,
        "documents": [{**each._asdict(), "problems": list(each.problems)} for each in upload.documents],
        "left_out": list(upload.left_out),
        "seconds_held": held,
    }


def _sizes(about: Any) -> dict[str, Any]:
    return {"pages": about.get("pages", 0), "revision": str(about.get("revision", ""))}
