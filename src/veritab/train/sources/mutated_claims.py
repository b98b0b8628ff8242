"""Claims made of Wikipedia's introductions as training examples; pages that are measured are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from veritab.build.library import library
from veritab.build.training_claims.mutated_claims import MutatedClaim
from veritab.build.training_claims.mutated_claims import make_claims as make_of_pages
from veritab.datasets.normalise import title_key
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import render_built
from veritab.train.sources.pages import held_out_titles


def make_claims(
    context: SourceContext,
    *,
    pairs: int = 60_000,
    titled: float = 0.9,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[MutatedClaim]:
    """At most `pairs` claims of pages in random order."""
    known, held_out = library(context.data), held_out_titles(context.data)
    titles = [title for title in known.titles if title_key(title) not in held_out]
    made = make_of_pages(
        known, titles, seed=context.seed, titled=titled, partly=partly, sampling=sampling, held_out=held_out
    )
    return islice(made, pairs)


def mutated(
    context: SourceContext,
    *,
    pairs: int = 60_000,
    titled: float = 0.9,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[VerdictExample]:
    """Claims made of Wikipedia's introductions; `sampling` weighs the ways to find evidence for NEI claims.

    With `partly` claims are longer, and that share of false ones is shown only the sentence they get wrong.
    """
    made = make_claims(context, pairs=pairs, titled=titled, partly=partly, sampling=sampling)
    return (render_built(each.built) for each in made)
