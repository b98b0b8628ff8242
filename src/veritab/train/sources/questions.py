"""Questions made of sentences, with the readings of each: which one says what the sentence says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from veritab.build.library import library
from veritab.build.questions.backward import BackwardQuestion, ask_of_page
from veritab.build.questions.ranking import asked_text
from veritab.corpus.fever import title_of
from veritab.datasets.normalise import plain_text, title_key
from veritab.models.candidates import CandidateText
from veritab.train.examples import SelectorExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.pages import bucket, held_out_titles

_SENTENCES = 6
_MEASURED_SHARE = 20
"""Of a thousand pages so many are measured on, and nothing else is made of them."""


def ask_questions(context: SourceContext, *, measured: bool = False) -> Iterator[BackwardQuestion]:
    """Questions about FEVER's true claims and about Wikipedia's introductions, in random order of the pages."""
    held_out = held_out_titles(context.data)
    known = library(context.data)
    claims: dict[str, list[str]] = {}
    for record in context.data.records("fever/train_pairs"):
        if record["label"] == "SUPPORTS":
            claims.setdefault(title_of(record["page"]), []).append(plain_text(record["claim"]))
    titles = [*claims, *known.titles]
    context.rng("questions").shuffle(titles)
    for title in dict.fromkeys(titles):
        if title_key(title) in held_out:
            context.left_out["on a page that is measured"] += 1
            continue
        if (bucket(title) < _MEASURED_SHARE) != measured:
            continue
        sentences = chain(known.introduction(title).sentences[:_SENTENCES], claims.get(title, ()))
        yield from ask_of_page(title, list(dict.fromkeys(sentences)), context.rng("questions of", title))


def questions(context: SourceContext, *, pairs: int = 20_000, others: int = 8) -> Iterator[SelectorExample]:
    """The right readings of at most `pairs` questions, and so many wrong ones of each."""
    for asked in islice(ask_questions(context), pairs):
        yield from _examples(context, asked, others)


def questions_dev(context: SourceContext, *, pairs: int = 500) -> Iterator[SelectorExample]:
    """The same of pages that nothing is trained on, with up to twenty wrong readings of each question."""
    for asked in islice(ask_questions(context, measured=True), pairs):
        yield from _examples(context, asked, 20)


def _examples(context: SourceContext, asked: BackwardQuestion, others: int) -> Iterator[SelectorExample]:
    """Half of the wrong readings are those that the rules list first: the ones that are hard to tell."""
    text = asked_text(asked.question, asked.answer)
    wrong = [reading.text for reading, right in zip(asked.readings, asked.right, strict=True) if not right]
    first, rest = wrong[: others // 2], wrong[others // 2 :]
    chosen = first + context.rng("wrong readings", text).sample(rest, min(len(rest), others - len(first)))
    for reading, right in zip(asked.readings, asked.right, strict=True):
        if right:
            yield SelectorExample(text, CandidateText(reading.text), True, ())
    for each in chosen:
        yield SelectorExample(text, CandidateText(each), False, ())
