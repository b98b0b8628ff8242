"""Files as an import reads them: each claim with what people said of it, or what is wrong with its line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from veritab.datasets.example_rows import original_record
from veritab.datasets.label_studio import answers_of_task, is_task, row_of_task
from veritab.datasets.lines import records_of
from veritab.datasets.reading import read_file
from veritab.datasets.records import DataNotes, claim_of, label_of
from veritab.datasets.writing.feverous import told_sets
from veritab.errors import FormatError, InputError, NotFound, short_repr
from veritab.schema import ElementId, EvidenceSet, Example, Label, Problem, refuse_long
from veritab.studio.exchange.answers import NO_ANSWER, ExchangedAnswer
from veritab.studio.log import LONGEST_VALUE, MOST_SETS, PUBLISHED, EvidenceSets, LogEvent, LogOperation
from veritab.studio.records import JsonObject
from veritab.studio.vocabulary import ClaimRating
from veritab.text import squeeze

IMPORT_FORMATS: Mapping[str, str] = {
    "claims": "claims alone: plain lines, CSV, JSON lines or an array; labels are passed over",
    "annotations": "records of any data set, with the labels, evidence and operations that they have",
    "label-studio": "tasks of Label Studio, with the answer of each person",
}
"""What can be imported, and what each is."""
LONGEST_ID = 200
_HELD = frozenset({"id", "unique_id", "label", "challenge", "annotator_operations", "annotations", "state"})
_OPERATIONS = {operation.value: operation for operation in sorted(PUBLISHED)}


class ExchangedClaim(NamedTuple):
    """A claim of a file: what its record itself says of it, and what each person said.

    `source` is what of the record is written out again and not held elsewhere.
    """

    where: str
    id: str
    text: str
    truth: ExchangedAnswer = NO_ANSWER
    answers: tuple[ExchangedAnswer, ...] = ()
    source: JsonObject = {}  # noqa: RUF012


class LineFault(NamedTuple):
    """What is wrong with a line, with the value and the remedy."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def read_given(path: Path, format: str, name: str) -> Iterator[ExchangedClaim | LineFault]:
    """The claims of a file in its order; what is wrong with a line stands in its place.

    The file is called by its name alone: where it is kept is nobody's business.
    """
    if format not in IMPORT_FORMATS:
        raise InputError(f"nothing is imported as {short_repr(format)}; expected one of {', '.join(IMPORT_FORMATS)}")
    read = {"claims": _read_claims, "annotations": _read_annotations, "label-studio": _read_tasks}[format]
    try:
        for each in read(path):
            yield each if isinstance(each, LineFault) else _check_claim(each)
    except (InputError, NotFound) as error:
        raise type(error)(_called(str(error), path, name)) from None


def _called(said: str, path: Path, name: str) -> str:
    return said.replace(str(path), name).replace(path.name, name)


def _check_claim(given: ExchangedClaim) -> ExchangedClaim | LineFault:
    try:
        refuse_long("a claim", given.text)
    except InputError as error:
        return LineFault(given.where, str(error))
    if not any(map(str.isalnum, given.text)):
        return LineFault(
            given.where, f"{short_repr(given.text)} is not a claim; write a sentence, or take the line out"
        )
    if len(given.id) > LONGEST_ID or "\x00" in given.id or given.id != given.id.encode(errors="replace").decode():
        return LineFault(
            given.where, f"the id {short_repr(given.id)} cannot be kept; give one of {LONGEST_ID} characters"
        )
    try:
        return given._replace(source=without_nul(given.source))
    except RecursionError:
        return LineFault(given.where, "the record nests too deep to be kept; take out what is not needed")


def without_nul(value: Any) -> Any:
    """JSON without U+0000, which neither database keeps in texts."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict):
        return {without_nul(key): without_nul(each) for key, each in value.items()}
    return [without_nul(each) for each in value] if isinstance(value, list) else value


# -- claims alone ------------------------------------------------------------------------------------------


def _read_claims(path: Path) -> Iterator[ExchangedClaim | LineFault]:
    from veritab.runs import claims

    for each in claims.read_file(path, path.name):
        if isinstance(each, InputError):
            yield LineFault("", str(each).removeprefix(f"{path.name}, ").replace(path.name, "the file", 1))
            continue
        where = f"line {each.number}"
        if each.has_id and (isinstance(each.id, bool) or not isinstance(each.id, int | str)):
            yield LineFault(where, f"the id is {short_repr(each.id)}; expected a number or a text")
        else:
            yield ExchangedClaim(where, str(each.id).strip() if each.has_id else "", each.text)


# -- records of data sets ----------------------------------------------------------------------------------


def _read_annotations(path: Path) -> Iterator[ExchangedClaim | LineFault]:
    data = read_file(path, name=path.name, task=None, otherwise="feverous")
    for where, read in data.by_line():
        if isinstance(read, Problem):
            yield LineFault(where, read.what)
            continue
        try:
            yield _given(where, read, data.format.claim)
        except ValueError as error:
            yield LineFault(where, str(error))


def _given(where: str, example: Example, key: str) -> ExchangedClaim:
    record = original_record(example) or example.record
    sets = _in_order(example.evidence, record)
    operations = _operations(record.get("annotator_operations"))
    if example.silver:
        sets = ()  # nobody chose it
    said = ExchangedAnswer("1", example.label, sets, example.challenge, operations)
    answers = tuple(_answers(record.get("annotations"))) or ((said,) if said.says_something else ())
    return ExchangedClaim(
        where, _id(example), example.claim.text, said, answers, _source(record, key, example.claim.text)
    )


def _id(example: Example) -> str:
    """The id that the file gives; empty where it gives none."""
    given = example.record.get("id", example.record.get("unique_id"))
    return "" if given is None or not str(given).strip() else example.claim.id


def _source(record: Mapping[str, Any], key: str, text: str) -> JsonObject:
    kept = {name: value for name, value in record.items() if name not in _HELD}
    return {name: value for name, value in kept.items() if name != key or value != text}


def _in_order(evidence: Iterable[EvidenceSet], record: Mapping[str, Any]) -> EvidenceSets:
    """The evidence sets, each in the order in which it was chosen where the record tells."""
    told = told_sets(record.get("evidence"))
    return _check_sets(
        tuple(dict.fromkeys(map(ElementId.parse, told[gold]))) if gold in told else tuple(sorted(gold))
        for gold in evidence
        if gold
    )


def _check_sets(given: Iterable[tuple[ElementId, ...]]) -> EvidenceSets:
    sets = tuple(given)
    if len(sets) > MOST_SETS:
        raise ValueError(f"it has {len(sets)} evidence sets; at most {MOST_SETS} are kept, so leave the best of them")
    for id in (id for pieces in sets for id in pieces):
        if "\x00" in id.page:
            raise ValueError(f"{short_repr(str(id))} is not an address of evidence; no title has U+0000")
    return sets


def _operations(given: Any) -> tuple[LogEvent, ...]:
    if given is None:
        return ()
    if not isinstance(given, list):
        raise ValueError(f"annotator_operations is {short_repr(given)}; expected a list")
    return tuple(_operation(each, place) for place, each in enumerate(given, 1))


def _operation(given: Any, place: int) -> LogEvent:
    def refuse(what: str) -> ValueError:
        return ValueError(
            f"operation {place} {what}; expected e.g. "
            '{"operation": "Highlighting", "value": "Alan Turing_sentence_0", "time": "12.5"}'
        )

    if not isinstance(given, dict):
        raise refuse(f"is {short_repr(given)}")
    name, value, time = (given.get(key) for key in ("operation", "value", "time"))
    if not isinstance(name, str) or name not in _OPERATIONS:
        raise ValueError(f"operation {place} is {short_repr(name)}; expected one of {', '.join(_OPERATIONS)}")
    if not isinstance(value, str) or len(value) > LONGEST_VALUE or "\x00" in value:
        raise refuse(f"has the value {short_repr(value)}")
    operation = _OPERATIONS[name]
    if operation in (LogOperation.HIGHLIGHT, LogOperation.UNHIGHLIGHT):
        _address(value)
    seconds = _seconds(time)
    if seconds is None:
        raise refuse(f"has the time {short_repr(time)}")
    return LogEvent(operation, value, seconds)


def _seconds(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    try:
        seconds = float(given)
    except (ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < math.inf else None


def _address(given: Any) -> ElementId:
    try:
        if isinstance(given, str):
            return ElementId.parse(given)
    except InputError:
        pass
    raise ValueError(f"{short_repr(given)} is not an address of evidence; expected e.g. 'Alan Turing_sentence_0'")


# -- what each person said ---------------------------------------------------------------------------------


def _answers(given: Any) -> Iterator[ExchangedAnswer]:
    """The annotations of a record: objects as exports have them, or the labels alone."""
    if given is None:
        return
    if not isinstance(given, list):
        raise ValueError(f'annotations is {short_repr(given)}; expected e.g. [{{"label": "SUPPORTS"}}]')
    seen: set[str] = set()
    for place, each in enumerate(given, 1):
        said = {"label": each} if isinstance(each, str) else each
        if not isinstance(said, dict):
            raise ValueError(f'annotation {place} is {short_repr(each)}; expected e.g. {{"label": "SUPPORTS"}}')
        annotator = str(said.get("annotator", place)).strip() or str(place)
        if annotator in seen:
            raise ValueError(f"annotation {place} is by {short_repr(annotator)} again; leave one of each annotator")
        seen.add(annotator)
        answer = ExchangedAnswer(
            annotator,
            label_of(said.get("label"), DataNotes()),
            _answer_sets(said),
            _text(said.get("challenge")),
            _operations(said.get("operations")),
            _seconds(said.get("seconds")) or 0.0,
            _rating(said.get("rating")),
        )
        if answer.says_something:
            yield answer


def _answer_sets(said: Mapping[str, Any]) -> EvidenceSets:
    """The evidence sets of an annotation; where it has pieces alone, they are one set."""
    sets = said.get("sets")
    if sets is None:
        pieces = said.get("evidence")
        sets = [pieces] if pieces else []
    if not isinstance(sets, list) or not all(isinstance(each, list) for each in sets):
        raise ValueError(f'the evidence is {short_repr(sets)}; expected sets such as [["Alan Turing_sentence_0"]]')
    return _check_sets(tuple(dict.fromkeys(map(_address, each))) for each in sets if each)


def _rating(given: Any) -> str:
    if given is None or given in ("", *ClaimRating):
        return str(given or "")
    raise ValueError(f"the rating is {short_repr(given)}; expected one of {', '.join(ClaimRating)}")


def _text(given: Any) -> str:
    return given.replace("\x00", "") if isinstance(given, str) else ""


# -- Label Studio ------------------------------------------------------------------------------------------


def _read_tasks(path: Path) -> Iterator[ExchangedClaim | LineFault]:
    empty = True
    for line in records_of(path):
        empty = False
        if line.record is None:
            yield LineFault(line.where, line.wrong)
        elif not is_task(line.record):
            there = ", ".join(line.record)[:80] or "nothing"
            yield LineFault(line.where, f'it has {there}; expected a task such as {{"data": {{"claim": "..."}}}}')
        else:
            try:
                yield _given_task(line.where, line.record)
            except ValueError as error:
                yield LineFault(line.where, str(error))
    if empty:
        raise FormatError(f"{path.name!r} holds no task of Label Studio; export the tasks as JSON")


def _given_task(where: str, record: Mapping[str, Any]) -> ExchangedClaim:
    row = row_of_task({**record, "annotations": []})
    claim = claim_of(row, "claim", 0)
    source = row["record"] if isinstance(row["record"], dict) else {}
    sets = _in_order(map(frozenset, _answer_sets({"sets": row["evidence"]})), source)
    people = answers_of_task(record)
    challenge, truths = _text(row["challenge"]), {each.label for each in people if each.is_truth}
    label = Label(truths.pop()) if len(truths) == 1 else None
    operations = _operations(source.get("annotator_operations"))
    answers = tuple(
        ExchangedAnswer(each.annotator, Label(each.label), sets, challenge, operations, each.seconds) for each in people
    )
    names = [each.annotator for each in answers]
    if len(set(names)) < len(names):
        raise ValueError(f"somebody answered twice ({', '.join(names)[:80]}); leave one annotation of each person")
    if not answers and sets:
        answers = (ExchangedAnswer("1", None, sets, challenge, operations),)
    truth = ExchangedAnswer("1", label, sets, challenge)
    given_id = "" if row["id"] is None else claim.id
    return ExchangedClaim(where, given_id, claim.text, truth, answers, _source(source, "claim", squeeze(claim.text)))
