"""The supervisor with small programs in place of the real ones, on real processes and, where it matters, servers."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from config.data_dir import PROJECT
from config.local.embedded import postgres, processes, redis
from config.local.embedded.throwaway import discard
from config.local.footprint import footprint
from config.local.supervisor.options import UnusableError, hold_port, read_options, require_free_port
from config.local.supervisor.programs import plan
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]

# What the programs of a plan do in these tests, written in Python: `say` prints at once, `forever` waits.
DRIVER = """
import os, sys
from pathlib import Path
from config.data_dir import data_dir
from config.local.supervisor.options import read_options
from config.local.supervisor.programs import Plan, Program
from config.local.supervisor.supervisor import Supervisor
START = (
    "import os, signal, subprocess, sys, time, http.server; from http.server import HTTPServer\\n"
    "say = lambda text: print(text, flush=True); forever = lambda: time.sleep(60); own = ('127.0.0.1',"
    " int(os.environ['PORT'])); HTTPServer.allow_reuse_port = True\\n"
)
def program(name, code, stop_after=0, patience=5.0):
    return Program(name, (sys.executable, "-c", START + code), stop_after, patience)
options = read_options(os.environ, data=data_dir(), demo=True)
{plan}
sys.exit(Supervisor(options, plan, os.environ).run())
"""
QUIET = 'migrate = program("migrate", "say(\'migrated\')")\n'
NO_SERVERS = {"DATABASE_URL": "postgresql://nowhere", "REDIS_URL": "redis://nowhere"}


class Run:
    """A running supervisor and what it has said so far."""

    def __init__(self, plan: str, data: Path, environment: dict[str, str]) -> None:
        self.data, self.port, self.text = data, _free_port(), ""
        base = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL", "HOST")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER.replace("{plan}", plan)],
            cwd=PROJECT,
            env=base | {"LEADWRIGHT_DATA": str(data), "PORT": str(self.port)} | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def wait_for(self, text: str, *, seconds: float = 30) -> None:
        """Read on until `text` has been said."""
        self._read_until(lambda: text in self.text, seconds)
        assert text in self.text, f"{text!r} never came:\n{self.text}"

    def pid_of(self, name: str) -> int:
        """The number that a program said of itself as `pid 123`, the last time it did."""
        self.wait_for(f"{name:<8} | pid ")
        return int(self.text.rpartition(f"{name:<8} | pid ")[2].split()[0])

    def end(self, *, seconds: float = 40) -> int:
        """Wait for the end; the exit code."""
        self._read_until(lambda: False, seconds)
        return self.process.wait(timeout=seconds)

    def _read_until(self, done: Callable[[], bool], seconds: float) -> None:
        assert self.process.stdout is not None
        deadline = time.monotonic() + seconds
        while not done() and (left := deadline - time.monotonic()) > 0:
            if select.select([self.process.stdout], [], [], left)[0]:
                data = os.read(self.process.stdout.fileno(), 65536)
                if not data:
                    return
                self.text += data.decode()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def data() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="lw-", dir="/tmp"))
    folder.chmod(0o711)
    (folder / postgres.THROWAWAY_MARK).touch()
    yield folder
    discard(folder)


@pytest.fixture
def start(data: Path) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def _start(plan: str, environment: dict[str, str] | None = None) -> Run:
        runs.append(Run(QUIET + plan, data, NO_SERVERS if environment is None else environment))
        return runs[-1]

    yield _start
    for run in runs:
        if run.process.poll() is None:
            run.process.kill()
            run.process.wait()
        assert run.process.stdout is not None
        run.process.stdout.close()


def _gone(*pids: int) -> bool:
    return processes.wait_until(lambda: all(processes.is_gone(pid) for pid in pids), seconds=20)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_programs_start_after_the_migrations_and_stop_in_their_order(
    start: Callable[..., Run], number: signal.Signals
) -> None:
    stopping = "lambda *a: (say('stopping'), time.sleep(0.3), say('stopped'), os._exit(0))"
    code = f"signal.signal(15, {stopping}); say('pid %d' % os.getpid()); forever()"
    table = ", ".join(
        f"program({name!r}, {code!r}, {turn})" for name, turn in (("web", 3), ("worker", 2), ("long", 2), ("beat", 1))
    )
    run = start(f"plan = Plan(migrate, ({table}))")
    pids = [run.pid_of(name) for name in ("web", "worker", "long", "beat")]
    run.process.send_signal(number)
    assert run.end() == 0
    assert run.text.index("migrate  | migrated") < run.text.index("web      | pid")
    said = [line for line in run.text.splitlines() if line.endswith(("stopping", "stopped"))]
    turns = [
        [line.split()[0] for line in said[:2]],
        sorted(line.split()[0] for line in said[2:6]),
        [line.split()[0] for line in said[6:]],
    ]
    assert turns == [["beat", "beat"], ["long", "long", "worker", "worker"], ["web", "web"]]
    assert _gone(*pids)


DEMO = """
write = "from pathlib import Path; file = Path(os.environ['LEADWRIGHT_DATA'], 'banner.txt')"
migrate = program("migrate", write + "; file.write_text('open the door\\\\nwith this key\\\\n')")
"""


def test_banner_waits_for_the_web_server(start: Callable[..., Run]) -> None:
    # This handler answers 501 to everything, as a web server does whose application isn't there.
    web = "server = HTTPServer(own, http.server.BaseHTTPRequestHandler); say('up'); server.serve_forever()"
    run = start(f"{DEMO}plan = Plan(migrate, (program('web', {web!r}),))")
    run.wait_for('"GET /api/public/health HTTP/1.1" 501')
    assert "open the door" not in run.text
    run.process.terminate()
    assert run.end() == 0


def test_banner_is_what_the_demo_said_once_the_web_server_answers(start: Callable[..., Run]) -> None:
    web = "time.sleep(0.5); HTTPServer(own, http.server.SimpleHTTPRequestHandler).serve_forever()"
    run = start(f"{DEMO}plan = Plan(migrate, (program('web', {web!r}),))")
    run.wait_for("\nopen the door\nwith this key\n")
    assert "demo     |" not in run.text


def test_banner_of_an_earlier_demo_is_not_shown(start: Callable[..., Run], data: Path) -> None:
    (data / "banner.txt").write_text("open the old door")
    web = "HTTPServer(own, http.server.SimpleHTTPRequestHandler).serve_forever()"
    run = start(f"plan = Plan(migrate, (program('web', {web!r}),))")
    run.wait_for(f"\nLeadwright answers at http://127.0.0.1:{run.port}; Ctrl-C stops it.\n")


PLAIN = """
import os, sys
own = os.getpid()
assert (os.getpgid(0), os.getsid(0), os.umask(0o077)) == (own, own, 0o077)
assert sorted(map(int, os.listdir("/proc/self/fd"))) == [0, 1, 2, 3]  # 3: the list itself
print("arguments", sys.argv[1:], os.environ["LEADWRIGHT_DATA"], flush=True)
print("pid", own, flush=True)
import time
time.sleep(60)
"""


def test_programs_have_nothing_of_the_supervisor(start: Callable[..., Run], data: Path) -> None:
    """They have a session, a group and files of their own, and `make status` shows their memory."""
    program = data / "program.py"
    program.write_text(PLAIN)
    plain = f"Program('web', (sys.executable, {str(program)!r}, 'one', 'two'), 1, 5.0)"
    run = start(f"plan = Plan(migrate, ({plain},))")
    pid = run.pid_of("web")
    assert f"arguments ['one', 'two'] {data}\n" in run.text
    parts = {part.pid: part for part in footprint(data)}
    assert (parts[pid].title.split()[1:], parts[pid].processes) == ([str(program), "one", "two"], 1)
    assert 0 < parts[pid].memory <= psutil.Process(pid).memory_info().rss
    os.kill(pid, signal.SIGKILL)
    run.wait_for("web ended by itself (signal SIGKILL); it starts again in 1 s")
    run._read_until(lambda: run.text.count("| pid ") == 2, 10)
    last = run.pid_of("web")
    run.process.terminate()
    assert run.end() == 0
    assert "did not end in time" not in run.text
    assert _gone(pid, last)


def test_failed_migration_starts_nothing(start: Callable[..., Run]) -> None:
    run = start("plan = Plan(program('migrate', 'sys.exit(3)'), (program('web', 'say(\"up\")'),))")
    assert run.end() == 1
    assert "The migrations failed" in run.text
    assert "web " not in run.text


def test_ended_program_comes_back_and_takes_nothing_of_its_past_along(start: Callable[..., Run]) -> None:
    code = (
        "child = subprocess.Popen(['sleep', '60']); say('child %d' % child.pid); say('pid %d' % os.getpid()); forever()"
    )
    run = start(f"plan = Plan(migrate, (program('worker', {code!r}),))")
    pid = run.pid_of("worker")
    grandchild = int(run.text.partition("child ")[2].split()[0])
    os.kill(pid, signal.SIGKILL)
    run.wait_for("worker ended by itself (signal SIGKILL); it starts again in 1 s")
    assert _gone(grandchild)
    run._read_until(lambda: run.text.count("| pid ") == 2, 10)
    assert run.pid_of("worker") != pid


def test_program_that_does_not_end_is_killed_and_a_second_ctrl_c_hurries(start: Callable[..., Run]) -> None:
    deaf = "signal.signal(15, signal.SIG_IGN); say('pid %d' % os.getpid()); forever()"
    run = start(f"plan = Plan(migrate, (program('worker', {deaf!r}, 1, 45.0),))")
    pid = run.pid_of("worker")
    run.process.send_signal(signal.SIGINT)
    run.wait_for("press Ctrl-C again to hurry")
    time.sleep(0.5)
    assert not processes.is_gone(pid)
    run.process.send_signal(signal.SIGINT)
    assert run.end(seconds=10) == 0
    assert "worker did not end in time and is killed" in run.text
    assert _gone(pid)


def test_killed_supervisor_leaves_no_program_and_no_server_and_the_next_one_starts(
    start: Callable[..., Run], data: Path
) -> None:
    deaf = (
        "signal.signal(15, signal.SIG_IGN); subprocess.Popen(['sleep', '60']); say('pid %d' % os.getpid()); forever()"
    )
    web = "say('pid %d' % os.getpid()); forever()"
    table = f"plan = Plan(migrate, (program('worker', {deaf!r}), program('web', {web!r})))"
    first = start(table, {})
    pids = [first.pid_of("worker"), first.pid_of("web")]
    grandchildren = [child.pid for child in psutil.Process(pids[0]).children()]
    servers = [postgres.status(data), redis.status(data)]
    assert None not in servers
    first.process.kill()
    first.process.wait()
    second = start(table, {})
    second.pid_of("worker")
    assert _gone(*pids, *grandchildren, *servers)
    second.process.terminate()
    assert second.end() == 0
    assert (postgres.status(data), redis.status(data)) == (None, None)


def test_killed_servers_come_back_while_it_runs(start: Callable[..., Run], data: Path) -> None:
    run = start(
        "plan = Plan(migrate, (program('web', \"say(os.environ['DATABASE_URL'] + ' ' + os.environ['REDIS_URL']);"
        ' forever()"),))',
        {},
    )
    run.wait_for(f"web      | {postgres.url(data)} {redis.url(data)}")
    before = postgres.status(data), redis.status(data)
    for pid in before:
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    run.wait_for("ended unexpectedly")  # of one or of both: the second may die while the first is seen to
    assert processes.wait_until(lambda: None not in (postgres.status(data), redis.status(data)), seconds=20)
    assert set(before).isdisjoint({postgres.status(data), redis.status(data)})


def test_stop_during_the_migrations_is_clean(start: Callable[..., Run]) -> None:
    run = start("plan = Plan(program('migrate', \"say('pid %d' % os.getpid()); forever()\"), ())")
    pid = run.pid_of("migrate")
    run.process.terminate()
    assert run.end() == 0
    assert _gone(pid)


def test_second_supervisor_on_the_same_data_is_refused(start: Callable[..., Run], data: Path) -> None:
    table = "plan = Plan(migrate, (program('web', \"say('pid %d' % os.getpid()); forever()\"),))"
    first = start(table)
    first.pid_of("web")
    second = start(table)
    assert second.end(seconds=10) == 1
    assert f"Leadwright already runs on {data} (process {first.process.pid})" in second.text


def test_port_in_use_is_told_with_the_way_out(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            UnusableError, match=f"port {port} of 127.0.0.1 is in use; choose another one: PORT={port + 1} make run"
        ):
            require_free_port(read_options({"PORT": str(port)}, data=data, demo=False))
        command = [sys.executable, "-m", "config.local.supervisor", "--no-demo"]
        environment = os.environ | {"PORT": str(port), "LEADWRIGHT_DATA": str(data)}
        done = subprocess.run(
            command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=30, check=False
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: port {port} of 127.0.0.1 is in use; choose another one: PORT={port + 1} make run\n"
    assert postgres.status(data) is None


def test_a_port_is_taken_from_the_start_and_not_only_once_the_web_server_listens(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = read_options({"PORT": str(port)}, data=data, demo=False)
    with hold_port(options) as holder:
        assert holder is not None
        for host in ("127.0.0.1", "0.0.0.0"):
            with pytest.raises(UnusableError, match=f"port {port} of {host} is in use"):
                hold_port(read_options({"PORT": str(port), "HOST": host}, data=data / "other", demo=False))
        # The web server shares the port.
        with (
            socket.create_server(("127.0.0.1", port), reuse_port=True) as web,
            socket.create_connection(("127.0.0.1", port)),
        ):
            web.accept()[0].close()
    require_free_port(options)


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "eighty"), ("PORT", "0"), ("PORT", "65536"), ("WEB_CONCURRENCY", "-1"), ("WORKER_CONCURRENCY", "2.5")],
)
def test_numbers_that_are_none(data: Path, name: str, value: str) -> None:
    with pytest.raises(UnusableError, match=f"{name} must be a whole number from 1 to [0-9]+, not '{value}'"):
        read_options({name: value}, data=data, demo=False)


def test_plan_covers_every_queue_and_keeps_the_catcher_for_the_demo(data: Path) -> None:
    with_demo = plan(read_options({"WORKER_CONCURRENCY": "3"}, data=data, demo=True))
    without = plan(read_options({}, data=data, demo=False))
    names = ["web", "worker", "ai"]
    assert [program.name for program in with_demo.programs] == [*names, "standins"]
    assert [program.name for program in without.programs] == names
    assert with_demo.prepare.command[-3:] == ("prepare", "--demo", str(data / "banner.txt"))
    assert without.prepare.command[-1] == "prepare"
    main, ai = (program.command for program in with_demo.programs[1:3])
    queues = "tick,send,workflows,import,bulk,outreach"
    assert main[main.index("-Q") + 1 :][:3] == (queues, "-c", "6")
    assert main[-2:] == ("--share=import,bulk=1", "--share=outreach=2")
    assert ai[ai.index("-Q") + 1 :][:3] == ("ai", "-c", "4")
    assert ai[-3:] == ("-P", "threads", "--ticks")
    assert all("--watchdog" in command for command in (main, ai))
