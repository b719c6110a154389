"""The supervisor: starts servers, migrations, demo and programs, keeps them running, and stops them."""

from __future__ import annotations

import http.client
import os
import selectors
import signal
import time
from collections.abc import Mapping
from types import FrameType
from typing import cast

from config.local import embedded
from config.local.embedded import postgres, redis
from config.local.ports import choose_ports
from config.local.supervisor.children import Child
from config.local.supervisor.guardian import Guardian
from config.local.supervisor.options import hold_port, lock_data
from config.local.supervisor.output import Output
from config.local.supervisor.programs import Options, Plan, Program
from config.servers import note_port

ME = "run"
HEALTH = "/api/public/health"
CHECK_SERVERS_EVERY = 2.0
WEB_PATIENCE = 120.0


class _StopError(Exception):
    """A stop was requested during a wait."""


class Supervisor:
    """Everything that one `make run` runs."""

    def __init__(self, options: Options, plan: Plan, environment: Mapping[str, str]) -> None:
        self._options = options
        self._plan = plan
        self._environment = dict(environment) | {"LEADWRIGHT_DATA": os.fspath(options.data), "PYTHONUNBUFFERED": "1"}
        self._environment |= {"HOST": options.host, "PORT": str(options.port)} | ({"DEMO": "1"} if options.demo else {})
        self._environment["WEB_CONCURRENCY"] = str(options.web_concurrency)
        # `migrate` has checked by the time that workers start; each of them would look through all models once more.
        self._environment["CELERY_SKIP_CHECKS"] = "1"
        # One heap for the threads of a process: glibc would keep what each of them has used once.
        self._environment.setdefault("MALLOC_ARENA_MAX", "1")
        self._output = Output()
        self._selector = selectors.DefaultSelector()
        self._children: list[Child] = []
        self._stops = 0
        self._waiting = False
        self._banner: str | None = None
        self._own_postgres = not environment.get("DATABASE_URL")
        self._own_redis = not environment.get("REDIS_URL")
        self._checked = 0.0

    def run(self) -> int:
        """Start, keep running, stop. Returns the exit code. Raises UnusableError before anything has started."""
        lock = lock_data(self._options.data)
        port = hold_port(self._options)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._asked_to_stop)
        self._guardian = Guardian(
            lock=lock, servers=self._options.data if self._own_postgres or self._own_redis else None
        )
        code = 0
        try:
            code = self._set_up()
            if code == 0:
                self._keep_running()
        except _StopError:
            pass
        finally:
            self._stop()
            self._guardian.dismiss()
            if port is not None:
                port.close()
        return code

    def _asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stops += 1
        if self._waiting:
            self._waiting = False
            raise _StopError

    def _print(self, text: str) -> None:
        self._output.line(ME, text)

    # Setting up

    def _set_up(self) -> int:
        note_port(self._options.data, self._options.port)
        if self._options.demo:
            choose_ports(self._options.data)
        self._start_servers()
        self._options.banner.unlink(missing_ok=True)
        self._print("Bringing the database up to date")
        if not self._succeeds(self._plan.prepare):
            self._print("The migrations failed (see above); nothing is started")
            return 1
        self._banner = f"Leadwright answers at {self._options.address}; Ctrl-C stops it."
        if self._options.banner.exists():
            self._banner = self._options.banner.read_text()
        self._children = [
            Child(program, environment=self._environment, say=self._output.line) for program in self._plan.programs
        ]
        return 0

    def _start_servers(self) -> None:
        """Start the embedded servers that are needed and don't run. The programs get their addresses."""
        self._waiting = True
        if self._own_postgres and postgres.status(self._options.data) is None:
            self._print("Starting PostgreSQL")
        if self._own_postgres:
            self._environment["DATABASE_URL"] = embedded.ensure_postgres(self._options.data)
        if self._own_redis and redis.status(self._options.data) is None:
            self._print("Starting Redis")
        if self._own_redis:
            self._environment["REDIS_URL"] = embedded.ensure_redis(self._options.data)
        self._waiting = False

    def _succeeds(self, program: Program) -> bool:
        """Run a command. Returns whether it succeeded. A stop ends it at once."""
        child = Child(program, environment=self._environment, say=self._output.line)
        self._listen(child)
        end_text = None
        while end_text is None:
            if self._stops:
                child.kill()
            self._pump(0.2)
            end_text = child.describe_end()
        self._let_go(child)
        if self._stops:
            raise _StopError
        return end_text == "exit code 0"

    # Running

    def _keep_running(self) -> None:
        started = time.monotonic()
        while not self._stops and not self._output.closed:
            for child in self._children:
                self._tend(child)
            self._pump(0.25)
            self._check_servers()
            if self._banner is not None:
                self._greet(started)

    def _tend(self, child: Child) -> None:
        """Start a program after its pause, or note that it has ended."""
        if child.pid is None:
            if child.pause == 0:
                self._listen(child)
            return
        if (how := child.describe_end()) is not None:
            self._let_go(child)
            self._print(f"{child.program.name} ended by itself ({how}); it starts again in {child.pause:.0f} s")

    def _listen(self, child: Child) -> None:
        self._selector.register(child.start(), selectors.EVENT_READ, child)
        self._guardian.add(cast(int, child.pid))

    def _let_go(self, child: Child) -> None:
        for key in [key for key in self._selector.get_map().values() if key.data is child]:
            self._selector.unregister(key.fileobj)
        group = cast(int, child.pid)
        child.forget()
        self._guardian.remove(group)

    def _pump(self, seconds: float) -> None:
        """Pass on the programs' output. Waits up to `seconds` if there is none."""
        if not self._selector.get_map():
            time.sleep(seconds)
            return
        for key, _ in self._selector.select(seconds):
            if key.data.pump() == 0:
                self._selector.unregister(key.fileobj)

    def _check_servers(self) -> None:
        """Restart an embedded server that was killed. Its address stays the same."""
        now = time.monotonic()
        if now - self._checked < CHECK_SERVERS_EVERY:
            return
        self._checked = now
        lost_servers = [
            name
            for name, own, server in (("PostgreSQL", self._own_postgres, postgres), ("Redis", self._own_redis, redis))
            if own and server.status(self._options.data) is None
        ]
        if lost_servers:
            self._print(f"{' and '.join(lost_servers)} ended unexpectedly")
            try:
                self._start_servers()
            except (embedded.EmbeddedServerError, OSError) as error:  # OSError: such as a full disk
                self._waiting = False
                self._print(f"{error}; trying again")

    def _greet(self, started: float) -> None:
        """Show the banner, once the web server answers."""
        if self._answers():
            self._output.block(self._banner or "")
            self._banner = None
        elif time.monotonic() - started > WEB_PATIENCE:
            self._print(
                f"The web server has not answered at {self._options.address}{HEALTH} for {WEB_PATIENCE:.0f} s;"
                " see its lines above"
            )
            self._banner = None

    def _answers(self) -> bool:
        # The web server's address, as seen from this machine.
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._options.host, self._options.host)  # noqa: S104
        connection = http.client.HTTPConnection(host, self._options.port, timeout=2)
        try:
            connection.request("GET", HEALTH, headers={"Host": "127.0.0.1"})
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    # Stopping

    def _stop(self) -> None:
        """End the programs in their order, then the servers. After a second Ctrl-C it kills programs at once."""
        self._print("Stopping; press Ctrl-C again to hurry" if self._children else "Stopping")
        for turn in sorted({child.program.stop_after for child in self._children}):
            self._end([child for child in self._children if child.pid is not None and child.program.stop_after == turn])
        if self._own_redis:
            embedded.stop_redis(self._options.data)
        if self._own_postgres:
            embedded.stop_postgres(self._options.data)
        self._print("Stopped")

    def _end(self, children: list[Child]) -> None:
        deadlines = {child: time.monotonic() + child.program.patience for child in children}
        for child in children:
            child.terminate()
        while children:
            for child in list(children):
                if child.describe_end() is None and (self._stops > 1 or time.monotonic() > deadlines[child]):
                    self._print(
                        f"{child.program.name} did not end in time and is killed;"
                        " what it was doing is taken up at the next start"
                    )
                    child.kill()
                    deadlines[child] = time.monotonic() + 5
                if child.describe_end() is not None:
                    self._let_go(child)
                    children.remove(child)
            self._pump(0.05)
