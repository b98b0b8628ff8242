"""A section of wikitext becomes lines of marked text: `expand` settles links and templates, `tidy` tags and quotes.

Each is one pass, linear in the text. What `plain` does comes last, for one text at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import unescape
from typing import TypeAlias

from veritab.corpus.inline import BREAK, END, GAP, MARK, link_mark, to_superscript
from veritab.corpus.wikipedia import NAMESPACES, article_title
from veritab.corpus.wikitext.literals import CONTROL, PIPE, SOFT
from veritab.text import title_form

FLAG = "\x0e"
"""Where a notice says that citations lack."""
ICON, ICON_END = "\x10", "\x11"
"""Around the name of a flag: shown only where a cell holds nothing else."""

Template: TypeAlias = Callable[[list[str]], str]
"""What a template shows, given the parts between its pipes."""

# -- links and templates -----------------------------------------------------------------------------------

# A simple link is one token: most links are simple.
_TOKEN = re.compile(
    rf"\[\[([^\[\]{{}}|\n{PIPE}]++)(?:[|{PIPE}]([^\[\]{{}}|]*+))?\]\]([a-zß-ÿ]*+)|"
    r"\{\{|\}\}|\[\[|\]\]([a-zß-ÿ]*+)|\|"
)
# Brackets are not nested deeper by hand; a limit keeps the copying of inner text linear.
_DEEPEST = 60
_PARAMETER = re.compile(r"\{\{\{([^{}|]*+)(?:\|([^{}]*+))?\}\}\}")


class _Open:
    """A bracket that waits for its other half, with the parts between the pipes seen so far."""

    __slots__ = ("opener", "parts", "pieces")

    def __init__(self, opener: str) -> None:
        self.opener = opener
        self.parts: list[str] = []
        self.pieces: list[str] = []

    def all_parts(self) -> list[str]:
        return [*self.parts, "".join(self.pieces)]

    def as_written(self) -> str:
        return self.opener + "|".join(self.all_parts())


def expand(text: str, template: Template, unclosed: list[str]) -> str:
    """Replace templates by what they show and links by marks; unclosed brackets are added to `unclosed`."""
    if "{{{" in text:
        text = _PARAMETER.sub(lambda parameter: parameter[2] or "", text)
    stack = [_Open("")]
    top = stack[0]
    templates = too_deep = position = 0
    for token in _TOKEN.finditer(text):
        start = token.start()
        if start > position:
            top.pieces.append(text[position:start])
        position = token.end()
        what = token[0]
        if token[1] is not None:
            top.pieces.append(link(token[1], token[2], token[3]))
        elif what == "|":
            if len(stack) > 1:
                top.parts.append("".join(top.pieces))
                top.pieces = []
            else:
                top.pieces.append("|")
        elif what in ("{{", "[["):
            if len(stack) > _DEEPEST:
                too_deep += 1
                continue
            top = _Open(what)
            stack.append(top)
            templates += what == "{{"
        elif too_deep:
            too_deep -= 1
        elif what == "}}" and templates:
            while top.opener == "[[":
                top = _give_up(stack, unclosed)
            templates -= 1
            stack.pop()
            stack[-1].pieces.append(template(top.all_parts()))
            top = stack[-1]
        elif what != "}}" and top.opener == "[[":
            stack.pop()
            stack[-1].pieces.append(_long_link(top, token[4]))
            top = stack[-1]
        else:
            top.pieces.append(what)
    top.pieces.append(text[position:])
    while len(stack) > 1:
        _give_up(stack, unclosed)
    return "".join(stack[0].pieces).replace(PIPE, "|")


def _give_up(stack: list[_Open], unclosed: list[str]) -> _Open:
    """Read the innermost open bracket as text of the one around it, which gets its pipes back."""
    opened = stack.pop()
    around = stack[-1]
    unclosed.append(_readable(opened.as_written()[:60]))
    if len(stack) == 1:
        around.pieces.append(opened.as_written())
        return around
    first, *others = opened.all_parts()
    around.pieces.append(opened.opener + first)
    for part in others:
        around.parts.append("".join(around.pieces))
        around.pieces = [part]
    return around


def _readable(written: str) -> str:
    return " ".join(CONTROL.sub(" ", written).split())[:40]


def _long_link(opened: _Open, trail: str) -> str:
    parts = opened.all_parts()
    if "\n" in parts[0] or MARK in parts[0]:
        return opened.as_written() + trail
    return link(parts[0], "|".join(parts[1:]) if len(parts) > 1 else None, trail)


_CATEGORY = frozenset("category kategorie catégorie categoría categoria categorie kategoria категория".split())
_VANISHING = _CATEGORY | frozenset(
    """
    file image media datei bild fichier archivo immagine ficheiro imagem bestand afbeelding plik файл
    """.split()
)
_CATEGORY_LINK = re.compile(r"\[\[\s*([^\W\d_]{5,12})\s*:([^\[\]|{}\n]{1,250})(?:\|[^\[\]\n]*)?\]\]")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,8})*:(?! )|simple:")
_ANY_MARK = re.compile(f"{MARK}[^{GAP}]*{GAP}|{END}")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")


@lru_cache(maxsize=20_000)
def _destination(target: str) -> str | None:
    """The title a link points to, nothing for what is not an article, None for a link that shows nothing."""
    target = unescape(target) if "&" in target else target
    shown_anyway = target.startswith(":")
    name = target.lstrip(":").partition("#")[0].strip()
    if ":" in name:
        prefix = name.partition(":")[0].strip().replace(" ", "_").lower()
        if prefix in _VANISHING or (_LANGUAGE.match(name) and prefix not in NAMESPACES):
            return "" if shown_anyway else None
        if prefix in NAMESPACES:
            return ""
    return article_title(name)


def categories_of(text: str) -> tuple[str, ...]:
    """What a page is sorted under, each once, in order."""
    found = (title_form(unescape(name)) for space, name in _CATEGORY_LINK.findall(text) if space.lower() in _CATEGORY)
    return tuple(sorted({name[0].upper() + name[1:] for name in found if name}))


def link_title(target: str) -> str:
    """The title of the article a link points to, or nothing."""
    return _destination(target.strip()) or ""


def link(target: str, anchor: str | None, trail: str = "") -> str:
    """A link as marked text: letters right after it belong to it, files and categories show nothing."""
    title = _destination(target.strip())
    if title is None:
        return trail
    if anchor is None:
        anchor = target.strip().removeprefix(":")
    elif not anchor:  # the "pipe trick": the name without what tells it from its namesakes
        anchor = _ASIDE.sub("", target.rpartition(":")[2])
    anchor += trail
    if "\n" in anchor or "|" in anchor or "!!" in anchor:  # nothing in a link is a table's markup
        anchor = anchor.replace("\n", " ").replace("|", "&#124;").replace("!!", "&#33;&#33;")
    if MARK in anchor:
        anchor = unlinked(anchor)
    return link_mark(title, anchor) if title else anchor


def unlinked(text: str) -> str:
    """Marked text without its links."""
    return _ANY_MARK.sub("", text)


# -- tags, quotes and what else is left --------------------------------------------------------------------

_QUOTES = re.compile("''+")
_TAG = re.compile(r"<(/?)([a-zA-Z]++[1-6]?+)([^<>]*+)>")
_RAISED = re.compile(r"<sup\b[^<>]*+>([^<>]*+)</sup\s*+>", re.IGNORECASE)
_OUTSIDE = re.compile(r"\[((?:https?://|ftp://|//|mailto:|irc://)[^\s\[\]]++)\s*+([^\[\]]*+)\]", re.IGNORECASE)
_SWITCH = re.compile(r"__[A-Z]{3,30}__")
_ICON = re.compile(f"{ICON}[^{ICON_END}]*{ICON_END}")
_STRAY = re.compile(r"\[\[|\]\]|\{\{+|\}\}+|</?ref\b", re.IGNORECASE)
_DEEPEST_LIST = 20

_TAGS: dict[str, str] = {
    **dict.fromkeys(
        "p div center blockquote section article header footer aside dl h1 h2 h3 h4 h5 h6".split(),
        SOFT + SOFT,
    ),
    **dict.fromkeys(
        """
        b i em strong big small u tt font abbr acronym nobr s ins del strike bdi bdo wbr span a cite code kbd samp var
        dfn mark q sub sup time data ruby rb rp rt rtc noinclude onlyinclude includeonly section ref references nowiki
        tbody thead tfoot td th tr caption table li dd dt ul ol img poem gallery math label translate tvar
        """.split(),
        "",
    ),
    "br": BREAK,
    "hr": SOFT + SOFT,
}
_TABLE_TAGS = {"table": "\n{{|{}\n", "tr": "\n|-{}\n", "td": "\n|{}|", "th": "\n!{}|", "caption": "\n|+{}|"}
_LIST_TAGS = {"ul": "*", "ol": "#"}


def tidy(text: str) -> str:
    """Settle what is left of a section's markup; lines stay lines."""
    if "''" in text:
        text = "\n".join(_unquoted(line) if "''" in line else line for line in text.split("\n"))
    if "<" in text:
        text = _TAG.sub(_Tags(), _RAISED.sub(lambda match: to_superscript(match[1]), text))
    if "[" in text:
        text = _OUTSIDE.sub(lambda found: found[2].strip() or found[1], text)
    if "__" in text:
        text = _SWITCH.sub("", text)
    return _STRAY.sub("", text)


def plain(text: str) -> str:
    """The last step: markup that belongs to nothing goes, character references become characters."""
    if ICON in text:
        text = _ICON.sub("", text)
    if "{|" in text or "|}" in text:
        text = text.replace("{|", "").replace("|}", "")
    return unescape(text) if "&" in text else text


class _Tags:
    """What each tag of a text becomes; lists in HTML need to know how deep they are."""

    def __init__(self) -> None:
        self._lists: list[str] = []

    def __call__(self, match: re.Match[str]) -> str:
        closing, tag, attributes = match[1], match[2].lower(), match[3]
        shown = _TAGS.get(tag)
        if shown is None:
            return match[0]
        if tag in _TABLE_TAGS:
            if closing:
                return "\n|}\n" if tag == "table" else ""
            return _TABLE_TAGS[tag].format(attributes.replace("|", " "))
        if tag in _LIST_TAGS:
            outermost = not self._lists
            if not closing and len(self._lists) < _DEEPEST_LIST:
                self._lists.append(_LIST_TAGS[tag])
            elif closing and self._lists:
                self._lists.pop()
                outermost = not self._lists
            return SOFT + SOFT if outermost else ""
        if tag == "li" and not closing:
            return f"{SOFT}{''.join(self._lists) or '*'} "
        if tag in ("dt", "dd") and not closing:
            return f"{SOFT}{';' if tag == 'dt' else ':'} "
        return shown


def _unquoted(line: str) -> str:
    """A line without its bold and italic quotes; an apostrophe that only stands beside them stays."""
    runs = list(_QUOTES.finditer(line))
    lengths = [len(run[0]) for run in runs]
    both = sum(length >= 5 for length in lengths)
    bold = [run for run, length in zip(runs, lengths, strict=True) if length in (3, 4)]
    slip = None
    if bold and (len(bold) + both) % 2 and (lengths.count(2) + both) % 2:
        # One bold mark is an apostrophe before italics, as in l'''amour'': the first after a single letter, if any.
        slip = next((run for run in bold if _after_single_letter(line, run.start())), bold[0]).start()
    return _QUOTES.sub(lambda run: "'" if len(run[0]) in (4, 6) or run.start() == slip else "", line)


def _after_single_letter(line: str, position: int) -> bool:
    return line[position - 1 : position].isalpha() and line[max(position - 2, 0) : position - 1] in ("", " ")
