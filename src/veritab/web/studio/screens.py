"""What is worked on, and how a kind of task is shown: the template of its panel, and what that needs to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from veritab.schema import ElementId
from veritab.studio import annotating
from veritab.studio.records import AssignmentRecord, HighlightRecord, JsonObject, StudioClaimRecord, TaskRecord
from veritab.studio.vocabulary import HighlightSkipReason, SkipReason, TaskKind
from veritab.web.studio.browsing import ADDRESSES, PageShelf
from veritab.web.studio.sessions import ProjectVisit, Visit


@dataclass(frozen=True)
class Work:
    """An assignment in the hands of the one who looks at it."""

    visit: ProjectVisit
    assignment: AssignmentRecord
    task: TaskRecord
    claim: StudioClaimRecord | None
    highlight: HighlightRecord | None
    shelf: PageShelf

    @property
    def kind(self) -> TaskKind:
        return TaskKind(self.task.kind)

    @property
    def seconds(self) -> float:
        """How long it has been worked on."""
        return max(self.visit.now - self.assignment.taken_at, 0.0)

    @property
    def home(self) -> str:
        """Where the highlight is that somebody writes about, from the working screen; nothing without one."""
        if self.highlight is None or self.claim is not None:
            return ""
        return ADDRESSES.page(self.highlight.page, map(ElementId.parse, self.highlight.elements["ids"][:1]))

    def to(self, *parts: str) -> str:
        """An address of this assignment."""
        return self.visit.to("task", self.assignment.id, *parts)


class Screen(NamedTuple):
    """How a kind of task is shown."""

    template: str
    """Extends studio/work.html."""
    heading: str
    values: Callable[[Work, Mapping[str, str]], JsonObject]
    """What the template needs of the work and of the fields that are filled in."""
    sentences: Callable[[Work], Sequence[str]] = lambda _: ()
    """What a claim that is written may not repeat."""
    skip_reasons: Sequence[SkipReason | HighlightSkipReason] = (SkipReason.NOT_FOR_ME,)
    can_report: bool = False


def enter_work(visit: Visit, project: str, number: int) -> Work:
    """One's own assignment; anybody else's is not there."""
    inside = visit.enter(project)
    assignment = annotating.find_assignment(inside.session, inside.project, number, inside.signed.account_id)
    task = inside.session.get_one(TaskRecord, assignment.task_id)
    claim = inside.session.get(StudioClaimRecord, task.claim_id) if task.claim_id else None
    about = task.highlight_id or (claim.highlight_id if claim else None)
    highlight = inside.session.get(HighlightRecord, about) if about else None
    return Work(inside, assignment, task, claim, highlight, PageShelf.of(inside))
