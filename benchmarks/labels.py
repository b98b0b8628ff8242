"""Labels on four fixed sets of claims, and what a change to the code did to them.

    python -m benchmarks.labels FOLDER --corpus-r CORPUS_R     writes FOLDER/{almanac,reasoning,fever,tabfact}.jsonl
    python -m benchmarks.labels --compare BEFORE AFTER         prints every label that differs, and accuracies

The sets: the 360 claims over the almanac and 400 FEVER claims over corpus R, end to end; the 200 reasoning claims and
2,000 TabFact statements, judged by the table or list they are about (`-computed`: without a model).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import veritab
from benchmarks.check import fever_three_way
from benchmarks.corpus_r import DATA
from benchmarks.reasoning import CLAIMS, _elements
from benchmarks.retrieval import almanac_examples, prepare
from benchmarks.tabfact import read_statements, table
from veritab import Checker, Claim, ElementId, Example, Kind, Settings, Verdict, judge_many

_FEVER, _TABFACT, _BATCH = 400, 2000, 16
_SEED = 0


def _record(claim: Claim, gold: object, verdict: Verdict) -> dict[str, Any]:
    return {
        "id": claim.id,
        "claim": claim.text,
        "gold": str(gold),
        "label": str(verdict.label),
        "scores": {str(label): round(score, 4) for label, score in verdict.scores.items()},
        "reasoning": list(verdict.reasoning)[:4],
    }


def _check(examples: Callable[[Checker], Sequence[Example]], corpus: Path | None = None) -> Iterator[dict[str, Any]]:
    with Checker.open(
        corpus, Settings().replaced({"check.certificate": False, "check.evidence": "official"})
    ) as checker:
        claims = examples(checker)
        verdicts = checker.check_many(example.claim for example in claims)
        for example, verdict in zip(claims, verdicts, strict=True):
            yield _record(example.claim, example.label, verdict)


def _judge(pairs: Iterable[tuple[Claim, list[Any], str]], model: str | None) -> Iterator[dict[str, Any]]:
    waiting = iter(pairs)
    while some := list(islice(waiting, _BATCH)):
        verdicts = judge_many([(claim, evidence) for claim, evidence, _ in some], model=model)
        for (claim, _, gold), verdict in zip(some, verdicts, strict=True):
            yield _record(claim, gold, verdict)


def _reasoning_claims() -> Iterator[tuple[Claim, list[Any], str]]:
    store = veritab.open_corpus()
    for line in CLAIMS.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        named = record["table"] if isinstance(record["table"], list) else [record["table"]]
        evidence: list[Any] = []
        for id in map(ElementId.parse, named):
            page = store.page(id.page)
            evidence += [page.table(id.path[0])] if id.kind is Kind.TABLE else _elements(page, id)
        yield Claim(str(record["id"]), record["claim"]), evidence, record["label"]


def _tabfact_statements() -> Iterator[tuple[Claim, list[Any], str]]:
    statements = random.Random(_SEED).sample(list(read_statements(DATA, "val")), _TABFACT)
    for number, each in enumerate(statements):
        # Ids are those of the first runs, which counted within batches.
        yield Claim(str(number), each.text), [table(DATA, each.table)], "SUPPORTS" if each.label else "REFUTES"


def _write(file: Path, records: Iterable[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        for record in records:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(f"{file.stem}: written", file=sys.stderr, flush=True)


def _read(file: Path) -> dict[str, dict[str, Any]]:
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {f"{record['id']} {record['claim']}": record for record in records}


def compare(before: Path, after: Path, *, show: bool = True) -> None:
    """Print each label that differs, and for each set how many do and what that does to accuracy."""
    for file in sorted(before.glob("*.jsonl")):
        if not (after / file.name).is_file():
            print(f"| {file.stem} | only before |")
            continue
        old, new = _read(file), _read(after / file.name)
        both = [(old[key], new[key]) for key in old if key in new]
        changed = [(one, other) for one, other in both if one["label"] != other["label"]]
        kinds = Counter((one["label"], other["label"]) for one, other in changed)
        right = [sum(each["label"] == each["gold"] for each in side) / len(both) for side in zip(*both, strict=True)]
        gained = sum(other["label"] == other["gold"] for _, other in changed)
        lost = sum(one["label"] == one["gold"] for one, _ in changed)
        print(
            f"| {file.stem} | {len(both)} | {right[0]:.1%} | {right[1]:.1%} | {len(changed)} | +{gained} −{lost} | "
            + "; ".join(f"{one} -> {other}: {count}" for (one, other), count in kinds.most_common())
            + " |",
            flush=True,
        )
        for one, other in changed if show else ():
            print(f"    {other['id']} [{one['gold']}] {one['label']} -> {other['label']}: {one['claim']}")
            print(f"        before {one['scores']} {' / '.join(one['reasoning'])[:300]}")
            print(f"        after  {other['scores']} {' / '.join(other['reasoning'])[:300]}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--corpus-r", type=Path, metavar="FOLDER")
    parser.add_argument("--sets", nargs="*", default=["almanac", "reasoning", "fever", "tabfact"])
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--brief", action="store_true", help="with --compare, print no single claims")
    options = parser.parse_args(arguments)
    if options.compare:
        compare(*options.compare, show=not options.brief)
        return
    folder: Path = options.folder
    if "almanac" in options.sets:
        _write(folder / "almanac.jsonl", _check(lambda _: almanac_examples()))
    if "reasoning" in options.sets:
        _write(folder / "reasoning-computed.jsonl", _judge(_reasoning_claims(), None))
        _write(folder / "reasoning.jsonl", _judge(_reasoning_claims(), "verdict"))
    if "tabfact" in options.sets:
        _write(folder / "tabfact-computed.jsonl", _judge(_tabfact_statements(), None))
        _write(folder / "tabfact.jsonl", _judge(_tabfact_statements(), "verdict"))
    if "fever" in options.sets and options.corpus_r:
        prepare(options.corpus_r).close()
        _write(folder / "fever.jsonl", _check(lambda checker: fever_three_way(checker.store, _FEVER), options.corpus_r))


if __name__ == "__main__":
    main()
