"""Where training examples come from: public data sets, and claims that are made of them by rule.

A source is a function of what it is given and of options; `examples` finds it by job and name. Sources that models are
measured on have names with a slash, but for the almanac; recipes that would train on one are refused.
"""

from __future__ import annotations

import inspect
import keyword
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from veritab.errors import InputError
from veritab.train.examples import Choice, Pair, Triple
from veritab.train.sources import choosing, joined, measured, mutated, passages, sentences, statements, table_claims
from veritab.train.sources.given import Given

Example: TypeAlias = Pair | Choice | Triple

VERDICT: Mapping[str, Callable[..., Iterator[Pair]]] = {
    "snli": sentences.snli,
    "mnli": sentences.mnli,
    "fever": sentences.fever,
    "vitaminc": sentences.vitaminc,
    "infotabs": statements.infotabs,
    "tabfact": statements.tabfact,
    "semtabfacts": statements.semtabfacts_train,
    "joined": joined.joined,
    "mutated": mutated.mutated,
    "table_claims": table_claims.table_claims,
    "vitaminc/held": sentences.vitaminc_held,
    "infotabs/dev": statements.infotabs_dev,
    "infotabs/alpha1": statements.infotabs_alpha1,
    "tabfact/val": statements.tabfact_val,
    "fm2/dev": measured.fool_me_twice,
    "fever/dev_gold": measured.fever_gold,
    "fever/dev_three": measured.fever_three,
    "feverous/sentences": measured.feverous_sentences,
    "feverous/cells": measured.feverous_cells,
    "feverous/tables": statements.feverous_tables,
    "almanac": measured.almanac,
}
SELECTOR: Mapping[str, Callable[..., Iterator[Choice]]] = {
    "fever": choosing.fever,
    "vitaminc": choosing.vitaminc,
    "mutated": choosing.mutated,
    "snli": choosing.snli,
    "mnli": choosing.mnli,
    "tabfact_cells": choosing.tabfact_cells,
    "table_claims": choosing.table_claims,
    "fm2/dev": choosing.fool_me_twice,
    "feverous/cells": choosing.feverous_cells,
    "semtabfacts/cells": choosing.semtabfacts_cells,
}
ENCODER: Mapping[str, Callable[..., Iterator[Triple]]] = {
    "fever": passages.fever,
    "vitaminc": passages.vitaminc,
    "mutated": passages.mutated,
    "table_claims": passages.table_claims,
    "tabfact": passages.tabfact,
}
SOURCES: Mapping[str, Mapping[str, Callable[..., Iterator[Any]]]] = {
    "verdict": VERDICT,
    "selector": SELECTOR,
    "encoder": ENCODER,
}
"""Every source by its job and its name."""


def examples(
    job: str, name: str, data: Path, *, seed: int, left_out: Counter[str] | None = None, **options: Any
) -> Iterator[Any]:
    """The examples of a source, always the same for the same data, seed and options.

    `left_out` counts the records that became no examples, by the reason. Every source of pairs knows the option
    `evidence = "none"`, which leaves the claim alone.
    """
    if job == "verdict" and "evidence" in options:
        shown = options.pop("evidence")
        if shown != "none":
            raise InputError(f"evidence is {shown!r}; expected 'none', or leave it out")
        alone = examples(job, name, data, seed=seed, left_out=left_out, **options)
        return (pair._replace(evidence="") for pair in alone)
    source = _known(name, _known(job, SOURCES, "job"), f"source for {job} models")
    allowed = inspect.signature(source).parameters
    named = {f"{key}_" if keyword.iskeyword(key) else key: value for key, value in options.items()}
    for key in named:
        _known(key, {each: each for each in list(allowed)[1:]}, f"option of {name}")
    found: Iterator[Any] = source(Given(Path(data), seed, Counter() if left_out is None else left_out), **named)
    return found


def _known(name: str, known: Mapping[str, Any], what: str) -> Any:
    if name in known:
        return known[name]
    from rapidfuzz import process

    nearest = process.extractOne(name, list(known))
    hint = f"did you mean {nearest[0].rstrip('_')!r}?" if nearest else "it takes none"
    raise InputError(f"{name.rstrip('_')!r} is no {what}; {hint}")
