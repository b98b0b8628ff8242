"""The screens of verification: FEVEROUS's, FEVER's labelling, and plain claims with or without a rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from veritab.render.html import draw_runs, split_runs
from veritab.render.markup import Markup
from veritab.schema import Element, ElementId, Label
from veritab.studio.log import MOST_SETS
from veritab.studio.records import JsonObject
from veritab.studio.vocabulary import Challenge, ClaimRating, FalsehoodCause, SkipReason, SuggestionTime, TaskKind
from veritab.web.studio.afterwards import VERDICTS
from veritab.web.studio.browsing import ADDRESSES, introduce
from veritab.web.studio.screens import Screen, Work

MAIN_PAGE = "main"
"""The field that keeps which page a claim is about, where it was not written about one."""
_VERDICT_HELP = {
    Label.SUPPORTS: "The evidence shows every part of the claim to be true.",
    Label.REFUTES: "The evidence shows some part of the claim to be false.",
    Label.NOT_ENOUGH_INFO: "The pages do not settle it. Mark what you found on the way, if anything.",
}


class VerdictChoice(NamedTuple):
    """A verdict as it is offered."""

    value: str
    words: str
    help: str


_CHOICES = [VerdictChoice(label.value, words, _VERDICT_HELP[label]) for label, words in VERDICTS.items()]


def _show_verification(work: Work, _: Mapping[str, str]) -> JsonObject:
    is_feverous = work.kind is TaskKind.FEVEROUS_VERIFICATION
    return {
        "verdicts": _CHOICES,
        "asks_misled": is_feverous,
        "challenges": list(Challenge) if is_feverous else [],
        "ratings": list(ClaimRating) if work.kind is TaskKind.PLAIN_RATING else [],
        "causes": list(FalsehoodCause) if work.kind is TaskKind.PLAIN_RATING else [],
        "most_sets": work.visit.settings.most_sets,
        "suggestion": work.to("suggestion") if work.visit.settings.suggestion is SuggestionTime.FIRST else "",
    }


_VERIFICATION = Screen("work_verification.html", "Verify a claim", _show_verification, can_report=True)

# -- FEVER's labelling -------------------------------------------------------------------------------------


class MainSentence(NamedTuple):
    """A sentence of the main page's introduction, and the pages that it links to."""

    id: ElementId
    html: Markup
    links: Sequence[str]


def _show_labelling(work: Work, fields: Mapping[str, str]) -> JsonObject:
    title = work.highlight.page if work.highlight else fields.get(MAIN_PAGE, "")
    page = work.shelf.find(title) if title else None
    sentences = introduce(page).sentences if page else []
    return {
        "main": page.title if page else "",
        "sentences": [_show_sentence(sentence) for sentence in sentences],
        "most_sets": MOST_SETS,
        "suggestion": "",
    }


def _show_sentence(sentence: Element) -> MainSentence:
    html = draw_runs(split_runs(sentence.text, sentence.links, (), ADDRESSES))
    targets = dict.fromkeys(link.target for link in sentence.links if link.target != sentence.id.page)
    return MainSentence(sentence.id, html, list(targets))


SCREENS: Mapping[TaskKind, Screen] = {
    TaskKind.FEVEROUS_VERIFICATION: _VERIFICATION,
    TaskKind.PLAIN_VERIFICATION: _VERIFICATION,
    TaskKind.PLAIN_RATING: _VERIFICATION._replace(heading="Rate and verify a claim"),
    TaskKind.FEVER_LABELLING: Screen(
        "work_labelling.html", "Label a claim", _show_labelling, skip_reasons=tuple(SkipReason)
    ),
}
