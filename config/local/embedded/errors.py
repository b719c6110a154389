"""The error of the embedded servers."""

from __future__ import annotations


class EmbeddedServerError(RuntimeError):
    """An embedded server can't be set up, started or stopped. The text describes the reason and its remedy."""
