"""Claims over tables: of questions and answers about them, and of the tables of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from veritab.build.processes import map_in_order
from veritab.build.records import REPEATED, Built, BuiltRecord, LeftOut
from veritab.build.tables.answer_claims import PlacedAnswer, build_of_answer
from veritab.build.tables.pages import TablePages
from veritab.build.tables.question_claims import Convert, PlacedQuestion, build_of_question
from veritab.datasets.table_questions import TableAnswer, TableQuestion, TableQuestions
from veritab.engine import Engine, ThisProcess
from veritab.schema import Element, ElementId, Page, Problem


@dataclass(frozen=True)
class _Work:
    """Makes the claims of one question or answer, in whatever process."""

    source: str
    seed: int
    unpaired: bool
    convert: Convert

    def __call__(self, placed: PlacedQuestion | PlacedAnswer | LeftOut) -> list[Built]:
        if isinstance(placed, LeftOut):
            return [placed]
        if isinstance(placed, PlacedQuestion):
            return build_of_question(placed, self.source, self.seed, self.convert)
        return build_of_answer(placed, self.source, self.seed, unpaired=self.unpaired)


@dataclass
class TableBuilder:
    """Builds claims of questions and answers over tables, and keeps the pages on which their cells have addresses."""

    convert: Convert
    seed: int = 0
    unpaired: bool = False
    """Whether true claims of answers are kept for which there is no false one; labels are then not balanced."""
    engine: Engine = field(default_factory=ThisProcess)
    _pages: TablePages = field(default_factory=TablePages)
    _cited: set[str] = field(default_factory=set)

    def build(self, questions: TableQuestions) -> Iterator[Built]:
        """The claims of a file, in its order, with what was left out."""
        work = _Work(questions.name, self.seed, self.unpaired, self.convert)
        for built in map_in_order(work, self._placed(questions), self.engine):
            if isinstance(built, BuiltRecord):
                self._cited.update(id.page for ids in built.evidence for id in ids)
            yield built

    def element(self, id: ElementId) -> Element:
        """A cell that a record cites."""
        return self._pages.element(id)

    def pages(self) -> Iterator[Page]:
        """The pages of the tables that evidence was taken from."""
        return self._pages.pages(self._cited)

    def _placed(
        self, questions: Iterable[TableQuestion | TableAnswer | Problem]
    ) -> Iterator[PlacedQuestion | PlacedAnswer | LeftOut]:
        seen: set[str] = set()
        for each in questions:
            if isinstance(each, Problem):
                yield LeftOut(each.where, each.page, each.what)
                continue
            if each.id in seen:
                yield LeftOut(each.where, each.id, REPEATED)
                continue
            seen.add(each.id)
            if isinstance(each, TableQuestion):
                yield PlacedQuestion(each, self._pages.place(each.table))
            else:
                yield PlacedAnswer(each, self._pages.place(each.table))
