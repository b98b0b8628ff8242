"""A page for each error to look at: the claim, the gold evidence, and what each run found and said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from veritab.errors import VeritabError
from veritab.evaluate.attribution import Fault
from veritab.evaluate.scored_runs import ClaimResult, ScoredRun
from veritab.render.html import draw_label, draw_runs, draw_scores
from veritab.render.markup import Markup, joined, tag, text
from veritab.render.view import LABELS, highlight_claim_words, score_shares
from veritab.schema import Element, ElementId, Verdict
from veritab.text import shorten

if TYPE_CHECKING:
    from veritab.corpus import Corpus

_MOST_PIECES = 8
_LONGEST = 600


class ErrorCase(NamedTuple):
    """A claim that some run got wrong: its place among the claims, and what each run made of it, in their order."""

    place: int
    results: tuple[ClaimResult, ...]

    @property
    def anchor(self) -> str:
        return f"claim-{self.place + 1}"

    @property
    def first(self) -> ClaimResult:
        return self.results[0]


def choose(runs: Sequence[ScoredRun], most: int) -> list[ErrorCase]:
    """The claims to be looked at, at most so many: every kind of fault has its share, in the order of the claims."""
    pages = [
        ErrorCase(place, results) for place, results in enumerate(zip(*(run.results for run in runs), strict=True))
    ]
    kinds: dict[tuple[Fault, ...], list[ErrorCase]] = {}
    for page in pages:
        faults = tuple(result.fault for result in page.results)
        if any(fault is not Fault.NONE for fault in faults):
            kinds.setdefault(faults, []).append(page)
    chosen: list[ErrorCase] = []
    waiting = list(kinds.values())
    while waiting and len(chosen) < most:
        chosen += [some[0] for some in waiting[: most - len(chosen)]]
        waiting = [some[1:] for some in waiting if len(some) > 1]
    return sorted(chosen, key=lambda page: page.place)


class ElementTexts:
    """The words of elements: those that verdicts quote, and those of a corpus where one is at hand."""

    def __init__(self, corpus: Corpus | None, verdicts: Iterable[Verdict] = ()) -> None:
        self._corpus = corpus
        self._quoted = {hit.element.id: hit.element for verdict in verdicts for hit in verdict.evidence}

    def element(self, id: ElementId) -> Element | None:
        """The element with an address; None where nobody knows it."""
        if id in self._quoted or self._corpus is None:
            return self._quoted.get(id)
        try:
            return self._corpus.element(id)
        except VeritabError:
            return None


def articles(runs: Sequence[ScoredRun], pages: Sequence[ErrorCase], corpus: Corpus | None = None) -> Iterable[Markup]:
    """The pages as articles of HTML, each with links to those before and after it."""
    ids = [page.first.id for page in pages]
    verdicts = [run.verdicts(ids) for run in runs]
    predicted = [run.predicted_evidence(ids) for run in runs]
    for number, page in enumerate(pages):
        case_verdicts = [each.get(page.first.id) for each in verdicts]
        texts = ElementTexts(corpus, [verdict for verdict in case_verdicts if verdict])
        answers = [
            _answer(run, result, verdict, evidence.get(page.first.id, ()), texts, named=len(runs) > 1)
            for run, result, verdict, evidence in zip(runs, page.results, case_verdicts, predicted, strict=True)
        ]
        yield tag(
            "article",
            tag("header", _top(page), tag("h2", page.first.claim, dir="auto")),
            _gold(page, predicted, texts),
            *answers,
            _navigation(pages, number),
            class_=f"verdict {LABELS[page.first.gold].name}",
            id=page.anchor,
        )


def _top(page: ErrorCase) -> Markup:
    number = tag("a", f"#{page.first.id}", href=f"#{page.anchor}", class_="number")
    challenge = tag("span", page.first.challenge, class_="fault") if page.first.challenge else None
    return tag("p", "Gold: ", draw_label(LABELS[page.first.gold]), challenge, number, class_="top")


def _navigation(pages: Sequence[ErrorCase], number: int) -> Markup:
    before = tag("a", "← before", href=f"#{pages[number - 1].anchor}") if number else None
    after = tag("a", "next →", href=f"#{pages[number + 1].anchor}") if number + 1 < len(pages) else None
    return tag("nav", before, tag("a", "all errors", href="#errors"), after, aria_label="Other errors")


# -- evidence ----------------------------------------------------------------------------------------------


def _gold(page: ErrorCase, predicted: Sequence[Mapping[str, Sequence[ElementId]]], texts: ElementTexts) -> Markup:
    """The gold sets; what at least one run found is marked as found."""
    found = {id for each in predicted for id in each.get(page.first.id, ())}
    if not page.first.evidence:
        return _block("Gold evidence", tag("p", "None: nothing settles the claim, or nobody said what.", class_="none"))
    several = len(page.first.evidence) > 1
    sets = []
    for number, gold in enumerate(page.first.evidence, 1):
        pieces = [ElementId.parse(each) for each in gold]
        lines = (_piece(id, texts, page.first.claim, "found" if id in found else "missed") for id in pieces)
        sets.append(joined(tag("p", f"Set {number}", class_="place") if several else None, _pieces(lines)))
    return _block("Gold evidence", *sets)


def _answer(
    run: ScoredRun,
    result: ClaimResult,
    verdict: Verdict | None,
    evidence: Sequence[ElementId],
    texts: ElementTexts,
    *,
    named: bool,
) -> Markup:
    gold = {id for each in result.evidence for id in each}
    said = draw_label(LABELS[result.predicted]) if result.predicted else text("no answer")
    fault = tag("span", str(result.fault), class_="fault")
    lines = [_piece(id, texts, result.claim, "found" if str(id) in gold else None) for id in evidence]
    rest = lines[_MOST_PIECES:]
    more = tag("details", tag("summary", f"{len(rest)} more"), _pieces(rest)) if rest else None
    found = joined(_pieces(lines[:_MOST_PIECES]), more) if lines else tag("p", "No evidence was found.", class_="none")
    reasons = [tag("li", line, dir="auto") for line in verdict.reasoning] if verdict else []
    return tag(
        "section",
        tag("h3", f"{run.name}: " if named else "Answer: ", said, fault),
        draw_scores(score_shares(verdict.scores)) if verdict else None,
        tag("ul", *reasons, class_="reasons") if reasons else None,
        found,
        class_="answer",
    )


def _pieces(lines: Iterable[Markup]) -> Markup:
    return tag("ul", *lines, class_="pieces")


def _piece(id: ElementId, texts: ElementTexts, claim: str, kind: str | None) -> Markup:
    element = texts.element(id)
    if element is None:
        return tag("li", tag("code", str(id)), class_=kind)
    near = " › ".join(dict.fromkeys(context.text for context in element.context if context.text)) or id.page
    shown = shorten(element.text, _LONGEST)
    where = tag("span", near, " ", tag("code", str(id)), class_="where", dir="auto")
    return tag("li", tag("span", draw_runs(highlight_claim_words(shown, claim)), dir="auto"), where, class_=kind)


def _block(name: str, *children: Markup) -> Markup:
    return tag("section", tag("h3", name), *children)
