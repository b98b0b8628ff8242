"""The sets of a grid as examples with their pages: the four that have a name, and files of claims with evidence.

Evidence is given, not retrieved. Each set has a part to train on, a part to tune gamma on and a part to test on; what
is tuned and tested on has pages of its own, and nothing is trained on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from veritab.build.elements import sentence
from veritab.datasets import REGISTRY, DataFiles, gold_texts, load
from veritab.datasets.example_rows import origin_of
from veritab.datasets.normalise import page_title, plain_text, title_key
from veritab.datasets.splitting import ties, wording
from veritab.datasets.tabular import UNTITLED, infotabs_statements
from veritab.errors import InputError, NotFound
from veritab.schema import Element, ElementId, Example, Label, Problem
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.derived_facts import DerivedFacts
from veritab.train.sources.evidence import render_elements
from veritab.train.sources.held_out import fever_three_by_pages, fool_me_twice_by_page
from veritab.train.sources.pages import bucket
from veritab.train.sources.sentences import fever_by_page, vitaminc_by_page, vitaminc_held_by_page
from veritab.train.sources.statements import TableRenderer
from veritab.train.transfer.grid import TEST, TUNE

_TUNED, _TESTED = 200, 200
"""Of a thousand pages: those of tested claims that gamma is tuned on, and those of a file that is also trained on."""
_UNTITLED = title_key(UNTITLED)
_NO_LABEL = "no label"


class PagedExample(NamedTuple):
    """An example and the pages its claim and evidence are from, by the keys of their titles."""

    pages: tuple[str, ...]
    example: VerdictExample
    built_of: tuple[Hashable, ...] = ()
    """What its claim was built of, where it was: the words of a claim, and the record."""

    @property
    def wording(self) -> Hashable:
        """What claims in the same words share."""
        return wording(self.example.claim)

    @property
    def place(self) -> str:
        """What splits go by: its first page; or what its claim was first built of, or its claim, where it has none."""
        return self.pages[0] if self.pages else repr((*self.built_of, self.wording)[0])


Part = Callable[[SourceContext], Iterator[PagedExample]]


class TransferSet(NamedTuple):
    """Where the examples of a set come from; `tune` is None where a part of the tested pages is for that."""

    train: Part
    test: Part
    tune: Part | None = None


def _paged(pages: Iterable[str], example: VerdictExample, built_of: tuple[Hashable, ...] = ()) -> PagedExample:
    keys = dict.fromkeys(title_key(page) for page in pages if page)
    return PagedExample(tuple(key for key in keys if key and key != _UNTITLED), example, built_of)


# -- the sets that have a name -----------------------------------------------------------------------------


def _of_pages(read: Callable[[SourceContext], Iterator[tuple[Any, VerdictExample]]]) -> Part:
    def part(context: SourceContext) -> Iterator[PagedExample]:
        for pages, example in read(context):
            yield _paged((pages,) if isinstance(pages, str) else pages, example)

    return part


def _fool_me_twice_train(context: SourceContext) -> Iterator[tuple[str, VerdictExample]]:
    try:
        yield from fool_me_twice_by_page(context, "fm2/train")
    except NotFound:
        raise NotFound(
            "fm2 has nothing to train on: fm2/train is not in the data folder, and fm2/dev is only tested on; "
            f"it comes from {REGISTRY['fm2/train'].home}"
        ) from None


def _infotabs(split: str) -> Part:
    def part(context: SourceContext) -> Iterator[PagedExample]:
        renderer = TableRenderer("rows", DerivedFacts())
        for statement in infotabs_statements(context.data, split):
            example = VerdictExample(statement.claim, renderer.render(statement), statement.label)
            yield _paged([statement.table.id.page], example)

    return part


NAMED: Mapping[str, TransferSet] = {
    "fever": TransferSet(_of_pages(fever_by_page), _of_pages(fever_three_by_pages)),
    "vitaminc": TransferSet(_of_pages(vitaminc_by_page), _of_pages(vitaminc_held_by_page)),
    "fm2": TransferSet(
        _of_pages(_fool_me_twice_train), _of_pages(lambda context: fool_me_twice_by_page(context, "fm2/dev"))
    ),
    "infotabs": TransferSet(_infotabs("train"), _infotabs("test_alpha1"), _infotabs("dev")),
}


# -- files -------------------------------------------------------------------------------------------------


class EvidenceCorpus(Protocol):
    """A corpus, as far as evidence is looked up in one."""

    def element(self, id: ElementId | str) -> Element: ...


class FileSet:
    """A file of claims with labels and evidence: a data set that `load` reads, or what `veritab build` wrote.

    The text of evidence is what the record quotes; or what the record quotes that the claim was built of, where both
    have the same evidence; or what the corpus has at its addresses.
    """

    def __init__(self, name: str, path: str, data: Path | None, corpus: EvidenceCorpus | None) -> None:
        self._name, self._path, self._data, self._corpus = name, path, data, corpus
        self._sources: dict[str, dict[str, Example]] = {}

    def part(self, inside: Callable[[str], bool]) -> Part:
        """The examples of some pages."""

        def read(context: SourceContext) -> Iterator[PagedExample]:
            return (each for each in self.read(context.left_out) if inside(each.place))

        return read

    def read(self, left_out: Counter[str]) -> Iterator[PagedExample]:
        """Every example; what became none is counted with the reason."""
        labelled = 0
        for _, each in load(self._path, data=self._data).by_line():
            if isinstance(each, Problem):
                left_out["a record that cannot be read"] += 1
            elif each.label is None:
                left_out[_NO_LABEL] += 1
            else:
                labelled += 1
                elements = self._evidence(each)
                if elements:
                    pages = [element.id.page for element in elements if element.id.page != UNTITLED]
                    pages = pages or sorted({id.page for gold in each.evidence for id in gold})
                    claim = squeeze(plain_text(each.claim.text))
                    label = list(Label).index(each.label)
                    *built_of, _ = ties(each)
                    yield _paged(pages, VerdictExample(claim, render_elements(elements), label), tuple(built_of))
                else:
                    left_out["evidence without text"] += 1
        if not labelled:
            raise InputError(
                f"no claim of {self._name} ({self._path}) has a label; nothing can be trained or tested on it"
            )

    def _evidence(self, example: Example) -> list[Element]:
        quoted = _quoted(example)
        if not quoted and (source := self._source_of(example)):
            quoted = _quoted(source)
        return quoted or self._looked_up(example)

    def _looked_up(self, example: Example) -> list[Element]:
        """The first evidence set that the corpus has whole."""
        if self._corpus is None:
            return []
        for ids in example.evidence:
            try:
                return [self._corpus.element(id) for id in sorted(ids)]
            except NotFound:
                continue
        return []

    def _source_of(self, example: Example) -> Example | None:
        """The record that a claim was built of, where it has the same evidence."""
        origin = origin_of(example)
        if origin.get("source") not in REGISTRY:
            return None
        name = str(origin["source"])
        if name not in self._sources:
            self._sources[name] = {each.claim.id: each for each in load(name, data=self._data)}
        source = self._sources[name].get(str(origin.get("record")))
        return source if source and set(source.evidence) == set(example.evidence) else None


def _quoted(example: Example) -> list[Element]:
    """The evidence that a record quotes."""
    return [
        sentence(page_title(quoted.page), number, plain_text(quoted.text))
        for number, quoted in enumerate(gold_texts(example))
        if quoted.text.strip()
    ]


# -- the parts of a grid's sets ----------------------------------------------------------------------------


class SetReader:
    """Reads the sets of a grid, so that what is tested shares no page and no claim with what is trained on."""

    def __init__(
        self,
        files: Mapping[str, str],
        *,
        trained: Sequence[str],
        tested: Sequence[str],
        data: DataFiles,
        folder: Path | None,
        corpus: EvidenceCorpus | None = None,
        seed: int = 0,
    ) -> None:
        self._data, self._seed = data, seed
        self._sets = dict(NAMED)
        for name, path in files.items():
            own = FileSet(name, path, folder, corpus)
            both = name in trained and name in tested
            self._sets[name] = TransferSet(
                own.part((lambda place: not _is_tested(place)) if both else _any),
                own.part(_is_tested if both else _any),
            )
        self._pages: set[str] = set()
        self._claims: set[Hashable] = set()
        self._origins: set[Hashable] = set()

    def tested(self, name: str, left_out: Counter[str]) -> dict[str, list[VerdictExample]]:
        """What gamma is tuned on, and what is tested on; from now on their pages are held out of training."""
        own = self._sets[name]
        context = SourceContext(self._data, self._seed, left_out)
        parts: dict[str, list[VerdictExample]] = {TUNE: [], TEST: []}
        every = [(TUNE if own.tune is None and _is_tuned(each.place) else TEST, each) for each in own.test(context)]
        every += [(TUNE, each) for each in (own.tune(context) if own.tune else ())]
        for part, each in every:
            parts[part].append(each.example)
            self._pages.update(each.pages)
            self._claims.add(each.wording)
            self._origins.update(each.built_of)
        for part, found in parts.items():
            if not found:
                raise InputError(f"{name} has no claims to {part} with; test on a set with more pages")
        return parts

    def trained(self, name: str, left_out: Counter[str]) -> Iterator[VerdictExample]:
        """What is trained on of a set, none of it on a page that is tested."""
        context = SourceContext(self._data, self._seed, left_out, frozenset(self._pages))
        for each in self._sets[name].train(context):
            if self._pages.intersection(each.pages):
                left_out["on a page that is tested"] += 1
            elif each.wording in self._claims:
                left_out["a claim that is tested"] += 1
            elif self._is_kin_of_tested(each):
                left_out["of one origin with a claim that is tested"] += 1
            else:
                yield each.example

    def _is_kin_of_tested(self, each: PagedExample) -> bool:
        """Whether a tested claim was built of this one, or this one of it, or both of one record or claim."""
        kept_apart = (self._claims, self._origins)
        return each.wording in self._origins or not all(keys.isdisjoint(each.built_of) for keys in kept_apart)

    @property
    def tested_pages(self) -> int:
        return len(self._pages)


def _any(place: str) -> bool:
    return True


def _is_tested(place: str) -> bool:
    """Whether a page of a file that is trained and tested on is tested."""
    return bucket(f"test {place}") < _TESTED


def _is_tuned(place: str) -> bool:
    """Whether gamma is tuned on a page."""
    return bucket(f"tune {place}") < _TUNED
