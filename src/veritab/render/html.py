"""Verdicts as HTML: the parts that web pages and reports are made of, and the report that needs nothing else.

A report is one page without script or network, for light and dark screens and for paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Any, Protocol, TextIO

from veritab.errors import InputError
from veritab.render.markup import Markup, head, joined, tag
from veritab.render.tables import ExcerptCell, ExcerptRow, TableExcerpt, TableFinder, excerpt_hits
from veritab.render.view import (
    LABELS,
    ClaimSpan,
    EvidenceCard,
    EvidenceName,
    LabelView,
    PartView,
    ScoreShare,
    TextRun,
    VerdictView,
    edit_runs,
    format_kind,
    highlight_claim_words,
    split_text,
)
from veritab.schema import CELLS, COMPUTED, Correction, CountedRows, ElementId, Hit, Label, Link, Origin, Verdict
from veritab.text import shorten

VERDICT_STYLE = Path(__file__).with_name("verdict.css")
"""The look of verdicts and tables, on web pages and in reports."""
REPORT_STYLES = (VERDICT_STYLE, Path(__file__).with_name("report.css"))
_IN_MEMORY = 8 << 20
_MOST_CARDS, _MOST_PART_CARDS = 4, 2
_MOST_FACTS = 12
_MOST_NAMED = 6
_MOST_PAGES = 12
_LONGEST_CELL = 240
_WIDE = 7
"""From so many columns on a table takes the width of the window."""


class Addresses(Protocol):
    """Where a web server shows pages, elements and claims."""

    def page(self, title: str, mark: Iterable[ElementId] = ()) -> str: ...
    def element(self, id: ElementId) -> str: ...
    def claim(self, text: str) -> str: ...
    def original(self, title: str, page: int, mark: Iterable[ElementId] = ()) -> str: ...


# -- labels, scores, texts ---------------------------------------------------------------------------------

_SIGNS = {
    "supports": "M5.8 10.4l2.8 2.8 5.6-6",
    "refutes": "M6.8 6.8l6.4 6.4M13.2 6.8l-6.4 6.4",
    "unknown": "M7.6 7.7a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1.1.8-1.1 1.7M10 14.3v.1",
}


def draw_sign(view: LabelView) -> Markup:
    """The sign of a label."""
    return tag(
        "svg",
        tag("circle", cx=10, cy=10, r=9),
        tag("path", d=_SIGNS[view.name]),
        class_="sign",
        viewBox="0 0 20 20",
        width=20,
        height=20,
        aria_hidden="true",
        focusable="false",
    )


def draw_label(view: LabelView) -> Markup:
    """A label as its sign and its name."""
    return tag("span", draw_sign(view), view.words, class_=f"chip {view.name}")


def draw_scores(shares: Iterable[ScoreShare]) -> Markup:
    """A bar for the score of each label."""
    return tag("ul", *map(_draw_score, shares), class_="scores")


def _draw_score(share: ScoreShare) -> Markup:
    track = tag("rect", class_="track", width="100%", height=8, rx=4)
    fill = tag("rect", class_="fill", width=f"{100 * share.score:.1f}%", height=8, rx=4)
    return tag(
        "li",
        tag("span", share.view.words, class_="score-name"),
        " ",
        tag("svg", track, fill, class_="bar", width="100%", height=8, aria_hidden="true", focusable="false"),
        tag("span", share.text, class_="score-number"),
        class_=f"score {share.view.name}",
    )


def draw_runs(runs: Iterable[TextRun]) -> Markup:
    """A text with its links and what is highlighted in it."""
    return joined(*map(_draw_run, runs))


def _draw_run(run: TextRun) -> Markup:
    text = tag("mark", run.text) if run.highlighted else joined(run.text)
    return tag("a", text, href=run.href) if run.href else text


def split_runs(
    text: str, links: Iterable[Link] = (), spans: Iterable[tuple[int, int]] = (), addresses: Addresses | None = None
) -> list[TextRun]:
    """The text in runs, none of which crosses the edge of a link of its source or of a highlighted span."""
    links, spans = list(links) if addresses else [], list(spans)
    edges = {0, len(text)}
    for start, end in [*((link.start, link.end) for link in links), *spans]:
        edges |= {min(max(start, 0), len(text)), min(max(end, 0), len(text))}
    runs = []
    for start, end in pairwise(sorted(edges)):
        target = next((link.target for link in links if link.start <= start < link.end), "")
        is_highlighted = any(first <= start < last for first, last in spans)
        runs.append(TextRun(text[start:end], is_highlighted, addresses.page(target) if addresses and target else ""))
    return runs


def anchor_name(id: ElementId) -> str:
    """The name of an element on the page that shows it."""
    return "_".join((id.kind, *map(str, id.path)))


# -- tables ------------------------------------------------------------------------------------------------


def draw_table(
    excerpt: TableExcerpt,
    name: str,
    addresses: Addresses | None = None,
    *,
    anchored: bool = False,
    longest: int | None = None,
    key: str = "Key evidence",
) -> Markup:
    """A table in a box that scrolls; `anchored` gives each cell the name by which links lead to it.

    `key` is what a framed cell is called for who does not see the frame.
    """
    table = _TableHtml(excerpt, addresses, anchored, longest, key)
    classes = "scroll wide" if excerpt.width >= _WIDE else "scroll"
    return tag("div", table.draw(), class_=classes, role="group", aria_label=name, tabindex=0)


class _TableHtml:
    def __init__(
        self, excerpt: TableExcerpt, addresses: Addresses | None, anchored: bool, longest: int | None, key: str
    ) -> None:
        self._excerpt, self._addresses, self._longest, self._key = excerpt, addresses, longest, key
        self._anchored = anchored
        self._named: set[str] = set()

    def draw(self) -> Markup:
        excerpt = self._excerpt
        rows = [self._row(row) for row in excerpt.rows]
        heads = excerpt.header_rows
        return tag(
            "table",
            self._caption() if excerpt.caption else None,
            tag("thead", *rows[:heads]) if heads else None,
            tag("tbody", *rows[heads:]),
            class_="infobox" if excerpt.is_infobox else None,
        )

    def _caption(self) -> Markup:
        excerpt = self._excerpt
        text = draw_runs(split_runs(excerpt.caption, excerpt.caption_links, (), self._addresses))
        anchor = f"table_caption_{excerpt.id.path[0]}" if self._anchored else None
        return tag("caption", text, id=anchor, dir="auto")

    def _row(self, row: ExcerptRow) -> Markup:
        if row.left_out:
            return tag("tr", tag("td", tag("span", row.gap), colspan=self._excerpt.width), class_="left-out")
        return tag("tr", *(self._cell(cell, row) for cell in row.cells))

    def _cell(self, cell: ExcerptCell, row: ExcerptRow) -> Markup:
        is_long = self._longest is not None and len(cell.text) > self._longest
        text = shorten(cell.text, self._longest or 0) if is_long else cell.text
        marks = {
            "first": cell.is_first,
            "evidence": cell.is_evidence,
            "key": cell.is_key,
            "read": cell.is_read and not cell.is_evidence,
            "near": cell.is_near,
            "gap": cell.is_gap,
        }
        spoken = tag("span", f"{self._key if cell.is_key else 'Evidence'}: ", class_="aloud")
        return tag(
            "th" if cell.is_header else "td",
            spoken if cell.is_evidence else None,
            draw_runs(split_runs(text, () if is_long else cell.links, (), self._addresses)),
            id=self._anchor(cell.id) if self._anchored and cell.id else None,
            scope=("col" if row.is_header else "row") if cell.is_header else None,
            colspan=cell.columns if cell.columns > 1 else None,
            rowspan=cell.rows if cell.rows > 1 else None,
            class_=" ".join(name for name, holds in marks.items() if holds) or None,
            title=str(cell.id) if cell.is_evidence else None,
            dir="auto",
        )

    def _anchor(self, id: ElementId) -> str | None:
        """The name of a cell; one that spans a gap is drawn twice, but named once."""
        name = anchor_name(id)
        if name in self._named:
            return None
        self._named.add(name)
        return name


# -- a verdict ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VerdictHtml:
    """The parts of a verdict's page; without addresses nothing is a link and elements are named by their ids."""

    verdict: Verdict
    tables: TableFinder | None = None
    addresses: Addresses | None = None

    @cached_property
    def view(self) -> VerdictView:
        return VerdictView(self.verdict)

    @property
    def sign(self) -> Markup:
        return draw_sign(self.view.label)

    @property
    def scores(self) -> Markup:
        return draw_scores(self.view.shares)

    @property
    def uncertainty(self) -> Markup:
        """That the answer is uncertain, and why."""
        if not self.view.uncertainty:
            return Markup("")
        return tag("p", tag("span", "uncertain", class_="tag strong"), f" {self.view.uncertainty}", class_="uncertain")

    @property
    def missing(self) -> Markup:
        """The words of the claim that occur nowhere in the evidence."""
        words = [tag("li", words, dir="auto") for words in self.view.certificate.missing or ()]
        return tag("ul", *words) if words else Markup("")

    @property
    def parts(self) -> Markup:
        """The parts of a claim that has several, each with its label, its scores, why, and its own evidence."""
        lines = [self._part(part) for part in self.view.parts]
        return tag("ol", *lines, class_="claim-parts") if lines else Markup("")

    def _part(self, part: PartView) -> Markup:
        text = tag("a", part.text, href=self.addresses.claim(part.text)) if self.addresses else part.text
        shares = " · ".join(f"{share.view.words} {share.text}" for share in part.shares if share.view is not part.view)
        rest = tag("span", f" · {shares}", class_="quiet") if shares else None
        label = tag("p", draw_label(part.view), " ", part.percent, rest)
        reasons = [tag("li", line, dir="auto") for line in part.reasoning]
        cards = [self._card(card, part.framed, part.rows) for card in part.cards]
        first = max(sum(card.is_key or card.is_computed for card in part.cards), _MOST_PART_CARDS)
        return tag(
            "li",
            tag("p", text, class_="part-said", dir="auto"),
            label,
            tag("ul", *reasons, class_="reasons") if reasons else None,
            *cards[:first],
            _fold(cards[first:]),
            class_=part.view.name,
        )

    @property
    def reasoning(self) -> Markup:
        """What was computed, and the facts derived from whole tables."""
        lines = [tag("li", line, dir="auto") for line in self.view.reasoning]
        facts = [
            tag("li", self._fact(fact.text, fact.cells), dir="auto")
            for fact in self.view.certificate.facts[:_MOST_FACTS]
        ]
        derived = f"{len(facts)} fact{'s' * (len(facts) != 1)} derived from whole tables"
        return joined(
            tag("ul", *lines, class_="reasons") if lines else None,
            tag("details", tag("summary", derived), tag("ul", *facts, class_="reasons")) if facts else None,
        )

    @property
    def evidence(self) -> Markup:
        """The evidence by place; what the verdict does not rest on waits behind the first few places."""
        cards = [self._card(card, self.view.framed, self.view.rows) for card in self.view.cards]
        first = max(sum(card.is_key or card.is_computed for card in self.view.cards), _MOST_CARDS)
        return joined(*cards[:first], _fold(cards[first:]))

    @property
    def certificate(self) -> Markup:
        """What the verdict rests on, what would change it, what was searched, by which model."""
        children = []
        for entry in self.view.entries:
            named = [
                tag(
                    "li",
                    self._link(name),
                    joined(" ", tag("span", name.place, class_="place")) if name.place else None,
                    joined(" ", tag("span", words, class_="said")) if words else None,
                )
                for name, words in entry.evidence[:_MOST_NAMED]
            ]
            left = len(entry.evidence) - len(named)
            more = [tag("li", f"and {left:,} more")] if left else []
            value = tag("span", entry.text, class_="value") if entry.text else None
            listed = tag("ul", *named, *more) if named else None
            children += [tag("dt", entry.name), tag("dd", value, listed, self._pages(entry.pages))]
        return tag("dl", *children)

    def _pages(self, titles: Sequence[str]) -> Markup | None:
        if not titles:
            return None
        shown = [
            tag("li", tag("a", title, href=self.addresses.page(title)) if self.addresses else title, dir="auto")
            for title in titles[:_MOST_PAGES]
        ]
        left = len(titles) - len(shown)
        more = [tag("li", f"and {left:,} more")] if left else []
        return tag("details", tag("summary", "Pages read"), tag("ul", *shown, *more, class_="titles"))

    def _link(self, name: EvidenceName) -> Markup:
        if self.addresses:
            return tag("a", name.text, href=self.addresses.element(name.id))
        return tag("code", str(name.id))

    def _fact(self, text: str, cells: Sequence[ElementId]) -> Markup:
        if not self.addresses or not cells:
            return joined(text)
        same_page = [id for id in cells if id.page == cells[0].page][:50]
        return tag("a", text, href=self.addresses.page(cells[0].page, same_page))

    # -- cards

    def _card(self, card: EvidenceCard, framed: frozenset[ElementId], rows: Sequence[CountedRows]) -> Markup:
        title = tag("a", card.page, href=self.addresses.page(card.page)) if self.addresses else tag("b", card.page)
        place = joined(" ", tag("span", " › ".join(card.sections), class_="place")) if card.sections else None
        tags = [
            tag("span", "used in the computation", class_="tag") if card.is_computed else None,
            tag("span", "key evidence", class_="tag strong") if card.is_key else None,
        ]
        header = tag(
            "header",
            tag("h3" if self.addresses else "h4", title, place, dir="auto"),
            tag("p", *tags, class_="tags") if any(tags) else None,
        )
        is_whole, is_wide, content = True, False, joined(*(self._quote(hit, framed) for hit in card.hits))
        if card.table:
            excerpt = excerpt_hits(card.hits, self.tables(card.table) if self.tables else None, framed, rows)
            is_whole, is_wide = excerpt.is_whole, excerpt.width >= _WIDE
            content = draw_table(excerpt, f"Table of {card.page}", self.addresses, longest=_LONGEST_CELL)
        footer = self._card_footer(card, is_whole)
        return tag("article", header, content, footer, class_="card" + " key" * card.is_key + " wide" * is_wide)

    def _quote(self, hit: Hit, framed: frozenset[ElementId]) -> Markup:
        element = hit.element
        text = draw_runs(highlight_claim_words(element.text, self.view.claim))
        name = str(element.id)
        if self.addresses:
            text = tag("a", text, class_="plain", href=self.addresses.element(element.id), title=name)
        classes = format_kind(element.kind).replace(" ", "-") + " key" * (element.id in framed)
        quote = tag("blockquote", text, class_=classes, dir="auto")
        return quote if self.addresses else joined(quote, _draw_id(hit))

    def _card_footer(self, card: EvidenceCard, is_whole: bool) -> Markup | None:
        if self.addresses:
            words = "See the whole table" if not is_whole else f"{'See' if card.table else 'Read'} it on its page"
            cells = sorted((id for id in card.ids if id.kind in CELLS), key=lambda id: id.path)
            href = self.addresses.page(card.page, cells or card.ids)  # opens at the topmost of them
            link = tag("a", words, tag("span", f": {card.page}", class_="aloud"), href=href)
            return tag("footer", link, self._original(card, self.addresses))
        if not card.table:
            return None
        count = f"{len(card.hits)} id{'s' * (len(card.hits) != 1)}"
        return tag("details", tag("summary", count), *map(_draw_id, card.hits), class_="ids")

    def _original(self, card: EvidenceCard, addresses: Addresses) -> Markup | None:
        """Leads to where the evidence of a card stands in its file; what the verdict rests on is marked, or all."""
        marked = [hit for hit in card.hits if hit.element.id in self.view.key] or card.hits
        origin = next((hit.element.origin for hit in marked if hit.element.origin), None)
        if origin is None or origin.page is None:
            return None
        href = addresses.original(card.page, origin.page, [hit.element.id for hit in marked])
        return joined(" ", tag("a", f"See {describe_origin(origin)}", class_="original", data_original=True, href=href))


@dataclass(frozen=True)
class CorrectionHtml:
    """The parts of a correction's page."""

    correction: Correction
    tables: TableFinder | None = None
    addresses: Addresses | None = None

    @property
    def edited(self) -> Markup:
        """The claim with what goes struck out and what comes in its place."""
        runs = edit_runs(self.correction.claim.text, self.correction.edits)
        return joined(
            *(tag("del", run.text) if run.is_old else tag("ins", run.text) if run.is_new else run.text for run in runs)
        )

    @property
    def verdict(self) -> VerdictHtml:
        """The verdict on the claim as it is."""
        return VerdictHtml(self.correction.verdict, self.tables, self.addresses)

    @property
    def evidence(self) -> Markup:
        """The evidence that asks for the edits."""
        asking = replace(self.correction.corrected or self.correction.verdict, evidence=self.correction.evidence)
        return VerdictHtml(asking, self.tables, self.addresses).evidence


def describe_origin(origin: Origin) -> str:
    """A page of an original in words: "page 12 of report.pdf"."""
    kind = "sheet" if origin.in_sheet else "page"
    return f"{kind} {origin.page} of {origin.file}"


def _fold(cards: Sequence[Markup]) -> Markup | None:
    """Places that can be unfolded."""
    summary = f"{len(cards)} more place{'s' * (len(cards) != 1)} that {'was' if len(cards) == 1 else 'were'} read"
    return tag("details", tag("summary", summary), *cards, class_="more") if cards else None


def _draw_id(hit: Hit) -> Markup:
    by = "used in the computation" if hit.by == COMPUTED else f"by {hit.by}"
    return tag("p", tag("code", str(hit.element.id)), " ", tag("span", by, class_="by"), class_="id")


# -- reports -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HtmlReport:
    """A report on many verdicts, with counts and a choice of labels to be shown."""

    title: str = "Claims checked"
    note: str = ""
    """A line under the title: when, by whom, what for."""
    tables: TableFinder | None = None
    """Finds the tables that cells lie in; without it they are drawn with the headers their contexts name."""
    language: str = "en"

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write the report; the articles wait on disk, as the counts above them are known only after the last one."""
        counts: Counter[Label] = Counter()
        corpus: Mapping[str, Any] = {}
        with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", errors="replace", newline="\n") as waiting:
            for number, verdict in enumerate(verdicts, 1):
                counts[verdict.label] += 1
                corpus = corpus or verdict.corpus
                waiting.write(draw_article(verdict, number, self.tables) + "\n")
            waiting.seek(0)
            out.write(self._before(counts, corpus))
            out.write("<main>\n" if counts else "<main><p class=none>There were no claims.</p>\n")
            copyfileobj(waiting, out)
        out.write(f"</main>\n{_AFTER}")
        return counts.total()

    def text_page(self, body: str, claims: Sequence[ClaimSpan], verdicts: Sequence[Verdict]) -> str:
        """A page with a whole text in which the sentences that were checked are marked, and a note for each."""
        if len(claims) != len(verdicts):
            raise InputError(
                f"{len(claims)} sentences and {len(verdicts)} verdicts were given; give one verdict for each sentence"
            )
        counts = Counter(verdict.label for verdict in verdicts)
        corpus = next((verdict.corpus for verdict in verdicts if verdict.corpus), {})
        articles = [
            draw_article(verdict, number, self.tables, back=f"#sentence-{number}")
            for number, verdict in enumerate(verdicts, 1)
        ]
        return joined(
            Markup(self._before(counts, corpus, of_text=True)),
            Markup("<main>\n"),
            tag("section", *_draw_paragraphs(body, claims, verdicts), class_="text", aria_label="The text"),
            Markup("\n"),
            tag("section", *articles, class_="verdicts", aria_label="Verdicts"),
            Markup(f"</main>\n{_AFTER}"),
        )

    def _before(self, counts: Counter[Label], corpus: Mapping[str, Any], *, of_text: bool = False) -> str:
        start = head(self.title, report_style())
        facts = [f"Checked against {corpus.get('name') or 'a corpus'}"] if corpus else []
        facts += [f"{corpus['pages']:,} pages"] if isinstance(corpus.get("pages"), int) else []
        facts += [f"revision {corpus['revision']}"] if corpus.get("revision") else []
        top = tag(
            "header",
            tag("h1", self.title, dir="auto"),
            tag("p", self.note, dir="auto") if self.note else None,
            tag("p", " · ".join(facts), class_="corpus") if facts else None,
            _draw_choice(counts) if counts else None,
            class_="page",
        )
        opening = f'<!doctype html>\n<html lang="{joined(self.language)}">\n{start}\n'
        return f"{opening}<body{' class=of-text' if of_text else ''}>\n{top}\n"


_AFTER = """<footer><p>Made by Veritab, which checks claims against documents and shows the evidence.</p></footer>
</body>
</html>
"""


def report_style() -> str:
    """The style sheet of pages that stand alone."""
    return "\n".join(path.read_text(encoding="utf-8") for path in REPORT_STYLES)


def draw_article(verdict: Verdict, number: int, tables: TableFinder | None = None, back: str = "") -> Markup:
    """The verdict with this number, to which "#verdict-7" leads; `back` is where its claim stands in a text."""
    drawn = VerdictHtml(verdict, tables)
    label = drawn.view.label
    name = tag("a", f"#{verdict.claim.id or number}", href=f"#verdict-{number}", class_="number")
    where = tag("a", "in the text", href=back, class_="back") if back else None
    nothing = tag("p", f"{drawn.view.without_evidence}.", class_="none")
    return tag(
        "article",
        tag(
            "header",
            tag("p", draw_label(label), where, name, class_="top"),
            tag("h2", verdict.claim.text, dir="auto"),
            drawn.uncertainty or None,
            drawn.scores,
        ),
        _draw_section("Nothing was found for", drawn.missing),
        _draw_section("Part by part", drawn.parts),
        _draw_section("Reasoning", drawn.reasoning),
        _draw_section(
            "More evidence" if drawn.parts else "Evidence", drawn.evidence or (None if drawn.parts else nothing)
        ),
        tag("details", tag("summary", "Certificate"), drawn.certificate, class_="certificate"),
        class_=f"verdict {label.name}",
        id=f"verdict-{number}",
    )


def _draw_section(name: str, content: Markup | None) -> Markup | None:
    return tag("section", tag("h3", name), content, class_=name.partition(" ")[0].lower()) if content else None


def _draw_choice(counts: Counter[Label]) -> Markup:
    """Counts by label; each is also a button that leaves only its verdicts on the page, which needs no script."""
    buttons = [_draw_button("all", joined("All ", tag("b", f"{counts.total():,}")), checked=True)]
    shares = []
    for label, view in LABELS.items():
        words = joined(draw_label(view), " ", tag("b", f"{counts[label]:,}"))
        buttons.append(_draw_button(view.name, words, disabled=not counts[label]))
        if counts[label]:
            shares.append(tag("span", class_=f"share {view.name}", style=f"flex-grow:{counts[label]}"))
    spoken = ", ".join(f"{view.words} {counts[label]:,}" for label, view in LABELS.items())
    return joined(
        tag("div", *shares, class_="shares", role="img", aria_label=spoken),
        tag("fieldset", tag("legend", "Show"), *buttons, class_="choice"),
    )


def _draw_button(name: str, content: Markup, *, checked: bool = False, disabled: bool = False) -> Markup:
    id = f"show-{name}"
    button = tag("input", type="radio", name="show", id=id, checked=checked, disabled=disabled)
    return joined(button, tag("label", content, for_=id))


def _draw_paragraphs(body: str, claims: Sequence[ClaimSpan], verdicts: Sequence[Verdict]) -> Iterator[Markup]:
    """The text by its own paragraphs; a sentence that goes over the end of one is marked in both."""
    pieces: list[tuple[str, int | None]] = []
    for stretch in split_text(body, claims):
        lines = stretch.text.splitlines()
        pieces += [piece for line in lines for piece in ((line, stretch.number), ("\n", None))][:-1]
        pieces += [("\n", None)] if stretch.text.endswith(("\n", "\r")) else []
    begun: set[int] = set()
    for ends, run in groupby(pieces, key=lambda piece: piece[0] == "\n"):
        paragraph = [] if ends else list(run)
        if any(text.strip() for text, _ in paragraph):
            yield tag("p", *(_draw_sentence(*piece, verdicts, begun) for piece in paragraph), dir="auto")


def _draw_sentence(text: str, number: int | None, verdicts: Sequence[Verdict], begun: set[int]) -> Markup:
    if number is None:
        return joined(text)
    view = LABELS[verdicts[number].label]
    spoken = f"note {number + 1}: {view.words}"
    note = tag("a", tag("sup", number + 1), href=f"#verdict-{number + 1}", aria_label=spoken)
    is_first = number not in begun
    begun.add(number)
    id = f"sentence-{number + 1}" if is_first else None
    return tag("mark", text, note if is_first else None, class_=view.name, id=id)
