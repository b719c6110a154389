"""python -m benchmarks [NAME …] [--scale S]: run benchmarks and print one table (docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import django

from benchmarks.report import Result, table

if TYPE_CHECKING:
    from benchmarks.data.population import Population

log = logging.getLogger(__name__)

WRITING = frozenset({"bulk", "lead-bulk", "import", "send", "workflows", "workflow-import", "renewals", "segments"})
"""The benchmarks that write, each into a copy of the database, so that they run in any order."""


def main(arguments: Sequence[str]) -> int:
    """Run the named benchmarks, or all. Returns exit code 1 if a target was missed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    django.setup()
    from benchmarks import bulk, imports, lead_bulk, lists, renewals, segments, server_log, whole, workflows
    from benchmarks.data.population import populate
    from benchmarks.sending import throughput

    benchmarks: dict[str, Callable[[Population], list[Result]]] = {
        "page": lists.page,
        "deep": lists.deep,
        "custom": lists.custom,
        "sorts": lists.sorts,
        "search": lists.search,
        "lead-page": partial(lists.page, listed=lists.LEADS),
        "lead-deep": partial(lists.deep, listed=lists.LEADS),
        "lead-custom": partial(lists.custom, listed=lists.LEADS),
        "lead-sorts": partial(lists.sorts, listed=lists.LEADS),
        "lead-search": partial(lists.search, listed=lists.LEADS),
        "whole": whole.whole,
        "log": server_log.server_log,
        "bulk": bulk.bulk,
        "lead-bulk": lead_bulk.lead_bulk,
        "import": imports.imports,
        "send": throughput.sending,
        "workflows": workflows.workflows,
        "workflow-import": workflows.imports,
        "renewals": renewals.renewals,
        "segments": segments.segments,
    }
    options = _parse(arguments, list(benchmarks))
    started = monotonic()
    _migrate()
    say(f"loading {int(1_000_000 * options.scale):,} contacts in 20 companies …")
    population = populate(options.scale)
    say(
        f"{population.total:,} contacts in {monotonic() - started:.0f} s,"
        f" {population.big.contacts:,} of them in one company"
    )
    results = [
        result for name in options.names or benchmarks for result in _measure(name, benchmarks[name], population)
    ]
    print(
        f"\nLeadwright, scale {options.scale:g}, {os.cpu_count()} cores, {monotonic() - started:.0f} s"
        f"\n\n{table(results)}"
    )
    return 1 if any(result.met is False for result in results) else 0


def _parse(arguments: Sequence[str], names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        choices=[*names, []],
        metavar="NAME",
        help=f"of {', '.join(names)}; all when left out",
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="1 is 1,000,000 contacts and rows to import; 0.1 is quick"
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(names):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    if not 0.001 <= options.scale <= 10:
        parser.error("--scale: from 0.001 to 10")
    return options


def _measure(name: str, benchmark: Callable[[Population], list[Result]], population: Population) -> list[Result]:
    """Run one benchmark. A benchmark that raises gives one line with the error, and the others continue."""
    from benchmarks.data.copies import on_a_copy

    begun = monotonic()
    try:
        with on_a_copy() if name in WRITING else nullcontext():
            found = benchmark(population)
    except Exception as error:  # noqa: BLE001  the edge of one benchmark
        log.exception("%s could not be measured", name)
        found = [Result(f"{name}: {type(error).__name__}", str(error)[:120], float("nan"), aim=0.0)]
    say(f"{name} in {monotonic() - begun:.0f} s: {', '.join(result.cells()[2] for result in found)}")
    return found


def _migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)


def say(text: str) -> None:
    """Report progress, separately from the table."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
