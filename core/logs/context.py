"""Context of the lines that are logged now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_context: ContextVar[Mapping[str, str]] = ContextVar("leadwright_log_context", default={})  # noqa: B039  never changed


@contextmanager
def log_context(**values: str | None) -> Iterator[None]:
    """Add these values to the context of lines inside of the block; empty values are ignored."""
    token = _context.set({**_context.get(), **{name: value for name, value in values.items() if value}})
    try:
        yield
    finally:
        _context.reset(token)


def current_context() -> Mapping[str, str]:
    """Return the present context of lines."""
    return _context.get()


def request_id() -> str:
    """Return the id of the request that is being answered, or that began the job at work, or "".

    It is the `_id` of its row in GET /logs, and the X-Request-ID of its answer.
    """
    return _context.get().get("request", "")
