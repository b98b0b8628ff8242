"""What authors of the game are shown while they type, how fast, and how often their evidence comes first:
`python -m benchmarks.game_feedback [--corpus DIR]`.

Somebody types claims about the largest page of the almanac, and of another corpus where one is given, and asks for
feedback after every word. Then the claims of fm2/dev are ranked against the sentences that the data set quotes.
Everything is put into results/game-feedback.md.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus_r import records
from benchmarks.report import Report
from benchmarks.retrieval import _page_corpus
from veritab.corpus.store import FILE, Store
from veritab.evaluate.metrics import mean_metric
from veritab.papers.retrieval.tfidf import similarities
from veritab.pipeline import Checker
from veritab.retrieve.in_page import TextTerms, score_texts
from veritab.retrieve.index import Index
from veritab.schema import Claim
from veritab.studio.game.claim_checks import KnownClaims
from veritab.studio.game.feedback import METHODS, WritingFeedback, checker_answer, feedback_on
from veritab.studio.game.pieces import EvidencePiece, make_pieces
from veritab.text import words
from veritab.web.studio.browsing import PageShelf

RESULTS = Path(__file__).parent / "results" / "game-feedback.md"
SEED = 20
CLAIMS, ANSWERS = 40, 30
WORDS_TYPED = 12
SLOWEST = 150
"""Milliseconds that feedback may take, nineteen times of twenty."""
SHOWN = 10
"""How many retrieved sentences the game showed; what the published files have after them is gold."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, help="another corpus, besides the almanac, to measure on")
    given = parser.parse_args()
    report = Report("Feedback for authors of the game", "python -m benchmarks.game_feedback --corpus CORPUS")
    rows = [["corpus", "page", "pieces", "what", "times", "p50 ms", "p95 ms", "longest ms", "p95 computing"]]
    for folder in [None, *([given.corpus] if given.corpus else [])]:
        with Checker.open(folder) as checker:
            rows += measure(report, checker, "the almanac" if folder is None else f"{len(checker.store):,} pages")
    report.table("Times", rows)
    report.note("Times", f"The machine's own load over the last five minutes was {os.getloadavg()[1]:.1f}.")
    rank_fm2(report, given.corpus)
    report.write(RESULTS)


# -- how fast ----------------------------------------------------------------------------------------------


def measure(report: Report, checker: Checker, name: str) -> Iterator[list[str]]:
    """The times of feedback and of the checker's answer on the largest page of a corpus."""
    title = largest_page(checker.store)
    page = checker.store.page(title)
    pieces = make_pieces(page)
    about = [name, f"{title} ({len(page.elements):,} elements)", f"{len(pieces):,}"]
    rng = random.Random(SEED)
    typed = [text for _ in range(CLAIMS) for text in type_claim(pieces, rng)]
    known = KnownClaims(tuple(text for text in typed[-WORDS_TYPED * 20 :: WORDS_TYPED]), ())
    for method in METHODS:
        gold = [rng.choice(pieces).ids[0] for _ in typed]
        times = [
            timed(partial(give_feedback, text, title, [id], checker, method, known))
            for text, id in zip(typed, gold, strict=True)
        ]
        slow = at(95, [each.time for each in times])
        report.promise(
            f"feedback while typing, {name}, by {method}, p95", f"{slow:.0f} ms", f"< {SLOWEST} ms", kept=slow < SLOWEST
        )
        yield [*about, f"feedback by {method}", *spread(times)]
    whole = typed[WORDS_TYPED - 1 :: WORDS_TYPED][:ANSWERS]
    times = [timed(partial(checker_answer, text, rng.sample(pieces, 2), checker)) for text in whole]
    yield [*about, "the checker's answer by two pieces", *spread(times)]


def give_feedback(
    text: str, title: str, gold: Sequence[str], checker: Checker, method: str, known: KnownClaims
) -> WritingFeedback:
    """What the server does when somebody has typed: it looks for the page, too."""
    return feedback_on(text, PageShelf(checker, checker.name).page(title), gold, checker, method=method, known=known)


def largest_page(store: Store) -> str:
    """The page with the most texts, of those that take most room."""
    with closing(sqlite3.connect(f"{(store.folder / FILE).resolve().as_uri()}?mode=ro", uri=True)) as database:
        largest = database.execute("SELECT title FROM pages ORDER BY length(data) DESC LIMIT 20").fetchall()
    return max(
        [str(title) for (title,) in largest], key=lambda title: sum(bool(text) for text, _ in store.page(title).texts())
    )


def type_claim(pieces: Sequence[EvidencePiece], rng: random.Random) -> Iterator[str]:
    """A claim of words of two pieces, as it is after each word."""
    found = [word for piece in rng.sample(pieces, 2) for word in piece.text.split()]
    chosen = rng.sample(found, min(WORDS_TYPED, len(found)))
    chosen += rng.choices(found, k=WORDS_TYPED - len(chosen))
    yield from (" ".join(chosen[: number + 1]) for number in range(WORDS_TYPED))


class Taken(NamedTuple):
    """How many milliseconds something took, and how many of them its process computed."""

    time: float
    computing: float


def timed(work: Callable[[], object]) -> Taken:
    """How long something takes; a machine that is busy otherwise makes it wait."""
    begun, computing = time.perf_counter(), time.process_time()
    work()
    return Taken(1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - computing))


def at(percent: int, times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=100)[percent - 1]


def spread(taken: Sequence[Taken]) -> list[str]:
    times, computing = zip(*taken, strict=True)
    told = (statistics.median(times), at(95, times), max(times), at(95, computing))
    return [f"{len(times):,}", *(f"{each:.1f}" for each in told)]


# -- how often the gold comes first ------------------------------------------------------------------------


class Quoted(NamedTuple):
    """A claim of the published game, its page, its gold sentences, and those that it is ranked among."""

    text: str
    page: str
    gold: Sequence[str]
    candidates: Sequence[tuple[str, str]]
    """Sentences with the sections that they stand in."""


def rank_fm2(report: Report, corpus: Path | None) -> None:
    """How often the gold comes first, of fm2/dev, among several kinds of candidates."""
    heading = "Gold that comes first, fm2/dev"
    of_records = [quoted(record) for record in records("fm2/dev")]
    by_page: dict[str, dict[tuple[str, str], None]] = {}
    for each in of_records:
        by_page.setdefault(each.page, {}).update(dict.fromkeys(each.candidates))
    rows = [["candidates", "claims", "each among", "by", "first", "among the first ten"]]
    sections: dict[str, dict[str, dict[str, None]]] = {}
    for title, candidates in by_page.items():
        for text, section in candidates:
            sections.setdefault(title, {}).setdefault(section, {})[text] = None
    with tempfile.TemporaryDirectory() as folder:
        index = _page_corpus(Path(folder), sections)
        rows += ranked("what the claim's own record quotes", of_records, index)
        widened = [each._replace(candidates=tuple(by_page[each.page])) for each in of_records]
        rows += ranked("what the data set quotes of the page", widened, index)
        index.close()
        index.store.close()
    if corpus:
        with Checker.open(corpus) as checker:
            pages = [(each, whole_page(checker.store, each)) for each in of_records]
            known = [each._replace(candidates=found) for each, found in pages if found]
            rows += ranked("the page of the corpus, where it has all of the gold", known, checker.index)
    report.table(heading, rows)
    report.note(
        heading,
        "The data set does not hold whole pages, but the gold and the ten sentences that the game's retriever found "
        "first (those that follow them give the gold away, and are left out). So the gold of a claim is ranked among "
        "its record's sentences, then among all that the records of the same page quote.",
    )
    report.note(heading, "In brackets Wilson's 95 % interval. A claim counts when any of its gold is there.")


def quoted(record: Mapping[str, Any]) -> Quoted:
    """A record without what gives the gold away."""
    gold, found = (
        [(each["text"].strip(), each["section_header"]) for each in record[name]]
        for name in ("gold_evidence", "retrieved_evidence")
    )
    # The gold comes last, so that among equals it never comes first by its place.
    candidates = dict.fromkeys([*(each for each in found[:SHOWN] if each not in gold), *gold])
    return Quoted(record["text"], record["wikipedia_page"], [text for text, _ in gold], tuple(candidates))


def whole_page(store: Store, claim: Quoted) -> tuple[tuple[str, str], ...]:
    """The pieces of a claim's page in a corpus, where all of its gold is among them."""
    title = store.resolve(claim.page)
    pieces = make_pieces(store.page(title)) if title else []
    said = {tuple(words(piece.text)): piece for piece in pieces}
    if not all(tuple(words(text)) in said for text in claim.gold):
        return ()
    gold = {tuple(words(text)) for text in claim.gold}
    ordered = sorted(pieces, key=lambda piece: tuple(words(piece.text)) in gold)
    return tuple((piece.text, piece.section) for piece in ordered)


def ranked(name: str, claims: Sequence[Quoted], index: Index) -> Iterator[list[str]]:
    """A row for each way to rank."""
    if not claims:
        return
    many = statistics.mean(len(each.candidates) for each in claims)
    for method, score in (("TF-IDF", by_tfidf), ("`rank_in_page`", by_words)):
        ranks = [rank_of_gold(each, score(each, index)) for each in claims]
        first, ten = (share([rank <= most for rank in ranks]) for most in (1, SHOWN))
        yield [name, f"{len(claims):,}", f"{many:.0f} sentences", method, first, ten]


def by_tfidf(claim: Quoted, index: Index) -> list[float]:
    return similarities(claim.text, [text for text, _ in claim.candidates])


def by_words(claim: Quoted, index: Index) -> list[float]:
    texts = [TextTerms.of(text, [section]) for text, section in claim.candidates]
    return score_texts(Claim("", claim.text), claim.page, texts, index)


def rank_of_gold(claim: Quoted, scores: Sequence[float]) -> int:
    """The place of the gold that comes first; of equals, those that are no gold come before it."""
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    gold = {tuple(words(text)) for text in claim.gold}
    return next(rank for rank, place in enumerate(order, 1) if tuple(words(claim.candidates[place][0])) in gold)


def share(found: Sequence[bool]) -> str:
    return str(mean_metric(found))


if __name__ == "__main__":
    main()
