"""The one error that the embedded servers raise."""

from __future__ import annotations


class EmbeddedServerError(RuntimeError):
    """An embedded server can't be set up, started or stopped; the text says why and what to do."""
