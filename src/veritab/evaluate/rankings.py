"""Files of rankings: TREC runs, and the lists that pipelines keep between their stages, matched with the gold by id.

{"id", "predicted_pages": [["K2", 0.9], ...]}                     or titles alone
{"id", "predicted_sentences": [["K2", 3], ...]}                   or ["K2", "sentence_3"]
{"id", "predicted_tables": [["K2", "table_1"], ...]}
{"id", "predicted_evidence": [["K2", "cell", "1_2_0"], ...]}      or element ids, or ["K2", 3]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from veritab.corpus.fever import title_of
from veritab.errors import InputError, short_repr
from veritab.evaluate.issues import BadPredictions, LineIssue
from veritab.evaluate.json_records import id_in, records_in
from veritab.evaluate.levels import Level, RankedItem
from veritab.evaluate.predictions import Missing, Unknown
from veritab.evaluate.trec import run_in
from veritab.schema import ElementId, Kind

_PAGES = "predicted_pages"
_ELEMENTS = ("predicted_evidence", "predicted_sentences", "predicted_tables")
_EXAMPLE = '{"id": 1, "predicted_pages": [["K2", 0.9]]}'


class MatchedRankings(NamedTuple):
    """What was found for each claim of the gold, by id; and what a reader should know about the file."""

    rankings: dict[str, list[RankedItem]]
    notes: list[str]


def rankings_in(
    data: bytes,
    name: str,
    gold_ids: Sequence[str],
    level: Level,
    *,
    missing: Missing = "fail",
    unknown: Unknown = "fail",
    fever: bool = False,
) -> MatchedRankings:
    """Read rankings for a level; `name` is what a message calls the file.

    `fever` says that pages are named as FEVER names them (Soul_Food_-LRB-film-RRB-).
    """
    faults, notes = list[LineIssue](), list[str]()
    if _is_json(data):
        found = _from_records(data, name, level, faults, fever=fever)
    else:
        # A run has no line for a claim that nothing was found for.
        missing = "wrong" if missing == "fail" else missing
        found = _from_run(data, name, level, faults, fever=fever)
    if not found and not faults:
        raise InputError(f"{name} holds no rankings; expected lines such as {_EXAMPLE}, or a TREC run")
    strangers = sorted(found.keys() - set(gold_ids))
    bare = [id for id in gold_ids if id not in found]
    if unknown == "fail":
        remedy = "take it out, give the gold that has it, or score with --unknown skip"
        faults += (LineIssue("unknown", 0, f"the gold has no claim {id!r}; {remedy}") for id in strangers)
    elif strangers:
        notes.append(f"rankings for claims that the gold does not have: {len(strangers):,}; {_DONE['skip']}")
    if missing == "fail":
        remedy = "add one, or score with --missing wrong or --missing skip"
        faults += (LineIssue("missing", 0, f"the claim {id!r} has no ranking; {remedy}") for id in bare)
    elif bare:
        notes.append(f"claims without a ranking: {len(bare):,}; {_DONE[missing]}")
    if faults:
        raise BadPredictions(name, faults)
    kept = gold_ids if missing == "wrong" else [id for id in gold_ids if id in found]
    return MatchedRankings({id: found.get(id, []) for id in kept}, notes)


_DONE = {"wrong": "nothing was found for them", "skip": "they were left out of the scoring"}


def _is_json(data: bytes) -> bool:
    return data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))


def _from_run(
    data: bytes, name: str, level: Level, faults: list[LineIssue], *, fever: bool
) -> dict[str, list[RankedItem]]:
    found: dict[str, list[RankedItem]] = {}
    for claim, documents in run_in(data, name).items():
        try:
            found[claim] = [_document(each, level, fever) for each in documents]
        except InputError as error:
            found[claim] = []
            faults.append(LineIssue("ranking", 0, f"the ranking of claim {claim!r}: {error}"))
    return found


def _document(name: str, level: Level, fever: bool) -> RankedItem:
    """An element by its id; at the level of pages a title will do."""
    try:
        return _named(ElementId.parse(name), fever)
    except InputError:
        if level is not Level.PAGE:
            raise
    return title_of(name) if fever else name


def _from_records(
    data: bytes, name: str, level: Level, faults: list[LineIssue], *, fever: bool
) -> dict[str, list[RankedItem]]:
    read = records_in(data, name)
    faults += read.faults
    found: dict[str, list[RankedItem]] = {}
    lines: dict[str, int] = {}
    for line, record in read.records:
        id = id_in(record)
        if not id:
            faults.append(LineIssue("no id", line, f"no id that is a number or a text; expected e.g. {_EXAMPLE}"))
        elif id in found:
            faults.append(
                LineIssue("doubled", line, f"the id {id!r} was already on line {lines[id]}; keep one of the two")
            )
        else:
            lines[id] = line
            try:
                found[id] = _ranking(record, level, fever)
            except InputError as error:
                found[id] = []
                faults.append(LineIssue("ranking", line, str(error)))
    return found


def _ranking(record: Mapping[str, Any], level: Level, fever: bool) -> list[RankedItem]:
    """What a record ranks, for a level: pages have a list of their own, else they are derived from the elements."""
    if level is Level.PAGE and _PAGES in record:
        return [_page(each, fever) for each in _listed(record, _PAGES)]
    keys = [key for key in _ELEMENTS if key in record]
    if not keys:
        wanted = " or ".join((_PAGES, *_ELEMENTS) if level is Level.PAGE else _ELEMENTS)
        raise InputError(f"no {wanted}; expected e.g. {_EXAMPLE}")
    # The evidence is what the other two were put together to.
    keys = keys[:1] if keys[0] == _ELEMENTS[0] else keys
    return [_element(each, fever) for key in keys for each in _listed(record, key)]


def _listed(record: Mapping[str, Any], key: str) -> list[Any]:
    if not isinstance(record[key], list):
        raise InputError(f"{key} is {short_repr(record[key])}; expected a list, the best first")
    return list(record[key])


def _page(given: Any, fever: bool) -> RankedItem:
    title = given[0] if isinstance(given, list) and given else given
    if not isinstance(title, str) or not title_of(title):
        raise InputError(f"{short_repr(given)} is not a page; expected a title, or a title and a score: ['K2', 0.9]")
    return title_of(title) if fever else title


def _element(given: Any, fever: bool) -> RankedItem:
    if isinstance(given, str):
        return _named(ElementId.parse(given), fever)
    if isinstance(given, list) and 2 <= len(given) <= 3 and isinstance(given[0], str):
        page, kind, *position = given
        if type(kind) is int and not position and kind >= 0:
            return ElementId(title_of(page) if fever else page, Kind.SENTENCE, (kind,))
        if isinstance(kind, str) and all(isinstance(each, str) for each in position):
            return _named(ElementId.parse("_".join((page, kind, *position))), fever)
    raise InputError(
        f"{short_repr(given)} is not an element; expected e.g. ['K2', 3], ['K2', 'cell', '1_2_0'] or 'K2_sentence_3'"
    )


def _named(id: ElementId, fever: bool) -> ElementId:
    """The element, its page named as our corpora name it."""
    return ElementId(title_of(id.page), id.kind, id.path) if fever else id
