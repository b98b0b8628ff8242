"""The cluster that a command works on: opened, named, and shown at work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from veritab.cli.output import counted, talk

if TYPE_CHECKING:
    from veritab.scale.cluster import ClusterEngine


@contextmanager
def opened_cluster(address: str) -> Iterator[ClusterEngine]:
    """The engine behind `--cluster`; a terminal is told where to watch it."""
    from veritab.scale import open_engine

    with talk.status("waiting for the cluster") as status, open_engine(address) as engine:
        status.stop()
        if talk.is_terminal:
            shown = f"; watch them at {engine.dashboard}" if engine.dashboard else ""
            talk.print(f"{counted(engine.workers, 'worker')}{shown}", style="dim", markup=False, soft_wrap=True)
        yield engine


@contextmanager
def cluster_over_corpus(address: str, corpus: Path | None) -> Iterator[ClusterEngine]:
    """The engine behind `--cluster`, whose workers see the corpus as it is here; the almanac they have themselves."""
    from veritab.corpus import open_corpus
    from veritab.corpus.store import Store

    with opened_cluster(address) as engine:
        if corpus is not None:
            with open_corpus(corpus) as store:
                if isinstance(store, Store):
                    engine.check_corpus(corpus, store.revision())
        yield engine


def describe_workers(engine: ClusterEngine | None) -> str:
    """What stands beside a progress bar of the workers of a cluster; nothing without one."""
    if engine is None:
        return ""
    there = engine.standing.workers
    busy = min(there, engine.standing.under_way)
    return f"{busy} of {counted(there, 'worker')} busy"
