"""A reader of derived facts, fine-tuned and measured: how far computing first and reading then gets on tables.

    python -m benchmarks.reasoning_reader prepare FOLDER --tokenizer tokenizer.json --facts facts.jsonl.gz
    python -m benchmarks.reasoning_reader train --encoder MPNET --pairs FOLDER/mix.npz FOLDER/facts.npz --out OUT

`prepare` needs the data folder and writes token numbers; `train` needs torch, transformers, a graphics card and those
files. It prints a line per epoch and keeps, in OUT, the figures and the logits of every statement measured. With
rows.npz in the place of facts.npz the same training reads the rows of the tables instead.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.reasoning_tokens import write


def prepare(arguments: argparse.Namespace) -> None:
    """Writes mix.npz, rows.npz and, where facts are given, facts.npz."""
    from benchmarks import reasoning_pairs

    tokeniser = reasoning_pairs.Tokeniser(arguments.tokenizer)
    files: dict[str, Callable[[], Mapping[str, Iterable[Any]]]] = {
        "mix": reasoning_pairs.mix,
        "rows": reasoning_pairs.rows,
    }
    if arguments.facts:
        files["facts"] = partial(reasoning_pairs.derived, arguments.facts)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.only or files:
        sets = {key: tokeniser.tokens(pairs) for key, pairs in files[name]().items()}
        path = arguments.folder / f"{name}.npz"
        write(path, sets)
        for key, tokens in sets.items():
            full = (tokens.lengths == reasoning_pairs.LENGTH).mean()
            mean = tokens.lengths.mean()
            print(f"{name} {key}: {len(tokens.lengths):,} pairs, {mean:.0f} tokens on average, {full:.1%} cut")
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", flush=True)


def train(arguments: argparse.Namespace) -> None:
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        raise SystemExit(f"{' and '.join(missing)} not installed; training needs: pip install 'veritab[train]'")
    from benchmarks.reasoning_train import Settings, run

    given = {name: value for name, value in vars(arguments).items() if name in Settings._fields}
    run(Settings(**given))


def _times(text: str) -> tuple[str, int]:
    name, _, times = text.partition("=")
    return name, int(times)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = made.add_subparsers(required=True)

    preparing = commands.add_parser("prepare", help="data to token files")
    preparing.add_argument("folder", type=Path)
    preparing.add_argument("--tokenizer", type=Path, required=True, help="the encoder's tokenizer.json")
    preparing.add_argument("--facts", type=Path, help="JSON lines of statements with derived facts")
    preparing.add_argument("--only", nargs="*", choices=("mix", "rows", "facts"), help="which files; all by default")
    preparing.set_defaults(work=prepare)

    training = commands.add_parser("train", help="token files to a reader and its figures")
    training.add_argument("--encoder", type=Path, required=True, help="a folder that transformers opens")
    training.add_argument("--pairs", type=Path, nargs="+", required=True)
    training.add_argument("--out", type=Path, required=True)
    training.add_argument("--name", default="reader", help="what the files in OUT are called")
    training.add_argument("--epochs", type=float, default=3, help="0 only measures")
    training.add_argument("--rate", type=float, default=4e-5)
    training.add_argument("--batch", type=int, default=128)
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--hold-out", type=float, default=0.0, help="share of TabFact's tables only measured")
    training.add_argument(
        "--times", type=_times, nargs="*", default=[("tabfact", 2)], help="NAME=N: trained on N times"
    )
    training.add_argument("--seconds", type=float, default=540, help="train fewer steps if this would be passed")
    training.add_argument("--attention", choices=("fused", "eager"), default="fused")
    training.add_argument("--save", type=Path, help="folder for the fine-tuned weights, in half precision")
    training.add_argument(
        "--pairs-at-most", type=int, help="train on and measure so few pairs of each set; for a trial"
    )
    training.add_argument("--layers", type=int, help="keep so many layers of the encoder; for a trial")
    training.set_defaults(work=train)
    return made


def main(words: Sequence[str] | None = None) -> None:
    arguments = parser().parse_args(words)
    arguments.work(arguments)


if __name__ == "__main__":
    main()
