"""KILT's measures as its own programs compute them: pages found, answers right, and answers right with their pages.

A record is {"id", "output": [{"answer", "provenance": [{"wikipedia_id"}, ...]}]}. Gold may have several outputs, each
with the pages of one way to the answer; a guess has exactly one, whose provenance is ranked.

    Rprec            the largest, over the gold outputs, of |first R pages and gold pages| / R
    precision@k      recall@k      success_rate@k    over a ranking in which an evidence set is one place, taken when
                     its last page is found; a page of no set is a place of its own
    accuracy         the answer is, letter for letter, one of the gold answers
    KILT-AC          the same, and Rprec is 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from veritab.errors import InputError
from veritab.evaluate.json_records import id_in
from veritab.evaluate.official import OfficialRecord, sum_in_order

AT = (1, 5, 10, 20)
EXAMPLE = '{"id": 1, "output": [{"answer": "SUPPORTS", "provenance": [{"wikipedia_id": "1"}]}]}'


class KiltOutcome(NamedTuple):
    """What KILT makes of one guess; `at` holds its measures at ranks, by name."""

    right: bool
    r_precision: float
    at: Mapping[str, float]

    @property
    def kilt_right(self) -> bool:
        return self.right and self.r_precision == 1


def kilt_score(
    guesses: Sequence[OfficialRecord], gold: Sequence[OfficialRecord], at: Sequence[int] = AT
) -> dict[str, float]:
    """KILT's measures under its own names; guesses are matched with gold by id, and each claim needs one."""
    return kilt_means(kilt_outcomes(guesses, gold, at))


def kilt_means(outcomes: Sequence[KiltOutcome]) -> dict[str, float]:
    """The measures of some claims, under KILT's own names."""
    if not outcomes:
        raise InputError("there are no gold records, so there is nothing to score; give a file that holds some")
    names = dict.fromkeys(name for each in outcomes for name in each.at)
    n = len(outcomes)
    return {
        "accuracy": sum(each.right for each in outcomes) / n,
        "KILT-AC": sum(each.kilt_right for each in outcomes) / n,
        "Rprec": sum_in_order(each.r_precision for each in outcomes) / n,
        **{name: sum_in_order(each.at[name] for each in outcomes) / n for name in names},
    }


def kilt_outcomes(
    guesses: Sequence[OfficialRecord], gold: Sequence[OfficialRecord], at: Sequence[int] = AT
) -> list[KiltOutcome]:
    """The same, claim by claim, in the order of the gold."""
    if any(k < 1 for k in at):
        raise InputError(f"metrics are taken at ranks from 1 upwards, not at {tuple(at)}")
    by_id = _by_id(guesses, "guess")
    outcomes = []
    for id, record in _by_id(gold, "gold record").items():
        if id not in by_id:
            raise InputError(f"there is no guess for id {id!r}; KILT scores a file only when it has all of them")
        outcomes.append(_outcome(by_id[id], record, at))
    return outcomes


def _by_id(records: Sequence[OfficialRecord], what: str) -> dict[str, OfficialRecord]:
    by_id: dict[str, OfficialRecord] = {}
    for number, record in enumerate(records):
        id = id_in(record)
        if not id:
            raise InputError(f"{what} {number} has no id; expected e.g. {EXAMPLE}")
        if id in by_id:
            raise InputError(f"{what} {number} has the id {id!r} of an earlier one; keep one of them")
        by_id[id] = record
    return by_id


def _outcome(guess: OfficialRecord, gold: OfficialRecord, at: Sequence[int]) -> KiltOutcome:
    outputs = guess.get("output") or []
    if len(outputs) != 1:
        raise InputError(f"the guess for id {guess['id']!r} has {len(outputs)} outputs; expected exactly one")
    (output,) = outputs
    found, sets = _pages(output), [_pages(each) for each in gold["output"]]
    # As there, a way to the answer without provenance is a set for Rprec, where it is worth 0, and no set for ranks.
    r_precision = max((_r_precision(found, pages) for pages in sets), default=0.0)
    evidence = [set(_pages(each)) for each in gold["output"] if "provenance" in each]
    return KiltOutcome(_is_right(output, gold), r_precision, _at(found, evidence, at))


def _is_right(output: OfficialRecord, gold: OfficialRecord) -> bool:
    answer = str(output.get("answer") or "").strip()
    answers = {str(each.get("answer") or "").strip() for each in gold["output"]} - {""}
    return answer in answers


def _pages(output: OfficialRecord) -> list[str]:
    """The pages of an output, each once, in their order."""
    named = (each for each in output.get("provenance") or () if "wikipedia_id" in each)
    return list(dict.fromkeys(str(each["wikipedia_id"]).strip() for each in named))


def _r_precision(found: Sequence[str], pages: Sequence[str]) -> float:
    return len(set(found[: len(pages)]) & set(pages)) / len(pages) if pages else 0.0


def _at(found: Sequence[str], evidence: Sequence[set[str]], at: Sequence[int]) -> dict[str, float]:
    distinct = list({frozenset(each): None for each in evidence})
    places = list(_places(found, distinct)) if found else []
    hits = {k: places[:k].count(True) for k in at}
    # Recall and success at the first place alone are not reported there: they would be precision@1 again.
    deep = [k for k in at if k > 1]
    return {
        **{f"precision@{k}": hits[k] / k for k in at},
        **{f"recall@{k}": hits[k] / len(distinct) if distinct else 0.0 for k in deep},
        **{f"success_rate@{k}": float(hits[k] > 0) for k in deep},
    }


def _places(found: Sequence[str], evidence: Sequence[frozenset[str]]) -> Iterator[bool]:
    """The ranking with one place for each evidence set: whether the set whose place it is was found whole."""
    places: list[int | None] = []
    left = [set(each) for each in evidence]
    for page in found:
        of_a_set = False
        for number, pages in enumerate(left):
            if page in pages:
                of_a_set = True
                pages.remove(page)
                if number in places:
                    places.remove(number)
                places.append(number)
        if not of_a_set:
            places.append(None)
    for place in places:
        yield place is not None and not left[place]
