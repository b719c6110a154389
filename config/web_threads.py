"""The limits of a web process. No Django here: the supervisor reads them too."""

from __future__ import annotations

import os

REQUEST_SECONDS = 30
"""Seconds in which a request has to end when its process does."""


def web_threads() -> int:
    """Return WEB_THREADS, by default two for each processor and one more, up to eight."""
    return int(os.environ.get("WEB_THREADS") or min(8, 2 * (os.cpu_count() or 1) + 1))
