"""Claims beside sentences: natural language inference, FEVER and VitaminC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from veritab.build.elements import sentence, untitled
from veritab.build.library import library
from veritab.build.sampling import NegativeSampler, check_weights, weighted_choice
from veritab.corpus.fever import title_of
from veritab.datasets import DataFiles
from veritab.datasets.normalise import LABELS, NOT_ENOUGH, page_title, plain_text, title_key
from veritab.schema import Element
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import render_elements
from veritab.train.sources.pages import is_held_out

SAMPLING = {"nearest": 0.75, "random": 0.1, "swapped": 0.15}
"""How often each way of finding evidence that does not settle a claim is taken."""


def snli(context: SourceContext) -> Iterator[VerdictExample]:
    """Captions of photographs and what follows from them."""
    return _inference_pairs(context, "nli/snli")


def mnli(context: SourceContext) -> Iterator[VerdictExample]:
    """Sentences of ten genres and what follows from them."""
    return _inference_pairs(context, "nli/mnli")


def _inference_pairs(context: SourceContext, name: str) -> Iterator[VerdictExample]:
    for record in context.data.records(name):
        if record["label"] not in LABELS:
            context.left_out["no label"] += 1
            continue
        premise = plain_text(record["premise"])
        yield VerdictExample(
            plain_text(record["hypothesis"]), render_elements([sentence("", 0, premise)]), LABELS[record["label"]]
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
    context: SourceContext,
    *,
    titled: float = 0.9,
    distractors: float = 0.5,
    nei: float = 1.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[VerdictExample]:
    """FEVER's training claims with their gold sentence, and as often as `nei` says with evidence that settles nothing.

    Pages that models are measured on are left out.
    """
    paged = fever_by_page(context, titled=titled, distractors=distractors, nei=nei, sampling=sampling)
    return (example for _, example in paged)


def fever_by_page(
    context: SourceContext,
    *,
    titled: float = 0.9,
    distractors: float = 0.5,
    nei: float = 1.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[tuple[str, VerdictExample]]:
    """The same, each with the page of its claim."""
    weights = check_weights(sampling or SAMPLING, ("nearest", "random", "swapped"), "sampling")
    held_out = context.held_out
    sampler = NegativeSampler(library(context.data), held_out)
    pairs_ = list(context.data.records("fever/train_pairs"))
    gold_of = {claim: [each.text for each in gold] for claim, gold in gold_of_claims(context.data).items()}
    sampler.group_by_kind(
        sorted({page for each in pairs_ if title_key(page := title_of(each["page"])) not in held_out})
    )
    for number, record in enumerate(pairs_):
        page, claim = title_of(record["page"]), squeeze(record["claim"])
        if title_key(page) in held_out:
            context.left_out["on a page that is measured"] += 1
            continue
        rng = context.rng("fever", number)
        gold = sentence(page, record["line"], plain_text(record["sentence"]))
        evidence = [gold]
        if rng.random() < distractors:
            evidence += sampler.distractors(claim, page, gold_of[claim], rng)
        yield page, VerdictExample(claim, _render(evidence, rng.random() < titled), LABELS[record["label"]])
        for _ in range(int(nei) + (rng.random() < nei % 1)):
            way = weighted_choice(rng, weights)
            claim_text = claim
            if way == "swapped":
                claim_text, evidence = sampler.swap_page(claim, page, rng)
            else:
                find = sampler.nearest if way == "nearest" else sampler.from_any_page
                evidence = find(claim, page, gold_of[claim], rng)
            if claim_text and evidence:
                yield page, VerdictExample(claim_text, _render(evidence, rng.random() < titled), NOT_ENOUGH)
            else:
                context.left_out[f"no evidence by {way}"] += 1


def _render(evidence: Sequence[Element], titled: bool) -> str:
    return render_elements(evidence if titled else untitled(evidence))


# -- VitaminC ----------------------------------------------------------------------------------------------


def vitaminc(context: SourceContext, *, titled: float = 0.9, distractors: float = 0.2) -> Iterator[VerdictExample]:
    """Claims and revised sentences of Wikipedia, without the pages that are measured."""
    return (example for _, example in vitaminc_by_page(context, titled=titled, distractors=distractors))


def vitaminc_by_page(
    context: SourceContext, *, titled: float = 0.9, distractors: float = 0.2
) -> Iterator[tuple[str, VerdictExample]]:
    """The same, each with its page."""
    held_out = context.held_out
    sampler = NegativeSampler(library(context.data), held_out) if distractors else None
    for number, (page, claim, gold, label) in enumerate(vitaminc_records(context, held_out=False)):
        if title_key(page) in held_out:
            context.left_out["on a page that is measured"] += 1
            continue
        rng = context.rng("vitaminc", number)
        evidence = [sentence(page, 0, gold)]
        if sampler and rng.random() < distractors:
            evidence += sampler.distractors(claim, page, [gold], rng)
        yield page, VerdictExample(claim, _render(evidence, rng.random() < titled), label)


def vitaminc_held(context: SourceContext) -> Iterator[VerdictExample]:
    """The tenth of VitaminC's pages that is only measured."""
    return (example for _, example in vitaminc_held_by_page(context))


def vitaminc_held_by_page(context: SourceContext) -> Iterator[tuple[str, VerdictExample]]:
    """The same, each with its page."""
    for page, claim, gold, label in vitaminc_records(context, held_out=True):
        yield page, VerdictExample(claim, render_elements([sentence(page, 0, gold)]), label)


def vitaminc_records(context: SourceContext, *, held_out: bool) -> Iterator[tuple[str, str, str, int]]:
    """Page, claim, sentence and label, of the pages that are only measured or of all others."""
    for record in context.data.records("vitaminc/real"):
        page = page_title(record["page"])
        if is_held_out(page) == held_out:
            yield page, plain_text(record["claim"]), plain_text(record["evidence"]), LABELS[record["label"]]
