"""Answers after their corpus changed: which are worked out again, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.runs.stand_in import PAGES, stand_in
from veritab.errors import FormatError, NotFound
from veritab.pipeline import Checker
from veritab.runs.checking import check_batch
from veritab.runs.claims import ClaimRecord
from veritab.runs.rechecking import Rechecked, count_stale, find_results, read_verdicts, recheck

CLAIMS = ["K2 is high.", "K2 never falls.", "K2 was seen."]


def answers() -> list[dict[str, Any]]:
    """One answer of each label."""
    asked = [ClaimRecord(number, number, claim) for number, claim in enumerate(CLAIMS, 1)]
    return [orjson.loads(line) for line in check_batch(stand_in(), asked)]


def rechecked(checker: Checker) -> list[Rechecked]:
    return list(recheck(answers(), checker))


def test_nothing_is_done_where_the_corpus_is_as_it_was() -> None:
    checker = stand_in()
    assert [each.why for each in rechecked(checker)] == ["", "", ""]
    assert checker.asked == []  # type: ignore[attr-defined]
    assert count_stale(answers(), checker) == (3, 0)


def test_an_answer_that_was_found_without_a_shard_is_checked_again_also_where_nothing_changed() -> None:
    whole, part = answers()[:2]
    part["certificate"] = {**part.get("certificate", {}), "searched": {"missing": ["shard-0002"], "shards": 3}}
    found = list(recheck([whole, part], stand_in()))
    assert [each.why for each in found] == ["", "shard-0002 could not be searched"]
    assert list(recheck([orjson.loads(each.line) for each in found], stand_in()))[1].why == ""


def test_only_not_enough_info_is_checked_again_where_other_pages_changed() -> None:
    checker = stand_in(revision="second", pages={**PAGES, "Nile": "3" * 16, "Danube": "4" * 16})
    found = rechecked(checker)
    assert [each.why for each in found] == ["", "", "the corpus changed, so there may be evidence now"]
    assert checker.asked == ["K2 was seen."]  # type: ignore[attr-defined]
    assert count_stale(answers(), checker) == (3, 1)
    corpora = [orjson.loads(each.line)["corpus"] for each in found]
    assert [(each["revision"], each["pages"], each["read"]) for each in corpora] == [
        ("second", 3, {"K2": "1" * 16})
    ] * 3


@pytest.mark.parametrize(
    ("pages", "why"), [({**PAGES, "K2": "9" * 16}, "K2 changed"), ({"Nile": PAGES["Nile"]}, "K2 is gone")]
)
def test_every_answer_that_rests_on_a_page_that_changed_is_checked_again(pages: dict[str, str], why: str) -> None:
    checker = stand_in(revision="second", pages=pages)
    assert [each.why for each in rechecked(checker)] == [why] * 3
    assert checker.asked == CLAIMS  # type: ignore[attr-defined]


def test_an_answer_tells_what_became_of_it() -> None:
    (old,) = (each for each in answers() if each["label"] == "SUPPORTS")
    old["claim"] = "K2 never falls."
    (each,) = recheck([old], stand_in(revision="second", pages={}))
    assert (each.id, each.old, each.new, each.is_changed) == (1, "SUPPORTS", "REFUTES", True)
    assert json.loads(each.line)["label"] == "REFUTES"


def test_answers_that_do_not_say_what_they_rest_on_are_checked_again() -> None:
    old = answers()[0]
    del old["corpus"]["read"]
    (each,) = recheck([old], stand_in(revision="second"))
    assert each.why == "it does not say which pages it rests on"


def test_what_is_no_file_of_answers_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no results\.jsonl in"):
        find_results(tmp_path)
    with pytest.raises(NotFound, match="no file"):
        find_results(tmp_path / "nothing")
    file = tmp_path / "claims.jsonl"
    file.write_text('{"id": 1, "claim": "K2 is high."}\n')
    with pytest.raises(FormatError, match="line 1 is not an answer of veritab check"):
        list(read_verdicts(file))
