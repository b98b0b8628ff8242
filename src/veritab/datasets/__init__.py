"""Benchmarks become examples: FEVER, FEVEROUS, FoolMeTwice, FaVIQ and others, by name or by path.

    data = datasets.load("fever/paper_dev")         # or datasets.load(Path("my.jsonl"))
    for example in data:                            # read anew each time, one at a time
        example.claim.id, example.label, example.evidence, example.record

Ids are text in `Claim.id`, as everywhere in Veritab (7 and "7" name one claim); `example.record["id"]` has the file's
own. Titles and claims have one Unicode form; `record` keeps what the file says.
"""

from __future__ import annotations

from veritab.datasets.data_files import DataFiles
from veritab.datasets.loading import load
from veritab.datasets.quoted import gold_texts
from veritab.datasets.reading import DataSet
from veritab.datasets.record_formats import TASKS
from veritab.datasets.records import DataNote, GoldText, Task
from veritab.datasets.registry import REGISTRY, RegisteredDataSet, data_folder, find_data_folder

__all__ = [
    "REGISTRY",
    "TASKS",
    "DataFiles",
    "DataNote",
    "DataSet",
    "GoldText",
    "RegisteredDataSet",
    "Task",
    "data_folder",
    "find_data_folder",
    "gold_texts",
    "load",
]
