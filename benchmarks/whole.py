"""The unpaginated list of the big company: time to the first byte, and the web server's memory."""

from __future__ import annotations

from time import perf_counter

from benchmarks import raw
from benchmarks.data.population import Population
from benchmarks.report import Result
from benchmarks.watching import Watch
from benchmarks.web import serve

PIECE = 1 << 20
MIB = 1 << 20
WARM_UP = 20


def whole(population: Population) -> list[Result]:
    """Measure the seconds to the first byte, and the MiB by which the server grows."""
    tenant = population.big
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)
        for _ in range(WARM_UP):
            caller.read("GET", "/contact", {"p": "1", "n": "100"})
        before = web.memory()
        with Watch(web.memory) as memory:
            started = perf_counter()
            response = caller.open("GET", "/contact")
            start = response.read(1)
            first = perf_counter() - started
            assert response.status == 200, response.status
            size, tail = len(start), b""
            while piece := response.read(PIECE):
                size, tail = size + len(piece), (tail + piece)[-200:]
            taken = perf_counter() - started
    assert f'"totalCount":{tenant.contacts},'.encode() in tail, tail
    figures = (
        f"{tenant.contacts:,} contacts, {size / MIB:,.0f} MiB in {taken:.1f} s ({tenant.contacts / taken:,.0f} rows/s)"
    )
    return [
        Result("the unpaginated list: first byte", figures, first, 1.0, unit="s"),
        Result(
            "the unpaginated list: growth of the web server",
            f"RSS of its processes {before / MIB:.0f} MiB before, at most {memory.most / MIB:.0f} MiB",
            (memory.most - before) / MIB,
            100,
            unit="MiB",
        ),
    ]
