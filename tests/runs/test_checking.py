"""Many claims checked here, by several processes and by a cluster: the same lines, whatever happens to some."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import cast

import orjson
import pytest

from tests.runs.stand_in import (
    KILLS,
    KILLS_LATE,
    RAISES,
    SLOW,
    of_another_revision,
    stand_in,
    that_cannot_be_read,
    that_dies,
    that_lacks_a_part,
)
from veritab.engine import Engine, ThisProcess
from veritab.errors import Conflict, MissingExtra, VeritabError
from veritab.models.registry import folder_of
from veritab.processes import WorkerProcesses
from veritab.runs.answering import answer_here, answer_on_engine
from veritab.runs.checking import (
    BATCH,
    MOST_CHARACTERS,
    AnswerLine,
    CheckerFactory,
    Failed,
    OpenChecker,
    batches,
    check_all,
    check_on_engine,
    check_what_can_be,
    remaining_batches,
)
from veritab.runs.claims import ClaimRecord
from veritab.runs.labelled import LabelledClaims
from veritab.settings import Settings

ASKED = [ClaimRecord(n, n, f"Claim {n} {('is', 'never', 'was')[n % 3]} high.") for n in range(1, 3 * BATCH + 6)]
ALONE = [line for lines in check_all(ASKED, stand_in()) for line in lines]


@pytest.fixture(scope="module")
def processes() -> Iterator[Engine]:
    with WorkerProcesses(2) as engine:
        yield engine


@pytest.fixture(scope="module")
def cluster() -> Iterator[Engine]:
    from veritab.scale import open_engine

    with open_engine("local:2") as engine:
        yield engine


@pytest.fixture(params=["here", "processes", "cluster"])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = ThisProcess() if request.param == "here" else request.getfixturevalue(request.param)
    return found


def answers(
    claims: Iterable[ClaimRecord], engine: Engine, open_checker: OpenChecker = stand_in, done: int = 0
) -> list[AnswerLine]:
    found = check_what_can_be(remaining_batches(claims, done), open_checker, engine, revision="first")
    return [each for some in found for each in some]


def with_claims(**at: str) -> list[ClaimRecord]:
    """Some claims, with others in some places."""
    return [each._replace(text=at.get(f"at_{each.number}", each.text)) for each in ASKED]


def test_claims_are_cut_into_batches_by_number_and_by_length() -> None:
    assert [len(each) for each in batches(ASKED)] == [BATCH, BATCH, BATCH, 5]
    long = [ClaimRecord(n, n, "x" * (MOST_CHARACTERS // 3)) for n in range(7)]
    assert [len(each) for each in batches(long)] == [3, 3, 1]
    longer = [ClaimRecord(n, n, "x" * size) for n, size in enumerate([9, 2 * MOST_CHARACTERS, 9, 9])]
    assert [len(each) for each in batches(longer)] == [1, 1, 2]
    assert not list(batches([]))


def test_batches_end_where_a_file_does() -> None:
    claims = [each._replace(source="a" if each.number < 20 else "b") for each in ASKED]
    assert [len(each) for each in batches(claims)] == [BATCH, 3, BATCH, BATCH, 2]


def test_batches_are_cut_at_the_same_places_when_some_claims_are_done() -> None:
    whole = list(batches(ASKED))
    for done in (0, 1, BATCH - 1, BATCH, BATCH + 7, len(ASKED)):
        left = list(remaining_batches(ASKED, done))
        assert [each.claims for each in left] == whole[done // BATCH :] if done < len(ASKED) else not left
        assert sum(len(each.claims) - each.done for each in left) == len(ASKED) - done


def test_any_engine_gives_the_same_lines(engine: Engine) -> None:
    for done in (0, BATCH + 3):
        lines = [line for some in check_on_engine(ASKED, stand_in, engine, done=done) for line in some]
        assert lines == ALONE[done:]
    assert answers(ASKED, engine) == ALONE


def test_a_claim_that_raises_is_named_and_the_others_are_answered(engine: Engine) -> None:
    claims = with_claims(at_3=RAISES, at_20=RAISES, at_22=RAISES)
    found = answers(claims, engine)
    assert [each for each in found if isinstance(each, Failed)] == [
        Failed(number, RAISES, "RuntimeError: the checker is at its end") for number in (3, 20, 22)
    ]
    lines = [each for each in found if not isinstance(each, Failed)]
    assert [orjson.loads(line)["id"] for line in lines] == [each.id for each in ASKED if each.id not in (3, 20, 22)]
    # Those of a batch without failures, and those that are checked without the failed ones.
    assert lines[-5:] == ALONE[-5:]
    sound = [each for each in claims[:BATCH] if each.text != RAISES]
    assert lines[: BATCH - 1] == [line for some in check_all(sound, stand_in()) for line in some]
    assert answers(claims, engine, done=5) == found[5:]


@pytest.mark.parametrize(
    ("engine", "kills"),
    [("processes", KILLS), pytest.param("cluster", KILLS_LATE, marks=pytest.mark.slow)],
    indirect=["engine"],
)
def test_a_claim_that_ends_its_worker_is_named_and_the_others_are_answered(engine: Engine, kills: str) -> None:
    found = answers(with_claims(at_2=RAISES, at_18=kills), engine)
    failed = [each for each in found if isinstance(each, Failed)]
    assert [(each.id, each.claim) for each in failed] == [(2, RAISES), (18, kills)]
    assert "died" in failed[1].error
    assert len(found) == len(ASKED)
    here = answers(with_claims(at_2=RAISES, at_18=RAISES), ThisProcess())
    assert [each for each in found if isinstance(each, bytes)] == [each for each in here if isinstance(each, bytes)]


def test_labelled_claims_are_answered_past_those_that_end_their_worker(processes: Engine) -> None:
    claims = with_claims(at_2=RAISES, at_18=KILLS)

    def answered(claims: list[ClaimRecord], engine: Engine | None) -> list[AnswerLine]:
        remaining, checker = remaining_batches(claims, 0), stand_in()
        labelled = cast(LabelledClaims, ())
        if engine is None:
            found = answer_here(labelled, remaining, checker, None, None)
        else:
            opening = cast(CheckerFactory, stand_in)
            found = answer_on_engine(labelled, remaining, checker, opening, engine, None, None)
        return [each for some in found for each in some]

    found = answered(claims, processes)
    failed = [each for each in found if isinstance(each, Failed)]
    assert [(each.id, each.claim) for each in failed] == [(2, RAISES), (18, KILLS)]
    assert "died" in failed[1].error
    here = answered(with_claims(at_2=RAISES, at_18=RAISES), None)
    assert [each for each in found if isinstance(each, bytes)] == [each for each in here if isinstance(each, bytes)]
    assert len(here) == len(found) == len(ASKED)


def test_claims_that_all_fail_end_the_work(engine: Engine) -> None:
    with pytest.raises(VeritabError, match=r"the last 48 claims all failed.*the models are damaged"):
        answers(ASKED, engine, that_cannot_be_read)


def test_what_a_worker_cannot_open_is_told_as_it_is(engine: Engine) -> None:
    with pytest.raises(MissingExtra, match=r"a stand-in needs .*veritab\[none\]"):
        answers(ASKED, engine, that_lacks_a_part)
    with pytest.raises(MissingExtra, match=r"a stand-in needs .*veritab\[none\]"):
        list(check_on_engine(ASKED, that_lacks_a_part, engine))


def test_workers_that_die_when_they_open_the_checker_end_the_work(processes: Engine) -> None:
    with pytest.raises(VeritabError, match=r"no worker could open the checker.*died"):
        answers(ASKED[:20], processes, that_dies)


def test_a_worker_that_sees_the_corpus_in_another_state_ends_the_work(engine: Engine) -> None:
    with pytest.raises(Conflict, match=r"'made up' is in the state second, as process \d+ on .* begun with first"):
        answers(ASKED, engine, of_another_revision)


def test_a_worker_whose_folder_holds_another_model_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder_of("fast"), tmp_path / "ours")
    opening = CheckerFactory(None, Settings.of({"verify": {"model": "ours"}, "select": {"model": "none"}}))
    sent = opening.for_worker(1)
    monkeypatch.chdir("/")
    with sent() as checker:
        assert dict(sent.models) == checker.models
    card = tmp_path / "ours" / "card.toml"
    card.write_text(card.read_text() + "# fitted again\n")
    with pytest.raises(Conflict, match=r"ours' are not those of the command"):
        sent()
    shutil.rmtree(tmp_path / "ours")
    with pytest.raises(Conflict, match=r"ours' are not those of the command"):
        sent()


def test_a_process_that_dies_is_told_where_nobody_takes_failures(processes: Engine) -> None:
    with pytest.raises(VeritabError, match="a worker process died"):
        list(check_on_engine(with_claims(at_3=KILLS), stand_in, processes))


def test_processes_end_when_nobody_wants_their_answers() -> None:
    before = set(multiprocessing.active_children())
    with WorkerProcesses(2) as engine:
        slow = (ClaimRecord(0, 0, SLOW) for _ in range(9 * BATCH))
        next(check_on_engine([*ASKED[:BATCH], *slow], stand_in, engine))
    assert set(multiprocessing.active_children()) <= before


def test_few_batches_are_under_way_at_once(engine: Engine) -> None:
    taken = 0

    def counted() -> Iterator[ClaimRecord]:
        nonlocal taken
        for number in range(2_000):
            taken += 1
            yield ClaimRecord(number, number, f"Claim {number} is high.")

    given = 0
    for lines in check_on_engine(counted(), stand_in, engine):
        assert taken - given <= 40 * BATCH
        given += len(lines)
    assert given == 2_000


def test_a_checker_is_opened_once_and_closed_at_the_end(tmp_path: Path) -> None:
    opened: list[_Counted] = []

    def open_counted() -> _Counted:
        opened.append(_Counted())
        return opened[-1]

    class _Counted:
        closed = 0
        corpus = stand_in().corpus
        pipeline = None
        check_many = stand_in().check_many

        def close(self) -> None:
            self.closed += 1

    open_checker: Callable[..., object] = open_counted
    assert list(check_on_engine(ASKED, open_checker, ThisProcess()))  # type: ignore[arg-type]
    assert [each.closed for each in opened] == [1]
    opening, labelled, remaining = (
        cast(CheckerFactory, open_checker),
        cast(LabelledClaims, ()),
        remaining_batches(ASKED, 0),
    )
    assert list(answer_on_engine(labelled, remaining, stand_in(), opening, ThisProcess(), None, None))
    assert [each.closed for each in opened] == [1, 1]
