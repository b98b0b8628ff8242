"""Claims in, verdicts out: retrieve, select, reason and verify, each replaceable; `Checker` is what people use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from veritab.errors import InputError, VeritabError
from veritab.schema import (
    CELLS,
    COMPUTED,
    Claim,
    ElementId,
    Hit,
    Kind,
    Label,
    Retriever,
    Selector,
    Table,
    Verdict,
    Verifier,
)
from veritab.settings import LLM, NONE, Settings
from veritab.text import squeeze

if TYPE_CHECKING:
    from veritab.corpus.store import Store
    from veritab.retrieve.index import Index
    from veritab.retrieve.search.matches import Match
    from veritab.verify.certificate import Judge
    from veritab.verify.reading import Given

_ALMANAC = "almanac"
_DIGITS = 16
# Beyond so many pages the state of a corpus is told by the number it drew when it last changed, which costs nothing.
_MOST_DIGESTED = 200_000


# -- the stages --------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """What was found for a claim, and what was selected of it."""

    candidates: Sequence[Hit]
    selected: Sequence[Hit]


@dataclass(frozen=True)
class Pipeline:
    """The stages a claim goes through; an ablation is `dataclasses.replace(pipeline, retrieve=other)`."""

    retrieve: Retriever
    select: tuple[Selector, ...]
    verify: Verifier
    candidates: int = 40
    """How many hits go on to be selected."""

    def run(self, claims: Sequence[Claim]) -> list[Verdict]:
        """The verdict on each claim."""
        return self.verify.verify(claims, [found.selected for found in self.find(claims)])

    def find(self, claims: Sequence[Claim]) -> list[Found]:
        """The evidence for each claim."""
        candidates = self.retrieve.retrieve(claims, self.candidates)
        selected: Sequence[Sequence[Hit]] = candidates
        for selector in self.select:
            selected = selector.select(claims, selected)
        return [Found(*each) for each in zip(candidates, selected, strict=True)]


@dataclass(frozen=True)
class WithTables:
    """Gives a judge the whole tables that found cells and captions stand in, since computing over them needs all rows.

    A model reads what comes `near` the best of what was found: more of it misleads one more often than it helps.
    The evidence of a verdict is what was computed with, what was read, and then what else was found, best first.
    """

    judge: Judge
    table_of: Callable[[ElementId], Table]
    sentences: int = 5
    cells: int = 25
    near: float = 0.0

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Sequence[Hit]]) -> list[Verdict]:
        """What the evidence found for each claim says of it."""
        read = [telling(hits, self.near) for hits in evidence]
        verdicts = self.judge.judge(claims, [self.given(*each) for each in zip(evidence, read, strict=True)])
        rest = [[hit for hit in hits if hit not in own] for hits, own in zip(evidence, read, strict=True)]
        return [self._with_all(*each) for each in zip(verdicts, read, rest, strict=True)]

    def given(self, hits: Sequence[Hit], read: Sequence[Hit]) -> Given:
        """The evidence as it is judged."""
        from veritab.verify.reading import Given

        ids = dict.fromkeys(hit.element.id.table for hit in hits)
        elements, shown = ([hit.element for hit in some] for some in (hits, read))
        return Given(elements, [self.table_of(id) for id in ids if id], ordered=True, read=shown)

    def _with_all(self, verdict: Verdict, read: Sequence[Hit], rest: Sequence[Hit]) -> Verdict:
        from veritab.retrieve.fuse import cut

        computed = [hit for hit in verdict.evidence if hit.by == COMPUTED]
        hits = cut([*computed, *read, *rest], sentences=self.sentences, cells=self.cells)
        return replace(verdict, evidence=tuple(hits))


def telling(hits: Sequence[Hit], near: float) -> list[Hit]:
    """The hits whose score is at least this share of the best; cells only where one of them is the best.

    A selector gives cells of other tables high scores for the number they hold, whatever it counts there.
    """
    texts, cells = ([hit for hit in hits if (hit.element.kind in CELLS) is wanted] for wanted in (False, True))
    best_text, best_cell = (max((hit.score for hit in some), default=0.0) for some in (texts, cells))
    least = near * max(best_text, best_cell)
    allowed = hits if not near or best_cell > best_text else texts
    return [hit for hit in allowed if hit.score >= least] or list(texts[:1])


# -- the checker -------------------------------------------------------------------------------------------


class Checker:
    """Checks claims against a corpus; `Checker.open()` takes the almanac, `Checker.open(folder)` any other."""

    def __init__(self, pipeline: Pipeline, index: Index, settings: Settings, name: str = "") -> None:
        self.pipeline = pipeline
        self.settings = settings
        self._index = index
        self._name = name or index.store.folder.name

    @classmethod
    def open(cls, corpus: Path | str | None = None, settings: Settings | Path | str | None = None) -> Self:
        """A checker over the corpus in a folder, the almanac without one; settings are read from a file or given."""
        from veritab.retrieve.index import open_index

        chosen = settings if isinstance(settings, Settings) else Settings.read(settings) if settings else Settings()
        opening = _Opening(chosen)
        with ExitStack() as undone:
            undone.callback(opening.wait)
            index = open_index(corpus)
            undone.callback(index.store.close)
            undone.callback(index.close)
            pipeline = opening.pipeline(index)
            undone.pop_all()
        return cls(pipeline, index, chosen, _ALMANAC if corpus is None else Path(corpus).resolve().name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the corpus; the models stay open for other checkers."""
        self._index.close()
        self._index.store.close()

    @property
    def store(self) -> Store:
        """The pages of the corpus."""
        return self._index.store

    @cached_property
    def corpus(self) -> Mapping[str, Any]:
        """Which corpus this is, in which state, and how many pages it has."""
        return {"name": self._name, "revision": _revision(self.store), "pages": len(self.store)}

    @cached_property
    def models(self) -> Mapping[str, str]:
        """The models in use and the hashes of their cards, which hold those of their files and how answers are read.

        Nobody knows those of a language model.
        """
        from veritab.models.card import FILE, sha256_of
        from veritab.models.registry import folder_of

        chosen = {"verdict": self.settings.verify.model, "selector": self.settings.select.model}
        return {job: sha256_of(folder_of(name) / FILE) for job, name in chosen.items() if name not in (NONE, LLM)}

    # -- what it does

    def check(self, text: str | Claim) -> Verdict:
        """The verdict on one claim."""
        return self._checked([_claim(text)])[0]

    def check_many(self, claims: Iterable[str | Claim], batch: int | None = None) -> Iterator[Verdict]:
        """The verdicts on many claims, in their order, some at a time."""
        size = self.settings.check.batch if batch is None else batch
        if size < 1:
            raise InputError(f"a batch of {size} claims is too small; give 1 or more")
        waiting = iter(claims)
        while some := [_claim(each) for each in islice(waiting, size)]:
            yield from self._checked(some)

    def search(
        self, query: str, kind: Kind | str | None = None, k: int = 10, *, page: str | None = None
    ) -> list[Match]:
        """What fits a query best, for people who look for themselves; on one page when a title is given."""
        from veritab.retrieve.search.matches import Search

        return Search(self._index).search(query, k, kind, page)

    def suggest(self, beginning: str, limit: int = 10) -> list[str]:
        """Titles for what somebody has typed so far."""
        from veritab.retrieve.search.suggest import suggest

        return suggest(self._index, beginning, limit)

    def _checked(self, claims: Sequence[Claim]) -> list[Verdict]:
        found = self.pipeline.find(claims)
        verdicts = self._judged(claims, found)
        if self.settings.check.certificate and self._reader:
            from veritab.verify.certificate import certified

            rests = certified(verdicts, self._reader)
            verdicts = [
                replace(verdict, certificate={**verdict.certificate, **rest})
                for verdict, rest in zip(verdicts, rests, strict=True)
            ]
        return [self._completed(verdict, each) for verdict, each in zip(verdicts, found, strict=True)]

    def _judged(self, claims: Sequence[Claim], found: Sequence[Found]) -> list[Verdict]:
        """The verdict on each claim; the parts of one are judged by the evidence found for all of it."""
        parts = [self._parts(claim) for claim in claims]
        asked = [
            (claim, each.selected)
            for whole, some, each in zip(claims, parts, found, strict=True)
            for claim in (whole, *some)
        ]
        verdicts = iter(_settled(self.pipeline.verify, asked))
        judged = []
        for some in parts:
            whole = next(verdicts)
            told = [next(verdicts) for _ in some]
            judged.append(_joined(whole, told) if told else whole)
        return judged

    def _parts(self, claim: Claim) -> list[Claim]:
        """The parts of a claim that has several, where they are wanted."""
        if not self.settings.check.parts:
            return []
        from veritab.decompose.split import split_claim

        found = split_claim(claim.text)
        return [Claim(claim.id, text) for text in found] if len(found) > 1 else []

    @cached_property
    def _reader(self) -> Judge | None:
        """The judge as it reads for certificates: elements and nothing else."""
        judge = getattr(self.pipeline.verify, "judge", None)
        return None if judge is None else _plain(judge)

    def _completed(self, verdict: Verdict, found: Found) -> Verdict:
        titles = list(dict.fromkeys(hit.element.id.page for hit in (*found.selected, *found.candidates)))
        certificate: dict[str, Any] = {
            "searched": {"pages": self.corpus["pages"], "read": titles, "candidates": len(found.candidates)}
        }
        if verdict.certificate.get("by") != LLM:  # a language model's word is not calibrated
            certificate = {"confidence": round(verdict.scores[verdict.label], 6), **certificate}
        if verdict.label is Label.NOT_ENOUGH_INFO:
            from veritab.verify.certificate import missing

            certificate["missing"] = missing(verdict.claim.text, (hit.element for hit in verdict.evidence))
        corpus = {**self.corpus, "read": self.digests(titles)}
        return replace(verdict, certificate={**certificate, **verdict.certificate}, corpus=corpus)

    def digests(self, titles: Iterable[str]) -> dict[str, str]:
        """What tells whether pages changed, by their titles; a page that is no longer there has none."""
        numbers = self.store.numbers_by_title(titles)
        digests = self.store.digests_by_number(numbers.values())
        return {title: digests[number].hex()[:_DIGITS] for title, number in sorted(numbers.items())}


# -- what evidence cannot settle ---------------------------------------------------------------------------

NO_STATEMENT = "this is not a statement that evidence can settle"
NOTHING_FOUND = "nothing was found in the corpus"


def _settled(verifier: Verifier, asked: Sequence[tuple[Claim, Sequence[Hit]]]) -> list[Verdict]:
    """The verdicts on claims by what was found for each; a judge is asked only where there is something to settle."""
    whys = [_unsettled(claim, hits) for claim, hits in asked]
    judged = [each for each, why in zip(asked, whys, strict=True) if not why]
    verdicts = iter(verifier.verify([claim for claim, _ in judged], [hits for _, hits in judged]) if judged else ())
    return [
        _not_enough(Verdict(claim, Label.NOT_ENOUGH_INFO, {}, tuple(hits)), why) if why else _grounded(next(verdicts))
        for (claim, hits), why in zip(asked, whys, strict=True)
    ]


def _unsettled(claim: Claim, hits: Sequence[Hit]) -> str:
    """Why what was found cannot settle a claim; empty where it may."""
    from veritab.decompose.statements import is_statement
    from veritab.verify.certificate import missing, speaks_of

    if not is_statement(claim.text):
        return NO_STATEMENT
    if not hits:
        return NOTHING_FOUND
    elements = [hit.element for hit in hits]
    return "" if speaks_of(claim.text, elements) else _unspoken(", ".join(missing(claim.text, elements)))


def _grounded(verdict: Verdict) -> Verdict:
    """A verdict whose evidence at least names what the claim is about, where it speaks for the claim."""
    from veritab.decompose.statements import named_subject
    from veritab.verify.certificate import speaks_of

    subject = named_subject(verdict.claim.text) if verdict.label is Label.SUPPORTS else ""
    if not subject or speaks_of(subject, (hit.element for hit in verdict.evidence)):
        return verdict
    return _not_enough(verdict, _unspoken(subject))


def _unspoken(what: str) -> str:
    return f"nothing found speaks of {what}"


def _not_enough(verdict: Verdict, why: str) -> Verdict:
    refutes = verdict.scores.get(Label.REFUTES, 0.0)
    scores = {Label.SUPPORTS: 0.0, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: 1 - refutes}
    certificate = {**verdict.certificate, "why": why}
    lines = (why, *verdict.reasoning)
    return replace(verdict, label=Label.NOT_ENOUGH_INFO, scores=scores, reasoning=lines, certificate=certificate)


def _joined(whole: Verdict, parts: Sequence[Verdict]) -> Verdict:
    from veritab.verify.parts import joined_parts

    return joined_parts(whole, parts)


def _plain(judge: Judge) -> Judge:
    from veritab.verify.verdicts import ModelVerifier

    return replace(judge, vote=False, facts=False, rows=False) if isinstance(judge, ModelVerifier) else judge


def _claim(given: str | Claim) -> Claim:
    if not isinstance(given, str | Claim):
        raise InputError(f"a claim is a text, not {given!r:.80}")
    return Claim("", squeeze(given)) if isinstance(given, str) else replace(given, text=squeeze(given.text))


def _revision(store: Store) -> str:
    """The state a corpus is in: the same for the same pages, wherever they were read in."""
    if len(store) > _MOST_DIGESTED:
        corpus, number = store.revision()
        return f"{corpus}-{number}"
    content = hashlib.sha256()
    digests = dict(store.digests())
    for title, number in sorted(store.numbers_by_title(list(store.titles())).items()):
        content.update(title.encode() + b"\0" + digests[number])
    return content.hexdigest()[:_DIGITS]


# -- opening -----------------------------------------------------------------------------------------------


class _Opening:
    """The stages that settings ask for; models are read while the index is opened."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._models: dict[str, Any] = {}
        self._error: VeritabError | None = None
        self._thread = Thread(target=self._open_models, daemon=True)
        self._open_cards()
        self._thread.start()

    def _open_cards(self) -> None:
        """What is cheap: a model that is missing, or is none, is told at once."""
        from veritab.models.registry import open_selector, open_verdict

        verify, select = self._settings.verify, self._settings.select
        threads = verify.threads or None
        if select.model != NONE:
            self._models["selector"] = open_selector(select.model, threads)
        if verify.model not in (NONE, LLM):
            self._models["verdict"] = open_verdict(verify.model, threads)

    def _open_models(self) -> None:
        try:
            for model in self._models.values():
                model.load()
        except VeritabError as error:
            self._error = error

    def wait(self) -> None:
        """Until all models are read: a process that ends while the runtime still reads one is aborted."""
        self._thread.join()

    def pipeline(self, index: Index) -> Pipeline:
        from veritab.retrieve.retrievers import EvidenceRetriever, PageRetriever

        settings = self._settings
        pages = PageRetriever(index, settings.retrieve.links)
        retriever = EvidenceRetriever(pages, settings.retrieve.pages, others=self._dense(index.store))
        verifier = self._verifier(retriever.table)
        self.wait()
        if self._error:
            raise self._error
        return Pipeline(retriever, (self._selector(retriever.table),), verifier, settings.retrieve.candidates)

    def _dense(self, store: Store) -> Retriever | None:
        """Retrieval by meaning, where it is wanted and the corpus has vectors."""
        from veritab.retrieve.dense.retriever import DenseRetriever, DenseUnit, folder_of, open_vectors

        if not self._settings.retrieve.dense or not folder_of(store, DenseUnit.ELEMENTS).is_dir():
            return None
        from veritab.models.registry import open_encoder

        encoder = open_encoder(self._settings.retrieve.encoder)
        return DenseRetriever(store, open_vectors(store, encoder, DenseUnit.ELEMENTS), encoder)

    def _selector(self, table_of: Callable[[ElementId], Table]) -> Selector:
        select = self._settings.select
        if select.model == NONE:
            from veritab.retrieve.lexical import LexicalSelector

            return LexicalSelector(table_of, select.sentences, select.cells)
        from veritab.retrieve.rerank import CrossEncoderReranker, InterpolatedReranker

        reading = CrossEncoderReranker(
            self._models["selector"],
            table_of,
            sentences=self._settings.retrieve.candidates,
            cells=select.cells,
            candidates=select.candidates,
            cell_weight=select.cell_weight,
        )
        return InterpolatedReranker(reading, select.text_weight, select.tables, select.sentences, select.cells)

    def _verifier(self, table_of: Callable[[ElementId], Table]) -> Verifier:
        select, verify = self._settings.select, self._settings.verify
        if verify.model != LLM:
            near = 0.0 if select.model == NONE else verify.near
            return WithTables(self._judge(), table_of, select.sentences, select.cells, near)
        from veritab.verify.llm import LlmVerifier

        given = asdict(self._settings.llm)
        return LlmVerifier.open({name: value for name, value in given.items() if value != ""})

    def _judge(self) -> Judge:
        verify = self._settings.verify
        if verify.model == NONE:
            from veritab.verify.computed import ComputingVerifier

            return ComputingVerifier()
        from veritab.verify.verdicts import ModelVerifier

        return ModelVerifier(
            self._models["verdict"],
            reading=verify.reading,
            pieces=verify.pieces,
            facts=verify.facts,
            rows=verify.rows,
            vote=verify.vote,
            profile=verify.profile,
        )
