"""Transfer: grids are described, their sets keep apart what is tested, and what is fitted is scored."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.train import small_sets
from tests.train.small_transfer import grid_file, records, write
from veritab.build.elements import sentence
from veritab.datasets import DataFiles
from veritab.errors import InputError, NotFound
from veritab.evaluate.metrics import Metric
from veritab.schema import Element, ElementId
from veritab.train import recipe as recipes
from veritab.train.transfer import fitting
from veritab.train.transfer.fitting import fit_grid
from veritab.train.transfer.grid import (
    GridModel,
    Training,
    TransferGrid,
    TransferRun,
    make_grid,
    read_grid,
    split_names,
    toml_text,
)
from veritab.train.transfer.preparing import prepare_grid
from veritab.train.transfer.reporting import (
    MAJORITY,
    TransferReport,
    effect_rows,
    report_grid,
    summary_lines,
    table_rows,
    write_report,
)
from veritab.train.transfer.sets import FileSet, PagedExample, SetReader

# -- grids -------------------------------------------------------------------------------------------------


def test_a_training_is_read_and_written_alike() -> None:
    training = Training.parse("fever+built > vitaminc")
    assert training.stages == (("fever", "built"), ("vitaminc",))
    assert str(training) == "fever + built > vitaminc"
    assert str(training.parent) == "fever + built"
    assert str(training.without("built")) == "fever > vitaminc"
    assert Training.parse("built").without("built") is None


def test_every_training_goes_on_with_other_sets_and_is_also_done_with_built_claims() -> None:
    grid = TransferGrid(
        ("fever", "vitaminc"), ("fm2",), ("vitaminc",), built={"made": "m.jsonl"}, added=("before", "beside")
    )
    assert sorted(map(str, grid.trainings)) == [
        "fever",
        "fever + made",
        "fever + made > vitaminc",
        "fever > vitaminc",
        "made",
        "made > fever",
        "made > fever > vitaminc",
        "made > vitaminc",
        "vitaminc",
        "vitaminc + made",
    ]


def test_what_a_training_goes_on_from_is_fitted_before_it() -> None:
    grid = TransferGrid(("fever > vitaminc > infotabs",), ("fm2",), seeds=2, nei=("kept",))
    models = list(grid.models())
    assert [str(model.training) for model in models[:3]] == ["fever", "fever > vitaminc", "fever > vitaminc > infotabs"]
    assert [model.seed for model in models] == [0, 0, 0, 1, 1, 1]
    assert all(model.parent is None or model.parent in models[: models.index(model)] for model in models)


def test_the_recipe_of_a_model_is_the_same_from_its_file(tmp_path: Path) -> None:
    grid = TransferGrid(("fever > vitaminc + infotabs",), ("fm2",), rate=5e-5)
    model = GridModel(Training.parse("fever > vitaminc + infotabs"), "merged", 0)
    (tmp_path / "given.toml").write_text(toml_text(grid.recipe_values(model)))
    recipe = recipes.read(tmp_path / "given.toml")
    assert recipe == grid.recipe(model)
    assert recipe.merge_nei
    assert [source.name for source in recipe.trained_on] == ["vitaminc", "infotabs"]


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"train": ("fevr",), "test": ("fm2",)}, "no set 'fevr'.*did you mean 'fever'"),
        ({"train": ("fever",), "test": ("own",)}, "name its file: --file own=FILE"),
        ({"train": ("fever >",), "test": ("fm2",)}, "is no training; expected the name of a set"),
        ({"train": ("fever",), "test": ("fm2",), "nei": ("gone",)}, "nei is 'gone'; expected kept or merged"),
        ({"train": ("fever",), "test": ("fm2",), "added": ("after",)}, "expected before or beside"),
        ({"train": ("fever",), "test": ("fm2",), "built": {"fever": "x"}}, "cannot be called 'fever'"),
        ({"train": ("fever",), "test": ("fm2",), "seeds": 0}, "seeds is 0; expected 1 or more"),
        ({"train": ("fever",), "test": ("fm2",), "rate": -1.0}, "rate is -1.0; expected more than 0"),
        ({"train": (), "test": ("fm2",)}, "a grid needs something to train"),
        ({"train": ("fever",)}, "a grid needs something to test"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(values: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        make_grid(values)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("trian = ['fever']", "unknown key 'trian' in grid.toml; did you mean 'train'"),
        ("train = 3", "train in grid.toml is 3; expected a list of names"),
        ("built = 'x'", "built in grid.toml is 'x'; expected a table of names and files"),
        ("epochs = 'many'", "epochs in grid.toml is 'many'; expected float"),
        ("seeds = true", "seeds in grid.toml is True; expected int"),
        ("train", "is not TOML"),
    ],
)
def test_a_grid_file_that_is_off_says_where(tmp_path: Path, text: str, wrong: str) -> None:
    (tmp_path / "grid.toml").write_text(text)
    with pytest.raises(InputError, match=wrong):
        read_grid(tmp_path / "grid.toml")


def test_names_come_one_by_one_or_with_commas() -> None:
    assert split_names(["fever, fm2", "infotabs"]) == ("fever", "fm2", "infotabs")


# -- sets --------------------------------------------------------------------------------------------------


class _Corpus:
    def element(self, id: ElementId | str) -> Element:
        if str(id) != "Lyon_sentence_3":
            raise NotFound(f"no {id}")
        return sentence("Lyon", 3, "Lyon has two rivers.")


def _read(path: Path, data: Path | None = None) -> tuple[list[PagedExample], Counter[str]]:
    left_out: Counter[str] = Counter()
    return list(FileSet("mine", str(path), data, _Corpus()).read(left_out)), left_out


def _built(**more: Any) -> dict[str, Any]:
    record = {"id": "1", "claim": "Lyon has rivers.", "label": "SUPPORTS", "evidence": [], "challenge": ""}
    origin = {"source": "mine", "record": "1", "rule": "negate", "seed": 0}
    return {**record, "origin": origin, "silver": False, **more}


def test_built_claims_are_read_with_what_they_quote(tmp_path: Path) -> None:
    found, _ = _read(write(tmp_path / "built.jsonl", [_built(quotes=["Two rivers meet in Lyon."])]))
    assert [(each.pages, each.example.evidence) for each in found] == [((), "Two rivers meet in Lyon.")]


def test_built_claims_are_read_with_the_text_of_the_corpus(tmp_path: Path) -> None:
    evidence = [
        {"content": ["Gone_sentence_0"], "context": {}},
        {"content": ["Lyon_sentence_3"], "context": {"Lyon_sentence_3": ["Lyon_title"]}},
    ]
    found, _ = _read(write(tmp_path / "built.jsonl", [_built(evidence=evidence)]))
    assert [each.pages for each in found] == [("lyon",)]
    assert "Lyon has two rivers." in found[0].example.evidence


def test_built_claims_are_read_with_what_their_source_quotes_where_it_has_the_same_evidence(tmp_path: Path) -> None:
    data = small_sets.write(tmp_path / "sets")
    origin = {"source": "fever/train_pairs", "record": "2", "rule": "negate", "seed": 0}
    same = [{"content": ["Bruno Holm_sentence_7"], "context": {}}]
    other = [{"content": ["Bruno Holm_sentence_1"], "context": {}}]
    built = [_built(evidence=same, origin=origin), _built(id="2", evidence=other, origin=origin)]
    found, left_out = _read(write(tmp_path / "built.jsonl", built), data)
    assert [(each.pages, each.example.evidence) for each in found] == [
        (("bruno holm",), "Bruno Holm. Holm painted the bridge at dawn.")
    ]
    assert left_out == {"evidence without text": 1}


def test_claims_whose_label_is_unknown_are_left_out_and_counted(tmp_path: Path) -> None:
    built = [_built(quotes=["Yes."]), _built(id="2", label="unknown", quotes=["No."])]
    found, left_out = _read(write(tmp_path / "built.jsonl", built))
    assert len(found) == 1
    assert left_out == {"no label": 1}


def test_a_file_without_any_label_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "built.jsonl", [_built(label="unknown", quotes=["Yes."])])
    with pytest.raises(InputError, match=r"no claim of mine .* has a label"):
        _read(path)


def _reader(data: Path, files: dict[str, str], trained: Sequence[str], tested: Sequence[str]) -> SetReader:
    return SetReader(files, trained=trained, tested=tested, data=DataFiles(data), folder=data)


def test_pages_and_claims_that_are_tested_are_not_trained_on(tmp_path: Path) -> None:
    tested = records("own", 1, 60)
    shared = [{**tested[0], "claim": "Another claim sells tin."}, {**tested[1], "evidence": "elsewhere\tSalt."}]
    files = {
        "a": str(write(tmp_path / "a.jsonl", tested)),
        "b": str(write(tmp_path / "b.jsonl", [*shared, *records("other", 2, 20)])),
    }
    reader = _reader(tmp_path, files, ["b"], ["a"])
    parts = reader.tested("a", Counter())
    left_out: Counter[str] = Counter()
    assert len(list(reader.trained("b", left_out))) == 20
    assert left_out == {"on a page that is tested": 1, "a claim that is tested": 1}
    assert len(parts["tune"]) + len(parts["test"]) == 60
    assert len(parts["tune"]) < len(parts["test"])


def _of(claim: str, record: str, **more: Any) -> dict[str, Any]:
    """A claim that was built of another, without a page."""
    origin = {"source": "own.jsonl", "record": record, "rule": "negate", "seed": 0, "claim": claim}
    return _built(id=f"{record}-negate", claim=f"It is wrong that {claim}", quotes=["Yes."], origin=origin, **more)


def test_claims_built_of_a_tested_claim_are_not_trained_on_whatever_their_evidence(tmp_path: Path) -> None:
    tested = records("own", 1, 60)
    for each in tested:
        each["evidence"] = "\t" + each["evidence"].partition("\t")[2]
    again = _of("It is wrong that no page is named.", "x")
    again["origin"]["earlier"] = _of(tested[1]["claim"], "1")["origin"]
    mutated = [_of(tested[0]["claim"], "0"), again, _of("Lyon has no rivers.", "y")]
    files = {
        "a": str(write(tmp_path / "a.jsonl", tested)),
        "b": str(write(tmp_path / "b.jsonl", mutated)),
    }
    reader = _reader(tmp_path, files, ["b"], ["a"])
    reader.tested("a", Counter())
    left_out: Counter[str] = Counter()
    assert [each.claim for each in reader.trained("b", left_out)] == ["It is wrong that Lyon has no rivers."]
    assert left_out == {"of one origin with a claim that is tested": 2}


def test_a_claim_whose_mutations_are_tested_is_not_trained_on(tmp_path: Path) -> None:
    claims = [f"Lyon has {number} rivers." for number in range(40)]
    files = {
        "a": str(write(tmp_path / "a.jsonl", [_of(claim, str(place)) for place, claim in enumerate(claims)])),
        "b": str(
            write(tmp_path / "b.jsonl", [_built(claim=each, origin={"rule": "x"}, quotes=["No."]) for each in claims])
        ),
    }
    reader = _reader(tmp_path, files, ["b"], ["a"])
    reader.tested("a", Counter())
    assert not list(reader.trained("b", Counter()))


def test_the_pages_of_evidence_are_held_out_also_where_the_record_quotes_it(tmp_path: Path) -> None:
    evidence = [{"content": ["Lyon_sentence_3"], "context": {}}]
    tested = [_built(id=str(n), claim=f"Lyon {n}.", evidence=evidence, quotes=["Yes."]) for n in range(40)]
    tested += [
        _built(id=f"o{n}", claim=f"Own {n}.", quotes=[{"page": f"Own {n}", "section": "", "text": "No."}])
        for n in range(40)
    ]
    trained = [
        _built(claim="Paris.", evidence=evidence),
        _built(claim="Own.", quotes=[{"page": "Own 1", "text": "No."}]),
    ]
    files = {
        "a": str(write(tmp_path / "a.jsonl", tested)),
        "b": str(write(tmp_path / "b.jsonl", trained)),
    }
    reader = SetReader(files, trained=["b"], tested=["a"], data=DataFiles(tmp_path), folder=None, corpus=_Corpus())
    reader.tested("a", Counter())
    left_out: Counter[str] = Counter()
    assert not list(reader.trained("b", left_out))
    assert left_out == {"on a page that is tested": 2}


def test_a_file_that_is_trained_and_tested_on_is_split_by_page(tmp_path: Path) -> None:
    files = {"a": str(write(tmp_path / "a.jsonl", records("own", 1, 200)))}
    reader = _reader(tmp_path, files, ["a"], ["a"])
    tested = [each for part in reader.tested("a", Counter()).values() for each in part]
    left_out: Counter[str] = Counter()
    trained = list(reader.trained("a", left_out))
    assert len(tested) + len(trained) == 200
    assert not left_out
    assert not {each.evidence.partition(":")[0] for each in tested} & {
        each.evidence.partition(":")[0] for each in trained
    }


def test_the_sets_that_have_a_name_are_read_without_the_pages_that_are_tested(tmp_path: Path) -> None:
    data = small_sets.write(tmp_path / "sets")
    reader = _reader(data, {}, ["fever", "vitaminc"], ["vitaminc"])
    tested = [each for part in reader.tested("vitaminc", Counter()).values() for each in part]
    trained = [*reader.trained("fever", Counter()), *reader.trained("vitaminc", Counter())]
    assert {"Ada Almer travelled to Rome by ship.", "Bruno Holm painted a bridge."} <= {each.claim for each in trained}
    assert not any(each.claim == "Clara Galli sings." for each in trained)
    assert len(tested) + sum("choir" in each.claim for each in trained) == 60


def test_infotabs_is_tuned_on_its_development_tables(tmp_path: Path) -> None:
    reader = _reader(small_sets.write(tmp_path / "sets"), {}, ["infotabs"], ["infotabs"])
    parts = reader.tested("infotabs", Counter())
    assert [each.claim for each in parts["tune"]] == ["Grey Heron is green."]
    assert [each.claim for each in parts["test"]] == ["Nobody owns Grey Heron."]
    left_out: Counter[str] = Counter()
    assert not list(reader.trained("infotabs", left_out))
    assert left_out == {"on a page that is tested": 1}


def test_fool_me_twice_is_only_tested_where_its_training_claims_are_not_on_hand(tmp_path: Path) -> None:
    reader = _reader(small_sets.write(tmp_path / "sets"), {}, ["fm2"], ["vitaminc"])
    with pytest.raises(NotFound, match="fm2 has nothing to train on: fm2/train is not in the data folder"):
        list(reader.trained("fm2", Counter()))


# -- preparing, fitting, reporting -------------------------------------------------------------------------


def _prepared(folder: Path, **more: Any) -> TransferRun:
    run = TransferRun(folder / "run")
    prepare_grid(make_grid(read_grid(grid_file(folder, **more))), run, data=None, base=None)
    return run


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> TransferRun:
    run = _prepared(tmp_path_factory.mktemp("transfer"))
    events = list(fit_grid(run, base=None, device="cpu"))
    assert [event["event"] for event in events] == ["start", *["model"] * 10]
    return run


@pytest.fixture(scope="module")
def report(fitted: TransferRun) -> TransferReport:
    return report_grid(fitted)


def test_models_learn_what_they_are_trained_on(report: TransferReport) -> None:
    scores = {(each.training, each.nei, each.test): each for each in report.scores}
    for nei in ("kept", "merged"):
        majority, model = scores[MAJORITY, nei, "third"], scores["first > second", nei, "third"]
        assert model.accuracy.low > majority.accuracy.high
        assert model.accuracy.low <= model.accuracy.value <= model.accuracy.high
        assert model.macro_f1.method == "bootstrap"
        assert not model.trained_on


def test_gamma_is_told_where_there_are_two_labels_and_only_there(report: TransferReport) -> None:
    scores = {(each.training, each.nei, each.test): each for each in report.scores}
    assert scores["first", "kept", "third"].gamma is None
    for nei, test in (("kept", "two"), ("merged", "two"), ("merged", "third")):
        score = scores["first", nei, test]
        assert score.gamma is not None
        assert -1 < score.gamma.value < 1
        assert score.gamma.low <= score.gamma.high
        assert score.gamma_accuracy is not None
        assert score.gamma_macro_f1 is not None


def test_every_training_is_compared_with_itself_and_built_claims(report: TransferReport) -> None:
    pairs = {(each.training, each.with_built) for each in report.effects}
    assert pairs == {("first", "made > first"), ("first > second", "made > first > second")}
    by_accuracy = [each for each in report.effects if each.measure == "accuracy"]
    with_gamma = {(each.nei, each.test) for each in report.effects if each.measure == "gamma_accuracy"}
    assert len(by_accuracy) == 2 * 2 * 2
    assert with_gamma == {("kept", "two"), ("merged", "two"), ("merged", "third")}
    scores = {(each.training, each.nei, each.test): each for each in report.scores}
    for each in report.effects:
        for training, compared in ((each.training, each.comparison.first), (each.with_built, each.comparison.second)):
            assert getattr(scores[training, each.nei, each.test], each.measure).value == pytest.approx(compared)
    assert all(0 < each.comparison.p_value <= each.adjusted <= 1 for each in report.effects)
    counted = [(each["measure"], each["nei"], each["comparisons"]) for each in report.summary]
    assert counted[:2] == [("accuracy", "kept", 4), ("accuracy", "merged", 4)]
    assert counted[2:] == [("gamma_accuracy", "kept", 2), ("gamma_accuracy", "merged", 4)]
    assert "made, NEI kept, on sets that were not trained on: helps in" in summary_lines(report)[0]


def test_built_claims_that_are_tested_themselves_count_as_a_set_that_was_trained_on(tmp_path: Path) -> None:
    run = _prepared(tmp_path, nei=["merged"], then=[], epochs=0.2, test=["third", "made"])
    list(fit_grid(run, base=None, device="cpu"))
    assert {(each.test, each.trained_on) for each in report_grid(run).effects} == {("third", False), ("made", True)}


def test_a_report_has_tables_for_people_and_json_for_programs(report: TransferReport, tmp_path: Path) -> None:
    rows = table_rows(report, "merged", "accuracy")
    assert rows[0] == ["training", "third", "two"]
    assert [row[0] for row in rows[1:3]] == [MAJORITY, "first"]
    assert [row[1] for row in table_rows(report, "kept", "gamma")[1:]] == ["-"] * 5
    assert len(effect_rows(report.effects)) == 1 + len(report.effects)
    write_report(report, tmp_path / "report.json")
    kept = json.loads((tmp_path / "report.json").read_text())
    assert {"training", "nei", "test", "accuracy", "macro_f1", "gamma"} <= set(kept["scores"][-1])
    assert kept["sets"]["first"]["examples"] == 300


def test_what_is_fitted_is_not_fitted_again_and_keeps_no_weights(fitted: TransferRun) -> None:
    (start,) = fit_grid(fitted, base=None, device="cpu")
    assert (start["models"], start["fitted before"]) == (0, 10)
    assert not list(fitted.models.glob("*/trained"))


def test_a_grid_that_was_stopped_goes_on_where_it_stopped(tmp_path: Path) -> None:
    run = _prepared(tmp_path, nei=["kept"], train=["first > second"], then=[], epochs=0.5)
    events = fit_grid(run, base=None, device="cpu")
    next(events)
    assert next(events)["model"] == "first.kept.0"
    events.close()
    with pytest.raises(NotFound, match=r"4 of 5 models are not fitted.*--only fit"):
        report_grid(run)
    again = [event["model"] for event in fit_grid(run, base=None, device="cpu") if event["event"] == "model"]
    assert "first.kept.0" not in again
    assert len(again) == 4
    run.answers_of(GridModel(Training.parse("first > second"), "kept", 0)).unlink()
    # The weights it goes on from are gone, so that is fitted again, too.
    again = [event["model"] for event in fit_grid(run, base=None, device="cpu") if event["event"] == "model"]
    assert again == ["first.kept.0", "first-then-second.kept.0"]


def test_answers_of_another_make_are_not_reported(tmp_path: Path) -> None:
    options: dict[str, Any] = {"nei": ["merged"], "then": [], "epochs": 0.2}
    run = _prepared(tmp_path, **options)
    list(fit_grid(run, base=None, device="cpu"))
    assert report_grid(run).scores
    _prepared(tmp_path, **{**options, "epochs": 0.3})
    with pytest.raises(NotFound, match="3 of 3 models are not fitted"):
        report_grid(run)


def test_models_are_fitted_side_by_side_and_seeds_that_are_whole_are_reported(tmp_path: Path) -> None:
    run = _prepared(tmp_path, nei=["merged"], then=[], epochs=0.2, seeds=2)
    models = [event["model"] for event in fit_grid(run, base=None, device="cpu", processes=2) if "model" in event]
    assert len(models) == 6
    assert models.index("made.merged.0") < models.index("made-then-first.merged.0")
    assert report_grid(run).seeds == 2
    run.answers_of(GridModel(Training.parse("first"), "merged", 1)).unlink()
    report = report_grid(run)
    assert report.seeds == 1
    assert all(len(each.by_seed) == 1 for each in report.scores if each.training != MAJORITY)


def test_processes_share_the_cores_between_them() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(8)
        fitting.share_cores(3)
        assert torch.get_num_threads() == 2
        fitting.share_cores(3)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_preparing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in _prepared(tmp_path).prepared.glob("*.npz")}
    second = {path.name: path.read_bytes() for path in _prepared(tmp_path).prepared.glob("*.npz")}
    assert first.keys() == second.keys()
    for name in first:
        (tmp_path / "one.npz").write_bytes(first[name])
        (tmp_path / "other.npz").write_bytes(second[name])
        with np.load(tmp_path / "one.npz") as one, np.load(tmp_path / "other.npz") as other:
            assert all((one[key] == other[key]).all() for key in one.files)


def test_evidence_that_no_corpus_has_is_told_with_the_remedy(tmp_path: Path) -> None:
    evidence = [{"content": ["Gone_sentence_0"], "context": {"Gone_sentence_0": ["Gone_title"]}}]
    path = write(tmp_path / "mine.jsonl", [_built(evidence=evidence)])
    grid = make_grid({**read_grid(grid_file(tmp_path)), "built": {"mine": str(path)}})
    with pytest.raises(InputError, match=r"mine gives no examples \(evidence without text: 1\); say which corpus"):
        prepare_grid(grid, TransferRun(tmp_path / "run"), data=None, base=None)


def test_a_run_that_is_not_prepared_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no prepared grid in .*; prepare it first"):
        list(fit_grid(TransferRun(tmp_path), base=None))


def test_a_metric_of_the_report_is_kept_with_its_interval(report: TransferReport) -> None:
    kept = report.scores[-1].as_dict()["accuracy"]
    assert set(kept) == set(Metric._fields)
