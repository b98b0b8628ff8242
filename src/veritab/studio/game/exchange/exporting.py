"""The claims of a game go out as a data set: whole, or cut by pages; nobody's name goes with them.

What rests until somebody has reviewed it, was withdrawn, is for practice, or holds names and words that a person should
look at first, stays here and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.audit.audit_rows import AuditRow
from veritab.audit.claim_only import LEAST, ClaimOnlyResult, claim_only_baseline
from veritab.audit.partition import write_partition
from veritab.datasets.splitting import Split, split
from veritab.datasets.writing import CardInfo, ElementOf, packed, write
from veritab.errors import InputError
from veritab.files import new_folder, refuse_missing_folder, replacing
from veritab.schema import Claim, ElementId, Example, Kind, Label
from veritab.studio.database import Database
from veritab.studio.game.exchange.published import NO_TOPIC, json_line, write_published
from veritab.studio.game.games import game_of
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.reviewing import marked_claims
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.records import ProjectRecord

GAME_FORMATS: Mapping[str, str] = {
    "fm2": "Fool Me Twice's JSON lines, with votes and likes",
    "feverous": "FEVEROUS's JSON lines, of claims whose evidence has addresses",
}
"""What the claims of a game can go out as."""
EXPORT_STATES = (GameClaimState.PLAYING, GameClaimState.RESTING, GameClaimState.WITHDRAWN)
"""What can go out; practice never does."""
MARKED = "marked for review"
UNADDRESSED = "without addresses"
_CARRIED = ("category", "correct_votes", "total_likes", "total_votes")
_AT_ONCE = 200


class GameExport(NamedTuple):
    """What went out, and how many claims stayed here, by the reason."""

    files: tuple[Path, ...]
    claims: int
    left_out: Mapping[str, int]
    splits: tuple[Split, ...] = ()
    easy: int | None = None
    """How many claims a classifier labels rightly that never saw evidence; unknown where nobody asked."""

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        told: dict[str, Any] = {
            "files": [str(file) for file in self.files],
            "claims": self.claims,
            "left_out": dict(self.left_out),
        }
        if self.splits:
            told["splits"] = [
                {"name": part.name, "wanted": part.wanted, "claims": len(part), "labels": dict(part.labels)}
                for part in self.splits
            ]
        return told if self.easy is None else told | {"easy": self.easy, "hard": self.claims - self.easy}


def export_game(
    database: Database,
    project: ProjectRecord,
    into: Path,
    *,
    format: str = "fm2",
    states: Collection[str] = (GameClaimState.PLAYING,),
    as_published: bool = False,
    shares: Mapping[str, float] | None = None,
    seed: int = 0,
    partition: Path | None = None,
    element_of: ElementOf | None = None,
    force: bool = False,
    tick: Callable[[int], None] = lambda claims: None,
) -> GameExport:
    """Write the claims of a game, as they are at one moment; what is written is there when all of it is.

    With `shares` they are cut into parts, files of a new folder, that have no page in common and as many true as false
    claims. `partition` is a file that says which of them the claim alone gives away. `as_published` leaves the gold
    where the file of an imported claim has it. `element_of` finds elements in the corpus, for FEVEROUS's context, and
    `tick` is told how many claims were written so far.
    """
    _refuse_options(format, states, as_published)
    for file in (partition, None if shares else into):
        refuse_written(file, force=force)
    if shares:
        _refuse_folder(into)
    with database.reading() as session:
        game_of(session, project)
        chosen, left_out = _choose(session, project, format, frozenset(states))
        if not chosen:
            said = ", ".join(f"{number:,} {why}" for why, number in left_out.items()) or "it has none"
            raise InputError(f"no claim of game {project.name!r} can be written as {format}: {said}")
        parts = _cut(session, chosen, shares, seed) if shares else []
        guesses = _guess(session, project, chosen) if partition else None
        exported = _Exported(session, project, format, as_published, element_of, tick)
        if shares:
            with _folder(into) as folder:
                for part in parts:
                    exported.write([chosen[place] for place in part.places], folder / f"{part.name}.jsonl")
            files: tuple[Path, ...] = tuple(into / f"{part.name}.jsonl" for part in parts)
        else:
            exported.write(chosen, into)
            files = (into,)
    easy = write_partition(guesses, partition) if guesses and partition else None
    return GameExport(files, len(chosen), left_out, tuple(parts), easy)


# -- what is refused ---------------------------------------------------------------------------------------


def _refuse_options(format: str, states: Collection[str], as_published: bool) -> None:
    if format not in GAME_FORMATS:
        raise InputError(f"no format {format!r}; expected one of {', '.join(GAME_FORMATS)}, time")
    unknown = [state for state in states if state not in EXPORT_STATES]
    if unknown or not states:
        raise InputError(f"{', '.join(unknown) or 'nothing'} is not exported; choose of {', '.join(EXPORT_STATES)}")
    if as_published and format != "fm2":
        raise InputError(f"only fm2 has a published form; leave it out for {format}")


def refuse_written(file: Path | None, *, force: bool) -> None:
    """Refuse to write over a file, unless that was asked for."""
    refuse_missing_folder(file)
    if file is not None and file.is_file() and not force:
        raise InputError(f"{str(file)!r} is there already; name another file, or write over it with --force")


def _refuse_folder(into: Path) -> None:
    if into.is_file() or (into.is_dir() and any(into.iterdir())):
        raise InputError(f"{str(into)!r} is there already; name a new folder for the parts")
    if not into.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(into.parent)!r} to write {into.name!r} into; make it first")


# -- what goes out -----------------------------------------------------------------------------------------


def _choose(
    session: Session, project: ProjectRecord, format: str, states: frozenset[str]
) -> tuple[list[int], dict[str, int]]:
    """The numbers of the claims that go out, in order, and how many others there are."""
    chosen: list[int] = []
    left_out: Counter[str] = Counter()
    marked = marked_claims(session, project)
    last = 0
    query = select(GameClaimRecord).where(GameClaimRecord.project_id == project.id).order_by(GameClaimRecord.id)
    while claims := session.scalars(query.where(GameClaimRecord.id > last).limit(_AT_ONCE)).all():
        last = claims[-1].id
        for claim in claims:
            if claim.state not in states:
                left_out[claim.state] += 1
            elif claim.id in marked and not claim.source_id:  # what a file said has been published
                left_out[MARKED] += 1
            elif format == "feverous" and not _has_addresses(claim):
                left_out[UNADDRESSED] += 1
            else:
                chosen.append(claim.id)
        session.expunge_all()
    return chosen, dict(left_out)


def _has_addresses(claim: GameClaimRecord) -> bool:
    return all(piece["ids"] for piece in claim.gold["pieces"])


def _claims(session: Session, ids: Sequence[int]) -> Iterator[Sequence[GameClaimRecord]]:
    for start in range(0, len(ids), _AT_ONCE):
        some = GameClaimRecord.id.in_(ids[start : start + _AT_ONCE])
        yield session.scalars(select(GameClaimRecord).where(some).order_by(GameClaimRecord.id)).all()
        session.expunge_all()


def _label(claim: GameClaimRecord) -> Label:
    return Label.SUPPORTS if claim.truth else Label.REFUTES


def _public_ids(session: Session, project: ProjectRecord, claims: Sequence[GameClaimRecord]) -> dict[int, str]:
    """The id that the file of each claim gave it, else one that tells the game; never one that another claim has."""
    own = {claim.id: f"{project.name}-{claim.id}" for claim in claims if not claim.source_id}
    taken = set(_taken(session, project, own.values()))
    for id, name in own.items():
        if name in taken:
            others = (f"{name}-{number}" for number in count(2))
            own[id] = next(other for other in others if not _taken(session, project, [other]))
    return own | {claim.id: claim.source_id for claim in claims if claim.source_id}


def _taken(session: Session, project: ProjectRecord, ids: Collection[str]) -> Sequence[str]:
    query = select(GameClaimRecord.source_id).where(GameClaimRecord.project_id == project.id)
    return session.scalars(query.where(GameClaimRecord.source_id.in_(ids))).all()


class _Exported:
    """Claims on their way into files."""

    def __init__(
        self,
        session: Session,
        project: ProjectRecord,
        format: str,
        as_published: bool,
        element_of: ElementOf | None,
        tick: Callable[[int], None],
    ) -> None:
        self._session, self._project, self._format = session, project, format
        self._as_published, self._element_of, self._tick = as_published, element_of, tick
        self._done = 0

    def write(self, ids: Sequence[int], into: Path) -> None:
        """Write some claims into a file."""
        if self._format == "feverous":
            examples = (self._example(claim, id) for claim, id in self._with_ids(ids))
            about = CardInfo(self._project.title, "feverous")
            write({"train": examples}, "feverous", into, about=about, element_of=self._element_of, carry=_CARRIED)
            return
        with replacing(into) as file, packed(file, into) as out:
            for claim, id in self._with_ids(ids):
                out.write(json_line(write_published(claim, id, as_published=self._as_published)))

    def _with_ids(self, ids: Sequence[int]) -> Iterator[tuple[GameClaimRecord, str]]:
        for claims in _claims(self._session, ids):
            names = _public_ids(self._session, self._project, claims)
            yield from ((claim, names[claim.id]) for claim in claims)
            self._done += len(claims)
            self._tick(self._done)

    def _example(self, claim: GameClaimRecord, id: str) -> Example:
        """A claim with its gold as one evidence set: its author needed all of it."""
        gold = frozenset(ElementId.parse(each) for piece in claim.gold["pieces"] for each in piece["ids"])
        votes = claim.topic or NO_TOPIC, claim.right_votes, claim.likes, claim.votes
        record = dict(zip(_CARRIED, votes, strict=True))
        return Example(Claim(id, claim.text), _label(claim), (gold,), record=record)


@contextmanager
def _folder(into: Path) -> Iterator[Path]:
    with new_folder(into) as folder:
        folder.mkdir()
        yield folder


# -- parts -------------------------------------------------------------------------------------------------


def _cut(session: Session, chosen: Sequence[int], shares: Mapping[str, float], seed: int) -> list[Split]:
    examples = [
        Example(Claim(str(claim.id), claim.text), _label(claim), (frozenset({ElementId(claim.page, Kind.TITLE)}),))
        for claims in _claims(session, chosen)
        for claim in claims
    ]
    parts = split(examples, shares, balance=True, seed=seed)
    empty = next((part.name for part in parts if not part.places), None)
    if empty is not None:
        raise InputError(f"nothing is left for {empty!r}: the claims are about too few pages; ask for fewer parts")
    return parts


def _guess(session: Session, project: ProjectRecord, chosen: Sequence[int]) -> ClaimOnlyResult:
    rows: list[AuditRow] = []
    for claims in _claims(session, chosen):
        names = _public_ids(session, project, claims)
        rows += [AuditRow(names[claim.id], claim.text, _label(claim), (claim.page,)) for claim in claims]
    result = claim_only_baseline(rows, [str(row.label) for row in rows])
    if result is None:
        raise InputError(
            f"{len(rows):,} claims cannot be cut into EASY and HARD; it takes {LEAST}, true and false ones"
        )
    return result
