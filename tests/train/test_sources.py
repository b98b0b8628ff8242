"""Sources of training examples: every one yields examples that say what the records say, always the same."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.train import small_sets
from veritab.build.library import library
from veritab.datasets import DataFiles
from veritab.datasets.normalise import plain_text, strip_links
from veritab.errors import FormatError, InputError, NotFound
from veritab.train.examples import EncoderExample, SelectorExample, VerdictExample
from veritab.train.sources import ENCODER, SELECTOR, VERDICT, examples
from veritab.train.sources.pages import held_out_titles, is_held_out

SMALL_OF_ALL: dict[str, Any] = {"pairs": 200}
SMALL: dict[str, dict[str, Any]] = {"mutated": {"pairs": 20}, "table_claims": {"pairs": 20}}

ELSEWHERE = {"bindings", "pairs", "written", "written/dev", "retrieved", "retrieved/dev"} | {
    name for named in (VERDICT, SELECTOR) for name in named if name.startswith("given")
}
"""Sources that test_new_sources.py and test_given.py test."""


def shown_as(way: str) -> dict[str, Any]:
    return {"as": way}


@pytest.fixture(scope="session")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_sets.write(tmp_path_factory.mktemp("sets"))


@pytest.mark.parametrize("name", sorted(VERDICT.keys() - ELSEWHERE - {"almanac"}))
def test_every_verdict_source_yields_pairs(sets: Path, name: str) -> None:
    pairs = list(examples("verdict", name, sets, seed=1, **SMALL.get(name, {})))
    assert pairs
    assert all(isinstance(pair, VerdictExample) and pair.claim and pair.evidence for pair in pairs)
    assert {pair.label for pair in pairs} <= {0, 1, 2}


@pytest.mark.parametrize("name", sorted(SELECTOR.keys() - ELSEWHERE))
def test_every_selector_source_yields_relevant_choices_with_a_mark_for_each_span(sets: Path, name: str) -> None:
    choices = list(examples("selector", name, sets, seed=1, **SMALL.get(name, {})))
    assert any(choice.relevant for choice in choices)
    assert all(
        isinstance(choice, SelectorExample) and len(choice.cells) == len(choice.candidate.spans) for choice in choices
    )


@pytest.mark.parametrize("name", ENCODER)
def test_every_encoder_source_yields_triples_whose_negatives_are_not_the_positive(sets: Path, name: str) -> None:
    triples = list(examples("encoder", name, sets, seed=1, **SMALL.get(name, {})))
    assert triples
    assert all(isinstance(each, EncoderExample) and each.positive not in each.negatives for each in triples)


@pytest.mark.parametrize("name", ["fever", "mutated", "table_claims", "vitaminc"])
def test_the_same_seed_gives_the_same_examples_and_another_seed_others(sets: Path, name: str) -> None:
    def taken(seed: int) -> list[VerdictExample]:
        return list(examples("verdict", name, sets, seed=seed, **SMALL.get(name, {})))

    assert taken(1) == taken(1)
    assert taken(1) != taken(2)


_EVERY_SOURCE = """
import os, sys
from pathlib import Path
from veritab.datasets import DataFiles
from veritab.train.sources import SOURCES, examples

folder = Path(os.path.realpath(sys.argv[1]))
opened = set()


def note(event, arguments):
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        path = Path(os.path.realpath(arguments[0]))
        if path.is_relative_to(folder):
            opened.add(str(path.relative_to(folder)))


sys.addaudithook(note)
elsewhere = {"bindings", "pairs", "written", "written/dev", "retrieved", "retrieved/dev"}  # test_new_sources
elsewhere |= {"given", "given/dev", "given_few", "given_few/dev"}  # test_given
for job, named in SOURCES.items():
    for name in named.keys() - elsewhere:
        opened.clear()
        files = DataFiles(folder)
        options = {"pairs": 5} if name in ("mutated", "table_claims") else {}
        assert list(examples(job, name, files, seed=0, **options)), (job, name)
        assert opened <= set(files.read), f"{job}, {name} read {opened - set(files.read)} unnoticed"
        assert files.read or name == "almanac", (job, name)
"""


def test_no_source_reads_a_file_that_the_manifest_would_miss(sets: Path) -> None:
    subprocess.run([sys.executable, "-c", _EVERY_SOURCE, str(sets)], check=True, timeout=120)


def test_files_are_noted_for_every_source_that_rests_on_them_though_they_are_read_once(sets: Path) -> None:
    first, second = DataFiles(sets), DataFiles(sets)
    for files in (first, second):
        assert library(files) is library(DataFiles(sets))
    assert set(first.read) == set(second.read) == {"wiki/passages.jsonl.gz", "fever/sentences.jsonl.gz"}


# -- what is told when something is wrong -------------------------------------------------------------------


def test_an_unknown_source_is_answered_with_the_nearest_known_one(sets: Path) -> None:
    with pytest.raises(
        InputError, match=r"'vitamin' is not a known source for verdict models; did you mean 'vitaminc'"
    ):
        examples("verdict", "vitamin", sets, seed=0)


def test_an_unknown_option_is_answered_with_the_nearest_known_one(sets: Path) -> None:
    with pytest.raises(InputError, match=r"'distractor' is not a known option of fever; did you mean 'distractors'"):
        examples("verdict", "fever", sets, seed=0, distractor=1)


def test_an_unknown_job_is_answered_with_the_nearest_known_one(sets: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'verdict'"):
        examples("verdicts", "fever", sets, seed=0)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nli/snli\.jsonl\.gz"):
        list(examples("verdict", "snli", tmp_path, seed=0))


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "nli").mkdir()
    (tmp_path / "nli" / "snli.jsonl").write_text('{"premise": \n')
    with pytest.raises(FormatError, match=r"snli\.jsonl:1"):
        list(examples("verdict", "snli", tmp_path, seed=0))


def test_records_that_become_no_examples_are_counted(sets: Path) -> None:
    left_out: Counter[str] = Counter()
    pairs = list(examples("verdict", "fever/dev_three", sets, seed=0, left_out=left_out))
    assert len(pairs) == 1
    assert left_out == {"a gold sentence without text": 1}


# -- what the pairs say -------------------------------------------------------------------------------------


def test_tokenised_text_is_written_as_people_write() -> None:
    assert plain_text("Almer -LRB- born 1804 -RRB- , a painter , did n't stop [ 3 ] .") == (
        "Almer (born 1804), a painter, didn't stop."
    )


def test_links_of_feverous_leave_their_words() -> None:
    assert (
        strip_links("It leads to [[Porto,_Portugal|Porto]] and [[Lyon]]. [H] Name")
        == "It leads to Porto and Lyon. Name"
    )


def test_claims_about_pages_that_are_measured_are_never_trained_on(sets: Path) -> None:
    assert "clara galli" in held_out_titles(DataFiles(sets))
    for name in ("fever", "mutated"):
        told = examples("verdict", name, sets, seed=0, **({"mutated": SMALL_OF_ALL}.get(name, {})))
        assert not [pair for pair in told if "Clara Galli" in pair.claim and "Clara Galli." in pair.evidence]


def test_the_pages_of_vitaminc_that_are_measured_are_not_trained_on(sets: Path) -> None:
    trained_on = {pair.claim for pair in examples("verdict", "vitaminc", sets, seed=0, distractors=0.0)}
    held = {pair.claim for pair in examples("verdict", "vitaminc/held", sets, seed=0)}
    assert held
    assert not trained_on & held
    assert len(trained_on | held) == 60
    assert len(held) == sum(is_held_out(f"Choir {number}") for number in range(60))


def test_sections_and_titles_stand_before_gold_sentences(sets: Path) -> None:
    (pair,) = examples("verdict", "fm2/dev", sets, seed=0)
    assert pair.evidence == "Stone Bridge. History › Origin: It was built in 1402."


def test_retrieved_lines_lose_the_title_they_begin_with(sets: Path) -> None:
    (pair,) = examples("verdict", "fever/dev_three", sets, seed=0)
    assert pair.evidence == "Emil Farkas. Farkas kept bees."


def test_gold_cells_are_shown_with_their_headers(sets: Path) -> None:
    (pair,) = examples("verdict", "feverous/cells", sets, seed=0)
    assert pair.evidence == "Stone Bridge. Width is 12 m."


def test_an_infobox_that_was_written_as_a_table_is_shown_as_one(sets: Path) -> None:
    (pair,) = examples("verdict", "feverous/tables", sets, seed=0, **shown_as("rows"))
    assert pair.evidence == "The ferry runs daily. Owner is Harbour board. Length is 40 m."


def test_a_table_may_be_left_out(sets: Path) -> None:
    (pair,) = examples("verdict", "feverous/tables", sets, seed=0, **shown_as("none"))
    assert pair.evidence == "The ferry runs daily."


def test_an_unknown_way_to_show_tables_is_refused(sets: Path) -> None:
    with pytest.raises(InputError, match="as = 'cells'"):
        list(examples("verdict", "tabfact", sets, seed=0, **shown_as("cells")))


def test_rows_facts_or_both_are_shown(sets: Path) -> None:
    shown = {
        way: next(examples("verdict", "tabfact", sets, seed=0, **shown_as(way))) for way in ("rows", "facts", "both")
    }
    assert "tower is old mast; height (m) is 85" in shown["rows"].evidence
    assert "max(height (m)) = 120" in shown["facts"].evidence
    assert "tower is old mast;" not in shown["facts"].evidence
    assert "max(height (m)) = 120" in shown["both"].evidence
    assert "tower is old mast;" not in shown["both"].evidence, "what facts read out is not read twice"


def test_an_infobox_is_read_line_by_line_beside_its_facts(sets: Path) -> None:
    shown = {way: next(examples("verdict", "infotabs", sets, seed=0, **shown_as(way))) for way in ("rows", "both")}
    assert shown["both"].evidence.startswith(shown["rows"].evidence)


# -- facts from a file --------------------------------------------------------------------------------------


def test_facts_are_read_from_a_file(sets: Path, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    claims = ("north tower is the tallest", "old mast is 64 m high")
    told = [
        {"split": "train", "table_id": "t1", "statement": claim, "facts": ["Someone measured."]} for claim in claims
    ]
    file.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in told))
    pairs = list(examples("verdict", "tabfact", sets, seed=0, facts=str(file)))
    assert [pair.evidence for pair in pairs] == ["tall towers. Someone measured."] * 2


def test_a_statement_without_facts_in_the_file_is_named(sets: Path, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text("")
    with pytest.raises(InputError, match="north tower is the tallest"):
        list(examples("verdict", "tabfact", sets, seed=0, facts=str(file)))


def test_a_missing_file_of_facts_is_named(sets: Path) -> None:
    with pytest.raises(NotFound, match=r"nowhere\.jsonl"):
        list(examples("verdict", "tabfact", sets, seed=0, facts="nowhere.jsonl"))


def test_a_file_that_holds_no_facts_is_refused(sets: Path, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text('{"split": "train"}\n')
    with pytest.raises(FormatError, match=r"facts\.jsonl:1"):
        list(examples("verdict", "tabfact", sets, seed=0, facts=str(file)))


# -- choices and triples ------------------------------------------------------------------------------------


def test_the_cells_that_a_statement_mentions_are_marked(sets: Path) -> None:
    choices = list(examples("selector", "tabfact_cells", sets, seed=0))
    told = {
        choice.candidate.text[start:end]: mark
        for choice in choices
        for (start, end), mark in zip(choice.candidate.spans, choice.cells, strict=True)
    }
    assert [name for name, mark in told.items() if mark] == ["old mast", "85"]
    assert sum(choice.relevant for choice in choices) == 1


def test_cell_links_of_other_splits_are_left_out(sets: Path) -> None:
    left_out: Counter[str] = Counter()
    list(examples("selector", "tabfact_cells", sets, seed=0, left_out=left_out))
    assert left_out["not of the training tables"] == 1


def test_each_sentence_of_fool_me_twice_is_a_candidate_once(sets: Path) -> None:
    choices = list(examples("selector", "fm2/dev", sets, seed=0))
    assert [(choice.candidate.text, choice.relevant) for choice in choices] == [
        ("Stone Bridge: It has nine arches.", False),
        ("Stone Bridge. History › Origin: It was built in 1402.", True),
    ]


def test_negatives_are_of_other_pages(sets: Path) -> None:
    triples = list(examples("encoder", "mutated", sets, seed=0, pairs=30, negatives=3))
    assert triples
    for triple in triples:
        page = triple.positive.partition(".")[0]
        assert len(triple.negatives) == 3
        assert not [each for each in triple.negatives if each.startswith(f"{page}.")]


def test_the_almanac_has_claims_of_all_labels(sets: Path) -> None:
    pairs = list(examples("verdict", "almanac", sets, seed=0))
    assert {pair.label for pair in pairs} == {0, 1, 2}


def test_the_public_data_sets_can_be_read(data_folder: Path) -> None:
    for name in ("fever/dev_three", "feverous/cells"):
        assert len(list(examples("verdict", name, data_folder, seed=0))) > 500


def test_the_claim_alone_can_be_asked_for(sets: Path) -> None:
    whole = list(examples("verdict", "vitaminc", sets, seed=1))
    alone = list(examples("verdict", "vitaminc", sets, seed=1, evidence="none"))
    assert alone == [pair._replace(evidence="") for pair in whole]
    with pytest.raises(InputError, match="'some'; expected 'none'"):
        list(examples("verdict", "vitaminc", sets, seed=1, evidence="some"))
