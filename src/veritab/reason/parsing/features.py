"""Features of candidate programs: how much of the claim they cover, and in which words.

`program_features` rank the candidates and do not see their truth; `truth_features` say how far the truth of a
candidate is evidence for the truth of the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from veritab.lexicon.attributes import RANK_HEADER_STEMS
from veritab.lexicon.comparison import direction, is_comparative, is_superlative
from veritab.lexicon.cues import ORDER_CUES
from veritab.quantities import Date, Quantity, dimension
from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.parsing.coverage import Coverage
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.programs.programs import Some, Top
from veritab.reason.tables import Column, ColumnType
from veritab.reason.templates.grounding import ProgramCandidate
from veritab.text import Span, stems

Features = Mapping[str, float]

_MAX_START = 200

_RANKS_AND_COUNTERS = RANK_HEADER_STEMS | frozenset("finish no round week game".split())


class FeatureExtractor:
    """Extracts the features of the candidates of one claim and table.

    `is_prose` tells edited prose from notes without capitals: prose is more exact, so that its features have weights of
    their own.
    """

    def __init__(self, links: EntityLinks) -> None:
        self.links = links
        self.claim = links.claim
        self.table = links.table
        self.coverage = Coverage(links)
        self._ordering = [
            stem for stem in dict.fromkeys(self.claim.stems) if stem in ORDER_CUES or stem.endswith(("est", "er"))
        ]
        self.is_prose = any(map(str.isupper, self.claim.text[:_MAX_START]))
        self._named_elsewhere: dict[Span, dict[int, float]] = {}
        self._best = {slot.span: slot.conditions[0].likelihood for slot in links.slots if slot.conditions}

    def unexplained(self, candidate: ProgramCandidate) -> int:
        """How many words that name something a program leaves unexplained."""
        return self.coverage.unexplained(candidate)

    # -- which program is meant

    def program_features(self, candidate: ProgramCandidate) -> dict[str, float]:
        """The features by which candidates are ranked."""
        template = candidate.template.removeprefix("not ")
        found = {template: 1.0}
        for cue in self.links.cues:
            found[f"{template}|{cue}"] = 1.0
        found.update(self._negation_features(candidate))
        left = self.coverage.uncovered(candidate)
        for name, value in zip(("left", "left numbers", "left full"), left, strict=True):
            found[name] = value
            found[f"{template}|{name}"] = value
        if left == (0.0, 0.0, 0.0):
            found["nothing left"] = 1.0
            found[f"{template}|nothing left"] = 1.0
        if left.numbers and self.coverage.leaves_measure(candidate):
            found["left measured"] = 1.0
        found.update(self._condition_features(candidate))
        for name in (
            *self._column_features(candidate),
            *self._number_features(candidate),
            *self._order_features(candidate),
        ):
            found[name] = 1.0
        for name in self._change_features(candidate):
            found[name] = 1.0
        return found

    def _negation_features(self, candidate: ProgramCandidate) -> Iterator[tuple[str, float]]:
        """Whether a negated claim is parsed as a negated program."""
        for cue in ("not", "none", "no than"):
            if cue in self.links.cues:
                denies = candidate.template.startswith("not ")
                yield f"{'denied' if denies else 'none' if candidate.template == 'no' else 'affirmed'}|{cue}", 1.0

    def _condition_features(self, candidate: ProgramCandidate) -> Iterator[tuple[str, float]]:
        conditions, template = candidate.conditions, candidate.template.removeprefix("not ")
        yield f"{template}|{min(len(conditions), 5)} conditions", 1.0
        if not conditions:
            return
        yield "weight", sum(condition.weight for condition in conditions) / len(conditions)
        yield "least weight", min(condition.weight for condition in conditions)
        gap = sum(self._best.get(c.span, 0.0) - c.likelihood for c in conditions if c.span in self._best)
        yield "second choices", gap
        far = sum(not isinstance(c.term, str) and c.proximity < 0.05 and not c.measured for c in conditions)
        yield "numbers far from their column", float(far)
        yield "said in the title", float(sum(self._is_from_title(c) for c in conditions))
        yield "sizes", float(sum(c.span in self.coverage.group_sizes for c in conditions))
        yield "measured", float(sum(c.measured for c in conditions))
        yield "nearness", sum(c.proximity for c in conditions) / len(conditions)
        yield "misnamed", sum(self.competing_proximity(c) for c in conditions)
        last = conditions[-1]
        yield f"{template}|target is key", float(last.column == self.table.key)
        yield f"{template}|target is number", float(not isinstance(last.term, str))
        yield f"{template} target last", float(last.span == max(c.span for c in conditions))
        yield f"{template}|limits", float(sum(c.is_limit for c in conditions))
        yield f"{template}|lists", float(sum(bool(c.others) for c in conditions))
        yield f"{template}|rows", float(any(not c.rows for c in conditions))

    def _is_from_title(self, condition: CellCondition) -> bool:
        """Whether a phrase may only repeat the title of the table."""
        said = self.claim.stems[slice(*condition.span)]
        return condition.weight < 0.99 and self.links.header_mentions.title_words.issuperset(said)

    def competing_proximity(self, condition: CellCondition) -> float:
        """How much closer to the phrase the claim names another column of text."""
        if not isinstance(condition.term, str) or condition.span in self._named_elsewhere:
            known = self._named_elsewhere.get(condition.span, {})
        else:
            kinds = (ColumnType.ENTITY, ColumnType.TEXT)
            known = {
                column.number: self.links.header_mentions.proximity(column.number, condition.span)
                for column in self.table.columns
                if column.type in kinds and column.number in self.links.mentions
            }
            self._named_elsewhere[condition.span] = known
        others = [near for column, near in known.items() if column != condition.column]
        return max(max(others, default=0.0) - condition.proximity, 0.0)

    def _column_features(self, candidate: ProgramCandidate) -> Iterator[str]:
        for column in candidate.columns:
            kind = self.kind(column)
            weight = self.links.header_mentions.weight(column)
            named = "named" if weight > 0.9 else "half named" if weight > 0.3 else "hinted" if weight > 0 else "unnamed"
            yield f"{candidate.template}|{named}"
            yield f"column {named}"
            if weight and weight >= max(mention.weight for mention in self.links.mentions.values()):
                yield f"{candidate.template}|best named"
                yield "column best named"
            yield f"{candidate.template}|{kind}"
            if candidate.detail:
                for cue in self.links.cues:
                    yield f"{candidate.detail}|{kind}|{cue}"
                for stem in self._ordering:
                    yield f"{candidate.detail}|{kind}|word {stem}"
            for stem in stems(self.table.columns[column].name)[-1:]:
                for word in dict.fromkeys(self.claim.stems):
                    yield f"head {stem}|{word}"
        if candidate.detail and not candidate.columns:
            for stem in self._ordering:
                yield f"{candidate.template}|{candidate.detail}|word {stem}"
        place = _place(candidate)
        if place:
            ordinal = len(self.claim.ordinals) > 1
            yield f"{candidate.template}|place {'named' if place > 1 else 'not named' if ordinal else 'first'}"

    def _change_features(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Whether a change has the direction of the claim: what is lost was more before."""
        if candidate.template.removeprefix("not ") != "column difference" or not self.links.cues & {"rise", "fall"}:
            return
        rises = "rise" in self.links.cues
        yield f"change {'agrees' if rises == (candidate.detail == 'above') else 'opposes'}"

    def _order_features(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Whether a program has the direction of the claim's words; words of its header have none."""
        up = {"high": 1, "above": 1, "last": 1, "low": -1, "below": -1, "first": -1}.get(candidate.detail, 0)
        if not up or candidate.template == "nth":
            return
        order = self.order(candidate.columns[0]) if candidate.columns else "number"
        superlative = candidate.template.removeprefix("not ") in ("top", "top value", "among top")
        mention = self.links.mentions.get(candidate.columns[0]) if candidate.columns else None
        directions = [
            (place, word) for place, word in self.coverage.directions if not mention or place not in mention.exact
        ]
        leading = [pair for pair in directions if (is_superlative if superlative else _compares)(pair[1])]
        if not leading and superlative:
            leading = [pair for pair in directions if is_comparative(pair[1])]
        for place, word in leading[:1] or directions[:1]:
            pointed = direction(word, order)
            if mention and (mention.exact or place in mention.words):
                yield "order names the column"
            agrees = "agrees" if pointed == up else "opposes" if pointed else "is silent"
            yield f"order {agrees}"
            yield f"{candidate.template}|order {agrees}"
            yield f"{order}|order {agrees}"
        if not leading:
            yield f"{candidate.template}|no order"

    def _number_features(self, candidate: ProgramCandidate) -> Iterator[str]:
        number, tokens = candidate.number, self.claim.stems
        if not number:
            return
        start, end = number.span
        if number.span in self.coverage.group_sizes:
            yield "number is a size"
        yield f"{candidate.template}|next {tokens[end] if end < len(tokens) else '.'}"
        yield f"{candidate.template}|previous {tokens[start - 1] if start else '.'}"
        yield f"{candidate.template}|number {number.relation.value}"
        yield f"{candidate.template}|number {'first' if not start else 'later'}"
        yield f"{candidate.template}|number {self._measure(candidate)}"
        for column in candidate.columns[:1]:
            yield f"{candidate.template}|column {self._gap(column, number.span)} number"
        if candidate.template.removeprefix("not ") == "count":
            yield f"count|{self._counted(candidate, number.span)}"
        slot = next((slot for slot in self.links.slots if slot.span == number.span), None)
        if slot and slot.conditions:
            best = slot.conditions[0]
            yield f"{candidate.template}|number in a cell {bool(best.rows)} {'near' if best.proximity > 0.5 else 'far'}"

    def _gap(self, column: int, span: Span) -> str:
        """How close after a number the claim names a column: "five different countries"."""
        mention = self.links.mentions.get(column)
        after = [place - span[1] for place in mention.words if place >= span[1]] if mention else []
        gap = min(after, default=9)
        return "beside" if gap <= 1 else "near" if gap <= 3 else "far from"

    def _counted(self, candidate: ProgramCandidate, span: Span) -> str:
        """What a number counts, judged by the column named right after it: rows, or the values of another column."""
        own = {self.table.key, *(condition.column for condition in candidate.conditions)}
        beside = [c for c in self.links.mentions if c < len(self.table.columns) and self._gap(c, span) == "beside"]
        if not beside:
            return "counts something"
        return "counts rows" if own.intersection(beside) else "counts another column"

    def _measure(self, candidate: ProgramCandidate) -> str:
        """Whether a number has a unit, and whether the computed column has the same."""
        value = candidate.number.value if candidate.number else None
        if isinstance(value, Date):
            return "date"
        if not isinstance(value, Quantity) or not value.unit:
            return "plain"
        units = [self.table.columns[column].unit for column in candidate.columns]
        same = any(unit and dimension(unit) == dimension(value.unit) for unit in units)
        return "same unit" if same else "percent" if value.unit == "%" else "other unit"

    def kind(self, column: int) -> str:
        """What kind of values a column holds, as far as their order matters: a low rank is a good one."""
        typed = self.table.columns[column]
        if typed.type is ColumnType.DATE:
            return "date"
        if isinstance(typed, DerivedColumn):
            return "lasting" if typed.lasts else "change"
        if any(stem in _RANKS_AND_COUNTERS for stem in stems(typed.name)):
            return "rank"
        return "time" if typed.type is ColumnType.NUMBER and _is_time(typed) else typed.type.value

    def order(self, column: int) -> str:
        """The order by which words of direction are understood in a column."""
        typed = self.table.columns[column]
        if typed.type is ColumnType.DATE:
            return "date"
        if "age" in stems(typed.name) or "time from born" in typed.name.lower():
            return "age"
        if _is_time(typed):
            return "time"
        return "rank" if self.kind(column) == "rank" else "number"

    # -- what its truth is evidence for

    def truth_features(self, candidate: ProgramCandidate) -> dict[str, float]:
        """The features by which the truth of a candidate is evidence for the truth of the claim."""
        said = "true" if candidate.truth.holds else "false"
        left, template = self.coverage.uncovered(candidate), candidate.template.removeprefix("not ")
        found = {
            said: 1.0,
            f"{said} {template}": 1.0,
            f"{said} left": left.words,
            f"{said} left numbers": left.numbers,
            f"{said} left full": left.full,
            f"{said} {min(len(candidate.conditions), 5)} conditions": 1.0,
            f"{said} {template} {min(len(candidate.conditions), 3)} conditions": 1.0,
            f"{said} {template} left": left.words,
            f"{said} {template} left numbers": left.numbers,
            f"{said} {template} left full": left.full,
        }
        for cue in () if self.is_prose else self.links.cues:
            found[f"{said} {template}|{cue}"] = 1.0
        if left == (0.0, 0.0, 0.0):
            found[f"{said} nothing left"] = 1.0
        if candidate.number:
            found[f"{said} {template} {candidate.number.relation.value}"] = 1.0
            end = candidate.number.span[1]
            found[f"{said} {template} before {(*self.claim.stems, '.')[end]}"] = 1.0
        if candidate.conditions:
            found[f"{said} least weight"] = min(condition.weight for condition in candidate.conditions)
            found[f"{said} misnamed"] = sum(self.competing_proximity(condition) for condition in candidate.conditions)
        if isinstance(candidate.program, Some) and candidate.template == "lookup":
            found.update((f"{said} {name}", 1.0) for name in self._failing_conditions(candidate))
        found.update((f"{said} {name}", 1.0) for name in self._order_features(candidate) if name.startswith("order"))
        return found

    def _failing_conditions(self, candidate: ProgramCandidate) -> Iterator[str]:
        """The single conditions that make a lookup fail."""
        if candidate.truth.holds:
            return
        conditions = candidate.conditions
        culprits = 0
        for culprit in conditions:
            others = [condition.rows for condition in conditions if condition is not culprit]
            if others and frozenset.intersection(*others):
                culprits += 1
                yield f"fails by {_sort(culprit)} {'exact' if culprit.weight > 0.99 else 'loose'}"
                yield f"fails {'near' if culprit.proximity > 0.3 else 'far'}"
        yield f"fails by {min(culprits, 3)}"


def _compares(word: str) -> bool:
    return is_comparative(word) or word in ORDER_CUES


def _is_time(column: Column) -> bool:
    """Whether a column holds the times of a race, of which the shortest is the best."""
    return "time" in stems(column.name) and column.unit in ("s", "min", "h", "")


def _place(candidate: ProgramCandidate) -> int:
    program = candidate.program
    if isinstance(program, Some):
        rows = program.rows
        while rows and not isinstance(rows, Top) and hasattr(rows, "rows"):
            rows = rows.rows
        if isinstance(rows, Top):
            return rows.place
    return 0


def _sort(condition: CellCondition) -> str:
    if isinstance(condition.term, str):
        return "words"
    return "date" if isinstance(condition.term, Date) else "limit" if condition.is_limit else "number"
