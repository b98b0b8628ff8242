"""Claims go in, verdicts with their evidence come out."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.verify.tiny import make_reader
from veritab import Checker, Claim, Element, ElementId, Hit, Kind, Label, Settings, Verdict, judge_many
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
from veritab.errors import InputError, NotFound
from veritab.models import open_verdict
from veritab.models.registry import folder_of
from veritab.pipeline import Pipeline
from veritab.render.json import verdict_from_json, verdict_to_json
from veritab.retrieve.index import build_index
from veritab.schema import Evidence, Reading, Uncertainty
from veritab.settings import record
from veritab.verify.decide import NOT_A_STATEMENT, NOTHING_FOUND, CalibratedDecider
from veritab.verify.evidence import TableGatherer, select_readable

COMPUTED = {"verify": {"model": "none"}, "select": {"model": "none"}}
EVEREST = "Mount Everest"


def _searched(verdict: Verdict) -> tuple[str, ...]:
    assert verdict.certificate.searched
    return verdict.certificate.searched.read


def _settings(**sections: Any) -> Settings:
    return Settings.of({**COMPUTED, **sections})


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker.open(settings=_settings()) as opened:
        yield opened


def _pages(folder: Path, heights: dict[str, int]) -> None:
    folder.mkdir(exist_ok=True)
    for name, height in heights.items():
        (folder / f"{name}.md").write_text(
            f"# {name}\n\n{name} is a mountain, yes. Its summit is {height} m high.\n", encoding="utf-8"
        )


def _corpus(folder: Path, source: Path) -> Path:
    with Store.create(folder) as store:
        for _ in Ingest(store, [source], workers=1):
            pass
        for _ in build_index(store):
            pass
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A small corpus of two mountains."""
    _pages(tmp_path / "pages", {"Aaberg": 1200, "Boberg": 2400})
    return _corpus(tmp_path / "corpus", tmp_path / "pages")


def test_a_claim_gets_a_verdict_with_evidence_from_the_almanac(checker: Checker) -> None:
    verdict = checker.check("Mount Everest is higher than K2.")
    assert verdict.label is Label.SUPPORTS
    assert sum(verdict.scores.values()) == pytest.approx(1)
    assert verdict.reasoning
    assert any(hit.by == "reasoner" for hit in verdict.evidence)
    assert {EVEREST, "K2"} <= set(_searched(verdict))


def test_a_verdict_survives_json(checker: Checker) -> None:
    verdict = checker.check(Claim("9", "Mount Everest is lower than K2."))
    assert verdict_from_json(json.loads(json.dumps(verdict_to_json(verdict)))) == verdict
    assert verdict.claim.id == "9"


def test_the_evidence_stays_within_the_budgets(checker: Checker) -> None:
    verdicts = list(checker.check_many(["Mount Everest is higher than K2.", "Tokyo has subway lines."]))
    assert len(verdicts) == 2
    for verdict in verdicts:
        assert verdict.evidence
        in_cells = [hit for hit in verdict.evidence if hit.element.kind in (Kind.CELL, Kind.HEADER_CELL, Kind.ITEM)]
        sentences = [hit for hit in verdict.evidence if hit.element.kind is Kind.SENTENCE]
        assert len(in_cells) <= checker.settings.select.cells
        assert len(sentences) <= checker.settings.select.sentences
        assert len({hit.element.id for hit in verdict.evidence}) == len(verdict.evidence)


def test_a_verdict_shows_less_than_the_official_budgets_and_is_the_same_otherwise() -> None:
    claims = ["Mount Everest is higher than K2.", "Tokyo has subway lines.", "K2 is high and lies in Asia."]
    with Checker.open(settings=Settings.of({"verify": {"model": "none"}})) as checker:
        cut = list(checker.check_many(claims))
        checker.settings = checker.settings.replaced({"check.evidence": "official"})
        whole = list(checker.check_many(claims))
    for short, full in zip(cut, whole, strict=True):
        assert replace(short, evidence=()) == replace(full, evidence=())
        assert set(short.evidence) < set(full.evidence)
        assert short.evidence


def test_a_claim_that_is_too_long_is_refused_with_the_limit(checker: Checker) -> None:
    with pytest.raises(InputError, match=r"a claim of 2,017 characters .* at most 2,000 are read, so cut it"):
        checker.check("Everest is high, " * 118 + "it is high.")
    with pytest.raises(InputError, match="the claim '7' of 2,017 characters"):
        checker.judge([(Claim("7", "Everest is high, " * 118 + "it is high."), "Everest is high.")])


def test_many_claims_come_in_their_order_and_lazily(checker: Checker) -> None:
    taken = []

    def claims() -> Iterator[str]:
        for number in range(5):
            taken.append(number)
            yield f"Claim {number} about Nepal."

    found = checker.check_many(claims(), batch=2)
    assert not taken
    first = next(found)
    assert first.claim.text == "Claim 0 about Nepal."
    assert taken == [0, 1]
    assert [verdict.claim.text for verdict in found] == [f"Claim {number} about Nepal." for number in range(1, 5)]
    with pytest.raises(InputError, match="a batch of 0 claims"):
        next(checker.check_many(["x"], batch=0))


def test_a_whole_text_is_checked_sentence_by_sentence(checker: Checker) -> None:
    text = "Is it high?\r\nMount Everest is higher than K2. It is in Nepal."
    found = list(checker.check_text(text, batch=1))
    assert [text[each.start : each.end] for each, _ in found] == ["Mount Everest is higher than K2.", "It is in Nepal."]
    assert [(each.claim, verdict.claim.text) for each, verdict in found][1] == ("Mount Everest is in Nepal.",) * 2
    assert [verdict.claim.id for _, verdict in found] == ["1", "2"]
    assert found[0][1].label is checker.check("Mount Everest is higher than K2.").label
    with pytest.raises(InputError, match="a whole text is a text, not 7"):
        list(checker.check_text(7))  # type: ignore[arg-type]


def test_documents_are_scored_without_retrieval_by_the_own_verifier(checker: Checker) -> None:
    found = checker.score(["K2 is 8,611 m high, Everest 8,849 m."] * 2, ["Everest is higher than K2.", "Paris is big."])
    assert found.labels == [1, 0]


def test_a_batch_changes_no_verdict(checker: Checker) -> None:
    claims = ["Mount Everest is higher than K2.", "Nepal is a country.", ""]
    together = list(checker.check_many(claims, batch=3))
    assert together == [checker.check(claim) for claim in claims]


def test_several_threads_get_the_same_verdict(checker: Checker) -> None:
    alone = checker.check("Mount Everest is higher than K2.")
    with ThreadPoolExecutor(4) as pool:
        assert set(map(id, pool.map(checker.check, [alone.claim.text] * 4)))
        assert all(verdict == alone for verdict in pool.map(checker.check, [alone.claim.text] * 4))


def test_a_claim_that_says_nothing_has_not_enough_info(checker: Checker) -> None:
    verdict = checker.check("  ")
    assert verdict.label is Label.NOT_ENOUGH_INFO
    with pytest.raises(InputError, match="a claim is a text, not 3"):
        checker.check(3)  # type: ignore[arg-type]


def test_not_enough_info_says_which_words_were_not_found(checker: Checker) -> None:
    verdict = checker.check("Zyxwhatsit is a kind of flurbleglorp.")
    assert verdict.label is Label.NOT_ENOUGH_INFO
    assert "Zyxwhatsit" in " ".join(verdict.certificate.missing or ())


@pytest.mark.parametrize("text", ["Italy", "pear plum", "Is K2 higher than Mount Everest?", "the highest peak"])
def test_what_states_nothing_is_not_judged_and_says_so(checker: Checker, text: str) -> None:
    verdict = checker.check(text)
    assert verdict.label is Label.NOT_ENOUGH_INFO
    assert verdict.reasoning == (NOT_A_STATEMENT.text,)
    assert verdict.certificate.unsettled == NOT_A_STATEMENT
    assert verdict_from_json(json.loads(json.dumps(verdict_to_json(verdict)))) == verdict


def test_what_nothing_speaks_of_is_not_judged(own: Path, tmp_path: Path) -> None:
    model = str(make_reader(tmp_path / "model"))
    with Checker.open(own, _settings(verify={"model": model})) as checker:
        nothing = checker.check("Flurble zyxed the wibble.")
        assert (nothing.label, nothing.reasoning) == (Label.NOT_ENOUGH_INFO, (NOTHING_FOUND.text,))
        checker.pipeline = replace(checker.pipeline, retrieve=_Finding("Aaberg is a mountain, yes."))
        assert checker.check("This peak is a mountain.").label is Label.SUPPORTS
        unspoken = checker.check("The whale eats plankton.")
        assert unspoken.label is Label.NOT_ENOUGH_INFO
        assert unspoken.reasoning == ("nothing in the evidence mentions whale eats plankton",)


def test_evidence_that_does_not_name_the_subject_does_not_speak_for_a_claim(own: Path, tmp_path: Path) -> None:
    model = str(make_reader(tmp_path / "model"))
    with Checker.open(own, _settings(verify={"model": model})) as checker:
        assert checker.check("Aaberg is a mountain.").label is Label.SUPPORTS
        verdict = checker.check("Zorblax is a mountain.")
        assert verdict.label is Label.NOT_ENOUGH_INFO
        assert verdict.reasoning[0] == "nothing in the evidence mentions Zorblax"
        assert verdict.certificate.unsettled
        assert verdict.certificate.unsettled.text == verdict.reasoning[0]
        assert verdict.scores[Label.SUPPORTS] == 0
        assert sum(verdict.scores.values()) == pytest.approx(1)
        assert verdict.evidence


class _Finding:
    """Finds the same sentence whatever is asked."""

    def __init__(self, sentence: str) -> None:
        self.hit = Hit(Element(ElementId("Aaberg", Kind.SENTENCE, (0,)), sentence), 1.0, "test")

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        return [[self.hit] for _ in claims]


def test_searching_finds_elements_of_a_kind(checker: Checker) -> None:
    found = checker.search("highest mountain", "sentence", 3)
    assert 1 <= len(found) <= 3
    assert {match.element.kind for match in found} == {Kind.SENTENCE}
    assert EVEREST in checker.suggest("Mount Ev")


def test_searching_can_be_kept_to_a_page(checker: Checker) -> None:
    assert {match.element.id.page for match in checker.search("highest mountain", page="K2")} == {"K2"}
    with pytest.raises(NotFound, match="Nowhere"):
        checker.search("highest mountain", page="Nowhere in Particular")


# -- settings choose the stages ----------------------------------------------------------------------------


def test_a_model_reads_what_was_found(own: Path, tmp_path: Path) -> None:
    model = str(make_reader(tmp_path / "model"))
    with Checker.open(own, _settings(verify={"model": model})) as checker:
        verdict = checker.check("Aaberg is a mountain.")
        assert verdict.label is Label.SUPPORTS
        assert verdict.certificate.smallest == (ElementId("Aaberg", Kind.SENTENCE, (0,)),)
        assert verdict.certificate.confidence == verdict.confidence == verdict.scores[Label.SUPPORTS]
        kept = record(checker)
        card = Path(model) / "card.toml"
        assert kept["models"] == {"verdict": hashlib.sha256(card.read_bytes()).hexdigest()}
        assert kept["corpus"] == checker.corpus


def test_a_missing_model_is_told_before_anything_else(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no model .*nowhere"):
        Checker.open(settings=_settings(verify={"model": str(tmp_path / "nowhere")}))


def test_settings_may_lie_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(_settings(check={"batch": 3, "certificate": False}).as_toml())
    with Checker.open(settings=file) as checker:
        assert checker.settings.check.batch == 3
        assert checker.check("Mount Everest is higher than K2.").certificate.smallest is None


def test_a_corpus_without_an_index_says_how_to_get_one(tmp_path: Path) -> None:
    with Store.create(tmp_path / "corpus"):
        pass
    with pytest.raises(NotFound, match="veritab index"):
        Checker.open(tmp_path / "corpus", _settings())


# -- corpora -----------------------------------------------------------------------------------------------


def test_nothing_is_left_reading_models_when_opening_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends while the runtime reads a model is aborted, with 134 and a dump in place of the error."""
    model = open_verdict(make_reader(tmp_path / "model"))
    read = []

    def slowly(_: object) -> None:
        time.sleep(0.2)
        read.append(1)

    monkeypatch.setattr(type(model), "load", slowly)
    settings = _settings(verify={"model": str(tmp_path / "model")})
    with pytest.raises(NotFound):
        Checker.open(tmp_path / "nothing", settings)
    assert read == [1]


def test_the_revision_is_that_of_the_pages_wherever_they_were_read(tmp_path: Path) -> None:
    heights = {"Aaberg": 1200, "Boberg": 2400}
    _pages(tmp_path / "pages", heights)
    revisions = []
    for name in ("one", "other"):
        with Checker.open(_corpus(tmp_path / name, tmp_path / "pages"), _settings()) as checker:
            assert checker.corpus["name"] == name
            assert checker.corpus["pages"] == 2
            revisions.append(checker.corpus["revision"])
    assert revisions[0] == revisions[1]


def test_a_changed_page_has_another_digest_and_the_others_have_theirs(own: Path, tmp_path: Path) -> None:
    with Checker.open(own, _settings()) as checker:
        before = checker.check("Aaberg is higher than Boberg.")
    _pages(tmp_path / "pages", {"Aaberg": 3000, "Boberg": 2400})
    _corpus(own, tmp_path / "pages")
    with Checker.open(own, _settings()) as checker:
        after = checker.check("Aaberg is higher than Boberg.")
        assert checker.digests(["Aaberg", "Nowhere"]).keys() == {"Aaberg"}
    assert before.corpus["revision"] != after.corpus["revision"]
    old, new = before.corpus["read"], after.corpus["read"]
    assert {title for title in old if old[title] != new[title]} == {"Aaberg"}


# -- the stages by themselves ------------------------------------------------------------------------------


class _Silent:
    """Finds, selects and says nothing; remembers what it was asked."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        return [[] for _ in claims]

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        return [list(each) for each in hits]

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
        self.given += evidence
        return [Reading({Label.SUPPORTS: 0.2, Label.REFUTES: 0.1, Label.NOT_ENOUGH_INFO: 0.7}) for _ in claims]


def test_every_stage_can_be_replaced(checker: Checker) -> None:
    silent = _Silent()
    claims = [Claim("1", "Mount Everest is higher than K2.")]
    blind = replace(checker.pipeline, retrieve=silent)
    assert blind.run(claims)[0].label is Label.NOT_ENOUGH_INFO
    own = Pipeline(checker.pipeline.retrieve, (), checker.pipeline.gather, silent, CalibratedDecider(vote=False))
    (verdict,) = own.run(claims)
    assert verdict.scores[Label.NOT_ENOUGH_INFO] == pytest.approx(0.7)
    assert verdict.evidence
    assert silent.given[-1].hits


def test_another_verifier_gets_a_certificate_too(checker: Checker) -> None:
    class Agreeing:
        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            return [Reading({Label.SUPPORTS: 0.8, Label.REFUTES: 0.1, Label.NOT_ENOUGH_INFO: 0.1}) for _ in claims]

    with Checker.open(settings=_settings()) as opened:
        opened.pipeline = replace(opened.pipeline, verify=Agreeing())
        verdict = opened.check("Nepal is a country in Asia.")
    assert verdict.label is Label.SUPPORTS
    assert verdict.certificate.smallest
    assert verdict.certificate.searched


def test_judging_is_the_pipeline_with_the_evidence_given(checker: Checker) -> None:
    rows: list[list[object]] = [["Peak", "m"], ["K2", 8611], ["Everest", 8849]]
    (verdict,) = checker.judge([("K2 is higher than Everest.", rows)])
    assert verdict.label is Label.REFUTES
    (unsettled,) = checker.judge([("Italy", "Italy is a country.")])
    assert unsettled.certificate.unsettled == NOT_A_STATEMENT


def test_cells_of_the_corpus_are_judged_in_their_tables(checker: Checker) -> None:
    # No header of this table names its rows.
    table = checker.store.page("Puncak Jaya").tables[1]
    heights = [cell for cell in table.elements() if cell.text in ("4,207", "4,884")]
    claim = "Mauna Kea is higher than Puncak Jaya."
    (alone,) = judge_many([(claim, heights)], model=None)
    (within,) = checker.judge([(claim, heights)])
    assert alone.certificate.computed is None
    assert within.certificate.computed is within.label is Label.REFUTES
    others = [replace(cell, text=cell.text.replace("4,", "3,")) for cell in heights]
    (foreign,) = checker.judge([(claim, others)])
    assert foreign.certificate.computed is None


def test_close_scores_are_said_to_be_uncertain(checker: Checker) -> None:
    class Wavering:
        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            return [Reading({Label.SUPPORTS: 0.45, Label.REFUTES: 0.15, Label.NOT_ENOUGH_INFO: 0.4}) for _ in claims]

    pipeline = replace(checker.pipeline, verify=Wavering())
    (verdict,) = pipeline.run([Claim("", "Nepal is a country in Asia.")])
    assert (verdict.label, verdict.uncertainty) == (Label.SUPPORTS, Uncertainty.CLOSE_SCORES)


def test_evidence_holds_the_whole_tables_of_retrieved_cells_once(checker: Checker) -> None:
    page = checker.store.page("Eight-thousander")
    table = page.tables[1]
    cells = [element for element in table.elements() if element.kind is Kind.CELL][:3]
    sentence = next(element for element in page.elements if element.kind is Kind.SENTENCE)
    hits = [Hit(element, 0.5, "cells") for element in (*cells, sentence)]
    gathered = TableGatherer(checker.store.table).gather(Claim("", "K2 is high."), hits)
    assert [each.id for each in gathered.tables] == [table.id]
    assert [element.id for element in gathered.elements] == [hit.element.id for hit in hits]
    assert gathered.ranked


def test_a_record_changes_with_how_answers_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "selector"
    shutil.copytree(folder_of("selector"), folder)
    settings = _settings(select={"model": str(folder)})
    with Checker.open(settings=settings) as first:
        before = dict(first.models)
    (folder / "card.toml").write_text((folder / "card.toml").read_text() + "\n# read otherwise\n")
    with Checker.open(settings=settings) as second:
        assert second.models != before


def test_what_is_far_from_the_best_is_found_but_not_read() -> None:
    def hit(kind: Kind, path: tuple[int, ...], score: float) -> Hit:
        return Hit(Element(ElementId("Page", kind, path), "text"), score, "selector")

    best, near, far = (hit(Kind.SENTENCE, (number,), score) for number, score in enumerate((0.8, 0.05, 0.03)))
    cell, lower = hit(Kind.CELL, (0, 1, 1), 0.7), hit(Kind.CELL, (0, 1, 2), 0.3)
    assert select_readable([best, cell, lower, near, far], 0.5) == [best, cell, near]
    assert select_readable([best, cell, far], 0) == [best, cell, far]
    assert select_readable([], 0.5) == []
