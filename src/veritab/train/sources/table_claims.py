"""Claims made of Wikipedia's tables as training examples; pages that are measured are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from veritab.build.training_claims.table_claims import TableClaim
from veritab.build.training_claims.table_claims import make_claims as make_of_tables
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import render_built
from veritab.train.sources.pages import held_out_titles


def make_claims(
    context: SourceContext,
    *,
    pairs: int = 30_000,
    introduction: float = 0.3,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[TableClaim]:
    """At most `pairs` claims of tables."""
    made = make_of_tables(
        lambda: context.data.records("wiki/tables"),
        seed=context.seed,
        introduction=introduction,
        partly=partly,
        sampling=sampling,
        held_out=held_out_titles(context.data),
    )
    return islice(made, pairs)


def table_claims(
    context: SourceContext,
    *,
    pairs: int = 30_000,
    introduction: float = 0.3,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[VerdictExample]:
    """Claims generated from the rows of Wikipedia's tables; `sampling` weighs the ways to find evidence for NEI.

    `partly` is the share of claims refuted by their cells that are shown without the sentence they also state.
    """
    made = make_claims(context, pairs=pairs, introduction=introduction, partly=partly, sampling=sampling)
    return (render_built(each.built) for each in made)
