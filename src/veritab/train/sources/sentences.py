"""Claims beside sentences: natural language inference, FEVER and VitaminC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from veritab.corpus.fever import title_of
from veritab.datasets import DataFiles
from veritab.schema import Element
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext, checked, weighted
from veritab.train.sources.evidence import sentence, shown, untitled
from veritab.train.sources.normalise import LABELS, NOT_ENOUGH, page_title, plain_text, title_key
from veritab.train.sources.pages import held_out_titles, is_aside, library
from veritab.train.sources.sampling import NegativeSampler

SAMPLING = {"nearest": 0.75, "random": 0.1, "swapped": 0.15}
"""How often each way of finding evidence that does not settle a claim is taken."""


def snli(given: SourceContext) -> Iterator[VerdictExample]:
    """Captions of photographs and what follows from them."""
    return _natural(given, "nli/snli")


def mnli(given: SourceContext) -> Iterator[VerdictExample]:
    """Sentences of ten genres and what follows from them."""
    return _natural(given, "nli/mnli")


def _natural(given: SourceContext, name: str) -> Iterator[VerdictExample]:
    for record in given.data.records(name):
        if record["label"] not in LABELS:
            given.left_out["no label"] += 1
            continue
        premise = plain_text(record["premise"])
        yield VerdictExample(
            plain_text(record["hypothesis"]), shown([sentence("", 0, premise)]), LABELS[record["label"]]
        )


# -- FEVER -------------------------------------------------------------------------------------------------


def gold_of_claims(data: DataFiles) -> dict[str, list[Element]]:
    """FEVER's training claims, each with all gold sentences that its file has for it."""
    found: dict[str, list[Element]] = {}
    for record in data.records("fever/train_pairs"):
        gold = sentence(title_of(record["page"]), record["line"], plain_text(record["sentence"]))
        found.setdefault(squeeze(record["claim"]), []).append(gold)
    return found


def fever(
    given: SourceContext,
    *,
    titled: float = 0.9,
    distractors: float = 0.5,
    nei: float = 1.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[VerdictExample]:
    """FEVER's training claims with their gold sentence, and as often as `nei` says with evidence that settles nothing.

    Pages that models are measured on are left out.
    """
    weights = checked(sampling or SAMPLING, ("nearest", "random", "swapped"), "sampling")
    barred = held_out_titles(given.data)
    around = NegativeSampler(library(given.data), barred)
    known = list(given.data.records("fever/train_pairs"))
    gold_of = {claim: [each.text for each in gold] for claim, gold in gold_of_claims(given.data).items()}
    around.gather(sorted({page for each in known if title_key(page := title_of(each["page"])) not in barred}))
    for number, record in enumerate(known):
        page, claim = title_of(record["page"]), squeeze(record["claim"])
        if title_key(page) in barred:
            given.left_out["on a page that is measured"] += 1
            continue
        chance = given.chance("fever", number)
        gold = sentence(page, record["line"], plain_text(record["sentence"]))
        evidence = [gold]
        if chance.random() < distractors:
            evidence += around.beside(claim, page, gold_of[claim], chance)
        yield VerdictExample(claim, _shown(evidence, chance.random() < titled), LABELS[record["label"]])
        for _ in range(int(nei) + (chance.random() < nei % 1)):
            way = weighted(chance, weights)
            asked = claim
            if way == "swapped":
                asked, evidence = around.swapped(claim, page, chance)
            else:
                look = around.nearest if way == "nearest" else around.anywhere
                evidence = look(claim, page, gold_of[claim], chance)
            if asked and evidence:
                yield VerdictExample(asked, _shown(evidence, chance.random() < titled), NOT_ENOUGH)
            else:
                given.left_out[f"no evidence by {way}"] += 1


def _shown(evidence: Sequence[Element], titled: bool) -> str:
    return shown(evidence if titled else untitled(evidence))


# -- VitaminC ----------------------------------------------------------------------------------------------


def vitaminc(given: SourceContext, *, titled: float = 0.9, distractors: float = 0.2) -> Iterator[VerdictExample]:
    """Claims and revised sentences of Wikipedia, without the pages that are measured."""
    barred = held_out_titles(given.data)
    around = NegativeSampler(library(given.data), barred) if distractors else None
    for number, (page, claim, gold, label) in enumerate(vitaminc_records(given, aside=False)):
        if title_key(page) in barred:
            given.left_out["on a page that is measured"] += 1
            continue
        chance = given.chance("vitaminc", number)
        evidence = [sentence(page, 0, gold)]
        if around and chance.random() < distractors:
            evidence += around.beside(claim, page, [gold], chance)
        yield VerdictExample(claim, _shown(evidence, chance.random() < titled), label)


def vitaminc_held(given: SourceContext) -> Iterator[VerdictExample]:
    """The tenth of VitaminC's pages that is only measured."""
    for page, claim, gold, label in vitaminc_records(given, aside=True):
        yield VerdictExample(claim, shown([sentence(page, 0, gold)]), label)


def vitaminc_records(given: SourceContext, *, aside: bool) -> Iterator[tuple[str, str, str, int]]:
    """Page, claim, sentence and label, of the pages that are only measured or of all others."""
    for record in given.data.records("vitaminc/real"):
        page = page_title(record["page"])
        if is_aside(page) == aside:
            yield page, plain_text(record["claim"]), plain_text(record["evidence"]), LABELS[record["label"]]
