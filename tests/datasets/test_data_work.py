"""`veritab data stats`, `split`, `leaks` and `convert`: answers, files, gates and errors that say what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from veritab import datasets
from veritab.cli import app
from veritab.errors import InputError, NotFound

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def invoked(*words: str | Path) -> Result:
    result = CliRunner().invoke(app, ["data", *map(str, words)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run(*words: str | Path) -> str:
    result = invoked(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def told(*words: str | Path) -> Any:
    return json.loads(run(*words, "--json"))


def record(number: int) -> dict[str, Any]:
    """A claim of FEVER; three of them are about one page."""
    label = LABELS[number % 3]
    evidence = [[[1, None, None, None]]] if label == LABELS[2] else [[[1, 2, f"Page_{number // 3}", number % 5]]]
    return {
        "id": number,
        "verifiable": "VERIFIABLE",
        "label": label,
        "claim": f"This is what claim {number} says of {number * 7} things.",
        "evidence": evidence,
    }


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    file = tmp_path / "claims.jsonl"
    file.write_text("".join(json.dumps(record(number)) + "\n" for number in range(120)))
    return file


# -- stats --


def test_numbers_are_shown_side_by_side(claims: Path) -> None:
    shown = run("stats", claims, "almanac/claims")
    assert re.search(r"^claims +120 +360 *$", shown, re.MULTILINE)
    assert re.search(r"^sets of sentences +80 \(100 %\) +59 \(14 %\) *$", shown, re.MULTILINE)


def test_numbers_are_json_one_line_for_each_data_set(claims: Path) -> None:
    lines = [json.loads(line) for line in run("stats", claims, claims, "--json").splitlines()]
    assert [line["claims"] for line in lines] == [120, 120]
    assert lines[0]["labels"] == dict.fromkeys(LABELS, 40)


def test_the_two_tables_of_faviq_have_a_row_for_each_data_set_all_and_the_mean(claims: Path) -> None:
    shown = run("stats", claims, "almanac/claims", "--brief")
    assert re.search(r"^ +claims +SUPPORTS +REFUTES +NOT ENOUGH INFO *$", shown, re.MULTILINE)
    assert re.search(r"^claims.jsonl +120 +40 +40 +40 *$", shown, re.MULTILINE)
    assert re.search(r"^all +480 +160 +160 +160 *$", shown, re.MULTILINE)
    assert re.search(r"^words of a claim +claims +mean +Q1 +Q2 +Q3 *$", shown, re.MULTILINE)
    assert re.search(r"^claims.jsonl +120 +9\.0 +9 +9 +9 *$", shown, re.MULTILINE)
    assert re.search(r"^mean +480 +14\.7 +14 +15 +15\.5 *$", shown, re.MULTILINE)
    rows = [json.loads(line) for line in run("stats", claims, "almanac/claims", "--brief", "--json").splitlines()]
    assert [row["name"] for row in rows] == ["claims.jsonl", "almanac/claims", "all", "mean"]
    assert rows[2]["labels"] == dict.fromkeys(LABELS, 160)
    assert rows[3]["lengths"]["median"] == 15


def test_one_data_set_alone_has_no_sum(claims: Path) -> None:
    rows = [json.loads(line) for line in run("stats", claims, "--brief", "--json").splitlines()]
    assert [row["name"] for row in rows] == ["claims.jsonl"]
    assert "mean " not in run("stats", claims, "--brief").replace("mean  Q1", "")


def test_the_two_tables_of_faviq_fit_80_columns_whatever_a_file_is_called(tmp_path: Path) -> None:
    file = tmp_path / f"{'long ' * 20}.jsonl"
    labels = (*LABELS, "unknown")
    records = [{"claim": f"Claim {number} is made.", "label": labels[number % 4]} for number in range(8)]
    file.write_text("".join(json.dumps(each) + "\n" for each in records))
    shown = run("stats", file, "--brief")
    assert "unlabelled" in shown
    assert max(map(len, map(str.rstrip, shown.splitlines()))) <= 80


def test_a_page_has_the_table_and_plots_and_asks_for_nothing(claims: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = invoked("stats", claims, "almanac/claims", "--html", page)
    assert "the page is in" in result.stderr
    html = page.read_text()
    assert html.count("<svg") >= 6
    assert "sets of sentences" in html
    assert "<script" not in html
    assert not re.search(r"(?:src|href)=\"(?!#)", html)


def test_a_page_that_cannot_be_written_is_told_before_the_work(claims: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        run("stats", claims, "--html", tmp_path / "no" / "page.html")


def test_records_that_cannot_be_read_are_told(claims: Path) -> None:
    claims.write_text(claims.read_text() + "{broken\n")
    result = invoked("stats", claims)
    assert "1 record could not be read, the first in line 121" in " ".join(result.stderr.split())
    assert result.exit_code == 0


def test_a_data_set_that_is_not_there_is_told() -> None:
    with pytest.raises(NotFound, match="neither a data set nor a file called 'no-such-set'"):
        run("stats", "no-such-set")


# -- split --


def test_parts_are_files_that_share_no_page_and_hold_the_records_as_they_were(claims: Path, tmp_path: Path) -> None:
    into = tmp_path / "parts"
    shown = run("split", claims, "--into", into)
    assert "train → dev: nothing is shared" in shown
    read = {name: list(datasets.load(into / f"{name}.jsonl")) for name in ("train", "dev", "test")}
    assert {name: len(part) for name, part in read.items()} == {"train": 96, "dev": 12, "test": 12}
    written = [json.loads(line) for name in read for line in (into / f"{name}.jsonl").read_text().splitlines()]
    assert sorted(written, key=lambda each: each["id"]) == [record(number) for number in range(120)]
    pages = [{id.page for each in part for gold in each.evidence for id in gold} for part in read.values()]
    assert not pages[0] & pages[1] | pages[0] & pages[2] | pages[1] & pages[2]


def test_what_was_done_is_written_beside_the_parts(claims: Path, tmp_path: Path) -> None:
    answer = told("split", claims, "--into", tmp_path / "parts", "--parts", "a=.5,b=.5", "--balance", "--seed", "3")
    assert answer == json.loads((tmp_path / "parts" / "split.json").read_text())
    assert answer["sha256"] == datasets.load(claims).sha256
    assert (answer["seed"], answer["balance"], answer["by"]) == (3, True, "page")
    assert [part["name"] for part in answer["parts"]] == ["a", "b"]
    assert answer["leaks"][0]["share"] == 0


def test_feverous_parts_begin_with_the_line_that_readers_skip(tmp_path: Path) -> None:
    run("split", "almanac/claims", "--into", tmp_path / "parts")
    first, second, *_ = (tmp_path / "parts" / "dev.jsonl").read_text().splitlines()
    assert json.loads(first)["claim"] == ""
    assert json.loads(second)["claim"]
    read = datasets.load(tmp_path / "parts" / "dev.jsonl")
    assert (read.task, len(read)) == ("feverous", 36)


def built(number: int, **origin: Any) -> dict[str, Any]:
    """A built claim; four are of one question, and all are about one page."""
    return {
        "id": f"b{number}",
        "claim": f"Question {number // 4} has the answer {number * 7} today.",
        "label": LABELS[number % 2],
        "evidence": [{"content": ["Nile_sentence_0"], "context": {"Nile_sentence_0": ["Nile_title"]}}],
        "challenge": "",
        "origin": {"source": "asked.jsonl", "record": f"q{number // 4}", "rule": "crossed", "seed": 0, **origin},
        "silver": True,
    }


def write_lines(file: Path, *records: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(each) + "\n" for each in records))
    return file


def test_built_claims_of_one_question_stay_together_and_labels_even(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "built.jsonl", *map(built, range(80)))
    answer = told("split", file, "--into", tmp_path / "parts")
    assert answer["by"] == "origin"
    assert [part["labels"] for part in answer["parts"]] == [
        {"REFUTES": half, "SUPPORTS": half} for half in (32, 4, 4)
    ]  # fmt: skip
    asked = [
        {example.record["origin"]["record"] for example in datasets.load(tmp_path / "parts" / f"{name}.jsonl")}
        for name in ("train", "dev", "test")
    ]
    assert [len(each) for each in asked] == [16, 2, 2]
    assert len(set.union(*asked)) == 20


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "built.jsonl", *map(built, range(80)))
    for folder, seed in (("one", 5), ("two", 5), ("three", 6)):
        run("split", file, "--into", tmp_path / folder, "--seed", str(seed))

    def contents(folder: str) -> list[bytes]:
        return [path.read_bytes() for path in sorted((tmp_path / folder).iterdir())]

    assert contents("one") == contents("two") != contents("three")


def test_built_claims_of_one_page_stay_together_where_that_is_asked(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "built.jsonl", *map(built, range(8)))
    with pytest.raises(InputError, match="nothing is left for 'dev'"):
        run("split", file, "--into", tmp_path / "parts", "--by", "page")


def test_claims_without_an_origin_among_built_ones_are_refused_by_line(tmp_path: Path) -> None:
    bare = [{key: value for key, value in built(number).items() if key != "origin"} for number in range(8, 16)]
    file = write_lines(tmp_path / "built.jsonl", *map(built, range(8)), *bare)
    with pytest.raises(
        InputError, match=r"8 claims of 16 have no origin.*\(line 9, line 10,.* and others\).*--by page"
    ):
        run("split", file, "--into", tmp_path / "parts")
    assert not (tmp_path / "parts").exists()
    with pytest.raises(InputError, match="no record has an origin: nothing here was built; split by page"):
        run("split", "almanac/claims", "--into", tmp_path / "parts", "--by", "origin")


def test_what_was_read_from_parquet_can_be_split(tmp_path: Path) -> None:
    run("convert", "almanac/claims", "--to", "parquet", "--into", tmp_path / "hub")
    run("split", tmp_path / "hub", "--into", tmp_path / "parts")
    read = [
        example for name in ("train", "dev", "test") for example in datasets.load(tmp_path / "parts" / f"{name}.jsonl")
    ]
    given = {example.claim.id: example for example in datasets.load("almanac/claims")}
    assert {example.claim.id: example for example in read} == given


def test_claims_without_ids_keep_the_numbers_they_had(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text("".join(json.dumps({"claim": f"Claim {word}."}) + "\n" for word in ("one", "two", "three", "four")))
    run("split", file, "--into", tmp_path / "parts", "--parts", "a=.5,b=.5")
    read = [example.claim for name in "ab" for example in datasets.load(tmp_path / "parts" / f"{name}.jsonl")]
    assert {(claim.id, claim.text) for claim in read} == {
        ("0", "Claim one."), ("1", "Claim two."), ("2", "Claim three."), ("3", "Claim four."),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ("train", "'train' is not a part"),
        ("train=.5,dev=x", "'dev=x' is not a part"),
        ("train=.5,dev=.4", "not shares of a whole"),
        ("train=.5,../dev=.5", "cannot name a part"),
        ("a=.5,a=.5", "cannot name a part, or names two"),
    ],
)
def test_parts_that_are_none_are_told(claims: Path, tmp_path: Path, parts: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        run("split", claims, "--into", tmp_path / "parts", "--parts", parts)
    assert not (tmp_path / "parts").exists()


def test_the_name_of_a_part_may_end_as_that_of_another(claims: Path, tmp_path: Path) -> None:
    made = told("split", claims, "--into", tmp_path / "parts", "--parts", "subtrain=.5,train=.5")
    assert [part["name"] for part in made["parts"]] == ["subtrain", "train"]


def test_a_folder_that_cannot_be_made_is_told(claims: Path) -> None:
    with pytest.raises(InputError, match=r"cannot make the folder .*claims.jsonl.*; name another"):
        invoked("split", claims, "--into", claims / "parts")


def test_parts_that_are_there_are_not_written_over(claims: Path, tmp_path: Path) -> None:
    run("split", claims, "--into", tmp_path / "parts")
    with pytest.raises(InputError, match="is there already; name another folder"):
        run("split", claims, "--into", tmp_path / "parts")


def test_claims_that_hang_together_leave_nothing_for_a_part(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text("".join(json.dumps(record(number) | {"id": number}) + "\n" for number in (0, 1)))
    with pytest.raises(InputError, match="nothing is left for 'dev'"):
        run("split", file, "--into", tmp_path / "parts")


# -- leaks --


def test_leaks_are_counted_shown_and_a_gate(claims: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    lines = [json.dumps(record(number) | {"id": 1000 + number}) + "\n" for number in (0, 2)]
    lines.append(json.dumps({**record(300), "claim": "Nothing like it."}) + "\n")
    other.write_text("".join(lines))
    answer = told("leaks", claims, other)
    assert answer["shared_pages"] == ["Page 0"]
    assert [(pair["one"], pair["other"]) for pair in answer["identical"]] == [("0", "1000"), ("2", "1002")]
    assert answer["share"] == 2 / 3
    shown = run("leaks", claims, other)
    assert "1 shared page (1 claim), 2 identical and 0 nearly identical claims; 66.7 % given away" in shown
    gate = invoked("leaks", claims, other, "--fail-above", "0.5")
    assert gate.exit_code == 3
    assert "66.7 % is given away, more than 50.0 %" in gate.stderr
    assert invoked("leaks", claims, other, "--fail-above", "0.7").exit_code == 0


# -- convert --


def test_claims_of_one_id_are_counted_one_by_one(claims: Path, tmp_path: Path) -> None:
    nameless = tmp_path / "nameless.jsonl"
    nameless.write_text("".join(json.dumps({**record(number), "id": 0}) + "\n" for number in range(120)))
    assert told("leaks", claims, nameless)["share"] == 1


@pytest.mark.parametrize("words", [("{claims}", "{none}"), ("{none}", "{claims}")])
def test_the_gate_does_not_pass_what_could_not_be_read(claims: Path, tmp_path: Path, words: tuple[str, str]) -> None:
    none = tmp_path / "none.jsonl"
    none.write_text(json.dumps({**record(0), "label": "MAYBE"}))
    with pytest.raises(InputError, match=r"none.jsonl holds no claims that could be compared"):
        invoked("leaks", *(word.format(claims=claims, none=none) for word in words), "--fail-above", "0.1")


def test_a_data_set_without_a_claim_is_not_converted(tmp_path: Path) -> None:
    none, into = tmp_path / "none.jsonl", tmp_path / "into"
    none.write_text(json.dumps({**record(0), "label": "MAYBE"}))
    for format in ("fever", "parquet", "trec"):
        with pytest.raises(InputError, match=f"no claim can be written as {format}: none could be read"):
            invoked("convert", none, "--to", format, "--into", into)
        assert not into.exists()


@pytest.mark.parametrize("format", ["fever", "trec"])
def test_what_is_converted_is_not_written_over_and_a_folder_is_no_file(
    claims: Path, tmp_path: Path, format: str
) -> None:
    before = claims.read_bytes()
    with pytest.raises(InputError, match="is what is converted"):
        invoked("convert", claims, "--to", format, "--into", claims, "--leave-out")
    assert claims.read_bytes() == before
    with pytest.raises(InputError, match=r"is a folder|Is a directory"):
        invoked("convert", claims, "--to", format, "--into", tmp_path, "--leave-out")


def test_a_data_set_is_converted_and_read_again(claims: Path, tmp_path: Path) -> None:
    assert run("convert", claims, "--to", "feverous", "--into", tmp_path / "out.jsonl").startswith("120 claims written")
    assert list(datasets.load(tmp_path / "out.jsonl")) == list(datasets.load(claims))


def test_what_a_format_cannot_carry_is_an_error_or_counted(claims: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"claim '2' cannot be written as kilt: .*\(--leave-out\)"):
        run("convert", claims, "--to", "kilt", "--into", tmp_path / "out.jsonl")
    answer = told("convert", claims, "--to", "kilt", "--into", tmp_path / "out.jsonl", "--leave-out")
    assert (answer["claims"], answer["left_out"][0]["claims"]) == (80, 40)
    shown = run("convert", claims, "--to", "kilt", "--into", tmp_path / "out.jsonl", "--leave-out")
    assert "left out: 40 (first '2'): the format has no label NOT ENOUGH INFO" in shown
    assert "not written, of 80 claims: the numbers that Wikipedia gives" in shown


def test_judgements_are_written_for_trec(claims: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no annotated evidence"):
        run("convert", claims, "--to", "trec", "--into", tmp_path / "qrels.txt")
    assert not (tmp_path / "qrels.txt").exists()
    answer = told("convert", claims, "--to", "trec", "--into", tmp_path / "qrels.txt", "--leave-out")
    assert answer["claims"] == 80
    assert (tmp_path / "qrels.txt").read_text().splitlines()[0] == "0 0 Page%200_sentence_0 1"


def test_splits_share_a_folder(claims: Path, tmp_path: Path) -> None:
    run("split", claims, "--into", tmp_path / "parts")
    parts = [tmp_path / "parts" / f"{name}.jsonl" for name in ("train", "dev")]
    run("convert", *parts, "--to", "parquet", "--into", tmp_path / "out")
    files = sorted(file.name for file in (tmp_path / "out" / "data").iterdir())
    assert files == ["dev-00000-of-00001.parquet", "train-00000-of-00001.parquet"]
    assert len(datasets.load(tmp_path / "out")) == 108
    with pytest.raises(InputError, match="fever is one file for one data set, not for 2"):
        run("convert", *parts, "--to", "fever", "--into", tmp_path / "out.jsonl")
    with pytest.raises(InputError, match="splits of one task, not of fever and feverous"):
        run("convert", claims, "almanac/claims", "--to", "beir", "--into", tmp_path / "beir")
    with pytest.raises(InputError, match="the splits would have one name"):
        run("convert", claims, claims, "--to", "beir", "--into", tmp_path / "beir")


def test_the_almanac_has_the_words_of_its_own_claims(tmp_path: Path) -> None:
    answer = told("convert", "almanac/claims", "--to", "label-studio", "--into", tmp_path / "tasks.json")
    assert answer["lost"] == []
    first = json.loads((tmp_path / "tasks.json").read_text())[0]["data"]
    assert not first["evidence"].startswith("Arabic_")
    assert "Arabic | Varieties: Egyptian Arabic, the variety of Egypt" in first["evidence"]


def test_every_command_has_help() -> None:
    for command in ("stats", "split", "leaks", "convert"):
        assert "--json" in run(command, "--help")


def test_the_old_name_of_the_threshold_is_refused_with_the_new_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--near is now called --threshold; write --threshold"):
        invoked("split", "almanac/claims", "--into", tmp_path / "parts", "--near", "0.8")
