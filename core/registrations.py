"""Registrations: the addresses, work, registry entries and listeners of a domain, in its `registrations` module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from django.apps import AppConfig


def load(app: AppConfig) -> None:
    """Import the `registrations` modules of an app; called when the app is ready.

    The domains come in alphabetical order, and the app's own `registrations` last.
    """
    for name in module_names(app):
        import_module(name)


def module_names(app: AppConfig) -> list[str]:
    """Return the names of the modules that `load` imports, in its order."""
    root = Path(app.path)
    paths = [path.relative_to(root).with_suffix("") for path in root.glob("**/registrations.py")]
    ordered = sorted(paths, key=lambda path: (len(path.parts) == 1, path.parts))
    return [".".join((app.name, *path.parts)) for path in ordered]
