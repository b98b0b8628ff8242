"""Adds to the site what the pages of docs/ link to: README, CONTRIBUTING, CHANGELOG and the measurements."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
_LOADED = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^\"']*|url\([\"']?https?:[^)]*|@import[^;]*//[^;]*"
)
_LINK = re.compile(r"(\]\()([^)#\s:]+)([^)]*\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository that stand outside docs/."""
    outside = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for path in (*outside, *sorted((ROOT / "benchmarks" / "results").glob("*.md"))):
        if path.is_file():
            name = f"outside/{path.relative_to(ROOT)}"
            files.append(File.generated(config, name.replace("README.md", "readme.md"), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let links lead to where a page is on the site; a link to a folder or to source code becomes plain text."""
    name = page.file.src_uri
    here = ROOT / name.removeprefix("outside/") if name.startswith("outside/") else ROOT / "docs" / name
    up = "../" * name.count("/")

    def rewrite(link: re.Match[str]) -> str:
        target = (here.parent / link[2]).resolve()
        if target.is_relative_to(ROOT / "docs") and target.is_file():
            return f"{link[1]}{up}{target.relative_to(ROOT / 'docs')}{link[3]}"
        if target.suffix == ".md" and target.is_relative_to(ROOT):
            path = str(target.relative_to(ROOT)).replace("README.md", "readme.md")
            return f"{link[1]}{up}outside/{path}{link[3]}"
        return f"{link[1]}{up}index.md)"

    return _LINK.sub(rewrite, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that loads anything from another host."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css"):
            loaded = _LOADED.search(path.read_text(encoding="utf-8"))
            if loaded:
                raise PluginError(f"{path} loads something from another host: {loaded[0][:120]}")
