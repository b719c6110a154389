"""Registrations: the entries of a domain in registries, and its listeners of hooks, in its `registrations` module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from django.apps import AppConfig

MODULES = ("jobs", "registrations")


def load(app: AppConfig) -> None:
    """Import the modules of an app that register something; called when the app is ready.

    The domains come in alphabetical order, and the app's own `registrations` last.
    """
    for name in module_names(app):
        import_module(name)


def module_names(app: AppConfig) -> list[str]:
    """Return the names of the modules that `load` imports, in its order."""
    root = Path(app.path)
    paths = [path.relative_to(root).with_suffix("") for name in MODULES for path in root.glob(f"**/{name}.py")]
    ordered = sorted(paths, key=lambda path: (len(path.parts) == 1, path.parts))
    return [".".join((app.name, *path.parts)) for path in ordered]
