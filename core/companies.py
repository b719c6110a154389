"""What apps do for each new company: they register it here, and whoever makes a company runs it."""

from __future__ import annotations

from collections.abc import Callable

_hooks: list[Callable[[], None]] = []


def on_company_created(hook: Callable[[], None]) -> None:
    """Have the hook called inside the scope of each new company, in the transaction that makes it; it must be safe to run twice."""
    if hook not in _hooks:
        _hooks.append(hook)


def furnish_company() -> None:
    """Run all hooks for the active company."""
    for hook in _hooks:
        hook()
