"""How well an encoder finds what bears on a claim: the page, the sentence of a known page, and the table.

Beside it stand the encoder it was made from, where one is given, and TF-IDF, which knows words only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.corpus_r import FILES
from benchmarks.models_card import Figures
from benchmarks.models_figures import with_interval
from benchmarks.models_kept import Vectors
from benchmarks.models_sentences import TOP, asked_of_fm2, fm2_pages, found_in, in_page, meant
from benchmarks.models_sets import sample
from veritab.build.library import Library, library
from veritab.corpus.fever import title_of
from veritab.datasets.normalise import title_key
from veritab.datasets.tabular import TableStatement, tabfact_statements
from veritab.papers.retrieval.tfidf import HashedTfidf
from veritab.text import squeeze
from veritab.train.sources.encoder_sources import passage, table_text
from veritab.train.sources.pages import held_out_titles

_CLAIMS = 500
_INTRODUCTIONS = 8000
_ALL, _NOT_MET, _BARRED = "all", "not met", "barred"


class Asked(NamedTuple):
    """A claim, and the numbers of the texts that are right for it."""

    claim: str
    gold: frozenset[int]


class Search(NamedTuple):
    """Claims, and the texts among which theirs have to be found."""

    texts: list[str]
    asked: list[Asked]
    met: frozenset[int]
    """Texts whose title occurs in what encoders are trained on."""
    held_out: frozenset[int] = frozenset()
    """Texts whose page training leaves out, wherever it occurs."""

    def places(self, group: str) -> list[int]:
        """The claims whose gold was not met, or is barred as a whole."""
        kept: dict[str, Callable[[frozenset[int]], bool]] = {
            _ALL: lambda gold: True,
            _NOT_MET: self.met.isdisjoint,
            _BARRED: self.held_out.issuperset,
        }
        return [place for place, each in enumerate(self.asked) if kept[group](each.gold)]


def encoder(report: Figures, models: Sequence[Vectors], most: int) -> None:
    """Pages, sentences and tables, each by words and by every encoder."""
    claims = min(most, _CLAIMS) if most else 0
    _pages(report, models, claims)
    _sentences(report, models, most)
    _tables(report, models, claims)
    for each in models:
        each.save()


# -- ranking -----------------------------------------------------------------------------------------------


def _by_words(claims: Sequence[str], texts: Sequence[str], most: int) -> list[list[int]]:
    index = HashedTfidf.build((f"{number:06}", text) for number, text in enumerate(texts))
    return [[int(id) for id, _ in found] for found in index.search(claims, most)]


def _by_meaning(vectors: Vectors, claims: Sequence[str], texts: Sequence[str], most: int) -> list[list[int]]:
    scores = vectors.encode(claims, query=True) @ vectors.encode(texts).T
    order: list[list[int]] = np.argsort(-scores, axis=1, kind="stable")[:, :most].tolist()
    return order


def _compared(
    report: Figures,
    heading: str,
    search: Search,
    models: Sequence[Vectors],
    cuts: Sequence[int],
    groups: Mapping[str, str],
) -> None:
    """A table of recall, one line for each group of claims and each number of texts that are looked at."""
    claims = [each.claim for each in search.asked]
    ranked = {"words (TF-IDF)": _by_words(claims, search.texts, max(cuts))}
    ranked |= {each.name: _by_meaning(each, claims, search.texts, max(cuts)) for each in models}
    rows = [["claims", "n", "found in the first", *ranked]]
    for group, what in groups.items():
        places = search.places(group)
        for cut in cuts if places else ():
            shares = [_recall(search, found, places, cut) for found in ranked.values()]
            rows.append([what, f"{len(places):,}", str(cut), *(with_interval(share, len(places)) for share in shares)])
            for name, share in zip(ranked, shares, strict=True):
                if group == _ALL:
                    report.figure(name, f"{heading}, found in the first {cut}", share)
    report.table(heading, rows)


def _recall(search: Search, found: Sequence[Sequence[int]], places: Sequence[int], cut: int) -> float:
    """The share of some claims that have a right text among the first."""
    return sum(not search.asked[place].gold.isdisjoint(found[place][:cut]) for place in places) / len(places)


# -- pages -------------------------------------------------------------------------------------------------

_FEVER = ("fever/val_pairs", "fever/dev_gold_text")
_PAGE_GROUPS = {
    _ALL: "all",
    _NOT_MET: "page not in fever/train_pairs",
    _BARRED: "page that training leaves out",
}


def _pages(report: Figures, models: Sequence[Vectors], most: int) -> None:
    for name, whole in _page_searches().items():
        heading = f"The page of a claim: {name}"
        search = whole._replace(asked=sample(whole.asked, most, name))
        _compared(report, heading, search, models, (1, 5, 20), _PAGE_GROUPS)
        report.note(
            heading,
            f"{len(search.asked):,} of {len(whole.asked):,} claims whose page has an introduction in wiki/passages; "
            f"{len(search.texts):,} introductions, those of all these pages among them. {_known_before(whole)}",
        )


def _known_before(search: Search) -> str:
    """How much of what is asked may have been trained on."""
    taught = {squeeze(record["claim"]) for record in FILES.records("fever/train_pairs")}
    pages = frozenset[int]().union(*(each.gold for each in search.asked))
    same = sum(each.claim in taught for each in search.asked)
    return (
        f"Of their {len(pages):,} gold pages {len(pages & search.met) / len(pages):.1%} occur in fever/train_pairs, "
        f"and of the claims {same / len(search.asked):.1%} do. Training leaves out the pages of "
        f"{len(search.places(_BARRED)):,} claims: claims about them are measured."
    )


def _page_searches() -> dict[str, Search]:
    """The claims of files of FEVER, each once, among the same introductions whichever the file is."""
    known, held_out = library(FILES), held_out_titles(FILES)
    met = {title_key(title_of(record["page"])) for record in FILES.records("fever/train_pairs")}
    claims = {file: _gold_titles(file, known) for file in _FEVER}
    gold = dict.fromkeys(title for file in claims.values() for titles in file.values() for title in titles)
    others = [title for title in map(title_key, known.titles) if title not in gold]
    pool = [*gold, *sample(others, _INTRODUCTIONS - len(gold), "introductions")]
    places = {title: place for place, title in enumerate(pool)}
    texts = [passage(*known.introduction(title)) for title in pool]
    asked = {
        file: [Asked(claim, frozenset(places[title] for title in titles)) for claim, titles in each.items()]
        for file, each in claims.items()
    }
    known_before, left_out = (frozenset(places[title] for title in pool if title in some) for some in (met, held_out))
    return {file: Search(texts, each, known_before, left_out) for file, each in asked.items()}


def _gold_titles(name: str, known: Library) -> dict[str, list[str]]:
    """The pages of each claim whose introductions are known."""
    found: dict[str, dict[str, None]] = {}
    for record in FILES.records(name):
        pages = record["evidence_pages"] if "evidence_pages" in record else [record["page"]]
        for title in (title_key(title_of(page)) for page in pages):
            if known.introduction(title).sentences:
                found.setdefault(squeeze(record["claim"]), {})[title] = None
    return {claim: list(titles) for claim, titles in found.items()}


# -- sentences ---------------------------------------------------------------------------------------------


def _sentences(report: Figures, models: Sequence[Vectors], most: int) -> None:
    heading = "The sentences of a known page: FM2 dev"
    # The same claims as those of the selector, to be compared with it.
    asked = sample(asked_of_fm2(), most, "fm2 selector")
    rows = [[f"the first {TOP} by", "gold sentences", "claims with some gold", "claims with all"]]
    with fm2_pages() as index:
        rows.append(["words (retrieve/in_page)", *found_in(in_page(asked, index))[:3]])
        for each in models:
            found = found_in(meant(asked, each))
            rows.append([each.name, *found[:3]])
            report.figure(each.name, f"{heading}, gold sentences in the first {TOP}", found.value)
            rows.append([f"words and {each.name}", *found_in(in_page(asked, index, each))[:3]])
    report.table(heading, rows)
    size = sum(len(each.whole) for each in asked) / len(asked)
    report.note(heading, f"{len(asked):,} claims; {size:.1f} sentences of a page on average, all that the file holds.")


# -- tables ------------------------------------------------------------------------------------------------

_ROWS_SHOWN = (0, 3)
_TABLE_GROUPS = {_ALL: "all", _NOT_MET: "title of no table in tabfact/train_partial"}


def _tables(report: Figures, models: Sequence[Vectors], most: int) -> None:
    met = {each.table.id.page for each in tabfact_statements(FILES, "train_partial")}
    statements = list(tabfact_statements(FILES, "val"))
    for rows in _ROWS_SHOWN:
        heading = f"The table of a statement: TabFact val, tables as title, columns and {rows} rows"
        whole = _table_search(statements, rows, met)
        search = whole._replace(asked=sample(whole.asked, most, "tabfact tables"))
        _compared(report, heading, search, models, (1, 5), _TABLE_GROUPS)
        report.note(
            heading,
            f"{len(search.asked):,} of {len(whole.asked):,} statements; {len(search.texts):,} texts of tables: those "
            "that read the same are one. No table of val is in train_partial, but titles are in both.",
        )


def _table_search(statements: Sequence[TableStatement], rows: int, met: set[str]) -> Search:
    texts = [table_text(each.table, rows) for each in statements]
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    asked = [Asked(each.claim, frozenset({places[text]})) for each, text in zip(statements, texts, strict=True)]
    known_before = {places[text] for each, text in zip(statements, texts, strict=True) if each.table.id.page in met}
    return Search(list(places), asked, frozenset(known_before))
