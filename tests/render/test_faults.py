"""What is wrong with values that a program sent is told once for each place, in words that no library has."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from veritab.render.faults import describe_faults


def refuse_odd(value: int) -> int:
    if value % 2:
        raise ValueError("it is odd; give an even one")
    return value


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    rows: list[list[str | int | float | bool | None]] | list[str] = []
    kind: Literal["cell", "page"] = "cell"


class Sent(BaseModel):
    """One of everything that the API's shapes are made of."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field("x", min_length=1, max_length=5)
    count: int = Field(1, ge=1, le=9)
    even: Annotated[int, AfterValidator(refuse_odd)] = 0
    share: float = 0.5
    flag: bool = True
    inner: Inner = Inner()
    several: list[Inner] = Field([Inner()], min_length=1, max_length=2)
    must: str


def faults_of(sent: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        Sent.model_validate({"must": "x", **sent})
    return [(fault.where, fault.what) for fault in describe_faults(caught.value.errors(), {"must": "x", **sent}, ())]


@pytest.mark.parametrize(
    ("sent", "where", "what"),
    [
        ({"text": 5}, "text", "it is a number; expected a text"),
        ({"text": None}, "text", "it is null; expected a text"),
        ({"text": False}, "text", "it is false; expected a text"),
        ({"text": []}, "text", "it is a list; expected a text"),
        ({"text": {}}, "text", "it is an object; expected a text"),
        ({"text": ""}, "text", "it is empty; write something"),
        ({"text": "abcdefgh"}, "text", "it has 8 characters; at most 5 are read"),
        (
            {"text": "\ud800"},
            "text",
            "it holds half of a character (a lone surrogate), which no text has; leave it out",
        ),
        ({"count": "many"}, "count", "it is a text; expected a whole number"),
        ({"count": 1.5}, "count", "it is a number; expected a whole number"),
        ({"count": "9" * 5000}, "count", "it is a text; expected a whole number of fewer digits"),
        ({"count": float("nan")}, "count", "it is a number; expected a finite one"),
        ({"count": 0}, "count", "it is too small; give 1 or more"),
        ({"count": 10}, "count", "it is too large; give 9 or less"),
        ({"even": 3}, "even", "it is odd; give an even one"),
        ({"share": "half"}, "share", "it is a text; expected a number"),
        ({"flag": "maybe"}, "flag", "it is a text; expected true or false"),
        ({"inner": []}, "inner", "it is a list; expected an object"),
        ({"inner": {"kind": "leaf"}}, "inner.kind", "it is none of 'cell' or 'page'"),
        ({"inner": {"leaf": 1}}, "inner.leaf", "nothing of this name is known here; leave it out"),
        ({"several": {}}, "several", "it is an object; expected a list"),
        ({"several": []}, "several", "it is an empty list; give one at least"),
        ({"several": [{}] * 3}, "several", "it has 3 entries; at most 2 are read"),
        ({"several": [{}, 7]}, "several.1", "it is a number; expected an object"),
        (
            {"inner": {"rows": [["a", {}]]}},
            "inner.rows.0.1",
            "it is an object; expected a text, a number, true or false",
        ),
        ({"inner": {"rows": 7}}, "inner.rows", "it is a number; expected a list"),
    ],
)
def test_a_fault_is_told_at_its_place(sent: dict[str, Any], where: str, what: str) -> None:
    assert faults_of(sent) == [(where, what)]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ValidationError) as caught:
        Sent.model_validate({})
    assert [fault.where for fault in describe_faults(caught.value.errors(), {}, ())] == ["must"]


def test_several_faults_are_told_in_their_order() -> None:
    assert [where for where, _ in faults_of({"text": 5, "count": 0, "more": 1})] == ["text", "count", "more"]
