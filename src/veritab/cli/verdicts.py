"""A verdict for people at a terminal: the label, its scores, the evidence where it stands, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table as Drawing
from rich.text import Text

from veritab.cli.found import marked
from veritab.render.tables import Excerpt, Square, Tables, table_excerpt
from veritab.render.view import Card, Note, cards, matching_words, notes, parts, shares
from veritab.schema import COMPUTED, Hit, Kind, Label, Table, Verdict

STYLES = {Label.SUPPORTS: "green", Label.REFUTES: "red", Label.NOT_ENOUGH_INFO: "yellow"}
SIGNS = {Label.SUPPORTS: "✔", Label.REFUTES: "✘", Label.NOT_ENOUGH_INFO: "?"}

_CONTROLS = dict.fromkeys({*range(32), *range(127, 160)} - {10})
_READ = "the model read"
_WIDEST = 110
_BAR = 30
_INDENT = 2
_MARK = "▸"
_LONGEST_EVIDENCE = 80
_LONGEST_CELL = 28
_LONGEST_CAPTION = 160
_MOST_CARDS = 5
_MOST_HITS = 4
_MOST_NOTES = 2
_MOST_READ = 4
_NAME = 22
_FEWEST_COLUMNS = 2
_FEW_COLUMNS = 4
_BESIDE = 2
_MOST_COLUMNS = 8
_MOST_ROWS = 8


def render_verdict(verdict: Verdict, console: Console, tables: Tables, *, all: bool = False) -> None:
    """The whole answer; of much evidence and of a long certificate only the beginning, unless all is asked for."""
    drawn = _Verdict(console, tables, all=all)
    drawn.head(verdict)
    drawn.parts(verdict)
    drawn.computed(verdict)
    drawn.evidence(verdict)
    drawn.certificate(verdict)


def line_of(verdict: Verdict, console: Console) -> Text:
    """A verdict in one line."""
    said = Text.assemble(label_of(verdict), "  ", verdict.claim.text)
    if console.is_terminal:
        said.truncate(console.width, overflow="ellipsis")
    return said


def label_of(verdict: Verdict) -> Text:
    """The label with its sign and its share, as wide for each label."""
    label = verdict.label
    percent = next(share.percent for share in shares(verdict.scores) if share.label is label)
    return Text.assemble((f"{SIGNS[label]} {label.value:<15}", f"bold {STYLES[label]}"), f" {percent:>3} %")


class Harmless:
    """Something to be printed without what it holds that would move the cursor or colour the terminal."""

    def __init__(self, drawn: RenderableType) -> None:
        self._drawn = drawn

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self._drawn, options):
            yield segment if segment.control else Segment(segment.text.translate(_CONTROLS), segment.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._drawn)


class _Verdict:
    def __init__(self, console: Console, tables: Tables, *, all: bool) -> None:
        self._console, self._tables, self._all = console, tables, all
        self._width = min(console.width, _WIDEST)

    def _print(self, drawn: RenderableType, indent: int = 0) -> None:
        shown = Padding(drawn, (0, 0, 0, indent), expand=False) if indent else drawn
        self._console.print(Harmless(shown), width=self._width)

    def _heading(self, text: str) -> None:
        self._console.print()
        self._print(Text(text, "bold"))

    # -- the verdict

    def head(self, verdict: Verdict) -> None:
        label = verdict.label
        self._print(Text(f"{SIGNS[label]} {label.value}", f"bold {STYLES[label]}"))
        self._print(Text(verdict.claim.text, "italic"))
        self._console.print()
        for share in shares(verdict.scores):
            full = round(_BAR * share.percent / 100)
            style = STYLES[share.label] if share.label is label else ""
            bar = Text.assemble(("█" * full, style or "dim"), ("░" * (_BAR - full), "dim"))
            self._print(Text.assemble((f"{share.label.value:<16}", style), bar, f" {share.percent:>3} %"), _INDENT)

    def parts(self, verdict: Verdict) -> None:
        found = parts(verdict)
        if not found:
            return
        self._heading("Parts of the claim")
        for part in found:
            grid = _grid(2)
            grid.add_row(
                Text(SIGNS[part.label], STYLES[part.label]), Text.assemble(part.text, (f"  {part.label.value}", "dim"))
            )
            self._print(grid, _INDENT)

    def computed(self, verdict: Verdict) -> None:
        if not verdict.reasoning:
            return
        self._heading("Why")
        for line in verdict.reasoning:
            self._print(Text(line, "dim" if line.startswith(_READ) else ""), _INDENT)

    # -- the evidence

    def evidence(self, verdict: Verdict) -> None:
        found = cards(_most_telling_first(verdict))
        if not found:
            self._heading("No evidence was found")
            return
        self._heading("Evidence")
        shown = found if self._all else found[:_MOST_CARDS]
        for number, card in enumerate(shown):
            if number:
                self._console.print()
            self._card(card, verdict.claim.text)
        left = sum(len(card.hits) for card in found[len(shown) :])
        if left:
            self._console.print()
            self._print(Text(f"… and {left:,} more; --explain shows all", "dim"), _INDENT)

    def _card(self, card: Card, claim: str) -> None:
        place = Text.assemble((card.page, "bold cyan"), *((f" › {name}", "cyan") for name in card.sections))
        self._print(place, _INDENT)
        if card.table:
            self._table(card)
            return
        hits = card.hits if self._all else card.hits[:_MOST_HITS]
        for hit in hits:
            self._print(_words(hit, claim), _INDENT * 2)
            self._print(Text(str(hit.element.id), "dim"), _INDENT * 2)
        if len(hits) < len(card.hits):
            self._print(Text(f"… and {len(card.hits) - len(hits)} more here", "dim"), _INDENT * 2)

    def _table(self, card: Card) -> None:
        assert card.table is not None
        table = self._tables(card.table)
        caption = table_excerpt(card.hits, table).caption
        if caption:
            self._print(Text(_cut(caption, _LONGEST_CAPTION), "italic"), _INDENT * 2)
        drawing = self._fitting(card, table)
        if drawing.row_count:
            self._print(drawing, _INDENT * 2)
        self._print(Text(str(card.table), "dim"), _INDENT * 2)

    def _fitting(self, card: Card, table: Table | None) -> Drawing:
        """The excerpt of as many columns as fit without a wrapped line, or else without a broken word."""
        found = len({hit.element.id.path[-1] for hit in card.hits})
        wanted = min(max(found + _BESIDE, _FEW_COLUMNS), _MOST_COLUMNS)
        excerpts = (
            table_excerpt(card.hits, table, most_rows=_MOST_ROWS, most_columns=most)
            for most in range(wanted, _FEWEST_COLUMNS - 1, -1)
        )
        drawings = [_table_drawing(excerpt) for excerpt in excerpts]
        room = self._width - _INDENT * 2
        whole = drawings[: max(wanted - found, 1)]
        return next(
            (each for each in whole if self._measured(each).maximum <= room),
            next((each for each in drawings if self._measured(each).minimum <= room), drawings[-1]),
        )

    def _measured(self, drawing: Drawing) -> Measurement:
        return Measurement.get(self._console, self._console.options.update(width=10_000), drawing)

    # -- the certificate

    def certificate(self, verdict: Verdict) -> None:
        told = list(self._told(notes(verdict)))
        if not told:
            return
        self._console.print()
        grid = _grid(_NAME)
        for name, text in told:
            grid.add_row(Text(name, "dim"), text)
        self._print(grid)

    def _told(self, told: Iterable[Note]) -> Iterator[tuple[str, Text]]:
        counts: dict[str, int] = {}
        for note in told:
            counts[note.name] = counts.get(note.name, 0) + 1
            if self._all or counts[note.name] <= _MOST_NOTES:
                ids = note.ids if self._all or len(note.ids) <= _MOST_HITS else (*note.ids[:_MOST_HITS], "…")
                named = ", ".join(ids)
                yield note.name if counts[note.name] == 1 else "", Text(f"{named}; {note.text}" if named else note.text)


def _most_telling_first(verdict: Verdict) -> list[Hit]:
    """What the verdict rests on, then what was computed with, then the rest as it was found."""
    enough = {str(id) for id in verdict.certificate.get("smallest") or ()}
    return sorted(verdict.evidence, key=lambda hit: (str(hit.element.id) not in enough, hit.by != COMPUTED))


def _words(hit: Hit, claim: str) -> Text:
    """What a piece of evidence says, the words of the claim marked."""
    spans, position = [], 0
    for span in matching_words(hit.element.text, claim):
        if span.matches:
            spans.append((position, position + len(span.text)))
        position += len(span.text)
    return Text("• " if hit.element.kind is Kind.ITEM else "").append_text(marked(hit.element.text, spans))


def _grid(width: int) -> Drawing:
    grid = Drawing.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=width, no_wrap=True)
    grid.add_column(ratio=1)
    return grid


# -- tables ------------------------------------------------------------------------------------------------


def _table_drawing(excerpt: Excerpt) -> Drawing:
    drawing = Drawing(show_header=False, show_lines=False, pad_edge=False, border_style="dim")
    for _ in range(excerpt.width):
        drawing.add_column(overflow="fold")
    covered = [0] * excerpt.width
    for line, following in zip(excerpt.lines, (*excerpt.lines[1:], None), strict=True):
        if line.left_out:
            covered = [0] * excerpt.width
            drawing.add_row(*(Text("⋮", "dim") for _ in range(excerpt.width)))
            continue
        drawing.add_row(*_row(line.squares, covered))
        if line.header and following and not following.header:
            drawing.add_section()
    return drawing


def _row(squares: Sequence[Square], covered: list[int]) -> list[Text]:
    """The texts of a row; squares that a cell above or to the left covers stay empty."""
    row: list[Text] = []
    waiting = iter(squares)
    while len(row) < len(covered):
        if covered[len(row)]:
            covered[len(row)] -= 1
            row.append(Text("″", "dim"))
            continue
        square = next(waiting, None)
        if square is None:
            row.append(Text(""))
            continue
        for column in range(len(row), min(len(row) + square.columns, len(covered))):
            covered[column] = square.rows - 1
        more = [Text("") for _ in range(min(square.columns, len(covered) - len(row)) - 1)]
        row += [_square(square), *more]
    return row


def _square(square: Square) -> Text:
    text = _cut(" ".join(square.text.split()), _LONGEST_EVIDENCE if square.evidence else _LONGEST_CELL)
    if square.evidence:
        return Text(f"{_MARK} {text}", "bold green")
    return Text(text, "dim" if square.gap else "bold" if square.header else "")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
