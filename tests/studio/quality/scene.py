"""A project with members, tasks and answers, written into the tables by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from veritab.studio.quality import settle
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    EvidenceRecord,
    MembershipRecord,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, MemberStage, TaskState
from veritab.studio.vocabulary import Pool, Role, TaskKind

SUPPORTS, REFUTES, NEI = "SUPPORTS", "REFUTES", "NOT ENOUGH INFO"
NILE, ALPS = "Nile_sentence_0", "Alps_cell_0_1_2"
GOLD = {"label": REFUTES, "evidence": [[NILE, ALPS]], "challenge": "Other"}
SHARED = (Pool.PRACTICE, Pool.CALIBRATION, Pool.GOLD)


class Scene:
    """What a test needs of a studio; every thing made is later than the one before."""

    def __init__(self, session: Session, name: str = "rivers", **settings: Any) -> None:
        self.session, self.now = session, 1000.0
        self.project = ProjectRecord(
            name=name,
            title=name,
            corpus="",
            corpus_digest="",
            workflow="feverous",
            settings=settings,
            consent="",
            seed=1,
            made_at=0.0,
        )
        self._keep(self.project)

    def member(
        self, name: str, role: Role = Role.ANNOTATOR, stage: MemberStage = MemberStage.APPROVED
    ) -> MembershipRecord:
        account = AccountRecord(name=name, made_at=self.tick())
        self._keep(account)
        member = MembershipRecord(
            project_id=self.project.id,
            account_id=account.id,
            role=role.value,
            stage=stage.value,
            joined_at=self.now,
            consented_at=self.now,
        )
        self._keep(member)
        return member

    def manager(self, name: str = "owl") -> MembershipRecord:
        return self.member(name, Role.MANAGER)

    def claim(self, text: str = "The Nile is short.", author: MembershipRecord | None = None) -> StudioClaimRecord:
        claim = StudioClaimRecord(
            project_id=self.project.id,
            text=text,
            author_id=author.account_id if author else None,
            state=ClaimState.GOOD.value,
            pool=Pool.WORK.value,
            source={},
            made_at=self.tick(),
        )
        self._keep(claim)
        return claim

    def task(
        self,
        pool: Pool = Pool.WORK,
        *,
        wanted: int = 1,
        gold: dict[str, Any] | None = None,
        kind: TaskKind = TaskKind.FEVEROUS_VERIFICATION,
        phase: int = 0,
        claim: StudioClaimRecord | None = None,
    ) -> TaskRecord:
        writes = kind is TaskKind.FEVEROUS_CLAIMS
        task = TaskRecord(
            project_id=self.project.id,
            kind=kind.value,
            pool=pool.value,
            phase=phase,
            claim_id=None if writes else (claim or self.claim()).id,
            drawn={},
            gold=gold or {},
            state=TaskState.OPEN.value,
            wanted=0 if pool in SHARED else wanted,
            made_at=self.tick(),
        )
        self._keep(task)
        return task

    def take(self, task: TaskRecord, member: MembershipRecord, state: str = "active") -> AssignmentRecord:
        assignment = AssignmentRecord(
            task_id=task.id,
            account_id=member.account_id,
            state=state,
            taken_at=self.tick(),
            lease_until=self.now + 3600,
        )
        self._keep(assignment)
        if task.pool not in SHARED and state == "active":
            task.state = TaskState.TAKEN.value
        return assignment

    def answer(
        self,
        task: TaskRecord,
        member: MembershipRecord,
        label: str = SUPPORTS,
        sets: Sequence[Sequence[str]] = ((NILE,),),
        challenge: str = "Other",
        *,
        flag: bool = False,
        fields: dict[str, str] | None = None,
    ) -> AnnotationRecord:
        """An answer that was submitted, with everything that follows from it."""
        assignment = self.take(task, member, "submitted")
        annotation = self.annotation(assignment, label, sets, challenge, flag=flag, fields=fields)
        task.answers += 1
        if task.pool not in SHARED:
            task.state = TaskState.SUBMITTED.value
        settle(self.session, task, now=self.now)
        return annotation

    def annotation(
        self,
        assignment: AssignmentRecord,
        label: str,
        sets: Sequence[Sequence[str]] = (),
        challenge: str = "",
        *,
        revision: int = 1,
        flag: bool = False,
        fields: dict[str, str] | None = None,
    ) -> AnnotationRecord:
        annotation = AnnotationRecord(
            assignment_id=assignment.id,
            task_id=assignment.task_id,
            account_id=assignment.account_id,
            revision=revision,
            label=label,
            challenge=challenge,
            fields=fields or {},
            events=1,
            seconds=60.0,
            suggestion={},
            is_flagged=flag,
            submitted_at=self.tick(),
        )
        self._keep(annotation)
        for number, pieces in enumerate(sets, 1):
            for position, element in enumerate(pieces, 1):
                self.session.add(
                    EvidenceRecord(annotation_id=annotation.id, set_number=number, position=position, element=element)
                )
        self.session.flush()
        return annotation

    def report(self, task: TaskRecord, member: MembershipRecord, note: str = "") -> ReportRecord:
        """A report of a task's claim by somebody who should answer it."""
        self.take(task, member, "reported")
        claim = self.session.get_one(StudioClaimRecord, task.claim_id)
        claim.state = ClaimState.REPORTED.value
        if task.pool not in SHARED:
            task.state = TaskState.FLAGGED.value
        report = ReportRecord(
            claim_id=claim.id,
            task_id=task.id,
            account_id=member.account_id,
            reason="language",
            note=note,
            made_at=self.tick(),
        )
        self._keep(report)
        return report

    def tick(self) -> float:
        self.now += 1
        return self.now

    def _keep(self, record: Any) -> None:
        self.session.add(record)
        self.session.flush()
