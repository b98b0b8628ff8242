"""Features of a claim and the evidence that was read for it, which the combiner weighs.

What the reader thinks of all the evidence together, of the best few pieces and of the best alone; how well the reranker
thinks that the evidence fits; and slots: whether every name, number and word of the claim is in what was read, or a
rival in its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice

from veritab.decompose.statements import named_subject
from veritab.quantities import Date, NumberOrDate, Quantity, Range, agree, parse_quantities
from veritab.schema import CELLS, Claim, Evidence, Label, PieceReading, Reading
from veritab.text import STOP_WORDS, terms, word_spans, words
from veritab.verify.evidence import DESCRIPTION, NAMED, PRECEDING
from veritab.verify.number_forms import write_as_in, write_numbers

_LEAST_LOG = -6.0
_MOST_COUNT = 3.0
_LABELS = {Label.SUPPORTS: "supports", Label.REFUTES: "refutes", Label.NOT_ENOUGH_INFO: "not enough"}
_MOST_NUMBERS = 200
_NO_PIECE = {Label.SUPPORTS: 0.05, Label.REFUTES: 0.05, Label.NOT_ENOUGH_INFO: 0.9}
_NEGATIONS = frozenset("not no never none neither nor without cannot n't isn't wasn't didn't doesn't don't".split())


def extract_features(claim: Claim, evidence: Evidence, reading: Reading) -> dict[str, float]:
    """Every feature by its name; all are about as large as one."""
    scores = reading.scores or _NO_PIECE
    text = write_as_in(reading.text, write_numbers(claim.text))
    return {
        **{f"reader {name}": _log(scores[label]) for label, name in _LABELS.items()},
        **_few_features(reading.few.scores if reading.few else scores),
        **_piece_features(text, reading.pieces),
        **_reranker_features(evidence),
        **_slot_features(text, reading.text),
        **_computation_features(evidence),
    }


def _log(probability: float) -> float:
    return max(_LEAST_LOG, math.log(max(probability, 1e-9)))


def _few_features(scores: Mapping[Label, float]) -> dict[str, float]:
    """The best few pieces: what stands among many others is easily overlooked."""
    return {f"best pieces {name}": _log(scores[label]) for label, name in _LABELS.items()}


def _piece_features(claim: str, pieces: Sequence[PieceReading]) -> dict[str, float]:
    """The piece that says most of the claim, and the strongest support and refutation by any.

    A piece that speaks of something else than the claim says little, whatever it seems to say: so how many words and
    names of the claim the decisive piece lacks counts too.
    """
    decisive = min(pieces, key=lambda piece: piece.scores[Label.NOT_ENOUGH_INFO], default=PieceReading("", _NO_PIECE))
    supports = max((piece.scores[Label.SUPPORTS] for piece in pieces), default=_NO_PIECE[Label.SUPPORTS])
    refutes = max((piece.scores[Label.REFUTES] for piece in pieces), default=_NO_PIECE[Label.REFUTES])
    missing, unnamed, _ = _missing(claim, decisive.text)
    return {
        **{f"decisive piece {name}": _log(decisive.scores[label]) for label, name in _LABELS.items()},
        "decisive piece lacks words": missing,
        "decisive piece lacks names": min(_MOST_COUNT, unnamed) / _MOST_COUNT,
        "strongest support": _log(supports),
        "strongest refutation": _log(refutes),
    }


def _reranker_features(evidence: Evidence) -> dict[str, float]:
    """How well the best hits fit the claim, as the reranker sees it; evidence that a caller gives fits."""
    hits = [hit for hit in evidence.hits if hit.by not in (NAMED, DESCRIPTION, PRECEDING)] if evidence.ranked else []
    texts = sorted((hit.score for hit in hits if hit.element.kind not in CELLS), reverse=True)
    cells = [hit.score for hit in hits if hit.element.kind in CELLS]
    return {
        "best text": texts[0] if texts else 0.0,
        "second text": texts[1] if len(texts) > 1 else 0.0,
        "best cell": max(cells, default=0.0),
        "pages": min(_MOST_COUNT, len({hit.element.id.page for hit in hits})) / _MOST_COUNT,
    }


def _computation_features(evidence: Evidence) -> dict[str, float]:
    """Which way a computation leans that is not sure enough to decide."""
    computation = evidence.computation
    lean = 2 * computation.probability - 1 if computation else 0.0
    return {"computed support": max(0.0, lean), "computed refutation": max(0.0, -lean)}


# -- slots -------------------------------------------------------------------------------------------------


def _slot_features(claim: str, read: str) -> dict[str, float]:
    missing, unnamed, names = _missing(claim, read)
    absent, rivals, numbers = _number_slots(claim, read)
    subject = named_subject(claim)
    return {
        "words missing": missing,
        "names missing": min(_MOST_COUNT, unnamed) / _MOST_COUNT,
        "every name": float(bool(names) and not unnamed),
        "numbers missing": min(_MOST_COUNT, absent) / _MOST_COUNT,
        "every number": float(bool(numbers) and not absent),
        "rival numbers": min(_MOST_COUNT, rivals) / _MOST_COUNT,
        "subject missing": float(bool(subject) and not set(terms(read)).issuperset(terms(subject))),
        "negated": float(not _NEGATIONS.isdisjoint(claim.lower().split())),
        "long claim": min(1.0, len(words(claim)) / 30),
    }


def _missing(claim: str, read: str) -> tuple[float, int, int]:
    """The share of a claim's words that a text lacks, how many of its names, and how many names there are."""
    known = set(terms(read))
    content = [word for word in words(claim) if not STOP_WORDS.issuperset(words(word)) and terms(word)]
    missing = [word for word in content if not known.issuperset(terms(word))]
    names = _names(claim)
    unnamed = [name for name in names if not known.issuperset(terms(name))]
    return len(missing) / max(1, len(content)), len(unnamed), len(names)


def _names(claim: str) -> list[str]:
    """Words with a capital that are not the first of the claim, which may have one for that alone."""
    spans = word_spans(claim)
    found = (claim[start:end] for start, end in spans[1:])
    return [word for word in found if word[0].isupper() and word.lower() not in STOP_WORDS]


def _number_slots(claim: str, read: str) -> tuple[int, int, int]:
    """How many numbers of a claim are not in the evidence, for how many another of the same kind is, and how many."""
    own = _numbers(claim)
    if not own:
        return 0, 0, 0
    others = list(islice(_numbers(read), _MOST_NUMBERS))
    absent = [number for number in own if not any(agree(number, other) for other in others)]
    rivals = [number for number in absent if any(_same_kind(number, other) for other in others)]
    return len(absent), len(rivals), len(own)


def _numbers(text: str) -> list[NumberOrDate]:
    found: list[NumberOrDate] = []
    for each in parse_quantities(text):
        found += each.parts if isinstance(each, Range) else [each]
    return found


def _same_kind(one: NumberOrDate, other: NumberOrDate) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.unit == other.unit and one.ordinal == other.ordinal
    return isinstance(one, Date) and isinstance(other, Date)
