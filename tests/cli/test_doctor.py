"""`veritab doctor` looks at the models too."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.models.tiny import make_encoder, make_selector, make_verdict, with_card
from veritab.cli import app


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("veritab.models.registry._SHIPPED", tmp_path)
    make_verdict(tmp_path / "verdict")
    make_verdict(tmp_path / "fast")
    make_selector(tmp_path / "selector")
    with_card(make_encoder(tmp_path / "encoder", output="sentence_embedding"), job="encoder")
    return tmp_path


def test_models_are_listed_with_job_size_and_state(house: Path) -> None:
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0
    told = "model 'verdict' (verdict, 0.0 MB, Apache-2.0): its files match its card, and it opens"
    assert told in done.stdout
    found = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)["models"]
    assert [(one["name"], one["shipped"], one["verified"], one["opens"]) for one in found] == [
        ("verdict", True, True, True),
        ("fast", True, True, True),
        ("selector", True, True, True),
        ("encoder", True, True, True),
    ]
    size = sum((house / "verdict" / name).stat().st_size for name in ("model.onnx", "tokenizer.json"))
    assert (found[0]["bytes"], found[0]["job"], found[0]["licence"]) == (size, "verdict", "Apache-2.0")


def test_a_damaged_model_is_told_and_the_exit_code_is_1(house: Path) -> None:
    (house / "selector" / "model.onnx").write_bytes(b"half a file")
    (house / "encoder" / "tokenizer.json").unlink()
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert done.exit_code == 1
    found = {one["name"]: one for one in json.loads(done.stdout)["models"]}
    assert not found["selector"]["verified"]
    assert "expected sha256" in found["selector"]["problem"]
    assert "which is missing" in found["encoder"]["problem"]
    assert found["verdict"]["opens"]


def test_a_model_whose_files_are_right_and_do_not_run_is_told(house: Path) -> None:
    (house / "verdict" / "model.onnx").write_bytes(b"no model")
    with_card(house / "verdict", job="verdict", labels=["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
    done = CliRunner().invoke(app, ["doctor", "--json"])
    found = json.loads(done.stdout)["models"][0]
    assert (found["verified"], found["opens"]) == (True, False)
    assert "onnxruntime can run" in found["problem"]


def test_a_calibration_that_makes_no_sense_is_told_though_the_model_opens(house: Path) -> None:
    labels = ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    with_card(house / "verdict", job="verdict", labels=labels, calibration={"fm2": {"gama": 0.1}})
    found = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)["models"][0]
    assert (found["verified"], found["opens"]) == (True, False)
    assert "did you mean 'gamma'" in found["problem"]


def test_a_missing_package_is_told_and_does_not_end_the_check(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert done.exit_code == 1
    assert all("onnxruntime" in one["problem"] for one in json.loads(done.stdout)["models"] if one["shipped"])


def test_the_web_page_is_looked_at_too(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("uvicorn", reason="the web extra is not installed")
    from veritab.cli import doctor
    from veritab.web.server import listen

    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr("veritab.cli.serve.DEFAULT_PORT", port)
    assert f"✓ veritab serve can listen on port {port}" in CliRunner().invoke(app, ["doctor"]).stdout
    with listen("127.0.0.1", port):
        taken = CliRunner().invoke(app, ["doctor"])
    assert f"· veritab serve: port {port} on 127.0.0.1 is taken; stop what listens there" in taken.stdout
    assert taken.exit_code == 0
    monkeypatch.setattr(doctor, "_WEB", house)
    lacking = CliRunner().invoke(app, ["doctor"])
    assert "✗ the web page lacks its templates and static\n" in lacking.stdout
    assert lacking.exit_code == 1


def test_what_a_stopped_index_left_is_told_apart_from_damage(house: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("K2 is high.")
    corpus = tmp_path / "corpus"
    assert (
        CliRunner().invoke(app, ["ingest", str(tmp_path / "notes.txt"), "--into", str(corpus), "--index"]).exit_code
        == 0
    )
    (corpus / "index" / "texts" / "00112233445566778899aabbccddeeff.idx").write_bytes(b"half a file")
    done = CliRunner().invoke(app, ["doctor", "--deep", "--corpus", str(corpus)])
    assert done.exit_code == 0
    assert "· 1 file left over from an index that was stopped\n" in done.stdout
    assert f"the next veritab index {corpus} removes what is left over" in done.stdout
    assert CliRunner().invoke(app, ["index", str(corpus)]).exit_code == 0
    assert "left over" not in CliRunner().invoke(app, ["doctor", "--deep", "--corpus", str(corpus)]).stdout
