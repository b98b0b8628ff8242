"""Writing a claim: a page of the corpus beside the claim, what a search finds for it as one writes, and publishing.

What is written stands in the draft that the server keeps, and the deadline is the server's; the script of the page only
sends what has changed. Everything can be done without it: with ticks for the evidence and a button to look.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from veritab.errors import Conflict, InputError
from veritab.pipeline import Checker
from veritab.render.html import draw_runs, split_runs
from veritab.render.markup import Markup
from veritab.render.view import LABELS, LabelView, format_percent
from veritab.schema import LONGEST_CLAIM, Label, Page
from veritab.studio.advice import AdviceCode, advise
from veritab.studio.game import writing as service
from veritab.studio.game.claim_checks import FORCED, claim_faults
from veritab.studio.game.feedback import RankedPiece, WritingFeedback, checker_answer, feedback_on, rank_pieces
from veritab.studio.game.games import rules_of
from veritab.studio.game.pairing import has_pair
from veritab.studio.game.pieces import EvidencePiece, make_pieces, pieces_of
from veritab.studio.game.playing import PlayerRole, role_due
from veritab.studio.game.records import GameClaimRecord, GamePointRecord, GameWritingRecord
from veritab.studio.game.topics import topics_of
from veritab.studio.game.vocabulary import GameClaimState, PointKind, WritingState
from veritab.studio.records import JsonObject
from veritab.web.pages.templating import as_sentence, environment, show_at
from veritab.web.studio.browsing import PageShelf, PlaceAddresses, draw_page
from veritab.web.studio.game.menu import begin_or_tell
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, RecordNumber, Visit, attempt, change, look, move_on

_MOST_SHOWN = 10
"""As many pieces as voters can buy hints."""
_MOST_READ = 5
"""So many pieces the checker reads where no evidence is chosen yet."""
_LONGEST_SENT = 1 << 20
"""What is too long for a claim comes back to its author; beyond this the server reads no form at all."""
_LONGEST_DRAFT = 20_000
_MOST_CHOSEN = 200
_PLACES = {1: "first", 2: "second", 3: "third"}
_ENDED = {WritingState.GIVEN_UP: "Given up", WritingState.TIMED_OUT: "Time is over"}


class SentDraft(BaseModel):
    """What stands in the fields of somebody who writes a claim."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(max_length=_LONGEST_DRAFT)]
    gold: Annotated[list[Annotated[str, Field(max_length=LONGEST_CLAIM)]], Field(max_length=_MOST_CHOSEN)]
    page: Annotated[str, Field(max_length=LONGEST_CLAIM)] = ""
    """The page that it is about: another window may have taken another one."""


def add(router: APIRouter) -> None:
    """Add these pages to the router."""
    base = "/p/{project}/writings/{number}"

    @router.post("/p/{project}/write")
    async def begin(request: Request, project: str) -> Response:
        return await attempt(request, _begin, project)

    @show_at(router, base)
    async def show(request: Request, project: str, number: RecordNumber, checker: bool = False) -> Response:
        said = await _ask_checker(request, project, number, None) if checker else None
        return await look(request, _show, project, number, said)

    @show_at(router, f"{base}/draft")
    async def tell(request: Request, project: str, number: RecordNumber) -> Response:
        return await look(request, _tell, project, number)

    @router.post(f"{base}/draft")
    async def keep(request: Request, project: str, number: RecordNumber, sent: SentDraft) -> Response:
        return await change(request, _keep, project, number, sent)

    @router.post(f"{base}/feedback")
    async def feedback(request: Request, project: str, number: RecordNumber, sent: SentDraft) -> Response:
        return await look(request, _tell_feedback, project, number, sent)

    @router.post(f"{base}/checker")
    async def ask(request: Request, project: str, number: RecordNumber, sent: SentDraft) -> Response:
        said = await _ask_checker(request, project, number, sent)
        drawn = _draw_part("writing_checker.html", said=said) if said else ""
        return JSONResponse({"html": drawn} | (said.answer if said else {}))

    @router.post(f"{base}/look")
    async def look_at(request: Request, project: str, number: RecordNumber) -> Response:
        return await change(request, _look, project, number)

    @router.post(f"{base}/publish")
    async def publish(request: Request, project: str, number: RecordNumber) -> Response:
        return await attempt(request, _publish, project, number)

    @router.post(f"{base}/another-page")
    async def another_page(request: Request, project: str, number: RecordNumber) -> Response:
        return await attempt(request, _take_other_page, project, number)

    @router.post(f"{base}/give-up")
    async def give_up(request: Request, project: str, number: RecordNumber) -> Response:
        return await change(request, _give_up, project, number)


# -- a claim that is written -------------------------------------------------------------------------------


class PagesChanged(Conflict):
    """The corpus is not the one that somebody began to write about."""


@dataclass(frozen=True)
class ClaimDesk:
    """Somebody's own writing, and the page that it is about."""

    visit: ProjectVisit
    record: GameWritingRecord

    @property
    def is_in_time(self) -> bool:
        return service.is_in_time(self.record, self.visit.now)

    @property
    def seconds_left(self) -> float:
        return max(self.record.deadline - self.visit.now, 0.0) if self.is_in_time else 0.0

    @property
    def draft(self) -> SentDraft:
        """What is kept."""
        return SentDraft(text=self.record.draft["text"], gold=self.record.draft["gold"])

    @cached_property
    def shelf(self) -> PageShelf:
        try:
            return PageShelf.of(self.visit)
        except Conflict as error:
            raise PagesChanged(
                "the pages have changed since you began, and nobody can write until whoever runs the game has looked "
                "at them; copy what you wrote if you want to keep it"
            ) from error

    @cached_property
    def page(self) -> Page:
        return self.shelf.page(self.record.page)

    def to(self, *parts: str, **query: int) -> str:
        """An address of this writing."""
        return self.visit.to("writings", self.record.id, *parts, **query)

    def chosen(self, gold: Sequence[str]) -> list[EvidencePiece]:
        """The pieces that somebody has chosen; none where they are not of this page."""
        try:
            return pieces_of(self.page, gold)
        except InputError:
            return []


def _sit_down(visit: Visit, project: str, number: int) -> ClaimDesk:
    inside = visit.enter(project)
    account_id = inside.signed.account_id
    record = service.find_writing(inside.session, inside.project, number, account_id, now=inside.now)
    return ClaimDesk(inside, record)


def _begin(visit: Visit, project: str) -> Response:
    return begin_or_tell(visit, project, lambda: _begin_writing(visit, project))


def _begin_writing(visit: Visit, project: str) -> Response:
    checker = _corpus_of(visit, project)
    with visit.studio.database.writing() as session:
        inside = visit.within(session).enter(project)
        record = service.begin_writing(
            session,
            inside.project,
            inside.signed.account_id,
            inside.field("topic", LONGEST_CLAIM),
            checker=checker,
            rng=Random(),
            now=inside.now,
        )
        return move_on(inside.to("writings", record.id))


def _corpus_of(visit: Visit, project: str) -> Checker:
    """The corpus of a game, opened and sorted into topics before others have to wait for it."""
    with visit.studio.database.reading() as session:
        inside = visit.within(session).enter(project)
    checker = visit.studio.checker(inside.project)
    topics_of(checker)
    return checker


def _role_due(inside: ProjectVisit) -> PlayerRole:
    return role_due(inside.session, inside.project, inside.signed.account_id, now=inside.now)


def _votes_on(inside: ProjectVisit, topic: str) -> str | None:
    """The topic to vote on next: this one where it has two claims, else any; nothing where there are none."""
    of = inside.session, inside.project, inside.signed.account_id
    return next((each for each in (topic, "") if has_pair(*of, each, digest=inside.project.corpus_digest)), None)


# -- the screen --------------------------------------------------------------------------------------------


def _show(visit: Visit, project: str, number: int, said: CheckerView | None) -> Response:
    desk = _sit_down(visit, project, number)
    if desk.record.state == WritingState.PUBLISHED:
        return _show_published(desk)
    if not desk.is_in_time:
        return _show_over(desk, desk.draft.text)
    try:
        return _draw(desk, desk.draft, said=said)
    except PagesChanged as error:
        return _show_over(desk, desk.draft.text, str(error))


def _draw(desk: ClaimDesk, draft: SentDraft, *, said: CheckerView | None = None, refused: bool = False) -> Response:
    visit, record = desk.visit, desk.record
    faults = _sort_faults(draft, desk.page) if refused else ClaimFaults((), ())
    minutes, seconds = divmod(int(desk.seconds_left), 60)
    return render(
        visit,
        "game/writing.html",
        status=400 if refused else 200,
        address=desk.to(),
        truth=record.truth,
        title=record.page,
        clock=f"{minutes}:{seconds:02}",
        place=draw_page(desk.shelf, record.page, _CorpusAddresses(place=visit.to("page")), with_contents=True),
        text=draft.text,
        most=LONGEST_CLAIM,
        faults=faults,
        refused=refused,
        ticks=list(_list_ticks(desk, draft.gold)),
        feedback=_feedback(desk, draft),
        said=said,
        pages_left=service.pages_left(record),
        opened=_describe(desk),
    )


@dataclass(frozen=True)
class _CorpusAddresses(PlaceAddresses):
    """Links that lead to the corpus, away from the page that is written about."""

    place: str = ""

    def page(self, title: str, mark: Iterable[Any] = ()) -> str:
        return self.place + super().page(title, mark)


class TickedPiece(NamedTuple):
    """A piece of the page that is chosen by a tick, where there is no script."""

    text: str
    section: str
    value: str
    """Its elements, as JSON."""
    is_chosen: bool


def _list_ticks(desk: ClaimDesk, gold: Sequence[str]) -> Iterable[TickedPiece]:
    chosen = {piece.ids: piece for piece in desk.chosen(gold)}
    pieces = {piece.ids: piece for piece in make_pieces(desk.page)}
    for ids, piece in {**chosen, **pieces}.items():  # some cells of a row come first: they are no piece of the list
        yield TickedPiece(piece.text, piece.section.replace(" | ", " › "), json.dumps(ids), ids in chosen)


class ClaimFaults(NamedTuple):
    """What keeps a claim from being published, by the field that it is about."""

    text: Sequence[str]
    gold: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.text or self.gold)


def _sort_faults(draft: SentDraft, page: Page) -> ClaimFaults:
    of_text = [advice.message for advice in advise(draft.text) if advice.code in FORCED]
    return ClaimFaults(of_text, [each for each in claim_faults(draft.text, draft.gold, page) if each not in of_text])


def _show_over(desk: ClaimDesk, text: str, changed: str = "") -> Response:
    state = WritingState(desk.record.state)
    return render(
        desk.visit,
        "game/writing_over.html",
        status=409 if changed else 200,
        heading="The pages have changed" if changed else _ENDED.get(state, _ENDED[WritingState.TIMED_OUT]),
        changed=as_sentence(changed),
        address=desk.to(),
        text=text,
        title=desk.record.page,
        topic=desk.record.topic,
        due=_role_due(desk.visit),
        votes_on=_votes_on(desk.visit, desk.record.topic),
    )


def _show_published(desk: ClaimDesk) -> Response:
    visit = desk.visit
    claim = visit.session.get_one(GameClaimRecord, desk.record.claim_id)
    points = visit.session.scalar(
        select(GamePointRecord.points).where(
            GamePointRecord.claim_id == claim.id, GamePointRecord.kind == PointKind.WRITING.value
        )
    )
    return render(
        visit,
        "game/published.html",
        claim=claim,
        points=points or 0,
        hints=[EvidencePiece.parse(piece) for piece in claim.hints["pieces"]],
        gold=[EvidencePiece.parse(piece) for piece in claim.gold["pieces"]],
        is_resting=claim.state == GameClaimState.RESTING,
        due=_role_due(visit),
        votes_on=_votes_on(visit, claim.topic),
    )


# -- the draft ---------------------------------------------------------------------------------------------


def _tell(visit: Visit, project: str, number: int) -> Response:
    return JSONResponse(_describe(_sit_down(visit, project, number)))


def _keep(visit: Visit, project: str, number: int, sent: SentDraft) -> Response:
    desk = _sit_down(visit, project, number)
    if sent.page and sent.page != desk.record.page:
        raise Conflict(f"you write about {desk.record.page!r} by now; open the page again")
    service.keep_draft(visit.session, desk.record, sent.text, sent.gold, now=visit.now)
    return JSONResponse(_describe(desk))


def _describe(desk: ClaimDesk) -> JsonObject:
    """What the page has to know of the draft, and of the time."""
    draft, record = desk.draft, desk.record
    is_late = record.state == WritingState.OPEN and not desk.is_in_time
    return {
        "state": WritingState.TIMED_OUT.value if is_late else record.state,
        "page": record.page,
        "text": draft.text,
        "gold": draft.gold,
        "pieces": [
            {"ids": piece.ids, "text": piece.text, "section": piece.section.replace(" | ", " › ")}
            for piece in desk.chosen(draft.gold)
        ],
        "seconds_left": round(desk.seconds_left, 3),
        "form_token": desk.visit.form_token,
    }


# -- feedback ----------------------------------------------------------------------------------------------


class AdviceView(NamedTuple):
    """Something to tell the author, and whether it keeps the claim from being published."""

    message: str
    forbids: bool


class FoundPiece(NamedTuple):
    """A piece that a search finds, its words that the claim has too marked; a row of a table in words."""

    place: str
    text: Markup
    is_gold: bool


class FeedbackView(NamedTuple):
    """What a search finds for a claim, and what to tell its author."""

    advice: Sequence[AdviceView]
    pieces: Sequence[FoundPiece]
    words: str
    """Where the evidence comes."""
    tone: str
    gold_rank: int | None


def _tell_feedback(visit: Visit, project: str, number: int, sent: SentDraft) -> Response:
    desk = _sit_down(visit, project, number)
    _require_time(desk)
    feedback = _feedback(desk, sent)
    drawn = _draw_part("writing_feedback.html", feedback=feedback, said=None) if feedback else ""
    rank = feedback.gold_rank if feedback else None
    return JSONResponse({"html": drawn, "gold_rank": rank, "seconds_left": round(desk.seconds_left, 3)})


def _feedback(desk: ClaimDesk, draft: SentDraft) -> FeedbackView | None:
    """What to show for a claim; nothing before there are words."""
    if not draft.text.strip():
        return None
    found = feedback_on(
        draft.text,
        desk.page,
        draft.gold,
        desk.shelf.checker,
        truth=desk.record.truth,
        known=service.known_claims(desk.visit.session, desk.record),
        most=_MOST_SHOWN,
    )
    words, tone = _say_rank(found, bool(draft.gold))
    return FeedbackView(
        [
            AdviceView(each.message, each.code in FORCED)
            for each in found.advice
            if each.code is not AdviceCode.GOLD_FIRST
        ],
        [_show_piece(each) for each in found.pieces],
        words,
        tone,
        found.gold_rank,
    )


def _say_rank(found: WritingFeedback, has_gold: bool) -> tuple[str, str]:
    """Where the evidence comes in a search, in words, and whether that is good for the author."""
    rank = found.gold_rank
    if not has_gold:
        return "Choose your evidence, and its place in this list is told.", "quiet"
    if rank is None or (rank <= len(found.pieces) and not found.pieces[rank - 1].score):
        return "A search does not find your evidence: it has no word of the claim.", "good"
    if rank == 1:
        return "Your evidence comes first: a search finds it at once. Say it in other words.", "bad"
    if rank in _PLACES:
        return f"Your evidence comes {_PLACES[rank]}: it is easy to find.", "quiet"
    beyond = ", after all that is shown here" if rank > len(found.pieces) else ""
    return f"Your evidence comes at place {rank}{beyond}: it is hard to find.", "good"


def _show_piece(found: RankedPiece) -> FoundPiece:
    piece = found.piece
    caption = piece.caption if piece.rows else ""
    return FoundPiece(
        " › ".join(filter(None, (*piece.section.split(" | "), caption))),
        draw_runs(split_runs(piece.text, (), found.spans)),
        found.is_gold,
    )


def _draw_part(template: str, **values: Any) -> str:
    return environment().get_template(f"studio/game/{template}").render(values)


# -- the checker -------------------------------------------------------------------------------------------


class CheckerView(NamedTuple):
    """What the checker says of a claim that is being written."""

    answer: JsonObject
    truth: bool
    """What the author was asked for."""
    by_gold: bool
    """Whether it read the author's evidence, or what a search finds."""

    @property
    def label(self) -> Label:
        return Label(self.answer["label"])

    @property
    def view(self) -> LabelView:
        return LABELS[self.label]

    @property
    def percent(self) -> str:
        return format_percent(self.answer["scores"][self.label.value])

    @property
    def before(self) -> str:
        return "By your evidence the checker says:" if self.by_gold else "By what a search finds the checker says:"

    @property
    def is_fooled(self) -> bool:
        return self.label is (Label.REFUTES if self.truth else Label.SUPPORTS)

    @property
    def words(self) -> str:
        if self.label is Label.NOT_ENOUGH_INFO:
            return "It cannot tell. Make sure that people can: your evidence must settle the claim."
        if self.is_fooled:
            return "It is fooled. Make sure that the claim is what you were asked for."
        return "It is not fooled."


class CheckerQuestion(NamedTuple):
    """What the checker is asked about a claim."""

    text: str
    pieces: Sequence[EvidencePiece]
    checker: Checker
    truth: bool
    by_gold: bool


async def _ask_checker(request: Request, project: str, number: int, sent: SentDraft | None) -> CheckerView | None:
    """The checker's answer to what was sent, or to the draft; it takes longer than a look into the database may."""
    await look(request, _put_question, project, number, sent)
    question: CheckerQuestion | None = request.state.question
    if question is None:
        return None
    said = await request.app.state.workers.run(checker_answer, question.text, question.pieces, question.checker)
    return CheckerView(said, question.truth, question.by_gold)


def _put_question(visit: Visit, project: str, number: int, sent: SentDraft | None) -> Response:
    desk = _sit_down(visit, project, number)
    if sent is not None:
        _require_time(desk)
    draft = sent or desk.draft
    visit.request.state.question = None
    if draft.text.strip() and len(draft.text) <= LONGEST_CLAIM and desk.is_in_time:
        checker = desk.shelf.checker
        gold = desk.chosen(draft.gold)
        found = gold or [each.piece for each in rank_pieces(draft.text, desk.page, checker)[:_MOST_READ]]
        visit.request.state.question = CheckerQuestion(draft.text, found, checker, desk.record.truth, bool(gold))
    return Response()


def _require_time(desk: ClaimDesk) -> None:
    if not desk.is_in_time:
        raise Conflict("this claim cannot be written any more; open its page to see why")


# -- the end -----------------------------------------------------------------------------------------------


def _look(visit: Visit, project: str, number: int) -> Response:
    """What the button does where there is no script: the draft is kept, and its feedback is on the page then."""
    desk = _sit_down(visit, project, number)
    if desk.is_in_time:
        draft = _sent_draft(visit)
        service.keep_draft(visit.session, desk.record, draft.text, draft.gold, now=visit.now)
    return move_on(f"{desk.to(checker=1)}#feedback")


def _publish(visit: Visit, project: str, number: int) -> Response:
    draft = _sent_draft(visit)
    try:
        return _publish_draft(visit, project, number, draft)
    except PagesChanged as error:
        with visit.studio.database.reading() as session:
            return _show_over(_sit_down(visit.within(session), project, number), draft.text, str(error))


def _publish_draft(visit: Visit, project: str, number: int, draft: SentDraft) -> Response:
    """Publish a claim. What takes reading the page is done before and after the transaction that others wait for."""
    database = visit.studio.database
    prepared = None
    with database.reading() as session:
        desk = _sit_down(visit.within(session), project, number)
        is_refused = desk.is_in_time and bool(_sort_faults(draft, desk.page))
        if desk.is_in_time and not is_refused:
            rules = rules_of(session, desk.visit.project)
            prepared = service.prepare_claim(
                desk.record.page, draft.text, draft.gold, checker=desk.shelf.checker, rules=rules
            )
    with database.writing() as session:
        desk = _sit_down(visit.within(session), project, number)
        if desk.record.state == WritingState.PUBLISHED:  # a second click
            return move_on(desk.to())
        if not desk.is_in_time:
            return _show_over(desk, draft.text)
        if not is_refused:
            service.publish(
                session,
                desk.record,
                draft.text,
                draft.gold,
                checker=desk.shelf.checker,
                now=visit.now,
                prepared=prepared,
            )
            return move_on(desk.to())
        if len(draft.text) <= LONGEST_CLAIM:
            service.keep_draft(session, desk.record, draft.text, draft.gold, now=visit.now)
    with database.reading() as session:
        return _draw(_sit_down(visit.within(session), project, number), draft, refused=True)


def _sent_draft(visit: Visit) -> SentDraft:
    """What a form holds; however long it is, its author gets it back."""
    return SentDraft.model_construct(text=visit.field("text", _LONGEST_SENT), gold=list(_sent_gold(visit)))


def _sent_gold(visit: Visit) -> Iterable[str]:
    for value in visit.form.getlist("gold")[:_MOST_CHOSEN]:
        try:
            ids = json.loads(value) if isinstance(value, str) else None
        except (ValueError, RecursionError):
            ids = None
        if not isinstance(ids, list) or not all(isinstance(id, str) and "\0" not in id for id in ids):
            raise InputError("the evidence of the form cannot be read; go back and choose it again")
        yield from ids


def _take_other_page(visit: Visit, project: str, number: int) -> Response:
    checker = _corpus_of(visit, project)
    with visit.studio.database.writing() as session:
        desk = _sit_down(visit.within(session), project, number)
        if desk.is_in_time and visit.field("page", LONGEST_CLAIM) == desk.record.page:  # not a second click
            service.take_other_page(session, desk.record, checker=checker, rng=Random(), now=visit.now)
        return move_on(desk.to())


def _give_up(visit: Visit, project: str, number: int) -> Response:
    desk = _sit_down(visit, project, number)
    if desk.is_in_time:
        service.give_up(visit.session, desk.record, now=visit.now)
    return move_on(desk.to())
