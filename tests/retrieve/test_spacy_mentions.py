"""A spaCy model names what a claim speaks of, for whoever takes a detector."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from veritab.corpus.almanac import open_almanac
from veritab.errors import InputError, MissingExtra
from veritab.papers.retrieval.configurations import retriever
from veritab.retrieve import PageRetriever, open_index
from veritab.retrieve.entity_mentions import spacy_mentions
from veritab.schema import Claim

CLAIM = Claim("1", "K2 in Nepal")


@pytest.fixture
def spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that stands for spaCy, with one model, which splits at "in"."""

    def load(model: str) -> object:
        if model != "en_core_web_sm":
            raise OSError("E050")
        return lambda text: SimpleNamespace(ents=[SimpleNamespace(text=word) for word in text.split(" in ")])

    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=load))


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"veritab\[spacy\]"):
        spacy_mentions()


@pytest.mark.usefixtures("spacy")
def test_a_model_that_is_not_there_says_how_to_get_it() -> None:
    with pytest.raises(InputError, match="python -m spacy download en_core_web_xx"):
        spacy_mentions("en_core_web_xx")


@pytest.mark.usefixtures("spacy")
def test_entities_are_mentions_for_any_retriever_that_takes_a_detector() -> None:
    detector = spacy_mentions()
    assert detector("K2 in Nepal") == ["K2", "Nepal"]
    with open_index() as index:
        (hits,) = PageRetriever(index, detector=detector).retrieve([CLAIM], 2)
    assert {hit.element.id.page for hit in hits} == {"K2", "Nepal"}


@pytest.mark.usefixtures("spacy")
def test_the_configurations_of_the_papers_take_it_too() -> None:
    with open_almanac() as store:
        (hits,) = retriever("feverous-pages", store, matcher=spacy_mentions()).retrieve([CLAIM], 2)
    assert {hit.by for hit in hits} == {"feverous-entity"}
