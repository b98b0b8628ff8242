"""`veritab train`: a recipe becomes a model, in three steps that write into the folder of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from veritab.cli.output import Json, answer, counted, print_json, progress_bar, talk
from veritab.errors import InputError
from veritab.train import STEPS, need
from veritab.train import recipe as recipes

if TYPE_CHECKING:
    from veritab.train.folders import TrainingRun

BASELINE = "baseline"


def train(
    recipe: Annotated[
        str | None,
        typer.Argument(metavar="[RECIPE]", help="A recipe that ships, or a TOML file.", show_default=False),
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="RUN", help="The folder of the run; steps go on from it.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="The folder of the data sets the recipe names.")
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option("--base", metavar="DIR", help="The encoder to start from: its folder, or one that holds it."),
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option("--also", metavar="DIR", help="One more RUN/trained, averaged with the base; may be repeated."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed for the order of the examples and dropout.", min=0)
    ] = 0,
    only: Annotated[
        str | None, typer.Option("--only", metavar="STEP", help="One step alone: prepare, fit or export.")
    ] = None,
    prepared: Annotated[
        Path | None,
        typer.Option("--prepared", metavar="DIR", help="Fit and export with the token files of another run."),
    ] = None,
    teacher: Annotated[
        Path | None, typer.Option("--teacher", metavar="RUN", help="The run of the teacher, where it was moved.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on fitting from the last checkpoint.")] = False,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="N", help="Fit fewer steps if all would take longer.", min=1)
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="Fit on cpu or cuda; cuda where there is one.")
    ] = None,
    trial: Annotated[
        int | None,
        typer.Option("--trial", metavar="N", help="Fit and measure N examples of each source at most.", min=1),
    ] = None,
    allow: Annotated[
        bool,
        typer.Option("--allow-disagreement", help="Keep a model that answers differently from what was trained."),
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the recipes that ship, and leave.")] = False,
    draw: Annotated[int | None, typer.Option("--draw", hidden=True)] = None,
    as_json: Json = False,
) -> None:
    """Train a model by a recipe: prepare the examples, fit the network, export it, and compare both.

    RUN/prepared holds the examples as tokens, RUN/trained what was fitted, RUN/model the folder that other commands
    open, and RUN/log.jsonl what happened. `veritab train tiny --into RUN` takes seconds and needs nothing else.
    """
    if draw is not None:
        raise InputError(f"--draw is called --seed now; write --seed {draw}")
    if listed:
        _list(as_json=as_json)
        return
    if recipe is None or into is None:
        raise InputError("a recipe and a folder are needed; try: veritab train tiny --into RUN, or --list")
    if only is not None and only not in STEPS:
        raise InputError(f"no step {only!r}; expected one of {', '.join(STEPS)}")
    if device not in (None, "cpu", "cuda"):
        raise InputError(f"no device {device!r}; expected cpu or cuda")
    if into.is_file():
        raise InputError(f"{str(into)!r} is a file; give a folder")
    from veritab.papers.baselines import RECIPES

    path = recipes.find(recipe, RECIPES)
    report = print_json if as_json else _say
    if recipes.read_toml(path).get("job") == BASELINE:
        for event in _baseline(path, into, data, base):
            report(event)
        return
    parsed = recipes.read(path)
    steps = [only] if only else [step for step in STEPS if not (step == "prepare" and (resume or prepared))]
    for step in steps:
        need(step)
    from veritab.train.folders import TrainingRun, find_answers

    if only is None:
        find_answers(parsed, teacher)  # preparing takes long; a missing teacher is reported before
    run = TrainingRun(into)
    options: dict[str, Any] = {"base": base, "also": also or (), "seed": seed, "teacher": teacher, "seconds": seconds}
    options |= {"resume": resume, "device": device, "examples": trial}
    if prepared is not None:
        options |= {"prepared": prepared, "recipe": path}
    works: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
        "prepare": lambda: _prepare(path, run, data, base),
        "fit": lambda: _fit(run, options),
        "export": lambda: _export(run, prepared, allow=allow),
    }
    for step in steps:
        for event in works[step]():
            report(event)


def _list(*, as_json: bool) -> None:
    from veritab.papers.baselines import RECIPES

    shipped = {name: recipes.read_toml(path) for name, path in recipes.shipped(RECIPES).items()}
    if as_json:
        print_json({name: {"job": each["job"], "what": each.get("what", "")} for name, each in shipped.items()})
        return
    for name, each in shipped.items():
        answer.print(f"{name:28} {each['job']:9} {each.get('what', '')}", markup=False, soft_wrap=True)


def _baseline(path: Path, into: Path, data: Path | None, base: Path | None) -> Iterator[dict[str, Any]]:
    """Baselines are small: they are fitted in one step, and leave their measures beside the model."""
    from veritab.papers import baselines

    with talk.status("reading") as status:
        for progress in baselines.run({"name": path.stem, **recipes.read_toml(path)}, data, into, base):
            if "loss" in progress.values:
                status.update(f"fitting: {progress.step}, loss {progress.values['loss']:.4f}")
            with _hidden(status):
                yield {"event": "baseline", "step": progress.step, **progress.values}
    yield {"event": "written", "folder": str(into), "files": [baselines.MODEL, baselines.MEASURED]}


def _prepare(path: Path, run: TrainingRun, data: Path | None, base: Path | None) -> Iterator[dict[str, Any]]:
    from veritab.train.prepare import prepare

    recipe = recipes.read(path)
    uses = len({use.key(recipe.seed) for use in (*recipe.trained_on, *recipe.measure.sources)})
    with progress_bar("preparing", total=uses) as (bar, task):
        prepared = prepare(
            recipe,
            path.read_text(encoding="utf-8"),
            run,
            data=data,
            base=base,
            report=lambda name, count: bar.update(task, advance=1, note=f"{name}: {count:,}"),
        )
    examples = sum(each["examples"] for each in prepared["sources"].values())
    yield {"event": "prepared", "sources": len(prepared["sources"]), "examples": examples}


def _fit(run: TrainingRun, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    from veritab.train.loop import FitOptions, fit

    with progress_bar("fitting", total=None) as (bar, task):
        for event in fit(run, FitOptions(**options)):
            if event["event"] == "step":
                bar.update(task, completed=event["step"], total=event["of"], note=f"loss {event['loss']:.4f}")
            with _hidden(bar.live):
                yield event


def _export(run: TrainingRun, prepared: Path | None, *, allow: bool) -> Iterator[dict[str, Any]]:
    from veritab.train.export import export

    with talk.status("exporting") as status:
        for event in export(run, prepared=prepared, allow=allow):
            with _hidden(status):
                yield {**event, "folder": str(run.model)} if event["event"] == "exported" else event


class _Shown(Protocol):
    """Something that moves on the terminal."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


@contextmanager
def _hidden(shown: _Shown) -> Iterator[None]:
    """What moves on the terminal gives way to what is printed meanwhile."""
    if not talk.is_terminal:
        yield
        return
    shown.stop()
    try:
        yield
    finally:
        shown.start()


def _say(event: dict[str, Any]) -> None:
    """What a person wants to know of an event."""
    match event["event"]:
        case "prepared":
            line = f"prepared {counted(event['examples'], 'example')} of {counted(event['sources'], 'source')}"
        case "measured":
            figures = {key: value for key, value in event.items() if key not in ("event", "stage", "set", "seconds")}
            line = f"{event['stage']}: {event['set']}: " + ", ".join(
                f"{key} {value:g}" for key, value in figures.items()
            )
        case "baseline":
            if "loss" in event:
                return
            line = f"{event['step']}: " + ", ".join(
                _figure(key, value) for key, value in event.items() if key not in ("event", "step")
            )
        case "written":
            line = f"wrote {' and '.join(event['files'])} into {event['folder']}"
        case "end":
            line = f"fitted in {event['seconds']:.0f} s"
        case "exported":
            files = ", ".join(f"{name} ({size / 1e6:.1f} MB)" for name, size in event["bytes"].items())
            line = f"exported {files} into {event['folder']}"
        case "agreement":
            line = f"agreement with the trained network: {event['agreement with the trained network, %']} %"
        case _:
            return
    answer.print(line, markup=False, soft_wrap=True)


def _figure(name: str, value: float) -> str:
    """A number of a baseline as people read it: a count, a threshold, or a share in percent."""
    if isinstance(value, int):
        return counted(value, name.removesuffix("s"))
    if name == "gamma":
        return f"{name} {value:.3f}"
    return f"{name.replace('_', ' ').replace('f1', 'F1')} {100 * value:.1f} %"
