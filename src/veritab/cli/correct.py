"""The command that corrects a claim: the smallest edit that the evidence supports, or why there is none."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from veritab.cli.options import Config, Corpus, Model, Profile, read_settings
from veritab.cli.output import Json, answer, print_json, talk
from veritab.errors import InputError
from veritab.runs import CheckerFactory
from veritab.schema import refuse_long
from veritab.text import squeeze


def correct_claim(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The claim to correct.", show_default=False)],
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            metavar="FILE|DIR",
            help="Correct by these documents instead of a corpus; give it once for each file or folder.",
            show_default=False,
        ),
    ] = None,
    corpus: Corpus = None,
    config: Config = None,
    profile: Profile = None,
    model: Model = None,
    as_json: Json = False,
) -> None:
    """Correct a refuted claim by the smallest edit that the evidence supports.

    The claim is checked first. Where the evidence refutes it, its names, numbers, dates, comparisons and negations are
    held against what the evidence says in their place, and an edit is offered only where the checker clearly supports
    the claim with it: none rather than a guess. The answer is the edit, with the evidence that asks for it; with
    --json, a line {"claim", "outcome", "correction", "edits", "evidence", "tried", "verdict", "corrected_verdict"}.
    `veritab build correct` does the same for a file of claims.
    """
    text = squeeze(claim)
    if not any(map(str.isalnum, text)):
        raise InputError(f'{claim[:80]!r} is not a claim; try: veritab correct "K2 is higher than Mount Everest."')
    refuse_long("a claim", text)
    settings = read_settings(config, profile, {"verify.model": model})
    from veritab.build.correcting.correction import correct
    from veritab.render.json import correction_to_json
    from veritab.render.tables import table_finder
    from veritab.render.terminal import draw_correction

    with ExitStack() as stack:
        opening = CheckerFactory(corpus, settings)
        if against:
            from veritab.cli.documents import prepared

            opening = stack.enter_context(prepared(against, corpus, settings, cache=True))
        with talk.status("looking for what would be true"):
            checker = stack.enter_context(opening())
            correction = correct(checker, text)
        if as_json or not answer.is_terminal:
            print_json(correction_to_json(correction))
        else:
            draw_correction(correction, answer, table_finder(checker.store))
