"""The guidelines that a project begins with, one for each kind of task, in Markdown; managers may change them."""

from __future__ import annotations

from importlib import resources

from veritab.studio.vocabulary import TaskKind


def default_guideline(kind: TaskKind) -> str:
    """What people read before they do tasks of a kind, as long as a project has no text of its own."""
    return resources.files(__package__).joinpath(f"{kind}.md").read_text(encoding="utf-8")
