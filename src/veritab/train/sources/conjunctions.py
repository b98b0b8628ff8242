"""Claims that say several things about one page, joined from FEVER's and VitaminC's: false as soon as one part is.

The evidence of a false claim of FEVEROUS often shows one part to be wrong and leaves the others out. A model that has
only met claims of one part takes that for not enough.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.corpus.fever import title_of
from veritab.schema import Element
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import sentence, shown, untitled
from veritab.train.sources.normalise import LABELS, NOT_ENOUGH, REFUTES, SUPPORTS, plain_text, title_key
from veritab.train.sources.pages import held_out_titles
from veritab.train.sources.sampling import alike, content
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
    given: SourceContext, *, pairs: int = 20_000, titled: float = 0.9, partly: float = 0.5
) -> Iterator[VerdictExample]:
    """Two or three claims of a page as one; so often as `partly` says, evidence for one of the parts is left out."""
    pages = _parts_by_page(given)
    titles = sorted(page for page, parts in pages.items() if len(parts) > 1)
    left = pairs
    for turn in range(20):
        for page in titles:
            chance = given.chance("joined", turn, page)
            pair = _joined(page, pages[page], chance, partly, titled=chance.random() < titled)
            if pair is None:
                continue
            yield pair
            left -= 1
            if left == 0:
                return


def _parts_by_page(given: SourceContext) -> dict[str, list[_Part]]:
    barred = held_out_titles(given.data)
    found: dict[str, list[_Part]] = {}
    for record in given.data.records("fever/train_pairs"):
        page = title_of(record["page"])
        gold = sentence(page, record["line"], plain_text(record["sentence"]))
        found.setdefault(page, []).append(_Part(squeeze(record["claim"]), gold, LABELS[record["label"]]))
    for number, (page, claim, text, label) in enumerate(vitaminc_records(given, aside=False)):
        found.setdefault(page, []).append(_Part(claim, sentence(page, number, text), label))
    return {page: parts for page, parts in found.items() if title_key(page) not in barred}


def _joined(
    page: str, parts: Sequence[_Part], chance: random.Random, partly: float, *, titled: bool
) -> VerdictExample | None:
    # Left to chance, claims of which all parts are true would be rare.
    pool = [each for each in parts if each.label == SUPPORTS] if chance.random() < _ALL_TRUE else parts
    chosen = _about_other_things(page, pool, chance)
    if len(chosen) < 2:
        return None
    golds = [each.gold for each in chosen if each.label != NOT_ENOUGH or chance.random() < 0.5]
    if len(golds) > 1 and chance.random() < partly:
        golds.remove(chance.choice(golds))
    if not golds:
        return None
    gold = sorted(set(golds), key=lambda each: each.id)
    claim = _sentence_of([each.claim for each in chosen], page.partition(" (")[0], chance)
    return VerdictExample(claim, shown(gold if titled else untitled(gold)), _label(chosen, gold))


def _about_other_things(page: str, parts: Sequence[_Part], chance: random.Random) -> list[_Part]:
    """A few parts that say different things, of sentences that are the same or say different things."""
    wanted = chance.choice((2, 2, _MOST_PARTS))
    chosen: list[_Part] = []
    for part in chance.sample(list(parts), min(len(parts), wanted * _TRIES)):
        if all(_go_together(page, part, each) for each in chosen):
            chosen.append(part)
        if len(chosen) == wanted:
            break
    return chosen


def _go_together(page: str, one: _Part, other: _Part) -> bool:
    about = content(page)
    texts = [(one.claim, other.claim), *([] if one.gold == other.gold else [(one.gold.text, other.gold.text)])]
    return all(alike(content(a) - about, content(b) - about) < _OF_ONE_THING for a, b in texts)


def _label(parts: Sequence[_Part], gold: Sequence[Element]) -> int:
    """One part that the evidence refutes is enough; all must be supported for the claim to be."""
    if any(part.label == REFUTES and part.gold in gold for part in parts):
        return REFUTES
    return SUPPORTS if all(part.label == SUPPORTS and part.gold in gold for part in parts) else NOT_ENOUGH


def _sentence_of(claims: Sequence[str], name: str, chance: random.Random) -> str:
    """The claims as one sentence; what they are about is not named again where they all begin with it."""
    said = [claim.removesuffix(".") for claim in claims]
    if all(each.startswith(f"{name} ") for each in said):
        said = [said[0], *(each.removeprefix(f"{name} ") for each in said[1:])]
    link = chance.choice((" and ", ", and ", "; "))
    return f"{link.join(said)}."
