"""Claims beside their evidence from public sets that share one layout: texts and tables, three labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from veritab.build.elements import sentence
from veritab.datasets.normalise import LABELS, NOT_ENOUGH, page_title, plain_text, title_key
from veritab.errors import InputError
from veritab.reason.facts import truncate_facts
from veritab.reason.reasoner import Reasoner
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.derived_facts import WORDS
from veritab.train.sources.evidence import render_elements, render_evidence
from veritab.train.sources.pages import held_out_titles
from veritab.verify.evidence import parse_evidence

SETS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "ambient": ("ambient/single_label",),
        "begin": ("begin/all",),
        "bump": ("bump/task1",),
        "conjnli": ("conjnli/train_auto",),
        "entailment_bank": ("entailment_bank/all",),
        "ex_fever": ("ex_fever/multihop", "ex_fever/partial_nei_derived"),
        "factcheck_gpt": ("factcheck_gpt/stance",),
        "fever_symmetric": ("fever_symmetric/dev",),
        "fever_train_extra": ("fever_train_extra/train",),
        "folio": ("folio/train_val",),
        "med": ("med/all",),
        "propsegment": ("propsegment/dev",),
        "tatqa": ("tatqa/claims_derived",),
        "wice": ("wice/train_dev",),
    }
)
"""The sets by name, with their files under `more`."""
_MOST_OVERLAP = 0.5
"""FEVER's claims without evidence came with sentences of a page that was guessed: those that share most words with the
claim may settle it."""


def pairs(context: SourceContext, *, sets: Sequence[str] = ()) -> Iterator[VerdictExample]:
    """The claims of these sets, of all where none is named, on pages that models are not measured on."""
    unknown = [name for name in sets if name not in SETS]
    if unknown:
        raise InputError(f"no set {unknown[0]!r} of pairs; expected some of {', '.join(SETS)}")
    held_out = held_out_titles(context.data)
    for name in sets or SETS:
        for file in SETS[name]:
            for record in context.data.records(f"more/{file}"):
                titles = (piece.get("title") or "" for piece in record["evidence"])
                if any(title and title_key(title) in held_out for title in titles):
                    context.left_out["on a page that is measured"] += 1
                elif LABELS.get(record["label"]) is None or not record["evidence"]:
                    context.left_out["no label or no evidence"] += 1
                elif LABELS[record["label"]] == NOT_ENOUGH and record.get("overlap", 0) > _MOST_OVERLAP:
                    context.left_out["sentences that may settle the claim"] += 1
                else:
                    yield VerdictExample(squeeze(plain_text(record["claim"])), _render(record), LABELS[record["label"]])


def _render(record: Mapping[str, Any]) -> str:
    """The evidence of a record as a model reads it, with facts derived from its tables."""
    pieces = record["evidence"]
    if not any("table" in piece for piece in pieces):
        texts = [(page_title(piece.get("title") or ""), plain_text(piece["text"])) for piece in pieces]
        return render_elements([sentence(title, number, text) for number, (title, text) in enumerate(texts)])
    evidence = parse_evidence(pieces)
    claim = squeeze(record["claim"])
    found = [fact for table in evidence.tables for fact in Reasoner().reason(claim, table).facts]
    return render_evidence(claim, evidence, [fact.text for fact in truncate_facts(found, WORDS)])
