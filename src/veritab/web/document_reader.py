"""Reads a visitor's documents in a process of its own, which can be stopped and which a bad file cannot leave.

`python -m veritab.web.document_reader FOLDER CORPUS BYTES` makes the corpus of the files in a folder, in at most so
much memory. Every step is a line of JSON on stdout, and so is the end: what was read, or why nothing was.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veritab.errors import VeritabError
from veritab.retrieve.preparation import DocumentSummary, Preparation

_MOST_PROBLEMS = 5
_BEHIND_THE_CHECKS = 5


def main(folder: str, corpus: str, memory: str) -> None:
    """Read all files of the folder."""
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    _bound_memory(int(memory))
    os.nice(_BEHIND_THE_CHECKS)
    os.umask(0o077)
    into = Path(corpus).absolute()
    os.chdir(folder)  # so that no message holds a path of the server
    try:
        preparation = Preparation(sorted(Path().iterdir()), into=into, keep_originals=True)
        for step in preparation:
            _tell(step._asdict())
        _tell({"documents": list(map(_describe, preparation.documents))})
    except VeritabError as error:
        _tell({"error": str(error)})
    except MemoryError:
        _tell(
            {"error": "these documents need more memory than this server gives to reading; send fewer, or smaller ones"}
        )


def _tell(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _describe(document: DocumentSummary) -> dict[str, Any]:
    problems = list(dict.fromkeys(problem.what for problem in document.problems))[:_MOST_PROBLEMS]
    described = {**document._asdict(), "pages": document.leaves, "problems": problems}
    del described["leaves"]
    return described


def _end_with_the_server() -> None:
    """The server holds the other end of stdin; when that is closed, nobody waits for the documents any more."""
    while os.read(0, 1024):
        pass
    os._exit(1)


def _bound_memory(most: int) -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    main(*sys.argv[1:])
