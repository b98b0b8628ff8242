"""`veritab build correct`: the refuted claims of a file, corrected."""

from __future__ import annotations

from contextlib import ExitStack

from veritab.build.records import ClaimSource
from veritab.cli.build_writing import (
    FailAbove,
    Into,
    LeftOutFile,
    Report,
    Source,
    build_engine,
    source_path,
    write_built,
)
from veritab.cli.data import Data
from veritab.cli.options import Cluster, Config, Corpus, Model, Profile, read_settings
from veritab.cli.output import talk
from veritab.errors import NotFound
from veritab.schema import Element, ElementId


def correct_file(
    source: Source,
    corpus: Corpus = None,
    data: Data = None,
    into: Into = None,
    left_out: LeftOutFile = None,
    fail_above: FailAbove = None,
    config: Config = None,
    profile: Profile = None,
    model: Model = None,
    cluster: Cluster = None,
    as_json: Report = False,
) -> None:
    """Correct the refuted claims of a file, each by the smallest edit that the evidence supports.

    A claim with evidence in the corpus is corrected by that evidence, and any other by what is found there, which is
    marked as silver. What holds, what is open and what no small edit puts right is told by line. Nothing is drawn at
    random. `veritab correct` does the same for one claim, and shows the evidence.
    """
    from veritab.build.correcting.corrected_claims import correct_claims
    from veritab.build.processes import TravellingChecker

    with ExitStack() as stack:
        claims = ClaimSource(stack.enter_context(source_path(source)), data)
        settings = read_settings(config, profile, {"verify.model": model})
        engine = stack.enter_context(build_engine(1, cluster, corpus))
        if cluster:
            settings = settings.for_worker(engine.cores)
        with talk.status("opening the corpus and the models"):
            checker = stack.enter_context(TravellingChecker(corpus, settings))
            store = checker.open().store

        def element_of(id: ElementId) -> Element | None:
            try:
                return store.element(id)
            except NotFound:
                return None

        write_built(
            correct_claims(claims, claims.name, checker, engine),
            claims.name,
            into=into,
            left_out=left_out,
            fail_above=fail_above,
            as_json=as_json,
            element_of=element_of,
        )
