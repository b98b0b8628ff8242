"""`veritab run` and `veritab compare` as people and programs use them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.console import Console

from tests.evaluate import mountains
from tests.evaluate.sample_runs import made_run, write_gold, write_predictions
from veritab.cli import main
from veritab.pipeline import Checker
from veritab.schema import Claim, Verdict


class Done(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Done]


@pytest.fixture
def veritab(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command here, which is much faster than in a process of its own."""

    def command(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["veritab", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b""))))
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capfd.readouterr()
        return Done(int(left.value.code or 0), out, err)

    return command


class Made(NamedTuple):
    corpus: Path
    claims: Path
    config: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("mountains")
    (folder / "fast.toml").write_text(mountains.FAST)
    corpus, claims = mountains.make_corpus(folder), mountains.write_claims(folder / "claims.jsonl")
    return Made(corpus, claims, folder / "fast.toml")


@pytest.fixture
def run(veritab: Command, made: Made, tmp_path: Path) -> Command:
    """Answers the claims about mountains."""

    def command(name: str, *words: object) -> Done:
        return veritab(
            "run", made.claims, "--corpus", made.corpus, "--config", made.config, "--into", tmp_path / name, *words
        )

    return command


def test_a_run_has_its_settings_answers_scores_and_claims(run: Command, tmp_path: Path) -> None:
    done = run("plain")
    assert done.code == 0
    assert "label_accuracy" in done.out
    assert "label wrong" in done.out or "missed" in done.out
    names = {file.name for file in (tmp_path / "plain").iterdir()} - {"run.lock"}
    assert names == {"run.json", "results.jsonl", "predictions.jsonl", "scores.json", "claims.jsonl"}
    record = json.loads((tmp_path / "plain" / "run.json").read_text())
    assert record["settings"]["verify"]["model"] == "none"
    assert not record["settings"]["check"]["certificate"]
    assert {"veritab", "python", "models", "corpus", "claims_sha256", "gold_sha256", "data_sha256"} <= record.keys()


def test_json_has_figures_intervals_and_faults(run: Command) -> None:
    told = run("plain", "--json").json
    assert told["n"] == 4
    assert set(told["figures"]) == set(told["intervals"]) >= {"score", "label_accuracy", "macro_f1"}
    assert sum(fault["claims"] for fault in told["faults"].values()) == 4


def test_a_claim_that_fails_is_named_and_tried_again_before_anything_is_scored(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Checker.check_many

    def check_but_one(self: Checker, claims: Iterable[Claim], batch: int | None = None) -> Iterator[Verdict]:
        for claim in claims:
            if claim.id == "2":
                raise ValueError("a number too large")
            yield from check(self, [claim], batch)

    with monkeypatch.context() as poisoned:
        poisoned.setattr(Checker, "check_many", check_but_one)
        done = run("run")
        assert (done.code, done.out) == (1, "")
        assert "1 claim failed: id 2 (the first with ValueError: a number too large)" in done.err
        assert "no scores until every claim has one" in done.err
        assert run("run", "--resume").code == 1
    assert {file.name for file in (tmp_path / "run").iterdir()} == {
        "run.json", "run.lock", "results.jsonl", "failed.jsonl"
    }  # fmt: skip
    mended = run("run", "--resume", "--json")
    assert "4 of 4 claims were answered before; 1 of them failed and will be tried again" in mended.err
    assert mended.json["figures"] == run("whole", "--json").json["figures"]
    results = [(tmp_path / name / "results.jsonl").read_bytes() for name in ("run", "whole")]
    assert results[0] == results[1]


def test_a_run_that_was_stopped_goes_on_and_comes_to_the_same(run: Command, tmp_path: Path) -> None:
    whole = run("whole", "--json").json
    run("cut", "--fresh")
    results = tmp_path / "cut" / "results.jsonl"
    results.write_bytes(b"".join(results.read_bytes().splitlines(keepends=True)[:2]) + b'{"id": "3", "cl')
    for name in ("scores.json", "claims.jsonl", "predictions.jsonl"):
        (tmp_path / "cut" / name).unlink()
    refused = run("cut", "--fresh")
    assert refused.code == 2
    assert "--resume" in refused.err
    resumed = run("cut", "--fresh", "--resume", "--json")
    assert resumed.code == 0
    assert "2 of 4 claims were answered before" in resumed.err
    assert resumed.json["figures"] == whole["figures"]
    assert results.read_bytes() == (tmp_path / "whole" / "results.jsonl").read_bytes()


def test_a_run_goes_on_only_as_it_was_begun(run: Command) -> None:
    run("plain")
    other = run("plain", "--resume", "--oracle", "labels")
    assert other.code == 2
    assert 'oracle was null, is "labels"' in other.err


def test_an_oracle_is_told_in_the_record_and_shows_in_the_scores(
    run: Command, veritab: Command, tmp_path: Path
) -> None:
    for name, words in {"plain": (), "labels": ("--oracle", "labels"), "pages": ("--oracle", "pages")}.items():
        assert run(name, *words).code == 0
    told = veritab("compare", *(tmp_path / name for name in ("plain", "pages", "labels")), "--json").json
    assert [run["oracle"] for run in told["runs"]] == [None, "pages", "labels"]
    assert [cost["oracle"] for cost in told["stages"]] == ["nothing", "pages", "labels"]
    assert told["stages"][2]["label_accuracy"] == 1.0
    shown = veritab("compare", tmp_path / "plain", tmp_path / "labels")
    assert "what each stage costs" in shown.out
    assert "gold labels" in shown.out


def test_runs_share_what_was_found(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from veritab.retrieve.retrievers import EvidenceRetriever

    asked = []
    retrieve = EvidenceRetriever.retrieve

    def counted(self: EvidenceRetriever, claims: Any, k: int) -> Any:
        asked.extend(claims)
        return retrieve(self, claims, k)

    monkeypatch.setattr(EvidenceRetriever, "retrieve", counted)
    run("first")
    run("second", "--oracle", "labels")
    assert len(asked) == 4
    run("third", "--fresh")
    assert len(asked) == 8
    run("fourth", "--stages", tmp_path / "elsewhere")
    assert len(asked) == 12


def test_only_the_first_claims_are_answered_where_so_many_are_asked_for(run: Command) -> None:
    assert run("few", "--at-most", "2", "--json").json["n"] == 2


def test_answers_of_check_become_a_run(veritab: Command, made: Made, tmp_path: Path) -> None:
    options = ("--corpus", made.corpus, "--config", made.config, "--no-certificate")
    assert veritab("check", "--file", made.claims, "--into", tmp_path / "checked", *options).code == 0
    refused = veritab("compare", tmp_path / "checked")
    assert refused.code == 2
    assert "--answers" in refused.err
    taken = veritab("run", made.claims, "--answers", tmp_path / "checked", "--into", tmp_path / "scored", "--json")
    assert taken.json["n"] == 4
    direct = veritab(
        "run", made.claims, "--corpus", made.corpus, "--config", made.config, "--into", tmp_path / "direct", "--json"
    )
    assert taken.json["figures"] == direct.json["figures"]
    assert taken.json["faults"] == direct.json["faults"]


def test_predictions_of_another_system_become_a_run(veritab: Command, tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    predictions = write_predictions(tmp_path / "theirs.jsonl", wrong=range(3))
    done = veritab("run", gold, "--answers", predictions, "--into", tmp_path / "theirs", "--tag", "trained_on=100")
    assert done.code == 0
    assert "0.900" in done.out
    assert json.loads((tmp_path / "theirs" / "run.json").read_text())["tags"] == {"trained_on": "100"}


def test_answers_of_others_are_scored_again_with_resume(veritab: Command, tmp_path: Path) -> None:
    gold, into = write_gold(tmp_path / "gold.jsonl"), tmp_path / "theirs"
    words = ("run", gold, "--answers", write_predictions(tmp_path / "theirs.jsonl", wrong=range(3)), "--into", into)
    assert veritab(*words).code == 0
    scores = (into / "scores.json").read_bytes()
    (into / "scores.json").unlink()
    refused = veritab(*words)
    assert refused.code == 2
    assert "--resume" in refused.err
    assert veritab(*words, "--resume").code == 0
    assert (into / "scores.json").read_bytes() == scores
    write_predictions(tmp_path / "theirs.jsonl", wrong=range(4))
    changed = veritab(*words, "--resume")
    assert changed.code == 2
    assert "answers.sha256 was" in changed.err


def test_a_table_goes_on_below_where_a_terminal_is_narrow(
    veritab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (made_run(tmp_path, name, wrong=wrong) for name, wrong in (("first", (1,)), ("second", (1, 2))))
    drawn = io.StringIO()
    narrow = Console(file=drawn, width=60, force_terminal=True, highlight=False, color_system=None)
    monkeypatch.setattr("veritab.cli.evaluated.answer", narrow)
    assert veritab("compare", first.folder, second.folder, "--changed", 0).code == 0
    lines = drawn.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert sum(line.startswith("second against first") for line in lines) == 2
    assert [line.split()[-2:] for line in lines if line.startswith("second against first")][1] == ["better", "worse"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--tag", "trained_on"), "write it as NAME=VALUE"),
        (("--oracle", "labels"), "leave out --oracle"),
        (("--answers", "nowhere.jsonl"), "nowhere.jsonl"),
    ],
)
def test_words_that_make_no_run_are_told(veritab: Command, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    predictions = write_predictions(tmp_path / "theirs.jsonl")
    done = veritab("run", gold, "--into", tmp_path / "run", "--answers", predictions, *words)
    assert done.code in (1, 2)
    assert told in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "run").exists()


def test_an_unknown_data_set_is_named(veritab: Command, tmp_path: Path) -> None:
    done = veritab("run", "nowhere/dev", "--into", tmp_path / "run")
    assert done.code in (1, 2)
    assert "nowhere/dev" in done.err


def test_fever_is_run_with_its_own_names_of_pages(veritab: Command, made: Made, tmp_path: Path) -> None:
    claims = tmp_path / "fever.jsonl"
    gold = [[[1, 1, "Cecilia_Dahl", 1]]]
    records = [
        {"id": 7, "verifiable": "VERIFIABLE", "label": "SUPPORTS", "claim": "Cecilia Dahl was born in Oslo.", "evidence": gold},
        {"id": 8, "verifiable": "NOT VERIFIABLE", "label": "NOT ENOUGH INFO", "claim": "Boberg is owned by a bank.", "evidence": [[[2, None, None, None]]]},
    ]  # fmt: skip
    claims.write_text("".join(json.dumps(record) + "\n" for record in records))
    options = ("--corpus", made.corpus, "--config", made.config, "--oracle", "evidence")
    told = veritab("run", claims, *options, "--into", tmp_path / "run", "--json").json
    assert told["task"] == "fever"
    assert told["figures"]["evidence_recall"] == 1.0
    first = (tmp_path / "run" / "predictions.jsonl").read_text().splitlines()[0]
    assert ["Cecilia_Dahl", 1] in json.loads(first)["predicted_evidence"]


def test_where_evidence_is_not_scored_labels_are(veritab: Command, made: Made, tmp_path: Path) -> None:
    claims = tmp_path / "claims.jsonl"
    passage = {"id": "1", "title": "Boberg", "text": "Boberg is a mountain."}
    records = [
        {"id": str(number), "claim": text, "label": "SUPPORTS", "positive_evidence": passage, "negative_evidence": passage}
        for number, text in enumerate(("boberg is owned by a bank.", "boberg is a mountain."))
    ]  # fmt: skip
    claims.write_text("".join(json.dumps(record) + "\n" for record in records))
    options = ("--corpus", made.corpus, "--config", made.config, "--html", tmp_path / "report.html")
    told = veritab("run", claims, *options, "--into", tmp_path / "run", "--json").json
    assert told["task"] == "faviq"
    assert "evidence_recall" not in told["figures"]
    assert set(told["faults"]) <= {"right", "label wrong, evidence not scored"}


# -- compare --


def test_runs_are_compared_in_tables(veritab: Command, tmp_path: Path) -> None:
    made_run(tmp_path, "first", wrong=range(9))
    made_run(tmp_path, "second", wrong=(8, 9))
    done = veritab("compare", tmp_path / "first", tmp_path / "second", "--changed", "1")
    assert done.code == 0
    assert "first → second: 8 mended, 1 broken" in done.out
    assert "SUPPORTS (gold SUPPORTS)  #0  Claim 0 of 0 is about page 0." in done.out
    assert "Claim 1 of 0" not in done.out
    assert f"{2 * 10 / 2**9:.4f}" in done.out


def test_one_run_is_shown_alone(veritab: Command, tmp_path: Path) -> None:
    made_run(tmp_path, "run", bare=(1,))
    done = veritab("compare", tmp_path / "run")
    assert done.code == 0
    assert "page missed" in done.out
    assert "against" not in done.out


def test_runs_on_other_data_are_refused_with_the_reason(veritab: Command, tmp_path: Path) -> None:
    made_run(tmp_path, "first")
    made_run(tmp_path, "second", seed=1)
    done = veritab("compare", tmp_path / "first", tmp_path / "second")
    assert done.code == 2
    assert "their claims differ" in done.err
    assert done.out == ""


def test_a_comparison_as_json_has_every_changed_claim(veritab: Command, tmp_path: Path) -> None:
    made_run(tmp_path, "first", wrong=range(9))
    made_run(tmp_path, "second", wrong=(8, 9))
    told = veritab("compare", tmp_path / "first", tmp_path / "second", "--json").json
    assert [run["run"] for run in told["runs"]] == ["first", "second"]
    assert {each["measure"] for each in told["tests"][0]["measures"]} >= {"label_accuracy", "macro_f1"}
    assert len(told["changed"][0]["claims"]) == 9
    assert told["changed"][0]["claims"][0] == {
        "id": "0",
        "claim": "Claim 0 of 0 is about page 0.",
        "change": "mended",
        "gold": "SUPPORTS",
        "before": "REFUTES",
        "after": "SUPPORTS",
        "faults": ["label wrong on full evidence", "right"],
    }


def test_a_curve_is_shown_in_its_order(veritab: Command, tmp_path: Path) -> None:
    for on, wrong in (("1000", 3), ("50", 15)):
        made_run(tmp_path, f"on-{on}", wrong=range(wrong), tags={"trained_on": on})
    done = veritab("compare", tmp_path / "on-1000", tmp_path / "on-50", "--curve", "trained_on")
    assert done.code == 0
    table = done.out[done.out.index("trained_on  run") :]
    assert table.index("on-50") < table.index("on-1000")
    alone = veritab("compare", tmp_path / "on-50", "--curve", "trained_on")
    assert (alone.code, "at least two runs" in alone.err) == (2, True)


def test_a_report_is_written_beside_the_tables(veritab: Command, tmp_path: Path) -> None:
    made_run(tmp_path, "first", wrong=(0, 1))
    file = tmp_path / "report.html"
    done = veritab("compare", tmp_path / "first", "--html", file, "--errors", "1")
    assert done.code == 0
    assert f"{file} is the report." in done.out
    assert file.read_text(encoding="utf-8").count("<article") == 1
    nowhere = veritab("compare", tmp_path / "first", "--html", tmp_path / "nowhere" / "report.html")
    assert nowhere.code == 2
    assert "there is no folder" in nowhere.err


def test_the_report_of_a_run_quotes_the_gold_from_its_corpus(run: Command, tmp_path: Path) -> None:
    assert run("plain", "--html", tmp_path / "report.html").code == 0
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "born in" in html
    assert "Cecilia Dahl_sentence_1" in html
