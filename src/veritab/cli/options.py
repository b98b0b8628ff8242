"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from veritab.settings import Settings

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
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="default|fast",
        help="fast reads less with a smaller model: several times as many claims a second, a few more errors.",
        show_default=False,
    ),
]


def _refuse_no_address(address: str | None) -> str | None:
    """Refuse what names no cluster before anything begins; also an empty name, which a shell makes of an unset one."""
    if address is not None:
        from veritab.scale.address import read_address

        read_address(address)
    return address


Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Dask cluster: local, local:4, tcp://host:8786 or a scheduler file.",
        callback=_refuse_no_address,
        show_default=False,
    ),
]


def read_settings(config: Path | None, profile: str | None, changes: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a file with a profile, and with what single options say; None leaves a setting as it is."""
    from veritab.settings import Settings

    settings = Settings.read(config) if config else Settings()
    if profile is not None:
        settings = settings.with_profile(profile)
    return settings.replaced({name: value for name, value in (changes or {}).items() if value is not None})
