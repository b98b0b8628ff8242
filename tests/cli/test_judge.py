"""`veritab judge` as people and programs use it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Done, veritab
from tests.verify.tiny import make_reader

PAIR = {"id": "a", "claim": "K2 is higher than Everest.", "evidence": ["K2 is 8,611 m high, and Everest 8,849 m."]}
TABLE = {"header": ["River", "Length (km)"], "rows": [["Nile", 6650], ["Danube", 2850]], "caption": "Rivers"}


def fed(data: bytes | str, *words: object) -> Done:
    model = () if "--model" in words else ("--model", "none")
    return veritab("judge", *model, *words, stdin=data)


def judged(*words: object, **options: Any) -> Done:
    """What the reasoner alone answers."""
    return veritab("judge", "--model", "none", *words, **options)


@pytest.fixture
def rivers(tmp_path: Path) -> Path:
    file = tmp_path / "rivers.csv"
    file.write_text("River,Length (km),Mouth\nNile,6650,Mediterranean Sea\nDanube,2850,Black Sea\n")
    return file


def test_each_line_is_answered_in_order_with_the_promised_fields() -> None:
    records = [
        PAIR,
        {"id": 2, "claim": "The Nile is longer than the Danube.", "evidence": [{"table": TABLE}]},
        {"id": None, "claim": "Tea is hot.", "evidence": [], "more": "is ignored"},
        {"claim": "Ada is older than Bert.", "evidence": [{"title": "Ada", "text": "Ada was born in 1950. Bert was born in 1960."}]},
    ]  # fmt: skip
    done = fed("\n".join(map(json.dumps, records)) + "\n\n")
    assert (done.code, done.err) == (0, "")
    answers = done.lines
    assert [(each["id"], each["label"]) for each in answers] == [
        ("a", "REFUTES"),
        (2, "SUPPORTS"),
        (3, "NOT ENOUGH INFO"),
        (4, "SUPPORTS"),
    ]
    for each in answers:
        assert {"id", "label", "scores", "reasoning"} <= set(each)
        assert list(each["scores"]) == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
        assert sum(each["scores"].values()) == pytest.approx(1, abs=1e-3)
    assert {"Evidence_cell_0_1_1", "Evidence_cell_0_2_1"} <= set(answers[1]["cells"])
    assert "6650 km" in answers[1]["reasoning"][0]
    assert answers[1]["facts"]


def test_a_dash_and_a_file_are_read_like_stdin(tmp_path: Path) -> None:
    line = json.dumps(PAIR)
    (tmp_path / "pairs.jsonl").write_text(line)
    assert fed(line, "-").out == fed(line).out == judged("--file", tmp_path / "pairs.jsonl").out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{oops", "stdin, line 2 is not JSON"),
        (b"\xff\xfe", "stdin, line 2 is not JSON"),
        (b"[" * 5000, "stdin, line 2 is not JSON"),
        (b"[1]", "stdin, line 2 has no claim"),
        (b'{"id": 1}', "stdin, line 2 has no claim"),
        (b'{"claim": 3}', "stdin, line 2 has no claim"),
        (b'{"claim": " "}', "stdin, line 2: ' ' is not a claim"),
        (b'{"claim": "K2", "evidence": 0}', "stdin, line 2: evidence is a list, not 0"),
        (b'{"claim": "K2", "evidence": false}', "stdin, line 2: evidence is a list, not False"),
        (b'{"claim": "K2", "evidence": {}}', "stdin, line 2: evidence {} has neither a text nor a table"),
        (
            b'{"claim": "K2", "evidence": ' + b"[" * 1000 + b"]" * 1000 + b"}",
            "stdin, line 2: a cell is <list, too deep",
        ),
        (b'{"claim": "K2", "id": ' + b"[" * 1020 + b"]" * 1020 + b"}", "stdin, line 2 nests too deep"),
        (b'{"claim": "K2", "evidence": 3}', "stdin, line 2: evidence is a list, not 3"),
        (b'{"claim": "K2", "evidence": [{"a": 1}]}', "stdin, line 2: evidence {'a': 1} has neither a text nor a table"),
        (b'{"claim": "K2", "evidence": [{"table": {"rows": "x"}}]}', "stdin, line 2: a table is a list, not 'x'"),
    ],
)
def test_a_bad_line_is_named_with_a_remedy_after_the_good_ones_are_answered(line: bytes, message: str) -> None:
    done = fed(json.dumps(PAIR).encode() + b"\n" + line + b"\n")
    assert done.code == 2
    assert [each["id"] for each in done.lines] == ["a"]
    assert message in " ".join(done.err.split())
    assert "expected" in done.err
    assert "Traceback" not in done.err


def test_an_answer_comes_before_the_next_line_is_given() -> None:
    command = [sys.executable, "-m", "veritab", "judge", "--model", "none"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        for number in range(3):
            process.stdin.write(json.dumps(PAIR | {"id": number}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()


def test_a_claim_with_a_table_shows_the_verdict_the_computation_and_the_cells(rivers: Path) -> None:
    done = judged("The Nile is longer than the Danube.", "--table", rivers)
    assert done.code == 0
    assert done.out.startswith("✔ SUPPORTS\nThe Nile is longer than the Danube.\n")
    assert "Length of Nile: 6650 km; of Danube: 2850 km; 6650 − 2850 = 3,800 km more" in " ".join(done.out.split())
    marked = {word.strip() for row in done.out.splitlines() for word in row.split("│") if "▸" in word}
    assert marked == {"▸ Nile", "▸ 6650", "▸ Danube", "▸ 2850"}


def test_a_claim_with_a_table_as_json(rivers: Path) -> None:
    answer = judged("The Danube is longer than the Nile.", "--table", rivers, "--json").json
    assert (answer["claim"], answer["label"]) == ("The Danube is longer than the Nile.", "REFUTES")
    assert {"rivers_cell_0_1_1", "rivers_cell_0_2_1"} <= set(answer["cells"])


def test_a_document_is_evidence_with_its_sentences(tmp_path: Path) -> None:
    (tmp_path / "peaks.md").write_text("# Peaks\n\nK2 is 8,611 m high, and Everest 8,849 m.\n")
    done = judged("K2 is higher than Everest.", "--document", tmp_path / "peaks.md")
    assert done.out.splitlines()[0] == "✘ REFUTES"
    assert "\n    Peaks_sentence_0\n" in done.out


def test_of_a_long_table_the_header_and_the_rows_that_settle_it_are_shown(tmp_path: Path) -> None:
    rows = "".join(f"Town {chr(65 + n % 26)}{chr(65 + n // 26)},{n * 10}\n" for n in range(100))
    (tmp_path / "towns.tsv").write_text(("Town,People\n" + rows).replace(",", "\t"))
    done = judged("Town DA has more people than Town BA.", "--table", tmp_path / "towns.tsv")
    assert "▸ Town DA" in done.out
    assert "Town FA" not in done.out
    assert "⋮" in done.out


def test_nothing_computed_is_said(rivers: Path) -> None:
    done = judged("Rivers are wet.", "--table", rivers)
    assert done.code == 0
    assert done.out.splitlines()[0] == "? NOT ENOUGH INFO"
    assert "nothing could be computed from the evidence" in done.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((" ",), 2, "' ' is not a claim; try: veritab judge"),
        (("x", "--table", "nowhere.csv"), 1, "error: no file or folder 'nowhere.csv'"),
        (("x", "--table", "empty.txt"), 2, "has no table; give a file that has one, or --document"),
        (("x", "--file", "pairs.jsonl"), 2, "a claim and --file 'pairs.jsonl' were given; give one of them"),
        (("--table", "empty.txt"), 2, "--table and --document need a claim"),
        (("--file", "nowhere.jsonl"), 1, "no file 'nowhere.jsonl'"),
        (("x", "--table", "."), 2, "'.' is a folder; give --table FILE"),
        (("x", "--table", ""), 2, "'.' is a folder; give --table FILE"),
        (("x", "--document", "."), 2, "'.' is a folder; give --document FILE"),
        (
            ("x", "--table", "bin.dat"),
            2,
            "cannot tell what 'bin.dat' holds; give a CSV, TSV, XLSX, HTML, Markdown or text file",
        ),
        (("--file", "."), 2, "'.' is a folder; give a file of JSON lines"),
    ],
)
def test_a_mistake_is_one_line_with_a_remedy(words: tuple[str, ...], code: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("Only words.")
    (tmp_path / "bin.dat").write_bytes(bytes(range(256)) * 4)
    done = judged(*words, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_the_help_says_what_is_decided_without_a_model() -> None:
    told = " ".join(veritab("judge", "--help").out.split())
    assert "text is only read for numbers and dates" in told
    assert "verdict model" in told


def test_a_model_reads_every_line_in_order_whatever_batch_it_is_in(tmp_path: Path) -> None:
    folder = make_reader(tmp_path / "model")
    says = ["yes", "no", "perhaps"]
    records = [{"id": n, "claim": f"Tea {n} is hot.", "evidence": [f"Tea, {says[n % 3]}."]} for n in range(70)]
    done = fed("\n".join(map(json.dumps, records)), "--model", folder, "--threads", 1)
    assert (done.code, done.err) == (0, "")
    answers = done.lines
    assert [each["id"] for each in answers] == list(range(70))
    assert [each["label"] for each in answers[:3]] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    assert answers[0]["read"] == ["Evidence_sentence_0"]
    assert answers[0]["model"].startswith("tiny ")
    alone = fed(json.dumps(records[69]), "--model", folder).lines[0]
    assert alone == answers[69]
    two = fed("\n".join(map(json.dumps, records[:3])), "--model", folder, "--ways", 2).lines
    assert [each["label"] for each in two][:2] == ["SUPPORTS", "REFUTES"]
    assert [each["scores"]["NOT ENOUGH INFO"] for each in two] == [0, 0, 0]


def test_labels_are_calibrated_for_the_use_that_is_named(tmp_path: Path) -> None:
    folder = make_reader(tmp_path / "model", fm2={"gamma": 0.999, "nei": "merged"})
    asked = json.dumps({"claim": "Tea is hot.", "evidence": ["Tea, perhaps perhaps yes."]})
    two = ("--model", folder, "--ways", 2)
    assert [
        fed(asked, *two, *words).lines[0]["label"]
        for words in (("--profile", "fm2"), ("--nei", "merged"), ("--profile", "fm2", "--nei", "excluded"))
    ] == ["SUPPORTS", "REFUTES", "SUPPORTS"]
    wrong = fed(asked, *two, "--profile", "fm3")
    assert wrong.code == 2
    assert "no profile 'fm3'; known are 'default', 'fm2'" in " ".join(wrong.err.split())


def test_a_bad_line_after_good_ones_of_its_batch_is_told_after_their_answers(tmp_path: Path) -> None:
    folder = make_reader(tmp_path / "model")
    done = fed("\n".join([json.dumps(PAIR)] * 3 + ["{oops"]), "--model", folder)
    assert (done.code, len(done.lines)) == (2, 3)
    assert "stdin, line 4 is not JSON" in done.err


def test_a_claim_shows_what_the_model_read(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# Tea\n\nTea is hot, yes.\n")
    done = veritab(
        "judge", "Tea is hot.", "--document", tmp_path / "tea.md", "--model", make_reader(tmp_path / "model")
    )
    assert done.code == 0
    assert done.out.startswith("✔ SUPPORTS")
    assert "“Tea is hot, yes.” (Tea) speaks for it, 88 %" in done.out
    assert "\n    Tea_sentence_0\n" in done.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--model", "nowhere"), 1, "no model 'nowhere'; expected a folder"),
        (("--model", "none", "--ways", "2"), 2, "--ways 2, --profile and --threads need a model"),
        (("--model", "none", "--profile", "fm2"), 2, "--ways 2, --profile and --threads need a model"),
        (("--model", "none", "--nei", "merged"), 2, "--nei merged is for two labels; add --ways 2"),
        (("--model", "none", "--ways", "4"), 2, "--ways 4 is not known; expected 2 or 3"),
    ],
)
def test_a_model_that_cannot_be_had_is_told(words: tuple[str, ...], code: int, message: str) -> None:
    done = veritab("judge", "Tea is hot.", *words)
    assert (done.code, done.out) == (code, "")
    assert message in " ".join(done.err.split())


def test_documents_of_one_name_are_all_read_and_shown_by_their_own_addresses(tmp_path: Path) -> None:
    files = []
    for folder, text in (("a", "K2 is 8,611 m high.\n"), ("b", "Everest is 8,849 m high.\n")):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "notes.txt")
        files[-1].write_text(text)
    done = judged(PAIR["claim"], "--document", files[0], "--document", files[1])
    assert done.code == 0
    assert "REFUTES" in done.out
    assert "notes_sentence_0" in done.out
    assert "notes (2)_sentence_0" in done.out


def test_tables_of_one_name_are_drawn_each_with_its_own_cells(tmp_path: Path) -> None:
    files = []
    for folder, row in (("a", "Nile,6650"), ("b", "Danube,2850")):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "rivers.csv")
        files[-1].write_text(f"River,Length (km)\n{row}\n")
    claim = "The Nile is longer than the Danube."
    done = judged(claim, "--table", files[0], "--table", files[1])
    assert done.code == 0
    assert "SUPPORTS" in done.out
    first, second = done.out.partition("Evidence\n")[2].split("\n\n")[:2]
    assert "▸ Nile" in first
    assert "Length (km)" in first
    assert "▸ Danube" in second
    assert "Length (km)" in second


def test_a_byte_order_mark_before_the_first_line_is_no_part_of_it() -> None:
    assert [each["id"] for each in fed(b"\xef\xbb\xbf" + json.dumps(PAIR).encode()).lines] == ["a"]


@pytest.mark.parametrize("words", ["", "'The Nile is longer than the Danube.' --table rivers.csv"])
def test_a_reader_that_has_seen_enough_is_no_error(words: str, rivers: Path) -> None:
    (rivers.parent / "pairs.jsonl").write_text((json.dumps(PAIR) + "\n") * 50)
    # The reader is gone before the first answer, so that every write meets a closed pipe.
    shell = f"({sys.executable} -m veritab judge --model none {words} < pairs.jsonl; echo $? > code) | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=rivers.parent, check=False)
    assert ((rivers.parent / "code").read_text().strip(), done.stderr) == ("0", "")


@pytest.mark.parametrize(("closed", "message"), [("<&-", "stdin is closed"), (">&-", "stdout is closed")])
def test_a_closed_stream_is_told(closed: str, message: str) -> None:
    shell = f"echo | {sys.executable} -m veritab judge --model none {closed}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
