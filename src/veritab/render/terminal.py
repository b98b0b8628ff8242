"""Verdicts, pages, elements and search results for people at a terminal, drawn on a given console."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from veritab.render.tables import ExcerptCell, TableExcerpt, TableFinder, excerpt_hits, excerpt_table
from veritab.render.view import (
    CertificateEntry,
    ClaimSpan,
    EvidenceCard,
    VerdictView,
    edit_runs,
    format_kind,
    header_names,
    highlight_claim_words,
    score_shares,
    shorten_around,
    split_text,
)
from veritab.schema import (
    CELLS,
    Correction,
    CountedRows,
    Element,
    ElementId,
    Kind,
    Label,
    ListBlock,
    Page,
    Section,
    Sentence,
    Table,
    TableBlock,
    Verdict,
)
from veritab.text import shorten

if TYPE_CHECKING:
    from veritab.retrieve.search.matches import Match

STYLES: Mapping[Label, str] = {Label.SUPPORTS: "green", Label.REFUTES: "red", Label.NOT_ENOUGH_INFO: "yellow"}
SIGNS: Mapping[Label, str] = {Label.SUPPORTS: "✔", Label.REFUTES: "✘", Label.NOT_ENOUGH_INFO: "?"}

_CONTROLS = dict.fromkeys({*range(32), *range(127, 160)} - {10})
_INDENT = 2
_EDIT_STYLES = {(False, False): "", (True, False): "red strike", (False, True): "bold green"}
_KEY_MARK, _EVIDENCE_MARK = "▸", "▹"
_HIGHLIGHT = "bold yellow"


class WithoutControls:
    """Something to be printed without what it holds that would move the cursor or colour the terminal."""

    def __init__(self, drawn: RenderableType) -> None:
        self._drawn = drawn

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self._drawn, options):
            yield segment if segment.control else Segment(segment.text.translate(_CONTROLS), segment.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._drawn)


# -- a verdict ---------------------------------------------------------------------------------------------

_WIDEST = 110
_BAR = 30
_MOST_CARDS, _MOST_PART_CARDS = 5, 2
_MOST_HITS = 4
_MOST_NAMED = 3
_MOST_PAGES = 12
_NAME = 22


def draw_verdict(verdict: Verdict, console: Console, tables: TableFinder, *, all: bool = False) -> None:
    """The whole answer; of much evidence and of a long certificate only the beginning, unless all is wanted."""
    _VerdictDrawing(verdict, console, tables, all=all).draw()


def draw_verdict_line(verdict: Verdict, console: Console) -> Text:
    """A verdict in one line."""
    line = Text.assemble(draw_label(verdict), "  ", verdict.claim.text)
    if console.is_terminal:
        line.truncate(console.width, overflow="ellipsis")
    return line


def draw_correction(correction: Correction, console: Console, tables: TableFinder) -> None:
    """A claim with the edits that put it right and the evidence that asks for them, or why there are none."""
    console.print(WithoutControls(draw_verdict_line(correction.verdict, console)), soft_wrap=True)
    if not correction.edits:
        console.print(correction.sentence)
        return
    edited = Text()
    for run in edit_runs(correction.claim.text, correction.edits):
        is_close = run.is_new and console.color_system and edited.plain[-1:].strip()
        edited.append(" " if is_close else "")
        # Where there is no colour, brackets tell what goes and what comes.
        old, new = (run.text, run.text) if console.color_system else (f"[-{run.text}-]", f"{{+{run.text}+}}")
        edited.append(old if run.is_old else new if run.is_new else run.text, _EDIT_STYLES[run.is_old, run.is_new])
    console.print(WithoutControls(Padding(edited, (1, 0, 0, _INDENT), expand=False)))
    console.print(WithoutControls(Padding(Text(correction.text, "bold"), (0, 0, 1, _INDENT), expand=False)))
    console.print(correction.sentence)
    asking = replace(correction.corrected or correction.verdict, evidence=correction.evidence)
    _VerdictDrawing(asking, console, tables, all=False).draw_evidence()


def draw_label(verdict: Verdict) -> Text:
    """The label with its sign and its percentage, as wide for each label, and whether it is uncertain."""
    label = verdict.label
    percent = next(share.percent for share in score_shares(verdict.scores) if share.view.label is label)
    uncertain = "  uncertain" if verdict.uncertain else ""
    return Text.assemble(
        (f"{SIGNS[label]} {label.value:<15}", f"bold {STYLES[label]}"), f" {percent:>3} %", (uncertain, "dim")
    )


class _VerdictDrawing:
    def __init__(self, verdict: Verdict, console: Console, tables: TableFinder, *, all: bool) -> None:
        self._view = VerdictView(verdict)
        self._console, self._tables, self._all = console, tables, all
        self._width = min(console.width, _WIDEST)

    def draw(self) -> None:
        view = self._view
        label = view.label.label
        uncertain = f"  uncertain: {view.uncertainty}" if view.uncertainty else ""
        self._print(Text.assemble((f"{SIGNS[label]} {label.value}", f"bold {STYLES[label]}"), (uncertain, "dim")))
        self._print(Text(view.claim, "italic"))
        self._console.print()
        for share in view.shares:
            full = round(_BAR * share.percent / 100)
            style = STYLES[label] if share.view.label is label else ""
            bar = Text.assemble(("█" * full, style or "dim"), ("░" * (_BAR - full), "dim"))
            self._print(Text.assemble((f"{share.view.label.value:<16}", style), bar, f" {share.text:>5}"), _INDENT)
        self._parts()
        if view.certificate.missing:
            self._heading("Nothing was found for")
            for words in view.certificate.missing:
                self._print(Text(words), _INDENT)
        if view.reasoning:
            self._heading("Why")
            for line in view.reasoning:
                self._print(Text(line), _INDENT)
        if view.cards or not view.parts:
            self.draw_evidence()
        self._console.print()
        rows = [(Text(name, "dim"), Text(text)) for entry in view.entries for name, text in self._entry(entry)]
        self._print(_two_columns(_NAME, rows))

    def _parts(self) -> None:
        """Each part of the claim with its label, why, and its own evidence."""
        if self._view.parts:
            self._heading("Part by part")
        for number, part in enumerate(self._view.parts):
            if number:
                self._console.print()
            label = part.view.label
            sign = Text(SIGNS[label], STYLES[label])
            said = Text.assemble(part.text, (f"  {label} {part.percent}", "dim"))
            self._print(_two_columns(1, [(sign, said)]), _INDENT)
            for line in part.reasoning:
                self._print(Text(line), _INDENT * 2)
            cards = part.cards if self._all else part.cards[:_MOST_PART_CARDS]
            for card in cards:
                self._card(card, _Marks(part.framed, part.rows), _INDENT)
            left = sum(len(card.hits) for card in part.cards[len(cards) :])
            if left:
                self._print(Text(f"… and {left:,} more; --explain shows all", "dim"), _INDENT * 2)

    def _print(self, drawn: RenderableType, indent: int = 0) -> None:
        shown = Padding(drawn, (0, 0, 0, indent), expand=False) if indent else drawn
        self._console.print(WithoutControls(shown), width=self._width)

    def _heading(self, text: str) -> None:
        self._console.print()
        self._print(Text(text, "bold"))

    def _entry(self, entry: CertificateEntry) -> Iterator[tuple[str, str]]:
        """The lines of an entry, the first of them with its name."""
        pages = entry.pages if self._all else entry.pages[:_MOST_PAGES]
        more = f" and {len(entry.pages) - len(pages):,} more" if len(pages) < len(entry.pages) else ""
        read = f"read: {', '.join(pages)}{more}" if pages else ""
        first = "; ".join(filter(None, (entry.text, read)))
        lines = [first] if first else []
        shown = entry.evidence if self._all else entry.evidence[:_MOST_NAMED]
        lines += [f"{name.id}; {words}" if words else str(name.id) for name, words in shown]
        if len(shown) < len(entry.evidence):
            lines.append(f"and {len(entry.evidence) - len(shown):,} more")
        for number, line in enumerate(lines):
            yield "" if number else entry.name, line

    # -- the evidence

    def draw_evidence(self) -> None:
        cards = self._view.cards
        if not cards:
            self._heading(self._view.without_evidence)
            return
        self._heading("More evidence" if self._view.parts else "Evidence")
        shown = cards if self._all else cards[:_MOST_CARDS]
        for number, card in enumerate(shown):
            if number:
                self._console.print()
            self._card(card, _Marks(self._view.framed, self._view.rows))
        left = sum(len(card.hits) for card in cards[len(shown) :])
        if left:
            self._console.print()
            self._print(Text(f"… and {left:,} more; --explain shows all", "dim"), _INDENT)

    def _card(self, card: EvidenceCard, marks: _Marks, deeper: int = 0) -> None:
        place = Text.assemble((card.page, "bold cyan"), *((f" › {name}", "cyan") for name in card.sections))
        self._print(place, _INDENT + deeper)
        inside = _INDENT * 2 + deeper
        if card.table:
            self._table(card, marks, inside)
            return
        hits = card.hits if self._all else card.hits[:_MOST_HITS]
        for hit in hits:
            bullet = Text("• " if hit.element.kind is Kind.ITEM else "")
            self._print(bullet.append_text(self._quote(hit.element)), inside)
            self._print(Text(str(hit.element.id), "dim"), inside)
        if len(hits) < len(card.hits):
            self._print(Text(f"… and {len(card.hits) - len(hits)} more here", "dim"), inside)

    def _quote(self, element: Element) -> Text:
        """What a piece of evidence says, the words of the claim highlighted."""
        spans, position = [], 0
        for run in highlight_claim_words(element.text, self._view.claim):
            if run.highlighted:
                spans.append((position, position + len(run.text)))
            position += len(run.text)
        return highlight(element.text, spans)

    def _table(self, card: EvidenceCard, marks: _Marks, inside: int) -> None:
        assert card.table is not None
        table = self._tables(card.table)
        excerpt = fit_excerpt(card, table, self._console, self._width - inside, marks)
        if excerpt.caption:
            self._print(Text(shorten(excerpt.caption, _LONGEST_CAPTION), "italic"), inside)
        if excerpt.rows:
            self._print(draw_table(excerpt), inside)
        left_out = "; ".join(excerpt.gaps)
        self._print(Text(" · ".join(filter(None, (str(card.table), left_out))), "dim"), inside)


def _two_columns(width: int, rows: Iterable[tuple[Text, Text]]) -> Grid:
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=width, no_wrap=True)
    grid.add_column(ratio=1)
    for row in rows:
        grid.add_row(*row)
    return grid


# -- tables ------------------------------------------------------------------------------------------------

_LONGEST_EVIDENCE = 80
_LONGEST_CELL = 28
_LONGEST_CAPTION = 160
_FEWEST_COLUMNS = 2
_FEW_COLUMNS = 4
_BESIDE = 2
_MOST_COLUMNS = 8
_MOST_ROWS = 8
_MOST_COUNTED = 24


class _Marks(NamedTuple):
    """What is marked in tables: key evidence and the rows that count."""

    framed: frozenset[ElementId]
    rows: tuple[CountedRows, ...]


def fit_excerpt(card: EvidenceCard, table: Table | None, console: Console, width: int, marks: _Marks) -> TableExcerpt:
    """The excerpt of as many columns as fit without a wrapped line, or else without a broken word."""
    looked_at = {column for each in marks.rows if each.table == card.table for column in each.columns}
    found = max(len({hit.element.id.path[-1] for hit in card.hits if hit.element.kind in CELLS}), len(looked_at))
    wanted = min(max(found + _BESIDE, _FEW_COLUMNS), _MOST_COLUMNS)
    excerpts = [
        excerpt_hits(
            card.hits,
            table,
            marks.framed,
            marks.rows,
            most_rows=_MOST_ROWS,
            most_columns=most,
            most_counted=_MOST_COUNTED,
        )
        for most in range(wanted, _FEWEST_COLUMNS - 1, -1)
    ]
    options = console.options.update(width=10_000)
    sizes = [Measurement.get(console, options, draw_table(excerpt)) for excerpt in excerpts]
    whole = max(wanted - found, 1)
    unwrapped = (n for n, size in enumerate(sizes[:whole]) if size.maximum <= width)
    unbroken = (n for n, size in enumerate(sizes) if size.minimum <= width)
    return excerpts[next(unwrapped, next(unbroken, -1))]


def draw_table(excerpt: TableExcerpt, *, numbered: bool = False, longest: int | None = _LONGEST_CELL) -> Grid:
    """The excerpt of a table, evidence marked; `numbered` puts the number of each row at its left."""
    grid = Grid(show_header=False, show_lines=False, pad_edge=False, border_style="dim")
    for _ in range(excerpt.width + numbered):
        grid.add_column(overflow="fold")
    covered = [0] * excerpt.width
    for row, following in zip(excerpt.rows, (*excerpt.rows[1:], None), strict=True):
        if row.left_out:
            covered = [0] * excerpt.width
            grid.add_row(*(Text("⋮", "dim") for _ in range(excerpt.width + numbered)))
            continue
        number = [Text(str(row.number), "dim")] if numbered else []
        grid.add_row(*number, *_draw_cells(row.cells, covered, longest))
        if row.is_header and following and not following.is_header:
            grid.add_section()
    return grid


def _draw_cells(cells: Sequence[ExcerptCell], covered: list[int], longest: int | None) -> list[Text]:
    """The texts of a row; places that a cell above or to the left covers stay empty."""
    texts: list[Text] = []
    waiting = iter(cells)
    while len(texts) < len(covered):
        if covered[len(texts)]:
            covered[len(texts)] -= 1
            texts.append(Text("″", "dim"))
            continue
        cell = next(waiting, None)
        if cell is None:
            texts.append(Text(""))
            continue
        for column in range(len(texts), min(len(texts) + cell.columns, len(covered))):
            covered[column] = cell.rows - 1
        spanned = min(cell.columns, len(covered) - len(texts)) - 1
        texts += [_draw_cell(cell, longest), *(Text("") for _ in range(spanned))]
    return texts


def _draw_cell(cell: ExcerptCell, longest: int | None) -> Text:
    text = " ".join(cell.text.split())
    if longest is not None:
        text = shorten(text, max(longest, _LONGEST_EVIDENCE) if cell.is_evidence else longest)
    if cell.is_key:
        return Text(f"{_KEY_MARK} {text}", "bold green")
    if cell.is_evidence:
        return Text(f"{_EVIDENCE_MARK} {text}", "green")
    return Text(text, "dim" if cell.is_gap else "bold" if cell.is_header else "")


# -- a text with its verdicts ------------------------------------------------------------------------------

_NOTE_INDENT = 6
_LONGEST_NOTE = 240


def draw_text(body: str, claims: Sequence[ClaimSpan], verdicts: Sequence[Verdict], console: Console) -> None:
    """A text with the sentences that were checked marked, and a note for each."""
    marked = Text()
    for stretch in split_text(body, claims):
        if stretch.number is None:
            marked.append(stretch.text)
            continue
        label = verdicts[stretch.number].label
        marked.append(stretch.text, f"{STYLES[label]} underline")
        marked.append(f" [{SIGNS[label]}{stretch.number + 1}]", f"bold {STYLES[label]}")
    console.print(WithoutControls(marked))
    if verdicts:
        console.print()
    for number, (claim, verdict) in enumerate(zip(claims, verdicts, strict=True), 1):
        name = (f"{f'[{number}]':<{_NOTE_INDENT}}", "bold")
        console.print(Text.assemble(name, draw_label(verdict)), soft_wrap=True)
        best = verdict.evidence[0].element if verdict.evidence else None
        is_same = verdict.claim.text == body[claim.start : claim.end]
        lines = [
            Text("" if is_same else verdict.claim.text, "italic"),
            Text(shorten(verdict.reasoning[0], _LONGEST_NOTE) if verdict.reasoning else ""),
            Text.assemble(shorten(_quote_element(best), _LONGEST_NOTE), (f"  {best.id}", "dim"))
            if best
            else Text("nothing was found"),
        ]
        for line in filter(None, lines):
            console.print(WithoutControls(Padding(line, (0, 0, 0, _NOTE_INDENT), expand=False)))


def _quote_element(element: Element) -> str:
    """What an element says; a cell says little without its headers."""
    if element.kind not in CELLS:
        return element.text
    headers = [near.text for near in element.context if near.id.kind is Kind.HEADER_CELL and near.text]
    return " · ".join((element.id.page, *headers[:2], element.text))


# -- pages and elements ------------------------------------------------------------------------------------

_PAGE_INDENT = 15
_DEEPEST_INDENT = 12
_MOST_PAGE_ROWS = 200
_MOST_PAGE_COLUMNS = 1000


def draw_page(page: Page, console: Console) -> None:
    """The whole page, with the address of every block at its left."""
    console.print(Text(page.title, style="bold"))
    origin = " · ".join(filter(None, (page.source, page.revision and f"revision {page.revision}")))
    if origin:
        console.print(Text(origin, style="dim"), soft_wrap=True)
    tables = {table.id.path[0]: table for table in page.tables}
    for block in page.blocks:
        if type(block) is TableBlock:
            console.print()
            _draw_page_table(tables[block.number], console)
        elif type(block) is ListBlock:
            console.print()
            for position, item in enumerate(block.items):
                bullet = "  " * min(item.level, _DEEPEST_INDENT) + ("# " if item.ordered else "• ")
                _print_named(console, f"item_{block.number}_{position}", Text(bullet + item.text))
        elif type(block) is Section:
            console.print()
            _print_named(console, f"section_{block.number}", Text(block.text, "bold"))
        else:
            kind = "sentence" if type(block) is Sentence else "passage"
            if type(block) is Sentence and block.offset == 0:
                console.print()
            _print_named(console, f"{kind}_{block.number}", Text(block.text))


def draw_element(element: Element, console: Console) -> None:
    """One element: its text, then what stands around it."""
    console.print(Text(element.text or f"({format_kind(element.kind)})", style="bold"))
    console.print(Text(str(element.id), style="cyan"), soft_wrap=True)
    names = {Kind.HEADER_CELL: "header", Kind.TABLE_CAPTION: "caption"}
    for near in element.context:
        _print_named(console, names.get(near.id.kind, near.id.kind.value), Text(near.text))
    if element.origin:
        _print_named(console, "original", Text(str(element.origin)))
    for link in element.links:
        _print_named(console, "link", Text(f"{element.text[link.start : link.end]} → {link.target}"))


def _print_named(console: Console, name: str, text: Text, indent: int = _PAGE_INDENT, gap: int = 2) -> None:
    if not console.is_terminal:  # a program or a file reads this: one line, nothing wrapped, nothing padded
        line = Text(f"{name:<{indent}}").append_text(text)
        line.rstrip()
        console.print(line, soft_wrap=True)
        return
    grid = Grid.grid(padding=(0, gap, 0, 0))
    grid.add_column(width=indent - gap, no_wrap=True, style="dim")
    grid.add_column(ratio=1)
    grid.add_row(Text(name), text)
    console.print(grid)


def _draw_page_table(table: Table, console: Console) -> None:
    caption = table.caption or ("infobox" if table.infobox else "table")
    _print_named(console, f"table_{table.id.path[0]}", Text(caption, "italic"))
    left = len(table.places) - _MOST_PAGE_ROWS
    excerpt = excerpt_table(table, most_rows=_MOST_PAGE_ROWS, most_columns=_MOST_PAGE_COLUMNS)
    rows = excerpt.rows[:-1] if left > 0 else excerpt.rows
    drawing = draw_table(excerpt._replace(rows=rows), numbered=True, longest=None)
    options = console.options.update(width=100_000)
    if Measurement.get(console, options, drawing).minimum + _PAGE_INDENT <= console.width:
        console.print(Padding(drawing, (0, 0, 0, _PAGE_INDENT)))
    else:
        _draw_records(table, excerpt, console)
    if left > 0:
        _print_named(console, "", Text(f"… {left:,} more rows; --json has them all", "dim"))


def _draw_records(table: Table, excerpt: TableExcerpt, console: Console) -> None:
    """A table too wide for the terminal, row by row: each value with the headers above it."""
    header_rows = {row.number for row in excerpt.rows if row.is_header}
    for row in excerpt.rows:
        if row.left_out or row.is_header:
            continue
        values = []
        for place in dict.fromkeys(place for place in table.places[row.number] if place):
            above = [near.text for near in table.column_headers(table.cell_id(place)) if near.id.path[1] in header_rows]
            text = " ".join(table.rows[place[0]][place[1]].text.split())
            if text:
                values.append(": ".join(filter(None, (" / ".join(reversed(above)), text))))
        _print_named(console, f"  row {row.number}", Text(" · ".join(values)))


# -- search results ----------------------------------------------------------------------------------------

_MATCH_INDENT = 4
_LONGEST_TEXT = 500
_LONGEST_VALUE = 120
_MOST_VALUES = 12
_PLACES = (Kind.TITLE, Kind.SECTION, Kind.TABLE_CAPTION)


def draw_match(number: int, match: Match, console: Console) -> None:
    """One search result: where it is, what it says with the words of the query highlighted, and its id."""
    lines = [_draw_match_heading(match), *_draw_match_lines(match), Text(str(match.element.id), "dim")]
    for line, name in zip(lines, (f"{number}.", *[""] * len(lines)), strict=False):
        _print_named(console, name, line, _MATCH_INDENT, 1)
    if console.is_terminal:
        console.print()


def _draw_match_lines(match: Match) -> Iterator[Text]:
    element = match.element
    if element.kind is Kind.TITLE:
        if match.snippet:
            yield highlight(match.snippet.element.text, match.snippet.highlights)
    elif element.kind is Kind.TABLE:
        yield from map(_draw_match_row, match.rows)
    elif element.kind in CELLS:
        left, above = header_names(element)
        label = " · ".join((*left, *([" / ".join(above)] if above else [])))
        yield Text(f"{label}: " if label else "").append_text(highlight(element.text, match.highlights, "bold"))
        yield from () if left else map(_draw_match_row, match.rows)
    else:
        yield highlight(element.text, match.highlights)


def _draw_match_heading(match: Match) -> Text:
    """The page and the sections, and of a table its caption."""
    element = match.element
    if element.kind is Kind.TITLE:
        return highlight(element.text, match.highlights, "bold")
    parts = [
        Text(near.text, "bold" if near.id.kind is Kind.TITLE else "")
        for near in element.context
        if near.id.kind in _PLACES
    ]
    if element.kind is Kind.TABLE and element.text:
        parts.append(highlight(element.text, match.highlights, "italic"))
    return Text(" › ").join(parts)


def _draw_match_row(row: Iterable[Match]) -> Text:
    """A row of a table, each value with the header above it, unless one header stands above all."""
    cells = [cell for cell in row if cell.element.text]
    labels = [" / ".join(header_names(cell.element)[1]) for cell in cells]
    values = []
    for cell, label in zip(cells, labels, strict=True):
        is_named = cell.element.kind is Kind.CELL and len(set(labels)) > 1 and label
        value = Text(f"{label}: " if is_named else "", "dim")
        text = highlight(cell.element.text, cell.highlights, longest=_LONGEST_VALUE)
        values.append(Text().append_text(value).append_text(text))
    more = [Text("…")] if len(values) > _MOST_VALUES else []
    return Text(" · ").join([*values[:_MOST_VALUES], *more])


def highlight(text: str, spans: Sequence[tuple[int, int]], style: str = "", longest: int = _LONGEST_TEXT) -> Text:
    """A text with spans made visible; a long one is cut to a stretch around the first of them."""
    shown, inside = shorten_around(text, spans, longest)
    drawn = Text(shown, style)
    for start, end in inside:
        drawn.stylize(_HIGHLIGHT, start, end)
    return Text(" ").join(drawn.split()) if "\n" in text else drawn
