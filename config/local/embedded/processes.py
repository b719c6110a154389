"""Start, recognize and end server processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import psutil

from config.local.embedded.accounts import Account, account_arguments
from config.local.embedded.errors import EmbeddedServerError

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
LOG_LIMIT = 10 * 1024 * 1024
NOTE_EVERY = 5.0

# The Popen objects of servers are kept, since a server without one would become a zombie when it ends.
_children: dict[int, tuple[subprocess.Popen[bytes], list[str]]] = {}


def open_private(path: Path, flags: int) -> int:
    """Open a file of the data directory with mode 600. Root's files belong to the directory's owner."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def spawn(command: Sequence[str | Path], *, log: Path, account: Account | None) -> subprocess.Popen[bytes]:
    """Start a server in a new session, so that neither Ctrl-C nor the end of this process ends it."""
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_suffix(".old.log"))
    arguments = [os.fspath(part) for part in command]
    output = open_private(log, os.O_WRONLY | os.O_APPEND)
    try:
        child = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=ENVIRONMENT,
            start_new_session=True,
            **account_arguments(account),
        )
    finally:
        os.close(output)
    _children[child.pid] = child, arguments
    return child


def is_running(pid: int, *, argument: str | Path) -> bool:
    """Return whether process `pid` runs and was started with this argument. Another program may have got the id."""
    if pid in _children:
        child, command = _children[pid]
        if child.poll() is None:
            # The kernel may not know the arguments of a process that is just starting.
            return os.fspath(argument) in command
        del _children[pid]
    try:
        return not is_gone(pid) and os.fspath(argument) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def is_gone(pid: int) -> bool:
    """Return whether a process has ended. A zombie counts as ended."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def working_in(folder: Path, *, name: str) -> list[int]:
    """Return the ids of processes called `name` with the working directory `folder`."""
    ids = []
    for process in psutil.process_iter():
        try:
            if process.name() == name and process.cwd() == os.fspath(folder):
                ids.append(process.pid)
        except psutil.Error:
            continue
    return ids


def end_process(pid: int, *, argument: str | Path, signals: Iterable[tuple[signal.Signals, float]]) -> None:
    """Send signals, each with its timeout in seconds, until the process has ended."""
    for number, patience in signals:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        except PermissionError:
            raise EmbeddedServerError(
                f"process {pid} ({argument}) belongs to another user, who has to stop it"
            ) from None
        if wait_until(lambda: not is_running(pid, argument=argument), seconds=patience):
            return
    raise EmbeddedServerError(f"process {pid} ({argument}) does not end; look at it by hand")


def end_quickly(pid: int) -> None:
    """End a process that needs no cleanup."""
    for number, patience in ((signal.SIGQUIT, 3.0), (signal.SIGKILL, 10.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        if wait_until(lambda: is_gone(pid), seconds=patience):
            return


def wait_until(condition: Callable[[], bool], *, seconds: float, every: float = 0.02) -> bool:
    """Poll `condition` for at most `seconds`. Returns whether it came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(every)
    return True


def wait_ready(ready: Callable[[], bool], *, alive: Callable[[], bool], what: str, log: Path, seconds: float) -> None:
    """Wait up to `seconds` for a starting server, as long as it runs, and print its progress now and then.

    Recovery after a crash may take minutes, so a running server continues even after the time is up.
    """
    started = reported_at = time.monotonic()
    while not ready():
        now = time.monotonic()
        if not alive():
            raise EmbeddedServerError(f"{what} ended while starting; the end of {log}:\n{tail(log)}")
        if now - started > seconds:
            raise EmbeddedServerError(
                f"{what} has been starting for {seconds:.0f} s and goes on; try again later."
                f" The end of {log}:\n{tail(log)}"
            )
        if now - reported_at > NOTE_EVERY:
            reported_at = now
            print(f"{what} is still starting after {now - started:.0f} s: {tail(log, lines=1)}", flush=True)
        time.sleep(0.03)


def tail(log: Path, *, lines: int = 20) -> str:
    """Return the last lines of a log file."""
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 8192))
            text = file.read().decode(errors="replace")
    except OSError as error:
        return f"(no log: {error})"
    return "\n".join(text.splitlines()[-lines:])
