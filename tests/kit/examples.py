"""How many examples the property tests look at."""

from __future__ import annotations

import os

SEARCHES = os.environ.get("HYPOTHESIS_PROFILE") == "search"


def thorough(number: int) -> int:
    """Return the number for `make fuzz`, which takes its time, and a third of it for the suite."""
    return number if SEARCHES else max(number // 3, 8)
