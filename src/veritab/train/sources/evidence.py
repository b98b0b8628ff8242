"""Elements as the text that a model reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

from veritab.build.training_claims.built import BuiltClaim
from veritab.schema import Element, Evidence, Table
from veritab.train.examples import VerdictExample
from veritab.verify.compose import compose
from veritab.verify.render import render

# The window of a verdict model, less its special tokens and a margin for the estimate of `tokens`.
_WINDOW = 384 - 24
_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")


def render_elements(elements: Sequence[Element]) -> str:
    """The evidence as text, rendered as in use."""
    return render(elements).text


def render_built(built: BuiltClaim) -> VerdictExample:
    """A claim that was built, as a model reads it."""
    return VerdictExample(built.text, render_elements(built.evidence), built.label)


def render_table_evidence(
    claim: str, table: Table, context: Sequence[Element], facts: Sequence[str], *, with_rows: bool = True
) -> str:
    """A whole table, its context and its facts as text, rendered as in use."""
    return render_evidence(claim, Evidence.of(context, (table,)), facts, with_rows=with_rows)


def render_evidence(claim: str, evidence: Evidence, facts: Sequence[str] = (), *, with_rows: bool = True) -> str:
    """Evidence of any kind and its facts as text, rendered as in use."""
    return compose(claim, evidence, facts, _WINDOW - tokens(claim), tokens, with_rows=with_rows).text


def tokens(text: str) -> int:
    """An estimate of the number of tokens of an English text: within a tenth, for all the data sets here."""
    return sum(map(_tokens_of_word, _WORD.findall(text)))


def _tokens_of_word(word: str) -> int:
    return (len(word) + 2) // 3 if word[0].isdigit() else 1 + (len(word) > 8) + (len(word) > 12)
