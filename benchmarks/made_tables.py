"""Documents with tables, made of contents of our own: what benchmarks.tables reads back.

There are two halves with contents, fonts, sizes and spacings of their own: readers are made on `development`, figures
come from `report`. LibreOffice turns some of the documents into others; without it those are left out.
"""

from __future__ import annotations

import csv
import html
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from veritab.schema import Cell

HALVES = ("development", "report")
SECONDS_TO_CONVERT = 300


class Content(NamedTuple):
    """A table and the words around it."""

    caption: str
    head: list[list[Cell]]
    body: list[list[Cell]]
    above: str
    below: str
    note: str = ""
    traits: tuple[str, ...] = ()

    @property
    def rows(self) -> list[list[Cell]]:
        return [*self.head, *self.body]


class Made(NamedTuple):
    """A document, and the tables that went into it."""

    path: Path
    half: str
    rule: str
    """ruled, half-ruled or unruled; of a format without rules what its maker drew, or else unruled."""
    tool: str
    tables: tuple[Content, ...]

    @property
    def format(self) -> str:
        return self.path.suffix[1:]


# -- contents ----------------------------------------------------------------------------------------------


def _head(*cells: str | tuple[str, int, int]) -> list[Cell]:
    """Header cells; a tuple adds how many columns and rows one covers."""
    return [
        Cell(cell, header=True) if isinstance(cell, str) else Cell(cell[0], (), True, cell[2], cell[1])
        for cell in cells
    ]


def _body(rows: Iterable[Sequence[object]]) -> list[list[Cell]]:
    return [[cell if isinstance(cell, Cell) else Cell(str(cell)) for cell in row] for row in rows]


def _money(value: float) -> str:
    """Thousands apart, and what is below zero in parentheses."""
    return f"{value:,.0f}" if value >= 0 else f"({-value:,.0f})"


def _names(rng: random.Random, first: str, second: str, count: int) -> list[str]:
    pairs = [f"{a} {b}" for a in first.split("|") for b in second.split("|")]
    return rng.sample(pairs, min(count, len(pairs)))


_PLACES = {
    "development": "Aldermoor|Brackwater|Castle Hythe|Dunmere|Eastwold|Fenwick St Mary|Garrow|Holmbury|Inverdale|Kelso Bay",
    "report": "Ardenfeld|Bellamont|Corvino|Drachenau|Estrela|Fjordby|Gradina|Hautmont|Isenburg|Jarvenlinn",
}


def league(rng: random.Random, rows: int) -> Content:
    clubs = _names(rng, _PLACES["development"], "Rovers|Athletic|United|Town|Wanderers|Albion", rows)
    lines = []
    for place, club in enumerate(clubs, 1):
        won, drawn, lost = rng.randint(2, 22), rng.randint(1, 11), rng.randint(1, 20)
        goals, against = rng.randint(20, 90), rng.randint(18, 80)
        difference = goals - against
        lines.append(
            (place, club, won + drawn + lost, won, drawn, lost, goals, against, f"{difference:+d}", 3 * won + drawn)
        )
    return Content(
        "Table 1. Final standings of the northern division",
        [_head("Pos", "Team", "Pld", "W", "D", "L", "GF", "GA", "GD", "Pts")],
        _body(lines),
        "The season ended on the second Saturday of May. Promotion was decided on the last day, when three clubs could "
        "still finish first.",
        "Two clubs are relegated. The next season begins in August.",
        "Note: a point was deducted for a match that was not played.",
    )


def laboratory(rng: random.Random, rows: int) -> Content:
    names = "Haemoglobin|White cell count|Platelets|Sodium|Potassium|Urea|Creatinine|Total bilirubin|Alkaline phosphatase|Albumin"
    names += "|Calcium (adjusted)|Magnesium|Ferritin|Vitamin B12|Serum folate|C-reactive protein|Free T4|TSH|Glucose, fasting|Uric acid"
    units = ("g/L", "10^9/L", "mmol/L", "µmol/L", "U/L", "mg/L", "ng/mL")
    lines = []
    for name in names.split("|")[:rows]:
        low = rng.randint(1, 90)
        high = low + rng.randint(2, 60)
        value = rng.uniform(low * 0.8, high * 1.1)
        flag = "H" if value > high else "L" if value < low else ""
        lines.append(
            (name, f"{value:.1f}", flag, rng.choice(units), f"{low}.0–{high}.0", f"{value * rng.uniform(0.9, 1.1):.1f}")
        )
    return Content(
        "Blood results of 12 March",
        [_head("Test", "Result", "Flag", "Unit", "Reference range", "Previous (12 Jan)")],
        _body(lines),
        "Samples were taken before breakfast. Results outside of the reference range are marked with H or L.",
        "The next appointment is in six weeks.",
        "Reference ranges are those of adults.",
        ("units", "empty cells"),
    )


def timetable(rng: random.Random, rows: int) -> Content:
    stops = _names(rng, _PLACES["development"], "Station|Market Square|Hospital|School Lane|Harbour", rows)
    starts = [6 * 60 + 12, 7 * 60 + 42, 9 * 60 + 15, 12 * 60 + 15, 16 * 60 + 50]
    lines, passed = [], 0
    for at, stop in enumerate(stops):
        times = [f"{(start + passed) // 60:02}:{(start + passed) % 60:02}" for start in starts]
        if at and at < rows - 1:
            times[rng.randrange(5)] = ""
        lines.append((stop, *times))
        passed += rng.randint(3, 9)
    return Content(
        "Route 14, Mondays to Fridays",
        [_head("Stop", "Bus 1", "Bus 2", "Bus 3", "Bus 4", "Bus 5")],
        _body(lines),
        "Buses do not run on public holidays. Please be at the stop five minutes before the time shown below.",
        "Tickets are sold by the driver. Bicycles are carried when there is room.",
        traits=("empty cells",),
    )


def prices(rng: random.Random, rows: int) -> Content:
    kinds = "Oak|Walnut|Beech|Painted pine|Reclaimed elm"
    things = "dining table, extending|bookcase with four adjustable shelves|chest of drawers|bedside cabinet|writing desk with leather top"
    lines = []
    for name in _names(rng, kinds, things, min(rows, 25)):
        price = rng.randint(80, 2400)
        weeks = rng.choice(["In stock", "2 weeks", "6 to 8 weeks", "On request"])
        lines.append(
            (f"{rng.choice('ABCDF')}-{rng.randint(100, 999)}", name, rng.randint(40, 240), f"{price:,}.00", weeks)
        )
    return Content(
        "Spring price list",
        [_head("Code", "Item", "Width (cm)", "Price (EUR)", "Delivery")],
        _body(lines),
        "All prices include value added tax. Delivery within thirty kilometres is free of charge, and we take old "
        "furniture away on request.",
        "Prices hold until the end of June.",
        "Widths are those of the top.",
        ("units", "wrapped"),
    )


def staff(rng: random.Random, rows: int) -> Content:
    people = _names(
        rng,
        "Anna|Ben|Clara|David|Esther|Farid|Grace|Hugo|Ines|Jonas",
        "Abbott|Bauer|Costa|Dietrich|Evans|Fischer",
        rows,
    )
    posts = "Head of Collections|Conservator|Registrar|Education Officer|Front of House Manager|Archivist|Exhibition Designer"
    rooms = "East Wing, first floor|Tower|Garden House|Basement store|Main building, room 12"
    lines = [
        (name, rng.choice(posts.split("|")), rng.choice(rooms.split("|")), f"{name.split()[0].lower()}@museum.example")
        for name in people
    ]
    return Content(
        "Who to ask",
        [_head("Name", "Role", "Office", "Mail")],
        _body(lines),
        "The museum has moved some of its offices. This list replaces that of last year.",
        "Visitors are asked to come to the front desk first.",
        traits=("text only",),
    )


def accounts(rng: random.Random, rows: int) -> Content:
    parts = [
        "Ticket sales",
        "Grants received",
        "Shop and café",
        "Donations",
        "Salaries and pensions",
        "Rent",
        "Insurance",
        "Repairs to the roof",
    ]
    parts += ["Printing", "Heating and light", "Travel", "Interest paid", "Loss on investments"]
    values = [[rng.randint(900, 480_000) * (1 if at < 4 else -1) for _ in range(3)] for at in range(len(parts))][:rows]
    lines: list[tuple[object, ...]] = [(part, *map(_money, line)) for part, line in zip(parts, values, strict=False)]
    lines.append(("Result of the year", *(_money(sum(line[at] for line in values)) for at in range(3))))
    return Content(
        "Table 4: Income and expenditure",
        [_head("in EUR", "2021", "2022", "2023")],
        _body(lines),
        "The society had to draw on its reserves. The committee proposes to raise the membership fee, as it was "
        "announced at the last general meeting.",
        "The accounts were audited in April.",
        "Figures in parentheses are expenses.",
        ("totals",),
    )


def budget(rng: random.Random, rows: int) -> Content:
    units = "Roads and bridges|Schools|Parks|Fire service|Libraries|Social housing|Water and waste|Public transport|Culture|Administration"
    lines: list[tuple[object, ...]] = []
    values = [[rng.randint(120, 9800) for _ in range(4)] for _ in units.split("|")][:rows]
    for name, line in zip(units.split("|"), values, strict=False):
        lines.append((name, *map(_money, line), f"{rng.uniform(-9, 9):.1f}"))
    lines.append(("Total", *(_money(sum(line[at] for line in values)) for at in range(4)), "1.8"))
    return Content(
        "Table 2. Budget by department, thousands",
        [
            _head(("Department", 1, 2), ("2023", 2, 1), ("2024", 2, 1), ("Change (%)", 1, 2)),
            _head("Plan", "Actual", "Plan", "Actual"),
        ],
        _body(lines),
        "The council met in December to agree on the budget. Spending on schools rises for the third year.",
        "A second reading follows in February.",
        traits=("two-line header", "merged", "totals", "units"),
    )


def courses(rng: random.Random, rows: int) -> Content:
    days = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday"
    titles = _names(
        rng,
        "Watercolour|Pottery|Spanish|Yoga|First aid|Guitar|Bread baking",
        "for beginners|in the evening|intensive",
        18,
    )
    lines: list[list[Cell]] = []
    for day in days.split("|")[: max(2, rows // 3)]:
        for at in range(3):
            cells = _body(
                [
                    (
                        titles.pop(),
                        f"{rng.randint(9, 20)}:{rng.choice(['00', '30'])}",
                        rng.randint(6, 24),
                        f"{rng.randint(40, 190)}",
                    )
                ]
            )[0]
            lines.append([Cell(day, row_span=3), *cells] if at == 0 else cells)
    return Content(
        "Courses of the spring term",
        [_head("Day", "Course", "Starts", "Places", "Fee (EUR)")],
        lines,
        "Courses begin in the second week of March and last for ten weeks. Please register at the office or by mail.",
        "There is no class during the holidays.",
        traits=("merged", "units"),
    )


def medals(rng: random.Random, rows: int) -> Content:
    lines: list[tuple[object, ...]] = []
    for name in rng.sample(_PLACES["report"].split("|"), min(rows, 10)):
        gold, silver, bronze = rng.randint(0, 14), rng.randint(0, 15), rng.randint(0, 18)
        lines.append((name, gold, silver, bronze, gold + silver + bronze))
    lines.append(("All nations", *(sum(int(str(line[at])) for line in lines) for at in range(1, 5))))
    return Content(
        "Table 3. Medals by nation",
        [_head("Nation", "Gold", "Silver", "Bronze", "Total")],
        _body(lines),
        "More than nine hundred athletes took part in the games. For the first time no event had to be put off because "
        "of the weather.",
        "The next games take place in four years.",
        "Shared medals are counted for each nation.",
        ("totals",),
    )


def rainfall(rng: random.Random, rows: int) -> Content:
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    stations = _names(rng, _PLACES["report"], "airport|harbour|summit", rows)
    lines = [
        (name, *(f"{rng.uniform(0, 190):.1f}" if rng.random() > 0.06 else "" for _ in months)) for name in stations
    ]
    return Content(
        "Rainfall in mm by month",
        [_head("Station", *months)],
        _body(lines),
        "The observatory has measured rain since 1931. Empty places stand for months in which an instrument failed.",
        "June was the driest month on record at several stations.",
        traits=("units", "empty cells"),
    )


def milestones(rng: random.Random, rows: int) -> Content:
    tasks = "Survey of the river bed|Agreement with the landowners upstream|Piling and temporary works|Delivery of the steel girders by barge"
    tasks += "|Opening to cyclists and pedestrians|Removal of the old piers|Replanting of the eastern bank|Final inspection and handover"
    owners = "Contractor|District office|Joint steering group|Consulting engineers"
    lines = []
    for at, task in enumerate(tasks.split("|")[:rows]):
        start = f"{rng.randint(1, 28)} {rng.choice(['Feb', 'Apr', 'Sep'])} {2025 + at // 4}"
        lines.append((task, rng.choice(owners.split("|")), start, rng.choice(["Done", "Under way", "Not begun", ""])))
    return Content(
        "Milestones of the footbridge",
        [_head("Milestone", "Responsible", "Planned start", "State")],
        _body(lines),
        "Work on the bridge is three weeks behind schedule, mostly because of high water in the spring.",
        "The steering group meets again in October.",
        traits=("wrapped", "empty cells", "text only"),
    )


def inventory(rng: random.Random, rows: int) -> Content:
    kinds = "Stainless|Brass|Zinc-plated|Nylon|Black oxide"
    things = "hex bolt M8 x 40|washer, spring type|threaded rod, one metre|cable clamp|wing nut M6|self-tapping screw with countersunk head"
    lines = []
    for name in _names(rng, kinds, things, min(rows, 30)):
        stock = rng.randint(0, 14_000)
        lines.append(
            (
                f"{rng.randint(10000, 99999)}",
                name,
                f"{stock:,}",
                f"{rng.uniform(0.02, 9):.2f}",
                f"{rng.choice('NSEW')}{rng.randint(1, 40)}",
            )
        )
    return Content(
        "Stock on 30 September",
        [_head("Part no.", "Description", "On hand", "Unit price (USD)", "Bin")],
        _body(lines),
        "Counting took two days and was done by two teams. Parts that have not moved for three years are sold off.",
        "The next count is planned for March.",
        "Parts without price are written off.",
        ("units", "wrapped"),
    )


def income(rng: random.Random, rows: int) -> Content:
    parts = [
        "Net sales",
        "Cost of goods sold",
        "Selling and marketing expenses",
        "Research and development",
        "Other operating income",
    ]
    parts += [
        "Amortisation of intangible assets",
        "Interest income",
        "Interest expense",
        "Foreign exchange losses",
        "Taxes on income",
    ]
    signs = (1, -1, -1, -1, 1, -1, 1, -1, -1, -1)
    values = [[rng.randint(11, 9900) * sign for _ in range(4)] for sign in signs][:rows]
    lines: list[tuple[object, ...]] = [(part, *map(_money, line)) for part, line in zip(parts, values, strict=False)]
    lines.append(("Profit for the period", *(_money(sum(line[at] for line in values)) for at in range(4))))
    return Content(
        "Table 7. Consolidated income statement",
        [_head("Millions of crowns", "Q1", "Q2", "Q3", "Q4")],
        _body(lines),
        "Sales were lower than a year ago in two of the four quarters. Management expects them to recover as soon as the "
        "new plant begins to deliver.",
        "The report was not reviewed by the auditors.",
        "Amounts in parentheses are negative.",
        ("totals", "units"),
    )


def election(rng: random.Random, rows: int) -> Content:
    lines: list[tuple[object, ...]] = []
    for name in _names(rng, _PLACES["report"], "North|South|Centre|East|West|Rural", rows):
        share = rng.uniform(20, 60)
        lines.append(
            (
                name,
                f"{rng.randint(4000, 90000):,}",
                f"{share:.1f}",
                f"{rng.randint(4000, 90000):,}",
                f"{95 - share:.1f}",
                f"{rng.uniform(40, 80):.1f}",
            )
        )
    return Content(
        "Votes by constituency",
        [
            _head(("Constituency", 1, 2), ("Progress Party", 2, 1), ("Union List", 2, 1), ("Turnout (%)", 1, 2)),
            _head("Votes", "%", "Votes", "%"),
        ],
        _body(lines),
        "Polling stations closed at eight in the evening. The count was finished shortly after midnight in all but one "
        "constituency.",
        "A recount has been asked for in two places.",
        traits=("two-line header", "merged", "units"),
    )


def shifts(rng: random.Random, rows: int) -> Content:
    people = _names(rng, "Maja|Nils|Olga|Piet|Rosa|Sven|Tilda|Ugo", "Lind|Marek|Novak|Orsini|Petrov", 24)
    lines: list[list[Cell]] = []
    for ward in ["Children's ward", "Surgery", "Outpatients", "Emergency", "Maternity", "Radiology"][
        : max(2, rows // 2)
    ]:
        for at, shift in enumerate(("Day", "Night")):
            cells = _body([(shift, people.pop(), people.pop(), rng.randint(8, 36))])[0]
            lines.append([Cell(ward, row_span=2), *cells] if at == 0 else cells)
    return Content(
        "Shifts of week 42",
        [_head("Ward", "Shift", "First nurse", "Second nurse", "Beds")],
        lines,
        "Changes must be agreed on with the head nurse at least two days before. Holidays are marked in the calendar.",
        "Emergency numbers hang beside every telephone.",
        traits=("merged",),
    )


def currencies(rng: random.Random, rows: int) -> Content:
    names = _names(rng, _PLACES["report"], "crown|mark|lira|peso|thaler|florin", rows)
    lines = [
        (
            name,
            name[:2].upper() + "X",
            *(f"{rng.uniform(0.2, 140):.4f}" for _ in range(3)),
            f"{rng.uniform(-4, 4):+.2f}%",
        )
        for name in names
    ]
    return Content(
        "Reference rates of the central bank",
        [_head("Currency", "Code", "Buying", "Selling", "Mean", "Change")],
        _body(lines),
        "Rates are fixed at noon on working days. They are meant for accounting and not for trade.",
        "Older rates are sent on request.",
    )


Topic = Callable[[random.Random, int], Content]
FLAT: dict[str, tuple[Topic, ...]] = {
    "development": (league, laboratory, timetable, prices, staff, accounts),
    "report": (medals, rainfall, milestones, inventory, income, currencies),
}
WITH_SPANS: dict[str, tuple[Topic, ...]] = {"development": (budget, courses), "report": (election, shifts)}
LONG: dict[str, tuple[Topic, ...]] = {"development": (league, staff), "report": (currencies, election)}


# -- how a table is laid out -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Style:
    """Fonts, sizes and rules of one document."""

    rule: str = "grid"
    font: str = "Helvetica"
    bold: str = "Helvetica-Bold"
    size: float = 10
    padding: float = 3
    sides: float = 6
    """Points between a cell's text and its sides."""
    align: str = "RIGHT"
    """Of columns of numbers."""
    valign: str = "TOP"
    bold_head: bool = True
    repeat: bool = True
    caption: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """ruled, half-ruled or unruled."""
        ruled = {"grid", "box", "shaded"}
        return "ruled" if self.rule in ruled else "unruled" if self.rule == "none" else "half-ruled"


_FONTS = {
    "development": (("Helvetica", "Helvetica-Bold"), ("DejaVuSans", "DejaVuSans-Bold")),
    "report": (("Times-Roman", "Times-Bold"), ("LiberationSansNarrow", "LiberationSansNarrow-Bold")),
}
_FONT_FILES = Path("/usr/share/fonts/truetype")
_SPACINGS = {
    "development": ((10, 3, 6), (9, 1, 4), (8, 2, 5)),
    "report": ((9.5, 2, 5), (11, 4, 7), (8, 1.5, 3.5)),
}


def _style(rng: random.Random, half: str, rule: str, **options: Any) -> Style:
    font, bold = rng.choice(_FONTS[half])
    size, padding, sides = rng.choice(_SPACINGS[half])
    return Style(
        rule,
        font,
        bold,
        size,
        padding,
        sides,
        align=rng.choice(["RIGHT", "RIGHT", "CENTER", "DECIMAL" if half == "report" else "RIGHT"]),
        valign=rng.choice(["TOP", "MIDDLE"]) if half == "development" else rng.choice(["MIDDLE", "BOTTOM", "TOP"]),
        bold_head=rng.random() < 0.6,
        caption=rng.random() < 0.7,
        options=options,
    )


def _register_fonts() -> None:
    """The fonts that reportlab has to be told of; where a font is missing, one of its own stands in."""
    from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
    from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]

    files = {path.stem: path for path in _FONT_FILES.rglob("*.ttf")}
    for name in ("DejaVuSans", "DejaVuSans-Bold", "LiberationSansNarrow-Regular", "LiberationSansNarrow-Bold"):
        known = name.removesuffix("-Regular")
        if name in files:
            pdfmetrics.registerFont(TTFont(known, str(files[name])))
        else:
            instead = pdfmetrics.Font(known, "Helvetica-Bold" if "Bold" in name else "Helvetica", "WinAnsiEncoding")
            pdfmetrics.registerFont(instead)


def expand(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """The grid of a table: a cell stands in each square that it covers."""
    squares: dict[tuple[int, int], Cell] = {}
    for at, row in enumerate(rows):
        column = 0
        for cell in row:
            while (at, column) in squares:
                column += 1
            for down in range(at, min(at + cell.row_span, len(rows))):
                squares.update({(down, across): cell for across in range(column, column + cell.column_span)})
            column += cell.column_span
    width = max((column for _, column in squares), default=-1) + 1
    return [[squares.get((at, column), Cell("")) for column in range(width)] for at in range(len(rows))]


def _starts(rows: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, int, Cell]]:
    """Each cell once, with the row and the column it begins in."""
    seen: set[int] = set()
    for at, line in enumerate(expand(rows)):
        for column, cell in enumerate(line):
            if id(cell) not in seen and cell.text:
                seen.add(id(cell))
                yield at, column, cell


def _own_cells(content: Content) -> Content:
    """Every cell an object of its own, so that equal ones are told apart."""
    return content._replace(
        head=[[Cell(*cell) for cell in row] for row in content.head],
        body=[[Cell(*cell) for cell in row] for row in content.body],
    )


def _is_number(text: str) -> bool:
    return bool(text) and not any(character.isalpha() for character in text) and any(map(str.isdigit, text))


def _number_columns(content: Content) -> set[int]:
    lines = expand(content.body)
    columns = range(len(lines[0]))
    return {at for at in columns if all(_is_number(line[at].text) or not line[at].text for line in lines)}


# -- PDF with reportlab ------------------------------------------------------------------------------------


def _flowables(content: Content, style: Style) -> list[Any]:
    from reportlab.lib import colors  # type: ignore[import-untyped]
    from reportlab.lib.styles import ParagraphStyle  # type: ignore[import-untyped]
    from reportlab.platypus import Paragraph, Spacer, Table  # type: ignore[import-untyped]

    prose = ParagraphStyle("prose", fontName=style.font, fontSize=style.size + 0.5, leading=1.2 * style.size + 1)
    cell_style = ParagraphStyle("cell", fontName=style.font, fontSize=style.size, leading=1.15 * style.size)
    head_style = ParagraphStyle("head", parent=cell_style, fontName=style.bold if style.bold_head else style.font)
    grid = expand(content.rows)
    heads = len(content.head)
    numbers = _number_columns(content)
    data: list[list[Any]] = [["" for _ in line] for line in grid]
    commands: list[Any] = [
        ("FONT", (0, 0), (-1, -1), style.font, style.size),
        ("TOPPADDING", (0, 0), (-1, -1), style.padding),
        ("BOTTOMPADDING", (0, 0), (-1, -1), style.padding),
        ("LEFTPADDING", (0, 0), (-1, -1), style.sides),
        ("RIGHTPADDING", (0, 0), (-1, -1), style.sides),
        ("VALIGN", (0, 0), (-1, -1), style.valign),
    ]
    if style.bold_head:
        commands.append(("FONT", (0, 0), (-1, heads - 1), style.bold, style.size))
    for column in numbers:
        align = "RIGHT" if style.align == "DECIMAL" else style.align
        commands.append(("ALIGN", (column, 0), (column, -1), align))
    for row, column, cell in _starts(content.rows):
        wraps = style.options.get("wrap") and len(cell.text) > style.options["wrap"] and column not in numbers
        data[row][column] = Paragraph(cell.text, head_style if row < heads else cell_style) if wraps else cell.text
        if style.options.get("break_head") and row < heads and " (" in cell.text and cell.column_span == 1:
            data[row][column] = cell.text.replace(" (", "\n(")
        if cell.row_span > 1 or cell.column_span > 1:
            end = (column + cell.column_span - 1, row + cell.row_span - 1)
            commands.append(("SPAN", (column, row), end))
            if cell.column_span > 1:
                commands.append(("ALIGN", (column, row), end, "CENTER"))
    commands += _rules(style.rule, heads, len(data), colors)
    if style.rule != "none" and content.head[0] is not content.head[-1] and style.rule in ("header", "booktabs"):
        for _, column, cell in _starts(content.head):
            if cell.column_span > 1:  # a short rule under a name of several columns
                commands.append(("LINEBELOW", (column, 0), (column + cell.column_span - 1, 0), 0.4, colors.black))
    widths = style.options.get("widths")
    table = Table(
        data,
        colWidths=widths,
        style=commands,
        repeatRows=heads if style.repeat else 0,
        hAlign=style.options.get("place", "LEFT"),
    )
    pieces: list[Any] = [Paragraph(content.above, prose), Spacer(1, 10)]
    if style.caption:
        pieces += [Paragraph(content.caption, prose), Spacer(1, 4)]
    pieces += [table, Spacer(1, style.options.get("after", 6))]
    if content.note:
        pieces.append(Paragraph(content.note, ParagraphStyle("note", parent=prose, fontSize=style.size - 1)))
        pieces.append(Spacer(1, 8))
    return [*pieces, Paragraph(content.below, prose)]


def _rules(rule: str, heads: int, rows: int, colors: Any) -> list[Any]:
    grey, black = colors.Color(0.9, 0.92, 0.95), colors.black
    header = ("LINEBELOW", (0, heads - 1), (-1, heads - 1), 0.7, black)
    drawn: dict[str, list[Any]] = {
        "none": [],
        "grid": [("GRID", (0, 0), (-1, -1), 0.5, black)],
        "box": [("BOX", (0, 0), (-1, -1), 1.5, black), ("INNERGRID", (0, 0), (-1, -1), 0.25, colors.grey)],
        "shaded": [("GRID", (0, 0), (-1, -1), 0.4, colors.grey), ("BACKGROUND", (0, 0), (-1, heads - 1), grey)],
        "header": [header],
        "booktabs": [
            ("LINEABOVE", (0, 0), (-1, 0), 1, black),
            header,
            ("LINEBELOW", (0, rows - 1), (-1, rows - 1), 1, black),
        ],
        "rows": [("LINEBELOW", (0, at), (-1, at), 0.4, colors.grey) for at in range(rows)],
        "zebra": [("BACKGROUND", (0, at), (-1, at), grey) for at in range(heads, rows, 2)],
        "columns": [
            header,
            ("LINEABOVE", (0, 0), (-1, 0), 0.7, black),
            ("LINEBELOW", (0, rows - 1), (-1, rows - 1), 0.7, black),
            ("LINEAFTER", (0, 0), (-1, -1), 0.4, black),
            ("LINEBEFORE", (0, 0), (0, -1), 0.4, black),
        ],
    }
    return drawn[rule]


def write_reportlab(path: Path, content: Content, style: Style) -> None:
    """Paragraphs and tables set by reportlab's own layout."""
    from reportlab.platypus import SimpleDocTemplate

    document = SimpleDocTemplate(str(path), invariant=1, leftMargin=56, rightMargin=56, topMargin=60, bottomMargin=60)
    document.build(_flowables(content, style))


def write_drawn(path: Path, content: Content, style: Style) -> None:
    """A table drawn string by string with tight lines, as reports of measuring instruments are; headers end below."""
    from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

    canvas = Canvas(str(path), invariant=1)
    step, size = 1.25 * style.size, style.size
    grid = expand(content.rows)
    numbers = _number_columns(content)
    split = [
        cell.text.replace(" (", "\n(").split("\n") if style.options.get("break_head") else [cell.text]
        for cell in grid[0]
    ]
    widest = [
        max(stringWidth(text, style.bold, size) for text in (*split[at], *(line[at].text for line in grid[1:])))
        for at in range(len(grid[0]))
    ]
    lefts = [60.0]
    for width in widest[:-1]:
        lefts.append(lefts[-1] + width + style.options.get("gap", 12))
    top = 80.0

    def put(text: str, column: int, font: str) -> None:
        canvas.setFont(font, size)
        if column in numbers and style.align != "CENTER":
            canvas.drawRightString(lefts[column] + widest[column], 842 - top, text)
        elif column in numbers:
            canvas.drawCentredString(lefts[column] + widest[column] / 2, 842 - top, text)
        else:
            canvas.drawString(lefts[column], 842 - top, text)

    def rule(at: float) -> None:
        canvas.setLineWidth(0.6)
        canvas.line(lefts[0], 842 - at, lefts[-1] + widest[-1], 842 - at)

    canvas.setFont(style.font, size)
    for text in _wrapped(content.above, 92):
        canvas.drawString(60, 842 - top, text)
        top += step
    top += step
    depth = max(map(len, split))
    if style.rule == "booktabs":
        rule(top - size)
    for line in range(depth):
        for column, texts in enumerate(split):
            at = line - depth + len(texts)
            if at >= 0:
                put(texts[at], column, style.bold if style.bold_head else style.font)
        top += step
    if style.rule in ("booktabs", "header"):
        rule(top - size)
        top += 3
    for cells in grid[1:]:
        for column, cell in enumerate(cells):
            put(cell.text, column, style.font)
        top += step
    if style.rule == "booktabs":
        rule(top - size)
    top += step
    canvas.setFont(style.font, size)
    for text in _wrapped(content.below, 92):
        canvas.drawString(60, 842 - top, text)
        top += step
    canvas.save()


def write_typed(path: Path, content: Content, style: Style) -> None:
    """A table typed with spaces in a fixed-width font."""
    from reportlab.pdfgen.canvas import Canvas

    grid = expand(content.rows)
    numbers = _number_columns(content)
    widths = [max(len(line[at].text) for line in grid) for at in range(len(grid[0]))]
    lines = [*_wrapped(content.above, 80), ""]
    for at, cells in enumerate(grid):
        padded = [
            cell.text.rjust(width) if c in numbers else cell.text.ljust(width)
            for c, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append("  ".join(padded))
        if at == len(content.head) - 1 and style.rule == "header":
            lines.append("  ".join("-" * width for width in widths))
    lines += ["", *_wrapped(content.below, 80)]
    canvas = Canvas(str(path), invariant=1)
    canvas.setFont("Courier", style.size)
    for number, text in enumerate(lines):
        canvas.drawString(50, 780 - number * 1.2 * style.size, text)
    canvas.save()


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


# -- DOCX with python-docx ---------------------------------------------------------------------------------


def write_docx(path: Path, contents: Sequence[Content], style: Style) -> None:
    """A Word document; `style.options` name the table's style and what marks its header."""
    import docx
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Inches, Pt

    document = docx.Document()
    document.styles["Normal"].font.size = Pt(style.size)
    document.styles["Normal"].font.name = {"Times-Roman": "Liberation Serif"}.get(style.font, "Liberation Sans")
    for content in contents:
        document.add_paragraph(content.above)
        if style.caption:
            document.add_paragraph(content.caption, style="Caption")
        grid = expand(content.rows)
        table = document.add_table(len(grid), len(grid[0]), style=style.options.get("table_style"))
        numbers = _number_columns(content)
        for row, column, cell in _starts(content.rows):
            place = table.cell(row, column)
            if cell.row_span > 1 or cell.column_span > 1:
                place = place.merge(table.cell(row + cell.row_span - 1, column + cell.column_span - 1))
            paragraph = place.paragraphs[0]
            paragraph.add_run(cell.text).bold = style.bold_head and row < len(content.head)
            if column in numbers:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        longest = [
            max(len(word) for line in grid for word in line[at].text.split() or [""]) for at in range(len(grid[0]))
        ]
        for column, length in zip(table.columns, longest, strict=True):
            column.width = Inches(6.0 * (length + 1) / (sum(longest) + len(longest)))
            for place in column.cells:
                place.width = column.width
        _border(table, style.rule, len(content.head))
        if content.note:
            document.add_paragraph(content.note)
        document.add_paragraph(content.below)
    document.save(str(path))


def _border(table: Any, rule: str, heads: int) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    for at, row in enumerate(table.rows):
        sides = {"header": ["bottom"] if at == heads - 1 else [], "rows": ["bottom"], "none": []}.get(rule, [])
        if rule == "booktabs":
            sides = (["top"] if at == 0 else []) + (["bottom"] if at in (heads - 1, len(table.rows) - 1) else [])
        if rule in ("grid", "box", "shaded"):
            sides = ["top", "left", "bottom", "right"]
        for cell in row.cells:
            properties = cell._tc.get_or_add_tcPr()
            if not sides or properties.find(qn("w:tcBorders")) is not None:
                continue
            borders = OxmlElement("w:tcBorders")
            for side in sides:
                border = OxmlElement(f"w:{side}")
                for name, value in (("val", "single"), ("sz", "6"), ("space", "0"), ("color", "000000")):
                    border.set(qn(f"w:{name}"), value)
                borders.append(border)
            properties.append(borders)


# -- XLSX with openpyxl ------------------------------------------------------------------------------------


def _value(text: str) -> tuple[object, str]:
    """What a spreadsheet holds for a printed text, and the format that prints it so."""
    plain = text.replace(",", "").removeprefix("+")
    if plain.startswith("(") and plain.endswith(")"):
        plain = f"-{plain[1:-1]}"
    try:
        number = Decimal(plain)
    except ArithmeticError:
        return text, "General"
    places = -int(number.as_tuple().exponent)
    shown = ("#,##0" if "," in text else "0") + ("." + "0" * places if places else "")
    if text.startswith("+"):
        shown = f"+{shown};-{shown}"
    elif text.startswith("(") or ("," in text and places == 0):
        shown = f"{shown};({shown})"
    return (int(number) if places == 0 else float(number)), shown


def write_xlsx(path: Path, contents: Sequence[Content], style: Style) -> None:
    """A workbook. `style.options`: where the table begins, a title, several on a sheet, what is beside it."""
    import openpyxl
    from openpyxl.styles import Alignment, Border, Font, Side
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.properties import PageSetupProperties

    workbook = openpyxl.Workbook()
    sheet: Any = workbook.active
    sheet.title = "Figures"
    row, left = style.options.get("first_row", 1), style.options.get("first_column", 1)
    side = Side(style="thin")
    wide: dict[int, float] = {}
    for content in contents:
        if style.options.get("title"):
            sheet.cell(row, left, content.caption).font = Font(bold=True, size=14)
            row += style.options.get("title_gap", 2)
        heads = len(content.head)
        height = len(content.rows)
        for at, column, cell in _starts(content.rows):
            value, shown = _value(cell.text) if at >= heads else (cell.text, "General")
            place = sheet.cell(row + at, left + column, value)
            place.number_format = shown
            if at < heads and style.bold_head:
                place.font = Font(bold=True)
            if cell.row_span > 1 or cell.column_span > 1:
                last = (row + at + cell.row_span - 1, left + column + cell.column_span - 1)
                sheet.merge_cells(start_row=row + at, start_column=left + column, end_row=last[0], end_column=last[1])
                place.alignment = Alignment(horizontal="center", vertical="center")
            else:
                wide[left + column] = max(wide.get(left + column, 8.0), 1.25 * len(cell.text))
        for at in range(height):
            for column in range(len(expand(content.rows)[0])):
                place = sheet.cell(row + at, left + column)
                if style.rule == "grid":
                    place.border = Border(side, side, side, side)
                elif style.rule == "rows" or (style.rule in ("header", "booktabs") and at == heads - 1):
                    place.border = Border(bottom=side)
        row += height
        if content.note:
            row += style.options.get("note_gap", 1)
            sheet.cell(row, left, content.note)
            row += 1
        if style.options.get("beside"):
            left += len(expand(content.rows)[0]) + 1
            row = style.options.get("first_row", 1)
        else:
            row += style.options.get("gap", 2)
    for column, width in wide.items():
        sheet.column_dimensions[get_column_letter(column)].width = width
    if style.options.get("landscape"):
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.fitToWidth = 1
        sheet.page_setup.fitToHeight = 0
        sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    workbook.save(str(path))


# -- HTML by hand ------------------------------------------------------------------------------------------


def write_html(path: Path, contents: Sequence[Content], style: Style) -> None:
    """A page of HTML; `style.options["head"]` says how header cells are written."""
    how = style.options.get("head", "th")
    parts = []
    for content in contents:
        rows = []
        for at, row in enumerate(content.rows):
            heads = at < len(content.head)
            tag = "th" if heads and how == "th" else "td"
            cells = []
            for cell in row:
                text = html.escape(cell.text)
                if heads and how == "bold":
                    text = f"<b>{text}</b>"
                elif heads and how == "strong":
                    text = f"<p><strong>{text}</strong></p>"
                spans = f' rowspan="{cell.row_span}"' * (cell.row_span > 1) + f' colspan="{cell.column_span}"' * (
                    cell.column_span > 1
                )
                look = ' style="font-weight: bold"' if heads and how == "css" else ""
                cells.append(f"<{tag}{spans}{look}>{text}</{tag}>")
            rows.append(f"<tr>{''.join(cells)}</tr>")
        count = len(content.head)
        if how in ("thead", "th"):
            drawn = f"<thead>{''.join(rows[:count])}</thead><tbody>{''.join(rows[count:])}</tbody>"
        else:
            drawn = "\n".join(rows)
        caption = f"<caption>{html.escape(content.caption)}</caption>" if style.caption else ""
        border = ' border="1"' if style.rule == "grid" else ""
        parts.append(f"<p>{html.escape(content.above)}</p><table{border}>{caption}{drawn}</table>")
        parts.append(f"<p>{html.escape(content.note)}</p>" if content.note else "")
        parts.append(f"<p>{html.escape(content.below)}</p>")
    page = f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>Report</title></head><body>{"".join(parts)}</body></html>'
    path.write_text(page, encoding="utf-8")


# -- the set -----------------------------------------------------------------------------------------------


@dataclass
class _Maker:
    """Makes the documents of one half, and remembers which LibreOffice has still to convert."""

    half: str
    folder: Path
    rng: random.Random
    made: list[Made] = field(default_factory=list)
    waiting: dict[str, list[Path]] = field(default_factory=dict)
    _turn: int = 0

    def content(self, kind: str = "flat", rows: int = 0) -> Content:
        topics = {"flat": FLAT, "spans": WITH_SPANS, "long": LONG}[kind][self.half]
        self._turn += 1
        rows = rows or self.rng.randint(5, 10)
        content = _own_cells(topics[self._turn % len(topics)](self.rng, rows))
        return content._replace(traits=(*content.traits, "two pages")) if kind == "long" else content

    def path(self, kind: str, suffix: str) -> Path:
        return self.folder / f"{len(self.made):02}-{kind}{suffix}"

    def add(self, path: Path, style: Style, tool: str, *contents: Content) -> None:
        self.made.append(Made(path, self.half, style.kind, tool, contents))

    def later(self, path: Path, target: str, style: Style, *contents: Content) -> None:
        """A document that LibreOffice makes of one already written."""
        self.waiting.setdefault(target, []).append(path)
        self.add(self.folder / f"{path.stem}.{target}", style, "LibreOffice", *contents)


def make(half: str, folder: Path) -> tuple[list[Made], list[Path]]:
    """The sixty documents of a half, without those that need a LibreOffice that is not there, and documents without
    any table."""
    folder.mkdir(parents=True, exist_ok=True)
    _register_fonts()
    maker = _Maker(half, folder, random.Random(f"{half} tables"))
    _make_pdf(maker)
    _make_docx(maker)
    _make_xlsx(maker)
    _make_html(maker)
    _convert(maker)
    return [made for made in maker.made if made.path.exists()], _make_without_tables(maker)


def _make_pdf(maker: _Maker) -> None:
    half, rng = maker.half, maker.rng
    later = half == "report"
    plan: list[tuple[str, str, dict[str, Any]]] = [
        ("grid", "flat", {}),
        ("box", "spans", {}),
        ("shaded", "flat", {"wrap": 18, "break_head": True}),
        ("grid", "long", {}),
        ("header", "flat", {}),
        ("header", "flat", {"break_head": True, "place": "CENTER"}),
        ("booktabs", "flat", {"wrap": 20} if later else {}),
        ("booktabs", "spans", {}),
        ("rows", "flat", {"wrap": 16}),
        ("zebra", "flat", {"after": 12} if later else {}),
        ("columns", "flat", {}),
        ("booktabs", "long", {}),
        ("none", "flat", {}),
        ("none", "flat", {"place": "CENTER"}),
        ("none", "flat", {"wrap": 17, "break_head": True}),
        ("none", "spans", {}),
        ("none", "long", {}),
    ]
    for rule, kind, options in plan:
        style = _style(rng, half, rule, **options)
        if kind == "long":
            style = replace(style, repeat=rule != "none" or later, size=9, padding=4)
        content = maker.content(kind, rng.randint(48, 60) if kind == "long" else 0)
        if kind == "long" and len(content.body) < 20:
            content = maker.content(kind, 45)
        if options.get("wrap"):
            style.options["widths"] = _wrapping_widths(content, style)
        path = maker.path(f"reportlab-{rule}-{kind}", ".pdf")
        write_reportlab(path, content, style)
        maker.add(path, style, "reportlab", content)
    for rule, write, gap in (
        ("header", write_drawn, 12), ("booktabs", write_drawn, 7), ("none", write_drawn, 9), ("none", write_typed, 0), ("header", write_typed, 0),
    ):  # fmt: skip
        style = _style(rng, half, rule, gap=gap, break_head=not gap % 3)
        style = replace(style, size=8)
        content = maker.content("flat")
        path = maker.path(f"drawn-{rule}-{write.__name__[6:]}", ".pdf")
        write(path, content, style)
        maker.add(path, style, "reportlab", content)
    for rule, kind in (("grid", "flat"), ("header", "flat"), ("booktabs", "spans"), ("none", "flat")):
        style = _style(rng, half, rule)
        content = maker.content(kind)
        path = maker.path(f"writer-{rule}-{kind}", ".docx")
        write_docx(path, [content], style)
        maker.later(path, "pdf", style, content)
    for rule in ("none", "header", "grid"):
        style = _style(rng, half, rule, landscape=True, title=rule != "header")
        content = maker.content("flat")
        path = maker.path(f"calc-{rule}", ".xlsx")
        write_xlsx(path, [content], style)
        maker.later(path, "pdf", style, content)


def _wrapping_widths(content: Content, style: Style) -> list[float | None]:
    """Widths that make long texts wrap, and leave numbers on one line."""
    grid = expand(content.rows)
    words = [max(len(word) for line in grid for word in line[at].text.split() or [""]) for at in range(len(grid[0]))]
    texts = [max(len(line[at].text) for line in grid) for at in range(len(grid[0]))]
    widths = [max(word + 1, min(text, 19)) for word, text in zip(words, texts, strict=True)]
    return [0.56 * style.size * width + 2 * style.sides for width in widths]


def _make_docx(maker: _Maker) -> None:
    half, rng = maker.half, maker.rng
    plan: list[tuple[str, str, bool, str | None]] = [
        ("grid", "flat", False, None),
        ("grid", "flat", True, None),
        ("none", "flat", False, "Table Grid"),
        ("none", "spans", True, "Table Grid"),
        ("none", "flat", False, "Light List Accent 1" if half == "report" else "Medium Shading 1 Accent 2"),
        ("header", "spans", False, None),
        ("header", "flat", True, None),
        ("none", "flat", False, None),
    ]
    for rule, kind, bold, table_style in plan:
        style = replace(_style(rng, half, rule, table_style=table_style), bold_head=bold)
        contents = [maker.content(kind)] if kind == "spans" or bold else [maker.content(kind), maker.content(kind)]
        path = maker.path(f"python-docx-{rule}-{kind}", ".docx")
        write_docx(path, contents, style)
        maker.add(path, style, "python-docx", *contents)
    for rule, kind, how in (
        ("grid", "flat", "td"),
        ("none", "spans", "th"),
        ("none", "flat", "bold"),
        ("grid", "spans", "td"),
    ):
        style = _style(rng, half, rule, head=how)
        content = maker.content(kind)
        path = maker.path(f"writer-{how}-{kind}", ".html")
        write_html(path, [content], style)
        maker.later(path, "docx", style, content)


def _make_xlsx(maker: _Maker) -> None:
    half, rng = maker.half, maker.rng
    plan: list[tuple[str, int, dict[str, Any]]] = [
        ("flat", 1, {}),
        ("flat", 1, {"first_row": 3, "first_column": 2}),
        ("flat", 1, {"title": True, "title_gap": 1}),
        ("spans", 1, {"title": True}),
        ("flat", 2, {"title": True, "gap": 3 if half == "report" else 2}),
        ("flat", 2, {"gap": 1}),
        ("spans", 2, {"beside": True, "first_row": 2}),
    ]
    for kind, count, options in plan:
        style = replace(
            _style(rng, half, rng.choice(["grid", "none", "header"]), **options), bold_head=rng.random() < 0.5
        )
        contents = [maker.content(kind) for _ in range(count)]
        path = maker.path(f"openpyxl-{kind}-{count}", ".xlsx")
        write_xlsx(path, contents, style)
        maker.add(path, style, "openpyxl", *contents)
    for kind in ("flat", "spans"):
        style = _style(rng, half, "none", head="td")
        content = maker.content(kind)
        path = maker.path(f"calc-{kind}", ".csv")
        content = _without_spans(content)
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([cell.text for cell in row] for row in content.rows)
        maker.later(path, "xlsx", style, content)


def _without_spans(content: Content) -> Content:
    """The table as a format without spans holds it: one filled cell, and empty ones."""
    lines = [[Cell("", header=cell.header) for cell in line] for line in expand(content.rows)]
    for row, column, cell in _starts(content.rows):
        lines[row][column] = Cell(cell.text, header=cell.header)
    count = len(content.head)
    return content._replace(head=lines[:count], body=lines[count:])


def _make_html(maker: _Maker) -> None:
    half, rng = maker.half, maker.rng
    plan = [
        ("th", "flat", 2),
        ("td", "flat", 2),
        ("bold", "flat", 1),
        ("strong", "flat", 1),
        ("css", "flat", 1),
        ("thead", "spans", 1),
        ("bold", "spans", 1),
    ]
    for how, kind, count in plan:
        style = _style(rng, half, rng.choice(["grid", "none"]), head=how)
        contents = [maker.content(kind) for _ in range(count)]
        path = maker.path(f"hand-{how}-{kind}", ".html")
        write_html(path, contents, style)
        maker.add(path, style, "by hand", *contents)
    for kind, write, suffix in (
        ("flat", write_docx, ".docx"),
        ("spans", write_docx, ".docx"),
        ("flat", write_xlsx, ".xlsx"),
    ):
        style = _style(rng, half, "grid")
        content = maker.content(kind)
        path = maker.path(f"office-{kind}", suffix)
        write(path, [content], style)
        maker.later(path, "html", style, content)


def _convert(maker: _Maker) -> None:
    """Have LibreOffice write what waits for it: one start for each kind of document, for it starts slowly."""
    program = shutil.which("soffice")
    for target, paths in sorted(maker.waiting.items()):
        for group in (True, False):  # pages of HTML need to be told that they are texts
            of_group = [path for path in paths if (path.suffix == ".html") == group]
            if not of_group or not program:
                continue
            profile = (maker.folder / "profile").resolve().as_uri()
            command = [program, f"-env:UserInstallation={profile}", "--headless"]
            command += ["--infilter=HTML (StarWriter)"] if group else []
            form = "docx:MS Word 2007 XML" if target == "docx" else target
            command += ["--convert-to", form, "--outdir", str(maker.folder), *map(str, of_group)]
            subprocess.run(command, check=True, capture_output=True, timeout=SECONDS_TO_CONVERT)
    for paths in maker.waiting.values():
        for path in paths:
            path.unlink()


# -- documents without tables ------------------------------------------------------------------------------

_PROSE = {
    "development": "The river rises in the hills above the town and reaches the sea after ninety miles. Its upper course "
    "runs through a narrow valley of slate and oak, where mills once stood at every bend. Below the bridge it widens, and "
    "barges carried coal and timber as late as 1931. Since then the quays have been rebuilt as gardens. ",
    "report": "A good archive begins with a list. Whoever keeps letters should write down who sent them, when, and from "
    "where; the rest can wait. Paper lasts longest in the dark, at an even temperature, away from glue and metal. In 1874 "
    "a fire destroyed two thirds of the county's records, and what was saved had been kept in a cellar. ",
}
_HEADINGS = {
    "development": "Introduction|The upper valley|Mills and millers|The bridge of 1804|Coal and timber|Gardens on the quays|Sources",
    "report": "Preface|How to begin|Lists and catalogues|Paper, ink and light|The fire and what was saved|Copies|Index of names",
}


def _make_without_tables(maker: _Maker) -> list[Path]:
    """Two columns of prose, tables of contents, lists, letters and references: nothing in them is a table."""
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer

    prose, heads = _PROSE[maker.half], _HEADINGS[maker.half].split("|")
    font, size = ("Helvetica", 10.0) if maker.half == "development" else ("Times-Roman", 11.0)
    paths: list[Path] = []

    def canvas_page(name: str, draw: Callable[[Any], None]) -> None:
        paths.append(maker.folder / f"no-table-{name}.pdf")
        canvas = Canvas(str(paths[-1]), invariant=1)
        canvas.setFont(font, size)
        draw(canvas)
        canvas.save()

    def two_columns(canvas: Any, lines: int) -> None:
        for left in (56, 310):
            for at, text in enumerate(_wrapped(prose * 6, 46)[:lines]):
                canvas.drawString(left, 760 - at * 1.25 * size, text)

    def contents(canvas: Any, leader: str) -> None:
        canvas.drawString(60, 780, "Contents")
        for at, text in enumerate(heads):
            number = str(3 + at * 7)
            canvas.drawString(60, 750 - at * 16, text)
            canvas.drawRightString(500, 750 - at * 16, leader * 20 + " " + number if leader else number)

    def numbered(canvas: Any) -> None:
        for at, text in enumerate(_wrapped(prose * 2, 70)):
            if at % 2 == 0:
                canvas.drawString(60, 780 - at * 13, f"{at // 2 + 1}.")
            canvas.drawString(84, 780 - at * 13, text)

    def letter(canvas: Any) -> None:
        for at, text in enumerate(("12 Mill Lane", "Aldermoor AM3 4QT", "3 May 2024")):
            canvas.drawRightString(530, 780 - at * 13, text)
        for at, text in enumerate(_wrapped(prose * 2, 84)):
            canvas.drawString(60, 700 - at * 13, text)
        canvas.drawString(60, 480, "Yours sincerely")
        canvas.drawString(60, 440, "A. Reeve, chair")
        canvas.drawString(330, 440, "B. Holt, treasurer")

    def terms(canvas: Any) -> None:
        texts = _wrapped(prose * 2, 60)
        for at, text in enumerate(texts):
            if at % 3 == 0:
                canvas.drawString(60, 780 - at * 13, heads[at // 3 % len(heads)])
            canvas.drawString(180, 780 - at * 13, text)

    canvas_page("columns", lambda canvas: two_columns(canvas, 40))
    canvas_page("short-columns", lambda canvas: two_columns(canvas, 7))
    canvas_page("contents-dots", lambda canvas: contents(canvas, " ."))
    canvas_page("contents", lambda canvas: contents(canvas, ""))
    canvas_page("numbered", numbered)
    canvas_page("letter", letter)
    canvas_page("terms", terms)
    paths.append(maker.folder / "no-table-justified.pdf")
    justified = ParagraphStyle("justified", fontName=font, fontSize=size, leading=1.2 * size, alignment=4)
    document = SimpleDocTemplate(str(paths[-1]), invariant=1, leftMargin=200, rightMargin=200)
    document.build([piece for _ in range(4) for piece in (Paragraph(prose, justified), Spacer(1, 8))])
    return paths


def write_long(path: Path, pages: int = 100) -> None:
    """A report of many pages, prose with a table on every fourth: what reading speed is measured on."""
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

    prose = ParagraphStyle("prose", fontName="Times-Roman", fontSize=10, leading=12)
    rng = random.Random("long")
    rules = ("grid", "header", "booktabs", "none")
    pieces: list[Any] = []
    for page in range(pages):
        paragraphs = 8 if page % 4 else 5
        for _ in range(paragraphs):
            pieces += [Paragraph(_PROSE["report"] * 2, prose), Spacer(1, 6)]
        if page % 4 == 0:
            topic = FLAT["development"][page // 4 % 6]
            pieces += _flowables(
                _own_cells(topic(rng, 8)), Style(rules[page // 4 % 4], "Times-Roman", "Times-Bold", 9)
            )[2:]
        pieces.append(PageBreak())
    SimpleDocTemplate(str(path), invariant=1).build(pieces)
