"""Sources of claims that look like what is asked: bindings, pairs of public sets, written and retrieved claims."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from veritab.datasets import DataFiles
from veritab.errors import InputError, NotFound
from veritab.train.sources import bindings, pairs, retrieved, written
from veritab.train.sources.context import SourceContext

_HELD_OUT = (
    "fm2/dev",
    "fever/dev_gold_text",
    "fever/dev_three_way_with_text",
    "fever/paper_dev",
    "feverous/official_records_dev50",
    "feverous/cell_claims",
    "feverous/full_table_gold_cells",
    "feverous/sentence_claims",
)
_TOWNS = ("Alsted", "Borby", "Corvo", "Dinmore", "Eskdal", "Fenwick", "Gorlitz", "Harrow", "Ilmen", "Jarrow")


def write(folder: Path, name: str, records: Sequence[object]) -> None:
    file = folder / f"{name}.jsonl.gz"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode()))


@pytest.fixture
def context(tmp_path: Path) -> SourceContext:
    for name in _HELD_OUT:
        write(tmp_path, name, [])
    write(tmp_path, "fever/sentences", [])
    texts = [
        f"{town} is a town in Region{n} , Norland . The population was {n + 2},500 at the last census ."
        if n % 2
        else f"{town} is a village in Region{n} , Norland . It lies at an elevation of {n + 2}00 m ."
        for n, town in enumerate(_TOWNS)
    ]
    passages = [{"url": f"/wiki/{town}", "text": text} for town, text in zip(_TOWNS, texts, strict=True)]
    write(tmp_path, "wiki/passages", passages)
    return SourceContext(DataFiles(tmp_path))


def folder_of(context: SourceContext) -> Path:
    return context.data._folder


# -- bindings ----------------------------------------------------------------------------------------------


def test_every_value_of_a_binding_stands_in_the_evidence_whatever_the_label(context: SourceContext) -> None:
    examples = list(bindings.bindings(context, pairs=60, roles=0))
    assert Counter(example.label for example in examples) == {0: 20, 1: 20, 2: 20}
    for claim, evidence, _ in examples:
        (town,) = (town for town in _TOWNS if town.lower() in claim.lower())
        assert town in evidence
        value = next(word for word in claim.rstrip(".").split() if any(map(str.isdigit, word)))
        assert value.rstrip(".,").lower() in evidence.lower()


def test_bindings_refute_by_the_value_of_another_subject(context: SourceContext) -> None:
    texts = {example.label: example for example in bindings.bindings(context, pairs=3, roles=0)}
    true, false = texts[0], texts[1]
    assert true.evidence == false.evidence
    assert true.claim != false.claim


def test_bindings_are_the_same_for_the_same_seed(context: SourceContext) -> None:
    once, again = (list(bindings.bindings(context, pairs=30, roles=0)) for _ in range(2))
    assert once == again


def test_subjects_that_never_differ_give_no_bindings(context: SourceContext) -> None:
    texts = [{"url": f"/wiki/{town}", "text": f"{town} is a town in Norland ."} for town in _TOWNS]
    write(folder_of(context), "wiki/passages", texts)
    assert list(bindings.bindings(SourceContext(DataFiles(folder_of(context)), 2), pairs=30, roles=0)) == []


def test_roles_are_exchanged(context: SourceContext) -> None:
    texts = [{"url": "/wiki/Final", "text": "In the final , Norland defeated Suderland by two goals to one ."}]
    write(folder_of(context), "wiki/passages", texts)
    examples = list(bindings.bindings(SourceContext(DataFiles(folder_of(context)), 1), pairs=300, roles=0.5))
    claims = {example.label: example.claim for example in examples}
    assert claims[0] in ("Norland defeated Suderland.", "Suderland lost to Norland.")
    assert claims[1] in ("Suderland defeated Norland.", "Norland lost to Suderland.")


# -- pairs -------------------------------------------------------------------------------------------------


def test_pairs_read_texts_and_tables_and_leave_out_what_may_settle_a_claim(context: SourceContext) -> None:
    table = {"header": ["City", "Population"], "rows": [["Rome", "2,748,109"], ["Oslo", "709,037"]], "caption": ""}
    records = [
        {"claim": "Rome is big.", "evidence": [{"title": "Rome", "text": "Rome is large."}], "label": "SUPPORTS"},
        {"claim": "Oslo has more people than Rome.", "evidence": [{"table": table}], "label": "REFUTES"},
        {
            "claim": "Rome is old.",
            "evidence": [{"title": "", "text": "Rome is old indeed."}],
            "label": "NOT ENOUGH INFO",
            "overlap": 0.9,
        },
    ]
    write(folder_of(context), "more/wice/train_dev", records)
    found = list(pairs.pairs(context, sets=["wice"]))
    assert [example.label for example in found] == [0, 1]
    assert "more/wice/train_dev.jsonl.gz" in context.data.read
    assert found[0].evidence == "Rome. Rome is large."
    assert "709,037" in found[1].evidence
    assert context.left_out == {"sentences that may settle the claim": 1}
    with pytest.raises(InputError, match="no set 'snli' of pairs; expected some of ambient, begin"):
        list(pairs.pairs(context, sets=["snli"]))


# -- written and retrieved ---------------------------------------------------------------------------------

_PAGE = (
    "<p>Rome is a city. It is old.</p><table class='wikitable'><tr><th>Year</th><th>People</th></tr>"
    "<tr><td>1901</td><td>500</td></tr><tr><td>2001</td><td>900</td></tr></table>"
)


def claim(label: str, *ids: str) -> dict[str, object]:
    content = {"content": list(ids), "context": {}}
    return {"id": label, "claim": f"Rome, {label}.", "label": label, "evidence": [content]}


def test_written_claims_are_read_with_their_elements_or_with_whole_tables(context: SourceContext) -> None:
    write(folder_of(context), "wiki/pages_html", [{"title": "Rome", "html": _PAGE}])
    write(
        folder_of(context), "written/train", [claim("SUPPORTS", "Rome_cell_0_2_1"), claim("REFUTES", "Rome_sentence_1")]
    )
    single, whole = (list(written.written(context, whole_tables=share)) for share in (0.0, 1.0))
    assert [example.label for example in single] == [0, 1]
    assert {"written/train.jsonl.gz", "wiki/pages_html.jsonl.gz"} <= set(context.data.read)
    assert "900" in single[0].evidence
    assert "500" not in single[0].evidence
    assert "500" in whole[0].evidence
    assert single[1].evidence == whole[1].evidence == "Rome. It is old."
    write(folder_of(context), "written/dev", [claim("SUPPORTS", "Rome_sentence_9")])
    with pytest.raises(NotFound, match="written/dev cites Rome_sentence_9, which is not in wiki/pages_html"):
        list(written.written_dev(context))


def test_a_claim_whose_evidence_was_not_found_is_not_settled(context: SourceContext) -> None:
    def record(name: str, label: str, split: str, *found: bool) -> dict[str, object]:
        readings = [{"claim": f"{name}!", "text": f"{name} {place}.", "found": own} for place, own in enumerate(found)]
        return {"claim": name, "label": label, "split": split, "readings": readings}

    records = [
        record("a", "SUPPORTS", "train", True, False),
        record("b", "SUPPORTS", "train"),
        record("c", "NOT ENOUGH INFO", "train", False),
        record("d", "REFUTES", "dev", False),
    ]
    write(folder_of(context), "derived/found", records)
    found = list(retrieved.retrieved(context, file="derived/found", missed=1.0))
    assert [(each.claim, each.evidence, each.label) for each in found] == [
        ("a!", "a 0.", 0),
        ("a!", "a 1.", 2),
        ("c!", "c 0.", 2),
    ]
    assert set(context.data.read) == {"derived/found.jsonl.gz"}
    kept = list(retrieved.retrieved(context, file="derived/found", missed=0.0))
    assert [each.evidence for each in kept] == ["a 0.", "c 0."]
    assert [(each.claim, each.label) for each in retrieved.retrieved_dev(context, file="derived/found")] == [("d!", 1)]
