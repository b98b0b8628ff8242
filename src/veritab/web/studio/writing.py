"""Screens on which claims are written: what is shown beside the fields, and what is told about each as it fills.

What somebody writes about is read from the corpus anew each time, by the addresses that the highlight keeps; what they
have written is the draft's, which the log gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple, TypeAlias

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from veritab.errors import InputError, NotFound
from veritab.render.html import anchor_name, draw_runs
from veritab.render.markup import Markup
from veritab.render.view import TextRun
from veritab.schema import Element, ElementId, Kind, Page, Sentence
from veritab.studio.advice import Advice, AdviceCode, advise
from veritab.studio.drawing import Prescription, SourceSentence, read_source_sentence
from veritab.studio.records import HighlightRecord, JsonObject, StudioClaimRecord, TaskRecord
from veritab.studio.submission import (
    FEVER_CLAIM_FIELDS,
    FEVEROUS_CLAIM_FIELDS,
    FEWEST_FEVER_CLAIMS,
    MUTATION_FIELDS,
)
from veritab.studio.vocabulary import (
    Challenge,
    ClaimType,
    HighlightKind,
    HighlightSkipReason,
    MutationType,
    PageRule,
    PrescribedTruth,
    SkipReason,
    TaskKind,
)
from veritab.web.studio.screens import Screen, Work, enter_work
from veritab.web.studio.sessions import Visit, look

LookUp: TypeAlias = Callable[[str], Page | None]
_LONGEST_FIELD = 10_000


class SentFields(BaseModel):
    """What stands in the fields now, whether it is saved yet or not."""

    model_config = ConfigDict(extra="forbid")

    fields: dict[str, Annotated[str, Field(max_length=_LONGEST_FIELD)]]


def add(router: APIRouter) -> None:
    """Add the advice that these screens ask for to the router."""

    @router.post("/p/{project}/task/{assignment}/advice")
    async def tell_advice(request: Request, project: str, assignment: int, sent: SentFields) -> Response:
        return await look(request, _advise, project, assignment, sent.fields)


def _advise(visit: Visit, project: str, number: int, fields: Mapping[str, str]) -> Response:
    work = enter_work(visit, project, number)
    if work.kind not in SCREENS:
        raise InputError(f"task {number} is to {work.kind.label.lower()}; advice is for claims that are written")
    found = advise_on_fields(work.kind, fields, _material_of(work))
    return JSONResponse({"advice": {name: advice_to_json(fields[name], advice) for name, advice in found.items()}})


def _material_of(work: Work) -> WritingMaterial:
    return read_material(work.kind, work.highlight, work.claim, work.shelf.find)


# -- what is written about ---------------------------------------------------------------------------------


class WritingMaterial(NamedTuple):
    """What somebody writes about."""

    title: str = ""
    """The page's; empty where a claim came from a file and belongs to none."""
    elements: tuple[ElementId, ...] = ()
    source: SourceSentence | None = None
    """FEVER's sentence, with its context and dictionary."""
    sentences: tuple[str, ...] = ()
    """What nobody may copy."""
    original: str = ""
    """The claim that is to be changed."""
    gone: str = ""
    """What to tell where the corpus has it no longer: the task can only be skipped."""


def read_material(
    kind: TaskKind, highlight: HighlightRecord | None, claim: StudioClaimRecord | None, look_up: LookUp
) -> WritingMaterial:
    """What a task is about, as the corpus has it."""
    original = claim.text if claim and kind is TaskKind.FEVER_MUTATIONS else ""
    if highlight is None:
        return WritingMaterial(original=original)
    try:
        return _read_highlight(kind, highlight, look_up)._replace(original=original)
    except NotFound:
        told = "the corpus does not have this page as it was drawn. Skip the task, and tell a manager."
        return WritingMaterial(highlight.page, original=original, gone="" if original else f"{highlight.page}: {told}")


def _read_highlight(kind: TaskKind, highlight: HighlightRecord, look_up: LookUp) -> WritingMaterial:
    ids = tuple(ElementId.parse(id) for id in highlight.elements["ids"])
    page = look_up(highlight.page)
    if page is None:
        raise NotFound(f"there is no page {highlight.page!r}")
    if kind is TaskKind.FEVEROUS_CLAIMS:
        for id in ids:
            page.table(id.path[0]) if id.kind is Kind.TABLE else page.element(id)
        return WritingMaterial(page.title, ids, None, tuple(_sentences_of(page)))
    source = read_source_sentence(page, ids[0], look_up)
    shown = (source.sentence, *source.before, *source.after, *(entry.sentence for entry in source.dictionary))
    return WritingMaterial(page.title, ids, source, tuple(element.text for element in shown))


def _sentences_of(page: Page) -> Iterator[str]:
    """All of a page: whoever goes beyond the highlight has no more use for a copied sentence."""
    return (block.text for block in page.blocks if type(block) is Sentence)


# -- advice ------------------------------------------------------------------------------------------------


def advise_on_fields(kind: TaskKind, fields: Mapping[str, str], material: WritingMaterial) -> dict[str, list[Advice]]:
    """What to tell about each field that has something in it; other fields than those of claims are left alone."""
    written = {name: text for name in claim_fields(kind) if (text := fields.get(name, "")).strip()}
    found = {}
    for name, text in written.items():
        others = [other for other_name, other in written.items() if other_name != name]
        found[name] = advise(
            text,
            title=material.title,
            sentences=material.sentences,
            others=[*others, material.original] if material.original else others,
            mutation=_discouraged(name, material.original),
        )
    return found


def claim_fields(kind: TaskKind) -> Sequence[str]:
    """The fields of a form that hold claims."""
    if kind is TaskKind.FEVER_MUTATIONS:
        return tuple(MUTATION_FIELDS.values())
    return FEVER_CLAIM_FIELDS if kind is TaskKind.FEVER_CLAIMS else FEVEROUS_CLAIM_FIELDS


def _discouraged(field: str, original: str) -> MutationType | None:
    """Negation, where "not" would give a change away (FEVER, 3.1): in a negation, and wherever the claim has none."""
    mutation = next((each for each, name in MUTATION_FIELDS.items() if name == field), None)
    if mutation in (None, MutationType.NEGATION):
        return mutation
    is_negated = any(one.code is AdviceCode.PLAIN_NEGATION for one in advise(original, mutation=MutationType.NEGATION))
    return mutation if is_negated else MutationType.NEGATION


def advice_to_json(text: str, found: Iterable[Advice]) -> list[JsonObject]:
    """Advice for a script, whose characters are UTF-16 units."""
    return [
        {
            "code": one.code.value,
            "message": one.message,
            "forbids": one.forbids,
            "span": [_count_units(text[:edge]) for edge in one.span] if one.span else None,
        }
        for one in found
    ]


def _count_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


# -- what the screens show ---------------------------------------------------------------------------------


class DictionaryView(NamedTuple):
    """An entry of the dictionary: the word of the sentence, the page behind it and what that begins with."""

    anchor: str
    term: str
    title: str
    sentence: str


class SourceView(NamedTuple):
    """The sentence that claims are written about; its words lead to their entries."""

    sentence: Markup
    text: str
    before: Sequence[str]
    after: Sequence[str]
    dictionary: Sequence[DictionaryView]


def view_source(source: SourceSentence) -> SourceView:
    """A source sentence for the eye."""
    entries = [
        DictionaryView(f"entry-{number}", entry.term, entry.sentence.id.page, entry.sentence.text)
        for number, entry in enumerate(source.dictionary, 1)
    ]
    return SourceView(
        draw_runs(_split_at_entries(source.sentence, {entry.title: entry.anchor for entry in entries})),
        source.sentence.text,
        [element.text for element in source.before],
        [element.text for element in source.after],
        entries,
    )


def _split_at_entries(sentence: Element, anchors: Mapping[str, str]) -> Iterator[TextRun]:
    at = 0
    for link in sentence.links:
        if link.target in anchors and link.start >= at:
            yield TextRun(sentence.text[at : link.start], False, "")
            yield TextRun(sentence.text[link.start : link.end], False, f"#{anchors[link.target]}")
            at = link.end
    yield TextRun(sentence.text[at:], False, "")


class MutationView(NamedTuple):
    """One of the six changes, with an example of our own for each."""

    field: str
    type: MutationType
    example: str


EXAMPLE_CLAIM = "The Danube flows through Vienna."
_EXAMPLES: Mapping[MutationType, str] = {
    MutationType.PARAPHRASE: "Vienna lies on the Danube.",
    MutationType.NEGATION: "The whole course of the Danube lies outside Vienna.",
    MutationType.SIMILAR_SUBSTITUTION: "The Danube flows through Prague.",
    MutationType.DISSIMILAR_SUBSTITUTION: "The Danube gave a waltz its name.",
    MutationType.SPECIFICATION: "The Danube flows through Vienna from northwest to southeast.",
    MutationType.GENERALISATION: "The Danube flows through a city in Austria.",
}
MUTATION_VIEWS = tuple(
    MutationView(field, mutation, _EXAMPLES[mutation]) for mutation, field in MUTATION_FIELDS.items()
)


class ClaimCard(NamedTuple):
    """One of the three claims about a highlight: what is asked of it, and the fields that take it."""

    type: ClaimType
    field: str
    challenge_field: str
    asked: str
    rule: str
    changes: str = ""
    """The field whose claim it is a change of."""


def view_cards(kind: HighlightKind, prescription: Prescription) -> tuple[ClaimCard, ClaimCard, ClaimCard]:
    """What is asked of the three claims, as it was drawn."""
    truth, page_rule, mutated, mutation = prescription
    first, second, third = FEVEROUS_CLAIM_FIELDS
    changed = first if mutated is ClaimType.HIGHLIGHT_ONLY else second
    return (
        ClaimCard(
            ClaimType.HIGHLIGHT_ONLY,
            first,
            "challenge-1",
            f"Write a claim that is {truth.value.upper()}.",
            f"{truth.help} {ClaimType.HIGHLIGHT_ONLY.help} {_JOINING[kind]}",
        ),
        ClaimCard(
            ClaimType.BEYOND_HIGHLIGHT,
            second,
            "challenge-2",
            page_rule.help,
            f"{ClaimType.BEYOND_HIGHLIGHT.help} The claim may be true or false.",
        ),
        ClaimCard(
            ClaimType.MUTATED,
            third,
            "challenge-3",
            f"Change claim {mutated.value}: {mutation.label.lower()}.",
            f"{mutation.help} The result may be true or false.",
            changed,
        ),
    )


_JOINING: Mapping[HighlightKind, str] = {
    HighlightKind.SENTENCES: "Join facts of at least two of the sentences.",
    HighlightKind.TABLE: "Join several cells where you can: compare, count, add, or look for the highest.",
}


def read_prescription(task: TaskRecord) -> Prescription:
    """What was drawn for a task."""
    drawn = task.drawn
    return Prescription(
        PrescribedTruth(drawn["truth"]),
        PageRule(drawn["page_rule"]),
        ClaimType(drawn["mutated"]),
        MutationType(drawn["mutation"]),
    )


# -- the three screens -------------------------------------------------------------------------------------


def _show_sentence(work: Work, fields: Mapping[str, str]) -> JsonObject:
    """FEVER's first step: true claims about one sentence."""
    material = _material_of(work)
    return {
        "material": material,
        "source": view_source(material.source) if material.source else None,
        "most_sets": 1,
        "written": [(name, fields.get(name, "")) for name in FEVER_CLAIM_FIELDS],
        "fewest": FEWEST_FEVER_CLAIMS,
    }


def _show_mutations(work: Work, fields: Mapping[str, str]) -> JsonObject:
    """FEVER's second step: a claim changed in six ways."""
    material = _material_of(work)
    return {
        "material": material,
        "source": view_source(material.source) if material.source else None,
        "most_sets": 1,
        "mutations": [(view, fields.get(view.field, "")) for view in MUTATION_VIEWS],
        "example": EXAMPLE_CLAIM,
    }


def _show_highlight(work: Work, fields: Mapping[str, str]) -> JsonObject:
    """FEVEROUS's three claims about a highlight."""
    material = _material_of(work)
    assert work.highlight is not None  # these tasks are drawn with one
    kind = HighlightKind(work.highlight.kind)
    return {
        "material": material,
        "most_sets": 1,
        "highlight": {"page": material.title, "anchors": [anchor_name(id) for id in material.elements]},
        "is_table": kind is HighlightKind.TABLE,
        "cards": view_cards(kind, read_prescription(work.task)),
        "fields": fields,
        "challenges": list(Challenge),
    }


def _sentences_not_to_copy(work: Work) -> Sequence[str]:
    return _material_of(work).sentences


_FAULTS_OF_CLAIMS = tuple(reason for reason in SkipReason if reason is not SkipReason.NOT_ENOUGH_INFORMATION)
SCREENS: Mapping[TaskKind, Screen] = {
    TaskKind.FEVER_CLAIMS: Screen(
        "write_sentence.html",
        "Write true claims about a sentence",
        _show_sentence,
        _sentences_not_to_copy,
        tuple(HighlightSkipReason),
    ),
    TaskKind.FEVER_MUTATIONS: Screen(
        "write_mutations.html",
        "Change a claim in six ways",
        _show_mutations,
        _sentences_not_to_copy,
        _FAULTS_OF_CLAIMS,
    ),
    TaskKind.FEVEROUS_CLAIMS: Screen(
        "write_highlight.html",
        "Write three claims about the highlight",
        _show_highlight,
        _sentences_not_to_copy,
        tuple(HighlightSkipReason),
    ),
}
