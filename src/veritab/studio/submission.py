"""What an answer must have before it counts, kind of task by kind of task, and what it then says. Pure rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from veritab.schema import ElementId, Kind, Label
from veritab.studio.advice import advise
from veritab.studio.log import MOST_SETS, AnnotationDraft, EvidenceSets
from veritab.studio.projects import ProjectSettings
from veritab.studio.records import TaskRecord
from veritab.studio.vocabulary import (
    ADVISED_SECONDS,
    FEVER_MUTATIONS,
    TIME_LIMITED,
    Challenge,
    ClaimRating,
    FalsehoodCause,
    MutationType,
    Pool,
    TaskKind,
)

FEWEST_FEVER_CLAIMS = 2
FEVER_CLAIM_FIELDS = tuple(f"claim-{number}" for number in range(1, 6))
FEVEROUS_CLAIM_FIELDS = tuple(f"claim-{number}" for number in range(1, 4))
MUTATION_FIELDS: Mapping[MutationType, str] = {
    mutation: f"mutation-{mutation.name.lower()}" for mutation in FEVER_MUTATIONS
}
WRITING_KINDS = frozenset({TaskKind.FEVER_CLAIMS, TaskKind.FEVER_MUTATIONS, TaskKind.FEVEROUS_CLAIMS})
_SELECTABLE = frozenset({Kind.SENTENCE, Kind.ITEM, Kind.TABLE_CAPTION, Kind.CELL, Kind.HEADER_CELL, Kind.PASSAGE})
_FEVER_SELECTABLE = frozenset({Kind.SENTENCE, Kind.PASSAGE})


class DraftFault(NamedTuple):
    """Why a draft cannot be submitted yet, and the field of the form that it is about."""

    code: str
    message: str
    field: str = ""


class _Limits(NamedTuple):
    """What the rules know besides the draft."""

    most_sets: int
    seconds: float | None
    """After which only NOT ENOUGH INFO can be said."""
    sentences: Sequence[str]
    original: str


class DraftAnswer(NamedTuple):
    """What a draft says once it is submitted; the evidence is the draft's."""

    label: str
    challenge: str
    rating: str
    fields: Mapping[str, str]
    """Everything else that was filled in."""


def read_answer(kind: TaskKind, draft: AnnotationDraft) -> DraftAnswer:
    """What a draft without faults says."""
    fields = {name: text.strip() for name, text in draft.fields.items() if text.strip()}
    label = fields.pop("verdict", "")
    if kind is TaskKind.FEVER_LABELLING and label != Label.NOT_ENOUGH_INFO:
        label = next((fields.get(name, "") for name in _group_fields(draft.sets)), "")
    return DraftAnswer(label, fields.pop("challenge", ""), fields.pop("rating", ""), fields)


def find_faults(
    kind: TaskKind,
    draft: AnnotationDraft,
    task: TaskRecord,
    *,
    seconds: float,
    exists: Callable[[ElementId], bool],
    settings: ProjectSettings | None = None,
    sentences: Sequence[str] = (),
    original: str = "",
) -> list[DraftFault]:
    """What keeps a draft from being submitted after so many seconds; nothing where it can be.

    `exists` says whether an element is in the corpus. Whoever writes may not copy `sentences`, which they see, nor
    `original`, the claim that they are to change.
    """
    settings = settings or ProjectSettings()
    limits = _Limits(settings.most_sets, time_limit(task, settings), sentences, original)
    match kind:
        case TaskKind.FEVEROUS_VERIFICATION:
            found = _check_verification(draft, limits, seconds)
        case TaskKind.FEVER_LABELLING:
            found = _check_labelling(draft)
        case TaskKind.FEVER_CLAIMS:
            found = _check_fever_claims(draft, limits)
        case TaskKind.FEVER_MUTATIONS:
            found = _check_mutations(draft, limits)
        case TaskKind.FEVEROUS_CLAIMS:
            found = _check_feverous_claims(draft, limits)
        case TaskKind.PLAIN_VERIFICATION | TaskKind.PLAIN_RATING:
            found = _check_plain(kind, draft, limits)
    faults = list(found)
    if kind not in WRITING_KINDS:
        selectable = _FEVER_SELECTABLE if kind is TaskKind.FEVER_LABELLING else _SELECTABLE
        faults += _check_elements(draft.sets, selectable, exists)
    return faults


def time_limit(task: TaskRecord, settings: ProjectSettings) -> float | None:
    """Seconds after which a task has no answer but NOT ENOUGH INFO; super-annotators take their time."""
    kind = TaskKind(task.kind)
    if kind not in TIME_LIMITED or task.pool == Pool.SUPER:
        return None
    return settings.advised_seconds.get(kind, ADVISED_SECONDS[kind])


def find_warnings(kind: TaskKind, draft: AnnotationDraft) -> list[DraftFault]:
    """What may be submitted, though somebody should look again first."""
    if (
        kind in (TaskKind.FEVEROUS_VERIFICATION, TaskKind.PLAIN_VERIFICATION)
        and draft.fields.get("verdict") == Label.NOT_ENOUGH_INFO
        and not draft.evidence
    ):
        return [
            DraftFault(
                "no-evidence",
                "Is there nothing that speaks to the claim? Add what comes nearest to settling it, if anything does.",
            )
        ]
    return []


# -- verifying ---------------------------------------------------------------------------------------------


def _check_verification(draft: AnnotationDraft, limits: _Limits, seconds: float) -> Iterator[DraftFault]:
    verdict = draft.fields.get("verdict", "")
    if limits.seconds is not None and seconds > limits.seconds and verdict != Label.NOT_ENOUGH_INFO:
        yield DraftFault(
            "time-over",
            f"The {limits.seconds / 60:g} minutes for a claim are over: keep the evidence, and choose NOT ENOUGH INFO.",
            "verdict",
        )
    elif fault := _check_verdict(verdict):
        yield fault
    elif verdict == Label.REFUTES:
        match draft.fields.get("misled", ""):
            case "yes":
                pass
            case "no":
                yield DraftFault(
                    "not-misled",
                    "If the claim would not mislead you, the verdict is NOT ENOUGH INFO.",
                    "verdict",
                )
            case _:
                yield DraftFault(
                    "misled-missing",
                    "Say whether the claim would mislead you, given this evidence.",
                    "misled",
                )
    yield from _check_evidence(verdict, draft.sets, limits.most_sets)
    if draft.fields.get("challenge", "") not in list(Challenge):
        yield DraftFault("challenge-missing", "Choose what makes the claim hardest to verify.", "challenge")


def _check_verdict(verdict: str) -> DraftFault | None:
    if verdict in list(Label):
        return None
    return DraftFault("verdict-missing", f"Choose a verdict: {', '.join(Label)}.", "verdict")


def _check_evidence(verdict: str, sets: EvidenceSets, most: int) -> Iterator[DraftFault]:
    if verdict in (Label.SUPPORTS, Label.REFUTES) and not any(sets):
        yield DraftFault("evidence-missing", f"{verdict} needs evidence: choose at least one piece.")
    yield from _check_sets(sets, most)


def _check_sets(sets: EvidenceSets, most: int, called: str = "Evidence set") -> Iterator[DraftFault]:
    last = max((number for number, pieces in enumerate(sets, 1) if pieces), default=0)
    if last > most:
        yield DraftFault(
            "too-many-sets", f"There are {last} evidence sets; at most {most}: keep the best.", f"set-{last}"
        )
    earlier: dict[frozenset[ElementId], int] = {}
    for number, pieces in enumerate(sets[:last], 1):
        if not pieces:
            message = f"{called} {number} is empty, and {last} is not: fill it, or move the later ones up."
            yield DraftFault("empty-set", message, f"set-{number}")
        elif (first := earlier.setdefault(frozenset(pieces), number)) != number:
            message = f"{called} {number} has the same pieces as {first}: change one of them, or empty it."
            yield DraftFault("equal-sets", message, f"set-{number}")


def _check_elements(
    sets: EvidenceSets, selectable: frozenset[Kind], exists: Callable[[ElementId], bool]
) -> Iterator[DraftFault]:
    for id in dict.fromkeys(id for pieces in sets for id in pieces):
        field = f"set-{next(number for number, pieces in enumerate(sets, 1) if id in pieces)}"
        if id.kind not in selectable:
            names = ", ".join(sorted(kind.value for kind in selectable))
            yield DraftFault("not-evidence", f"'{id}' cannot be evidence here; possible: {names}.", field)
        elif not exists(id):
            yield DraftFault("element-gone", f"'{id}' is not in the corpus any longer: remove it.", field)


def _group_fields(sets: EvidenceSets) -> list[str]:
    """The fields in which it stands what each group that holds anything says."""
    return [f"set-{number}-verdict" for number, pieces in enumerate(sets, 1) if pieces]


def _check_labelling(draft: AnnotationDraft) -> Iterator[DraftFault]:
    verdict, groups = draft.fields.get("verdict", ""), _group_fields(draft.sets)
    if verdict == Label.NOT_ENOUGH_INFO:
        if groups:
            message = "Sentences are marked as evidence: cancel those groups, or do not say NOT ENOUGH INFO."
            yield DraftFault("evidence-for-nothing", message, "verdict")
        return
    if not groups:
        message = "Mark sentences that support or refute the claim, or skip it with: not enough information."
        yield DraftFault("evidence-missing", message)
        return
    said = {name: draft.fields.get(name, "") for name in groups}
    for name, group_verdict in said.items():
        if group_verdict not in (Label.SUPPORTS, Label.REFUTES):
            yield DraftFault("verdict-missing", "Say whether these sentences support or refute the claim.", name)
    if {Label.SUPPORTS.value, Label.REFUTES.value} <= set(said.values()):
        message = "Some groups support the claim and others refute it: cancel one side, or skip the claim as ambiguous."
        yield DraftFault("mixed-verdicts", message, groups[-1])
    full = tuple(pieces for pieces in draft.sets if pieces)  # a group that was cancelled leaves a gap
    yield from _check_sets(full, MOST_SETS, "Group")


def _check_plain(kind: TaskKind, draft: AnnotationDraft, limits: _Limits) -> Iterator[DraftFault]:
    verdict = draft.fields.get("verdict", "")
    if kind is TaskKind.PLAIN_RATING:
        rating = draft.fields.get("rating", "")
        if rating not in list(ClaimRating):
            yield DraftFault("rating-missing", "Say first how well the claim reads.", "rating")
            return
        if rating == ClaimRating.INCOMPREHENSIBLE:
            if verdict:
                message = "A claim that nobody understands gets no verdict: take one of the two back."
                yield DraftFault("verdict-for-nothing", message, "verdict")
            return
    if fault := _check_verdict(verdict):
        yield fault
    if kind is TaskKind.PLAIN_RATING and draft.fields.get("cause", "") not in ("", *FalsehoodCause):
        yield DraftFault("cause-unknown", "Choose what makes the claim false from the list, or nothing.", "cause")
    if kind is TaskKind.PLAIN_VERIFICATION:
        yield from _check_evidence(verdict, draft.sets, limits.most_sets)
    else:
        yield from _check_sets(draft.sets, limits.most_sets)


# -- writing -----------------------------------------------------------------------------------------------


def _check_fever_claims(draft: AnnotationDraft, limits: _Limits) -> Iterator[DraftFault]:
    written = _written(draft, FEVER_CLAIM_FIELDS)
    if len(written) < FEWEST_FEVER_CLAIMS:
        message = f"Write {FEWEST_FEVER_CLAIMS} to {len(FEVER_CLAIM_FIELDS)} claims, or skip the sentence."
        missing = next(name for name in FEVER_CLAIM_FIELDS if name not in written)
        yield DraftFault("too-few-claims", message, missing)
    yield from _check_texts(written, limits)


def _check_mutations(draft: AnnotationDraft, limits: _Limits) -> Iterator[DraftFault]:
    written = _written(draft, tuple(MUTATION_FIELDS.values()))
    if not written:
        message = "Change the claim in at least one way, or skip it."
        yield DraftFault("too-few-claims", message, next(iter(MUTATION_FIELDS.values())))
    yield from _check_texts(written, limits)


def _check_feverous_claims(draft: AnnotationDraft, limits: _Limits) -> Iterator[DraftFault]:
    written = _written(draft, FEVEROUS_CLAIM_FIELDS)
    for number, name in enumerate(FEVEROUS_CLAIM_FIELDS, 1):
        if name not in written:
            yield DraftFault("claim-missing", f"Write claim {number} of 3, or skip the highlight.", name)
        challenge = f"challenge-{number}"
        if draft.fields.get(challenge, "") not in list(Challenge):
            message = f"Choose what will make claim {number} hardest to verify."
            yield DraftFault("challenge-missing", message, challenge)
    yield from _check_texts(written, limits)


def _written(draft: AnnotationDraft, names: Sequence[str]) -> dict[str, str]:
    return {name: text for name in names if (text := draft.fields.get(name, "").strip())}


def _check_texts(written: Mapping[str, str], limits: _Limits) -> Iterator[DraftFault]:
    for name, text in written.items():
        others = [other for other_name, other in written.items() if other_name != name]
        if limits.original:
            others.append(limits.original)
        for advice in advise(text, sentences=limits.sentences, others=others):
            if advice.forbids:
                yield DraftFault(advice.code.value, advice.message, name)
