"""The sets that models are measured on, whole or in a fixed sample, and what is computed for their tables."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from benchmarks.corpus_r import DATA, FILES, records
from benchmarks.models_kept import Kept, say
from benchmarks.retrieval import almanac_examples
from veritab.build.elements import numbered, sentence
from veritab.corpus.almanac import open_almanac
from veritab.datasets.normalise import LABELS
from veritab.datasets.tabular import TableStatement, feverous_statements, infotabs_statements, tabfact_statements
from veritab.models.pair_tokens import room_beside
from veritab.models.verdict import VerdictModel
from veritab.reason.facts import truncate_facts
from veritab.reason.page import page_reasoning
from veritab.reason.reasoner import Reasoning
from veritab.schema import Element, ElementId, Evidence
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources import examples
from veritab.train.sources.derived_facts import WORDS
from veritab.verify.calibrate import Ways
from veritab.verify.compose import compose
from veritab.verify.render import render

T = TypeVar("T")


class Row(NamedTuple):
    """A set with gold evidence: what it is called, what is measured, and what is wanted of it."""

    name: str
    title: str
    ways: Ways
    wanted: float
    macro: bool = False
    profile: str = "default"
    """How the card says that answers are read here."""


ROWS = (
    Row("fm2/dev", "FM2 dev", 2, 0.83, profile="fm2"),
    Row("fever/dev_gold", "FEVER dev_gold_text", 2, 0.955),
    Row("fever/dev_three", "FEVER dev_three_way_with_text", 3, 0.86, macro=True, profile="fever"),
    Row("feverous/sentences", "FEVEROUS sentence_claims", 2, 0.92, profile="feverous"),
    Row("feverous/cells", "FEVEROUS cell_claims", 2, 0.82, profile="feverous"),
    Row("vitaminc/held", "VitaminC, a page-disjoint tenth", 3, 0.85, profile="vitaminc"),
    Row("infotabs/dev", "InfoTabS dev, with derived facts", 3, 0.76, profile="infotabs"),
    Row("infotabs/alpha1", "InfoTabS test_alpha1, with derived facts", 3, 0.76, profile="infotabs"),
)
FEVEROUS_TABLES, TABFACT = "feverous/tables", "tabfact/val"
_STATEMENTS: dict[str, Callable[[], Iterator[TableStatement]]] = {
    "infotabs/dev": lambda: infotabs_statements(FILES, "dev"),
    "infotabs/alpha1": lambda: infotabs_statements(FILES, "test_alpha1"),
    TABFACT: lambda: tabfact_statements(FILES, "val"),
    FEVEROUS_TABLES: lambda: feverous_statements(FILES),
}


def sample(given: Sequence[T], most: int, name: str) -> list[T]:
    """So many of what is given, the same in every run and in their order; all of them where `most` is 0."""
    if not most or len(given) <= most:
        return list(given)
    return [given[place] for place in sorted(random.Random(name).sample(range(len(given)), most))]


class Told(NamedTuple):
    """What the reasoner says of a statement: its answer, how probable the statement is, and the facts it derived."""

    answer: bool | None
    true: float
    facts: tuple[str, ...]

    def reasoning(self, claim: str) -> Reasoning:
        """As much of it as is needed to join it with a model's verdict."""
        return Reasoning(claim, self.answer, self.true)


def _tell(statement: TableStatement) -> Told:
    around = numbered(statement.table.id.page, statement.context)
    found = page_reasoning(statement.claim, [statement.table], around)
    return Told(found.answer, found.true, tuple(fact.text for fact in truncate_facts(found.facts, WORDS)))


def render_statement(statement: TableStatement, told: Told, way: str, model: VerdictModel) -> str:
    """What the model reads of a table as rows, as facts or as both, and of what stands around it.

    As `veritab.verify.verdicts.ModelVerifier` does it, which would reason anew for every way.
    """
    around = numbered(statement.table.id.page, statement.context)
    facts = () if way == "rows" else told.facts
    room = room_beside(model.length(statement.claim), model.max_length)
    given = Evidence.of(around, (statement.table,))
    return compose(statement.claim, given, facts, room, model.length, with_rows=way != "facts").text


class Sets:
    """The sets by name, each read once."""

    def __init__(self, kept: Kept, most: int) -> None:
        self.kept = kept
        self._most = most
        self._pairs: dict[str, list[VerdictExample]] = {}
        self._statements: dict[str, list[TableStatement]] = {}
        self._told: dict[str, list[Told]] = {}
        self.sizes: dict[str, int] = {}
        """How many pairs there are in sets of which only a sample is measured."""

    def pairs(self, name: str, model: VerdictModel) -> list[VerdictExample]:
        """A set as a model reads it; statements about tables with rows and derived facts."""
        if name in _STATEMENTS:
            return self.render_statement(name, "both", model)
        if name not in self._pairs:
            self._pairs[name] = self._read(name)
        return self._pairs[name]

    def _read(self, name: str) -> list[VerdictExample]:
        made = self.kept.made(name, lambda: [tuple(pair) for pair in examples("verdict", name, DATA, seed=0)])
        return self._sampled([VerdictExample(*values) for values in made], name)

    def _sampled(self, given: Sequence[T], name: str) -> list[T]:
        found = sample(given, self._most, name)
        if len(found) < len(given):
            self.sizes[name] = len(given)
        return found

    # -- tables

    def statements(self, name: str) -> list[TableStatement]:
        """The statements of a set about tables."""
        if name not in self._statements:
            self._statements[name] = self._sampled(list(_STATEMENTS[name]()), name)
        return self._statements[name]

    def told(self, name: str) -> list[Told]:
        """What the reasoner says of each of them."""
        if name not in self._told:
            statements = self.statements(name)
            made = self.kept.made(f"told-{name}-{len(statements)}", lambda: self._reasoned(name, statements))
            self._told[name] = [Told(answer, true, tuple(facts)) for answer, true, facts in made]
        return self._told[name]

    @staticmethod
    def _reasoned(name: str, statements: Sequence[TableStatement]) -> list[Any]:
        say(f"reasoning over {len(statements):,} statements of {name}")
        with multiprocessing.Pool() as pool:
            return [tuple(each) for each in pool.imap(_tell, statements, chunksize=32)]

    def render_statement(self, name: str, way: str, model: VerdictModel) -> list[VerdictExample]:
        """The statements beside their tables as rows, as facts, or as both; what stands around a table is shown too."""
        statements, told = self.statements(name), self.told(name)
        key = f"{name}-{way}-{len(statements)}-{model.max_length}-{model.card.files['tokenizer.json'][:8]}"
        texts = self.kept.made(
            key, lambda: [render_statement(each, said, way, model) for each, said in zip(statements, told, strict=True)]
        )
        return [VerdictExample(each.claim, text, each.label) for each, text in zip(statements, texts, strict=True)]


# -- evidence piece by piece -------------------------------------------------------------------------------


class Case(NamedTuple):
    """A claim with the pieces of its gold evidence; `challenge` is what makes it hard, where that is known."""

    claim: str
    evidence: tuple[Element, ...]
    label: int
    challenge: str = ""

    def pair(self) -> VerdictExample:
        return VerdictExample(self.claim, render(self.evidence).text, self.label)


def almanac_cases() -> list[Case]:
    """The almanac's claims with their first set of gold evidence."""
    with open_almanac() as store:
        found = [
            Case(
                squeeze(example.claim.text),
                tuple(store.element(id) for id in _ordered(example.evidence[0])),
                LABELS[example.label],
                example.challenge,
            )
            for example in almanac_examples()
            if example.label and example.evidence and example.evidence[0]
        ]
    return found


def _ordered(ids: frozenset[ElementId]) -> list[ElementId]:
    return sorted(ids)


def fm2_cases() -> list[Case]:
    """FM2's claims with their gold sentences, each under its section."""
    return [
        Case(squeeze(record["text"]), tuple(gold), LABELS[record["label"]])
        for record in records("fm2/dev")
        if (gold := [fm2_sentence(record, number, piece) for number, piece in enumerate(record["gold_evidence"])])
    ]


def fm2_sentence(record: dict[str, Any], number: int, piece: dict[str, str]) -> Element:
    """A sentence of an FM2 page; that of an introduction stands in no section."""
    header = piece["section_header"]
    sections = [] if header == "Summary" else [part for part in map(str.strip, header.split("|")) if part]
    return sentence(record["wikipedia_page"], number, squeeze(piece["text"]), sections)


def challenges() -> dict[str, str]:
    """The challenge of FEVEROUS claims whose files tell it, by the claim."""
    return {
        squeeze(record["claim"]): record["challenge"]
        for name in ("feverous/cell_claims", "feverous/full_table_gold_cells")
        for record in records(name)
    }
