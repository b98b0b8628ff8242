"""The page that describes the API, drawn from the OpenAPI document."""

from __future__ import annotations

import re

from fastapi import APIRouter
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from veritab.web.api.manual import read_manual
from veritab.web.pages.templating import render_page, show_at

_CODE = re.compile("`([^`]+)`")


def add(router: APIRouter) -> None:
    """Add this page to the router."""

    @show_at(router, "/docs")
    async def docs(request: Request) -> Response:
        return render_page(
            request, "docs.html", manual=read_manual(request.app.openapi(), _link, _code), mark=mark_code
        )


def mark_code(text: str) -> Markup:
    """A text with what stands between backticks as code."""
    return Markup("").join(_code(part) if number % 2 else escape(part) for number, part in enumerate(_CODE.split(text)))


def _link(name: str) -> Markup:
    return Markup('<a href="#{}">{}</a>').format(name.lower(), name)


def _code(value: str) -> Markup:
    return Markup("<code>{}</code>").format(value)
