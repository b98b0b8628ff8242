"""The scores of FEVER and FEVEROUS as their own programs compute them, quirks included, to the last digit.

Both take plain records. A prediction has `predicted_label` and `predicted_evidence`; gold (`label`, `evidence`) stands
in the same record or, one for one and in the same order, in `actual`. What is odd about the two, and kept:

    claims are matched by their place, never by id           labels are compared without regard to case
    evidence beyond a budget is not looked at                a piece named twice counts twice
    a claim with no predicted evidence has precision 1       a claim whose gold evidence is [] has recall 1
    FEVER looks at evidence only where gold is not NOT ENOUGH INFO; FEVEROUS always does
    the form of evidence is looked at only where the label is right, and a tuple is no list

Where the official programs divide by zero they have no number. Then there is none here: no predictions at all are an
`InputError`, and an F1 of two zeros is None. `veritab.evaluate.scores` has our own figures, which never do that.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

from veritab.errors import InputError, short_repr

OfficialRecord: TypeAlias = Mapping[str, Any]
EvidencePieces: TypeAlias = list[Any]

MAX_EVIDENCE = 5
"""How many pieces FEVER looks at, and how many sentences FEVEROUS does."""
MAX_EVIDENCE_CELL = 25
"""How many cells, items and captions FEVEROUS looks at."""
IN_CELL_BUDGET = ("cell", "item", "table_caption", "header_cell")
"""What FEVEROUS counts against the second budget; everything else, known to it or not, counts against the first."""
NO_F1 = "precision and recall are both 0, and there the official scorer fails with a division by zero: it has no F1"


class OfficialScores(NamedTuple):
    """The five numbers of the official programs, in their order; F1 is None where they have none."""

    strict: float
    label_accuracy: float
    precision: float
    recall: float
    f1: float | None


class Outcome(NamedTuple):
    """What an official program makes of one claim; precision and recall are None where it looks at no evidence."""

    right: bool
    strict: bool
    precision: float | None
    recall: float | None


def fever_score(
    predictions: Sequence[OfficialRecord],
    actual: Sequence[OfficialRecord] | None = None,
    max_evidence: int | None = MAX_EVIDENCE,
) -> OfficialScores:
    """FEVER's score; evidence is [page, line] in predictions and [annotation, evidence, page, line] in gold."""
    return average_outcomes(fever_outcomes(predictions, actual, max_evidence))


def fever_outcomes(
    predictions: Sequence[OfficialRecord],
    actual: Sequence[OfficialRecord] | None = None,
    max_evidence: int | None = MAX_EVIDENCE,
) -> list[Outcome]:
    """The same, claim by claim."""
    return [
        fever_outcome(predicted, gold, max_evidence, number)
        for number, (predicted, gold) in enumerate(_with_gold(predictions, actual))
    ]


def feverous_score(
    predictions: Sequence[OfficialRecord],
    actual: Sequence[OfficialRecord] | None = None,
    max_evidence: int | None = MAX_EVIDENCE,
    max_evidence_cell: int | None = MAX_EVIDENCE_CELL,
) -> OfficialScores:
    """FEVEROUS's score; evidence is [page, kind, position] on both sides. Nothing that is given is changed."""
    return average_outcomes(feverous_outcomes(predictions, actual, max_evidence, max_evidence_cell))


def feverous_outcomes(
    predictions: Sequence[OfficialRecord],
    actual: Sequence[OfficialRecord] | None = None,
    max_evidence: int | None = MAX_EVIDENCE,
    max_evidence_cell: int | None = MAX_EVIDENCE_CELL,
) -> list[Outcome]:
    """The same, claim by claim."""
    return [
        feverous_outcome(predicted, gold, max_evidence, max_evidence_cell, number)
        for number, (predicted, gold) in enumerate(_with_gold(predictions, actual))
    ]


def average_outcomes(outcomes: Sequence[Outcome]) -> OfficialScores:
    """The five numbers of some claims."""
    if not outcomes:
        raise InputError("there are no predictions, and for none the official scorer has no number; give at least one")
    precisions = [each.precision for each in outcomes if each.precision is not None]
    recalls = [each.recall for each in outcomes if each.recall is not None]
    # Added up one after the other, as there: a more exact sum would differ in the last digit.
    precision = sum_in_order(precisions) / len(precisions) if precisions else 1.0
    recall = sum_in_order(recalls) / len(recalls) if recalls else 0.0
    return OfficialScores(
        sum(each.strict for each in outcomes) / len(outcomes),
        sum(each.right for each in outcomes) / len(outcomes),
        precision,
        recall,
        2.0 * precision * recall / (precision + recall) if precision + recall else None,
    )


def sum_in_order(values: Iterable[float]) -> float:
    """A sum with its rounding, as the official programs have it; `sum` corrects that from Python 3.12 on."""
    return reduce(operator.add, values, 0.0)


# -- both --------------------------------------------------------------------------------------------------


def _with_gold(
    predictions: Sequence[OfficialRecord], actual: Sequence[OfficialRecord] | None
) -> Iterator[tuple[OfficialRecord, OfficialRecord]]:
    """Each prediction with the record that holds its gold."""
    for number, predicted in enumerate(predictions):
        for key in ("predicted_label", "predicted_evidence"):
            if key not in predicted:
                raise InputError(f"prediction {number} has no {key}; every prediction needs one")
        if "evidence" in predicted and "label" in predicted:
            yield predicted, predicted
            continue
        if actual is None:
            raise InputError(f"prediction {number} has no gold label and evidence; give them, or the gold records")
        if len(actual) != len(predictions):
            raise InputError(
                f"there are {len(predictions)} predictions for {len(actual)} gold records, and both are matched by "
                "their place; give one for each, in the same order"
            )
        for key in ("label", "evidence"):
            if actual[number].get(key) is None:
                raise InputError(f"gold record {number} has no {key}, so nothing can be scored; give a labelled file")
        yield predicted, actual[number]


def _is_right(predicted: OfficialRecord, gold: OfficialRecord) -> bool:
    return bool(predicted["predicted_label"].upper() == gold["label"].upper())


def _precision(pieces: EvidencePieces, union: EvidencePieces) -> float:
    hits = sum(piece in union for piece in pieces)
    return hits / len(pieces) if pieces else 1.0


def _covers(pieces: EvidencePieces, groups: Sequence[EvidencePieces]) -> bool:
    """Whether some group lies wholly in the pieces; an empty one does."""
    return any(all(piece in pieces for piece in group) for group in groups)


# -- FEVER -------------------------------------------------------------------------------------------------


def fever_outcome(
    predicted: OfficialRecord, gold: OfficialRecord, max_evidence: int | None = MAX_EVIDENCE, number: int = 0
) -> Outcome:
    """What FEVER's scorer makes of one prediction; `number` is what a message calls it."""
    right = _is_right(predicted, gold)
    if right:
        _check_form(predicted["predicted_evidence"], (str, int), "['Soul_Food', 0]", number)
    if gold["label"].upper() == "NOT ENOUGH INFO":
        return Outcome(right, right, None, None)
    pieces = predicted["predicted_evidence"][:max_evidence]
    groups = [[[piece[2], piece[3]] for piece in group] for group in gold["evidence"]]
    union = [piece for group in groups for piece in group if piece[1] is not None]
    covered = _covers(pieces, groups)
    recall = 1.0 if covered or not groups else 0.0
    return Outcome(right, right and covered, _precision(pieces, union), recall)


def _check_form(pieces: EvidencePieces, types: tuple[type, ...], expected: str, number: int) -> None:
    for piece in pieces:
        if not isinstance(piece, list) or len(piece) != len(types) or not all(map(isinstance, piece, types)):
            raise InputError(
                f"prediction {number}: {short_repr(piece)} is not evidence; expected a list such as {expected}"
            )


# -- FEVEROUS ----------------------------------------------------------------------------------------------


def feverous_outcome(
    predicted: OfficialRecord,
    gold: OfficialRecord,
    max_evidence: int | None = MAX_EVIDENCE,
    max_evidence_cell: int | None = MAX_EVIDENCE_CELL,
    number: int = 0,
) -> Outcome:
    """What FEVEROUS's scorer makes of one prediction; `number` is what a message calls it."""
    right = _is_right(predicted, gold)
    pieces = list(_within(predicted["predicted_evidence"], max_evidence, max_evidence_cell, number))
    if right:
        _check_form(pieces, (str, str, str), "['Korean Air', 'cell', '1_19_0']", number)
    groups = [[[piece[0], piece[1], piece[2]] for piece in group] for group in gold["evidence"]]
    union = [piece for group in groups for piece in group if piece[0] is not None]
    covered = _covers(pieces, groups)
    recall = 1.0 if covered or not groups else 0.0
    return Outcome(right, right and covered, _precision(pieces, union), recall)


def _within(pieces: EvidencePieces, sentences: int | None, cells: int | None, number: int) -> Iterator[Any]:
    """What fits the two budgets, in its order."""
    left = {True: cells, False: sentences}
    for piece in pieces:
        if not isinstance(piece, (list, tuple)) or len(piece) < 2:
            raise InputError(
                f"prediction {number}: {short_repr(piece)} is not evidence; expected a list such as "
                "['Korean Air', 'cell', '1_19_0']"
            )
        small = piece[1] in IN_CELL_BUDGET
        room = left[small]
        if room is None:
            yield piece
        elif room > 0:
            left[small] = room - 1
            yield piece


def triple(id: str) -> list[str]:
    """An element id cut as FEVEROUS's own `evaluate.py` cuts it: at every underscore, wherever that stands.

    Equal ids give equal triples, so scores are those of whole ids; only a title with an underscore is put into the
    wrong budget, as it is there.
    """
    page, underscore, rest = id.partition("_")
    if not underscore:
        raise InputError(f"{short_repr(id)} is not an element id; expected e.g. 'Korean Air_cell_1_19_0'")
    kind, _, position = rest.partition("_")
    if "table_caption" in id or "header_cell" in id:
        second, _, position = position.partition("_")
        kind = f"{kind}_{second}" if "_" in rest else kind
    return [page, kind, position]


def feverous_groups(record: OfficialRecord) -> list[list[list[str]]]:
    """The evidence of a claim's record from a FEVEROUS file, as the scorer takes it."""
    return [[triple(id) for id in group["content"]] for group in record["evidence"]]
