"""Cards are read strictly and written so that they can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import FormatError, InputError, NotFound, VeritabError
from veritab.models.card import Card, TrainingData, sha256_of
from veritab.schema import Label
from veritab.text import printable

ONES, TWOS = "1" * 64, "2" * 64
PLAIN: dict[str, Any] = {
    "name": "tiny",
    "job": "verdict",
    "what": "judges claims",
    "base": "none",
    "licence": "Apache-2.0",
    "max_length": 384,
    "labels": ["REFUTES", "SUPPORTS", "NOT ENOUGH INFO"],
    "files": {"model.onnx": ONES, "tokenizer.json": TWOS},
}
FULL = PLAIN | {
    "recipe": "verdict",
    "data": [{"name": 'a "quoted" set', "licence": "CC BY-SA 3.0", "pairs": 10}],
    "calibration": {"temperature": 1.25, "thresholds": {"NOT ENOUGH INFO": 0.5}, "gamma": [1, 2], "two_way": False},
    "measured": {"FM2 dev, two-way accuracy (größer)": 83.5, "pairs": 3},
}


def write_files(folder: Path, card: str = "") -> Path:
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).write_text(name)
    if card:
        (folder / "card.toml").write_text(card, encoding="utf-8")
    return folder


@pytest.mark.parametrize("values", [PLAIN, FULL])
def test_what_is_written_is_read_again(tmp_path: Path, values: dict[str, Any]) -> None:
    card = Card.of(values)
    card.write(write_files(tmp_path))
    assert Card.read(tmp_path) == card
    assert card.labels == (Label.REFUTES, Label.SUPPORTS, Label.NOT_ENOUGH_INFO)


def test_a_card_of_a_selector_has_neither_labels_nor_calibration(tmp_path: Path) -> None:
    values = {key: value for key, value in PLAIN.items() if key != "labels"} | {"job": "selector"}
    card = Card.of(values)
    card.write(write_files(tmp_path))
    assert "labels" not in (tmp_path / "card.toml").read_text()
    for key in ("labels", "calibration"):
        with pytest.raises(FormatError, match=f"'{key}' belongs to a verdict model"):
            Card.of(FULL | {"job": "encoder", "labels": []} | {key: FULL[key]})


def test_data_may_be_given_as_what_it_is_read_as() -> None:
    source = TrainingData("snli", "CC BY-SA 4.0", 5)
    assert Card.of(PLAIN | {"data": (source,)}).data == (source,)


@given(st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False)), st.text())
def test_any_text_and_number_survives(measured: dict[str, float], what: str) -> None:
    import tomllib

    from veritab.models.card import _toml

    written = "".join(_toml({"what": what, "measured": {printable(key): value for key, value in measured.items()}}))
    read = tomllib.loads(written)
    assert read["what"] == printable(what)
    assert read["measured"] == {printable(key): value for key, value in measured.items()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lables": []}, r"unknown key 'lables'; did you mean 'labels'\?"),
        ({"zzz": 1}, "unknown key 'zzz'; known are name, job"),
        ({"base": None}, "the key 'base' is missing; expected name, job"),
        ({"name": 3}, "'name' is 3; expected a text"),
        ({"what": " "}, "'what' is ' '; expected a text"),
        ({"job": "verdicts"}, "the job is 'verdicts'; expected one of verdict, selector, encoder"),
        ({"max_length": "384"}, "'max_length' is '384'; expected a number of tokens, 8 to 8192"),
        ({"max_length": True}, "'max_length' is True"),
        ({"max_length": 7}, "'max_length' is 7"),
        ({"labels": None}, "'labels' is None; expected each of 'SUPPORTS', 'REFUTES', 'NOT ENOUGH INFO' once"),
        ({"labels": "SUPPORTS"}, "'labels' is 'SUPPORTS'; expected each"),
        ({"labels": ["SUPPORTS", "REFUTED", "NOT ENOUGH INFO"]}, "unknown label 'REFUTED'"),
        ({"labels": [["SUPPORTS"], "REFUTES"]}, r"unknown label \['SUPPORTS'\]"),
        ({"labels": ["SUPPORTS", "REFUTES", "SUPPORTS"]}, "the label 'SUPPORTS' comes 2 times"),
        ({"labels": ["SUPPORTS", "REFUTES"]}, "'labels' has 2 of 3 labels"),
        ({"labels": []}, "'labels' has 0 of 3 labels"),
        ({"files": "model.onnx"}, "'files' is 'model.onnx'; expected a table"),
        ({"files": {"model.onnx": ONES}}, r"'files' has no 'tokenizer\.json'"),
        ({"files": {"../model.onnx": ONES}}, r"'\.\./model\.onnx' does not lie beside its card"),
        ({"files": {"model.onnx": "ABC", "tokenizer.json": TWOS}}, "'model.onnx' is 'ABC'; expected 64 hex digits"),
        ({"data": {"name": "x"}}, "'data' is .*; expected e.g."),
        ({"data": ["fever"]}, "'data' holds 'fever'"),
        ({"data": [{"name": "x", "licence": "y"}]}, "the key 'pairs' is missing"),
        ({"data": [{"name": "x", "licence": "y", "pairs": 1.5}]}, "'data' holds .*1.5"),
        ({"data": [{"name": "x", "license": "y", "pairs": 1}]}, "unknown key 'license'; did you mean 'licence'"),
        ({"calibration": 3}, "'calibration' is 3; expected a table"),
        ({"calibration": {"thresholds": {"a": [float("nan")]}}}, "'calibration' holds nan; expected finite numbers"),
        ({"measured": {"accuracy": "high"}}, "'accuracy' was measured as 'high'; expected a number"),
        ({"measured": {"accuracy": float("inf")}}, "measured as inf"),
        ({"measured": {"accuracy": 10**400}}, "measured as 1000.*…; expected a number"),
        ({"calibration": {"gamma": 10**400}}, "'calibration' holds 1000.*…; expected finite numbers"),
        ({"recipe": 5}, "'recipe' is 5; expected a text"),
    ],
)
def test_what_is_wrong_is_told(change: dict[str, Any], message: str) -> None:
    values = {key: value for key, value in (PLAIN | change).items() if value is not None or key == "labels"}
    with pytest.raises(FormatError, match=message):
        Card.of(values)


def test_a_card_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"in the card to be written: .*has no 'tokenizer"):
        Card("a", "encoder", "b", "c", "d", 64, {"model.onnx": ONES}).write(tmp_path)
    with pytest.raises(InputError, match="a card cannot hold <object"):
        Card.of(PLAIN | {"calibration": {"temperature": object()}}).write(tmp_path)
    assert not list(tmp_path.iterdir())


# -- files -------------------------------------------------------------------------------------------------


def test_a_missing_folder_card_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no model in .*nowhere'; expected a folder with model\.onnx, tokenizer\.json"):
        Card.read(tmp_path / "nowhere")
    with pytest.raises(NotFound, match=r"no card\.toml in "):
        Card.read(tmp_path)
    Card.of(PLAIN).write(write_files(tmp_path))
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(NotFound, match=r"names the file 'tokenizer\.json', which is missing; copy it again"):
        Card.read(tmp_path)


@pytest.mark.parametrize("content", ["name = ", "\udcff", 'name = "a"\nname = "b"'])
def test_a_card_that_is_not_toml_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "card.toml").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=r"card\.toml' is not TOML; copy it again"):
        Card.read(tmp_path)


@pytest.mark.parametrize("deep", [f"a = {'[' * 100_000}", f"{'.'.join('a' * 10_000)} = 1"])
def test_a_card_that_is_too_deep_is_told(tmp_path: Path, deep: str) -> None:
    Card.of(PLAIN).write(write_files(tmp_path))
    with (tmp_path / "card.toml").open("a") as file:
        file.write(f"\n[calibration]\n{deep}\n")
    with pytest.raises(FormatError, match=r"card\.toml': lists or tables lie too deep"):
        Card.read(tmp_path)


def test_an_error_in_a_file_names_it(tmp_path: Path) -> None:
    write_files(tmp_path, 'names = "tiny"')
    with pytest.raises(FormatError, match=r"card\.toml': unknown key 'names'; did you mean 'name'\?"):
        Card.read(tmp_path)


def test_another_file_than_the_one_described_is_told_with_both_hashes(tmp_path: Path) -> None:
    write_files(tmp_path)
    hashes = {name: sha256_of(tmp_path / name) for name in ("model.onnx", "tokenizer.json")}
    card = Card.of(PLAIN | {"files": hashes})
    card.verify(tmp_path)
    (tmp_path / "model.onnx").write_text("other weights")
    found = sha256_of(tmp_path / "model.onnx")
    message = rf"model\.onnx' is not the file .*expected sha256 {hashes['model.onnx']}, found {found}; copy"
    with pytest.raises(FormatError, match=message):
        card.verify(tmp_path)
    (tmp_path / "model.onnx").unlink()
    with pytest.raises(NotFound, match=r"model\.onnx' is missing"):
        card.verify(tmp_path)


def test_a_file_that_did_not_change_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_files(tmp_path) / "model.onnx"
    first = sha256_of(file)

    def unread(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("veritab.models.card.hashlib.file_digest", unread)
    assert sha256_of(file) == first
    file.write_text("changed")
    with pytest.raises(AssertionError):
        sha256_of(file)


def test_every_error_is_one_of_ours() -> None:
    wrong: list[dict[str, Any]] = [{}, {"files": 1}, {"name": []}]
    for values in wrong:
        with pytest.raises(VeritabError):
            Card.of(values)
