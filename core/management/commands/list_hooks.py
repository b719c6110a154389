"""List the project's hooks and who listens; `manage.py list_hooks > docs/hooks.md` writes the page again."""

from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand

from core.hooks import HOOKS, Hook

PAGE = """# Hooks

The calls of a domain into domains that it must not import ([decision 0035](decisions/0035-hooks.md)).
Listeners run in this order, in the sender's transaction. `manage.py list_hooks > docs/hooks.md` writes this page;
a test compares it with what is connected.

| Hook | When, and what a listener does | Listeners |
|---|---|---|
"""


class Command(BaseCommand):
    help = "Prints the hooks of the project and their listeners, as a page."

    def handle(self, *args: Any, **options: Any) -> None:
        rows = [row_of(hook) for _, hook in sorted(HOOKS.items())]
        self.stdout.write(PAGE + "".join(rows), ending="")


def row_of(hook: Hook[..., Any]) -> str:
    """Return the row of a hook in the table."""
    listeners = ", ".join(f"`{listener.__module__}.{listener.__qualname__}`" for listener in hook.listeners)
    return f"| `{hook.path}` | {hook.purpose} | {listeners} |\n"
