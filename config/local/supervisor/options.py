"""The supervisor's options from the environment, validated before anything starts."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from config.data_dir import make_data_dir
from config.local.embedded.processes import open_private
from config.local.supervisor.programs import Options
from config.worker import PARTS

# The guardian of a killed supervisor may need that long.
GUARDIAN_PATIENCE = 90.0
MAX_PORT = 65535


class UnusableError(Exception):
    """Leadwright can't start. The text describes the reason and its remedy."""


def read_options(environment: Mapping[str, str], *, data: Path, demo: bool) -> Options:
    """Read HOST, PORT, WEB_CONCURRENCY and WORKER_CONCURRENCY. Raises UnusableError."""
    quick = PARTS["quick"].processes
    return Options(
        host=environment.get("HOST") or "127.0.0.1",
        port=_number(environment, "PORT", default=8000, lowest=1, highest=MAX_PORT),
        data=data,
        demo=demo,
        web_concurrency=_number(environment, "WEB_CONCURRENCY", default=1, lowest=1, highest=64),
        worker_concurrency=_number(environment, "WORKER_CONCURRENCY", default=quick, lowest=1, highest=64),
    )


def _number(environment: Mapping[str, str], name: str, *, default: int, lowest: int, highest: int) -> int:
    text = environment.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not lowest <= int(text) <= highest:
        raise UnusableError(f"{name} must be a whole number from {lowest} to {highest}, not {text!r}")
    return int(text)


def hold_port(options: Options) -> socket.socket | None:
    """Return a socket that keeps other programs off the port. Raises UnusableError if the web server couldn't listen.

    The web server's own sockets share ports (SO_REUSEPORT): a second service that starts before the first one listens
    would take half of its requests.
    """
    require_free_port(options)
    family, kind, protocol, _, address = _address_of(options)
    holder = socket.socket(family, kind, protocol)
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        holder.bind(address)
    except OSError:
        # Connections of a program that has just ended keep a port for a minute, from this socket alone.
        holder.close()
        return None
    return holder


def _address_of(options: Options) -> tuple[int, int, int, str, Any]:
    return socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)[0]


def require_free_port(options: Options) -> None:
    """Raise UnusableError if the web server couldn't listen."""
    try:
        family, kind, protocol, _, address = _address_of(options)
    except socket.gaierror as error:
        raise UnusableError(f"HOST {options.host!r} isn't an address of this machine: {error.strerror}") from error
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                other = options.port + 1 if options.port < MAX_PORT else options.port - 1
                raise UnusableError(
                    f"port {options.port} of {options.host} is in use; choose another one: PORT={other} make run"
                ) from error
            raise UnusableError(
                f"can't listen on {options.host} port {options.port}: {error.strerror}; set HOST and PORT"
            ) from error


def lock_data(data: Path) -> int:
    """Lock the data directory. Returns the lock's descriptor; the system frees it when its holders end."""
    make_data_dir(data)
    descriptor = open_private(data / "supervisor.lock", os.O_RDWR)
    deadline = time.monotonic() + GUARDIAN_PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
            if time.monotonic() > deadline or (holder.isdigit() and psutil.pid_exists(int(holder))):
                os.close(descriptor)
                raise UnusableError(
                    f"Leadwright already runs on {data} (process {holder}); stop it, or set LEADWRIGHT_DATA and PORT"
                ) from None
            time.sleep(0.2)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor
