"""Test clients share one chain of middleware: each would load its own, and WhiteNoise reads all static files when it
is loaded."""

from __future__ import annotations

from typing import Any

from django.core.signals import setting_changed
from django.test.client import ClientHandler
from whitenoise.middleware import WhiteNoiseMiddleware

PARTS = ("_view_middleware", "_template_response_middleware", "_exception_middleware", "_middleware_chain")


def share_middleware() -> None:
    """Load the chain once, and again for clients that are made after a setting has changed; read static files once."""
    shared: dict[str, Any] = {}
    files: dict[str, Any] = {}
    load = ClientHandler.load_middleware
    find = WhiteNoiseMiddleware.add_files_from_finders

    def find_once(middleware: WhiteNoiseMiddleware) -> None:
        if not files:
            find(middleware)
            files.update(middleware.files)
        middleware.files.update(files)

    def load_once(handler: ClientHandler, is_async: bool = False) -> None:
        if not shared:
            load(handler, is_async)
            shared.update({part: getattr(handler, part) for part in PARTS})
        for part, value in shared.items():
            setattr(handler, part, value)

    def forget(**_: Any) -> None:
        shared.clear()

    ClientHandler.load_middleware = load_once  # type: ignore[method-assign]
    WhiteNoiseMiddleware.add_files_from_finders = find_once
    setting_changed.connect(forget, weak=False)
