"""Decide claims by semantic parsing over tables: true, false or undecided, with the computation and its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from veritab.lexicon.attributes import HOST_STEMS
from veritab.reason.facts import Fact, cell_ids, derive_facts
from veritab.reason.parsing.accounting import find_complete
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.cues import find_cues
from veritab.reason.parsing.doubts import is_doubtful
from veritab.reason.parsing.features import FeatureExtractor
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.parsing.ranking import CandidateRanking, RankingWeights, rank_candidates, supporting_candidates
from veritab.reason.parsing.word_account import PageContext
from veritab.reason.programs.english import explain
from veritab.reason.programs.programs import TruthProgram
from veritab.reason.tables import TypedTable
from veritab.reason.templates.grounding import ProgramCandidate
from veritab.reason.uses import Uses, find_uses
from veritab.reason.wording import tell
from veritab.schema import ElementId, Label, Table
from veritab.text import stems

MIN_CONFIDENCE = 0.68
"""The confidence from which on the reasoner decides; below it, it abstains."""

MAX_UNEXPLAINED = 3
"""The reasoner abstains where its program leaves more words of the claim unexplained: the claim says more than that."""

_LEAST_COMPLETE, _MOST_COMPLETE = 0.95, 0.98
"""The confidence of answers that account for the whole claim, by how probable their program is among such programs."""

_WORD = re.compile(r"\w")
_MAX_CELLS = 60
_MAX_TABLES = 12


@dataclass(frozen=True)
class Reasoning:
    """The outcome of computing over tables; `answer` is None when it abstains."""

    claim: str
    answer: bool | None = None
    true: float = 0.5
    """The probability that the claim is true, given the tables."""
    program: TruthProgram | None = None
    lines: tuple[str, ...] = ()
    """What was computed, in a line or two."""
    cells: tuple[ElementId, ...] = ()
    """The cells that were looked through for the answer."""
    facts: tuple[Fact, ...] = ()
    """Facts derived from the tables, the most relevant first."""
    form: str = ""
    """The logical form with its result, as text."""
    uses: Uses = field(default_factory=Uses)
    """The cells and rows that the answer rests on; all that were looked through, where it is empty."""

    @property
    def confidence(self) -> float:
        return max(self.true, 1 - self.true)

    @property
    def label(self) -> Label:
        if self.answer is None:
            return Label.NOT_ENOUGH_INFO
        return Label.SUPPORTS if self.answer else Label.REFUTES


@dataclass(frozen=True)
class Reasoner:
    """Reasons over tables, by default with the weights in the package."""

    weights: RankingWeights | None = None
    min_confidence: float = MIN_CONFIDENCE
    max_unexplained: int = MAX_UNEXPLAINED
    complete: bool = False
    """Whether only a program that accounts for the whole claim may answer, however probable another one is."""

    def reason(self, claim: str, tables: Table | TypedTable | Iterable[Table | TypedTable]) -> Reasoning:
        """Decide a claim by the table that does so with the highest confidence."""
        parsed = ParsedClaim(claim)
        # Of a text too long for a claim only the beginning was parsed; the rest might say the opposite.
        if not parsed.words or _WORD.search(claim, parsed.words[-1].end):
            return Reasoning(claim)
        given = [tables] if isinstance(tables, Table | TypedTable) else list(tables)
        typed = [each if isinstance(each, TypedTable) else TypedTable.of(each) for each in given[:_MAX_TABLES]]
        found = [self._reason_over(parsed, table, _find_context(table, typed)) for table in typed]
        if not found:
            return Reasoning(claim)
        best = max(found, key=lambda each: (each.answer is not None, each.confidence))
        if self.complete and len({each.answer for each in found if each.answer is not None}) > 1:
            # Each accounts for the whole claim, and one of them for another claim in the same words.
            best = Reasoning(claim, facts=best.facts)
        others = [fact for each in found if each is not best for fact in each.facts]
        ordered = (*best.facts, *sorted(others, key=lambda fact: -fact.weight))
        return replace(best, facts=ordered)

    def _reason_over(self, parsed: ParsedClaim, table: TypedTable, context: PageContext) -> Reasoning:
        links = EntityLinks.of(parsed, table)
        ranking = rank_candidates(links, self.weights)
        answer = ranking.true > 0.5 if max(ranking.true, 1 - ranking.true) >= self.min_confidence else None
        derived = derive_facts(links, ranking)
        if self.complete:
            return self._answer_completely(parsed, links, ranking, derived, context)
        # The explanation must be of a program that agrees with the answer.
        reasons = (
            []
            if answer is None
            else [r for r in supporting_candidates(ranking, answer) if r.candidate.truth.holds is answer]
        )
        if not reasons or FeatureExtractor(links).unexplained(reasons[0].candidate) > self.max_unexplained:
            return Reasoning(parsed.text, None, ranking.true, facts=derived)
        return _conclude(parsed, links, reasons[0].candidate, ranking.true, derived)

    def _answer_completely(
        self,
        parsed: ParsedClaim,
        links: EntityLinks,
        ranking: CandidateRanking,
        derived: tuple[Fact, ...],
        context: PageContext,
    ) -> Reasoning:
        """The answer of the programs that account for the whole claim, if they agree."""
        found = find_complete(links, ranking, context)
        if found is None:
            return Reasoning(parsed.text, None, ranking.true, facts=derived)
        chosen, share = found
        if is_doubtful(parsed.text, chosen.program, links.executor, bool(chosen.truth.holds)):
            return Reasoning(parsed.text, None, ranking.true, facts=derived)
        sure = _LEAST_COMPLETE + (_MOST_COMPLETE - _LEAST_COMPLETE) * share
        return _conclude(parsed, links, chosen, sure if chosen.truth.holds else 1 - sure, derived)


def _find_context(table: TypedTable, tables: Iterable[TypedTable]) -> PageContext:
    """What the other tables of a page say that matters to one: what their rows are, and where it all takes place."""
    others = [each for each in tables if each is not table and each.id.page == table.id.page]
    keyed = [each for each in others if each.id != table.id and each.key is not None]
    named = frozenset(stem for each in keyed for stem in stems(each.columns[each.key or 0].name))
    named -= frozenset(stem for column in table.columns for stem in stems(column.name))
    lines = [column for each in others if each.height == 1 for column in each.columns]
    hosts = [column.texts[0] for column in lines if not HOST_STEMS.isdisjoint(stems(column.name))]
    return PageContext(named, frozenset(stem for text in hosts for stem in stems(text)))


def _conclude(
    parsed: ParsedClaim, links: EntityLinks, chosen: ProgramCandidate, true: float, derived: tuple[Fact, ...]
) -> Reasoning:
    """What a program says of a claim, in a line, with its cells."""
    line = tell(chosen.program, links.executor, chosen.truth.holds, _tested(parsed, chosen))
    form, uses = explain(chosen.program, links.executor), find_uses(chosen.program, links.executor)
    cells = cell_ids(links.table, chosen.truth.cells, _MAX_CELLS)[:_MAX_CELLS]
    return Reasoning(parsed.text, chosen.truth.holds, true, chosen.program, (line,), cells, derived, form, uses)


# The cues of the words that the programs of each template test.
_TESTED = {
    "compare": frozenset({"more", "less", "before", "after"}),
    "compare counts": frozenset({"more", "less"}),
    "top": frozenset({"high", "low", "early", "late"}),
    "named top": frozenset({"high", "low", "early", "late"}),
    "nth": frozenset({"early", "late"}),
    "every": frozenset({"all"}),
    "most": frozenset({"most_of"}),
    "no": frozenset({"none"}),
    "only": frozenset({"only"}),
    "only one": frozenset({"only"}),
    "same": frozenset({"same"}),
    "all same": frozenset({"same"}),
    "all different": frozenset({"different"}),
    "commonest": frozenset({"common", "high"}),
}


def _tested(parsed: ParsedClaim, candidate: ProgramCandidate) -> str | None:
    """The phrase of the claim that the program tests: its number, or its comparative."""
    if candidate.number and candidate.number.span != (0, 0):
        return parsed.phrase(candidate.number.span)
    asking = _TESTED.get(candidate.template, frozenset())
    return next((parsed.text[word.start : word.end] for word in parsed.words if asking & find_cues((word.stem,))), None)
