"""How long starting takes: CPU seconds of `import veritab` and `veritab --help`, above those of a bare interpreter.

python -m benchmarks.startup
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

_RUNS = 15
_BARE = ("-c", "pass")
_MEASURED = {"import veritab": ("-c", "import veritab"), "veritab --help": ("-m", "veritab", "--help")}


def cpu_seconds(arguments: tuple[str, ...]) -> float:
    """The CPU time that one interpreter takes, its own and the system's."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the median of some runs of each."""
    every = {"": _BARE, **_MEASURED}
    times = {name: statistics.median(cpu_seconds(arguments) for _ in range(_RUNS)) for name, arguments in every.items()}
    for name in _MEASURED:
        print(f"{name:16} {times[name] - times['']:.3f} s")


if __name__ == "__main__":
    main()
