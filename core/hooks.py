"""Hooks: the calls of a domain into domains that it must not import.

The lower domain declares a hook and sends it; higher ones connect functions in their `registrations` modules.
`manage.py list_hooks` prints who listens (docs/hooks.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Hook(Generic[P, R]):
    """A point at which a domain calls the functions that other domains have connected.

    They run one after another in the order of connection, in the sender's transaction. An exception ends the sending
    and reaches the sender.
    """

    def __init__(self, module: str, name: str, purpose: str) -> None:
        """Declare the hook `name` of a module (`__name__`); `purpose` says when it is sent and what listeners do."""
        self.module = module
        self.name = name
        self.purpose = purpose
        self.listeners: list[Callable[P, R]] = []
        if self.path in HOOKS:
            raise ValueError(f"there are two hooks {self.path}")
        HOOKS[self.path] = self

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"

    def connect(self, listener: Callable[P, R]) -> Callable[P, R]:
        """Add a listener, unless it is connected already. Returns it, so that this is a decorator too."""
        if listener not in self.listeners:
            self.listeners.append(listener)
        return listener

    def send(self, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """Call all listeners. Returns their results in the order of connection."""
        return [listener(*args, **kwargs) for listener in self.listeners]

    def first(self, *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Call the listeners until one returns something other than None, and return that."""
        for listener in self.listeners:
            answer = listener(*args, **kwargs)
            if answer is not None:
                return answer
        return None


HOOKS: dict[str, Hook[..., Any]] = {}
"""Path -> hook, of all modules that have been imported."""
