"""Two sides measured in turns, so that whatever else the machine does falls on both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter


def seconds(act: Callable[[], object]) -> float:
    """How long one call takes."""
    started = perf_counter()
    act()
    return perf_counter() - started


def interleaved(sides: Sequence[Callable[[], object]], rounds: int, *, warm_up: int = 20) -> list[float]:
    """The median seconds of each side; every round runs all of them, beginning with another one each time."""
    for _ in range(warm_up):
        for side in sides:
            side()
    taken: list[list[float]] = [[] for _ in sides]
    for turn in range(rounds):
        for step in range(len(sides)):
            position = (turn + step) % len(sides)
            taken[position].append(seconds(sides[position]))
    return [median(times) for times in taken]


def ms(value: float) -> str:
    """Seconds as milliseconds."""
    return f"{value * 1000:.2f} ms" if value < 0.1 else f"{value * 1000:.0f} ms"
