"""The command that serves a corpus to assistants over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from veritab.cli.corpus import Corpus


def mcp(
    corpus: Corpus = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Settings of every stage, as TOML.", show_default=False),
    ] = None,
) -> None:
    """Serve the tools verify_claim, search_evidence, get_page and get_table on stdin and stdout.

    For assistants that speak the Model Context Protocol, which start this command themselves.
    """
    from veritab.mcp import create_server, require_sdk
    from veritab.pipeline import Checker

    require_sdk()
    with Checker.open(corpus, config) as checker:
        create_server(checker).run()
