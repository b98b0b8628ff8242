"""The same work on a Dask cluster: the same bytes out as one process, for any number of workers.

    with open_engine("local:4") as engine:
        for result in engine.map(function, items):
            ...

Work is cut into tasks, and a task may run twice: when a worker dies, when it finished and its worker dies before the
result is fetched, when the connection was lost and the command is run again. So functions leave the same behind however
often they run.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from veritab.errors import MissingExtra

if TYPE_CHECKING:
    from veritab.scale.cluster import ClusterEngine

__all__ = ["open_engine"]


@contextmanager
def open_engine(
    address: str, *, memory: str | None = None, wait: float | None = None, patience: float = 60.0
) -> Iterator[ClusterEngine]:
    """An engine on the workers behind an address: `local[:N]`, `tcp://host:8786`, `tls://...` or a scheduler file.

    `memory` bounds each local worker, as "2GB" does; a worker beyond it dies and its task is done again. `wait` is how
    many seconds a scheduler may take to show its first worker (10, or what VERITAB_CLUSTER_WAIT says), `patience` how
    many the work may stand still because there is none left.
    """
    if not all(importlib.util.find_spec(part) for part in ("dask", "distributed")):
        raise MissingExtra("work on a cluster", "scale")
    from veritab.scale.cluster import open_cluster

    with open_cluster(address, memory=memory, wait=wait, patience=patience) as engine:
        yield engine
