"""Timing of several sides in turns, so that other load on the machine affects all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter


def seconds(act: Callable[[], object]) -> float:
    """Time one call."""
    started = perf_counter()
    act()
    return perf_counter() - started


def interleaved(sides: Sequence[Callable[[], object]], rounds: int, *, warm_up: int = 20) -> list[float]:
    """Return the median seconds of each side. Each round runs all sides and begins with another one."""
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
    """Format seconds as milliseconds."""
    return f"{value * 1000:.2f} ms" if value < 0.1 else f"{value * 1000:.0f} ms"
