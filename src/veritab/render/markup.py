"""HTML that cannot be written wrong: what is not markup is escaped, whatever it holds."""

from __future__ import annotations

from html import escape
from typing import TypeAlias

from veritab.text import printable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
_VOID = frozenset({"input", "br", "meta", "link", "hr"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> Markup:
        """What templates ask for before they escape a text."""
        return self


Child: TypeAlias = str | int | None


def text(value: Child) -> Markup:
    """A value as HTML; markup stays as it is, and nothing stands for None."""
    if isinstance(value, Markup):
        return value
    return Markup("" if value is None else escape(printable(str(value))))


def joined(*children: Child) -> Markup:
    """Several values one after another."""
    return Markup("".join(map(text, children)))


def tag(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """An element; `class_` is written "class", `aria_label` "aria-label"; None or False leaves an attribute out."""
    written = "".join(
        _attribute(key, value) for key, value in attributes.items() if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{joined(*children)}</{name}>")


def head(title: str, style: str) -> Markup:
    """The head of a page that stands alone: nothing is fetched, nothing runs."""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content="Veritab"),
        tag("title", title),
        tag("style", Markup(style)),
    )


def _attribute(name: str, value: str | int | bool | None) -> str:
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(printable(str(value)))}"'
