"""Timing of several sides in turns, so that other load on the machine affects all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, process_time

import psutil
from django.db import connection


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


def postgres_seconds() -> float:
    """Return the processor's time of all of PostgreSQL's processes, of those that have ended too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(cursor.fetchone()[0]).parent()
    assert server is not None
    own = server.cpu_times()
    found = own.user + own.system + own.children_user + own.children_system
    for child in server.children():
        times = child.cpu_times()
        found += times.user + times.system
    return found


def processor_seconds(act: Callable[[], object]) -> float:
    """Return the processor's time of a call, of this process and its session of PostgreSQL, which waits for the
    processor, and other jobs of the server, leave alone. It is counted in hundredths: let the call be a long one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        session = psutil.Process(cursor.fetchone()[0])
    before, own = session.cpu_times(), process_time()
    act()
    own, after = process_time() - own, session.cpu_times()
    return own + after.user + after.system - before.user - before.system


def spent(act: Callable[[], object]) -> tuple[float, float, float]:
    """Return the seconds that a call takes, and those of processor of this process and of PostgreSQL."""
    postgres, own, begun = postgres_seconds(), process_time(), perf_counter()
    act()
    return perf_counter() - begun, process_time() - own, postgres_seconds() - postgres
