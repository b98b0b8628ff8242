"""Where training examples come from: public data sets, and claims generated from them.

A source is a function of a context and of options; `examples` finds it by job and name. Sources that models are only
measured on have names with a slash, but for the almanac; recipes that would train on one are refused.
"""

from __future__ import annotations

import inspect
import keyword
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from veritab.datasets import DataFiles
from veritab.errors import InputError, nearest_name
from veritab.train.examples import EncoderExample, SelectorExample, VerdictExample
from veritab.train.sources import (
    bindings,
    conjunctions,
    encoder_sources,
    given,
    held_out,
    mutated_claims,
    pairs,
    questions,
    retrieved,
    selector_sources,
    sentences,
    statements,
    table_claims,
    written,
)
from veritab.train.sources.context import SourceContext

VERDICT: Mapping[str, Callable[..., Iterator[VerdictExample]]] = {
    "snli": sentences.snli,
    "mnli": sentences.mnli,
    "fever": sentences.fever,
    "vitaminc": sentences.vitaminc,
    "infotabs": statements.infotabs,
    "tabfact": statements.tabfact,
    "semtabfacts": statements.semtabfacts_train,
    "conjunctions": conjunctions.conjunctions,
    "mutated": mutated_claims.mutated,
    "table_claims": table_claims.table_claims,
    "bindings": bindings.bindings,
    "pairs": pairs.pairs,
    "written": written.written,
    "retrieved": retrieved.retrieved,
    "given": given.given,
    "given_few": given.given_few,
    "vitaminc/held": sentences.vitaminc_held,
    "infotabs/dev": statements.infotabs_dev,
    "infotabs/alpha1": statements.infotabs_alpha1,
    "tabfact/val": statements.tabfact_val,
    "fm2/dev": held_out.fool_me_twice,
    "fever/dev_gold": held_out.fever_gold,
    "fever/dev_three": held_out.fever_three,
    "feverous/sentences": held_out.feverous_sentences,
    "feverous/cells": held_out.feverous_cells,
    "feverous/tables": statements.feverous_tables,
    "almanac": held_out.almanac,
    "written/dev": written.written_dev,
    "retrieved/dev": retrieved.retrieved_dev,
    "given/dev": given.given_dev,
    "given_few/dev": given.given_few_dev,
}
SELECTOR: Mapping[str, Callable[..., Iterator[SelectorExample]]] = {
    "fever": selector_sources.fever,
    "vitaminc": selector_sources.vitaminc,
    "mutated": selector_sources.mutated,
    "snli": selector_sources.snli,
    "mnli": selector_sources.mnli,
    "tabfact_cells": selector_sources.tabfact_cells,
    "table_claims": selector_sources.table_claims,
    "written": selector_sources.written,
    "given": given.given_candidates,
    "questions": questions.questions,
    "written/dev": selector_sources.written_dev,
    "given/dev": given.given_candidates_dev,
    "questions/dev": questions.questions_dev,
    "fm2/dev": selector_sources.fool_me_twice,
    "feverous/cells": selector_sources.feverous_cells,
    "semtabfacts/cells": selector_sources.semtabfacts_cells,
}
ENCODER: Mapping[str, Callable[..., Iterator[EncoderExample]]] = {
    "fever": encoder_sources.fever,
    "vitaminc": encoder_sources.vitaminc,
    "mutated": encoder_sources.mutated,
    "table_claims": encoder_sources.table_claims,
    "tabfact": encoder_sources.tabfact,
}
SOURCES: Mapping[str, Mapping[str, Callable[..., Iterator[Any]]]] = {
    "verdict": VERDICT,
    "selector": SELECTOR,
    "encoder": ENCODER,
}
"""Every source by its job and its name."""


def examples(
    job: str, name: str, data: DataFiles | Path, *, seed: int, left_out: Counter[str] | None = None, **options: Any
) -> Iterator[Any]:
    """The examples of a source, always the same for the same data, seed and options.

    `left_out` counts the records that were skipped, by the reason. Every source of verdict examples has the option
    `evidence = "none"`, which leaves only the claim.
    """
    if job == "verdict" and "evidence" in options:
        evidence = options.pop("evidence")
        if evidence != "none":
            raise InputError(f"evidence is {evidence!r}; expected 'none', or leave it out")
        alone = examples(job, name, data, seed=seed, left_out=left_out, **options)
        return (pair._replace(evidence="") for pair in alone)
    source = _known(name, _known(job, SOURCES, "job"), f"source for {job} models")
    allowed = inspect.signature(source).parameters
    named = {f"{key}_" if keyword.iskeyword(key) else key: value for key, value in options.items()}
    for key in named:
        _known(key, {each: each for each in list(allowed)[1:]}, f"option of {name}")
    files = data if isinstance(data, DataFiles) else DataFiles(data)
    found: Iterator[Any] = source(SourceContext(files, seed, Counter() if left_out is None else left_out), **named)
    return found


def _known(name: str, known: Mapping[str, Any], what: str) -> Any:
    if name in known:
        return known[name]
    nearest = nearest_name(name, known)
    hint = f"did you mean {nearest.rstrip('_')!r}?" if nearest else "it takes none"
    raise InputError(f"{name.rstrip('_')!r} is not a known {what}; {hint}")
