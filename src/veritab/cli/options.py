"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Corpus = Annotated[
    Path | None,
    typer.Option("--corpus", "-c", metavar="DIR", help="The corpus to use; the bundled almanac by default."),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings of every stage, as TOML.", show_default=False),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME|FOLDER|none",
        help="The verdict model; none leaves the answer to what can be computed.",
        show_default=False,
    ),
]
