"""The corpus that replaces a paper's own, the claims that can be settled in it, and what is found for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veritab import datasets
from veritab.errors import NotFound
from veritab.papers.tables.cells import ProgressStep, TableNote
from veritab.papers.tables.inputs import ALMANAC, TableInputs
from veritab.schema import Claim, Element, ElementId, Example, Hit, Kind, Label, Verdict

if TYPE_CHECKING:
    from veritab.corpus.store import Store
    from veritab.pipeline import Checker
    from veritab.retrieve.index import Index


@dataclass(frozen=True)
class TableCorpus:
    """A corpus with its index."""

    inputs: TableInputs
    index: Index
    _made: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Retrievers by their names: building one reads every page."""

    @property
    def store(self) -> Store:
        return self.index.store

    @property
    def is_almanac(self) -> bool:
        return self.inputs.corpus is None

    def __str__(self) -> str:
        folder = self.inputs.corpus
        name = f"the corpus in {folder.resolve().name!r}" if folder else "the almanac"
        return f"{name} ({len(self.store):,} pages)"

    def note(self, original: str, *, larger: bool = True) -> TableNote:
        """What this corpus replaces; `larger` where corpus R could do so too."""
        text = f"{self} replaces {original}"
        if self.is_almanac and larger:
            text += "; corpus R, made by benchmarks/corpus_r.py, comes nearer: name it with --corpus"
        return TableNote("corpus", text)

    # -- what is found

    def pages(self, name: str, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The best pages for each claim, by a retriever of the papers or, as "veritab", by ours."""
        found = self._ranked(name, claims, k)
        return [
            [Hit(Element(ElementId(title, Kind.TITLE), title), score, name) for title, score in hits] for hits in found
        ]

    def passages(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The best passages of 100 words for each claim, by DrQA's TF-IDF."""
        from veritab.papers.retrieval.configurations import in_passages

        hits = []
        for found in self._ranked("drqa-passages", claims, k):
            ids = [(ElementId.parse(id), score) for id, score in found]
            pages = {id.page: in_passages(self.store.page(id.page)) for id, _ in ids}
            hits.append([Hit(pages[id.page].element(id), score, "drqa-passages") for id, score in ids])
        return hits

    def passage(self, id: ElementId) -> Hit:
        """One passage."""
        from veritab.papers.retrieval.configurations import in_passages

        return Hit(in_passages(self.store.page(id.page)).element(id), 1.0, "gold")

    def _ranked(self, name: str, claims: Sequence[Claim], k: int) -> list[list[tuple[str, float]]]:
        key = [name, *map(str, self.store.revision()), k, [[str(claim.id), claim.text] for claim in claims]]
        whole = name == "drqa-passages"

        def search() -> list[list[tuple[str, float]]]:
            return [
                [(str(hit.element.id) if whole else hit.element.id.page, round(hit.score, 6)) for hit in hits]
                for hits in self._retriever(name).retrieve(claims, k)
            ]

        found: list[list[tuple[str, float]]] = self.inputs.cached(f"ranked-{name}", key, search)
        return found

    def _retriever(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Any:
        from veritab.papers.retrieval.configurations import retriever
        from veritab.retrieve import PageRetriever, named_pages

        if name == "veritab":
            return PageRetriever(self.index)
        if name == "feverous-pages":
            return retriever(name, self.store, matcher=lambda claim: named_pages(self.index, claim))
        return retriever(name, self.store)

    def selected(self, name: str, claims: Sequence[Claim], pages: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """What a selector of the papers takes from these pages."""
        from veritab.papers.retrieval.configurations import selector

        return selector(name, self.store).select(claims, pages)


@contextmanager
def open_table_corpus(inputs: TableInputs) -> Iterator[TableCorpus]:
    """The corpus that was named, or else the almanac."""
    from veritab.retrieve import open_index

    index = open_index(inputs.corpus)
    try:
        yield TableCorpus(inputs, index)
    finally:
        index.close()
        index.store.close()


# -- claims ------------------------------------------------------------------------------------------------


def verifiable(corpus: TableCorpus, name: str) -> tuple[list[Example], TableNote]:
    """The supported and refuted claims of a data set whose evidence the corpus holds; over the almanac, its own."""
    asked = [example for example in _loaded(corpus, name) if example.label in (Label.SUPPORTS, Label.REFUTES)]
    found = [kept for example in asked if (kept := reachable(example, corpus.store))]
    source = ALMANAC if corpus.is_almanac else name
    what = f"{len(found):,} of the {len(asked):,} supported and refuted claims of {source} have evidence in the corpus"
    refuse_none(found, source, corpus)
    chosen = corpus.inputs.sample_examples(found)
    if len(chosen) < len(found):
        what += f"; {len(chosen):,} of them are taken"
    return chosen, TableNote("claims", what)


def three_way(corpus: TableCorpus, name: str) -> tuple[list[Example], TableNote]:
    """Verifiable claims with evidence in the corpus, and half as many that are NOT ENOUGH INFO."""
    most = corpus.inputs.at_most
    decided_claims = replace(corpus, inputs=replace(corpus.inputs, at_most=max(most * 2 // 3, 1) if most else 0))
    chosen, note = verifiable(decided_claims, name)
    neither = [example for example in _loaded(corpus, name) if example.label is Label.NOT_ENOUGH_INFO]
    others = corpus.inputs.sample_examples(neither, max(len(chosen) // 2, 1))
    text = f"{note.text}; beside them {len(others):,} claims that are NOT ENOUGH INFO, as in the paper a third"
    return chosen + others, TableNote("claims", text)


def refuse_none(found: Sequence[Example], name: str, corpus: TableCorpus) -> None:
    """Without a claim that the corpus can settle there is no number."""
    if not found:
        raise NotFound(f"{corpus} holds the evidence of no claim of {name}; name another corpus with --corpus DIR")


def _loaded(corpus: TableCorpus, name: str) -> Iterator[Example]:
    if corpus.is_almanac:
        return iter(datasets.load(ALMANAC))
    return iter(datasets.load(name, data=corpus.inputs.data_folder))


def reachable(example: Example, store: Store) -> Example | None:
    """The example with those of its evidence sets whose elements the corpus holds."""
    sets = tuple(evidence for evidence in example.evidence if evidence and all(has(store, id) for id in evidence))
    return replace(example, evidence=sets) if sets else None


def has(store: Store, id: ElementId) -> bool:
    """Whether the corpus holds what is at an address."""
    try:
        store.element(id)
    except NotFound:
        return False
    return True


# -- verdicts ----------------------------------------------------------------------------------------------


def verdicts_on(inputs: TableInputs, claims: Sequence[Claim]) -> Generator[ProgressStep, None, list[Verdict]]:
    """What the whole of Veritab, as it ships, says of each claim."""
    from veritab.pipeline import Checker

    found = []
    with Checker.open(inputs.corpus) as checker:
        for verdict in _checked(inputs, checker, claims):
            found.append(verdict)
            yield ProgressStep(f"checking claims: {len(found):,} of {len(claims):,}")
    return found


def _checked(inputs: TableInputs, checker: Checker, claims: Sequence[Claim]) -> Iterator[Verdict]:
    """Verdicts of an earlier run are read, new ones kept one by one."""
    from veritab.render.json import verdict_from_json, verdict_to_json
    from veritab.settings import record

    identity = json.dumps(record(checker), sort_keys=True).encode()
    file = inputs.cache_folder / f"checked-{hashlib.sha256(identity).hexdigest()[:16]}.jsonl"
    known = {verdict.claim: verdict for verdict in map(verdict_from_json, _lines(file))}
    file.parent.mkdir(parents=True, exist_ok=True)
    waiting = checker.check_many(claim for claim in claims if claim not in known)
    for claim in claims:
        if claim not in known:
            verdict = next(waiting)
            known[claim] = verdict
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(verdict_to_json(verdict), ensure_ascii=False) + "\n")
        yield known[claim]


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """What was kept; a line that a stopped run left half written is no verdict."""
    if not file.is_file():
        return
    for line in file.read_text(encoding="utf-8").split("\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue
