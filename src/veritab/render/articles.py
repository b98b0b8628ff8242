"""One verdict as an article of HTML: the claim, its label and scores, the evidence, the reasoning, the certificate."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.render.markup import Markup, joined, tag, text
from veritab.render.tables import Excerpt, Line, Square, Tables, table_excerpt
from veritab.render.view import Card, cards, deciding, matching_words, notes, parts, shares
from veritab.schema import COMPUTED, ElementId, Hit, Kind, Label, Verdict

CLASSES = {Label.SUPPORTS: "supports", Label.REFUTES: "refutes", Label.NOT_ENOUGH_INFO: "unknown"}
SIGNS = {Label.SUPPORTS: "✓", Label.REFUTES: "✗", Label.NOT_ENOUGH_INFO: "?"}
NAMES = {Label.SUPPORTS: "Supported", Label.REFUTES: "Refuted", Label.NOT_ENOUGH_INFO: "Not enough info"}

_MOST_CARDS = 6


def article(verdict: Verdict, number: int, tables: Tables | None = None, back: str = "") -> Markup:
    """The verdict with this number, to which "#verdict-7" leads; `back` is where its claim stands in a text."""
    return tag(
        "article",
        tag(
            "header",
            _top(verdict, number, back),
            tag("h2", verdict.claim.text, dir="auto"),
            bar(verdict),
        ),
        _parts(verdict),
        _reasoning(verdict),
        _evidence(verdict, tables),
        _certificate(verdict),
        class_=f"verdict {CLASSES[verdict.label]}",
        id=f"verdict-{number}",
    )


def chip(label: Label) -> Markup:
    """A label as a small sign with its name."""
    return tag(
        "span", tag("span", SIGNS[label], aria_hidden="true"), " ", NAMES[label], class_=f"chip {CLASSES[label]}"
    )


def bar(verdict: Verdict) -> Markup:
    """The scores of the three labels as one bar."""
    told = shares(verdict.scores)
    spoken = ", ".join(f"{NAMES[label]} {percent} %" for label, percent in told)
    pieces = (
        tag("span", class_=f"piece {CLASSES[label]}", style=f"flex-grow:{percent}")
        for label, percent in told
        if percent
    )
    figures = (
        tag("span", tag("i", class_=CLASSES[label]), f"{NAMES[label]} ", tag("b", f"{percent} %"))
        for label, percent in told
    )
    return joined(
        tag("div", *pieces, class_="bar", role="img", aria_label=spoken),
        tag("p", *figures, class_="figures", aria_hidden="true"),
    )


def _top(verdict: Verdict, number: int, back: str) -> Markup:
    name = verdict.claim.id or str(number)
    where = tag("a", "in the text", href=back, class_="back") if back else None
    return tag(
        "p", chip(verdict.label), where, tag("a", f"#{name}", href=f"#verdict-{number}", class_="number"), class_="top"
    )


def _parts(verdict: Verdict) -> Markup | None:
    told = parts(verdict)
    if not told:
        return None
    lines = (tag("li", chip(part.label), " ", tag("span", part.text, dir="auto")) for part in told)
    return _block("Parts of the claim", tag("ul", *lines, class_="parts"))


def _block(name: str, *children: Markup) -> Markup:
    return tag("section", tag("h3", name), *children)


# -- evidence ----------------------------------------------------------------------------------------------


def _evidence(verdict: Verdict, tables: Tables | None) -> Markup:
    chosen = deciding(verdict)
    told = sorted(cards(verdict.evidence), key=lambda card: chosen.isdisjoint(card.ids))
    drawn = [_card(card, verdict.claim.text, tables, chosen) for card in told]
    if not drawn:
        return _block("Evidence", tag("p", "No evidence was found.", class_="none"))
    rest = drawn[_MOST_CARDS:]
    more = tag("details", tag("summary", f"{len(rest)} more"), *rest) if rest else None
    return tag("section", tag("h3", "Evidence"), *drawn[:_MOST_CARDS], more, class_="evidence")


def _card(card: Card, claim: str, tables: Tables | None, chosen: frozenset[ElementId]) -> Markup:
    place = tag("p", tag("b", card.page), *(f" › {section}" for section in card.sections), class_="place", dir="auto")
    drawn = joined(*_table(card, tables, chosen)) if card.table else joined(*(_quote(hit, claim) for hit in card.hits))
    decides = not chosen.isdisjoint(card.ids)
    return tag("div", place, drawn, class_="card deciding" if decides else "card")


def _quote(hit: Hit, claim: str) -> Markup:
    words = (
        tag("mark", span.text) if span.matches else text(span.text) for span in matching_words(hit.element.text, claim)
    )
    bullet = "item" if hit.element.kind is Kind.ITEM else None
    return joined(tag("blockquote", *words, class_=bullet, dir="auto"), _address(str(hit.element.id), hit.by))


def _address(id: str, by: str) -> Markup:
    return tag("p", tag("code", id), " ", tag("span", _who(by), class_="by"), class_="address")


def _who(by: str) -> str:
    return "used in the computation" if by == COMPUTED else f"by {by}"


def _table(card: Card, tables: Tables | None, chosen: frozenset[ElementId]) -> Iterator[Markup]:
    table = tables(card.table) if tables and card.table else None
    excerpt = table_excerpt(card.hits, table)
    caption = tag("figcaption", excerpt.caption, dir="auto") if excerpt.caption else None
    name = excerpt.caption or f"Table of {card.page}"
    if any(line.squares for line in excerpt.lines):
        drawing = tag("table", tag("tbody", *(_line(line, excerpt, chosen) for line in excerpt.lines)))
        region = tag("div", drawing, class_="scroll", tabindex=0, role="group", aria_label=name)
        yield tag("figure", caption, region)
    elif caption:
        yield tag("figure", caption)
    yield tag("details", tag("summary", _addresses_in_words(card)), _addresses(card), class_="addresses")


def _addresses_in_words(card: Card) -> str:
    return "1 address" if len(card.hits) == 1 else f"{len(card.hits)} addresses"


def _addresses(card: Card) -> Markup:
    return joined(*(_address(str(hit.element.id), hit.by) for hit in card.hits))


def _line(line: Line, excerpt: Excerpt, chosen: frozenset[ElementId]) -> Markup:
    if line.left_out:
        told = f"… {line.left_out:,} row{'s' * (line.left_out != 1)} left out"
        return tag("tr", tag("td", told, colspan=excerpt.width), class_="gap")
    return tag("tr", *(_square(square, chosen, line.header) for square in line.squares))


def _square(square: Square, chosen: frozenset[ElementId], in_header: bool) -> Markup:
    classes = [
        name
        for name, holds in (
            ("marked", square.evidence),
            ("deciding", square.id in chosen),
            ("gap", square.gap),
        )
        if holds
    ]
    inner = tag("mark", square.text) if square.evidence else square.text
    return tag(
        "th" if square.header else "td",
        inner,
        class_=" ".join(classes) or None,
        scope=("col" if in_header else "row") if square.header else None,
        colspan=square.columns if square.columns > 1 else None,
        rowspan=square.rows if square.rows > 1 else None,
        title=str(square.id) if square.evidence else None,
        dir="auto",
    )


# -- the reasoning and the certificate ---------------------------------------------------------------------


def _reasoning(verdict: Verdict) -> Markup | None:
    if not verdict.reasoning:
        return None
    return _block(
        "Reasoning", tag("ul", *(tag("li", line, dir="auto") for line in verdict.reasoning), class_="reasons")
    )


def _certificate(verdict: Verdict) -> Markup | None:
    told = notes(verdict)
    if not told:
        return None
    lines = (
        joined(tag("dt", note.name), tag("dd", note.text, *(joined(" ", tag("code", id)) for id in note.ids)))
        for note in told
    )
    return tag("details", tag("summary", "Certificate"), tag("dl", *lines), class_="certificate")
