"""Conjunctions of FEVER's and VitaminC's claims about one page: false as soon as one part is.

The evidence of a refuted FEVEROUS claim often contradicts one part and leaves the others out. A model trained only on
claims of one part takes that for NOT ENOUGH INFO.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.build.elements import sentence, untitled
from veritab.build.sampling import content_terms, jaccard
from veritab.corpus.fever import title_of
from veritab.datasets.normalise import LABELS, NOT_ENOUGH, REFUTES, SUPPORTS, plain_text, title_key
from veritab.schema import Element
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import render_elements
from veritab.train.sources.pages import held_out_titles
from veritab.train.sources.sentences import vitaminc_records

# Revisions of one sentence contradict each other; parts of a claim come from sentences about other things.
_OF_ONE_THING = 0.3
_MOST_PARTS = 3
_ALL_TRUE = 0.6
_TRIES = 4


class _Part(NamedTuple):
    claim: str
    gold: Element
    label: int


def conjunctions(
    context: SourceContext, *, pairs: int = 20_000, titled: float = 0.9, partly: float = 0.5
) -> Iterator[VerdictExample]:
    """Two or three claims of a page as one; the share `partly` lacks the evidence of one part."""
    pages = _parts_by_page(context)
    titles = sorted(page for page, parts in pages.items() if len(parts) > 1)
    left = pairs
    for turn in range(20):
        for page in titles:
            rng = context.rng("joined", turn, page)
            pair = _conjoin(page, pages[page], rng, partly, titled=rng.random() < titled)
            if pair is None:
                continue
            yield pair
            left -= 1
            if left == 0:
                return


def _parts_by_page(context: SourceContext) -> dict[str, list[_Part]]:
    held_out = held_out_titles(context.data)
    found: dict[str, list[_Part]] = {}
    for record in context.data.records("fever/train_pairs"):
        page = title_of(record["page"])
        gold = sentence(page, record["line"], plain_text(record["sentence"]))
        found.setdefault(page, []).append(_Part(squeeze(record["claim"]), gold, LABELS[record["label"]]))
    for number, (page, claim, text, label) in enumerate(vitaminc_records(context, held_out=False)):
        found.setdefault(page, []).append(_Part(claim, sentence(page, number, text), label))
    return {page: parts for page, parts in found.items() if title_key(page) not in held_out}


def _conjoin(
    page: str, parts: Sequence[_Part], rng: random.Random, partly: float, *, titled: bool
) -> VerdictExample | None:
    # Sampled at random, claims of which all parts are true would be rare.
    pool = [each for each in parts if each.label == SUPPORTS] if rng.random() < _ALL_TRUE else parts
    chosen = _pick_parts(page, pool, rng)
    if len(chosen) < 2:
        return None
    golds = [each.gold for each in chosen if each.label != NOT_ENOUGH or rng.random() < 0.5]
    if len(golds) > 1 and rng.random() < partly:
        golds.remove(rng.choice(golds))
    if not golds:
        return None
    gold = sorted(set(golds), key=lambda each: each.id)
    claim = _join_claims([each.claim for each in chosen], page.partition(" (")[0], rng)
    return VerdictExample(claim, render_elements(gold if titled else untitled(gold)), _label(chosen, gold))


def _pick_parts(page: str, parts: Sequence[_Part], rng: random.Random) -> list[_Part]:
    """A few parts that say different things, of sentences that are the same or say different things."""
    wanted = rng.choice((2, 2, _MOST_PARTS))
    chosen: list[_Part] = []
    for part in rng.sample(list(parts), min(len(parts), wanted * _TRIES)):
        if all(_are_independent(page, part, each) for each in chosen):
            chosen.append(part)
        if len(chosen) == wanted:
            break
    return chosen


def _are_independent(page: str, one: _Part, other: _Part) -> bool:
    about = content_terms(page)
    texts = [(one.claim, other.claim), *([] if one.gold == other.gold else [(one.gold.text, other.gold.text)])]
    return all(jaccard(content_terms(a) - about, content_terms(b) - about) < _OF_ONE_THING for a, b in texts)


def _label(parts: Sequence[_Part], gold: Sequence[Element]) -> int:
    """One part that the evidence refutes is enough; all must be supported for the claim to be."""
    if any(part.label == REFUTES and part.gold in gold for part in parts):
        return REFUTES
    return SUPPORTS if all(part.label == SUPPORTS and part.gold in gold for part in parts) else NOT_ENOUGH


def _join_claims(claims: Sequence[str], name: str, rng: random.Random) -> str:
    """The claims as one sentence; what they are about is not named again where they all begin with it."""
    sentences = [claim.removesuffix(".") for claim in claims]
    if all(each.startswith(f"{name} ") for each in sentences):
        sentences = [sentences[0], *(each.removeprefix(f"{name} ") for each in sentences[1:])]
    link = rng.choice((" and ", ", and ", "; "))
    return f"{link.join(sentences)}."
