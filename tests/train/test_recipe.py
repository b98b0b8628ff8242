"""Recipes are read strictly: a wrong word is an error that says what was meant."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from veritab.errors import FormatError, InputError, NotFound
from veritab.train import recipe as recipes
from veritab.train.provenance import LICENCES, UNKNOWN, licence_of
from veritab.train.recipe import SYNTHETIC, SourceUse
from veritab.train.sources import SOURCES

STAGE: dict[str, Any] = {"name": "only", "sources": [{"name": "snli", "times": 2, "share": 0.5}]}
TOLD: dict[str, Any] = {"job": "verdict", "base": "somewhere", "stage": [STAGE]}


def test_keys_become_fields_and_other_keys_of_a_source_its_options() -> None:
    made = recipes.parse_recipe({**TOLD, "quantise": {"bits": 4, "from": 0.5, "embeddings": True}}, "mine")
    assert (made.name, made.stages[0].sources[0].times) == ("mine", 2)
    assert made.stages[0].sources[0].options == {"share": 0.5}
    assert made.quantise is not None
    assert (made.quantise.start, made.quantise.embeddings) == (0.5, 4)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({**TOLD, "bacth": 3}, "'bacth' in the recipe.*did you mean 'batch'"),
        ({**TOLD, "stages": []}, r"did you mean \[\[stage\]\]"),
        ({**TOLD, "job": "verdicts"}, "job is 'verdicts'.*did you mean 'verdict'"),
        ({**TOLD, "stage": []}, "has no"),
        ({**TOLD, "stage": [{**STAGE, "epochs": 0}]}, "epochs is 0"),
        ({**TOLD, "stage": [{**STAGE, "rates": 1.0}]}, "'rates' in the stage 'only'.*did you mean 'rate'"),
        ({**TOLD, "stage": [{**STAGE, "quantised": True}]}, "quantised"),
        ({**TOLD, "batch": "many"}, "batch in the recipe is 'many'; expected int"),
        ({**TOLD, "batch": True}, "batch in the recipe is True"),
        ({**TOLD, "quantise": {"bits": 3}}, "bits is 3; expected one of 4, 8"),
        ({**TOLD, "quantise": {"start": 0.3}}, "did you mean 'from'"),
        ({**TOLD, "average": 2.0}, "average is 2.0; expected a share"),
        ({**TOLD, "stage": [{**STAGE, "sources": [{"name": "fm2/dev"}]}]}, r"'fm2/dev' is only measured"),
        ({**TOLD, "two_way": -0.5}, "two_way is -0.5; expected 0 or more"),
        ({**TOLD, "adversarial": -1}, "adversarial is -1; expected 0 or more"),
        ({**TOLD, "job": "encoder", "teacher": {"run": "x"}}, "cannot be distilled"),
        ({"job": "verdict", "stage": [STAGE]}, "has no base"),
        ({**TOLD, "base": "random:huge"}, "no base 'random:huge'; known is random:tiny"),
        ({**TOLD, "max_length": 7}, "max_length is 7; expected 8 to 8192"),
        ({**TOLD, "max_length": 8193}, "max_length is 8193; expected 8 to 8192"),
        ({**TOLD, "seed": -1}, "seed is -1; expected 0 or more"),
        ({**TOLD, "clip": 0}, "clip is 0; expected more than 0"),
        ({**TOLD, "negatives": 0}, "negatives is 0; expected 1 or more"),
        ({**TOLD, "layers": 3}, "layers is 3; expected a list of whole numbers"),
        ({**TOLD, "layers": [0, -1]}, "expected a list of whole numbers, 0 or more"),
        ({**TOLD, "layers": [0.5]}, "expected a list of whole numbers"),
        ({**TOLD, "layers": [True]}, "expected a list of whole numbers"),
        ({**TOLD, "stage": [{**STAGE, "epochs": math.inf}]}, "epochs is inf; expected a finite number"),
        ({**TOLD, "stage": [{**STAGE, "epochs": math.nan}]}, "epochs is nan"),
        ({**TOLD, "stage": [{**STAGE, "rate": math.inf}]}, "rate is inf; expected a finite number"),
        *(
            ({**TOLD, "measure": {"sources": [{"name": SYNTHETIC, "count": count}]}}, "count of synthetic is .*whole")
            for count in (0, 2.5, "many", True)
        ),
        ({**TOLD, "measure": {"sources": "snli"}}, "expected a list of tables"),
    ],
)
def test_a_wrong_word_is_named_with_what_was_meant(told: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recipes.parse_recipe(told)


def test_a_bare_name_is_a_recipe_that_ships_and_anything_else_a_path(tmp_path: Path) -> None:
    assert recipes.find("tiny").parent == recipes.SHIPPED
    own = tmp_path / "own.toml"
    own.write_text('job = "verdict"\n')
    assert recipes.find(str(own)) == own
    with pytest.raises(NotFound, match="did you mean 'tiny'"):
        recipes.find("tinny")


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("job =")
    with pytest.raises(FormatError, match=r"own\.toml"):
        recipes.read(tmp_path / "own.toml")


def test_toml_that_is_nested_too_deeply_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(f"job = {'[' * 50_000}{']' * 50_000}")
    with pytest.raises(FormatError, match=r"own\.toml' is nested too deeply"):
        recipes.read(tmp_path / "own.toml")


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ({"quantise": {"loud": 8}}, "'loud' in .quantise. is called 'outliers' now"),
        ({"measure": {"sources": [{"name": "joined"}]}}, "source 'joined' is called 'conjunctions' now"),
        ({"measure": {"sources": [{"name": "invented"}]}}, "source 'invented' is called 'synthetic' now"),
    ],
)
def test_old_names_are_refused_with_the_new_ones(old: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recipes.parse_recipe({**TOLD, **old})


def test_the_teacher_of_fast_has_met_all_that_fast_learns_from() -> None:
    student, teacher = (recipes.read(recipes.find(name)) for name in ("fast", "verdict"))
    met = {source.key(teacher.seed) for source in teacher.trained_on}
    assert [source.title for source in student.trained_on if source.key(student.seed) not in met] == []
    assert teacher.keep_logits


def test_every_recipe_for_a_network_that_ships_can_be_read() -> None:
    for path in recipes.shipped().values():
        assert recipes.read(path).stages


def test_the_licence_of_everything_that_shipped_recipes_train_on_is_known() -> None:
    known = [recipes.read(path) for path in recipes.shipped().values()]
    used = {source.name for recipe in known for source in recipe.trained_on}
    assert {name for name in used if licence_of(name, {}) == UNKNOWN} == set()
    trainable = {name for job in SOURCES.values() for name in job if not recipes.is_only_measured(name)}
    assert set(LICENCES) == trainable | {SYNTHETIC}


def test_a_recipe_can_tell_the_licence_of_a_source() -> None:
    assert licence_of("mine", {"mine": "CC0"}) == "CC0"
    assert licence_of("mine", {}) == UNKNOWN


def test_prepared_files_are_called_after_what_was_asked_for() -> None:
    plain = SourceUse("fever/dev")
    assert plain.key(0) == SourceUse("fever/dev", times=3).key(0)
    others = {SourceUse("fever/dev", at_most=3).key(0), SourceUse("fever/dev", options={"a": 1}).key(0), plain.key(1)}
    assert len(others | {plain.key(0)}) == 4
    assert "/" not in plain.key(0)
