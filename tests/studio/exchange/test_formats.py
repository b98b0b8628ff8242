"""Whatever a file holds, an import reads it or says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veritab.errors import InputError
from veritab.studio.exchange.formats import IMPORT_FORMATS, ExchangedClaim, LineFault, read_given
from veritab.studio.log import fold

TEXT = st.one_of(
    st.text(max_size=8), st.sampled_from(["SUPPORTS", "Nile_sentence_0", "start", "Highlighting", "minor", "\x00"])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
OPERATIONS = st.fixed_dictionaries({"operation": VALUES, "value": VALUES, "time": VALUES})
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "annotator": VALUES, "label": VALUES, "evidence": VALUES, "sets": VALUES, "challenge": VALUES,
        "seconds": VALUES, "rating": VALUES, "operations": st.one_of(VALUES, st.lists(OPERATIONS, max_size=2)),
    },
)  # fmt: skip
RECORDS = st.fixed_dictionaries(
    {"claim": st.one_of(st.just("The Nile is long."), VALUES)},
    optional={
        "id": VALUES,
        "label": VALUES,
        "evidence": st.one_of(VALUES, st.lists(st.fixed_dictionaries({"content": VALUES, "context": VALUES}))),
        "annotator_operations": st.one_of(VALUES, st.lists(OPERATIONS, max_size=2)),
        "annotations": st.one_of(VALUES, st.lists(ANSWERS, max_size=2)),
        "challenge": VALUES,
        "silver": VALUES,
        "task": VALUES,
    },
)
TASKS = st.fixed_dictionaries(
    {"data": st.one_of(VALUES, RECORDS)},
    optional={
        "annotations": st.lists(
            st.fixed_dictionaries(
                {"result": st.one_of(VALUES, st.just([{"from_name": "verdict", "value": {"choices": ["REFUTES"]}}]))},
                optional={"completed_by": VALUES, "lead_time": VALUES, "ground_truth": VALUES},
            ),
            max_size=3,
        )
    },
)


@pytest.mark.parametrize("format", sorted(IMPORT_FORMATS))
@settings(max_examples=150)
@given(data=st.data())
def test_every_record_becomes_a_claim_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, format: str, data: st.DataObject
) -> None:
    records = data.draw(st.lists(TASKS if format == "label-studio" else RECORDS, min_size=1, max_size=3))
    path = tmp_path_factory.getbasetemp() / f"odd-{format}.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    try:
        read = list(read_given(path, format, "odd.jsonl"))
    except InputError:
        return
    for each in read:
        if isinstance(each, LineFault):
            assert str(each)
            continue
        assert isinstance(each, ExchangedClaim)
        assert "\x00" not in json.dumps([each.id, each.text, each.source], ensure_ascii=False)
        for answer in each.answers:
            assert answer.says_something
            fold(answer.operations)


def test_a_record_that_nests_too_deep_is_told(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text('{"claim": "The Nile is long.", "note": ' + "[" * 900 + "]" * 900 + "}\n")
    (read,) = read_given(path, "annotations", "deep.jsonl")
    assert read == LineFault("line 1", "the record nests too deep to be kept; take out what is not needed")
