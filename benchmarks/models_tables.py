"""Statements about whole tables: the reasoner, the model on rows, the model on derived facts, and all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus_r import FILES
from benchmarks.models_card import Figures
from benchmarks.models_figures import Accuracy, accuracy, labelled, predicted, right
from benchmarks.models_kept import Reader
from benchmarks.models_sets import FEVEROUS_TABLES, TABFACT, Sets, Told, challenges
from benchmarks.report import Report
from veritab.build.elements import numbered
from veritab.datasets.normalise import LABELS, REFUTES, SUPPORTS
from veritab.schema import Claim, Evidence, Label
from veritab.train.sources.pages import bucket
from veritab.verify.calibrate import DEFAULT, Calibration
from veritab.verify.judge import decider_for, judge_evidence
from veritab.verify.model import ModelVerifier

_NUMERICAL = "Numerical Reasoning"
_SURELY = 1e-4
_WAYS = ("rows", "facts", "both")


def tables(report: Figures, readers: Sequence[Reader], sets: Sets) -> None:
    """TabFact and FEVEROUS with the whole table given."""
    for reader in readers:
        # What is promised, the first model keeps.
        _tabfact(report, reader, sets, promised=reader is readers[0])
        _feverous(report, reader, sets, promised=reader is readers[0])
    _as_verified(report, readers[0], sets)


def joined(logits: Any, told: Sequence[Told]) -> NDArray[np.float64]:
    """Logits with what was computed in their place where that decides, as `veritab.verify.decide` has it."""
    given = np.asarray(logits, dtype=float).copy()
    for place, each in enumerate(told):
        if each.answer is not None:
            sure = min(max(each.true, 1 - each.true), 1 - _SURELY)
            given[place] = np.log((1 - sure) / 2)
            given[place, SUPPORTS if each.answer else REFUTES] = np.log(sure)
    return given


def profile_of(reader: Reader, wanted: str) -> tuple[str, Calibration]:
    """How the card says that answers are read: a profile of it, or its default where it has no such profile."""
    known = Calibration.profiles(reader.model.card.calibration)
    name = wanted if wanted in known else DEFAULT
    return name, known[name]


def temperature_of(reader: Reader) -> float:
    """What the card says that logits are divided by."""
    return Calibration.of(reader.model.card.calibration).temperature


def is_fitted_on(claim: str) -> bool:
    """Whether a claim is in the half of its set that something may be fitted on."""
    return bucket(claim, 2) == 0


# -- TabFact -----------------------------------------------------------------------------------------------


def _majority() -> int:
    labels = [LABELS[record["label"]] for record in FILES.records("tabfact/train_partial")]
    return SUPPORTS if 2 * labels.count(SUPPORTS) >= len(labels) else REFUTES


def _tabfact(report: Figures, reader: Reader, sets: Sets, *, promised: bool) -> None:
    heading = f"TabFact val, table given: {reader.name}"
    statements, told = sets.statements(TABFACT), sets.told(TABFACT)
    labels = [each.label for each in statements]
    decided = [place for place, each in enumerate(told) if each.answer is not None]
    alone = [SUPPORTS if told[place].answer else REFUTES for place in decided]
    majority = _majority()
    guessed = [majority if each.answer is None else (SUPPORTS if each.answer else REFUTES) for each in told]
    where = right([labels[place] for place in decided], alone, 2)
    rows = [["what decides", "accuracy", "statements"]]
    rows.append([f"reasoner, where it decides ({len(decided) / len(told):.1%})", str(where), f"{where.claims:,}"])
    rows.append(_row("reasoner, the rest by majority", right(labels, guessed, 2)))
    logits = {way: reader.logits(_inputs(sets, TABFACT, way, reader), f"TabFact as {way}") for way in _WAYS}
    for way, name in (("rows", "rows as text"), ("facts", "derived facts"), ("both", "rows and facts")):
        rows.append(_row(f"model on {name}", accuracy(logits[way], labels, 2)))
    logits = {way: found / temperature_of(reader) for way, found in logits.items()}
    for way, name in (("facts", "facts"), ("both", "rows and facts")):
        found = accuracy(joined(logits[way], told), labels, 2)
        rows.append(_row(f"combined: reasoner, model on {name}", found))
    mean = (logits["rows"] + logits["facts"]) / 2
    rows.append(
        _row(
            "combined: reasoner, mean of the model on rows and on facts",
            accuracy(joined(mean, told), labels, 2),
        )
    )
    report.table(heading, rows)
    best = accuracy(joined(logits["both"], told), labels, 2)
    if promised:
        what = f"TabFact val, table given: reasoner, rows and facts combined, {reader.name}"
        report.promise(what, str(best), "≥ 80 %", kept=best.value >= 0.80)
        report.figure(reader.name, "TabFact val with its tables, two-way accuracy", best.value)


def _row(name: str, found: Accuracy) -> list[str]:
    return [name, str(found), f"{found.claims:,}"]


def _inputs(sets: Sets, name: str, way: str, reader: Reader) -> list[tuple[str, str]]:
    return [(pair.claim, pair.evidence) for pair in sets.render_statement(name, way, reader.model)]


# -- FEVEROUS ----------------------------------------------------------------------------------------------


def _feverous(report: Figures, reader: Reader, sets: Sets, *, promised: bool) -> None:
    heading = f"FEVEROUS full_tables, table and context given: {reader.name}"
    statements, told = sets.statements(FEVEROUS_TABLES), sets.told(FEVEROUS_TABLES)
    labels = [each.label for each in statements]
    known = challenges()
    # The card's weights may have been fitted on the other half.
    odd = [place for place, each in enumerate(statements) if not is_fitted_on(each.claim)]
    groups = {"all": list(range(len(labels))), "the half that nothing is fitted on": odd}
    for place, each in enumerate(statements):
        challenge = known.get(each.claim)
        if challenge:
            name = challenge if challenge == _NUMERICAL else "other known challenges"
            groups.setdefault(name, []).append(place)
    without = reader.logits(_inputs(sets, FEVEROUS_TABLES, "rows", reader), "FEVEROUS tables as rows")
    with_facts = reader.logits(_inputs(sets, FEVEROUS_TABLES, "both", reader), "FEVEROUS tables as both")
    facts_only = reader.logits(_inputs(sets, FEVEROUS_TABLES, "facts", reader), "FEVEROUS tables as facts")
    systems = {
        "without facts": without,
        "with facts": with_facts,
        "facts alone": facts_only,
        "combined": joined(with_facts / temperature_of(reader), told),
    }
    rows = [["claims", "n", *systems, "combined over without, points"]]
    gains = {}
    for name, places in groups.items():
        gold = [labels[place] for place in places]
        found = {system: accuracy(logits[places], gold) for system, logits in systems.items()}
        gains[name] = 100 * (found["combined"].value - found["without facts"].value)
        rows.append([name, str(len(places)), *map(str, found.values()), f"{gains[name]:+.1f}"])
    report.table(heading, rows)
    two = {system: accuracy(logits, labels, 2) for system, logits in systems.items()}
    report.note(heading, "Two-way: " + ", ".join(f"{system} {found}" for system, found in two.items()) + ".")
    # What is combined has been divided by the temperature already.
    made = Calibration.of(reader.model.card.calibration)
    judged = {
        system: labelled(logits[odd], [labels[place] for place in odd], read)
        for system, logits, read in (
            ("rows", without, made),
            ("both", with_facts, made),
            ("combined", systems["combined"], replace(made, temperature=1.0)),
        )
    }
    gained = 100 * (judged["both"].value - judged["rows"].value)
    report.note(
        heading,
        f"Labels by the default thresholds of the card, three-way, on the half that nothing is fitted on: the model on "
        f"rows alone {judged['rows']}, on rows and facts {judged['both']}, {gained:+.1f} points; with what was "
        f"computed {judged['combined']}.",
    )
    if not promised:
        return
    what, best = f"FEVEROUS full_tables, three-way, {reader.name}", judged["combined"]
    report.promise(f"{what}, half not fitted on", str(best), "≥ 68 %", kept=best.value >= 0.68)
    report.figure(reader.name, "FEVEROUS full_tables, three-way accuracy", best.value)
    if _NUMERICAL in gains:
        gain, worst = gains[_NUMERICAL], min(gains.values())
        report.promise(
            f"{what}: combined over the model without facts, {_NUMERICAL}; worst group",
            f"{gain:+.1f}; {worst:+.1f} points",
            "≥ +4; never worse",
            kept=gain >= 4 and worst >= 0,
        )


_CHECKED = 40


def _as_verified(report: Report, reader: Reader, sets: Sets) -> None:
    """Whether the verifier of the package says the same as what is measured here piece by piece."""
    statements, told = sets.statements(FEVEROUS_TABLES)[:_CHECKED], sets.told(FEVEROUS_TABLES)[:_CHECKED]
    inputs = _inputs(sets, FEVEROUS_TABLES, "both", reader)[:_CHECKED]
    here = predicted(joined(reader.logits(inputs) / temperature_of(reader), told))
    given = [Evidence.of(numbered(each.table.id.page, each.context), [each.table]) for each in statements]
    claims = [Claim(str(number), each.claim) for number, each in enumerate(statements)]
    third = 1 / 3
    plain = replace(Calibration.of(reader.model.card.calibration), thresholds=(third, third, third))
    verifier = ModelVerifier(reader.model, given_calibration=plain)
    verdicts = judge_evidence(claims, given, verifier, decider_for(verifier), parts=False)
    there = [list(Label).index(verdict.label) for verdict in verdicts]
    same = sum(int(one) == other for one, other in zip(here, there, strict=True))
    report.note(
        f"FEVEROUS full_tables, table and context given: {reader.name}",
        f"`ModelVerifier` finds the same label likeliest for {same} of {len(there)} claims.",
    )
