"""Claims in, verdicts out: retrieve, select, verify, decide, each replaceable; `Checker` is what people use."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar
from weakref import finalize

from veritab.cancel import stop_if_cancelled
from veritab.errors import InputError, NotFound, VeritabError
from veritab.plugins import load_plugin
from veritab.schema import (
    Claim,
    Decider,
    Element,
    ElementId,
    Evidence,
    Hit,
    Kind,
    Page,
    ReadClaim,
    Retriever,
    Searched,
    Selector,
    Table,
    Uncertainty,
    Verdict,
    Verifier,
)
from veritab.settings import DEFAULT, LLM, NONE, Settings

if TYPE_CHECKING:
    from veritab.corpus.store import Revision, Store
    from veritab.decompose import ExtractedClaim
    from veritab.retrieve.index import Index
    from veritab.retrieve.search.matches import Match
    from veritab.retrieve.shards import OpenSearcher
    from veritab.verify.evidence import EvidenceInput
    from veritab.verify.judge import SupportScores

T = TypeVar("T")

_ALMANAC = "almanac"
_MOST_TRIES = 5
_DIGITS = 16
_LOG = logging.getLogger(__name__)
# In a larger corpus the random number that it got when it last changed stands for its state: hashing costs too much.
_MOST_DIGESTED = 200_000


# -- the stages --------------------------------------------------------------------------------------------


class Retrieved(NamedTuple):
    """The candidates that a retriever found for a claim, the hits that were selected of them, and the claim as read."""

    candidates: Sequence[Hit]
    selected: Sequence[Hit]
    read: ReadClaim


class ClaimReader(Protocol):
    """Claims are read in the spelling of what was retrieved for them."""

    def read(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[ReadClaim]: ...


class Resolver(Protocol):
    """Claims are read with names in the place of descriptions, which `gather` finds evidence for."""

    def read(self, claim: Claim, gather: Callable[[Claim], Evidence]) -> tuple[ReadClaim, tuple[Hit, ...]]: ...


class Gatherer(Protocol):
    """Selected hits become the evidence that a verifier is handed."""

    def gather(self, claim: Claim, hits: Sequence[Hit]) -> Evidence: ...


@dataclass(frozen=True)
class Pipeline:
    """The stages a claim goes through; an ablation is `dataclasses.replace(pipeline, retrieve=other)`."""

    retrieve: Retriever
    select: tuple[Selector, ...]
    gather: Gatherer
    verify: Verifier
    decide: Decider
    candidates: int = 40
    """How many hits go on to be selected."""
    parts: bool = True
    """Whether a claim of several assertions is judged part by part."""
    compute: bool = True
    """Whether answers and facts are computed from the evidence."""
    spelling: ClaimReader | None = None
    """What puts misspelt words of claims right before anything but the retriever reads them."""
    resolve: Resolver | None = None
    """What reads claims with names in the place of descriptions; evidence is then found for them as they are read."""

    def run(self, claims: Sequence[Claim]) -> list[Verdict]:
        """The verdict on each claim."""
        return [verdict for verdict, _ in self.run_with_evidence(claims)]

    def run_with_evidence(self, claims: Sequence[Claim]) -> list[tuple[Verdict, Evidence]]:
        """The verdict on each claim, and all the evidence it was judged by.

        Where shards of the corpus could not be asked, verdicts tell which, and are uncertain.
        """
        from veritab.corpus.missing import note_missing

        results, missing = note_missing(lambda: self._run_with_evidence(claims))
        if not missing:
            return results
        if len(claims) > 1:  # each tells what was missing for it alone
            return [result for claim in claims for result in self.run_with_evidence([claim])]
        return [(_tell_missing(verdict, sorted(missing)), evidence) for verdict, evidence in results]

    def _run_with_evidence(self, claims: Sequence[Claim]) -> list[tuple[Verdict, Evidence]]:
        found = self.find(claims)
        read = [each.read.claim for each in found]
        evidence = [self._gather(claim, each.selected) for claim, each in zip(read, found, strict=True)]
        verdicts = self.judge(read, evidence)
        told = [_tell_search(*each) for each in zip(claims, verdicts, found, strict=True)]
        return list(zip(told, evidence, strict=True))

    def find(self, claims: Sequence[Claim]) -> list[Retrieved]:
        """What is retrieved and selected for each claim."""
        found = self._find(claims)
        return [self._find_by_name(each, self.resolve) for each in found] if self.resolve else found

    def _find_by_name(self, found: Retrieved, resolve: Resolver) -> Retrieved:
        """What is found for a claim with names in the place of descriptions, and what says the names."""

        def gather(claim: Claim) -> Evidence:
            each = found if claim == found.read.claim else self._find([claim])[0]
            return self._gather(each.read.claim, each.selected)

        read, naming = resolve.read(found.read.claim, gather)
        if not read.changes:
            return found
        (again,) = self._find([read.claim])
        # What is selected for the claim keeps its score for the claim.
        scores = {hit.element.id: hit.score for hit in again.selected}
        named = (replace(hit, score=scores.get(hit.element.id, hit.score)) for hit in naming)
        selected = {hit.element.id: hit for hit in (*again.selected, *named)}
        changes = (*found.read.changes, *read.changes, *again.read.changes)
        return Retrieved(again.candidates, tuple(selected.values()), ReadClaim(again.read.claim, changes))

    def _gather(self, claim: Claim, hits: Sequence[Hit]) -> Evidence:
        stop_if_cancelled()
        return self.gather.gather(claim, hits)

    def _find(self, claims: Sequence[Claim]) -> list[Retrieved]:
        stop_if_cancelled()
        candidates = self.retrieve.retrieve(claims, self.candidates)
        read = self.spelling.read(claims, candidates) if self.spelling else [ReadClaim(claim) for claim in claims]
        selected: Sequence[Sequence[Hit]] = candidates
        for selector in self.select:
            stop_if_cancelled()
            selected = selector.select([each.claim for each in read], selected)
        return [Retrieved(*each) for each in zip(candidates, selected, read, strict=True)]

    def judge(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Verdict]:
        """The verdict on each claim by evidence that was gathered, or that a caller hands over."""
        from veritab.verify.judge import judge_evidence

        return judge_evidence(claims, evidence, self.verify, self.decide, parts=self.parts, compute=self.compute)


def _tell_search(claim: Claim, verdict: Verdict, found: Retrieved) -> Verdict:
    """A verdict on a claim as it was typed, with how it was read and where evidence was looked for."""
    from veritab.verify.judge import tell_reading

    told = tell_reading(claim, verdict, found.read)
    return replace(told, certificate=replace(told.certificate, searched=_describe_search(found)))


def _describe_search(found: Retrieved) -> Searched:
    titles = dict.fromkeys(hit.element.id.page for hit in (*found.selected, *found.candidates))
    return Searched(0, tuple(titles), len(found.candidates))


def _tell_missing(verdict: Verdict, shards: Iterable[str]) -> Verdict:
    """A verdict that was found without some shards of the corpus."""
    certificate = verdict.certificate
    searched = replace(certificate.searched or Searched(0, (), 0), missing=tuple(shards))
    return replace(verdict, certificate=replace(certificate, searched=searched), uncertainty=Uncertainty.MISSING_SHARDS)


# -- the checker -------------------------------------------------------------------------------------------


class Checker:
    """Checks claims against a corpus; `Checker.open()` takes the almanac, `Checker.open(folder)` any other."""

    def __init__(
        self,
        pipeline: Pipeline,
        index: Index,
        settings: Settings,
        name: str = "",
        assemble: Callable[[Index], Pipeline] | None = None,
    ) -> None:
        """`assemble` makes the pipeline anew around an index that was built since; without it the first one stays."""
        self.pipeline = pipeline
        self.settings = settings
        self._index = index
        self._name = name or index.store.folder.name
        self._assemble = assemble
        self._assembled = pipeline
        self._state: tuple[Revision, bool] | None = None
        self._corpus: Mapping[str, Any] = {}
        self._following = Lock()

    @classmethod
    def open(
        cls,
        corpus: Path | str | None = None,
        settings: Settings | Path | str | None = None,
        *,
        name: str = "",
        apart: OpenSearcher | None = None,
    ) -> Self:
        """A checker over the corpus in a folder, the almanac without one; settings are read from a file or given.

        `name` is what verdicts call the corpus; that of its folder by default. `apart` searches the shards of a corpus
        apart, as the workers of a cluster that hold them do.
        """
        from veritab.retrieve.index import open_index

        chosen = settings if isinstance(settings, Settings) else Settings.read(settings) if settings else Settings()
        opening = _Opening(chosen)
        with ExitStack() as undone:
            undone.callback(opening.wait)
            index = open_index(corpus, apart or _searcher_for(chosen))
            undone.callback(index.store.close)
            undone.callback(index.close)
            pipeline = opening.pipeline(index)
            undone.pop_all()
        known = name or (_ALMANAC if corpus is None else Path(corpus).resolve().name)
        return cls(pipeline, index, chosen, known, opening.pipeline)

    @classmethod
    def against(cls, sources: Path | str | Sequence[Path | str], settings: Settings | Path | str | None = None) -> Self:
        """A checker over documents: files and folders are read and indexed, or found in the user's cache.

        Who wants to show progress, or what was read, runs a `Preparation` and opens its folder.
        """
        from veritab.retrieve.preparation import Preparation

        preparation = Preparation([sources] if isinstance(sources, Path | str) else sources)
        for _ in preparation:
            pass
        return cls.open(preparation.folder, settings, name=preparation.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the corpus; the models stay open for other checkers."""
        _close(self._index)

    def close_when_unused(self) -> None:
        """Close the corpus once nobody holds this checker any more."""
        finalize(self, _close, self._index)

    @property
    def name(self) -> str:
        """What the corpus is called."""
        return self._name

    @property
    def store(self) -> Store:
        """The pages of the corpus."""
        return self._index.store

    @property
    def index(self) -> Index:
        """What finds pages and their elements, and knows which words are rare."""
        return self._index

    @property
    def corpus(self) -> Mapping[str, Any]:
        """Which corpus this is, in which state, and how many pages it has, as seen when it was last asked.

        While pages were ingested that are not yet indexed, `indexed` is false: they can be read, but not found.
        """
        if self._state is None:
            self.follow()
        return self._corpus

    def follow(self) -> None:
        """See what was ingested and indexed since; every check and every search begins so, at the cost of a look.

        What another thread is doing with the index before goes on with it.
        """
        from veritab.corpus.missing import note_missing

        state, missing = note_missing(self.store.revision)
        # Without all of its shards nothing new can be said of a corpus.
        if self._state == (state, True) or (missing and self._state):
            return
        with self._following:
            known = self._index.revision == state or self._reopen()
            if self._state != (state, known):
                about = {"name": self._name, "revision": _revision(self.store), "pages": len(self.store)}
                self._corpus = about if known else {**about, "indexed": False}
                self._state = state, known

    def _reopen(self) -> bool:
        """Open the index that was built since, if it is whole; a pipeline that somebody put in place is left alone."""
        from veritab.retrieve.index import Index, is_indexed

        if self._assemble is None or self.pipeline is not self._assembled or not is_indexed(self.store):
            return False
        try:
            index = Index(self.store, self._index.apart)
            self._assembled = self.pipeline = self._assemble(index)
        except VeritabError as error:
            _LOG.warning("the new index of %s cannot be used yet: %s", self._name, error)
            return False
        # What is under way with the one before is answered; it goes when nobody reads it any longer.
        self._index = index
        return True

    @cached_property
    def models(self) -> Mapping[str, str]:
        """The models in use and the hashes of their cards, which hold those of their files and how answers are read.

        Nobody knows those of a language model.
        """
        return hash_models(self.settings)

    # -- what it does

    def check(self, text: str | Claim) -> Verdict:
        """The verdict on one claim."""
        from veritab.verify.judge import parse_claim

        self.follow()
        return self._check([parse_claim(text)])[0]

    def check_with_evidence(self, text: str | Claim) -> tuple[Verdict, Evidence]:
        """The verdict on one claim, and all the evidence it was judged by, for judging others by the same."""
        from veritab.verify.judge import parse_claim

        self.follow()
        return self._run_in_one_state([parse_claim(text)])[0]

    def check_many(self, claims: Iterable[str | Claim], batch: int | None = None) -> Iterator[Verdict]:
        """The verdicts on many claims, in their order, some at a time."""
        size = self.settings.check.batch if batch is None else batch
        if size < 1:
            raise InputError(f"a batch of {size} claims is too small; give 1 or more")
        from veritab.verify.judge import parse_claim

        self.follow()
        waiting = iter(claims)
        while some := [parse_claim(each) for each in islice(waiting, size)]:
            yield from self._check(some)

    def check_text(
        self, text: str, *, title: str = "", batch: int | None = None
    ) -> Iterator[tuple[ExtractedClaim, Verdict]]:
        """The check-worthy sentences of a text with their offsets, and the verdict on each, in order, some at a time.

        The title says what "it" is before the text names anything.
        """
        from veritab.decompose import extract_claims, number_claims
        from veritab.verify.evidence import parse_text

        parse_text(text, "a whole text")
        found = extract_claims(text, title=title)
        yield from zip(found, self.check_many(number_claims(found), batch), strict=True)

    def search(
        self, query: str, kind: Kind | str | None = None, k: int = 10, *, page: str | None = None
    ) -> list[Match]:
        """What fits a query best, for people who look for themselves; on one page when a title is given."""
        from veritab.retrieve.search.matches import Search

        self.follow()
        return self._in_one_state(lambda: Search(self._index).search(query, k, kind, page))

    def suggest(self, beginning: str, limit: int = 10) -> list[str]:
        """Titles for what somebody has typed so far."""
        from veritab.retrieve.search.suggest import suggest

        self.follow()
        return self._in_one_state(lambda: suggest(self._index, beginning, limit))

    def judge(
        self, pairs: Iterable[tuple[str | Claim, EvidenceInput | Iterable[EvidenceInput] | Evidence]]
    ) -> list[Verdict]:
        """The verdict on each claim by the evidence beside it, without retrieval.

        Cells of the corpus bring the whole tables that they stand in.
        """
        return self._judge(pairs, self.pipeline.verify)

    def score(
        self,
        docs: Sequence[EvidenceInput | Iterable[EvidenceInput] | Evidence],
        claims: Sequence[str | Claim],
    ) -> SupportScores:
        """Whether each document supports the claim beside it, without retrieval; long ones are read to their end."""
        from veritab.verify.judge import pair_up, read_in_chunks, support_scores

        return support_scores(self._judge(pair_up(docs, claims), read_in_chunks(self.pipeline.verify)))

    def _judge(
        self,
        pairs: Iterable[tuple[str | Claim, EvidenceInput | Iterable[EvidenceInput] | Evidence]],
        verifier: Verifier,
    ) -> list[Verdict]:
        from veritab.verify.evidence import parse_evidence
        from veritab.verify.judge import judge_given, parse_claim

        given = [(parse_claim(claim), parse_evidence(evidence, self._table_of)) for claim, evidence in pairs]
        claims, evidence = [claim for claim, _ in given], [own for _, own in given]
        own, names = self.pipeline, self.settings.check.names
        return judge_given(claims, evidence, verifier, own.decide, names=names, parts=own.parts, compute=own.compute)

    def _table_of(self, cell: Element) -> Table | None:
        """The table that a cell stands in; None where the corpus does not have that cell."""
        try:
            page = self.store.page(cell.id.page)
            return page.table(cell.id.path[0]) if page.element(cell.id).text == cell.text else None
        except NotFound:
            return None

    def _check(self, claims: Sequence[Claim]) -> list[Verdict]:
        """The pipeline's verdicts with their certificates and the evidence that is shown, and their corpus."""
        return [verdict for verdict, _ in self._run_in_one_state(claims)]

    def _run_in_one_state(self, claims: Sequence[Claim]) -> list[tuple[Verdict, Evidence]]:
        from veritab.corpus.missing import note_missing

        # Which shards a claim was not looked for in is noted by the pipeline, for each by itself.
        return note_missing(lambda: self._in_one_state(lambda: self._run_with_evidence(claims)))[0]

    def _in_one_state(self, work: Callable[[], T]) -> T:
        """Work over the corpus; once more where a page that was found is gone because the corpus changed meanwhile."""
        for _ in range(_MOST_TRIES):
            state = self.store.revision()
            try:
                return work()
            except NotFound:
                if self.store.revision() == state:
                    raise
                self.follow()
        return work()

    def _run_with_evidence(self, claims: Sequence[Claim]) -> list[tuple[Verdict, Evidence]]:
        corpus, pipeline = self.corpus, self.pipeline
        found = pipeline.run_with_evidence(claims)
        verdicts = [verdict for verdict, _ in found]
        if self.settings.check.certificate:
            from veritab.verify.certificate import certify

            verdicts = certify(verdicts, pipeline.verify, pipeline.decide)
        # Last of all: nothing above may depend on how much is shown.
        shown = [self._name_corpus(self._cut(verdict), corpus) for verdict in verdicts]
        return [(verdict, evidence) for verdict, (_, evidence) in zip(shown, found, strict=True)]

    def _cut(self, verdict: Verdict) -> Verdict:
        """A verdict with the evidence that the settings have it show; without a reranker scores do not compare."""
        from veritab.retrieve.fuse import cut
        from veritab.verify.shown import cut_evidence

        select = self.settings.select
        if self.settings.check.evidence == "cut" and select.model != NONE:
            return cut_evidence(verdict)
        return replace(verdict, evidence=tuple(cut(verdict.evidence, sentences=select.sentences, cells=select.cells)))

    def _name_corpus(self, verdict: Verdict, corpus: Mapping[str, Any]) -> Verdict:
        from veritab.retrieve.index import shards_of

        searched = verdict.certificate.searched or Searched(0, (), 0)
        shards = len(shards_of(self.store)) if searched.missing else 0
        certificate = replace(verdict.certificate, searched=replace(searched, pages=corpus["pages"], shards=shards))
        return replace(verdict, certificate=certificate, corpus={**corpus, "read": self.digests(searched.read)})

    def digests(self, titles: Iterable[str]) -> dict[str, str]:
        """What tells whether pages changed, by their titles; a page that is no longer there has none."""
        numbers = self.store.numbers_by_title(titles)
        digests = self.store.digests_by_number(numbers.values())
        return {title: digests[number].hex()[:_DIGITS] for title, number in sorted(numbers.items())}


def hash_models(settings: Settings) -> Mapping[str, str]:
    """The models that settings name, and the hashes of their cards; one without a card is left out."""
    from veritab.models.card import FILE, sha256_of
    from veritab.models.registry import folder_of

    verify = settings.verify
    chosen = {"verdict": verify.model if verify.verifier == DEFAULT else NONE, "selector": settings.select.model}
    cards = {job: folder_of(name) / FILE for job, name in chosen.items() if name not in (NONE, LLM)}
    return {job: sha256_of(card) for job, card in cards.items() if card.is_file()}


def _close(index: Index) -> None:
    index.close()
    index.store.close()


def _searcher_for(settings: Settings) -> OpenSearcher | None:
    """What searches shards in parallel, where settings ask for it."""
    from veritab.retrieve.shards import ThreadSearcher

    retrieve = settings.retrieve
    return partial(ThreadSearcher, seconds=retrieve.shard_seconds) if retrieve.shards == "parallel" else None


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


def open_verifier(settings: Settings) -> Verifier:
    """The verifier that settings ask for, without a corpus."""
    opening = _Opening(settings.replaced({"select.model": NONE}))
    try:
        return opening.verifier()
    finally:
        opening.wait()


def _named_pages_of(index: Index) -> Callable[[str], Iterator[Page]]:
    """What finds the pages whose subjects a claim names."""
    from veritab.retrieve.retrievers import subject_pages

    return lambda claim: (index.store.page(title) for title in subject_pages(index, claim))


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
        """Read the cards, which is cheap: a model that is missing or broken is an error at once."""
        from veritab.models.registry import open_selector, open_verdict

        verify, select = self._settings.verify, self._settings.select
        threads = verify.threads or None
        if select.model != NONE:
            self._models["selector"] = open_selector(select.model, threads)
        if verify.model not in (NONE, LLM) and verify.verifier == DEFAULT:
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
        settings = self._settings
        retriever = self._retriever(index)
        verifier = self.verifier()
        self.wait()
        if self._error:
            raise self._error
        from veritab.retrieve.spelling import SpellingReader
        from veritab.verify.evidence import TableGatherer, sentence_before
        from veritab.verify.judge import decider_for

        select, verify = settings.select, settings.verify
        is_scored = select.model != NONE and verify.model != LLM
        return Pipeline(
            retriever,
            (self._selector(index.store.table),),
            TableGatherer(
                index.store.table,
                verify.threshold if is_scored else 0.0,
                _named_pages_of(index),
                lambda sentence: sentence_before(index.store.page(sentence.page), sentence),
            ),
            verifier,
            decider_for(verifier, vote=verify.vote, sentences=select.sentences, cells=select.cells),
            candidates=settings.retrieve.candidates,
            parts=settings.check.parts,
            compute=verify.vote or verify.facts,
            spelling=SpellingReader(index),
            resolve=self._resolver(verifier, index) if settings.check.names else None,
        )

    def _resolver(self, verifier: Verifier, index: Index) -> Resolver | None:
        """What finds the names of what claims describe; it takes a model to judge them."""
        from veritab.verify.model import ModelVerifier
        from veritab.verify.name_kinds import PageSummary
        from veritab.verify.resolve import DescriptionReader

        if not isinstance(verifier, ModelVerifier):
            return None

        def page_of(name: str) -> PageSummary | None:
            title = index.store.resolve(name)
            page = index.store.page(title) if title else None
            return PageSummary.of(page.tables, page.elements) if page else None

        return DescriptionReader(page_of, verifier.model)

    def _retriever(self, index: Index) -> Retriever:
        retrieve = self._settings.retrieve
        if retrieve.retriever != DEFAULT:
            plugin: Retriever = load_plugin("retrievers", retrieve.retriever, index.store)
            return plugin
        from veritab.retrieve.retrievers import EvidenceRetriever, PageRetriever

        return EvidenceRetriever(PageRetriever(index, retrieve.links), retrieve.pages, others=self._dense(index.store))

    def _dense(self, store: Store) -> Retriever | None:
        """Dense retrieval, where it is wanted and the corpus has vectors."""
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

    def verifier(self) -> Verifier:
        verify = self._settings.verify
        if verify.verifier != DEFAULT:
            plugin: Verifier = load_plugin("verifiers", verify.verifier)
            return plugin
        if verify.model == LLM:
            from veritab.verify.llm import LlmVerifier

            given = asdict(self._settings.llm)
            return LlmVerifier.open({name: value for name, value in given.items() if value != ""})
        if verify.model == NONE:
            from veritab.verify.judge import ComputingVerifier

            return ComputingVerifier()
        from veritab.verify.model import ModelVerifier

        return ModelVerifier(
            self._models["verdict"],
            reading=verify.reading,
            pieces=verify.pieces,
            facts=verify.facts,
            rows=verify.rows,
            brief_when_computed=verify.vote,
            profile=verify.profile,
        )
