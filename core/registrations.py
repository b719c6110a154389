"""Registrations: the addresses, work, registry entries and listeners of a domain, in its `registrations` module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from django.apps import AppConfig


def load(app: AppConfig, pattern: str = "registrations") -> None:
    """Import the modules of an app of one name: its `registrations`, when it is ready, or those of its back office.

    The domains come in alphabetical order, and the app's own module last.
    """
    for name in module_names(app, pattern):
        import_module(name)


def module_names(app: AppConfig, pattern: str = "registrations") -> list[str]:
    """Return the names of the modules that `load` imports, in its order."""
    root = Path(app.path)
    paths = [path.relative_to(root).with_suffix("") for path in root.glob(f"**/{pattern}.py")]
    ordered = sorted(paths, key=lambda path: (len(path.parts) == 1, path.parts))
    return [".".join((app.name, *path.parts)) for path in ordered]
