"""`veritab build mutate` and `veritab build nei`: claims and evidence made of other claims."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veritab.build.elements import find_element
from veritab.build.processes import TravellingChecker, from_anywhere, map_in_order
from veritab.build.records import Built, ClaimSource
from veritab.cli.build_writing import (
    FailAbove,
    Into,
    LeftOutFile,
    Processes,
    Report,
    Seed,
    Source,
    build_engine,
    source_path,
    write_built,
)
from veritab.cli.data import Data
from veritab.cli.options import Cluster, Config, Corpus, Profile, read_settings
from veritab.cli.output import talk
from veritab.engine import ThisProcess
from veritab.errors import InputError

if TYPE_CHECKING:
    from veritab.build.mutating.label_checks import LabelCheck
    from veritab.corpus import Corpus as OpenedCorpus
    from veritab.settings import Settings

_MOST_SHOWN = 20


def mutate(
    source: Source,
    rules: Annotated[
        str,
        typer.Option(
            "--rules",
            metavar="NAME,...",
            help="rephrase, negate, similar, dissimilar, value, opposite, general, specific.",
            show_default="all",
        ),
    ] = "",
    most: Annotated[int, typer.Option("--most", min=1, max=20, help="Claims that each rule makes of one.")] = 1,
    with_sources: Annotated[
        bool, typer.Option("--with-sources", help="Also write the claims themselves, so that labels are mixed.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Ask the checker about every implied label and list where it differs; claims without a label get its.",
        ),
    ] = False,
    corpus: Corpus = None,
    data: Data = None,
    processes: Processes = 1,
    cluster: Cluster = None,
    seed: Seed = 0,
    into: Into = None,
    left_out: LeftOutFile = None,
    fail_above: FailAbove = None,
    config: Config = None,
    profile: Profile = None,
    as_json: Report = False,
) -> None:
    """Mutate claims: FEVER's six and FEVEROUS's five, each with the label it implies, or unknown.

    Things of the same kind, what is wider and what is narrower come from the corpus: its lists, the columns of its
    tables, and its sentences that say what a thing is.
    """
    from veritab.build.mutating.label_checks import LabelCheck, check_labels, label_by_checker
    from veritab.build.mutating.mutator import MutationWork, Mutator, pick_rules

    names = [name.strip() for name in rules.split(",") if name.strip()]
    pick_rules(names)
    with ExitStack() as stack:
        claims = ClaimSource(stack.enter_context(source_path(source)), data)
        store = _opened(corpus, stack)
        checked = LabelCheck()
        engine = stack.enter_context(build_engine(processes, cluster, corpus))
        given, checker = iter(claims), None
        # The models of a checker take the cores of this machine by themselves.
        asked = engine if cluster else ThisProcess()
        settings = read_settings(config, profile)
        if cluster:
            settings = settings.for_worker(engine.cores)
        if check:
            checker = stack.enter_context(_label_checker(corpus, settings))
            given = label_by_checker(given, checker, asked)
        if engine.workers > 1 or cluster:
            work = MutationWork(from_anywhere(corpus), claims.name, seed, tuple(names), most, with_sources)
            built = map_in_order(work, given, engine)
        else:
            with talk.status("reading the corpus"):
                mutator = Mutator(store, seed=seed, rules=names, most=most, with_sources=with_sources)
            built = mutator.mutate(given, claims.name)
        if checker:
            built = check_labels(built, checker, checked, asked)
        write_built(
            built,
            claims.name,
            into=into,
            left_out=left_out,
            fail_above=fail_above,
            as_json=as_json,
            element_of=partial(find_element, store),
            more=(lambda: _told(checked, as_json)) if check else None,
        )


def _opened(corpus: Path | None, stack: ExitStack) -> OpenedCorpus:
    from veritab.corpus import open_corpus

    store = open_corpus(corpus)
    stack.callback(store.close)
    return store


def _label_checker(corpus: Path | None, settings: Settings) -> TravellingChecker:
    """A checker for labels alone: what a verdict rests on costs a third of the time, and nobody would see it."""
    return TravellingChecker(corpus, replace(settings, check=replace(settings.check, certificate=False)))


def _told(checked: LabelCheck, as_json: bool) -> dict[str, Any]:
    """What the checker said of the implied labels, for the report."""
    if as_json:
        return {
            "checked": {
                "asked": checked.asked,
                "agreed": dict(sorted(checked.agreed.items())),
                "differed": dict(sorted(checked.differed.items())),
                "disagreements": [each._asdict() for each in checked.disagreements],
            }
        }
    for each in checked.disagreements[:_MOST_SHOWN]:
        talk.print(
            f"the checker differs: {each.id}: {each.claim} ({each.implied} implied, {each.checked} by {each.score})",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    more = len(checked.disagreements) - _MOST_SHOWN
    if more > 0:
        talk.print(f"and {more:,} more; --json lists all", style="yellow", soft_wrap=True)
    agreed = checked.agreed.total()
    by_rule = ", ".join(
        f"{rule} {checked.agreed[rule]} of {checked.agreed[rule] + checked.differed[rule]}"
        for rule in sorted({*checked.agreed, *checked.differed})
    )
    return {"the checker agrees": f"{agreed:,} of {checked.asked:,} implied labels ({by_rule})"}


def nei(
    source: Source,
    ways: Annotated[
        str,
        typer.Option(
            "--ways",
            metavar="NAME,...",
            help="without takes the deciding piece of evidence away, nearest takes other sentences of its page.",
            show_default="any that works",
        ),
    ] = "",
    every: Annotated[
        bool, typer.Option("--every-way", help="Make a record by each way that works, not by one of them.")
    ] = False,
    questions: Annotated[
        bool,
        typer.Option(
            "--questions",
            help='FILE holds questions, {"id", "question", "answer"}: claims of those that the corpus lacks.',
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Leave out what the checker can settle: by the evidence left; of questions, by the corpus."
        ),
    ] = False,
    corpus: Corpus = None,
    data: Data = None,
    processes: Processes = 1,
    cluster: Cluster = None,
    seed: Seed = 0,
    into: Into = None,
    left_out: LeftOutFile = None,
    fail_above: FailAbove = None,
    config: Config = None,
    profile: Profile = None,
    as_json: Report = False,
) -> None:
    """Make claims with not enough info: evidence without what decides, or answers that the corpus lacks.

    Claims need a label and evidence of the corpus. What a corpus lacks may be in another: the claims of questions are
    marked as "NEI for this corpus", and their evidence is the texts nearest to the question.
    """
    from veritab.build.unsettling import Unsettler, UnsettlingWork, keep_unsettled, pick_ways

    names = [name.strip() for name in ways.split(",") if name.strip()]
    pick_ways(names)
    if questions and (every or names):
        raise InputError("--questions looks for answers; --ways and --every-way are for claims: leave them out")
    with ExitStack() as stack:
        path = stack.enter_context(source_path(source))
        store = _opened(corpus, stack)
        element_of = partial(find_element, store)
        engine = stack.enter_context(build_engine(processes, cluster, corpus))
        asked = engine if cluster else ThisProcess()
        settings = read_settings(config, profile)
        if cluster:
            settings = settings.for_worker(engine.cores)
        built: Iterator[Built]
        if questions:
            from veritab.build.records import read_questions
            from veritab.build.unanswered import CorpusRetriever, keep_unsettled_by_corpus, unanswered

            name, of = Path(path).name, corpus.name if corpus else "almanac"
            retriever = CorpusRetriever(corpus)
            stack.callback(retriever.close)
            built = unanswered(
                read_questions(Path(path)), store, name, corpus_name=of, retriever=retriever, seed=seed, engine=engine
            )
            if check:
                checker = stack.enter_context(TravellingChecker(corpus, settings))
                built = keep_unsettled_by_corpus(built, checker, asked)
        else:
            claims = ClaimSource(path, data)
            name = claims.name
            if engine.workers > 1 or cluster:
                work = UnsettlingWork(from_anywhere(corpus), name, seed, tuple(names), every)
                built = map_in_order(work, claims, engine)
            else:
                built = Unsettler(store, seed=seed, ways=names, every=every).unsettle(claims, name)
            if check:
                checker = stack.enter_context(_label_checker(corpus, settings))
                built = keep_unsettled(built, checker, element_of, asked)
        write_built(
            built,
            name,
            into=into,
            left_out=left_out,
            fail_above=fail_above,
            as_json=as_json,
            element_of=element_of,
        )
