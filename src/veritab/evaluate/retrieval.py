"""How well rankings find the evidence of claims: figures with intervals, comparisons, and TREC files.

Gold is what an `Example` holds: evidence sets, any one of which is enough. A `Level` says what is looked for (pages,
tables, sentences, cells, ...): gold and ranking are both brought to that level first, what does not belong there takes
no rank, and what is ranked twice counts once, where it is first. For one claim and its gold sets at that level:

    hit@k            1 if anything of any set is among the first k
    recall@k         the largest share of one set that is among the first k
    full_coverage@k  1 if some set lies wholly among the first k
    r_precision      KILT's: the largest, over the sets, of |first R and set| / R, where R is the size of that set
    RR, Rprec, P@k…  trec_eval's, by their ir-measures names; gold is the union of the sets (optional)

Unscored is not zero. A claim is left out, and counted as left out, when its evidence is silver, when it has none, or
when one of its sets asks for nothing at the level: then the claim can be settled without it.
"""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias
from urllib.parse import quote, unquote

from veritab.errors import FormatError, InputError, MissingExtra, NotFound
from veritab.schema import ElementId, EvidenceSet, Example, Hit, Kind
from veritab.text import nfc

if TYPE_CHECKING:
    import numpy

Ranked: TypeAlias = Hit | ElementId | str
"""Something that was found. A text is an element id; at the level of pages it may also be a title."""
Ranking: TypeAlias = Sequence[Ranked]
Rankings: TypeAlias = Sequence[Ranking] | Mapping[str, Ranking]
"""One ranking per example, in the same order; or by claim id, where a claim without a ranking found nothing."""
Key: TypeAlias = ElementId | str

RESAMPLES = 1000
SEED = 0
_Z = NormalDist().inv_cdf(0.975)

# -- levels ------------------------------------------------------------------------------------------------


class Level(StrEnum):
    """What is looked for: whole pages or tables, or elements as they are.

    `SENTENCE` is sentences alone, `TEXT` also items and passages; `CELL` is cells and header cells.
    """

    PAGE = "page"
    TABLE = "table"
    SENTENCE = "sentence"
    TEXT = "text"
    CELL = "cell"
    ELEMENT = "element"


_TABLE_KINDS = frozenset({Kind.TABLE, Kind.TABLE_CAPTION, Kind.HEADER_CELL, Kind.CELL})
_KEPT = {
    Level.SENTENCE: frozenset({Kind.SENTENCE}),
    Level.TEXT: frozenset({Kind.SENTENCE, Kind.ITEM, Kind.PASSAGE}),
    Level.CELL: frozenset({Kind.CELL, Kind.HEADER_CELL}),
    Level.ELEMENT: frozenset(Kind),
}


def project(found: Ranked, level: Level) -> Key | None:
    """What something found is at a level: a page title, a table, the element itself; None if it has no place there."""
    if level is Level.PAGE:
        return _page(found)
    id = _element_id(found)
    if level is Level.TABLE:
        return ElementId(id.page, Kind.TABLE, id.path[:1]) if id.kind in _TABLE_KINDS else None
    return id if id.kind in _KEPT[level] else None


def _element_id(found: Ranked) -> ElementId:
    if isinstance(found, Hit):
        return found.element.id
    return found if isinstance(found, ElementId) else ElementId.parse(found)


def _page(found: Ranked) -> str:
    try:
        return _element_id(found).page
    except InputError:
        return nfc(str(found))


def _gold_sets(example: Example, level: Level) -> list[frozenset[Key]]:
    return [frozenset(key for id in gold if (key := project(id, level)) is not None) for gold in example.evidence]


def _is_scored(example: Example, sets: Sequence[frozenset[Key]]) -> bool:
    return bool(sets) and all(sets) and not example.silver


# -- results -----------------------------------------------------------------------------------------------


class Figure(NamedTuple):
    """A mean over claims with its 95 % interval, and how that was made: `wilson` or `bootstrap` (percentiles)."""

    value: float
    low: float
    high: float
    method: str

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """What one system's rankings are worth at one level, in all and claim by claim.

    `claims` are the ids of the scored ones, in order; `values` holds one number for each of them under every figure.
    `silver` of the claims `left_out` were so because their evidence was found rather than annotated.
    """

    level: Level
    figures: Mapping[str, Figure]
    left_out: int = 0
    silver: int = 0
    claims: tuple[str, ...] = field(default=(), repr=False)
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict, repr=False)

    def figure(self, name: str) -> Figure:
        """The figure of that name."""
        if name in self.figures:
            return self.figures[name]
        known = ", ".join(self.figures) or f"none, for all {self.left_out} claims were left out"
        raise NotFound(f"there is no figure {name!r} here; the figures are: {known}")

    def as_rows(self) -> list[tuple[str, float, float, float, str]]:
        """Name, value, low, high and method of every figure."""
        return [(name, *figure) for name, figure in self.figures.items()]

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON, without the claims one by one."""
        return {
            "level": str(self.level),
            "n": len(self.claims),
            "left_out": self.left_out,
            "silver": self.silver,
            "figures": {name: figure.value for name, figure in self.figures.items()},
            "intervals": {
                name: {"low": figure.low, "high": figure.high, "method": figure.method}
                for name, figure in self.figures.items()
            },
        }


def as_table(columns: Mapping[str, RetrievalScores]) -> str:
    """Several results (systems, slices, levels) side by side, in Markdown; a dash where there is no figure."""
    names = dict.fromkeys(name for scores in columns.values() for name in scores.figures)
    lines = [_row("figure", columns), _row("---", ["---"] * len(columns))]
    for name in names:
        lines.append(_row(name, (str(scores.figures.get(name, "–")) for scores in columns.values())))
    lines.append(_row("claims scored", (str(len(scores.claims)) for scores in columns.values())))
    lines.append(_row("claims left out", (str(scores.left_out) for scores in columns.values())))
    return "\n".join(lines)


def _row(first: str, others: Iterable[str]) -> str:
    return f"| {' | '.join((first, *others))} |"


# -- evaluating --------------------------------------------------------------------------------------------


class _Judged(NamedTuple):
    """A claim's ranking beside its gold: for each gold set its size and, ascending, the ranks where it was found."""

    claim: str
    sizes: tuple[int, ...]
    ranks: tuple[tuple[int, ...], ...]
    gold: int
    depth: int

    def recall(self, k: int) -> float:
        return max(bisect_right(found, k) / size for size, found in zip(self.sizes, self.ranks, strict=True))

    def hit(self, k: int) -> float:
        return float(any(found and found[0] <= k for found in self.ranks))

    def full_coverage(self, k: int) -> float:
        return float(self.recall(k) == 1)

    def r_precision(self) -> float:
        return max(bisect_right(found, size) / size for size, found in zip(self.sizes, self.ranks, strict=True))


def evaluate_rankings(
    examples: Sequence[Example],
    rankings: Rankings,
    level: Level = Level.PAGE,
    at: Sequence[int] = (1, 5, 10),
    *,
    trec: Sequence[str] = (),
) -> RetrievalScores:
    """Score rankings against gold evidence at a level; `trec` names further measures, e.g. `trec_measures(at)`."""
    if any(k < 1 for k in at):
        raise InputError(f"figures are taken at ranks from 1 upwards, not at {tuple(at)}")
    judged = []
    for example, ranking in _aligned(examples, rankings):
        sets = _gold_sets(example, level)
        if _is_scored(example, sets):
            # Nothing behind the last cut-off and the largest set can matter, but to trec_eval.
            depth = None if trec else max(*at, *map(len, sets), 0)
            judged.append(_judge(example, sets, _ranks(ranking, level, depth)))
    columns: dict[str, list[float]] = {}
    for k in at:
        columns[f"hit@{k}"] = [each.hit(k) for each in judged]
        columns[f"recall@{k}"] = [each.recall(k) for each in judged]
        columns[f"full_coverage@{k}"] = [each.full_coverage(k) for each in judged]
    columns["r_precision"] = [each.r_precision() for each in judged]
    columns |= _trec_columns(judged, trec)
    return _summary(level, examples, [each.claim for each in judged], columns)


def evaluate_slices(
    examples: Sequence[Example],
    rankings: Rankings,
    key: Callable[[Example], str],
    level: Level = Level.PAGE,
    at: Sequence[int] = (1, 5, 10),
    *,
    trec: Sequence[str] = (),
) -> dict[str, RetrievalScores]:
    """The same figures for each group of examples that share a key, in the order of the keys."""
    groups: dict[str, tuple[list[Example], list[Ranking]]] = {}
    for example, ranking in _aligned(examples, rankings):
        members, found = groups.setdefault(key(example), ([], []))
        members.append(example)
        found.append(ranking)
    return {name: evaluate_rankings(*groups[name], level, at, trec=trec) for name in sorted(groups)}


def by_challenge(example: Example) -> str:
    """A slice: the challenge its annotator saw in the claim."""
    return example.challenge or "none"


def by_pages(example: Example) -> str:
    """A slice: whether one page is enough to settle the claim."""
    if not example.evidence:
        return "no evidence"
    fewest = min(len({id.page for id in gold}) for gold in example.evidence)
    return "single page" if fewest <= 1 else "multiple pages"


def by_evidence(example: Example) -> str:
    """A slice: whether the claim's first evidence set holds text, parts of tables, or both."""
    tabular = {id.kind in _TABLE_KINDS for gold in example.evidence[:1] for id in gold}
    if not tabular:
        return "no evidence"
    return "text and tables" if len(tabular) == 2 else "tables" if True in tabular else "text"


# FEVEROUS counts these against one budget and everything else, known to it or not, against the other.
_CELL_BUDGET = frozenset({Kind.CELL, Kind.ITEM, Kind.TABLE_CAPTION, Kind.HEADER_CELL})


def evaluate_budget(
    examples: Sequence[Example], rankings: Rankings, *, sentences: int = 5, cells: int = 25
) -> RetrievalScores:
    """Recall and full coverage by what fits FEVEROUS's budget: 5 sentences, and 25 cells, items and captions.

    On FEVEROUS data the full coverage is the official evidence recall. As there, repetitions use up the budget.
    """
    claims, recalls = [], []
    for example, ranking in _aligned(examples, rankings):
        if _is_scored(example, _gold_sets(example, Level.ELEMENT)):
            within = _within_budget(ranking, sentences, cells)
            claims.append(example.claim.id)
            recalls.append(max(len(gold & within) / len(gold) for gold in example.evidence))
    columns = {
        f"recall@{sentences}+{cells}": recalls,
        f"full_coverage@{sentences}+{cells}": [float(recall == 1) for recall in recalls],
    }
    return _summary(Level.ELEMENT, examples, claims, columns)


def _within_budget(ranking: Ranking, sentences: int, cells: int) -> EvidenceSet:
    within = set()
    for found in ranking:
        id = _element_id(found)
        if id.kind in _CELL_BUDGET:
            cells -= 1
            fits = cells >= 0
        else:
            sentences -= 1
            fits = sentences >= 0
        if fits:
            within.add(id)
        elif cells <= 0 and sentences <= 0:
            break
    return frozenset(within)


def _aligned(examples: Sequence[Example], rankings: Rankings) -> Iterator[tuple[Example, Ranking]]:
    if isinstance(rankings, Mapping):
        unknown = rankings.keys() - {example.claim.id for example in examples}
        if unknown:
            raise InputError(f"there is a ranking for claim {min(unknown)!r}, which is not among the examples")
        rankings = [rankings.get(example.claim.id, ()) for example in examples]
    if len(rankings) != len(examples):
        raise InputError(f"{len(examples)} examples need as many rankings, not {len(rankings)}")
    for example, ranking in zip(examples, rankings, strict=True):
        if isinstance(ranking, str):
            raise InputError(f"a ranking is a list, not a text: {ranking!r}")
        yield example, ranking


def _ranks(ranking: Ranking, level: Level, depth: int | None) -> dict[Key, int]:
    """The rank of everything that has a place at a level, down to a depth."""
    ranks: dict[Key, int] = {}
    for found in ranking:
        if len(ranks) == depth:
            break
        key = project(found, level)
        if key is not None:
            ranks.setdefault(key, len(ranks) + 1)
    return ranks


def _judge(example: Example, sets: Sequence[frozenset[Key]], ranks: Mapping[Key, int]) -> _Judged:
    found = tuple(tuple(sorted(ranks[key] for key in gold if key in ranks)) for gold in sets)
    return _Judged(example.claim.id, tuple(map(len, sets)), found, len(frozenset().union(*sets)), len(ranks))


def _summary(
    level: Level, examples: Sequence[Example], claims: Sequence[str], columns: Mapping[str, Sequence[float]]
) -> RetrievalScores:
    left_out = len(examples) - len(claims)
    silver = sum(example.silver for example in examples)
    if not claims:
        return RetrievalScores(level, {}, left_out, silver)
    figures = {name: _figure(values) for name, values in columns.items()}
    kept = {name: tuple(values) for name, values in columns.items()}
    return RetrievalScores(level, figures, left_out, silver, tuple(claims), kept)


# -- trec_eval ---------------------------------------------------------------------------------------------

# trec_eval ends the whole process on a cut-off of 0, so names are checked here.
_MEASURE = re.compile(r"RR|Rprec|AP|nDCG|(?:RR|P|R|AP|nDCG|Success)@[1-9][0-9]*")


def trec_measures(at: Iterable[int] = (1, 5, 10)) -> tuple[str, ...]:
    """The usual measures of trec_eval: RR (its mean is MRR), Rprec, and P and R at some ranks."""
    return ("RR", "Rprec", *(f"{name}@{k}" for k in at for name in "PR"))


def _trec_columns(judged: Sequence[_Judged], names: Sequence[str]) -> dict[str, list[float]]:
    for name in names:
        if not _MEASURE.fullmatch(name):
            raise InputError(f"{name!r} is not a measure; use RR, Rprec, AP, nDCG, or P, R, Success with a rank: 'P@5'")
    if not names:
        return {}
    try:
        import ir_measures
    except ImportError:
        raise MissingExtra("computing the measures of trec_eval", "evaluate") from None
    # Numbers stand for claims and ranks for documents: titles may hold what C cannot.
    gold = {str(number): _trec_gold(each) for number, each in enumerate(judged)}
    run = {
        str(number): {str(rank): float(-rank) for rank in range(1, each.depth + 1)}
        for number, each in enumerate(judged)
    }
    measures = [ir_measures.parse_measure(name) for name in names]
    columns = {name: [0.0] * len(judged) for name in names}
    for metric in ir_measures.iter_calc(measures, gold, run) if judged else ():
        columns[str(metric.measure)][int(metric.query_id)] = metric.value
    return columns


def _trec_gold(judged: _Judged) -> dict[str, int]:
    found = {rank for ranks in judged.ranks for rank in ranks}
    missed = range(judged.depth + 1, judged.depth + 1 + judged.gold - len(found))
    return {str(rank): 1 for rank in (*sorted(found), *missed)}


# -- how sure a figure is ----------------------------------------------------------------------------------


def _figure(values: Sequence[float]) -> Figure:
    value = fmean(values)
    if all(each in (0, 1) for each in values):
        return Figure(value, *wilson(value, len(values)), "wilson")
    return Figure(value, *_bootstrap(values), "bootstrap")


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of n; all there is where n is nothing."""
    if not n:
        return 0.0, 1.0
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    margin = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return max(0.0, min(share, centre - margin)), min(1.0, max(share, centre + margin))


def _bootstrap(values: Sequence[float]) -> tuple[float, float]:
    import numpy

    distinct, counts = _distinct(values)
    # Drawing claims is drawing how often each value comes: the same distribution, and far fewer numbers.
    draws = numpy.random.default_rng(SEED).multinomial(len(values), counts / len(values), size=RESAMPLES)
    low, high = numpy.quantile(draws @ distinct / len(values), (0.025, 0.975))
    return float(low), float(high)


def _distinct(values: Sequence[float]) -> tuple[numpy.typing.NDArray[Any], numpy.typing.NDArray[Any]]:
    """The different values, rounding noise aside, and how often each occurs."""
    import numpy

    return numpy.unique(numpy.round(numpy.asarray(values, dtype=float), 12), return_counts=True)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same claims under one figure; the differences are second minus first.

    The 95 % interval is a paired bootstrap's, the p value (two-sided) that of a randomisation test which swaps
    the two systems claim by claim. `better`, `worse` and `same` count claims from the second system's side.
    """

    figure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    better: int
    worse: int
    same: int

    def __str__(self) -> str:
        change = f"{self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}], p = {self.p_value:.4f}"
        return f"{self.figure}: {self.first:.3f} -> {self.second:.3f}, {change}"

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def compare(first: RetrievalScores, second: RetrievalScores, figure: str) -> Comparison:
    """Whether two systems differ on one figure, claim by claim; both must have been scored on the same claims."""
    if (first.level, first.claims) != (second.level, second.claims):
        raise InputError("only results for the same claims at the same level can be compared; score both in one run")
    before, after = first.figure(figure).value, second.figure(figure).value
    pairs = zip(first.values[figure], second.values[figure], strict=True)
    differences = [right - left for left, right in pairs]
    better = sum(difference > 0 for difference in differences)
    worse = sum(difference < 0 for difference in differences)
    same = len(differences) - better - worse
    low, high = _bootstrap(differences)
    p_value = _randomisation(differences)
    return Comparison(figure, before, after, fmean(differences), low, high, p_value, better, worse, same)


def _randomisation(differences: Sequence[float]) -> float:
    """How often chance alone, giving each difference a sign, makes as much of a difference in all."""
    import numpy

    sizes, counts = _distinct([abs(difference) for difference in differences])
    observed = abs(math.fsum(differences))
    random = numpy.random.default_rng(SEED)
    extreme, rounds = 0, 10
    for _ in range(rounds):
        positive = random.binomial(counts, 0.5, size=(RESAMPLES, len(counts)))
        sums = (2 * positive - counts) @ sizes
        extreme += int(numpy.count_nonzero(numpy.abs(sums) >= observed - 1e-9))
    return (extreme + 1) / (rounds * RESAMPLES + 1)


# -- TREC files --------------------------------------------------------------------------------------------

# A byte order mark would be lost at the start of a file.
_NOT_IN_A_FIELD = re.compile(r"[\s%\ufeff]")


def write_run(path: Path | str, rankings: Mapping[str, Ranking], tag: str, level: Level | None = None) -> None:
    """Write rankings by claim id as a TREC run, as they are or brought to a level; repetitions are left out.

    trec_eval orders by score, not by rank. So hits keep their scores only where these descend from rank to rank;
    other rankings get whole numbers. White space and `%` in ids are percent-encoded.
    """
    with _written(Path(path)) as file:
        for claim, ranking in rankings.items():
            scored = _scored(ranking, level)
            for rank, (document, score) in enumerate(scored.items(), start=1):
                file.write(f"{_field(claim)} Q0 {_field(document)} {rank} {score!r} {_field(tag)}\n")


def write_qrels(path: Path | str, examples: Iterable[Example], level: Level = Level.ELEMENT) -> None:
    """Write the gold at a level as TREC judgements: the union of the evidence sets of each claim that is scored."""
    with _written(Path(path)) as file:
        for example in examples:
            sets = _gold_sets(example, level)
            if _is_scored(example, sets):
                for document in sorted(map(str, frozenset().union(*sets))):
                    file.write(f"{_field(example.claim.id)} 0 {_field(document)} 1\n")


def read_run(path: Path | str) -> dict[str, list[str]]:
    """Read a TREC run: by claim id, what was found, by descending score and, where scores are equal, by rank."""
    lines: dict[str, dict[str, tuple[float, int]]] = {}
    path = Path(path)
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    _read_line(line, f"{str(path)!r}, line {number}", lines)
    except FileNotFoundError:
        raise NotFound(f"no file {str(path)!r}; give a path that exists") from None
    except UnicodeDecodeError:
        raise FormatError(f"{str(path)!r} is not UTF-8 text, so it is not a TREC run") from None
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}") from None
    return {claim: sorted(found, key=found.__getitem__) for claim, found in lines.items()}


def _read_line(line: str, where: str, lines: dict[str, dict[str, tuple[float, int]]]) -> None:
    try:
        claim, _, document, rank, score, _ = line.split()
        order = (-float(score), int(rank))
        claim, document = unquote(claim, errors="strict"), unquote(document, errors="strict")
    except ValueError:
        raise FormatError(f"{where}: expected 'claim Q0 document rank score tag', not {line.strip()!r}") from None
    if math.isnan(order[0]):
        raise FormatError(f"{where}: the score is not a number")
    found = lines.setdefault(claim, {})
    if document in found:
        raise FormatError(f"{where}: {document!r} was already ranked for claim {claim!r}; rank it once")
    found[document] = order


def _scored(ranking: Ranking, level: Level | None) -> dict[str, float]:
    scores: dict[str, float] = {}
    for found in ranking:
        written: Ranked | None = found.element.id if isinstance(found, Hit) else found
        if level is not None:
            written = project(found, level)
        if written is not None:
            scores.setdefault(str(written), found.score if isinstance(found, Hit) else math.nan)
    if _descend(list(scores.values())):
        return scores
    return {document: float(len(scores) - before) for before, document in enumerate(scores)}


def _descend(scores: Sequence[float]) -> bool:
    # trec_eval keeps scores in 32 bits, where close ones become equal.
    return all(map(math.isfinite, scores)) and all(high > low for high, low in pairwise(array("f", scores)))


def _field(text: str) -> str:
    if not text:
        raise InputError("a TREC file cannot hold an empty id or tag; give it a name")
    return _NOT_IN_A_FIELD.sub(lambda match: quote(match[0]), text)


@contextmanager
def _written(path: Path) -> Iterator[TextIO]:
    """A text file that appears under its name when it is whole, and not at all when it is not."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        partial.replace(path)
    except UnicodeEncodeError as error:
        raise InputError(f"cannot write {error.object!r}, which has characters that are no text") from None
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}; name another place") from None
    finally:
        partial.unlink(missing_ok=True)
