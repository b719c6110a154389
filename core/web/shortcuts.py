"""Shortcuts of first steps: one-click ways to do a step, or to undo it. Domains above register theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.web.pages import Page


def _is_available(page: Page) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A button of a step, which sends the action `do` to a page. `after` for one of a step that is done."""

    step: str
    label: str
    page: str
    do: str
    module: str
    method: str
    after: bool = False
    is_offered: Callable[[Page], bool] = _is_available


SHORTCUTS: list[Shortcut] = []


def register_shortcut(shortcut: Shortcut) -> None:
    """Register a shortcut."""
    SHORTCUTS.append(shortcut)


def shortcuts_of(page: Page, step: str, *, is_done: bool) -> list[Shortcut]:
    """Return the shortcuts of a step in its state that the reader may use."""
    return [
        shortcut
        for shortcut in SHORTCUTS
        if shortcut.step == step
        and shortcut.after == is_done
        and page.may(shortcut.module, shortcut.method)
        and shortcut.is_offered(page)
    ]
