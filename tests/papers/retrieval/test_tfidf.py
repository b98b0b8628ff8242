"""TF-IDF: weights computed by hand, the same answers from disk, and every way a text or a file can be odd."""

from __future__ import annotations

import math
import pickle
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from veritab.errors import DamagedStore, InputError, MissingExtra, NotFound, StaleIndex
from veritab.papers.retrieval import tfidf
from veritab.papers.retrieval.tfidf import FILE, HashedTfidf, murmur3, ngrams, similarities
from veritab.text import words

ANIMALS = [
    ("fox", "A red fox. The red fox jumps."),
    ("hen", "The hen and a fox"),
    ("owl", "An owl at night"),
    ("cow", "Milk of the cow"),
    ("elk", "Snow and the elk"),
]
ODD_TEXTS = ["", "the of and is", "?!… — «»", "जापान की राजधानी", "東京", "\x00\ud800", "fox " * 25_000, "x" * 100_000]


def best(index: HashedTfidf, text: str, k: int = 5) -> list[tuple[str, float]]:
    return next(index.search([text], k))


def idf(held: int, number: int = 5) -> float:
    return math.log((number - held + 0.5) / (held + 0.5))


# -- n-grams and hashes ------------------------------------------------------------------------------------


def test_an_ngram_with_a_stop_word_is_dropped_and_none_reaches_over_punctuation_or_a_line() -> None:
    assert list(ngrams("The Lord of the Rings: Tolkien's saga\nNew Line Cinema")) == [
        *("lord", "rings"),
        *("tolkien", "saga"),
        *("new", "line", "cinema", "new line", "line cinema"),
    ]
    assert list(ngrams("Red fox", 1)) == ["red", "fox"]


def test_vowel_signs_do_not_cut_words() -> None:
    assert list(ngrams("जापान की", 1)) == words("जापान की")


def test_either_unicode_form_gives_the_same_words() -> None:
    assert list(ngrams(unicodedata.normalize("NFD", "Brasília"))) == list(ngrams("Brasília")) == ["brasilia"]


def test_the_hash_is_murmur3_whatever_the_length() -> None:
    known = {b"": 0, b"hello": 0x248BFA47, b"hello, world": 0x149BBB7F}
    fox = b"The quick brown fox jumps over the lazy dog"
    assert murmur3([*known, fox]).tolist() == [*known.values(), 0x2E4FF723]
    names = [b"owl", fox * 3, b"red fox"]
    assert tfidf._hash(names, 2**24).tolist() == [int(murmur3([name])[0]) % 2**24 for name in names]
    assert murmur3([]).tolist() == []


def test_bins_hold_what_the_ngrams_say() -> None:
    texts = [text for _, text in ANIMALS] + ODD_TEXTS
    sizes, columns, counts = tfidf._fill(texts, 2, 2**24)
    assert sizes.tolist() == [len(set(ngrams(text))) for text in texts]
    assert int(counts.sum()) == sum(len(list(ngrams(text))) for text in texts)
    first = {int(bin) for bin in columns[: int(sizes[0])]}
    assert first == {int(bin) for bin in tfidf._hash([gram.encode() for gram in ngrams(texts[0])], 2**24)}


# -- over a corpus -----------------------------------------------------------------------------------------


def test_a_score_is_the_dot_product_of_drqas_weights() -> None:
    index = HashedTfidf.build(ANIMALS)
    red_fox = {"red": 1, "fox": 2, "red fox": 1}  # in how many documents
    found = dict(best(index, "red fox"))
    assert list(found) == ["fox", "hen"]
    score = sum(math.log1p(1) * idf(held) * math.log1p(2) * idf(held) for held in red_fox.values())
    assert found["fox"] == pytest.approx(score, rel=1e-6)
    assert found["hen"] == pytest.approx((math.log(2) * idf(2)) ** 2, rel=1e-6)
    assert dict(best(index, "fox fox"))["hen"] == pytest.approx(math.log(3) * math.log(2) * idf(2) ** 2, rel=1e-6)


def test_what_half_of_the_documents_hold_weighs_nothing() -> None:
    index = HashedTfidf.build([("a", "fox red"), ("b", "fox blue"), ("c", "owl"), ("d", "cow")])
    assert best(index, "fox") == []
    assert [id for id, _ in best(index, "fox red")] == ["a"]


def test_words_alone_can_be_counted() -> None:
    index = HashedTfidf.build(ANIMALS, longest=1)
    assert best(index, "red fox")[0][1] == pytest.approx(
        sum(math.log(2) * math.log(3) * idf(held) ** 2 for held in (1, 2)), rel=1e-6
    )


def test_ties_are_broken_by_id_in_whatever_order_documents_come_and_at_the_last_place_too() -> None:
    same = [(id, "red fox") for id in "dbca"] + [(id, "owl") for id in "vwxyz"]
    for documents in (same, same[::-1]):
        index = HashedTfidf.build(documents)
        assert [id for id, _ in best(index, "fox", 3)] == ["a", "b", "c"]
        assert [id for id, _ in best(index, "fox", 9)] == ["a", "b", "c", "d"]


def test_blocks_and_batches_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    HashedTfidf.build(ANIMALS).save(tmp_path / "whole")
    monkeypatch.setattr(tfidf, "_CHARACTERS_IN_BLOCK", 20)
    index = HashedTfidf.build(iter(ANIMALS))
    index.save(tmp_path / "blocks")
    assert (tmp_path / "whole" / FILE).read_bytes() == (tmp_path / "blocks" / FILE).read_bytes()
    claims = [text for _, text in ANIMALS] * 20
    assert list(index.search(claims, 3)) == [best(index, claim, 3) for claim in claims]


def test_bins_may_be_few_and_collide() -> None:
    index = HashedTfidf.build(ANIMALS, buckets=64)
    assert best(index, "red fox")[0][0] == "fox"


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: repr(text[:8]))
def test_odd_texts_can_be_asked_and_indexed(text: str) -> None:
    index = HashedTfidf.build([*ANIMALS, ("odd", text)])
    found = best(index, text)
    assert all(math.isfinite(score) and score > 0 for _, score in found)
    assert not found or "fox" in text or found[0][0] == "odd"
    assert best(HashedTfidf.build([]), text) == []


def test_no_claims_and_no_documents_give_no_answers() -> None:
    index = HashedTfidf.build([])
    assert len(index) == 0
    assert list(index.search(["fox"], 5)) == [[]]
    assert list(HashedTfidf.build(ANIMALS).search([], 5)) == []


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="best 0 documents"):
        best(HashedTfidf.build(ANIMALS), "fox", 0)
    with pytest.raises(InputError, match="up to 3 words"):
        HashedTfidf.build(ANIMALS, longest=3)
    with pytest.raises(InputError, match="into 0 buckets"):
        HashedTfidf.build(ANIMALS, buckets=0)
    with pytest.raises(InputError, match="up to 0 words"):
        similarities("fox", ["fox"], 0)


def test_without_scipy_the_extra_is_named_before_any_document_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    documents = iter(ANIMALS)
    with pytest.raises(MissingExtra, match=r"veritab\[evaluate\]"):
        HashedTfidf.build(documents)
    assert len(list(documents)) == len(ANIMALS)


# -- on disk -----------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    HashedTfidf.build(ANIMALS, buckets=4096, made_from="animals, été").save(tmp_path)
    return tmp_path


def parts(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / FILE) as archive:
        return dict(archive)


def test_an_index_from_disk_gives_the_same_answers(saved: Path) -> None:
    index, again = HashedTfidf.build(ANIMALS, buckets=4096), HashedTfidf.load(saved)
    assert (again.ids, again.buckets, again.longest, again.made_from) == (index.ids, 4096, 2, "animals, été")
    assert list(again.search(["red fox", "owl"], 5)) == list(index.search(["red fox", "owl"], 5))
    assert [path.name for path in saved.iterdir()] == [FILE]


def test_an_index_of_nothing_is_kept_too(tmp_path: Path) -> None:
    HashedTfidf.build([]).save(tmp_path)
    assert len(HashedTfidf.load(tmp_path)) == 0


def test_a_failed_save_leaves_the_old_index(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no space")

    before = (saved / FILE).read_bytes()
    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="no space"):
        HashedTfidf.build(ANIMALS[:2]).save(saved)
    assert (saved / FILE).read_bytes() == before
    assert [path.name for path in saved.iterdir()] == [FILE]


def test_a_folder_without_an_index_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no TF-IDF index"):
        HashedTfidf.load(tmp_path / "nowhere")


def test_a_file_cut_anywhere_is_damaged(saved: Path) -> None:
    whole = (saved / FILE).read_bytes()
    for length in range(0, len(whole), 61):
        (saved / FILE).write_bytes(whole[:length])
        with pytest.raises(DamagedStore, match="build it again"):
            HashedTfidf.load(saved)


def test_a_changed_byte_is_noticed_or_means_nothing(saved: Path) -> None:
    whole = (saved / FILE).read_bytes()
    answers = list(HashedTfidf.load(saved).search(["red fox", "owl"], 5))
    for place in range(0, len(whole), 7):
        (saved / FILE).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            assert list(HashedTfidf.load(saved).search(["red fox", "owl"], 5)) == answers
        except DamagedStore:
            continue


@pytest.mark.parametrize("content", [b"hello", pickle.dumps({"a": 1}), b"PK\x05\x06" + bytes(18)])
def test_a_foreign_file_is_refused(saved: Path, content: bytes) -> None:
    (saved / FILE).write_bytes(content)
    with pytest.raises(DamagedStore):
        HashedTfidf.load(saved)


def test_arrays_of_another_program_are_refused(saved: Path) -> None:
    with (saved / FILE).open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(DamagedStore, match="single array"):
        HashedTfidf.load(saved)
    with (saved / FILE).open("wb") as file:
        np.savez(file, data=np.arange(3))
    with pytest.raises(DamagedStore):
        HashedTfidf.load(saved)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("documents", np.full(12, 99, np.int32)),
        ("starts", np.array([5, 0], np.int32)),
        ("bins", np.zeros(3, np.int32)),
        ("weights", np.array(["a"])),
        ("id_lengths", np.array([-1, 16])),
        ("about", np.array([1, 4096, 7])),
        ("about", np.array([1, 4096])),
        ("ids", np.full(15, 255, np.uint8)),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(saved: Path, name: str, value: np.ndarray) -> None:
    with (saved / FILE).open("rb+") as file:
        changed = {**parts(saved), name: value}
        file.truncate(0)
        np.savez(file, **changed)  # type: ignore[arg-type]
    with pytest.raises(DamagedStore, match="build it again"):
        HashedTfidf.load(saved)


def test_an_index_of_another_format_is_stale(saved: Path) -> None:
    changed = {**parts(saved), "about": np.array([99, 4096, 2])}
    with (saved / FILE).open("wb") as file:
        np.savez(file, **changed)  # type: ignore[arg-type]
    with pytest.raises(StaleIndex, match="format 99"):
        HashedTfidf.load(saved)


# -- within a few pages ------------------------------------------------------------------------------------


def test_a_similarity_is_the_cosine_of_smoothed_weights() -> None:
    common, rare = math.log(3 / 3) + 1, math.log(3 / 2) + 1
    one, two = math.log(2), math.log(3)
    query = math.hypot(one * common, one * rare)
    expected = [
        ((one * common) * (two * common) + (one * rare) ** 2) / (query * math.hypot(two * common, one * rare)),
        (one * common) ** 2 / (query * math.hypot(one * common, one * rare)),
    ]
    assert similarities("red fox", ["The fox is a red fox", "fox owl"]) == pytest.approx(expected)


def test_a_word_of_every_sentence_still_ranks_them() -> None:
    sentences = ["Everest is high.", "Everest lies in Nepal, near other peaks.", "Everest"]
    scores = similarities("Everest", sentences)
    assert scores[2] == pytest.approx(1)
    assert scores[2] > scores[0] > scores[1] > 0


def test_pairs_of_words_tell_orders_apart() -> None:
    texts = ["fox red", "red fox"]
    assert similarities("red fox", texts, 1) == pytest.approx([1, 1])
    first, second = similarities("red fox", texts, 2)
    assert second == pytest.approx(1)
    assert first < 0.6


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: repr(text[:8]))
def test_odd_texts_have_similarities(text: str) -> None:
    for score in similarities(text, ["red fox", text, ""], 2):
        assert 0 <= score <= 1 + 1e-9
    assert similarities(text, [], 2) == []
