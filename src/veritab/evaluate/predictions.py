"""Files of predictions: read line by line, every fault named with what to do, matched with the gold by id.

    fever     {"id", "predicted_label", "predicted_evidence": [["Soul_Food", 0], ...]}
    feverous  {"id", "predicted_label", "predicted_evidence": [["K2", "cell", "1_2_0"], ...] or ["K2_cell_1_2_0", ...]}
    fm2       {"id", "predicted_label", "predicted_evidence": passage ids, optional}
    faviq     the same without evidence; or, as for fm2, one JSON object {id: label}

Ids may be left out of a whole file (FEVEROUS's leaderboard has none): then line by line stands for the gold's order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from veritab.corpus.fever import title_of
from veritab.datasets import Task
from veritab.errors import InputError, short_repr
from veritab.evaluate.issues import BadPredictions, LineIssue
from veritab.evaluate.json_records import JsonRecords, id_in, read_records
from veritab.evaluate.official import IN_CELL_BUDGET, MAX_EVIDENCE, MAX_EVIDENCE_CELL, triple
from veritab.evaluate.official_two_way import said_label
from veritab.schema import ElementId, Kind, Label

Missing: TypeAlias = Literal["fail", "wrong", "skip"]
"""What a claim without a prediction is: a fault, an error of the system, or no part of the scoring."""
Unknown: TypeAlias = Literal["fail", "skip"]
"""What a prediction of a claim that the gold does not have is: a fault, or no part of the scoring."""

ADDRESSED = ("fever", "feverous")
"""The tasks whose evidence has addresses."""
EXAMPLES: Mapping[Task, str] = {
    "fever": '{"id": 1, "predicted_label": "SUPPORTS", "predicted_evidence": [["Soul_Food", 0]]}',
    "feverous": '{"id": 1, "predicted_label": "SUPPORTS", "predicted_evidence": [["K2", "cell", "1_2_0"]]}',
    "fm2": '{"id": "a1", "predicted_label": "SUPPORTS"}',
    "faviq": '{"id": "a1", "predicted_label": "SUPPORTS"}',
    "claims": '{"id": 1, "predicted_label": "SUPPORTS"}',
}


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a system says of one claim: a label (None where it says nothing) and evidence, the best first.

    `record` is what the file says; `line` is where, and 0 for a claim that it does not speak of.
    """

    id: str
    label: Label | None
    evidence: tuple[ElementId, ...]
    line: int
    record: Mapping[str, Any]


class Predictions(list[Prediction]):
    """The predictions of a file, in the order of the gold where that was given; `notes` is what was odd about them."""

    def __init__(self, predictions: Iterable[Prediction] = (), notes: Sequence[LineIssue] = ()) -> None:
        super().__init__(predictions)
        self.notes = tuple(notes)


def read_predictions(
    path: Path,
    task: Task,
    gold_ids: Sequence[str] | None = None,
    *,
    by_line: bool = False,
    missing: Missing = "fail",
    unknown: Unknown = "fail",
) -> Predictions:
    """Read a file of predictions and match it with the ids of the gold; `by_line` goes by the order of lines alone."""
    read = read_records(path)
    return match_predictions(read, task, gold_ids, name=str(path), by_line=by_line, missing=missing, unknown=unknown)


def match_predictions(
    read: JsonRecords,
    task: Task,
    gold_ids: Sequence[str] | None = None,
    *,
    name: str,
    by_line: bool = False,
    missing: Missing = "fail",
    unknown: Unknown = "fail",
) -> Predictions:
    """The same, from records that were read already."""
    if not read.records and not read.faults:
        raise InputError(f"{name} holds no predictions; expected lines such as {EXAMPLES[task]}")
    faults, notes = list(read.faults), list[LineIssue]()
    predictions = [_prediction(record, line, task, faults, notes) for line, record in read.records]
    _note_labels(predictions, task, notes)
    if gold_ids is not None and (by_line or _without_ids(read.records)):
        predictions = _by_place(predictions, gold_ids, faults, notes, asked=by_line)
    else:
        _find_faulty_ids(read.records, predictions, faults)
        if gold_ids is not None:
            predictions = _in_gold_order(predictions, gold_ids, missing, unknown, faults, notes)
    if faults:
        raise BadPredictions(name, sorted(faults, key=lambda fault: fault.line or float("inf")))
    return Predictions(predictions, notes)


def official_record(prediction: Prediction, task: Task) -> dict[str, Any]:
    """A prediction as the official scorer of its task takes it."""
    label, evidence = prediction.record.get("predicted_label"), prediction.record.get("predicted_evidence")
    if task == "feverous":
        evidence = [triple(piece) if isinstance(piece, str) else piece for piece in evidence or ()]
    return {"predicted_label": label if isinstance(label, str) else "", "predicted_evidence": evidence or []}


# -- one line ----------------------------------------------------------------------------------------------


def _prediction(
    record: Mapping[str, Any], line: int, task: Task, faults: list[LineIssue], notes: list[LineIssue]
) -> Prediction:
    label, evidence = None, list[ElementId]()
    fault = _other_format(record, task)
    if fault:
        faults.append(fault.at(line))
    else:
        label = _label(record, line, task, faults)
        evidence = _evidence(record, line, task, faults, notes)
    return Prediction(id_in(record), label, tuple(evidence), line, record)


def _has_id(record: Mapping[str, Any]) -> bool:
    return record.get("id") is not None and record["id"] != ""


class _Fault(NamedTuple):
    """What is wrong with a line or a piece of it, before anybody knows the line."""

    sort: str
    what: str

    def at(self, line: int) -> LineIssue:
        return LineIssue(self.sort, line, self.what)


def _other_format(record: Mapping[str, Any], task: Task) -> _Fault | None:
    """What a record is, where it is not a prediction of the task but something else that we know."""
    if "predicted_label" in record:
        return None
    if isinstance(record.get("output"), list):
        return _Fault("kilt", "this is KILT's format; score it with --task kilt against KILT's gold")
    if isinstance(record.get("scores"), dict) and "label" in record:
        remedy = f"write predictions with: veritab check --format {task}" if task in ADDRESSED else ""
        return _Fault("check", f"this is an answer of `veritab check`; {remedy or _rename('label')}")
    if any(key in record for key in ("predicted_pages", "predicted_sentences", "predicted_tables")):
        return _Fault("ranking", "this is a ranking without a label; score it with --task retrieval")
    if "label" in record and "claim" in record:
        return _Fault("gold", "this is a record of gold, with no predicted_label; give the file of predictions first")
    if "label" in record:
        return _Fault("label key", _rename("label"))
    if "evidence" in record and "claim" in record and "predicted_evidence" not in record:
        return _Fault("no prediction", f"there is no prediction in it; expected e.g. {EXAMPLES[task]}")
    return None


def _rename(key: str) -> str:
    return f"a predicted label is called predicted_label, not {key}; rename it"


def _label(record: Mapping[str, Any], line: int, task: Task, faults: list[LineIssue]) -> Label | None:
    given = record.get("predicted_label")
    label = _read_label(given, task) if isinstance(given, str) else None
    if label is not None:
        return label
    expected = ", ".join(Label)
    if "predicted_label" not in record:
        what = f"no predicted_label; expected e.g. {EXAMPLES[task]}"
    elif not isinstance(given, str):
        what = f"the label is {short_repr(given)}, which is not text; expected one of {expected}"
    else:
        what = f"the label {given[:80]!r} is unknown; expected one of {expected}"
    faults.append(LineIssue("label", line, what))
    return None


_LABELS = {str(label): label for label in Label}


def _read_label(given: str, task: Task) -> Label | None:
    """The label that a text is; as officially, case does not matter, and FaVIQ's models may say true and false."""
    label = _LABELS.get(given.upper())
    return said_label(given) if label is None and task == "faviq" else label


def _note_labels(predictions: Sequence[Prediction], task: Task, notes: list[LineIssue]) -> None:
    if task in ("fm2", "faviq"):
        for each in predictions:
            if each.label is Label.NOT_ENOUGH_INFO:
                what = f"predicts {each.label}, which this task does not have; it counts as wrong"
                notes.append(LineIssue("no such class", each.line, what))


# -- evidence ----------------------------------------------------------------------------------------------


def _evidence(
    record: Mapping[str, Any], line: int, task: Task, faults: list[LineIssue], notes: list[LineIssue]
) -> list[ElementId]:
    if task not in ADDRESSED:
        return []  # passages have no address of ours
    given = record.get("predicted_evidence")
    if not isinstance(given, list):
        there = (
            f"predicted_evidence is {short_repr(given)}" if "predicted_evidence" in record else "no predicted_evidence"
        )
        faults.append(
            LineIssue("evidence", line, f"{there}; expected a list, [] where there is none: {EXAMPLES[task]}")
        )
        return []
    read = _READERS[task]
    evidence = []
    for piece in given:
        found = read(piece)
        if isinstance(found, _Fault):
            faults.append(found.at(line))
            return []  # one such piece tells enough about a line
        evidence.append(found)
    _note_evidence(evidence, line, task, notes)
    return evidence


def _note_evidence(evidence: Sequence[ElementId], line: int, task: Task, notes: list[LineIssue]) -> None:
    small = sum(id.kind in IN_CELL_BUDGET for id in evidence) if task == "feverous" else 0
    large = len(evidence) - small
    if large > MAX_EVIDENCE:
        what = f"names {large} {'sentences' if task == 'feverous' else 'pieces of evidence'}"
        notes.append(LineIssue("too much", line, f"{what}, and {_counts(MAX_EVIDENCE)}"))
    if small > MAX_EVIDENCE_CELL:
        what = f"names {small} cells, items and captions, and {_counts(MAX_EVIDENCE_CELL)}"
        notes.append(LineIssue("too many cells", line, what))
    if len(set(evidence)) < len(evidence):
        twice = next(id for id in evidence if evidence.count(id) > 1)
        what = f"names {str(twice)!r} more than once, which takes room from other evidence; name it once"
        notes.append(LineIssue("twice", line, what))


def _counts(most: int) -> str:
    return f"the first {most} of them count; put the best first"


def _fever_piece(piece: Any) -> ElementId | _Fault:
    if isinstance(piece, list) and len(piece) == 2:
        page, number = piece
        if isinstance(page, str) and type(number) is int and number >= 0 and (found := _sentence(page, number)):
            return found
    if _is_triple(piece) or isinstance(piece, str):
        return _Fault(
            "other task",
            f"{short_repr(piece)} is evidence of FEVEROUS; score it with --task feverous, or write ['K2', 3]",
        )
    return _Fault(
        "evidence", f"{short_repr(piece)} is not evidence; expected a page and the number of a line: ['K2', 3]"
    )


@lru_cache(maxsize=2**16)
def _sentence(page: str, number: int) -> ElementId | None:
    title = title_of(page)
    return ElementId(title, Kind.SENTENCE, (number,)) if title else None


def _feverous_piece(piece: Any) -> ElementId | _Fault:
    if isinstance(piece, list) and len(piece) == 2 and isinstance(piece[0], str) and isinstance(piece[1], int):
        return _Fault(
            "other task",
            f"{short_repr(piece)} is evidence of FEVER; score it with --task fever, or write ['K2', 'sentence', '3']",
        )
    try:
        if isinstance(piece, str):
            return ElementId.parse(piece)
        if _is_triple(piece):
            return _element(*piece)
    except InputError as error:
        return _Fault("address", f"{short_repr(piece)} is not an address: {error}")
    expected = "['K2', 'cell', '1_2_0'], all three of them text, or 'K2_cell_1_2_0'"
    return _Fault("evidence", f"{short_repr(piece)} is not evidence; expected {expected}")


def _is_triple(piece: Any) -> bool:
    return isinstance(piece, list) and len(piece) == 3 and all(isinstance(part, str) for part in piece)


def _element(page: str, kind: str, position: str) -> ElementId:
    if kind not in Kind._value2member_map_:
        raise InputError(f"{kind!r} is not a kind of element; the kinds are {', '.join(Kind)}")
    numbers = position.split("_") if position else []
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in numbers):
        raise InputError(f"{position!r} is not a position; expected numbers, e.g. '1_2_0'")
    return ElementId(page, Kind(kind), tuple(map(int, numbers)))


_READERS: Mapping[Task, Callable[[Any], ElementId | _Fault]] = {"fever": _fever_piece, "feverous": _feverous_piece}

# -- matching ----------------------------------------------------------------------------------------------


def _without_ids(records: Sequence[tuple[int, Mapping[str, Any]]]) -> bool:
    return bool(records) and not any(_has_id(record) for _, record in records)


def _by_place(
    predictions: Sequence[Prediction],
    gold_ids: Sequence[str],
    faults: list[LineIssue],
    notes: list[LineIssue],
    *,
    asked: bool,
) -> list[Prediction]:
    if len(predictions) != len(gold_ids):
        what = f"{len(predictions):,} predictions for {len(gold_ids):,} claims, and matched line by line each needs one"
        faults.append(LineIssue("length", 0, f"{what}; add the missing lines, or an id to every line"))
        return []
    if not asked:
        notes.append(LineIssue("no ids", 0, "no prediction has an id, so they were matched with the gold line by line"))
    return [
        Prediction(id, each.label, each.evidence, each.line, each.record)
        for id, each in zip(gold_ids, predictions, strict=True)
    ]


def _find_faulty_ids(
    records: Sequence[tuple[int, Mapping[str, Any]]], predictions: Sequence[Prediction], faults: list[LineIssue]
) -> None:
    lines: dict[str, int] = {}
    for (line, record), each in zip(records, predictions, strict=True):
        if not _has_id(record):
            faults.append(LineIssue("no id", line, "no id, though other lines have one; add the id of its claim"))
        elif not each.id:
            what = f"the id is {short_repr(record['id'])}; expected the number or the text that the gold has"
            faults.append(LineIssue("id type", line, what))
        elif each.id in lines:
            what = f"the id {each.id!r} was already on line {lines[each.id]}; keep one of the two"
            faults.append(LineIssue("doubled", line, what))
        else:
            lines[each.id] = line


def _in_gold_order(
    predictions: Sequence[Prediction],
    gold_ids: Sequence[str],
    missing: Missing,
    unknown: Unknown,
    faults: list[LineIssue],
    notes: list[LineIssue],
) -> list[Prediction]:
    places = {id: place for place, id in enumerate(gold_ids)}
    if len(places) < len(gold_ids):
        raise InputError(
            f"the gold has {len(gold_ids):,} claims but only {len(places):,} different ids, so predictions cannot be "
            "matched by id; if both files have the same order, match them line by line (--by-line)"
        )
    by_id = {each.id: each for each in predictions if each.id in places}
    strangers = [each for each in predictions if each.id and each.id not in places]
    if strangers and not by_id:
        first = strangers[0]
        what = (
            f"no id of the gold is there: line {first.line} has {first.id!r}, and the gold begins with {gold_ids[0]!r}"
        )
        faults.append(LineIssue("unknown", 0, f"{what}; give the gold of these claims"))
        return []
    _note_unknown(strangers, unknown, faults, notes)
    found = [by_id.get(id) or _unanswered(id) for id in gold_ids]
    _note_missing([each.id for each in found if not each.line], missing, faults, notes)
    _note_order([each for each in found if each.line], notes)
    return [each for each in found if each.line or missing != "skip"]


def _note_unknown(
    strangers: Sequence[Prediction], unknown: Unknown, faults: list[LineIssue], notes: list[LineIssue]
) -> None:
    if unknown == "fail":
        remedy = "take the line out, give the gold that has it, or score with --unknown skip"
        faults += (
            LineIssue("unknown", each.line, f"the gold has no claim {each.id!r}; {remedy}") for each in strangers
        )
    elif strangers:
        what = (
            f"predictions of claims that the gold does not have: {len(strangers):,}; they were left out of the scoring"
        )
        notes.append(LineIssue("unknown", 0, what))


def _unanswered(id: str) -> Prediction:
    return Prediction(id, None, (), 0, {})


def _note_missing(ids: Sequence[str], missing: Missing, faults: list[LineIssue], notes: list[LineIssue]) -> None:
    if missing == "fail":
        remedy = "add one, or score with --missing wrong or --missing skip"
        faults += (LineIssue("missing", 0, f"the claim {id!r} has no prediction; {remedy}") for id in ids)
    elif ids:
        named = ", ".join(map(repr, ids[:3])) + (", …" if len(ids) > 3 else "")
        done = "they count as wrong" if missing == "wrong" else "they were left out of the scoring"
        notes.append(LineIssue("missing", 0, f"claims without a prediction: {len(ids):,} ({named}); {done}"))


def _note_order(found: Sequence[Prediction], notes: list[LineIssue]) -> None:
    before = 0
    for each in found:
        if each.line < before:
            what = "the predictions are in another order than the gold; they were put into its order by their ids"
            notes.append(LineIssue("order", each.line, what))
            return
        before = each.line
