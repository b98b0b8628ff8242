"""Tables without rules around their cells, found by the columns that words stand in.

Lines of a page come in; those whose words stand in common columns go out as rows of cells. Ruling lines, where there
are some, say where the header ends and which lines are one row. What only looks like a table from afar (two columns of
prose, a table of contents, a list) is left alone.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from veritab.corpus.documents.headers import is_name, is_numeric
from veritab.schema import Cell, Place


class Word(NamedTuple):
    """A word where it stands on its page, sizes in points."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float
    bold: bool = False


Line = Sequence[Word]
"""Words that stand beside each other, left to right."""


Interval = tuple[float, float]


class Rule(NamedTuple):
    """A horizontal ruling line, or the edge of a shaded band; `pieces` are what it was drawn in."""

    left: float
    right: float
    height: float
    pieces: tuple[Interval, ...] = ()


class Box(NamedTuple):
    """A rectangle on a page, in points from the top left."""

    left: float
    top: float
    right: float
    bottom: float


class AlignedTable(NamedTuple):
    """A table found among the lines of a page."""

    first: int
    """The line it begins with."""
    end: int
    """The line after its last."""
    rows: list[list[Cell]]
    heads: int
    """How many rows hold headers; 0 when only their content can tell."""
    boxes: dict[Place, Box]
    columns: list[Interval]


# In parts of a font's size. A space is about 0.28 wide, 0.6 in a font of fixed width, and up to 0.5 in justified prose.
_USUAL_SPACE = 0.28
_WIDEST_SPACE = 0.75
_WIDE_GAP, _SPACES_OF_GAP = 0.85, 1.75
_VALLEY, _SPACES_OF_VALLEY = 0.42, 1.45
_FARTHEST_STEP = 3.6
_FEWEST_LINES = 3
_MOST_HEAD_LINES = 4
_MOST_LINES = 400
_MOST_ACROSS = 4
_MOST_WORDS = 10_000
_LOOKED_AT = 10
_MANY_WORDS = 5.5
_LEADER = re.compile(r"(?:\s?[.·…_]){3,}")
_BULLET = re.compile(r"[•‣▪◦●■*\-\u2013\u2014\uf0b7\uf0a7\ufffd]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\]")
_SIGN = re.compile(r"[$€£¥%‰()*†‡]{1,2}|EUR|USD|GBP|CHF")
_RULED_WITH_DASHES = re.compile(r"[-=_\u2013\u2014]{2,}|[|+]")
_SECTION_NUMBER = re.compile(r"(?:(?:chapter|part|appendix) )?[\dA-ZIVX]{1,4}(?:\.\d{1,3})*\.?", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"\d{1,4}")
_CAPTION = re.compile(r"(?:table|figure|fig\.)\s", re.IGNORECASE)


def find_aligned(lines: Sequence[Line], rules: Sequence[Rule]) -> tuple[list[AlignedTable], list[int]]:
    """The tables among lines in reading order, and the lines that look like some of a table but were not read so."""
    space = _space(lines)
    typed = {at for at, line in enumerate(lines) if all(_RULED_WITH_DASHES.fullmatch(word.text) for word in line)}
    chunks = [
        _chunks(line, max(_WIDE_GAP, _SPACES_OF_GAP * space)) if at not in typed else []
        for at, line in enumerate(lines)
    ]
    found: list[AlignedTable] = []
    doubtful: list[int] = []
    at = 0
    while at < len(lines):
        end = _run_end(lines, chunks, typed, at)
        if end - at < 2:
            at += 1
            continue
        run = _Run(lines, chunks, typed, rules, max(_VALLEY, _SPACES_OF_VALLEY * space))
        table = run.table(found[-1].end if found else 0, at, end)
        if table:
            found.append(table)
            at = table.end
        else:
            tabular = [line for line in range(at, end) if len(chunks[line]) > 1]
            doubts = run.looks_tabular(tabular) if run.is_doubtful is None else run.is_doubtful
            if doubts and len(tabular) >= _FEWEST_LINES:
                doubtful += tabular
            at = end
    return found, doubtful


def _space(lines: Iterable[Line]) -> float:
    """How wide a space is on this page."""
    gaps = [(b.left - a.right) / a.size for line in lines for a, b in pairwise(line) if a.size]
    small = [gap for gap in gaps if 0.1 < gap < _WIDEST_SPACE]
    return median(small) if len(small) > 4 else _USUAL_SPACE


def _chunks(line: Line, gap: float) -> list[list[Word]]:
    """The words of a line, parted where a wide gap is."""
    parts: list[list[Word]] = []
    for word in line:
        if parts and word.left - parts[-1][-1].right < gap * word.size:
            parts[-1].append(word)
        else:
            parts.append([word])
    return parts


def _run_end(lines: Sequence[Line], chunks: Sequence[Sequence[object]], typed: set[int], start: int) -> int:
    """The line after the last one that may belong to a table which begins with this line."""
    if len(chunks[start]) < 2:
        return start
    end = start + 1
    steps: list[float] = []
    for at in range(start + 1, min(len(lines), start + _MOST_LINES)):
        step = _top(lines[at]) - _top(lines[at - 1])
        size = lines[at][0].size
        if (
            step <= 0
            or step > _FARTHEST_STEP * size
            or (len(steps) > 1 and step > 2.2 * max(median(steps), 1.1 * size))
        ):
            break
        if len(chunks[at]) > 1 or at in typed:
            end = at + 1
        elif at - end >= 3:
            break
        steps.append(step)
    return end


def _top(line: Line) -> float:
    return min(word.top for word in line)


def _bottom(line: Line) -> float:
    return max(word.bottom for word in line)


def _columns(lines: Iterable[Line], valley: float) -> list[Interval]:
    """The ranges of a page's width that words stand in, where wide enough valleys part them."""
    merged: list[list[float]] = []
    for word in sorted((word for line in lines for word in line), key=lambda word: word.left):
        if merged and word.left - merged[-1][1] < valley * word.size:
            merged[-1][1] = max(merged[-1][1], word.right)
        else:
            merged.append([word.left, word.right])
    return [(left, right) for left, right in merged]


def _overlapped(left: float, right: float, columns: Sequence[Interval]) -> range:
    """The columns that something between these two points stands over."""
    first = bisect(columns, (left, float("inf")))
    first -= first > 0 and columns[first - 1][1] > left
    return range(first, max(bisect_left(columns, (right, 0.0)), first))


def _column_of(word: Word, columns: Sequence[Interval], bounds: Sequence[float] = ()) -> int:
    """The column a word overlaps most; where it overlaps none, the one between the bounds it stands in."""
    over = _overlapped(word.left, word.right, columns)
    if not over and bounds:
        return bisect(bounds, (word.left + word.right) / 2)
    near = over or range(max(over.start - 1, 0), min(over.start + 1, len(columns)))
    return max(near, key=lambda at: min(word.right, columns[at][1]) - max(word.left, columns[at][0]))


class _Run:
    """Looks for one table in lines that may hold one."""

    def __init__(
        self,
        lines: Sequence[Line],
        chunks: Sequence[Sequence[Sequence[Word]]],
        typed: set[int],
        rules: Sequence[Rule],
        valley: float,
    ) -> None:
        self._lines = lines
        self._chunks = chunks
        self._typed = typed
        self._rules = rules
        self._heights = [rule.height for rule in rules]
        self._valley = valley
        self._bounds: list[float] = []
        self._repeated: dict[float, range] = {}
        self.is_doubtful: bool | None = None
        """Whether lines stood in several columns, but not as rows of a table do; None where their words must tell."""

    def table(self, after: int, start: int, end: int) -> AlignedTable | None:
        """The table in a run of lines; it may reach a few lines further on both sides."""
        numbers = [at for at in range(start, end) if at not in self._typed]
        tabular = [at for at in numbers if len(self._chunks[at]) > 1]
        if sum(len(self._lines[at]) for at in numbers) > _MOST_WORDS:
            self.is_doubtful = True
            return None
        columns, across = self._common_columns(tabular)
        if len(columns) < 2:
            return None
        fitting = [at for at in numbers if at in across or self._fits(at, columns)]
        # What fits no column at the end of a run is text that follows.
        kept = [at for at in fitting if at <= max(at for at in tabular if at not in across)]
        if not kept or kept != [at for at in numbers if kept[0] <= at <= kept[-1]]:
            kept = self._longest(numbers, set(fitting), tabular)
        if not kept:
            return None
        kept = self._with_tail(self._with_head(kept, columns, after), columns)
        columns = self._split_at_seams(kept, columns, across)
        columns = self._without_false_columns(kept, columns, across)
        if len(columns) < 2 or not self._holds_a_table(kept, columns):
            return None
        self._bounds = self._between([at for at in kept if at not in across], columns)
        return self._laid_out(kept, columns)

    def looks_tabular(self, tabular: Sequence[int]) -> bool:
        """Whether lines hold numbers beside each other, as prose hardly does."""
        rich = [at for at in tabular if sum(_is_number_text(chunk) for chunk in self._chunks[at]) >= 2]
        return 2 * len(rich) > len(tabular)

    # -- columns --

    def _common_columns(self, tabular: Sequence[int]) -> tuple[list[Interval], set[int]]:
        """The columns of most lines, and the few lines that hold something across them."""
        left = list(tabular)
        across: set[int] = set()
        columns = _columns((self._lines[at] for at in left), self._valley)
        for _ in range(min(1 + len(tabular) // 5, _MOST_ACROSS)):
            best, gained = -1, columns
            for at in self._alone_in_valleys(left)[:_LOOKED_AT]:
                without = _columns((self._lines[other] for other in left if other != at), self._valley)
                if len(without) > len(gained):
                    best, gained = at, without
            # With three lines left columns come about by chance, unless the first holds names over several columns.
            if best < 0 or len(left) < _FEWEST_LINES or (len(left) == _FEWEST_LINES and best != left[0]):
                break
            left.remove(best)
            across.add(best)
            columns = gained
        return columns, across

    def _alone_in_valleys(self, lines: Sequence[int]) -> list[int]:
        """The lines that stand alone over some part of the width: only without them columns may come apart there."""
        most = median(len(self._chunks[at]) for at in lines)
        edges: list[tuple[float, int, int]] = []
        for at in lines:
            for start, end in _columns([self._lines[at]], self._valley):
                edges += [(start, 1, at), (end, 0, at)]
        edges.sort()
        alone: set[int] = set()
        active: set[int] = set()
        for (here, opens, at), (there, _, _) in pairwise(edges):
            (active.add if opens else active.discard)(at)
            if len(active) == 1 and there > here:
                alone |= active
        return [at for at in lines if at in alone and (len(self._chunks[at]) <= most or at == lines[0])]

    def _fits(self, at: int, columns: Sequence[Interval]) -> bool:
        """Whether every part of a line stands in one column."""
        for chunk in self._chunks[at]:
            over = _overlapped(chunk[0].left, chunk[-1].right, columns)
            if len(over) > 1 and len(_columns([chunk], self._valley)) < len(over):
                return False
        return True

    def _longest(self, numbers: Sequence[int], fitting: set[int], tabular: Sequence[int]) -> list[int]:
        best: list[int] = []
        run: list[int] = []
        for at in [*numbers, -1]:
            if at in fitting:
                run.append(at)
                continue
            while run and run[-1] not in tabular:
                run.pop()
            best = max(best, run, key=len)
            run = []
        while best and best[0] not in tabular:
            best.pop(0)
        return best

    def _without_false_columns(self, kept: Sequence[int], columns: list[Interval], across: set[int]) -> list[Interval]:
        """Join columns that only parts of one column's texts stand in: a header beside its numbers, a currency sign."""
        filled: list[set[int]] = [set() for _ in columns]
        texts: list[list[str]] = [[] for _ in columns]
        for at in kept:
            if at not in across:
                for word in self._lines[at]:
                    column = _column_of(word, columns)
                    filled[column].add(at)
                    texts[column].append(word.text)
        joined = [list(columns[0])]
        members = [[0]]
        for column in range(1, len(columns)):
            before = members[-1]
            one, other = {line for at in before for line in filled[at]}, filled[column]
            signs = [
                all(_SIGN.fullmatch(text) for text in texts[at]) and bool(texts[at]) for at in (before[-1], column)
            ]
            # A title over one half of a column: the header stands in lines where nothing else of the column does.
            fewer, more = sorted((one, other), key=len)
            apart = not one & other and len(fewer) <= 2 and 3 * len(fewer) <= len(more)
            head_only = not fewer or (apart and max(fewer) <= min(more))
            if (
                head_only
                or (signs[0] and len(one & other) * 2 > len(one))
                or (signs[1] and texts[column][0] in "%)‰*†‡")
            ):
                joined[-1][1] = columns[column][1]
                members[-1].append(column)
            else:
                joined.append(list(columns[column]))
                members.append([column])
        return [(left, right) for left, right in joined]

    def _split_at_seams(self, kept: Sequence[int], columns: Sequence[Interval], across: set[int]) -> list[Interval]:
        """Part numbers that end at one point from texts that begin right behind it: spreadsheets print no gap there."""
        starts = [chunk[0].left for at in kept[:2] for chunk in self._chunks[at]]
        lines = [self._parts(self._lines[at], columns) for at in kept if at not in across]
        # Names at the left of their cells above numbers at the right: each name stands right behind the number before.
        shifted = [_name_behind(lines, column) for column in range(len(columns))]
        split: list[Interval] = []
        for column, (left, right) in enumerate(columns):
            seam = _seam([line[column] for line in lines if line[column]], starts)
            if sum(map(bool, shifted)) > 1:
                seam = seam or shifted[column]
            split += [(left, seam[0]), (seam[1], right)] if seam else [(left, right)]
        return split

    def _between(self, lines: Sequence[int], columns: Sequence[Interval]) -> list[float]:
        """Where each column ends: at its numbers' common right, at the next one's common left, or else halfway."""
        parts = [self._parts(self._lines[at], columns) for at in lines]
        bounds: list[float] = []
        for column, ((_, right), (left, _)) in enumerate(pairwise(columns)):
            middle = (left + right) / 2
            before, behind = (_leaning([line[at] for line in parts if line[at]]) for at in (column, column + 1))
            if before > 0 and behind >= 0:
                bounds.append(min(right + 1, middle))
            else:
                bounds.append(max(left - 1, middle) if before <= 0 and behind < 0 else middle)
        return bounds

    # -- which lines --

    def _with_head(self, kept: list[int], columns: Sequence[Interval], after: int) -> list[int]:
        """Add lines above that name columns, as the first lines of tall headers do."""
        while kept[0] > after and len(kept) - 1 < _MOST_LINES:
            at = kept[0] - 1
            if at in self._typed:
                break
            line, below = self._lines[at], self._lines[kept[0]]
            near = 0 < _top(below) - _top(line) <= max(1.7 * line[0].size, 1.1 * self._step(kept))
            near = near and abs(line[0].size - below[0].size) < 0.1 * below[0].size
            text = " ".join(word.text for word in line)
            inside = line[0].left > columns[0][1] and line[-1].right <= columns[-1][1] + 2 * line[0].size
            if (
                not near
                or not inside
                or _CAPTION.match(text)
                or text.endswith((".", ":"))
                or self._ruled(at, kept[0], columns)
            ):
                break
            if len(self._chunks[at]) == 1 and len(text.split()) > 6:
                break
            kept = [at, *kept]
        return kept

    def _with_tail(self, kept: list[int], columns: Sequence[Interval]) -> list[int]:
        """Add lines below that only end what wraps in the last row."""
        gaps = [_top(self._lines[b]) - _bottom(self._lines[a]) for a, b in pairwise(kept) if len(self._chunks[b]) > 1]
        for at in range(kept[-1] + 1, min(kept[-1] + 4, len(self._lines))):
            line, above = self._lines[at], self._lines[kept[-1]]
            gap = _top(line) - _bottom(above)
            near = gap < min(0.45 * line[0].size, max(gaps, default=0.0) - 0.1 * line[0].size)
            wraps = gap < 0.45 * line[0].size and self._wraps(
                self._parts(line, columns), self._parts(above, columns), columns
            )
            beside = _top(line) > _top(above) and (near or wraps)
            if at in self._typed or not beside or not self._fits(at, columns) or self._ruled(kept[-1], at, columns):
                break
            kept = [*kept, at]
        return kept

    def _step(self, kept: Sequence[int]) -> float:
        steps = [_top(self._lines[b]) - _top(self._lines[a]) for a, b in pairwise(kept)]
        return median(steps) if steps else 0.0

    def _ruled(self, above: int, below: int, columns: Sequence[Interval]) -> bool:
        """Whether a rule over most of the columns, or a typed one, parts two lines."""
        if any(at in self._typed for at in range(above + 1, below)):
            return True
        high = (_top(self._lines[above]) + _bottom(self._lines[above])) / 2
        low = (_top(self._lines[below]) + _bottom(self._lines[below])) / 2
        left, right = columns[0][0], columns[-1][1]
        return any(
            min(rule.right, right) - max(rule.left, left) > 0.7 * (right - left)
            for rule in self._rules[bisect(self._heights, high) : bisect_left(self._heights, low)]
        )

    # -- whether it is a table --

    def _holds_a_table(self, kept: Sequence[int], columns: Sequence[Interval]) -> bool:
        parts = [self._parts(self._lines[at], columns) for at in kept]
        lines = [[_text(part) for part in line] for line in parts]
        ruled = any(self._ruled(a, b, columns) for a, b in pairwise(kept))
        several = [line for line in lines if sum(map(bool, line)) > 1]
        if len(several) < (2 if ruled else _FEWEST_LINES):
            return False
        if not ruled and _is_contents(several):
            self.is_doubtful = False
            return False
        filled = [[line[at] for line in lines if line[at]] for at in range(len(columns))]
        if len(columns) == 2:
            return self._pairs_are_rows(filled, several, ruled)
        words = [len(text.split()) for column in filled for text in column]
        sides = sum(_share_a_side([line[at] for line in parts if line[at]]) for at in range(len(columns)))
        holds = 3 * sides >= len(columns) and 3 * len(words) >= len(lines) * len(columns)
        self.is_doubtful = not (holds and sum(words) <= _MANY_WORDS * len(words))
        return not self.is_doubtful

    def _pairs_are_rows(self, filled: Sequence[Sequence[str]], several: Sequence[Sequence[str]], ruled: bool) -> bool:
        """Whether lines of two columns are rows: not items with their bullets, not headings with their page numbers,
        not two columns of prose, not terms with what they mean."""
        first, second = filled
        if not first or not second or all(_BULLET.fullmatch(text) for text in first):
            return False
        long = [sum(len(text.split()) for text in texts) / len(texts) for texts in filled]
        numeric = [sum(map(is_numeric, texts)) / len(texts) for texts in filled]
        if max(long) > _MANY_WORDS and not ruled:
            return False
        return ruled or max(numeric) > 0.5 or (max(long) <= 3.5 and len(several) >= 4)

    # -- rows and cells --

    def _parts(self, words: Line, columns: Sequence[Interval]) -> list[list[Word]]:
        """What of some words stands in each column."""
        parts: list[list[Word]] = [[] for _ in columns]
        for word in words:
            parts[_column_of(word, columns, self._bounds)].append(word)
        return parts

    def _laid_out(self, kept: Sequence[int], columns: list[Interval]) -> AlignedTable:
        lines = [[list(part) for part in self._parts(self._lines[at], columns)] for at in kept]
        head_lines = self._head_lines(kept, columns, lines)
        self._repeated = self._over_repeated(kept[:head_lines], columns)
        groups = self._head_groups(kept[:head_lines], columns)
        heads = len(groups)
        body = self._body_groups(kept[head_lines:], columns, lines[head_lines:])
        rows: list[list[Cell]] = []
        boxes: dict[Place, Box] = {}
        for group in groups:
            self._add_head(len(groups) == 1, group, columns, rows, boxes)
        for group in body:
            cells: list[Cell] = []
            for column in range(len(columns)):
                pieces = [lines[kept.index(at)][column] for at in group]
                words = [word for piece in pieces for word in piece]
                if words:
                    boxes[len(rows), len(cells)] = _box(words)
                cells.append(Cell("\n".join(_text(piece) for piece in pieces if piece)))
            rows.append(cells)
        _reach_down(rows[:heads], boxes)
        return AlignedTable(kept[0], kept[-1] + 1, rows, heads, boxes, columns)

    def _head_lines(
        self, kept: Sequence[int], columns: Sequence[Interval], lines: Sequence[Sequence[Sequence[Word]]]
    ) -> int:
        """How many lines stand above the first rule; without one, how many look unlike those below."""
        ruled = [
            count
            for count in range(1, min(len(kept), _MOST_HEAD_LINES + 1))
            if self._ruled(kept[count - 1], kept[count], columns)
        ]
        if ruled and self._heads_by_rule(ruled[0], kept, lines):
            return ruled[0]
        bold = [all(word.bold for part in line for word in part) for line in lines[: _MOST_HEAD_LINES + 1]]
        bold_lines = bold.index(False) if False in bold else 0
        # Lines without a number, above lines that have some in half of their columns.
        numeric = [sum(is_numeric(_text(part)) for part in line if part) for line in lines]
        mostly = [2 * count >= sum(map(bool, line)) - 1 for count, line in zip(numeric, lines, strict=True)]
        if bold_lines or 2 * sum(mostly) < len(lines):
            return bold_lines
        named = [all(is_name(_text(part)) for part in line if part) for line in lines]
        count = 0
        while count < min(len(lines) - 1, _MOST_HEAD_LINES) and named[count] and numeric[count] < max(numeric):
            count += 1
        while count > 1 and lines[count - 1][0] and sum(map(bool, lines[count - 1])) == 1:
            count -= 1  # a label above a group of rows
        return count

    def _heads_by_rule(self, count: int, kept: Sequence[int], lines: Sequence[Sequence[Sequence[Word]]]) -> bool:
        """Whether the lines above a rule name columns: they are no rows of values, nor rows like those below it."""
        texts = [[_text(part) for part in line if part] for line in lines[:count]]
        if any(2 * sum(map(is_name, line)) <= len(line) for line in texts):
            return False
        full = [at for at in range(count) if all(lines[at])]
        gaps = [_top(self._lines[b]) - _bottom(self._lines[a]) for a, b in pairwise(kept)]
        return len(full) < 2 or min(gaps[full[0] : full[-1]]) < 0.85 * min(gaps[count:], default=0.0)

    def _head_groups(self, head: Sequence[int], columns: Sequence[Interval]) -> list[list[int]]:
        """The lines of each header row: names over several columns make a row, wrapped names do not."""
        groups: list[list[int]] = []
        for at in head:
            if groups and not any(
                len(self._over(chunk, columns)) > 1 for line in groups[-1] for chunk in self._chunks[line]
            ):
                groups[-1].append(at)
            else:
                groups.append([at])
        return groups

    def _over_repeated(self, head: Sequence[int], columns: Sequence[Interval]) -> dict[float, range]:
        """What names cover above columns whose own names repeat ("Plan, Actual, Plan, Actual"), by their left."""
        for upper, lower in pairwise(head):
            parts = self._parts(self._lines[lower], columns)
            filled = [column for column, part in enumerate(parts) if part]
            texts = [_text(parts[column]) for column in filled]
            inside = [
                chunk
                for chunk in self._chunks[upper]
                if columns[filled[0]][0] <= (chunk[0].left + chunk[-1].right) / 2 <= columns[filled[-1]][1]
            ]
            width = len(texts) // max(len(inside), 1)
            unbroken = filled == list(range(filled[0], filled[-1] + 1))
            if unbroken and len(inside) > 1 and width > 1 and texts == texts[:width] * len(inside):
                starts = range(filled[0], filled[-1] + 1, width)
                return {c[0].left: range(at, at + width) for c, at in zip(inside, starts, strict=True)}
        return {}

    def _over(self, chunk: Sequence[Word], columns: Sequence[Interval]) -> range:
        """The columns that a name in a header stands over."""
        left, right = chunk[0].left, chunk[-1].right
        if left in self._repeated:
            return self._repeated[left]
        over = _overlapped(left, right, columns)
        height = max(word.bottom for word in chunk)
        deepest = height + 0.9 * chunk[0].size
        below = self._rules[bisect_left(self._heights, height) : bisect(self._heights, deepest)]
        for start, end in sorted(
            (piece for rule in below for piece in rule.pieces), key=lambda piece: piece[1] - piece[0]
        ):
            ruled = [at for at, column in enumerate(columns) if start < (column[0] + column[1]) / 2 < end]
            if start <= left + 1 and end >= right - 1 and 1 < len(ruled) < len(columns) - 1:
                return range(ruled[0], ruled[-1] + 1)  # a short rule below tells exactly
        if not over:  # between two columns: over both, or beside the numbers of one
            after = next((at for at, column in enumerate(columns) if column[0] >= right), len(columns) - 1)
            middle = (columns[max(after - 1, 0)][0] + columns[after][1]) / 2
            if after > 1 and abs((left + right) / 2 - middle) < chunk[0].size:
                return range(after - 1, after + 1)
            own = _column_of(chunk[len(chunk) // 2], columns, self._bounds)
            return range(own, own + 1)
        if len(over) == 1 and not _aligned(left, right, columns[over[0]]):
            at = over[0]
            center = (left + right) / 2
            for pair in (range(at - 1, at + 1), range(at, at + 2)):
                if pair.start >= 0 and pair.stop <= len(columns):
                    middle = (columns[pair.start][0] + columns[pair.stop - 1][1]) / 2
                    if pair.start > 0 and abs(middle - center) < 0.6 * chunk[0].size:
                        return pair
        return range(over[0], over[-1] + 1)

    def _add_head(
        self,
        single: bool,
        group: Sequence[int],
        columns: Sequence[Interval],
        rows: list[list[Cell]],
        boxes: dict[Place, Box],
    ) -> None:
        """Add a header row; where it is the `single` one, no name stands over several columns."""
        held: dict[range, list[list[Word]]] = {}
        for at in group:
            for chunk in self._chunks[at]:
                over = self._over(chunk, columns)
                if len(over) > 1 and (single or len(_columns([chunk], self._valley)) > 1):
                    for column, part in enumerate(self._parts(chunk, columns)):
                        if part:
                            held.setdefault(range(column, column + 1), []).append(part)
                else:
                    held.setdefault(over, []).append(list(chunk))
        cells: list[Cell] = []
        column = 0
        for over in sorted(held, key=lambda over: over.start):
            if over.start < column:  # beside one that reaches further: part of it
                over_text = "\n".join(_text(part) for part in held[over])
                cells[-1] = cells[-1]._replace(text=f"{cells[-1].text} {over_text}".strip())
                continue
            cells += [Cell("", header=True)] * (over.start - column)
            words = [word for part in held[over] for word in part]
            boxes[len(rows), len(cells)] = _box(words)
            cells.append(Cell("\n".join(map(_text, held[over])), header=True, column_span=len(over)))
            column = over.stop
        cells += [Cell("", header=True)] * (len(columns) - column)
        rows.append(cells)

    def _body_groups(
        self, kept: Sequence[int], columns: Sequence[Interval], lines: Sequence[Sequence[Sequence[Word]]]
    ) -> list[list[int]]:
        """The lines of each row: what wraps in a cell stands nearer, or below a line that was full."""
        parts = dict(zip(kept, lines, strict=True))
        bands: list[list[int]] = []  # lines beside each other: a text of two lines, its number between them
        for at in kept:
            size = self._lines[at][0].size
            if bands and _top(self._lines[at]) < max(_bottom(self._lines[other]) for other in bands[-1]) - 0.2 * size:
                bands[-1].append(at)
            else:
                bands.append([at])
        full = [
            2 * sum(any(parts[at][column] for at in band) for column in range(len(columns))) > len(columns)
            for band in bands
        ]
        gaps = [_top(self._lines[below[0]]) - _bottom(self._lines[above[-1]]) for above, below in pairwise(bands)]
        # Two full bands one after the other are two rows; where there are none, gaps between rows are clearly wider.
        between = [gap for gap, above, below in zip(gaps, full, full[1:], strict=False) if above and below]
        row_gap = min(between) if between else max(gaps, default=0.0)
        # Where nothing stands nearer than rows do, only the words can tell.
        alike = len(bands) == len(kept) and all(gap > row_gap - 0.1 * self._lines[kept[0]][0].size for gap in gaps)
        groups: list[list[int]] = []
        numbers: set[int] = set()
        for position, band in enumerate(bands):
            own = {column for at in band for column, part in enumerate(parts[at]) if is_numeric(_text(part))}
            if position and not own & numbers and not self._ruled(bands[position - 1][-1], band[0], columns):
                gap, above, below = gaps[position - 1], bands[position - 1][-1], band[0]
                size = self._lines[below][0].size
                near = gap < min(row_gap - 0.1 * size, 0.5 * size)
                if not near and alike and len(band) == 1 and gap <= min(row_gap + 0.1 * size, 0.5 * size):
                    near = self._wraps(parts[below], parts[above], columns)
                if near:
                    groups[-1] += band
                    numbers |= own
                    continue
            groups.append(list(band))
            numbers = own
        return groups

    def _wraps(
        self, line: Sequence[Sequence[Word]], above: Sequence[Sequence[Word]], columns: Sequence[Interval]
    ) -> bool:
        """Whether each part of a line goes on with a text above that had no room left."""
        parts = [(at, part) for at, part in enumerate(line) if part]
        if 2 * len(parts) > len(columns) or any(is_numeric(_text(part)) for _, part in parts):
            return False
        for at, part in parts:
            if not above[at]:
                return False
            room = columns[at][1] - above[at][-1].right
            if part[0].right - part[0].left + 0.2 * part[0].size <= room and not part[0].text[:1].islower():
                return False
        return True


def _is_contents(lines: Sequence[Sequence[str]]) -> bool:
    """Whether lines of headings end in numbers that grow, without a name for them: a table of contents."""
    filled = [[text for text in line if text] for line in lines]
    ends = [_LEADER.sub(" ", line[-1]).split()[-1:] for line in filled]
    numbers = [int(end[0]) for end in ends if end and _PLAIN_NUMBER.fullmatch(end[0])]
    named = ends[0] and ends[0][0].casefold() in ("page", "pages")
    grow = numbers == sorted(numbers) and 2 * len(set(numbers)) > len(numbers) > 2
    parted = all(len(line) < 3 or _SECTION_NUMBER.fullmatch(line[0]) or _LEADER.search(line[-2]) for line in filled)
    return grow and parted and len(numbers) >= len(lines) - bool(named)


def _share_a_side(parts: Sequence[Sequence[Word]]) -> bool:
    """Whether most texts of a column have one left, one right or one middle."""
    sides = ([p[0].left for p in parts], [p[-1].right for p in parts], [(p[0].left + p[-1].right) / 2 for p in parts])
    return any(
        2 * max(sum(abs(a - b) < 2 for b in side) for a in side[:_LOOKED_AT]) > len(side) for side in sides if side
    )


def _name_behind(lines: Sequence[Sequence[Sequence[Word]]], column: int) -> Interval | None:
    """Where the numbers of a column end and the first line's name begins, when it stands behind all of them."""
    head, body = lines[0][column], [line[column] for line in lines[1:] if line[column]]
    end = max((part[-1].right for part in body), default=float("inf"))
    return (end, head[0].left) if head and end < head[0].left else None


def _leaning(parts: Sequence[Sequence[Word]]) -> int:
    """Above 0 when more texts of a column end at one point than begin at one, below when fewer do."""
    right, left = max(part[-1].right for part in parts), min(part[0].left for part in parts)
    return sum(right - part[-1].right < 1 for part in parts) - sum(part[0].left - left < 1 for part in parts)


def _seam(parts: Sequence[Sequence[Word]], starts: Sequence[float]) -> Interval | None:
    """Where numbers end in most lines of a column, and other words begin: the numbers are of different lengths, or one
    of the first lines has something that `starts` there too."""
    pairs = [(a, b) for part in parts for a, b in pairwise(part) if is_numeric(a.text)]
    for first, second in pairs[:_FEWEST_LINES]:
        alike = [(a, b) for a, b in pairs if abs(a.right - first.right) < 1 and abs(b.left - second.left) < 1]
        lefts = [a.left for a, _ in alike]
        crossing = [part for part in parts if any(w.left < first.right - 1 and w.right > second.left + 1 for w in part)]
        if crossing or all(is_numeric(b.text) for _, b in alike):  # thousands that a space parts
            continue
        differ = max(lefts) - min(lefts) > 0.4 * first.size and len(alike) >= max(_FEWEST_LINES, 0.7 * len(parts))
        if differ or (len(alike) > 1 and any(abs(start - second.left) < 1 for start in starts)):
            return first.right, second.left
    return None


def _aligned(left: float, right: float, column: Interval) -> bool:
    """Whether a name stands at a column's left, right or middle."""
    size = 3.0
    return (
        abs(left - column[0]) < size
        or abs(right - column[1]) < size
        or abs((left + right - column[0] - column[1]) / 2) < size
        or (left <= column[0] + size and right >= column[1] - size)
    )


def _reach_down(head: list[list[Cell]], boxes: dict[Place, Box]) -> None:
    """In a header of two rows, a name that stands in only one of them belongs to both."""
    if len(head) != 2:
        return
    upper, lower = head
    starts = {}
    column = 0
    for position, cell in enumerate(upper):
        starts[column] = position
        column += cell.column_span
    for column, below in enumerate(lower):
        at = starts.get(column)
        if at is None or upper[at].column_span > 1 or bool(upper[at].text) == bool(below.text):
            continue
        upper[at] = upper[at]._replace(text=upper[at].text or below.text, row_span=2)
        if below.text:
            boxes[0, at] = boxes.pop((1, column))
    dropped = [
        column for column in range(len(lower)) if (at := starts.get(column)) is not None and upper[at].row_span == 2
    ]
    kept = [column for column in range(len(lower)) if column not in dropped]
    moved = {(1, new): boxes[1, old] for new, old in enumerate(kept) if (1, old) in boxes}
    for column in range(len(lower)):
        boxes.pop((1, column), None)
    boxes.update(moved)
    lower[:] = [lower[column] for column in kept]


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _is_number_text(words: Sequence[Word]) -> bool:
    return is_numeric(_text(words))


def _box(words: Sequence[Word]) -> Box:
    return Box(
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
    )
