"""How long annotations took, and what was searched for them, worked out by hand."""

from __future__ import annotations

import pytest

from tests.studio.figures.samples import near
from veritab.studio.figures.effort import EffortCounter
from veritab.studio.figures.rows import OperationCounts, count_operations
from veritab.studio.figures.values import Figure


def test_operations_are_counted_by_feverous_names() -> None:
    operations = [
        ("start", "start"),
        ("search", "Chilestinians"),
        ("Now on", "undefined"),
        ("search", "Contains...the spring cup"),
        ("hyperlink", "Chile"),
        ("Page search", "1959"),
        ("Page search", "contains...nothing of the kind"),
        ("page-search-reset", "page-search-reset"),
        ("back-button-clicked", "back-button-clicked"),
        ("Highlighting", "Chile_sentence_0"),
        ("finish", "finish"),
    ]
    assert count_operations(operations) == OperationCounts(searches=2, full_text=1, hyperlinks=1, page_searches=2)


def test_annotations_of_over_twenty_minutes_are_counted_and_not_averaged() -> None:
    counter = EffortCounter()
    for seconds in (100.0, 200.4, 1200.0, 1200.1, 86_400.0):
        counter.add(seconds, None)
    effort = counter.result()
    assert effort.annotations == 5
    assert effort.seconds.value == pytest.approx((100 + 200.4 + 1200) / 3)
    assert effort.seconds.n == 3
    assert effort.median_seconds == near(200.4, 3)
    assert effort.too_long == 2


def test_the_median_of_an_even_number_lies_between_two() -> None:
    counter = EffortCounter()
    for seconds in (10.0, 20.0, 30.0, 1000.0):
        counter.add(seconds, None)
    assert counter.result().median_seconds.value == pytest.approx(25)


def test_searches_and_links_are_means_over_annotations_with_a_log() -> None:
    counter = EffortCounter()
    counter.add(None, OperationCounts(searches=3, full_text=1, hyperlinks=0, page_searches=2))
    counter.add(None, OperationCounts(searches=0, full_text=0, hyperlinks=1, page_searches=0))
    counter.add(50.0, None)
    effort = counter.result()
    assert effort.searches == Figure(1.5, 2)
    assert effort.full_text == Figure(0.5, 2)
    assert effort.hyperlinks == Figure(0.5, 2)
    assert effort.page_searches == Figure(1.0, 2)


def test_what_nobody_logged_is_unknown_and_not_nought() -> None:
    counter = EffortCounter()
    counter.add(2000.0, None)
    effort = counter.result()
    assert effort.seconds == Figure(None, 0, "no annotation of up to 1,200 seconds")
    assert effort.median_seconds.value is None
    assert effort.searches == Figure(None, 0, "no annotation with a log")
