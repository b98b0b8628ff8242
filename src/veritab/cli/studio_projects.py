"""`veritab studio project`: what people work on, by which numbers, and who they are."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from veritab.cli.commands import Group
from veritab.cli.output import Json, counted, print_json, talk
from veritab.cli.studio_accounts import parse_role
from veritab.cli.studio_place import (
    GROUP,
    MOST_SEED,
    Place,
    ProjectName,
    day_of,
    opened_studio,
    parse_changes,
    print_listed,
    read_text_file,
    tell,
)
from veritab.errors import InputError, NotFound
from veritab.studio.states import MemberStage, MemberStep
from veritab.studio.vocabulary import Pool, Role, TaskKind

_STEPS = (MemberStep.APPROVE, MemberStep.REJECT, MemberStep.PAUSE, MemberStep.RESUME)

group = typer.Typer(
    name="project", cls=Group, help="Make projects, change their settings, and see who is in them.", **GROUP
)

Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A setting, e.g. --set calibration_size=0 --set suggestion=after; lists as JSON; may be repeated.",
        show_default=False,
    ),
]


@group.command()
def create(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Small letters, digits and dashes: it stands in addresses.", show_default=False
        ),
    ],
    workflow: Annotated[
        str, typer.Option("--workflow", metavar="fever|feverous|plain", help="By whose rules people work.")
    ] = "feverous",
    title: Annotated[str, typer.Option("--title", help="What people read.", show_default="the name")] = "",
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", "-c", metavar="DIR", help="The corpus to use; the bundled almanac by default."),
    ] = None,
    changes: Changes = None,
    consent: Annotated[
        Path | None,
        typer.Option("--consent", metavar="FILE", help="What people agree to before they begin.", show_default=False),
    ] = None,
    manager: Annotated[
        str,
        typer.Option("--manager", metavar="ACCOUNT", help="Who manages it; may be added later.", show_default=False),
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=MOST_SEED, help="What everything is drawn with.", show_default="drawn"),
    ] = None,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make a project over a corpus, with the guidelines and the numbers of its workflow."""
    with opened_studio(studio) as opened:
        from secrets import randbelow

        from veritab.studio.accounts import find_account
        from veritab.studio.projects import ProjectSettings, Workflow, add_member, create_project

        if workflow == Workflow.GAME:
            raise InputError("a game is made with: veritab game new NAME")
        if workflow not in list(Workflow):
            expected = ", ".join(each for each in Workflow if each is not Workflow.GAME)
            raise InputError(f"{workflow!r} is not a workflow; expected {expected}")
        settings = ProjectSettings.of(Workflow(workflow)).changed(parse_changes(changes))
        place = str(corpus.resolve()) if corpus else ""
        with talk.status("opening the corpus"):
            digest = opened.digest_of(place)
        with opened.database.writing() as session:
            made = create_project(
                session,
                name,
                title=title,
                corpus=place,
                corpus_digest=digest,
                workflow=Workflow(workflow),
                settings=settings,
                consent=read_text_file(consent) if consent else "",
                seed=randbelow(MOST_SEED) if seed is None else seed,
                now=time.time(),
            )
            if manager:
                account = find_account(session, manager)
                add_member(session, made, account.id, Role.MANAGER, now=time.time())
    tell(as_json, f"project {name}: {workflow}, corpus {digest}", name=name, workflow=workflow, corpus_digest=digest)
    if settings.calibration_size and not as_json:
        talk.print(
            f"people begin with {2 * settings.calibration_size} tasks of calibration: import them, or let everybody "
            f"work at once with: veritab studio project settings {name} --set calibration_size=0",
            markup=False,
            soft_wrap=True,
        )


@group.command("list")
def list_projects(studio: Place = None, as_json: Json = False) -> None:
    """List the projects: how many people are in them, and where their tasks stand."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from sqlalchemy import func, select

        from veritab.studio.projects import all_projects, members_of
        from veritab.studio.records import TaskRecord

        found = []
        for project in all_projects(session):
            states = select(TaskRecord.state, func.count()).where(TaskRecord.project_id == project.id)
            found.append(
                {
                    "name": project.name,
                    "title": project.title,
                    "workflow": project.workflow,
                    "corpus": project.corpus,
                    "is_closed": project.closed_at is not None,
                    "members": len(members_of(session, project)),
                    "tasks": {row[0]: row[1] for row in session.execute(states.group_by(TaskRecord.state))},
                }
            )
    print_listed(as_json, found, ("name", "workflow", "members", "tasks", ""), _project_row)


def _project_row(each: Mapping[str, Any]) -> tuple[str, ...]:
    tasks = ", ".join(f"{count:,} {state}" for state, count in sorted(each["tasks"].items()))
    return each["name"], each["workflow"], f"{each['members']:,}", tasks, "closed" if each["is_closed"] else ""


@group.command()
def settings(project: ProjectName, changes: Changes = None, studio: Place = None, as_json: Json = False) -> None:
    """Show the settings of a project, after changing those that are given; what was drawn before stays."""
    with opened_studio(studio) as opened:
        from veritab.studio.projects import change_settings, find_project, settings_of

        parsed = parse_changes(changes)
        if parsed:
            with opened.database.writing() as session:
                found = change_settings(session, find_project(session, project), parsed, by=None, now=time.time())
        else:
            with opened.database.reading() as session:
                found = settings_of(find_project(session, project))
    if as_json:
        print_json(found.as_dict())
    else:
        rows = [{"name": name, "value": value} for name, value in found.as_dict().items()]
        print_listed(False, rows, ("setting", "value"), lambda row: (row["name"], json.dumps(row["value"])))


@group.command()
def close(project: ProjectName, studio: Place = None, as_json: Json = False) -> None:
    """Give out no more tasks of a project; everything stays to be read and exported."""
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.projects import close_project, find_project

        close_project(session, find_project(session, project), by=None, now=time.time())
    tell(as_json, f"project {project} is closed", name=project, is_closed=True)


@group.command()
def reopen(project: ProjectName, studio: Place = None, as_json: Json = False) -> None:
    """Give out tasks of a closed project again."""
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.projects import find_project, reopen_project

        reopen_project(session, find_project(session, project), by=None, now=time.time())
    tell(as_json, f"project {project} is open", name=project, is_closed=False)


@group.command()
def draw(
    project: ProjectName,
    count: Annotated[int, typer.Option("--count", min=1, max=1_000_000, help="How many tasks.", show_default=False)],
    pool: Annotated[
        str, typer.Option("--pool", metavar="work|practice|calibration", help="What the answers are for.")
    ] = Pool.WORK.value,
    phase: Annotated[int, typer.Option("--phase", min=0, max=2, help="1 or 2 in calibration.")] = 0,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Draw tasks to write claims: highlights of pages by lot, each page once in a project."""
    if pool not in (Pool.WORK, Pool.PRACTICE, Pool.CALIBRATION):
        raise InputError(f"nothing is drawn for {pool!r}; expected work, practice or calibration")
    if (pool == Pool.CALIBRATION) != (phase > 0):
        raise InputError("calibration has the phases 1 and 2, and nothing else has phases; give --phase with it alone")
    with opened_studio(studio) as opened:
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            found = find_project(session, project)
        with talk.status("drawing from the pages"):
            made = opened.draw_tasks(found, count, now=time.time(), pool=pool, phase=phase, by=None)
    tell(as_json, f"{counted(made, 'task')} drawn", project=project, tasks=made, wanted=count)
    if made < count and not as_json:
        talk.print("the pages that were left have no more to write about", markup=False)


@group.command("accept-corpus")
def accept_changed_corpus(
    project: ProjectName,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Go on also where some of what people chose is no longer there.")
    ] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Go on with a corpus that has changed, after looking whether all that people were shown or chose is in it.

    In a game, claims whose evidence says something else now rest until they are reviewed.
    """
    with opened_studio(studio) as opened, opened.database.writing(unhurried=True) as session:
        from veritab.studio.game.writing import follow_corpus
        from veritab.studio.opened import accept_corpus
        from veritab.studio.projects import find_project, is_game

        found, now = find_project(session, project), time.time()
        checker, before = opened.open_corpus(found), found.corpus_digest
        if is_game(found):
            follow_corpus(session, found, checker, now=now)
        else:
            accept_corpus(session, found, checker, by=None, now=now, anyway=anyway)
        changed = found.corpus_digest != before
        digest = found.corpus_digest
    said = f"the corpus of {project} is {digest} now" if changed else f"the corpus of {project} has not changed"
    tell(as_json, said, name=project, corpus_digest=digest, has_changed=changed)


@group.command()
def guideline(
    project: ProjectName,
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="The kind of task, e.g. feverous-verification.", show_default=False)
    ],
    publish: Annotated[
        Path | None,
        typer.Option("--publish", metavar="FILE", help="Publish this text as a new version.", show_default=False),
    ] = None,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Print the guidelines for a kind of task, after publishing a new version where one is given."""
    if kind not in list(TaskKind):
        raise InputError(f"{kind!r} is not a kind of task; expected one of {', '.join(TaskKind)}")
    with opened_studio(studio) as opened:
        from veritab.studio.projects import current_guideline, find_project, publish_guideline

        with opened.database.writing() as session:
            found = find_project(session, project)
            if publish:
                publish_guideline(session, found, TaskKind(kind), read_text_file(publish), by=None, now=time.time())
            current = current_guideline(session, found, TaskKind(kind))
    if current is None:
        raise NotFound(f"project {project!r} has no tasks {kind!r}")
    tell(as_json, current.text, project=project, kind=kind, version=current.version, text=current.text)


# -- people ------------------------------------------------------------------------------------------------


@group.command()
def members(project: ProjectName, studio: Place = None, as_json: Json = False) -> None:
    """List who is in a project, as what, and how far they have come."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from veritab.studio.projects import find_project, members_of

        found = [
            {
                "name": account.name,
                "role": member.role,
                "stage": member.stage,
                "is_super": member.is_super,
                "has_consented": member.consented_at is not None,
                "joined_at": member.joined_at,
            }
            for member, account in members_of(session, find_project(session, project))
        ]
    print_listed(
        as_json,
        found,
        ("name", "role", "stage", "since", ""),
        lambda row: (
            row["name"],
            row["role"],
            row["stage"],
            day_of(row["joined_at"]),
            "super-annotator" if row["is_super"] else "",
        ),
    )


@group.command()
def member(
    project: ProjectName,
    name: Annotated[str, typer.Argument(metavar="ACCOUNT", help="Somebody with an account.", show_default=False)],
    role: Annotated[
        str,
        typer.Option("--role", metavar="annotator|manager", help="What they are in the project.", show_default=False),
    ] = "",
    step: Annotated[
        str,
        typer.Option(
            "--step", metavar="approve|reject|pause|resume", help="What is decided on them.", show_default=False
        ),
    ] = "",
    is_super: Annotated[
        bool | None,
        typer.Option("--super/--no-super", help="Whether they look for all the evidence there is.", show_default=False),
    ] = None,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Add somebody to a project, or change what they are in it."""
    if step and step not in _STEPS:
        raise InputError(f"{step!r} cannot be decided on somebody; expected {', '.join(_STEPS)}")
    wanted = parse_role(role) if role else None
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import find_account
        from veritab.studio.projects import add_member, change_role, find_project, mark_super, member_of

        found, account, now = find_project(session, project), find_account(session, name), time.time()
        try:
            held = member_of(session, found, account.id)
        except NotFound:
            held = add_member(session, found, account.id, wanted or Role.ANNOTATOR, now=now)
        if wanted and held.role != wanted:
            change_role(session, found, held, wanted, by=None, now=now)
        if step:
            from veritab.studio.quality import decide_member

            decide_member(session, held, by=None, step=MemberStep(step), now=now)
        if is_super is not None:
            mark_super(session, found, held, is_super, by=None, now=now)
        after = {"role": held.role, "stage": held.stage, "is_super": held.is_super}
    said = f"{account.name}: {after['role']}, {after['stage']}" + (", super-annotator" if after["is_super"] else "")
    tell(as_json, said, name=account.name, project=project, **after)
    if after["stage"] == MemberStage.INVITED and not as_json:
        talk.print("they begin by agreeing to the project's text, on its page", markup=False)


@group.command()
def trail(
    project: ProjectName,
    most: Annotated[int, typer.Option("--most", min=1, help="How many, the last first.")] = 50,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Show who changed what in a project, from what, to what."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from veritab.studio.projects import find_project, trail_of

        found = [
            {
                "at": record.at,
                "by": name,
                "what": record.what,
                "subject": record.subject,
                "before": record.before,
                "after": record.after,
            }
            for record, name in trail_of(session, find_project(session, project).id, most=most)
        ]
    print_listed(as_json, found, ("when", "who", "what", "", ""), _trail_row)


def _trail_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    change = " → ".join(json.dumps(row[side], ensure_ascii=False) for side in ("before", "after") if row[side])
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(row["at"])), row["by"], row["what"], row["subject"], change
