"""The web server: python -m config.web listens at HOST and PORT with WEB_CONCURRENCY processes of WEB_THREADS threads.

After SIGTERM, requests may finish (REQUEST_SECONDS at most). SIGHUP replaces the processes one by one with the current
code, and refuses no connection during that time. If the code cannot be loaded, the processes stay. No Django here: the
processes import it.

Private parts of granian 2.8.7: the listening sockets of MPServer, and how it starts and replaces processes.
"""

from __future__ import annotations

import os
import select
import socket
from collections import deque
from time import monotonic
from typing import Any, cast

from granian.constants import HTTPModes, Interfaces
from granian.log import logger
from granian.net import SocketSpec
from granian.server.mp import MPServer

from config.data_dir import data_dir
from config.web_threads import REQUEST_SECONDS, web_threads
from core.types import JsonObject

START_SECONDS = 120.0
"""Seconds that an old process continues to serve, at a reload, while the new one loads the application."""
MAX_CRASHES = 30
"""Deaths of processes in a minute, for each, after which the server gives up: code that cannot be imported."""


LOG_AS_JSON: JsonObject = {
    "formatters": {name: {"()": "core.logs.JsonFormatter"} for name in ("generic", "access")},
}
"""Granian's own lines, in the format of the others."""


class Server(MPServer):
    """Granian, but no connection is refused or reset when its processes are killed, however often.

    Granian's own processes have a socket each, so that a killed one drops its waiting connections. Granian also stops
    all of them if one dies twice within 5.5 seconds.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deaths: deque[float] = deque()

    def _init_shared_socket(self) -> None:
        self._shd: Any = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        self._sso = socket.socket(fileno=self._shd.get_fd())
        # One socket for all processes: who is in its queue is served by another one if one dies.
        self._sso.set_inheritable(True)
        self._sso.listen(self.backlog)  # who comes before the first process is there waits for it

    def _respawn_workers(self, workers: list[int], spawn_target: Any, target_loader: Any, delay: float = 0) -> None:
        """Replace processes that have died, or with a delay those that live, which serve until the new one does."""
        if delay:
            for index in workers:
                if not self._replace(index, spawn_target, target_loader):
                    break
        else:
            super()._respawn_workers(workers, spawn_target, target_loader)
            self._note_deaths(len(workers))
        # One that died while the list of the dead was being emptied is in no list.
        dead = [index for index, worker in enumerate(cast("list[Any]", self.wrks)) if not worker.is_alive()]
        if dead:
            self.interrupt_children.extend(index for index in dead if index not in self.interrupt_children)
            self.main_loop_interrupt.set()

    def _replace(self, index: int, spawn_target: Any, target_loader: Any) -> bool:
        """Replace a process. Returns False, and keeps the old one, where the new one cannot load the application."""
        receiver, tell = os.pipe()
        old: Any = self.wrks[index]
        new: Any = self._spawn_worker(index, spawn_target, _Telling(target_loader, tell))
        new.interrupt_by_parent = True  # until it serves, its end is no matter of the server's
        new.start()
        os.close(tell)
        # The old process goes on serving until the new one has loaded the application.
        ready = self._hears(receiver)
        os.close(receiver)
        if not ready:
            new.kill()
            logger.error(f"The application cannot be loaded: worker-{index + 1} stays as it was")
            return False
        new.interrupt_by_parent = False
        self.wrks[index] = new
        old.terminate()
        old.join(REQUEST_SECONDS)
        if old.is_alive():
            old.kill()
        return True

    def _hears(self, receiver: int) -> bool:
        ends = monotonic() + START_SECONDS
        while not self.interrupt_signal and monotonic() < ends:
            if select.select([receiver], [], [], 0.2)[0]:
                return os.read(receiver, 1) == b"."
        return False

    def _note_deaths(self, number: int) -> None:
        now = monotonic()
        self._deaths.extend([now] * number)
        while self._deaths[0] < now - 60:
            self._deaths.popleft()
        # Below the limit the parent's own counter is cleared, which would stop the server after two deaths.
        if len(self._deaths) <= MAX_CRASHES * self.workers:
            self.respawned_wrks.clear()


class _Telling:
    """Loads the application in a new process, and notifies its parent by a pipe."""

    def __init__(self, load: Any, descriptor: int) -> None:
        self._load = load
        self._descriptor = descriptor

    def __call__(self) -> Any:
        application = self._load()
        os.write(self._descriptor, b".")
        os.close(self._descriptor)
        return application


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    port = int(os.environ.get("PORT") or 8000)
    os.environ["DATABASE_ANSWER_SECONDS"] = str(REQUEST_SECONDS)  # core.tenancy.postgresql.answers
    for path in (data_dir() / "metrics" / str(port)).glob("*.db"):  # by processes of an earlier start
        path.unlink()
    Server(
        "config.wsgi:application",
        address=os.environ.get("HOST") or "127.0.0.1",
        port=port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=int(os.environ.get("WEB_CONCURRENCY") or min(4, os.cpu_count() or 1)),
        blocking_threads=web_threads(),
        respawn_failed_workers=True,
        workers_kill_timeout=REQUEST_SECONDS,
        log_dictconfig=LOG_AS_JSON if os.environ.get("LOG_FORMAT") == "json" else None,
    ).serve()


if __name__ == "__main__":
    main()
