"""Shares of a pool: long work leaves processes to quick work, and a killed process gives its place back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from config.data_dir import PROJECT
from config.worker import GROUPS, PARTS, main_processes, worker_command
from core.jobs import celery_tasks, shares
from core.jobs.registry import QueueWork
from core.jobs.shares import Shares

HOLDER = """
import os, signal, sys
from core.jobs import shares
shares.ask_for_tick = lambda: print("tick", flush=True)
pool = shares.Shares([("import,bulk", 1), ("outreach", 2)])
def fork(queue):
    r, w = os.pipe()
    child = os.fork()
    if child == 0:
        with pool.place(queue) as free:
            os.write(w, b"1" if free else b"0")
            if not free:
                os._exit(0)
            signal.sigwait([signal.SIGTERM])
        os._exit(0)
    return child, os.read(r, 1) == b"1"
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
for line in sys.stdin:
    verb, value = line.split()
    if verb == "hold":
        print(*fork(value), flush=True)
    else:
        os.kill(int(value), signal.SIGKILL if verb == "kill" else signal.SIGTERM)
        os.waitpid(int(value), 0)
        print("ended", flush=True)
"""


class Pool:
    """A process that forks others, which take places, as the pool of a worker does."""

    def __init__(self) -> None:
        code = f"import django; django.setup()\n{HOLDER}"
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ask(self, verb: str, value: object) -> str:
        """Send a command. Returns the next line of the answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{verb} {value}\n")
        self.process.stdin.flush()
        return self.read()

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def hold(self, queue: str) -> tuple[int, bool]:
        """Let a new process take a place of the queue. Returns its id, and whether there was a place."""
        pid, free = self.ask("hold", queue).split()
        return int(pid), free == "True"


@pytest.fixture
def pool() -> Iterator[Pool]:
    running = Pool()
    yield running
    os.killpg(running.process.pid, signal.SIGKILL)
    running.process.communicate()


def test_processes_of_a_pool_share_their_places(pool: Pool) -> None:
    held = [pool.hold(queue) for queue in ("import", "bulk", "outreach", "outreach", "outreach", "send", "send")]
    assert [free for _, free in held] == [True, False, True, True, False, True, True]
    first, last = held[0][0], held[3][0]
    assert pool.ask("kill", first) == "ended"
    again, free = pool.hold("bulk")
    assert free
    # A process was refused, so the work is asked for again as soon as a place is free.
    assert pool.ask("end", last) == "tick"
    assert pool.read() == "ended"
    assert pool.ask("end", again) == "tick"
    assert pool.read() == "ended"
    assert pool.ask("end", held[2][0]) == "ended"
    assert [pool.hold("outreach")[1] for _ in range(3)] == [True, True, False]


def test_work_without_a_place_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[float] = []
    work = QueueWork("shared", ran.append, due_rows=lambda now: [], queue="import", task="test.shared")
    monkeypatch.setattr(celery_tasks, "close_old_connections", lambda: None)
    monkeypatch.setattr(celery_tasks, "current_hold", lambda: None)
    monkeypatch.setattr(shares, "_shares", None)
    shares.set_shares(("import,bulk=1",))
    celery_tasks.drain_slice(work)
    assert len(ran) == 1
    monkeypatch.setattr(Shares, "_lock", lambda pool, share: None)
    celery_tasks.drain_slice(work)
    assert len(ran) == 1
    shares.set_shares(())
    celery_tasks.drain_slice(work)
    assert len(ran) == 2


def test_main_leaves_processes_to_quick_work() -> None:
    arguments = worker_command("main", main_processes(2))
    limits = [argument.partition("=")[2] for argument in arguments if argument.startswith("--share")]
    assert limits == [f"workflows={PARTS['quick'].processes}", "import,bulk=1", "outreach=2"]
    assert arguments[arguments.index("-c") + 1] == "5"
    queues = {queue for part in PARTS.values() for queue in part.queues.split(",")}
    assert queues == set(GROUPS["main"].queues.split(","))
    assert not any("--share" in argument for name in (*PARTS, "ai") for argument in worker_command(name))
