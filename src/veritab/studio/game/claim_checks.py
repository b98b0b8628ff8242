"""What a claim of the game must be, and what its author is told: forced are one sentence, and one or two pieces."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from veritab.audit.giveaways import Associations, Giveaway
from veritab.audit.ngrams import count_ngrams, tokenise
from veritab.datasets.near_duplicates import near_duplicates
from veritab.errors import InputError
from veritab.schema import Page, Sentence
from veritab.studio.advice import Advice, AdviceCode, advise
from veritab.studio.game.pieces import EvidencePiece, pieces_of
from veritab.studio.vocabulary import MutationType

MOST_GOLD = 2
FORCED = frozenset({AdviceCode.EMPTY, AdviceCode.TOO_LONG, AdviceCode.SEVERAL_SENTENCES})
"""What of the advice on a claim cannot be left as it is. A copied sentence can: it is easy to spot, and pays little."""
_NEAR = 0.6
"""From such a share of common words and pairs of words two claims are nearly one."""
FEWEST_CLAIMS = 100
"""Of fewer claims nobody can tell which words go with a label."""
_MOST_GIVEAWAYS = 50
_TRUE, _FALSE = "true", "false"


class KnownClaims(NamedTuple):
    """What is known of the other claims of a game: those about the page, and what gives any of them away."""

    on_page: tuple[str, ...] = ()
    giveaways: tuple[Giveaway, ...] | None = None
    """None where there are too few claims to tell."""


def claim_faults(text: str, gold_ids: Sequence[str], page: Page) -> list[str]:
    """What forbids publishing a claim, all of it."""
    told = [advice.message for advice in advise(text) if advice.code in FORCED]
    return told + list(_gold_faults(gold_ids, page))


def _gold_faults(gold_ids: Sequence[str], page: Page) -> Iterator[str]:
    if not gold_ids:
        yield "Choose the evidence: one or two sentences, items or rows of the page that settle the claim."
        return
    try:
        number = len(pieces_of(page, gold_ids))
    except InputError as error:
        yield f"{error}."
        return
    if number > MOST_GOLD:
        yield f"You have chosen {number} pieces of evidence: choose one or two that settle the claim."


def gold_pieces(text: str, gold_ids: Sequence[str], page: Page) -> list[EvidencePiece]:
    """The gold evidence of a claim that may be published; every fault of one that may not."""
    if faults := claim_faults(text, gold_ids, page):
        raise InputError(" ".join(faults))
    return pieces_of(page, gold_ids)


def claim_advice(
    text: str, page: Page, *, truth: bool | None = None, known: KnownClaims | None = None, is_gold_first: bool = False
) -> list[Advice]:
    """What to tell the author of a claim, what forbids it first."""
    if not text.strip():
        return []
    learned = known.giveaways if known else None
    # Where the game cannot tell yet which words give labels away, negation is what does in every data set.
    by_rule = MutationType.NEGATION if learned is None and truth is False else None
    sentences = [block.text for block in page.blocks if isinstance(block, Sentence)]
    found = advise(text, title=page.title, sentences=sentences, mutation=by_rule)
    if any(advice.code in (AdviceCode.EMPTY, AdviceCode.TOO_LONG) for advice in found):
        return found
    found += _advise_on_script(text, page)
    found += _advise_on_claims(text, known.on_page if known else ())
    found += _advise_on_giveaways(text, learned or (), truth)
    if is_gold_first:
        found.append(Advice(AdviceCode.GOLD_FIRST, "Your evidence comes first in the search: say it in other words."))
    return sorted(found, key=lambda advice: advice.code not in FORCED)


def _advise_on_claims(text: str, claims: Sequence[str]) -> Iterator[Advice]:
    near = near_duplicates([text], claims, _NEAR) if claims else []
    if near:
        best = max(near, key=lambda each: each[2])
        yield Advice(AdviceCode.NEAR_CLAIM, f"Somebody has written nearly this: “{claims[best[1]]}”")


def _advise_on_giveaways(text: str, giveaways: Sequence[Giveaway], truth: bool | None) -> Iterator[Advice]:
    wanted = None if truth is None else _TRUE if truth else _FALSE
    found = tokenise(text)
    grams = {*found, *map(" ".join, pairwise(found))}
    for each in giveaways:
        if each.thing in grams and wanted in (None, each.label):
            yield Advice(
                AdviceCode.GIVEAWAY,
                f"“{each.thing}” gives the claim away: {each.here} of the {each.anywhere} claims with it are "
                f"{each.label}.",
            )


def _advise_on_script(text: str, page: Page) -> Iterator[Advice]:
    scripts = _scripts(text)
    own = _scripts("".join(islice((character for text, _ in page.texts() for character in text), _MOST_READ)))
    if scripts and own and scripts.most_common(1)[0][0] not in own:
        yield Advice(
            AdviceCode.OTHER_SCRIPT,
            "The claim is written in other letters than the page: nobody could find its evidence. Write it in those "
            "of the page.",
        )


_MOST_READ = 2_000
"""So many characters tell in which script a page is written."""


def _scripts(text: str) -> Counter[str]:
    """The scripts of the letters of a text, as Unicode calls them: LATIN, CYRILLIC, CJK."""
    letters = (character for character in text if character.isalpha())
    return Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)


# -- what gives labels away --------------------------------------------------------------------------------


def learn_giveaways(claims: Sequence[tuple[str, bool]]) -> tuple[Giveaway, ...] | None:
    """The words, and pairs of words, that go with true or with false claims beyond chance; None of too few claims."""
    if len(claims) < FEWEST_CLAIMS:
        return None
    labels = [_TRUE if truth else _FALSE for _, truth in claims]
    if len(set(labels)) < 2:
        return None
    counted = count_ngrams(text for text, _ in claims)
    found = (Associations(ngrams, labels, (_TRUE, _FALSE)).beyond_chance(_MOST_GIVEAWAYS) for ngrams in counted)
    return tuple(each for giveaways in found for each in giveaways)
