"""Texts become vectors: folders as people have them, and a model small enough to know what must come out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="makes the tiny models; pip install 'veritab[train]'")

from tests.models.tiny import WORDS, make_encoder, with_card, write_encoder, write_json  # noqa: E402
from veritab.errors import FormatError, InputError, NotFound  # noqa: E402
from veritab.models import open_encoder  # noqa: E402
from veritab.models.encoder import Encoder  # noqa: E402


def expected(*words: str) -> Any:
    """The mean of the words and [CLS], of unit length."""
    vector = np.zeros(3 + len(WORDS))
    for word in ("[CLS]", *words):
        vector[("[PAD]", "[UNK]", "[CLS]", *WORDS).index(word)] += 1
    return vector / np.linalg.norm(vector)


# -- vectors -----------------------------------------------------------------------------------------------


def test_vectors_are_the_unit_mean_of_the_words_in_the_order_of_the_texts(tmp_path: Path) -> None:
    encoder = Encoder.open(make_encoder(tmp_path), batch_size=2, threads=1)
    texts = ["one two three four", "Two", "", "one one three", "unheard"]
    vectors = encoder.encode(texts)
    wanted = [
        expected("one", "two", "three", "four"),
        expected("two"),
        expected(),
        expected("one", "one", "three"),
        expected("[UNK]"),
    ]
    assert vectors.dtype == np.float32
    assert vectors.shape == (5, encoder.dimension) == (5, 9)
    np.testing.assert_allclose(vectors, wanted, atol=1e-6)


def test_no_texts_give_no_vectors(tmp_path: Path) -> None:
    assert Encoder.open(make_encoder(tmp_path)).encode([]).shape == (0, 9)


def test_many_texts_are_taken_in_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder.open(make_encoder(tmp_path))
    texts = ["one", "two three", "four four four"] * 5
    whole = encoder.encode(texts)
    monkeypatch.setattr("veritab.models.runtime.STRETCH", 4)
    np.testing.assert_array_equal(encoder.encode(texts), whole)


def test_a_vector_does_not_depend_on_the_texts_beside_it(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(40)]
    make_encoder(tmp_path, words)
    rng = np.random.default_rng(0)
    write_encoder(tmp_path / "model.onnx", rng.normal(size=(43, 16)).astype(np.float32), rounded=True)
    texts = [" ".join(rng.choice(words, size=3)) for _ in range(20)]
    encoder = Encoder.open(tmp_path)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    np.testing.assert_array_equal(encoder.encode(texts), alone)
    assert (Encoder.open(tmp_path, batch_size=20).encode(texts) != alone).any()


def test_texts_are_cleaned_before_they_are_encoded(tmp_path: Path) -> None:
    encoder = Encoder.open(make_encoder(tmp_path, ("one", "caf\u00e9")))
    clean, whole = encoder.encode(["one", "caf\u00e9"])
    np.testing.assert_array_equal(encoder.encode(["o\ud800ne", "\udfffone\x00", "o\u200bne"]), [clean] * 3)
    np.testing.assert_array_equal(encoder.encode(["cafe\u0301"], query=True), [whole])


def test_the_first_token_is_the_vector_where_the_settings_say_so(tmp_path: Path) -> None:
    make_encoder(tmp_path)
    write_json(
        tmp_path / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    )
    np.testing.assert_allclose(Encoder.open(tmp_path).encode(["one two"]), [expected()], atol=1e-6)


def test_the_newer_way_to_name_the_pooling_is_read_from_where_modules_say(tmp_path: Path) -> None:
    make_encoder(tmp_path)
    parts = [("", "Transformer"), ("9_Pooling", "Pooling"), ("", "Normalize")]
    modules = [{"path": path, "type": f"sentence_transformers.models.{name}"} for path, name in parts]
    write_json(tmp_path / "modules.json", modules)
    write_json(tmp_path / "9_Pooling" / "config.json", {"pooling_mode": "cls"})
    assert Encoder.open(tmp_path).settings.pooling == "cls"


def test_sentence_vectors_that_the_model_makes_itself_are_taken(tmp_path: Path) -> None:
    encoder = Encoder.open(make_encoder(tmp_path, output="sentence_embedding"))
    np.testing.assert_allclose(encoder.encode(["one two"]), [expected("one", "two")], atol=1e-6)


def test_queries_and_documents_get_their_own_prompts(tmp_path: Path) -> None:
    make_encoder(tmp_path)
    write_json(tmp_path / "config_sentence_transformers.json", {"prompts": {"query": "query ", "passage": "passage "}})
    encoder = Encoder.open(tmp_path)
    np.testing.assert_allclose(encoder.encode(["one"], query=True), [expected("query", "one")], atol=1e-6)
    np.testing.assert_allclose(encoder.encode(["one"]), [expected("passage", "one")], atol=1e-6)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("output", ["", "sentence_embedding"])
def test_a_text_on_which_the_model_breaks_down_gets_zeros_and_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, wrong: float, output: str
) -> None:
    make_encoder(tmp_path)
    directions = np.eye(9, dtype=np.float32)
    directions[3 + WORDS.index("two"), 0] = wrong
    write_encoder(tmp_path / "model.onnx", directions, output=output)
    vectors = Encoder.open(tmp_path, batch_size=1).encode(["one", "two", "two one"])
    np.testing.assert_allclose(vectors, [expected("one"), np.zeros(9), np.zeros(9)], atol=1e-6)
    assert [record.message.partition(" gives ")[2] for record in caplog.records] == ["no number for 2 of 3 texts"]


@pytest.mark.parametrize(
    ("files", "length"),
    [
        ({}, 512),
        ({"config.json": {"max_position_embeddings": 64}}, 64),
        ({"config.json": {"max_position_embeddings": 514, "model_type": "mpnet"}}, 512),
        ({"tokenizer_config.json": {"model_max_length": 10**30}}, 8192),
        ({"tokenizer_config.json": {"model_max_length": 10**30}, "config.json": {"max_position_embeddings": 40}}, 40),
        ({"sentence_bert_config.json": {"max_seq_length": 2}, "config.json": {"max_position_embeddings": 64}}, 2),
    ],
)
def test_the_longest_input_is_that_of_the_settings(tmp_path: Path, files: dict[str, Any], length: int) -> None:
    make_encoder(tmp_path)
    for name, content in files.items():
        write_json(tmp_path / name, content)
    encoder = Encoder.open(tmp_path)
    assert encoder.settings.max_length == length
    long = encoder.encode(["one " * 9000])
    np.testing.assert_allclose(long, [expected(*["one"] * (length - 1))], atol=1e-5)


def test_a_model_that_cannot_tell_padding_runs_text_by_text(tmp_path: Path) -> None:
    encoder = Encoder.open(make_encoder(tmp_path, inputs=("input_ids",), output="sentence_embedding"))
    both = encoder.encode(["one two three", "one"])
    np.testing.assert_array_equal(both, np.concatenate([encoder.encode([text]) for text in ("one two three", "one")]))
    np.testing.assert_allclose(both[1], expected("one"), atol=1e-6)


@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
def test_models_get_the_inputs_they_ask_for(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    encoder = Encoder.open(make_encoder(tmp_path, inputs=inputs, kind=onnx.TensorProto.INT32))
    np.testing.assert_allclose(encoder.encode(["one"]), [expected("one")], atol=1e-6)


# -- fingerprints ------------------------------------------------------------------------------------------


def test_a_fingerprint_belongs_to_weights_tokens_and_settings_and_not_to_the_folder(tmp_path: Path) -> None:
    first = Encoder.open(make_encoder(tmp_path / "first")).fingerprint
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    assert Encoder.open(tmp_path / "copy", threads=1, batch_size=3).fingerprint == first
    write_json(tmp_path / "copy" / "sentence_bert_config.json", {"max_seq_length": 5})
    other_words = make_encoder(tmp_path / "words", tuple(reversed(WORDS)))
    other_weights = make_encoder(tmp_path / "weights")
    write_encoder(other_weights / "model.onnx", 2 * np.eye(9, dtype=np.float32))
    others = [Encoder.open(folder).fingerprint for folder in (tmp_path / "copy", other_words, other_weights)]
    assert len({first, *others}) == 4


# -- cards -------------------------------------------------------------------------------------------------


def test_a_card_says_how_much_is_read_and_settings_beside_it_do_not_count(tmp_path: Path) -> None:
    with_card(make_encoder(tmp_path, output="sentence_embedding"), job="encoder", max_length=8)
    write_json(tmp_path / "sentence_bert_config.json", {"max_seq_length": 2})
    encoder = Encoder.open(tmp_path)
    assert encoder.settings.max_length == 8
    np.testing.assert_allclose(encoder.encode(["one " * 50]), [expected(*["one"] * 7)], atol=1e-6)


def test_an_encoder_that_is_not_the_one_of_its_card_is_refused(tmp_path: Path) -> None:
    with_card(make_encoder(tmp_path), job="encoder")
    write_encoder(tmp_path / "model.onnx", 2 * np.eye(9, dtype=np.float32))
    with pytest.raises(FormatError, match=r"model\.onnx' is not the file its card describes"):
        Encoder.open(tmp_path)


def test_a_card_of_another_job_is_refused(tmp_path: Path) -> None:
    with_card(make_encoder(tmp_path), job="selector")
    with pytest.raises(InputError, match="a model for 'selector', not for 'encoder'"):
        Encoder.open(tmp_path)


# -- folders -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx", "onnx/other.onnx"]
)
def test_a_model_is_found_under_its_usual_names(tmp_path: Path, name: str) -> None:
    assert Encoder.open(make_encoder(tmp_path, model=name)).encode(["one"]).shape == (1, 9)


def test_one_of_several_models_is_named_by_the_caller(tmp_path: Path) -> None:
    for name in ("onnx/small.onnx", "onnx/large.onnx"):
        make_encoder(tmp_path, model=name)
    with pytest.raises(InputError, match=r"name one of 'onnx/large\.onnx', 'onnx/small\.onnx'"):
        Encoder.open(tmp_path)
    assert Encoder.open(tmp_path, model="onnx/small.onnx").dimension == 9
    with pytest.raises(NotFound, match=r"no model 'tiny\.onnx'.*it has 'onnx/large\.onnx'"):
        Encoder.open(tmp_path, model="tiny.onnx")


def test_a_folder_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"expected a folder with model\.onnx and tokenizer\.json"):
        Encoder.open(tmp_path / "nowhere")


def test_an_empty_folder_says_what_it_should_hold(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no ONNX file in .* expected model\.onnx or onnx/model\.onnx"):
        Encoder.open(tmp_path)


def test_weights_without_an_onnx_file_say_how_to_export(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").touch()
    with pytest.raises(
        NotFound, match=r"has model\.safetensors but no ONNX file; export it with: .*optimum-cli export onnx"
    ):
        Encoder.open(tmp_path)


def test_a_missing_tokenizer_says_how_to_write_it(tmp_path: Path) -> None:
    (make_encoder(tmp_path) / "tokenizer.json").unlink()
    with pytest.raises(NotFound, match=r"no tokenizer\.json in .*save_pretrained"):
        Encoder.open(tmp_path)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_file_that_is_cut_short_is_named(tmp_path: Path, name: str) -> None:
    make_encoder(tmp_path)
    write_json(tmp_path / "config.json", {"max_position_embeddings": 64})
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(FormatError, match=name.replace(".", r"\.")):
        Encoder.open(tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [("modules.json", {"type": "x"}), ("config.json", [1]), ("sentence_bert_config.json", {"max_seq_length": "long"})],
)
def test_settings_of_another_shape_are_told(tmp_path: Path, name: str, content: Any) -> None:
    make_encoder(tmp_path)
    write_json(tmp_path / name, content)
    with pytest.raises(FormatError, match="JSON"):
        Encoder.open(tmp_path)


def test_parts_and_pooling_we_cannot_run_are_told(tmp_path: Path) -> None:
    make_encoder(tmp_path)
    write_json(tmp_path / "1_Pooling" / "config.json", {"pooling_mode_max_tokens": True})
    with pytest.raises(InputError, match="pools by 'max_tokens'; expected 'mean' or 'cls'"):
        Encoder.open(tmp_path)
    write_json(tmp_path / "modules.json", [{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])
    with pytest.raises(InputError, match="'Dense', which is not supported"):
        Encoder.open(tmp_path)


def test_a_model_with_other_inputs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="wants the input 'pixels'"):
        Encoder.open(make_encoder(tmp_path, inputs=("input_ids", "pixels")))


def test_too_few_threads_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0 threads"):
        Encoder.open(make_encoder(tmp_path), threads=0)


# -- the real thing ----------------------------------------------------------------------------------------


def test_the_shipped_encoder_finds_what_means_the_same() -> None:
    encoder = open_encoder()
    texts = ["The Nile is a river in Africa.", "Mozart composed operas.", "Helium is a chemical element."]
    questions = [
        "Which streams flow through the African continent?",
        "Who wrote music for the stage?",
        "gases and metals",
    ]
    nearest = (encoder.encode(questions, query=True) @ encoder.encode(texts).T).argmax(axis=1)
    assert nearest.tolist() == [0, 1, 2]
