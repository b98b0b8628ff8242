"""Templates and what goes with them: the look of every page, escaped everywhere, and the few files it needs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from veritab.errors import NotFound
from veritab.render.html import VERDICT_STYLE, draw_label, draw_sign
from veritab.web.corpora import ChosenCorpus, Corpora
from veritab.web.pages.addresses import PageAddresses
from veritab.web.problems import RequestRefused

P = ParamSpec("P")
T = TypeVar("T")

_WEB = Path(__file__).parents[1]
_STATIC = _WEB / "static"
_FOR_A_YEAR = "public, max-age=31536000, immutable"
_CSS = "text/css; charset=utf-8"
_SCRIPT = "text/javascript; charset=utf-8"
_MODULES = "studio/"
MEDIA_TYPES: Mapping[str, str] = {
    "veritab.css": _CSS,
    "veritab.js": _SCRIPT,
    "veritab.svg": "image/svg+xml",
    "studio.css": _CSS,
    "game.css": _CSS,
    "studio/work.css": _CSS,
    "studio/write.css": _CSS,
    **{path.relative_to(_STATIC).as_posix(): _SCRIPT for path in sorted((_STATIC / _MODULES).rglob("*.js"))},
}
"""The files that pages need; no other is served."""


@cache
def static_file(name: str) -> bytes:
    """One of the files that pages need; the style sheet begins with that of verdicts, which reports have too."""
    content = (_STATIC / name).read_bytes()
    return VERDICT_STYLE.read_bytes() + b"\n" + content if name == "veritab.css" else content


@cache
def static_address(name: str) -> str:
    """Where a file is served; its digest is part of it, so that a browser may keep it for ever."""
    return f"/static/{name}?{hashlib.sha256(static_file(name)).hexdigest()[:12]}"


@cache
def _modules_version() -> str:
    names = [name for name in MEDIA_TYPES if name.startswith(_MODULES)]
    return hashlib.sha256(b"".join(map(static_file, names))).hexdigest()[:12]


def script_address(name: str) -> str:
    """Where a module of the studio is served: those that it imports are beside it, in a folder of this version."""
    return f"/static/{_modules_version()}/{_MODULES}{name}"


def counted(number: int, thing: str) -> str:
    """How many of a thing: "1 page", "226 pages"."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def as_sentence(detail: str) -> str:
    """A sentence of its own, with a capital unless it begins with the name of a file."""
    begun = f"{detail[:1].upper()}{detail[1:]}" if detail.partition(" ")[0].isalpha() else detail
    return begun + ("" if detail.endswith((".", "!", "?", "…")) or not detail else ".")


@cache
def environment() -> Environment:
    """The templates, which escape every text."""
    templates = Environment(
        loader=FileSystemLoader(_WEB / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {
        "static": static_address,
        "script": script_address,
        "counted": counted,
        "draw_label": draw_label,
        "draw_sign": draw_sign,
    }
    return templates


def show_at(router: APIRouter, path: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Serve a page at a path, for GET and HEAD."""
    return router.api_route(path, methods=["GET", "HEAD"])


def add_static(router: APIRouter) -> None:
    """Serve the files that pages need."""

    @show_at(router, "/static/{name:path}")
    async def serve(request: Request, name: str) -> Response:
        name = name.removeprefix(f"{_modules_version()}/")
        if name not in MEDIA_TYPES:
            raise RequestRefused(404, f"there is no file {name[:40]!r}")
        # Another server behind the address may be of another version, whose file must not be taken for this one.
        is_meant = request.url.query in ("", static_address(name).partition("?")[2])
        headers = {"Cache-Control": _FOR_A_YEAR} if is_meant else {}
        return Response(static_file(name), media_type=MEDIA_TYPES[name], headers=headers)

    @show_at(router, "/favicon.ico")
    async def icon(request: Request) -> Response:
        return await serve(request, "veritab.svg")


def _chosen(request: Request) -> ChosenCorpus:
    """The corpus that the address names; the first where that one is not here, which an error page says."""
    corpora: Corpora = request.app.state.corpora
    try:
        return corpora.find(request.query_params.get("corpus", ""))
    except (NotFound, RequestRefused):
        return corpora.find()


def render_blocks(template: str, names: Iterable[str], **values: Any) -> dict[str, str]:
    """Some blocks of a template, each for itself."""
    loaded = environment().get_template(template)
    return {name: "".join(loaded.blocks[name](loaded.new_context(values))).strip() for name in names}


def render_page(
    request: Request,
    template: str,
    *,
    here: str = "",
    status: int = 200,
    about: ChosenCorpus | None = None,
    **values: Any,
) -> HTMLResponse:
    """A page; `here` is the entry of the navigation that it belongs to, `about` the corpus if the address has none."""
    import veritab
    from veritab.web.pages.uploading import describe_limits, own_uploads

    state = request.app.state
    chosen = about or _chosen(request)
    uploads = state.corpora.uploads
    own = {each.token: each for each in own_uploads(request)}
    if uploads and chosen.name:
        own |= {each.token: each for each in uploads.found([chosen.name])}
    known = {
        "corpus": chosen.checker.corpus,
        "corpora": state.corpora.names,
        "own": list(own.values()),
        "chosen": chosen.name,
        "bringing": describe_limits(uploads) if uploads else None,
        "to": PageAddresses(chosen.name).to,
        "limits": state.limits,
        "lasting": state.archive.is_lasting,
        "version": veritab.__version__,
        "here": here,
    }
    return HTMLResponse(environment().get_template(template).render(known | values), status)
