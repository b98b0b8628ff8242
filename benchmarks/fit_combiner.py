"""Fits the combiner of a verdict model end to end, and writes it into the model's card.

    python -m benchmarks.fit_combiner FOLDER --pages CORPUS --collections CORPUS --corpus-r CORPUS_R [--sets ...]
    python -m benchmarks.fit_combiner FOLDER --fit [--model verdict]

The first collects features into FOLDER/*.jsonl: of claims that nothing was trained on and that are not reported, with
the evidence that the pipeline brings for them, and with their gold evidence. One corpus holds wiki/pages_html, one
the invented documents of the written claims. The second fits on all of them, prints accuracy by folds of pages, and
writes the card.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.check import fever_three_way
from benchmarks.corpus_r import FILES
from benchmarks.verdicts import EXAMS, find_evidence, read_claims
from veritab import Checker, Claim, ElementId, Label, Settings, open_corpus
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
from veritab.models.card import Card
from veritab.models.registry import folder_of
from veritab.retrieve.index import build_index
from veritab.schema import Decider, Evidence, Reading, Verdict
from veritab.train.sources.given import GIVEN
from veritab.verify.calibrate import LABELS
from veritab.verify.combine import BIAS, RETRIEVED, Combiner
from veritab.verify.combine import GIVEN as WITH_EVIDENCE
from veritab.verify.evidence import parse_evidence
from veritab.verify.features import extract_features
from veritab.verify.fit import fit_combiner
from veritab.verify.model import ModelVerifier

_ALONE = 1
_REPORTED = 1000
_FEVER = 1400
_FOLDS = 5
_WEIGHTS = {
    "almanac": 0.7,
    "more-almanac": 0.7,
    "almanac-given": 2.0,
    "documents": 2.0,
    "more-documents": 1.0,
    "documents-given": 0.5,
    "contrast": 1.0,
    "collections": 0.5,
    "written": 0.2,
    "fever": 0.3,
}
"""How much a claim of a set counts: claims as users type them count most, where there are few of them."""
_SHARES = {"SUPPORTS": 0.4, "REFUTES": 0.4, "NOT ENOUGH INFO": 0.2}
"""How often each label comes in ordinary use; the development claims over the almanac have fewer of the last."""
_CAUTION = 0.25
"""By how much the logit of SUPPORTS is lowered: a false claim called true is the worst mistake. What it brings and
costs is in docs/design/021-who-decides.md."""
_SHARED = ("almanac", "almanac-given")
_PENALTIES = (3.0, 10.0, 30.0, 100.0)
_PARTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_Row = dict[str, Any]
_Cited = list[tuple[_Row, list[ElementId]]]
"""Claims, each with the elements that its writer cites."""


class _Collector:
    """A decider that keeps the features of every claim and part it decides on."""

    def __init__(self, inner: Decider) -> None:
        self._inner = inner
        self.rows: list[_Row] = []

    def decide(
        self, claims: Sequence[Claim], evidence: Sequence[Evidence], readings: Sequence[Reading]
    ) -> list[Verdict]:
        verdicts = self._inner.decide(claims, evidence, readings)
        for claim, own, reading, verdict in zip(claims, evidence, readings, verdicts, strict=True):
            row: _Row = {"claim": claim.text, "computed": str(verdict.certificate.computed or "")}
            if reading.scores is not None:
                row["features"] = {k: round(v, 5) for k, v in extract_features(claim, own, reading).items()}
            self.rows.append(row)
        return verdicts


# -- collecting --------------------------------------------------------------------------------------------


def _pipeline(checker: Checker) -> _Collector:
    pipeline = checker.pipeline
    assert isinstance(pipeline.verify, ModelVerifier)
    collector = _Collector(pipeline.decide)
    checker.pipeline = replace(pipeline, verify=replace(pipeline.verify, alone=_ALONE), decide=collector)
    return collector


def collect(
    options: argparse.Namespace,
    corpus: Path | None,
    claims: Sequence[tuple[str, str, str]],
    given: dict[str, list[Any]] | None = None,
) -> Iterator[_Row]:
    """The features of claims, each with its label and its group, over a corpus or with evidence given."""
    model = options.model
    if options.most is not None and options.most < len(claims):
        claims = random.Random(0).sample(claims, options.most)
    own = {"verify.model": model, "select.model": options.selector, "verify.threads": 1}
    settings = Settings().replaced({"check.certificate": False, **own})
    with Checker.open(corpus, settings) as checker:
        collector = _pipeline(checker)
        for text, label, group in claims:
            collector.rows.clear()
            if given is None:
                checker.pipeline.run([Claim("", text)])
            else:
                checker.pipeline.judge([Claim("", text)], [parse_evidence(given[text])])
            whole, *parts = collector.rows
            yield {**whole, "label": label, "group": group, "parts": list(parts)}


def _written(*, collections: bool) -> _Cited:
    """The written claims for development over Wikipedia's pages, or those over collections of invented documents."""
    return [
        (record, [ElementId.parse(id) for id in record["evidence"][0]["content"]])
        for record in FILES.records("written/dev")
        if ("collection" in record) is collections
    ]


def _found_in(corpus: Path, claims: _Cited) -> _Cited:
    """The claims all of whose pages are in a corpus: ingestion leaves pages out that lack citations."""
    with Store.open(corpus) as store:
        return [(record, ids) for record, ids in claims if all(id.page in store for id in ids)]


def collect_set(name: str, options: argparse.Namespace) -> Iterator[_Row]:
    """The rows of one of the sets."""
    match name:
        case "written" | "collections":
            corpus = getattr(options, "pages" if name == "written" else name)
            claims = [
                (record["claim"], record["label"], record.get("collection") or ids[0].page)
                for record, ids in _found_in(corpus, _written(collections=name == "collections"))
            ]
            yield from collect(options, corpus, claims)
        case "written-given":
            found = _found_in(options.pages, _written(collections=False))
            with Store.open(options.pages) as store:
                elements = {record["claim"]: [store.element(id) for id in ids] for record, ids in found}
            claims = [(record["claim"], record["label"], ids[0].page) for record, ids in found]
            yield from collect(options, options.pages, claims, elements)
        case "documents-given":
            kept = {each["claim"]: each for each in FILES.records(GIVEN) if each["part"] == "dev"}
            claims = [(each["claim"], each["label"], each["document"]) for each in kept.values()]
            yield from collect(options, None, claims, {claim: each["evidence"] for claim, each in kept.items()})
        case "almanac" | "more-almanac" | "contrast":
            records = read_claims(f"development-{name}")
            claims = [(each["claim"], each["label"], each.get("pair") or each["id"]) for each in records]
            yield from collect(options, None, claims)
        case "almanac-given" | "contrast-given":
            own = open_corpus()
            records = [each for each in read_claims(f"development-{name.removesuffix('-given')}") if each["evidence"]]
            given = {each["claim"]: find_evidence(own, each["evidence"]) for each in records}
            claims = [(each["claim"], each["label"], each.get("pair") or each["id"]) for each in records]
            yield from collect(options, None, claims, given)
        case "documents" | "more-documents":
            with tempfile.TemporaryDirectory() as folder:
                corpus = Path(folder) / "corpus"
                with Store.create(corpus) as store:
                    for _ in Ingest(store, [EXAMS / f"development-{name}"]):
                        pass
                    for _ in build_index(store):
                        pass
                records = read_claims(f"development-{name}")
                yield from collect(options, corpus, [(each["claim"], each["label"], each["id"]) for each in records])
        case _:
            with Store.open(options.corpus_r) as store:
                reported = {example.claim.text for example in fever_three_way(store, _REPORTED)}
                examples = [each for each in fever_three_way(store, _FEVER) if each.claim.text not in reported]
            claims = [(each.claim.text, str(each.label), each.claim.id) for each in examples]
            yield from collect(options, options.corpus_r, claims)


SETS = ("almanac", "more-almanac", "contrast", "documents", "more-documents", "collections", "written", "fever")
GIVEN_SETS = ("almanac-given", "contrast-given", "written-given", "documents-given")


# -- fitting -----------------------------------------------------------------------------------------------


def _read(folder: Path, names: Iterable[str]) -> list[_Row]:
    rows = []
    for name in names:
        file = folder / f"{name}.jsonl"
        for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
            rows.append({**json.loads(line), "set": name})
    return rows


def _predict(combiner: Combiner, row: _Row) -> dict[Label, float]:
    """The scores of a claim as the decider makes them, but for what is computed."""
    whole = combiner.scores(row["features"])
    parts = [combiner.scores(part["features"]) for part in row["parts"] if "features" in part]
    if not parts:
        return whole
    supports, refutes = min(p[Label.SUPPORTS] for p in parts), max(p[Label.REFUTES] for p in parts)
    together = {Label.SUPPORTS: supports, Label.REFUTES: refutes}
    together[Label.NOT_ENOUGH_INFO] = max(0.0, 1 - supports - refutes)
    total = sum(together.values())
    return {label: (1 - combiner.parts) * whole[label] + combiner.parts * together[label] / total for label in LABELS}


def _weight(row: _Row) -> float:
    return _WEIGHTS.get(row["set"]) or _WEIGHTS[row["set"].removesuffix("-given")]


def fit(rows: Sequence[_Row], penalty: float, parts: float) -> Combiner:
    """A combiner for these rows; claims that computing decides do not need it and do not count."""
    kept = [row for row in rows if not row["computed"]]
    counts = Counter(row["label"] for row in rows if row["set"] in _SHARED)
    weights = [_weight(row) for row in kept]
    for place, row in enumerate(kept):
        if row["set"] in _SHARED:
            weights[place] *= _SHARES[row["label"]] * counts.total() / counts[row["label"]]
    places = [LABELS.index(Label(row["label"])) for row in kept]
    features = [row["features"] for row in kept]
    return _with_caution(fit_combiner(features, places, penalty=penalty, sample_weights=weights, parts=parts))


def _with_caution(combiner: Combiner) -> Combiner:
    own = combiner.weights[Label.SUPPORTS]
    cautious = {**own, BIAS: round(own.get(BIAS, 0.0) - _CAUTION, 4)}
    return replace(combiner, weights={**combiner.weights, Label.SUPPORTS: cautious})


def cross_validate(rows: Sequence[_Row], penalty: float, parts: float) -> tuple[float, list[tuple[_Row, Any]]]:
    """The mean log-likelihood over folds of pages, and each row with the scores of a fold that did not see it."""
    groups = sorted({row["group"] for row in rows})
    fold_of = {group: place % _FOLDS for place, group in enumerate(np.random.default_rng(0).permutation(groups))}
    predicted = []
    for fold in range(_FOLDS):
        combiner = fit([row for row in rows if fold_of[row["group"]] != fold], penalty, parts)
        own = [row for row in rows if fold_of[row["group"]] == fold and not row["computed"]]
        predicted += [(row, _predict(combiner, row)) for row in own]
    weights = [_weight(row) for row, _ in predicted]
    logs = [np.log(max(1e-6, scores[Label(row["label"])])) for row, scores in predicted]
    return float(np.average(logs, weights=weights)), predicted


def choose(rows: Sequence[_Row]) -> Combiner:
    """The combiner whose settings predict best across folds; what it does is printed by set."""
    rows = [row for row in rows if "features" in row]
    parts = 0.5
    penalty = max(_PENALTIES, key=lambda each: cross_validate(rows, each, parts)[0])
    parts = max(_PARTS, key=lambda each: cross_validate(rows, penalty, each)[0])
    likelihood, predicted = cross_validate(rows, penalty, parts)
    print(f"penalty {penalty}, parts {parts}, log-likelihood {likelihood:.4f}")
    for name in dict.fromkeys(row["set"] for row in rows):
        own = [(row, scores) for row, scores in predicted if row["set"] == name]
        answers = [(max(LABELS, key=lambda label: scores[label]), Label(row["label"]), scores) for row, scores in own]
        right = sum(one is other for one, other, _ in answers)
        false = [one for one, other, _ in answers if other is Label.REFUTES]
        sure = [one is other for one, other, scores in answers if scores[one] >= 0.8]
        print(
            f"  {name}: {right / max(1, len(own)):.1%} of {len(own)} not computed; false called true "
            f"{sum(one is Label.SUPPORTS for one in false)}/{len(false)}; scored .8 or more {sum(sure)}/{len(sure)}"
        )
    return fit(rows, penalty, parts)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="verdict")
    parser.add_argument("--selector", default="selector")
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--corpus-r", type=Path)
    parser.add_argument("--collections", type=Path)
    parser.add_argument("--sets", nargs="*", choices=(*SETS, *GIVEN_SETS), default=(*SETS, *GIVEN_SETS))
    parser.add_argument("--most", type=int, help="no more claims of a set than this, a sample")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args(arguments)
    if options.fit:
        retrieved = choose(_read(options.folder, SETS))
        given = choose(_read(options.folder, GIVEN_SETS))
        folder = folder_of(options.model)
        card = Card.read(folder)
        replace(card, combiner={RETRIEVED: retrieved.table(), WITH_EVIDENCE: given.table()}).write(folder)
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.sets:
        with (options.folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for row in collect_set(name, options):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
