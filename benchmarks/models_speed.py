"""What models cost: time against torch in one run, loading, memory, and what becomes of input that is none."""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus import run
from benchmarks.models_sets import almanac_cases
from benchmarks.report import Report
from veritab.models import open_selector, open_verdict
from veritab.models.candidates import CandidateText
from veritab.models.runtime import read_tokenizer
from veritab.schema import Claim
from veritab.verify.judge import judge
from veritab.verify.model import ModelVerifier

_SPEED, _BAD = "Speed", "Bad input"
_TOKENS, _CANDIDATES = 256, 100
_ROUNDS = 7
_PAUSE = 0.05
_LOOKED = 1.0
_MOST_USED = 0.15
_SPECIALS = 4
_BATCH = 32


def speed(report: Report, verdicts: dict[str, Path], selector: Path | None, load_trained: dict[str, Path]) -> None:
    """One verdict on 256 tokens and a hundred scores of the selector, on one thread and on two.

    `trained` has the folders of the networks in full precision, by the names of the models.
    """
    for name, folder in verdicts.items():
        _verdict(report, name, folder, load_trained.get(name))
    if selector:
        _selector(report, selector, load_trained.get("selector"))
    for name, folder in (verdicts | ({"selector": selector} if selector else {})).items():
        seconds, loaded, first, most = run(_OPENED, folder, "selector" if name == "selector" else "verdict")
        report.note(
            _SPEED,
            f"{name}: {sum(f.stat().st_size for f in folder.iterdir()) / 1e6:.1f} MB on disk; in a fresh process: "
            f"imports {seconds:.2f} s, load {loaded:.2f} s, first answer {first * 1000:.0f} ms, {most:.0f} MB at most.",
        )


_OPENED = """
import sys, time
started = time.perf_counter()
from veritab.models import open_selector, open_verdict
from veritab.models.candidates import CandidateText
imported = time.perf_counter()
folder, job = sys.argv[1:]
model = (open_selector if job == "selector" else open_verdict)(folder + "/")
model.load()
loaded = time.perf_counter()
text = "Everest is 8,849 metres high and K2 is 8,611 metres high. " * 10
claim = "K2 is higher than Everest."
model.scores([(claim, CandidateText(text))]) if job == "selector" else model.logits([(claim, text)])
done = time.perf_counter()
# What getrusage calls the largest memory is that of the process which started this one, where that had more.
with open("/proc/self/status") as status:
    most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
print(imported - started, loaded - imported, done - loaded, most)
"""


def _pair(length: Callable[[str], int], tokens: int) -> tuple[str, str]:
    """A claim of the almanac beside as many of its sentences as fill so many tokens."""
    cases = almanac_cases()
    claim = cases[0].claim
    words = " ".join(case.pair().evidence for case in cases).split()
    low, high = 1, min(len(words), tokens)
    while low < high:
        middle = (low + high + 1) // 2
        fits = length(claim) + length(" ".join(words[:middle])) + _SPECIALS <= tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return claim, " ".join(words[:low])


def _verdict(report: Report, name: str, folder: Path, torch_folder: Path | None) -> None:
    models = {threads: open_verdict(folder, threads) for threads in (1, 2)}
    pair = _pair(models[1].length, min(_TOKENS, models[1].max_length))
    work: dict[str, Callable[[], object]] = {}
    for threads, model in models.items():
        model.load()
        work[f"runtime, {_threads(threads)}"] = partial(model.logits, [pair])
    tokens = models[1].length(" ".join(pair)) + _SPECIALS
    _compared(report, f"{name}, one verdict on {tokens} tokens", work, "verdict", torch_folder, [pair])


def _selector(report: Report, folder: Path, torch_folder: Path | None) -> None:
    models = {threads: open_selector(folder, threads) for threads in (1, 2)}
    cases = almanac_cases()
    texts = [element.text for case in cases for element in case.evidence if element.text][:_CANDIDATES]
    given = [(cases[0].claim, CandidateText(text)) for text in texts]
    work: dict[str, Callable[[], object]] = {}
    for threads, model in models.items():
        model.load()
        work[f"runtime, {_threads(threads)}"] = partial(model.scores, given)
    tokens = statistics.mean(models[1].length(claim) + models[1].length(c.text) + _SPECIALS for claim, c in given)
    what = f"selector, {len(given)} scores on {tokens:.0f} tokens on average"
    _compared(report, what, work, "selector", torch_folder, [(claim, each.text) for claim, each in given])


def _compared(
    report: Report,
    what: str,
    work: dict[str, Callable[[], object]],
    job: str,
    torch_folder: Path | None,
    pairs: Sequence[tuple[str, str]],
) -> None:
    """The runtime against torch on the same pairs, where there is a network for it."""
    used = _used_by_others()
    why = _why_no_torch(torch_folder)
    if not why and used > _MOST_USED:
        # Two threads that wait for each other on a busy machine take forever, and what they took says nothing.
        why = f"others use {used:.0%} of the machine; run again when it is idle"
    if torch_folder and not why:
        network = _Torch(job, torch_folder, pairs)
        work |= {f"torch fp32, {_threads(threads)}": partial(network.run, threads) for threads in (1, 2)}
    times = _interleaved(work)
    used = max(used, _used_by_others())
    report.note(_SPEED, f"{what}: {', '.join(f'{who} {each}' for who, each in times.items())}.")
    _ratio(report, what, times, used, why)


class Timing(NamedTuple):
    """The median and the fastest of some calls."""

    median: float
    fastest: float

    def __str__(self) -> str:
        return f"{self.median * 1000:.0f} ms (fastest {self.fastest * 1000:.0f})"


def _interleaved(work: dict[str, Callable[[], object]]) -> dict[str, Timing]:
    """The times of each, all of them in turn, so that a slow moment of the machine meets all alike."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for round in range(_ROUNDS + 1):
        for name, do in work.items():
            # Threads of the one before may still be waiting for more to do, which takes a core.
            time.sleep(_PAUSE)
            started = time.perf_counter()
            do()
            if round:
                times[name].append(time.perf_counter() - started)
    return {name: Timing(statistics.median(each), min(each)) for name, each in times.items()}


def _used_by_others() -> float:
    """How much of the machine is at work while this process waits."""
    before = _cpu_times()
    time.sleep(_LOOKED)
    idle, total = (now - then for now, then in zip(_cpu_times(), before, strict=True))
    return 1 - idle / total if total else 0.0


def _cpu_times() -> tuple[int, int]:
    """What the machine did since it started: nothing, and all in all."""
    with Path("/proc/stat").open() as file:
        numbers = [int(word) for word in file.readline().split()[1:9]]
    return numbers[3] + numbers[4], sum(numbers)


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _ratio(report: Report, what: str, times: Mapping[str, Timing], used: float, why: str) -> None:
    """Torch against the runtime; with two threads torch may take one, where that is faster."""
    if why:
        report.note(_SPEED, f"{what}: not compared with torch: {why}.")
        return
    torch, own = ([times[f"{who}, {_threads(n)}"].median for n in (1, 2)] for who in ("torch fp32", "runtime"))
    ratios = [torch[0] / own[0], min(torch) / own[1]]
    measured = f"{ratios[0]:.1f}, {ratios[1]:.1f} times"
    if used > _MOST_USED:
        # Neither kept nor broken: who waits for a core is a matter of chance.
        report.note(
            _SPEED, f"{what}: not compared: others used {used:.0%} of the machine (else {measured}); run again."
        )
        return
    report.promise(
        f"{what}: torch fp32 / shipped runtime, on one and on two threads",
        measured,
        "≥ 3",
        kept=min(ratios) >= 3,
    )


def _why_no_torch(folder: Path | None) -> str:
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        return f"{missing[0]} is not installed"
    return "" if folder else "no weights in full precision were named with --torch"


class _Torch:
    """The network that was trained, in full precision, on the same pairs in batches of about the same length."""

    def __init__(self, job: str, folder: Path, pairs: Sequence[tuple[str, str]]) -> None:
        import torch
        from safetensors.torch import load_file
        from transformers import AutoConfig, AutoModel

        from veritab.train.network import NETWORKS, WEIGHTS, padding_token
        from veritab.train.weights import decompress_weights

        open_network: Any = AutoModel
        encoder = open_network.from_config(AutoConfig.from_pretrained(folder), add_pooling_layer=False)
        network: Any = NETWORKS[job](encoder.float())
        network.load_state_dict(decompress_weights(load_file(folder / WEIGHTS)))
        tokenizer = read_tokenizer(folder)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokens = sorted((tokenizer.encode(*pair).ids for pair in pairs), key=len)
        self._batches = []
        for start in range(0, len(tokens), _BATCH):
            some = tokens[start : start + _BATCH]
            width = len(some[-1])
            ids = torch.tensor([[*row, *[padding_token(network)] * (width - len(row))] for row in some])
            mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in some])
            self._batches.append((ids, mask))
        self._network = network.eval()
        self._torch: Any = torch

    def run(self, threads: int) -> None:
        self._torch.set_num_threads(threads)
        with self._torch.inference_mode():
            for ids, mask in self._batches:
                self._network(ids, mask)


# -- bad input ---------------------------------------------------------------------------------------------

_CLAIM = "Everest is higher than K2."
_FINE = "Everest is 8,849 metres high. K2 is 8,611 metres high."
_JAPANESE = "富士山は日本一高い山である。", "富士山は、標高3776メートル、日本最高峰の独立峰である。"
_MANY_ROWS = {"table": {"header": ["a", "b"], "rows": [["x", n] for n in range(10_000)]}}
_NO_NUMBERS = {"table": {"header": ["n"], "rows": [[float("nan")], [float("inf")], [10**400]]}}
_INPUTS: dict[str, tuple[str, Any]] = {
    "good input, to compare with": (_CLAIM, _FINE),
    "no evidence": (_CLAIM, []),
    "empty evidence": (_CLAIM, ""),
    "evidence of white space": (_CLAIM, " \n\t "),
    "evidence of a million characters": (_CLAIM, "Everest is a mountain of some height. " * 26_316),
    "a million characters without a space": (_CLAIM, "a" * 1_000_000),
    "a claim longer than the window": ("Everest is very " + "very " * 5_000 + "high.", _FINE),
    "a claim of a million characters": ("é" * 1_000_000, _FINE),
    "an empty claim": ("", _FINE),
    "another language": _JAPANESE,
    "another script, right to left": ("جبل إيفرست أعلى من كي 2", "يبلغ ارتفاع جبل إيفرست 8849 مترا"),
    "control characters": ("\x00Everest\x07 is\x1b[31m high\x7f", "Everest\x00 is \x08high\u200b\u202e."),
    "lone surrogates": ("Everest \ud800 is high", "Everest \udfff is high"),
    "emoji and combining marks": ("🏔️" * 200, "e" + "\u0301" * 5_000),
    "a table of ten thousand rows": (_CLAIM, _MANY_ROWS),
    "a table of nothing": (_CLAIM, {"table": {"header": [], "rows": [[], ["", None]]}}),
    "numbers that are none": ("It is NaN.", _NO_NUMBERS),
    "five thousand sentences": (_CLAIM, [f"Sentence {n} is about Everest." for n in range(5_000)]),
}
_LONGEST = 10.0


def bad_input(report: Report, folder: Path) -> None:
    """A label in bounded time for whatever is given."""
    verifier = ModelVerifier(open_verdict(folder))
    # What the clock says depends on who else is at work; the bound is on the time of all threads of this process.
    rows = [["given", "label", "seconds", "of the processor", "says"]]
    slowest, failed = 0.0, []
    for name, (claim, evidence) in _INPUTS.items():
        started, worked = time.perf_counter(), time.process_time()
        try:
            verdict = judge(Claim("", claim), evidence, verifier=verifier)
            label, says = str(verdict.label), (verdict.reasoning or ("",))[-1][:60]
        except Exception as error:
            label, says = "none", f"{type(error).__name__}: {error}"[:60]
            failed.append(name)
        seconds, own = time.perf_counter() - started, time.process_time() - worked
        slowest = max(slowest, own)
        rows.append([name, label, f"{seconds:.2f}", f"{own:.2f}", says.replace("|", "/")])
    report.table(_BAD, rows)
    report.promise(
        f"bad input, {len(_INPUTS)} kinds: without a label; slowest",
        f"{', '.join(failed) or 'none'}; {slowest:.1f} s of the processor",
        f"none; < {_LONGEST:.0f} s",
        kept=not failed and slowest < _LONGEST,
    )
