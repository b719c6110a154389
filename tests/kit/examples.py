"""How many examples tests look at."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest

Place = TypeVar("Place")
SEARCHES = os.environ.get("HYPOTHESIS_PROFILE") == "search"
EVERY = int(os.environ.get("SUITE_EVERY", "1"))
"""Of how many pages or operations that a test walks over it looks at one. `make test` sets it for the whole suite, so
that it stays quick; `make check` and tests that are named look at all."""

in_make_check = pytest.mark.skipif(EVERY > 1, reason="it takes long; make check runs it, and pytest with its name")


def thorough(number: int) -> int:
    """Return the number for `make fuzz`, which takes its time, a fifth of it for `make check`, and a tenth for `make
    test`."""
    if SEARCHES:
        return number
    return max(number // 5, 6) if EVERY == 1 else max(number // 10, 3)


def walked(places: Iterable[Place]) -> list[Place]:
    """Return the places that a walk over all of them looks at: all, or every fifth of them in `make test`."""
    return list(places)[::EVERY]
