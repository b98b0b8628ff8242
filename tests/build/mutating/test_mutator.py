"""Claims made of claims: each rule by hand, the labels that follow, and the same bytes for the same seed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.build.pages import CORPUS
from tests.commands import veritab
from veritab.build.mutating.implications import IMPLICATIONS
from veritab.build.mutating.label_checks import LabelCheck, check_labels, label_by_checker
from veritab.build.mutating.mutator import RULES, Mutator
from veritab.build.records import Built, BuiltRecord, GivenClaim, LeftOut
from veritab.datasets import GoldText, gold_texts, load
from veritab.errors import InputError
from veritab.schema import Claim, ElementId, Example, Label, Verdict

pytest.importorskip("lemminflect", reason="needs the extra build")
ROOT = Path(__file__).parents[3]
S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


def given(text: str, label: Label | None = S, *evidence: str, number: int = 1) -> GivenClaim:
    ids = frozenset(map(ElementId.parse, evidence))
    return GivenClaim(f"line {number}", Example(Claim(str(number), text), label, (ids,) if ids else ()))


def built(rule: str, claim: GivenClaim, most: int = 20) -> dict[str, BuiltRecord]:
    made = Mutator(CORPUS, rules=[rule], most=most).mutate([claim], "test")
    return {each.claim: each for each in made if isinstance(each, BuiltRecord)}


@pytest.mark.parametrize(
    ("rule", "claim", "mutated", "label"),
    [
        ("rephrase", "Cairo is located in Egypt.", "Cairo lies in Egypt.", S),
        ("negate", "Cairo is the capital of Egypt.", "Cairo is not the capital of Egypt.", R),
        ("similar", "Cairo is the capital of Egypt.", "Vienna is the capital of Egypt.", R),
        ("similar", "Cairo is the capital of Egypt.", "Cairo is the capital of Austria.", R),
        ("similar", "Ada Lovelace wrote about music.", "Alan Turing wrote about music.", None),
        ("similar", "Boats sail on the Nile.", "Boats sail on the Danube.", None),
        ("dissimilar", "Ada Lovelace wrote about music.", "Franz Schubert wrote about music.", None),
        ("opposite", "The Nile is longer than the Danube.", "The Nile is shorter than the Danube.", R),
        ("general", "Ada Lovelace was born in Cairo.", "Ada Lovelace was born in Egypt.", S),
        ("general", "Ada Lovelace wrote about music.", "An English mathematician wrote about music.", S),
        ("general", "Ada Lovelace died in 1852.", "Ada Lovelace died in the 1850s.", S),
        (
            "specific",
            "Ada Lovelace wrote about music.",
            "Ada Lovelace, an English mathematician, wrote about music.",
            S,
        ),
        ("specific", "Ada Lovelace lived in Egypt.", "Ada Lovelace lived in Cairo.", None),
        ("opposite", "Gold is heavier than tin.", "Gold is lighter than tin.", R),
        ("opposite", "The club won the final.", "The club lost the final.", None),
        ("opposite", "The Nile is the longest river.", "The Nile is the shortest river.", R),
        ("opposite", "The longest river was mapped in 1860.", "The shortest river was mapped in 1860.", None),
        ("general", "The Nile has two sources.", "There is a river that has two sources.", S),
    ],
)
def test_a_rule_makes_a_claim_with_the_label_that_follows(
    rule: str, claim: str, mutated: str, label: Label | None
) -> None:
    assert built(rule, given(claim))[mutated].label is label


def quoting(text: str, page: str, sentence: str) -> GivenClaim:
    """A claim of VitaminC's form, with its evidence in words."""
    record = {"claim": text, "evidence": sentence, "page": page, "label": "SUPPORTS", "wiki_revision_id": "1"}
    record |= {"unique_id": "1", "case_id": "1"}
    return GivenClaim("line 1", Example(Claim("1", text), S, record=record))


def test_evidence_that_a_claim_quotes_goes_with_what_is_made_of_it(tmp_path: Path) -> None:
    claim = quoting("Ada Lovelace wrote about music.", "Ada Lovelace", "She wrote on the Engine and on music.")
    made = list(Mutator(CORPUS, rules=["negate", "specific"], with_sources=True).mutate([claim], "own.jsonl"))
    built = tmp_path / "built.jsonl"
    built.write_text("".join(json.dumps(each.as_dict()) + "\n" for each in made if isinstance(each, BuiltRecord)))
    source, negated, specific = load(built)
    quoted = GoldText("Ada Lovelace", "", "She wrote on the Engine and on music.")
    assert gold_texts(source) == gold_texts(negated) == (quoted,)
    first, *found = gold_texts(specific)
    assert first == quoted
    assert ["mathematician" in each.text for each in found] == [True]
    assert (negated.silver, specific.silver) == (False, True)


def test_evidence_that_the_corpus_has_is_named_and_not_quoted() -> None:
    claim = quoting("Cairo is the capital of Egypt.", "Cairo", "Cairo is the capital of Egypt.")
    ids = (frozenset({ElementId.parse("Cairo_sentence_0")}),)
    claim = claim._replace(example=replace(claim.example, evidence=ids))
    (record,) = built("negate", claim).values()
    assert not record.quotes
    assert record.evidence


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Ada Lovelace was born in 1815.", R),
        ("The tower has 27 rooms.", R),
        ("Ada Lovelace visited Cairo in 1840.", None),
        ("The tower has more than 27 rooms.", None),
        ("In 1815, Ada Lovelace was born.", R),
        ("The games, founded by Ada Lovelace and held by many, took place in Cairo in 1840.", None),
    ],
)
def test_another_value_is_false_only_where_a_thing_has_one(claim: str, label: Label | None) -> None:
    (record,) = built("value", given(claim), most=1).values()
    assert record.label is label
    assert record.claim != claim


@pytest.mark.parametrize(
    ("claim", "old", "most"),
    [
        ("Verdi was 79 at the time.", 79, 158),
        ("Of the basin, 60.5 percent lies in Egypt.", 60.5, 100),
        ("The price rose by 300 percent.", 300, 600),
    ],
)
def test_another_number_is_near_enough_to_be_believed(claim: str, old: float, most: float) -> None:
    for seed in range(30):
        (record,) = (
            each
            for each in Mutator(CORPUS, seed=seed, rules=["value"]).mutate([given(claim)], "test")
            if isinstance(each, BuiltRecord)
        )
        assert old / 2 <= float(record.details["new"]) <= most


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Ada Lovelace lived in southern Egypt.", None),
        ("The town lies in southern Egypt.", R),
        ("The town is in southern Egypt.", R),
        ("Swahili is spoken in southern Egypt.", None),
    ],
)
def test_what_is_in_the_south_is_not_in_the_north_where_it_is_in_one_place(claim: str, label: Label | None) -> None:
    (record,) = built("opposite", given(claim)).values()
    assert record.label is label


@pytest.mark.parametrize(
    ("claim", "opposite"),
    [
        ("The jump was more than 30 centimetres longer.", "less than 30"),
        ("The park drew more than 30 visitors.", "fewer than 30"),
        ("Cairo counted more people in 2023.", "fewer people"),
        ("The depth of the lake was more than Vienna needs.", "less than Vienna"),
    ],
)
def test_what_is_counted_is_fewer_and_what_is_measured_is_less(claim: str, opposite: str) -> None:
    assert any(opposite in text for text in built("opposite", given(claim)))


def test_a_number_in_a_name_is_no_value() -> None:
    fans = built("value", given("In the year 2003, fans of 24 saw it.", S, "24 (TV series)_sentence_0"))
    assert {each.details["old"] for each in fans.values()} == {"2003"}
    assert built("value", given("24 ended in spring.")) == {}
    assert built("value", given("Symphony No. 41 is known as Jupiter.")) == {}
    assert built("value", given("Voyager 2 left Earth.")) == {}
    assert built("value", given("The 1908 Summer Olympics were in London.")) == {}


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        ("opposite", "Ada Lovelace won an award."),
        ("opposite", "The club lost its final to Rome."),
        ("value", "Three clubs won twice: Rome, Turin and Milan."),
        ("general", "The city bore 39 percent of the cost in 2024."),
        ("opposite", "All six boats were later repaired."),
        ("opposite", "The tower is shorter than the mast."),
        ("opposite", "Silicon was first prepared in Cairo."),
        ("opposite", "The street was named after Ada Lovelace."),
        ("opposite", "The poet is best known for her songs."),
        ("opposite", "Cairo and Rome are sister cities."),
        ("opposite", "Ada Lovelace outlived her father."),
        ("opposite", "Ada Lovelace left her husband."),
        ("opposite", "Ada Lovelace began to be seen as a poet."),
        ("opposite", "The camp is higher up than the one in Egypt."),
        ("opposite", "The closer you come, the more it rains."),
        ("value", "The alloy is only two thirds gold."),
        ("value", "The club was strong in the 1960's."),
        ("value", "The season has twenty-six parts."),
        ("value", "The club won by 21 - 17 at home."),
        ("specific", "The Nile in Winter is about a king."),
        ("value", "Fantastic Four (2005 film) was shown."),
        ("value", "She left school at 21 or 22."),
        ("dissimilar", "Cairo is the capital of Egypt."),
        ("specific", "Ada Lovelace was a poet."),
        ("general", "Nowhere in Cairo can a boat land."),
        ("general", "Six bridges were built in Cairo."),
        ("general", "The head count in 2011 came to sixty million."),
        ("similar", "The hall stands in Vienna, Virginia."),
        ("rephrase", "The film stars an actor born on March 15, 1968."),
    ],
)
def test_what_would_read_oddly_is_not_made(rule: str, claim: str) -> None:
    assert built(rule, given(claim)) == {}


@pytest.mark.parametrize("label", [None, *Label])
def test_the_label_of_a_mutation_depends_on_that_of_its_source(label: Label | None) -> None:
    (denied,) = built("negate", given("Cairo is the capital of Egypt.", label)).values()
    assert denied.label is {S: R, R: S, N: N, None: None}[label]
    wider = built("general", given("Ada Lovelace was born in Cairo.", label))["Ada Lovelace was born in Egypt."]
    assert wider.label is (S if label is S else None)
    narrower = built("specific", given("Ada Lovelace lived in Egypt.", label))["Ada Lovelace lived in Cairo."]
    assert narrower.label is (R if label is R else None)


def test_a_denial_of_one_of_two_things_leaves_a_refuted_claim_open() -> None:
    claim = "The lake is deep and covers a large area."
    assert [each.label for each in built("negate", given(claim, R)).values()] == [None]
    assert [each.label for each in built("negate", given(claim, S)).values()] == [R]


def test_a_title_keeps_its_article_when_it_is_moved() -> None:
    claim = given("The Wolf of Wall Street was released in 2013.", S, "The Wolf of Wall Street (2013 film)_sentence_0")
    assert "In 2013, The Wolf of Wall Street was released." in built("rephrase", claim)
    assert "In 1889, the tower was released." in built("rephrase", given("The tower was released in 1889."))


@pytest.mark.parametrize("word", ["not", "only", "never", "rarely"])
def test_nothing_wider_follows_where_a_word_turns_it_round(word: str) -> None:
    claim = given(f"Ada Lovelace was {word} seen in Cairo.")
    (left, _) = Mutator(CORPUS, rules=["general"]).mutate([claim], "test")
    assert isinstance(left, LeftOut)
    assert f"with {word!r} in it" in left.reason


def test_a_cell_of_the_evidence_is_swapped_for_another_of_its_column_and_the_row_contradicts_it() -> None:
    claim = given("The main river of Egypt is the Nile.", S, "Capitals_cell_0_1_1")
    record = built("similar", claim)["The main river of Egypt is the Danube."]
    assert record.label is R
    assert record.details["both_in"] == "Capitals_table_0"
    compared = given("Egypt has more of the Nile than others.", S, "Capitals_cell_0_1_1")
    assert {each.label for each in built("similar", compared).values()} == {None}


def test_evidence_stays_and_what_a_rule_adds_to_it_is_silver() -> None:
    claim = given("Ada Lovelace lived in Cairo.", S, "Ada Lovelace_sentence_0")
    wider = built("general", claim)["Ada Lovelace lived in Egypt."]
    assert [str(id) for id in wider.evidence[0]] == ["Ada Lovelace_sentence_0", "Cairo_sentence_0"]
    assert wider.silver
    denied = built("negate", claim, most=1)
    assert all(not each.silver and len(each.evidence[0]) == 1 for each in denied.values())


def test_the_same_seed_gives_the_same_claims_whatever_stands_before_them() -> None:
    one, other = given("Ada Lovelace was born in 1815."), given("Cairo is the capital of Egypt.", number=2)

    def texts(claims: Iterable[GivenClaim], seed: int) -> list[str]:
        made = Mutator(CORPUS, seed=seed, rules=["value", "similar"]).mutate(claims, "test")
        return [each.claim for each in made if isinstance(each, BuiltRecord)]

    assert texts([one, other], 3) == texts([one], 3) + texts([other], 3)
    assert len({tuple(texts([one], seed)) for seed in range(8)}) > 1


def test_what_no_rule_fits_is_told_by_line_and_bad_lines_pass_through() -> None:
    bad = LeftOut("line 1", "", "not JSON")
    *by_rule, last = Mutator(CORPUS).mutate([bad, given("Perhaps.", number=2)], "test")
    assert by_rule[0] == bad
    assert all(isinstance(each, LeftOut) for each in by_rule)
    assert {each.rule for each in by_rule[1:] if isinstance(each, LeftOut)} == set(RULES)
    assert last == LeftOut("line 2", "2", "no mutation fits it")


def test_a_rule_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'negate'"):
        Mutator(CORPUS, rules=["negates"])


# -- the checker -------------------------------------------------------------------------------------------


class Yes:
    """A checker that supports everything."""

    def check_many(self, claims: Iterable[str | Claim], batch: int | None = None) -> Iterable[Verdict]:
        for claim in claims:
            assert isinstance(claim, Claim)
            yield Verdict(claim, S, {S: 0.9, R: 0.05, N: 0.05})


def test_the_checker_is_asked_about_implied_labels_and_disagreements_are_listed() -> None:
    check = LabelCheck()
    made: Iterable[Built] = Mutator(CORPUS, rules=["rephrase", "negate"]).mutate(
        [given("Cairo is located in Egypt.")], "test"
    )
    records = list(check_labels(made, Yes(), check))  # type: ignore[arg-type]
    assert [each.details["checked"] for each in records if isinstance(each, BuiltRecord)] == ["SUPPORTS"] * 2
    assert check.asked == 2
    (unlabelled,) = check_labels(
        Mutator(CORPUS, rules=["dissimilar"]).mutate([given("Ada Lovelace wrote about music.")], "test"),
        Yes(),  # type: ignore[arg-type]
        check,
    )
    assert isinstance(unlabelled, BuiltRecord)
    assert "checked" not in unlabelled.details
    assert check.asked == 2
    (disagreement,) = check.disagreements
    assert (disagreement.claim, disagreement.implied, disagreement.checked) == (
        "Cairo is not located in Egypt.",
        "REFUTES",
        "SUPPORTS",
    )


def test_a_claim_without_a_label_gets_that_of_the_checker_and_is_silver() -> None:
    bad = LeftOut("line 2", "", "not JSON")
    labelled = list(label_by_checker([given("Cairo is old.", None), bad], Yes()))  # type: ignore[arg-type]
    assert isinstance(labelled[0], GivenClaim)
    assert (labelled[0].example.label, labelled[0].example.silver) == (S, True)
    assert labelled[1] == bad


# -- the command -------------------------------------------------------------------------------------------


def test_the_command_streams_records_and_reports_on_stderr(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text(
        '{"id": 1, "claim": "Cairo is the capital of Egypt.", "label": "SUPPORTS"}\n{"id": 2}\n'
        '{"id": 3, "claim": "Alan Turing was born in London in 1912.", "label": "SUPPORTS"}\n'
    )
    done = veritab("build", "mutate", file, "--seed", 4)
    assert done.code == 0
    assert {each["origin"]["rule"] for each in done.lines} >= {"negate", "similar", "value", "general"}
    assert all(each["origin"]["source"] == "claims.jsonl" and each["origin"]["seed"] == 4 for each in done.lines)
    assert "left out: line 2: no claim, only id" in done.err
    assert "negate: 2 (2 REFUTES)" in done.err
    again = veritab("build", "mutate", "-", "--seed", 4, stdin=file.read_text())
    assert [each["claim"] for each in again.lines] != []
    assert veritab("build", "mutate", file, "--seed", 4).out == done.out


def test_two_processes_write_the_same_bytes_as_one(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    claims = ["Cairo is the capital of Egypt.", "Alan Turing was born in London in 1912.", "Mars has two moons."]
    file.write_text(
        "".join(f'{{"id": {n}, "claim": "{each}", "label": "SUPPORTS"}}\n' for n, each in enumerate(claims))
    )
    one, two = (veritab("build", "mutate", file, "--processes", count) for count in (1, 2))
    assert one.out == two.out != ""
    assert one.err == two.err


def test_a_build_above_a_limit_of_its_audit_exits_with_three(tmp_path: Path) -> None:
    file, into = tmp_path / "claims.txt", tmp_path / "built.jsonl"
    file.write_text("Cairo is the capital of Egypt.\nAlan Turing was born in London.\n")
    words = ("build", "mutate", file, "-o", into, "--json", "--rules", "negate,similar")
    done = veritab(*words, "--fail-above", "near_duplicates=-1")
    assert done.code == 3
    assert "above its limit: near_duplicates" in done.err
    assert done.json["audit"]["above"][0]["measure"] == "near_duplicates"
    assert done.json["labels"] == {"unknown": 4}
    assert len(into.read_text().splitlines()) == 4
    assert veritab(*words, "--fail-above", "duplicates=0.5").code == 0
    assert veritab(*words, "--fail-above", "duplicate=1").code == 2
    unmeasured = veritab(*words, "--fail-above", "claim_only_gain=0.03")
    assert unmeasured.code == 2
    assert "it needs fifty claims of two labels or more" in unmeasured.err
    assert unmeasured.json["records"] == 4  # what was built is told all the same


def test_what_is_left_out_can_be_kept_in_a_file(tmp_path: Path) -> None:
    file, left = tmp_path / "claims.txt", tmp_path / "left.jsonl"
    file.write_text("Cairo is the capital of Egypt.\n")
    assert veritab("build", "mutate", file, "--left-out", left).code == 0
    lines = [json.loads(line) for line in left.read_text().splitlines()]
    assert {
        "where": "line 1",
        "record": "1",
        "rule": "opposite",
        "reason": "it has no word with a sure opposite",
    } in lines


def test_the_table_of_implications_in_the_documentation_is_that_of_the_code() -> None:
    page = (ROOT / "docs" / "design" / "029-building-claims.md").read_text(encoding="utf-8")
    for name, implied in IMPLICATIONS.items():
        labels = " | ".join(str(label) if label else "unknown" for label in implied[:3])
        assert f"| {name} | {labels} | {implied.reason} |" in page


def test_mutations_and_sources_of_a_built_claim_keep_where_that_is_from() -> None:
    first = {"source": "asked.jsonl", "record": "q7", "rule": "right", "seed": 0}
    claim = given("Cairo is the capital of Egypt.")
    claim = claim._replace(example=replace(claim.example, record={"origin": first}))
    made = list(Mutator(CORPUS, rules=["negate"], with_sources=True).mutate([claim], "built.jsonl"))
    records = [each.as_dict() for each in made if isinstance(each, BuiltRecord)]
    assert [each["origin"]["rule"] for each in records] == ["source", "negate"]
    assert all(each["origin"]["earlier"] == first for each in records)
