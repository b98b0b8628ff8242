"""What other packages add: readers, retrievers and verifiers, found by their entry points and loaded when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from veritab.errors import InputError, PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PluginGroup: TypeAlias = Literal["readers", "retrievers", "verifiers"]

# What the object that an entry point makes must be able to do.
_METHODS: dict[PluginGroup, tuple[str, ...]] = {
    "readers": ("cut", "parse"),
    "retrievers": ("retrieve",),
    "verifiers": ("verify",),
}


def plugin_names(group: PluginGroup) -> list[str]:
    """The names that installed packages offer in a group; nothing of them is imported."""
    return sorted(_entry_points(group))


def load_plugin(group: PluginGroup, name: str, *arguments: Any) -> Any:
    """The reader, retriever or verifier of that name, made by its entry point from the arguments."""
    entry = _entry_points(group).get(name)
    if entry is None:
        installed = ", ".join(plugin_names(group)) or "none"
        raise InputError(f"{name!r} is not one of the installed {group}; installed: {installed}")
    try:
        factory: Callable[..., Any] = entry.load()
        plugin = factory(*arguments)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise PluginError(f"{_describe(group, entry)} cannot be loaded ({why}); mend or uninstall it") from error
    missing = [method for method in _METHODS[group] if not callable(getattr(plugin, method, None))]
    if missing:
        raise PluginError(f"{_describe(group, entry)} has no method {missing[0]!r}; see docs/howto-extend.md")
    return plugin


def _entry_points(group: PluginGroup) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=f"veritab.{group}")}


def _describe(group: PluginGroup, entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist else entry.module
    return f"the {group.removesuffix('s')} {entry.name!r} of the package {package!r}"
