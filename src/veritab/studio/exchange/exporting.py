"""The claims of a project go out as a data set, in every format there is, a page of them at a time.

Each claim has the label and the evidence that its answers agree on, or what a manager decided; who disagreed is told in
`annotations`, which audits read. People are numbers there. Practice never goes out, nor does what was withdrawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Text, cast, exists, func, select
from sqlalchemy.orm import Session, aliased

from veritab.corpus.store import Store
from veritab.datasets import fever
from veritab.datasets.records import DataNotes
from veritab.datasets.writing import FORMATS, CardInfo, ElementOf, WriteResult, write
from veritab.datasets.writing.account import QUOTED
from veritab.datasets.writing.feverous import told_sets
from veritab.errors import InputError, NotFound
from veritab.schema import Claim, Element, ElementId, Example, Label, Page
from veritab.studio.database import Database
from veritab.studio.exchange.answers import NO_ANSWER, ExchangedAnswer, agree
from veritab.studio.log import EvidenceSets, LogEvent, LogOperation, PublishedOperation, fold
from veritab.studio.projects import Workflow, workflow_of
from veritab.studio.quality import sets_of, standing_decisions
from veritab.studio.records import (
    AnnotationRecord,
    DecisionRecord,
    EventRecord,
    HighlightRecord,
    JsonObject,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, TaskState
from veritab.studio.submission import WRITING_KINDS
from veritab.studio.vocabulary import SHARED_POOLS, Pool
from veritab.text import nfc, squeeze

EXPORT_POOLS = (Pool.WORK, Pool.CALIBRATION, Pool.GOLD)
"""What can go out; practice never does, and super-annotators answer beside the work."""
EXPORT_FORMATS: Mapping[str, str] = FORMATS
"""What it can go out as, and what each is."""
CARRIED = ("annotations", "highlight", "origin", "state")
"""What the lines of every format have beside its own keys, where there is anything to say."""
_AT_ONCE = 200
_ORIGIN = ("type", "mutation", "page_rule", "prescribed_truth", "expected_challenge")


class ExportReport(NamedTuple):
    """What went out, and what was left: claims without a label yet, or whose label is that they have none."""

    result: WriteResult
    annotations: int
    unsettled: int
    unlabelled: int

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        rest = {"annotations": self.annotations, "unsettled": self.unsettled, "unlabelled": self.unlabelled}
        return self.result.as_dict() | rest


def export(
    database: Database,
    project: ProjectRecord,
    path: Path,
    *,
    format: str,
    settled: bool = True,
    since: float | None = None,
    pools: Collection[str] = (Pool.WORK,),
    element_of: ElementOf | None = None,
    elements: Iterable[Element] = (),
    leave_out: bool = False,
    tick: Callable[[int], None] = lambda claims: None,
) -> ExportReport:
    """Write the claims of a project, as they are at one moment; the file is there when all of it is.

    `settled` leaves out those that need more answers; otherwise they have the label that all answers so far agree on,
    if any.
    `since` is when a claim was settled at the earliest, or last answered where it is not. `element_of` finds elements
    in the corpus, for context and words, and `tick` is told how many claims were looked at so far.
    """
    unknown = [pool for pool in pools if pool not in EXPORT_POOLS]
    if unknown or not pools:
        raise InputError(f"{', '.join(unknown) or 'nothing'} is not exported; choose of {', '.join(EXPORT_POOLS)}")
    counts = _Counts()
    workflow = workflow_of(project)
    about = CardInfo(project.title, "fever" if workflow is Workflow.FEVER else "feverous")
    with database.reading() as session:
        examples = _examples(session, project, frozenset(pools), settled, since, counts, tick)
        result = write(
            {"train": examples},
            format,
            path,
            about=about,
            element_of=element_of,
            elements=elements,
            leave_out=leave_out,
            carry=CARRIED,
        )
    return ExportReport(result, counts.annotations, counts.unsettled, counts.unlabelled)


def count_claims(session: Session, project: ProjectRecord) -> int:
    """How many claims an export looks at."""
    return session.scalar(select(func.count()).where(*_of_project(project))) or 0


def element_finder(store: Store) -> ElementOf:
    """Finds elements in a corpus, those of one page together; a page's other names are not its own."""

    @lru_cache(maxsize=32)
    def page_of(title: str) -> Page | None:
        try:
            return store.page(title)
        except NotFound:
            return None

    def find(id: ElementId) -> Element | None:
        page = page_of(id.page)
        try:
            return page.element(id) if page else None
        except NotFound:
            return None

    return find


# -- reading -----------------------------------------------------------------------------------------------


class _Counts:
    """What an export has met so far."""

    def __init__(self) -> None:
        self.annotations = self.unsettled = self.unlabelled = 0


class _Answered(NamedTuple):
    """An answer, when it was given, and the operations that led to it."""

    id: int
    at: float
    answer: ExchangedAnswer
    published: tuple[PublishedOperation, ...]


class _Rows(NamedTuple):
    """All that belongs to some claims, by claim or task."""

    tasks: Mapping[int, Sequence[TaskRecord]]
    answers: Mapping[int, Sequence[_Answered]]
    decisions: Mapping[int, DecisionRecord]
    highlights: Mapping[int, JsonObject]
    taken: Collection[int]
    """Claims whose own number is the id of an imported one."""


def _of_project(project: ProjectRecord) -> tuple[ColumnElement[bool], ...]:
    return StudioClaimRecord.project_id == project.id, StudioClaimRecord.state != ClaimState.WITHDRAWN


def _examples(
    session: Session,
    project: ProjectRecord,
    pools: frozenset[str],
    settled: bool,
    since: float | None,
    counts: _Counts,
    tick: Callable[[int], None],
) -> Iterator[Example]:
    seen = 0
    for claims in _pages(session, project):
        rows = _read(session, claims, pools)
        for claim in claims:
            seen += 1
            example = _example(claim, rows, settled, since, counts)
            if example is not None:
                yield example
        tick(seen)


def _pages(session: Session, project: ProjectRecord) -> Iterator[Sequence[StudioClaimRecord]]:
    last = 0
    query = select(StudioClaimRecord).where(*_of_project(project)).order_by(StudioClaimRecord.id).limit(_AT_ONCE)
    while claims := session.scalars(query.where(StudioClaimRecord.id > last)).all():
        last = claims[-1].id
        yield claims
        session.expunge_all()


def _read(session: Session, claims: Sequence[StudioClaimRecord], pools: frozenset[str]) -> _Rows:
    ids = [claim.id for claim in claims]
    tasks = defaultdict(list)
    asked = select(TaskRecord).where(
        TaskRecord.claim_id.in_(ids),
        TaskRecord.kind.not_in(WRITING_KINDS),
        TaskRecord.pool.in_([*pools, Pool.SUPER]),
        TaskRecord.state != TaskState.CLOSED,
    )
    for task in session.scalars(asked.order_by(TaskRecord.id)):
        tasks[task.claim_id or 0].append(task)
    task_ids = [task.id for each in tasks.values() for task in each]
    shown = select(HighlightRecord.id, HighlightRecord.elements)
    highlights = {claim.highlight_id for claim in claims} - {None}
    return _Rows(
        tasks,
        _read_answers(session, task_ids),
        standing_decisions(session, (task for each in tasks.values() for task in each)),
        {row.id: row.elements for row in session.execute(shown.where(HighlightRecord.id.in_(highlights)))},
        _taken_numbers(session, ids + [claim.parent_id for claim in claims if claim.parent_id]),
    )


def _taken_numbers(session: Session, ids: Sequence[int]) -> Collection[int]:
    claim, other = aliased(StudioClaimRecord), aliased(StudioClaimRecord)
    same = exists().where(other.project_id == claim.project_id, other.source_id == cast(claim.id, Text))
    return set(session.scalars(select(claim.id).where(claim.id.in_(ids), claim.source_id == "", same)))


def _read_answers(session: Session, task_ids: Sequence[int]) -> Mapping[int, Sequence[_Answered]]:
    """The answers to each task that count, in the order in which people took it."""
    annotations = session.execute(
        select(
            AnnotationRecord.id,
            AnnotationRecord.task_id,
            AnnotationRecord.assignment_id,
            AnnotationRecord.account_id,
            AnnotationRecord.label,
            AnnotationRecord.challenge,
            AnnotationRecord.rating,
            AnnotationRecord.events,
            AnnotationRecord.seconds,
            AnnotationRecord.submitted_at,
        )
        .where(AnnotationRecord.task_id.in_(task_ids), AnnotationRecord.is_last)
        .order_by(AnnotationRecord.assignment_id)
    ).all()
    sets = sets_of(session, [each.id for each in annotations])
    logs = _read_logs(session, {each.assignment_id: each.events for each in annotations})
    answers = defaultdict(list)
    for each in annotations:
        answers[each.task_id].append(
            _Answered(
                each.id,
                each.submitted_at,
                ExchangedAnswer(
                    str(each.account_id),
                    Label(each.label) if each.label else None,
                    sets.get(each.id, ()),
                    each.challenge,
                    seconds=each.seconds,
                    rating=each.rating,
                ),
                fold(logs[each.assignment_id]).operations,
            )
        )
    return answers


def _read_logs(session: Session, counts: Mapping[int, int]) -> Mapping[int, list[LogEvent]]:
    """The events of assignments up to what was submitted."""
    logs = defaultdict[int, list[LogEvent]](list)
    rows = session.execute(
        select(
            EventRecord.assignment_id,
            EventRecord.sequence,
            EventRecord.operation,
            EventRecord.value,
            EventRecord.seconds,
            EventRecord.key,
        )
        .where(EventRecord.assignment_id.in_(list(counts)))
        .order_by(EventRecord.assignment_id, EventRecord.sequence)
    )
    for id, sequence, operation, value, seconds, key in rows:
        if sequence <= counts[id]:
            logs[id].append(LogEvent(LogOperation(operation), value, seconds, key))
    return logs


# -- what is said of a claim -------------------------------------------------------------------------------


def _example(
    claim: StudioClaimRecord, rows: _Rows, settled: bool, since: float | None, counts: _Counts
) -> Example | None:
    """A claim with what is known of it; None where it does not go out."""
    tasks = rows.tasks.get(claim.id, ())
    task = next((task for task in tasks if task.pool != Pool.SUPER), None)
    if task is None:
        return None
    answers = rows.answers.get(task.id, ())
    is_settled = task.pool in SHARED_POOLS or task.state == TaskState.SETTLED
    if settled and not is_settled:
        counts.unsettled += 1
        return None
    changed = task.settled_at or max((each.at for each in answers), default=task.made_at)
    if since is not None and changed < since:
        return None
    said, published = _outcome(task, answers, rows.decisions.get(task.id))
    if settled and said.label is None:
        counts.unlabelled += 1
        return None
    by_super = [each for other in tasks if other.pool == Pool.SUPER for each in rows.answers.get(other.id, ())]
    counts.annotations += len(answers) + len(by_super)
    record = _record(claim, said, published)
    told = {
        "annotations": _annotations(answers, by_super),
        "highlight": rows.highlights.get(claim.highlight_id or 0, {}).get("ids") or claim.source.get("highlight"),
        "origin": _origin(claim, rows.taken) or claim.source.get("origin"),
        "state": "" if is_settled else task.state,
    }
    record |= {key: value for key, value in told.items() if value}
    evidence = tuple(map(frozenset, said.sets))
    return Example(
        Claim(_public_id(claim, rows.taken), _spelled(claim)), said.label, evidence, said.challenge, False, record
    )


def _outcome(
    task: TaskRecord, answers: Sequence[_Answered], decision: DecisionRecord | None
) -> tuple[ExchangedAnswer, tuple[PublishedOperation, ...]]:
    """The label and evidence of a claim, and the operations that led to them: gold's, a decision's, or the answers'."""
    if task.pool in SHARED_POOLS:
        gold = task.gold
        if not gold.get("label"):
            return NO_ANSWER, ()
        return ExchangedAnswer("", Label(gold["label"]), _parse(gold.get("evidence")), gold.get("challenge") or ""), ()
    if decision:
        chosen = next((each for each in answers if each.id == decision.annotation_id), None)
        if chosen:
            return chosen.answer, chosen.published
        label = Label(decision.label) if decision.label else None
        alike = next((each.answer.challenge for each in answers if each.answer.label is label), "")
        challenge = decision.evidence.get("challenge", alike)
        return ExchangedAnswer("", label, _parse(decision.evidence.get("sets")), challenge), ()
    return agree([each.answer for each in answers]), answers[0].published if answers else ()


def _parse(sets: Any) -> EvidenceSets:
    return tuple(tuple(map(ElementId.parse, pieces)) for pieces in sets or ())


def _record(claim: StudioClaimRecord, said: ExchangedAnswer, published: Sequence[PublishedOperation]) -> dict[str, Any]:
    """The record of a claim as data sets have it: what its file said, as far as it still holds, and what was found."""
    source = dict(claim.source)
    if said.sets:
        source = {key: value for key, value in source.items() if key not in QUOTED}
    if not _says_the_same(source, said):
        told = told_sets(source.get("evidence"))
        contexts = _contexts(source.get("evidence"))
        contents = [told.get(frozenset(pieces)) or [*map(str, pieces)] for pieces in said.sets]
        source["evidence"] = [
            {"content": content, "context": {id: contexts[nfc(id)] for id in content if nfc(id) in contexts}}
            for content in contents
        ]
    return source | {"annotator_operations": [each._asdict() for each in published]}


def _says_the_same(source: JsonObject, said: ExchangedAnswer) -> bool:
    """Whether FEVER's own evidence, with the numbers of its annotations, is still that of the claim."""
    if said.label is None or not fever.OFFICIAL.matches(source):
        return False
    try:
        return fever.OFFICIAL.evidence(source, said.label, DataNotes()) == tuple(map(frozenset, said.sets))
    except ValueError:
        return False


def _contexts(evidence: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in evidence if isinstance(evidence, list) else ():
        context = each.get("context") if isinstance(each, dict) else None
        found |= {nfc(id): ids for id, ids in context.items()} if isinstance(context, dict) else {}
    return found


def _annotations(answers: Sequence[_Answered], by_super: Sequence[_Answered]) -> list[dict[str, Any]]:
    """What each person said, where several did; one alone is the record itself, which has no place for a rating."""
    if len(answers) + len(by_super) < 2 and not any(each.answer.rating for each in answers):
        return []
    return [*map(_annotation, answers), *(_annotation(each) | {"super": True} for each in by_super)]


def _annotation(given: _Answered) -> dict[str, Any]:
    answer = given.answer
    told = {"challenge": answer.challenge, "rating": answer.rating}
    return {
        "annotator": int(answer.annotator),
        "label": answer.label.value if answer.label else "",
        "evidence": list(dict.fromkeys(str(id) for pieces in answer.sets for id in pieces)),
        "sets": [[str(id) for id in pieces] for pieces in answer.sets],
        **{key: value for key, value in told.items() if value},
        "seconds": round(answer.seconds, 3),
        "operations": [each._asdict() for each in given.published],
    }


def _origin(claim: StudioClaimRecord, taken: Collection[int]) -> dict[str, Any]:
    """How a claim was made here: by whom, what was asked of them, and from which other claim."""
    if claim.author_id is None:
        return {}
    told = {name: getattr(claim, name) for name in _ORIGIN if getattr(claim, name)}
    parent = {"parent": _number(claim.parent_id, taken)} if claim.parent_id else {}
    return {"author": claim.author_id, **told, **parent}


def _public_id(claim: StudioClaimRecord, taken: Collection[int]) -> str:
    """The id that the claim's file gave it, else its number here."""
    return claim.source_id or _number(claim.id, taken)


def _number(id: int, taken: Collection[int]) -> str:
    return f"studio-{id}" if id in taken else str(id)


def _spelled(claim: StudioClaimRecord) -> str:
    """The claim as its file spelled it, spaces and all, where it was not corrected since."""
    spelled = claim.source.get("claim")
    return spelled if isinstance(spelled, str) and squeeze(spelled) == claim.text else claim.text
