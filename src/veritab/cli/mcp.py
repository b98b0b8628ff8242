"""The command that serves a corpus to assistants over the Model Context Protocol."""

from __future__ import annotations

from veritab.cli.options import Config, Corpus, Profile, read_settings


def mcp(
    corpus: Corpus = None,
    config: Config = None,
    profile: Profile = None,
) -> None:
    """Serve the tools that check, correct and score claims and read the corpus, on stdin and stdout.

    For assistants that speak the Model Context Protocol, which start this command themselves.
    """
    from veritab.mcp import create_server, require_sdk
    from veritab.pipeline import Checker

    require_sdk()
    with Checker.open(corpus, read_settings(config, profile)) as checker:
        create_server(checker).run()
