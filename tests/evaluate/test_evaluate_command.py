"""`veritab evaluate` as people and programs use it."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import commands
from tests.test_docs import console_blocks
from veritab import datasets
from veritab.cli import main
from veritab.corpus import open_corpus

ROOT = Path(__file__).parents[2]
ALMANAC = ROOT / "examples" / "almanac" / "claims.jsonl"
HEADLINES = ("score", "label_accuracy", "evidence_precision", "evidence_recall", "evidence_f1")


class Done(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Veritab = Callable[..., Done]


@pytest.fixture
def veritab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Veritab:
    def run(*words: object, stdin: bytes | None = None) -> Done:
        monkeypatch.setattr(sys, "argv", ["veritab", "evaluate", *map(str, words)])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main()
        return Done(int(left.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(name: str, *records: Any) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path

    return written


def claim(id: int, label: str, *pieces: tuple[str, int]) -> dict[str, Any]:
    evidence = [[[1, 1, *piece]] for piece in pieces] or [[[1, None, None, None]]]
    return {"id": id, "claim": f"Claim number {id}.", "label": label, "evidence": evidence}


def said(id: int, label: str, *pieces: tuple[str, int]) -> dict[str, Any]:
    return {"id": id, "predicted_label": label, "predicted_evidence": [list(piece) for piece in pieces]}


GOLD = (claim(1, "SUPPORTS", ("K2", 0)), claim(2, "REFUTES", ("Nile", 1)), claim(3, "NOT ENOUGH INFO"))
SAID = (said(1, "SUPPORTS", ("K2", 0)), said(2, "REFUTES", ("Nile", 2)), said(3, "REFUTES"))


@pytest.fixture
def gold(write: Callable[..., Path]) -> Path:
    return write("gold.jsonl", *GOLD)


@pytest.fixture
def predictions(write: Callable[..., Path]) -> Path:
    return write("predictions.jsonl", *SAID)


def test_the_json_has_the_promised_fields(veritab: Veritab, predictions: Path, gold: Path) -> None:
    told = veritab(predictions, gold, "--task", "fever", "--json").json
    assert (told["task"], told["n"]) == ("fever", 3)
    assert [told[name] for name in HEADLINES] == [1 / 3, 2 / 3, 0.5, 0.5, 0.5]
    assert told["intervals"].keys() >= set(HEADLINES)
    assert told["slices"]["label"]["REFUTES"]["score"] == 0.0
    assert told["official"]["strict"] == told["score"]
    assert told["notes"] == []


def test_people_see_figures_with_intervals_and_groups(veritab: Veritab, predictions: Path, gold: Path) -> None:
    done = veritab(predictions, gold)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "fever: 3 claims"
    assert lines[2].split() == ["score", "0.3333", "0.0615", "to", "0.7923"]
    assert "by label" in lines
    assert next(line for line in lines if line.startswith("NOT ENOUGH INFO")).split()[3:] == ["1", "0.0000", "0.0000", "-", "-", "-"]  # fmt: skip


def test_predictions_come_from_stdin_too(veritab: Veritab, predictions: Path, gold: Path) -> None:
    assert veritab("-", gold, "--json", stdin=predictions.read_bytes()).json["n"] == 3


def test_the_gold_may_be_the_name_of_a_data_set(veritab: Veritab, write: Callable[..., Path]) -> None:
    records = [json.loads(line) for line in ALMANAC.read_text(encoding="utf-8").splitlines()[1:]]
    answers = [
        {"id": each["id"], "predicted_label": each["label"], "predicted_evidence": each["evidence"][0]["content"]}
        for each in records
    ]
    told = veritab(write("predictions.jsonl", {"header": ""}, *answers), "almanac/claims", "--json").json
    assert (told["task"], told["n"], told["label_accuracy"]) == ("feverous", len(records), 1.0)
    assert told["score"] == told["evidence_recall"] > 0.95
    assert set(told["slices"]) >= {"label", "challenge", "evidence_kind", "hops", "cells"}


def test_a_corpus_tells_the_size_of_tables(veritab: Veritab, write: Callable[..., Path], tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    sources = tmp_path / "rivers.csv"
    sources.write_text("River,Length (km)\n" + "".join(f"River {number},{number}\n" for number in range(40)))
    assert commands.veritab("ingest", sources, "--into", corpus).code == 0
    gold = write(
        "gold.jsonl",
        *(
            {"id": number, "claim": "A.", "label": "SUPPORTS", "evidence": [{"content": [id]}]}
            for number, id in enumerate(("rivers_cell_0_1_1", "rivers_sentence_0", "nowhere_cell_0_0_0"))
        ),
    )
    answers = write("predictions.jsonl", *(said(number, "SUPPORTS") for number in range(3)))
    told = veritab(answers, gold, "--corpus", corpus, "--json").json
    assert {name: group["n"] for name, group in told["slices"]["table_size"].items()} == {
        "no table": 1,
        "31 rows or more": 1,
        "unknown": 1,
    }


def test_easy_and_hard_claims_are_scored_apart(veritab: Veritab, write: Callable[..., Path]) -> None:
    gold = write(
        "gold.jsonl",
        *({"id": f"c{n}", "text": "A.", "label": "SUPPORTS", "gold_evidence": []} for n in range(4)),
    )
    answers = write(
        "said.jsonl", *({"id": f"c{n}", "predicted_label": "SUPPORTS" if n else "REFUTES"} for n in range(4))
    )
    alone = write(
        "alone.jsonl", *({"id": f"c{n}", "predicted_label": "SUPPORTS" if n > 1 else "REFUTES"} for n in range(4))
    )
    told = veritab(answers, gold, "--task", "fm2", "--claim-only", alone, "--json").json
    assert {name: group["label_accuracy"] for name, group in told["slices"]["claim_only"].items()} == {
        "EASY": 1.0,
        "HARD": 0.5,
    }
    assert told["official"] == {"accuracy": 0.75}
    assert told["evidence_f1"] is None


def test_a_claim_only_file_may_say_what_faviq_says(veritab: Veritab, write: Callable[..., Path]) -> None:
    passage = {"id": "1", "title": "K2", "text": "K2 is high."}
    evidence = {"positive_evidence": passage, "negative_evidence": passage}
    labels = {"a": "SUPPORTS", "b": "REFUTES"}
    gold = write(
        "gold.jsonl", *({"id": id, "claim": f"claim {id}", "label": label, **evidence} for id, label in labels.items())
    )
    said = write("said.jsonl", {"a": "true", "b": "true"})
    told = veritab(said, gold, "--claim-only", said, "--json").json
    assert {name: group["n"] for name, group in told["slices"]["claim_only"].items()} == {"EASY": 1, "HARD": 1}


def test_a_partition_of_another_meaning_is_no_partition(
    veritab: Veritab, write: Callable[..., Path], predictions: Path
) -> None:
    gold = write("gold.jsonl", *({**each, "partition": "dev"} for each in GOLD))
    assert "claim_only" not in veritab(predictions, gold, "--json").json["slices"]


def test_faviq_takes_one_object_of_labels(veritab: Veritab, write: Callable[..., Path]) -> None:
    passage = {"id": "1", "title": "A", "text": "B"}
    gold = write(
        "gold.jsonl",
        *({"id": id, "claim": "a.", "label": "REFUTES", "positive_evidence": passage} for id in ("x", "y")),
    )
    answers = write("predictions.json", {"y": "REFUTES", "x": "SUPPORTS"})
    told = veritab(answers, gold, "--task", "faviq", "--json").json
    assert (told["task"], told["score"], told["evidence_recall"]) == ("faviq", 0.5, None)
    assert "another order" in told["notes"][0]


def test_kilt_is_scored_against_its_gold(veritab: Veritab, write: Callable[..., Path]) -> None:
    records = [
        {"id": n, "input": "A.", "output": [{"answer": "SUPPORTS", "provenance": [{"wikipedia_id": n}]}]}
        for n in range(2)
    ]
    path = write("kilt.jsonl", *records)
    told = veritab(path, path, "--task", "kilt", "--at", "1,2", "--json").json
    assert (told["task"], told["n"], told["score"]) == ("kilt", 2, 1.0)
    assert told["official"]["recall@2"] == 1.0
    assert veritab(path, "kilt/dev", "--task", "kilt").err.startswith("error: no file 'kilt/dev'")


# -- rankings --


def test_rankings_are_scored_at_a_level(veritab: Veritab, write: Callable[..., Path], gold: Path) -> None:
    rankings = write(
        "rankings.jsonl",
        {"id": 1, "predicted_pages": [["K2", 0.9], ["Nile", 0.1]]},
        {"id": 2, "predicted_pages": ["K2", "Nile"]},
        {"id": 3, "predicted_pages": []},
    )
    told = veritab(rankings, gold, "--task", "retrieval", "--at", "1,2", "--json").json
    assert (told["task"], told["level"], told["n"], told["left_out"]) == ("retrieval", "page", 2, 1)
    assert (told["figures"]["hit@1"], told["figures"]["hit@2"], told["score"]) == (0.5, 1.0, 0.5)
    assert told["label_accuracy"] is None
    assert told["slices"]["label"]["SUPPORTS"]["hit@1"] == 1.0
    assert veritab(rankings, gold, "--task", "retrieval").out.startswith("retrieval (page): 2 claims")
    done = veritab(rankings, gold, "--task", "retrieval", "--level", "cell")
    assert done.code == 2
    assert "3 faults" in done.err


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (["x"], "line 1 of the gold has an output that cannot be read"),
        ([{"answer": "SUPPORTS", "provenance": "x"}], "line 1 of the gold has an output that cannot be read"),
        ([{"answer": "SUPPORTS", "provenance": ["x"]}], "line 1 of the gold has an output that cannot be read"),
        ([], "line 1 of the gold has no output"),
    ],
)
def test_gold_of_kilt_that_cannot_be_read_is_told(
    veritab: Veritab, write: Callable[..., Path], output: list[Any], message: str
) -> None:
    good = {"id": 1, "output": [{"answer": "SUPPORTS", "provenance": [{"wikipedia_id": "1"}]}]}
    done = veritab(write("guesses.jsonl", good), write("gold.jsonl", {"id": 1, "output": output}), "--task", "kilt")
    assert done.code == 2
    assert message in done.err


def test_an_empty_id_of_kilt_is_no_id(veritab: Veritab, write: Callable[..., Path]) -> None:
    output = [{"answer": "SUPPORTS", "provenance": [{"wikipedia_id": "1"}]}]
    gold, nameless = write("gold.jsonl", {"id": 1, "output": output}), write("no.jsonl", {"id": None, "output": output})
    assert "line 1: no id; expected" in veritab(nameless, gold, "--task", "kilt").err
    assert "line 1 of the gold has no id" in veritab(gold, nameless, "--task", "kilt").err


def test_rankings_come_from_stdin_and_compressed_files_too(veritab: Veritab, tmp_path: Path, gold: Path) -> None:
    run = b"".join(b"%d Q0 K2 1 0.5 t\n" % number for number in (1, 2, 3))
    packed, cut = tmp_path / "run.gz", tmp_path / "cut.gz"
    packed.write_bytes(gzip.compress(run))
    cut.write_bytes(gzip.compress(run)[:-12])
    told = veritab("-", gold, "--task", "retrieval", "--json", stdin=run).json
    assert told == veritab(packed, gold, "--task", "retrieval", "--json").json
    done = veritab(cut, gold, "--task", "retrieval")
    assert done.code == 2
    assert "could not be read to its end" in done.err
    assert "stdin holds no rankings" in veritab("-", gold, "--task", "retrieval", stdin=b"\n").err


def test_a_trec_run_is_a_ranking(veritab: Veritab, tmp_path: Path, gold: Path) -> None:
    run = tmp_path / "run.trec"
    run.write_text("1 Q0 K2_sentence_0 1 2.0 tag\n2 Q0 K2_sentence_0 1 1.0 tag\n")
    told = veritab(run, gold, "--task", "retrieval", "--level", "sentence", "--json").json
    assert told["figures"]["hit@1"] == 0.5
    assert "claims without a ranking: 1; nothing was found for them" in told["notes"]


# -- what goes wrong --


def test_faults_are_told_and_all_of_them_kept_on_request(
    veritab: Veritab, write: Callable[..., Path], gold: Path, tmp_path: Path
) -> None:
    bad = write("bad.jsonl", *(said(number, "MAYBE") for number in range(1, 9)))
    done = veritab(bad, gold, "--faults", tmp_path / "faults.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {bad} has 13 faults, so nothing was scored:\n  line 1: the label 'MAYBE'")
    kept = [json.loads(line) for line in (tmp_path / "faults.jsonl").read_text().splitlines()]
    assert len(kept) == 13
    assert kept[0].keys() == {"sort", "line", "what"}


def test_missing_predictions_are_a_fault_unless_said_otherwise(
    veritab: Veritab, write: Callable[..., Path], gold: Path
) -> None:
    some = write("some.jsonl", SAID[0])
    assert veritab(some, gold).code == 2
    assert veritab(some, gold, "--missing", "wrong", "--json").json["label_accuracy"] == 1 / 3
    skipped = veritab(some, gold, "--missing", "skip", "--json").json
    assert (skipped["n"], skipped["label_accuracy"]) == (1, 1.0)
    assert "left out of the scoring" in skipped["notes"][0]


def test_gold_whose_ids_are_all_the_same_is_matched_by_line(
    veritab: Veritab, write: Callable[..., Path], predictions: Path
) -> None:
    gold = write("gold.jsonl", *(each | {"id": 0} for each in GOLD))
    assert "--by-line" in veritab(predictions, gold).err
    assert veritab(predictions, gold, "--by-line", "--json").json["n"] == 3


def test_gold_without_labels_is_an_error(veritab: Veritab, write: Callable[..., Path], predictions: Path) -> None:
    blind = write("blind.jsonl", *({"id": each["id"], "claim": each["claim"]} for each in GOLD))
    done = veritab(predictions, blind, "--task", "fever")
    assert done.code == 2
    assert "3 of the 3 claims of the gold have no label" in done.err


def test_records_of_the_gold_that_cannot_be_read_are_told(
    veritab: Veritab, write: Callable[..., Path], predictions: Path
) -> None:
    gold = write("gold.jsonl", *GOLD, {"id": 4, "claim": "A.", "label": "NONSENSE", "evidence": []})
    assert "the gold: line 4: the label 'NONSENSE' is unknown" in veritab(predictions, gold).err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("none.jsonl", "{gold}"), 1, "no file 'none.jsonl'"),
        (("{predictions}", "none/such"), 1, "neither a data set nor a file called 'none/such'"),
        (("{predictions}", "{folder}"), 2, "is a folder without queries.jsonl"),
        (("{predictions}", "-"), 2, "cannot come from stdin; save it to a file first"),
        (("{predictions}", "{gold}", "--fail-below", "nan"), 2, "--fail-below is nan; expected a score from 0 to 1"),
        (("{predictions}", "{gold}", "--fail-below", "30"), 2, "--fail-below is 30"),
        (("{predictions}", "{gold}", "--at", "3"), 2, "--at does nothing for labels and evidence"),
        (("{predictions}", "{gold}", "--level", "cell", "--task", "fever"), 2, "--level does nothing for fever"),
        (("{predictions}", "{gold}", "--at", "0"), 2, "--at is '0'; expected ranks from 1 upwards"),
        (("{predictions}", "{gold}", "--at", "many"), 2, "--at is 'many'"),
        (("{predictions}", "{gold}", "--task", "feverous"), 2, "not 'feverous'"),
        (("{predictions}", "{gold}", "--claims", "no/such/file"), 2, "there is no folder"),
        (("{predictions}", "{gold}", "--task", "kilt", "--missing", "wrong"), 2, "--missing does nothing for kilt"),
        (
            ("{predictions}", "{gold}", "--task", "retrieval", "--claims", "{folder}/x"),
            2,
            "--claims does nothing for retrieval",
        ),
    ],
)
def test_errors_are_one_message_and_a_code(
    veritab: Veritab, predictions: Path, gold: Path, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    places = {"gold": gold, "predictions": predictions, "folder": tmp_path}
    done = veritab(*(word.format(**places) for word in words))
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_score_below_the_gate_ends_with_three(veritab: Veritab, predictions: Path, gold: Path) -> None:
    assert veritab(predictions, gold, "--fail-below", "0.3").code == 0
    done = veritab(predictions, gold, "--fail-below", "0.5", "--json")
    assert done.code == 3
    assert json.loads(done.out)["score"] == 1 / 3
    assert "the score 0.3333 is below 0.5" in done.err


def test_what_became_of_each_claim_is_written_on_request(
    veritab: Veritab, predictions: Path, gold: Path, tmp_path: Path
) -> None:
    assert veritab(predictions, gold, "--claims", tmp_path / "claims.jsonl").code == 0
    rows = [json.loads(line) for line in (tmp_path / "claims.jsonl").read_text().splitlines()]
    assert [(row["id"], row["right"], row["complete"], row["strict"]) for row in rows] == [
        ("1", True, True, True),
        ("2", True, False, False),
        ("3", False, None, False),
    ]


def test_the_gold_may_be_a_folder_that_holds_a_data_set(
    veritab: Veritab, write: Callable[..., Path], predictions: Path, gold: Path, tmp_path: Path
) -> None:
    from veritab.datasets.writing import CardInfo
    from veritab.datasets.writing import write as write_examples

    examples = list(datasets.load(gold))
    write_examples({"dev": examples}, "parquet", tmp_path / "hub", about=CardInfo(task="fever"))
    plain, packed = (veritab(predictions, each, "--json").json for each in (gold, tmp_path / "hub"))
    assert packed == plain


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_reader_who_has_seen_enough_ends_the_command_in_peace(
    predictions: Path, gold: Path, words: tuple[str, ...]
) -> None:
    ear, mouth = os.pipe()
    os.close(ear)
    command = [sys.executable, "-m", "veritab", "evaluate", str(predictions), str(gold), *words]
    done = subprocess.run(command, stdout=mouth, stderr=subprocess.PIPE, text=True, check=False)
    os.close(mouth)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_runs_as_a_program(predictions: Path, gold: Path) -> None:
    command = [sys.executable, "-m", "veritab", "evaluate", str(predictions), str(gold), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["n"] == 3
    assert done.stderr == ""


# -- the how-to page --

HOWTO = ROOT / "docs" / "howto-evaluate.md"


@pytest.fixture
def beside_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples" / "evaluate", tmp_path / "examples" / "evaluate")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("beside_the_examples")
def test_the_commands_of_the_how_to_print_what_it_shows(veritab: Veritab) -> None:
    commands = console_blocks(HOWTO)
    assert len(commands) >= 4
    for command, shown in commands:
        done = veritab(*shlex.split(command)[2:])
        printed = done.out or done.err
        beginning = shown.strip().removesuffix("…")
        assert printed.startswith(beginning), command
        assert shown.strip().endswith("…") or printed.strip() == beginning


@pytest.mark.usefixtures("beside_the_examples")
def test_the_python_of_the_how_to_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.startswith("0.500 [0.215, 0.785] {'strict': 0.5,")


@pytest.mark.usefixtures("beside_the_examples")
def test_every_address_of_the_example_is_an_element_of_the_example_documents(tmp_path: Path) -> None:
    assert commands.veritab("ingest", ROOT / "examples" / "documents", "--into", "corpus").code == 0
    with open_corpus(tmp_path / "corpus") as corpus:
        for example in datasets.load(Path("examples/evaluate/gold.jsonl")):
            for id in frozenset().union(*example.evidence):
                assert corpus.element(id).text
