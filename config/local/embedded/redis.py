"""The embedded Redis (Valkey): start, recognize, stop. It only notifies workers, so it stores nothing on disk."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

from config.data_dir import make_data_dir
from config.local.embedded import places, processes
from config.local.embedded.binaries import redis_program
from config.local.embedded.places import REDIS_SOCKET, Places

START_PATIENCE = 60.0
STOP_SIGNALS = ((signal.SIGTERM, 10.0), (signal.SIGKILL, 10.0))


def url(data: Path) -> str:
    """Return the address of the embedded Redis in redis-py's form, even if the server doesn't run."""
    return f"unix://{places.socket_dir(data) / REDIS_SOCKET}?db=0"


def ensure(data: Path) -> str:
    """Start the server of `data` unless it runs. Returns its address."""
    make_data_dir(data)
    with places.lock_data_dir(data):
        here = places.prepare(data)
        address = here.run / REDIS_SOCKET
        pid = _running_pid(here.run)
        if pid is not None and not _answers(address):
            # It runs but doesn't answer: it is starting, or has lost its socket. It has no data to wait for.
            processes.end_process(pid, argument=address, signals=STOP_SIGNALS)
            pid = None
        if pid is None:
            pid = _start(here, address)
        processes.wait_ready(
            lambda: _answers(address),
            alive=lambda: processes.is_running(pid, argument=address),
            what="Redis",
            log=here.log / "redis.log",
            seconds=START_PATIENCE,
        )
    return url(data)


def stop(data: Path) -> bool:
    """Stop the server of `data` within a time limit. Returns whether one ran."""
    if not data.exists():
        return False
    with places.lock_data_dir(data):
        run = places.socket_dir(data)
        pid = _running_pid(run)
        if pid is None:
            return False
        processes.end_process(pid, argument=run / REDIS_SOCKET, signals=STOP_SIGNALS)
        return True


def status(data: Path) -> int | None:
    """Return the process id of the server of `data`, or None."""
    return _running_pid(places.socket_dir(data))


def _start(here: Places, address: Path) -> int:
    (here.run / "redis.pid").unlink(missing_ok=True)
    address.unlink(missing_ok=True)
    options = {
        "port": "0",
        "unixsocket": os.fspath(address),
        "unixsocketperm": "700",
        "pidfile": os.fspath(here.run / "redis.pid"),
        "dir": os.fspath(here.run),
        "save": "",
        "appendonly": "no",
        "maxmemory": "512mb",
        # An error is better than silently dropped messages; the tick finds the work in PostgreSQL anyway.
        "maxmemory-policy": "noeviction",
        # The arguments stay as they are, since they identify the process.
        "set-proc-title": "no",
    }
    command: list[str | Path] = [redis_program(here.account)]
    for name, value in options.items():
        command += [f"--{name}", value]
    return processes.spawn(command, log=here.log / "redis.log", account=here.account).pid


def _running_pid(run: Path) -> int | None:
    """Return the process id of the server with this socket. A pid file with another program's id doesn't count."""
    try:
        pid = int((run / "redis.pid").read_text())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return pid if processes.is_running(pid, argument=run / REDIS_SOCKET) else None


def _answers(address: Path) -> bool:
    """Return whether a server answers on this socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        try:
            client.connect(os.fspath(address))
            client.sendall(b"PING\r\n")
            return client.recv(7) == b"+PONG\r\n"
        except OSError:
            return False
