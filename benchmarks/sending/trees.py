"""python -m benchmarks.sending.trees TREE [--rounds N] [--messages N]: today's sending against an older version of the
whole product, checked out in the folder TREE, in turns and at the same mail server (docs/benchmarks.md says which).

Each version runs on servers of its own, which stand still while it is the other's turn. The older one is measured by
the benchmarks of today, which lie over its own: rounds.py uses nothing but what both have.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import django
import orjson

if TYPE_CHECKING:
    from benchmarks.sending.rounds import Run

TODAY = Path(__file__).resolve().parents[2]
SCALE = 0.015
"""Of the population: some thousand contacts that get a message."""
SIXTH = 6
"""The former loops send so small a part of the messages."""
SIDES = {"whole": "the former tree", "former": "the former loop, with what it shares of today", "new": "today"}


def main() -> int:
    """Measure the three loops in turns, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sending.trees")
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--messages", type=int, default=6000)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from benchmarks.sending.rounds import Run, middle, sink

    runs: dict[str, list[Run]] = {side: [] for side in SIDES}
    with sink() as port, _tree(options.tree.resolve(), port) as older, _tree(TODAY, port) as today:
        for _ in range(options.rounds):
            for side, found in runs.items():
                count = options.messages if side == "new" else options.messages // SIXTH
                found.append(Run(**_ask(older if side == "whole" else today, side, count)))
    new = middle(runs["new"])
    print(f"\n| Loop | Messages a second | Today is | Processor's time of a message | Today takes |\n|{'---|' * 5}")
    for side, found in runs.items():
        one = middle(found)
        faster = median(b.rate / a.rate for a, b in zip(found, runs["new"], strict=True))
        print(
            f"| {SIDES[side]} | {one.rate:,.0f} | {faster:.1f} x as fast |"
            f" {one.cpu:.2f} ms (worker {one.worker:.2f}, PostgreSQL {one.postgres:.2f}) |"
            f" 1/{one.cpu / new.cpu:.1f} |"
        )
    return 0


@contextmanager
def _tree(tree: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """Run a version on servers of its own, with messages to send. Yields the process that runs its rounds."""
    with ExitStack() as stack:
        over = Path(stack.enter_context(TemporaryDirectory()))
        (over / "benchmarks").symlink_to(TODAY / "benchmarks")
        environment = {**os.environ, "PYTHONPATH": f"{over}:{tree}", "PYTHONSAFEPATH": "1"}
        environment.pop("DATABASE_URL", None)
        side = [sys.executable, "-m", "benchmarks.sending.trees_side", str(port), str(SCALE)]
        server = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "config.local.embedded", "run", "--durable", "--", *side],
                cwd=tree,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        assert server.stdin is not None
        assert server.stdout is not None
        if server.stdout.readline() != "ready\n":
            raise SystemExit(f"the version in {tree} could not be prepared")
        yield server
        server.stdin.close()


def _ask(server: subprocess.Popen[str], side: str, count: int) -> dict[str, float]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{side} {count}\n")
    server.stdin.flush()
    found: dict[str, float] = orjson.loads(server.stdout.readline())
    print(side, count, found, file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
