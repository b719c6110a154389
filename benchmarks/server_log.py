"""The cost of the request log: the same requests to two web servers, with and without it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from statistics import median, quantiles
from time import perf_counter

from benchmarks import raw
from benchmarks.data.population import Population
from benchmarks.report import Result
from benchmarks.timing import ms, seconds
from benchmarks.web import Caller, serve

QUERY = {"p": "1", "n": "20"}
CALLERS = 8
BLOCK_SECONDS = 1.5
ROUNDS = 16
SINGLE = 40
"""The requests of a single caller to each server in a round."""


def server_log(population: Population) -> list[Result]:
    """Measure requests per second under load, and a single caller's times, in a company without contacts."""
    key = population.other.key
    file = raw.log_file()
    with serve(file) as logging, serve(file.with_suffix(".silent.log"), SERVER_LOG_DAYS="0") as silent:
        servers = (logging, silent)
        alone = [partial(web.caller(key).read, "GET", "/contact", QUERY) for web in servers]
        crowds = [[web.caller(key) for _ in range(CALLERS)] for web in servers]
        for crowd in crowds:
            _rate(crowd)
        rates: list[list[float]] = [[], []]
        times: list[list[float]] = [[], []]
        for turn in range(ROUNDS):
            for position in (turn % 2, 1 - turn % 2):
                rates[position].append(_rate(crowds[position]))
            _alternate(alone, times)
    with_log, without = (median(found) for found in rates)
    (p50, p95), (plain50, plain95) = ((median(found), quantiles(found, n=20)[-1]) for found in times)
    what = "GET /contact, n=20, of an empty list, with the server log against without"
    return [
        Result(
            f"{what}: requests a second", f"{with_log:.0f} and {without:.0f}", with_log / without, 0.95, at_least=True
        ),
        Result("the same: median time of one caller alone", f"{ms(p50)} and {ms(plain50)}", p50 / plain50, 1.05),
        Result("the same: 95th percentile", f"{ms(p95)} and {ms(plain95)}", p95 / plain95),
    ]


def _rate(crowd: list[Caller]) -> float:
    """Return the requests per second of all callers together."""
    begun = perf_counter()
    end = begun + BLOCK_SECONDS
    counts = [0] * len(crowd)

    def call(number: int) -> None:
        while perf_counter() < end:
            crowd[number].read("GET", "/contact", QUERY)
            counts[number] += 1

    threads = [threading.Thread(target=call, args=(number,)) for number in range(len(crowd))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (perf_counter() - begun)


def _alternate(sides: list[Callable[[], object]], times: list[list[float]]) -> None:
    for step in range(SINGLE):
        for position in (step % 2, 1 - step % 2):
            times[position].append(seconds(sides[position]))
