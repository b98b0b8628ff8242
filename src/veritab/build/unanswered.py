"""Questions that nothing in a corpus answers: their claims have not enough info, for this corpus.

An answer is looked for in every wording that is known of it: without articles and accents, a name in its shorter forms,
a date in either order, a number in digits and in words, and what a redirect of its name leads to. It must stand in no
text, cell or title, and be no target of a link. Then the texts nearest to the question are read: one that says a part
of the answer may hold it in other words, and one that says nearly all of the question may answer it otherwise; neither
question is taken. What else those texts say is the evidence, found and not annotated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from veritab.build.inflection import check_installed
from veritab.build.processes import from_anywhere, in_batches, map_in_order
from veritab.build.questions.conversion import Conversion, convert_all
from veritab.build.records import AnsweredQuestion, Built, BuiltRecord, ClaimOrigin, LeftOut, refuse_repeated
from veritab.build.sampling import content_terms, names
from veritab.corpus import Corpus
from veritab.corpus.store import Store
from veritab.engine import Engine, ThisProcess
from veritab.lexicon.grammar import ARTICLES
from veritab.lexicon.numbers import MONTH_NAMES, SMALL_CARDINALS, TENS
from veritab.quantities import Date, Quantity, parse_quantities
from veritab.retrieve.retrievers import EvidenceRetriever, open_retriever
from veritab.schema import Claim, Element, Hit, Kind, Label, Retriever, Verdict
from veritab.text import STOP_WORDS, words

ABSENT = "absent"
FOR_THIS_CORPUS = "NEI for this corpus"
Form: TypeAlias = tuple[str, ...]
"""The words of an answer or a text as they are compared."""

_DROPPED = ARTICLES | {"s"}
_UNSOUGHT = frozenset({(), ("yes",), ("no",)})
_TEXTS = frozenset({Kind.SENTENCE, Kind.ITEM, Kind.PASSAGE})
_TOGETHER = 64
_NEAREST = 20
_MOST_EVIDENCE = 3
_ANSWERS_OTHERWISE = 0.75
"""A text that shares so much of a question, or more, may say another answer to it."""
_NEAR = 0.3
"""A text that shares less of a question is about something else, and no evidence."""
_SPELLED = {number: word for word, number in (TENS | SMALL_CARDINALS).items()}


class _Absent(NamedTuple):
    """A question that nothing in the corpus answers, and the texts nearest to it."""

    question: AnsweredQuestion
    nearest: tuple[Element, ...]


def unanswered(
    questions: Iterable[AnsweredQuestion | LeftOut],
    corpus: Corpus,
    source: str,
    *,
    corpus_name: str,
    retriever: Retriever | None = None,
    seed: int = 0,
    engine: Engine | None = None,
) -> Iterator[Built]:
    """The claims of questions that nothing in the corpus answers, with the nearest texts as silver evidence.

    The corpus is read through once, whatever the number of questions. A question may bring its claim; else it is made
    of the question and its first answer. Without a retriever there is no evidence, and no text is compared.
    """
    every = list(refuse_repeated(questions))
    asked = [each for each in every if isinstance(each, AnsweredQuestion)]
    held = find_answers(corpus, {answer for each in asked for answer in each.answers})
    check_installed()
    work = _Work(retriever, source, corpus_name, seed)
    of_each = (
        (each, held.intersection(each.answers) if isinstance(each, AnsweredQuestion) else held) for each in every
    )
    yield from map_in_order(work, of_each, engine)


@dataclass(frozen=True)
class _Work:
    """Makes the claim of one question, of which it is known what answers the corpus holds."""

    retriever: Retriever | None
    source: str
    corpus_name: str
    seed: int

    def __call__(self, given: tuple[AnsweredQuestion | LeftOut, frozenset[str]]) -> list[Built]:
        question, held = given
        found = question if isinstance(question, LeftOut) else _examine(question, held, self.retriever)
        if isinstance(found, LeftOut):
            return [found]
        made = _own_claim(found.question) or next(convert_all([found.question]))
        return [_record(found, made, self.source, self.corpus_name, self.seed)]


@dataclass
class CorpusRetriever:
    """A retriever over the corpus at a path, which each process opens for itself, when it first asks."""

    corpus: Path | None
    opened: EvidenceRetriever | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"corpus": from_anywhere(self.corpus), "opened": None}

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """What it finds for each claim."""
        self.opened = self.opened or open_retriever(self.corpus)
        return self.opened.retrieve(claims, k)

    def close(self) -> None:
        """Close what was opened here."""
        if self.opened:
            self.opened.close()


def _own_claim(question: AnsweredQuestion) -> Conversion | None:
    claim = question.record.get("claim")
    return Conversion(question.id, claim, "", 1.0) if isinstance(claim, str) and claim else None


def _record(each: _Absent, made: Conversion, source: str, corpus_name: str, seed: int) -> Built:
    asked = each.question
    if made.claim is None:
        return LeftOut(asked.where, asked.id, f"no claim could be made of it: {made.reason}")
    details = {"scope": FOR_THIS_CORPUS, "corpus": corpus_name, "question": asked.text, "answer": asked.answers[0]}
    return BuiltRecord(
        f"{asked.id}-{ABSENT}",
        made.claim,
        Label.NOT_ENOUGH_INFO,
        ClaimOrigin(source, asked.id, ABSENT, seed),
        (tuple(element.id for element in each.nearest),) if each.nearest else (),
        silver=bool(each.nearest),
        details={**details, "confidence": made.confidence},
    )


# -- what the nearest texts say ----------------------------------------------------------------------------


def _examine(asked: AnsweredQuestion, held: frozenset[str], retriever: Retriever | None) -> _Absent | LeftOut:
    """The question with the texts nearest to it; or why the corpus may answer it."""
    if reason := _why_not(asked, held):
        return LeftOut(asked.where, asked.id, reason)
    if retriever is None:
        return _Absent(asked, ())
    (hits,) = retriever.retrieve([Claim(asked.id, asked.text)], _NEAREST)
    asks = content_terms(asked.text)
    answers = frozenset[str]().union(*map(content_terms, asked.answers)) - asks
    near = []
    for hit in hits:
        says = content_terms(f"{hit.element.id.page} {hit.element.text}")
        if partly := sorted(answers & says):
            reason = f"{str(hit.element.id)!r}, near the question, says {partly[0]!r} of its answer"
            return LeftOut(asked.where, asked.id, reason)
        if len(asks & says) >= _ANSWERS_OTHERWISE * len(asks):
            return LeftOut(asked.where, asked.id, f"{str(hit.element.id)!r} may answer it otherwise")
        if hit.element.kind in _TEXTS and len(asks & says) >= _NEAR * len(asks):
            near.append(hit.element)
    return _Absent(asked, tuple(near[:_MOST_EVIDENCE]))


def _why_not(asked: AnsweredQuestion, held: frozenset[str]) -> str:
    if not asked.answers:
        return "it has no answer, so that nothing can be looked for"
    for answer in asked.answers:
        if _form(answer) in _UNSOUGHT:
            return f"its answer {answer[:80]!r} cannot be looked for"
        if frozenset() < content_terms(answer) <= content_terms(asked.text):
            return f"its answer {answer[:80]!r} is in the question already"
        if answer in held:
            return f"the corpus holds its answer {answer[:80]!r}"
    return ""


# -- where an answer stands --------------------------------------------------------------------------------


def find_answers(corpus: Corpus, answers: Iterable[str]) -> frozenset[str]:
    """Those of the answers that stand, in any wording known, in a text, cell or title of the corpus, or are linked."""
    sought: dict[Form, set[str]] = {}
    for answer in sorted(answers):
        for form in wordings(answer):
            sought.setdefault(form, set()).add(answer)
    if isinstance(corpus, Store):
        for redirect in corpus.redirects():
            for answer in sought.get(_form(redirect.title), ()):
                sought.setdefault(_form(redirect.target), set()).add(answer)
    by_first: defaultdict[str, list[Form]] = defaultdict(list)
    for form in sought:
        by_first[form[0]].append(form)
    held: set[str] = set()
    for text in _texts_of(corpus):
        said = _form(text)
        for place, word in enumerate(said):
            for form in by_first.get(word, ()):
                if said[place : place + len(form)] == form:
                    held |= sought[form]
    return frozenset(held)


def _texts_of(corpus: Corpus) -> Iterator[str]:
    """Every text, cell and title of a corpus, and what its links lead to."""
    if isinstance(corpus, Store):
        yield from corpus.link_targets()
    for page in corpus.pages():
        yield page.title
        for text, _ in page.texts():
            yield text


def _form(text: str) -> Form:
    """The words of a text in lower case, without accents, articles and the s of a genitive."""
    return tuple(word for word in words(text) if word not in _DROPPED)


def wordings(answer: str) -> set[Form]:
    """How an answer may be written: as it is, without what is in brackets, a name shortened, a date or number."""
    found = {_form(answer), _form(answer.partition(" (")[0]), *_shorter_names(answer)}
    read = parse_quantities(answer)
    if len(read) == 1 and read[0].span == (0, len(answer)):
        if isinstance(read[0], Date):
            found.update(map(_form, _dates(read[0])))
        elif isinstance(read[0], Quantity) and not read[0].unit and not read[0].ordinal and read[0].value.is_integer():
            number = int(read[0].value)
            found.update(map(_form, (str(number), f"{number:,}", _SPELLED.get(number, ""))))
    return found - {()}


def _shorter_names(answer: str) -> Iterator[Form]:
    """The name in an answer by itself, and by its last word with each one before: Georges Auguste Escoffier."""
    for name in names(answer):
        parts = [form for part in name.split() if (form := _form(part))]
        if len(parts) > 1 and not any(map(str.isdigit, name)):
            yield _form(name)
            yield from (part + parts[-1] for part in parts[:-1] if len(part[0]) > 1 and part[0] not in STOP_WORDS)


def _dates(date: Date) -> Iterator[str]:
    if date.month is None:
        yield f"{date.year:,}" if date.year else ""  # a number such as 1200 is read as a year
        return
    name, year = MONTH_NAMES[date.month - 1], date.year or ""
    if date.day is None:
        yield f"{name} {year}"
        return
    for month in (name, name[:3]):
        yield f"{date.day} {month} {year}"
        yield f"{month} {date.day} {year}"
    if date.year:
        yield f"{date.year:04}-{date.month:02}-{date.day:02}"


# -- asked of a checker ------------------------------------------------------------------------------------


class CorpusChecker(Protocol):
    """What checks claims against a whole corpus: `veritab.Checker`."""

    def check_many(self, claims: Iterable[str | Claim]) -> Iterator[Verdict]: ...


def keep_unsettled_by_corpus(
    built: Iterable[Built], checker: CorpusChecker, engine: Engine | None = None
) -> Iterator[Built]:
    """Those that the checker cannot settle by the whole corpus either; the others are told as left out."""
    for some in (engine or ThisProcess()).map(partial(_check_some, checker), in_batches(built, _TOGETHER)):
        yield from some


def _check_some(checker: CorpusChecker, some: list[Built]) -> list[Built]:
    records = [each for each in some if isinstance(each, BuiltRecord)]
    verdicts = iter(checker.check_many([Claim(each.id, each.claim) for each in records]))
    return [_judged(each, next(verdicts)) if isinstance(each, BuiltRecord) else each for each in some]


def _judged(record: BuiltRecord, verdict: Verdict) -> Built:
    if verdict.label is not Label.NOT_ENOUGH_INFO:
        reason = f"the checker settles it by the corpus ({verdict.label})"
        return LeftOut(f"record {record.origin.record}", record.origin.record, reason, ABSENT)
    score = round(verdict.scores[verdict.label], 3)
    return replace(record, details={**record.details, "checked": str(verdict.label), "score": score})
