"""Starting, recognising and ending server processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import psutil

from config.local.embedded.accounts import Account, identity
from config.local.embedded.errors import EmbeddedServerError

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
LOG_LIMIT = 10 * 1024 * 1024
NOTE_EVERY = 5.0

# A server's Popen object is kept for as long as this process lives: dropped, it would leave a zombie when the server ends.
_children: dict[int, tuple[subprocess.Popen[bytes], list[str]]] = {}


def open_private(path: Path, flags: int) -> int:
    """Open a file of the data directory for ourselves alone; made by root, it belongs to the directory's owner."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def spawn(command: Sequence[str | Path], *, log: Path, account: Account | None) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own: neither Ctrl-C nor the end of this process reaches it."""
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
            **identity(account),
        )
    finally:
        os.close(output)
    _children[child.pid] = child, arguments
    return child


def is_running(pid: int, *, argument: str | Path) -> bool:
    """Whether process `pid` lives and was started with exactly this argument; a number that another program got by now is not."""
    if pid in _children:
        child, command = _children[pid]
        if child.poll() is None:
            # Asked of the kernel, a process that is only just being started may have no arguments yet.
            return os.fspath(argument) in command
        del _children[pid]
    try:
        return not is_gone(pid) and os.fspath(argument) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that has but that nobody waited for (a zombie) counts as gone."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def working_in(folder: Path, *, name: str) -> list[int]:
    """The ids of processes called `name` whose working directory is `folder`."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.name() == name and process.cwd() == os.fspath(folder):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def end(pid: int, *, argument: str | Path, signals: Iterable[tuple[signal.Signals, float]]) -> None:
    """Send signals one after the other, each with its patience in seconds, until the process is gone."""
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
    """End a process that has nothing to tidy up."""
    for number, patience in ((signal.SIGQUIT, 3.0), (signal.SIGKILL, 10.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        if wait_until(lambda: is_gone(pid), seconds=patience):
            return


def wait_until(condition: Callable[[], bool], *, seconds: float, every: float = 0.02) -> bool:
    """Poll `condition` for at most `seconds`; False when the time is up."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(every)
    return True


def wait_ready(ready: Callable[[], bool], *, alive: Callable[[], bool], what: str, log: Path, seconds: float) -> None:
    """Wait for a starting server as long as it lives, up to `seconds`, with a printed note now and then.

    Recovery after a crash may take minutes, so a live server is left to go on with it even when the time is up.
    """
    started = noted = time.monotonic()
    while not ready():
        now = time.monotonic()
        if not alive():
            raise EmbeddedServerError(f"{what} ended while starting; the end of {log}:\n{tail(log)}")
        if now - started > seconds:
            raise EmbeddedServerError(
                f"{what} has been starting for {seconds:.0f} s and goes on; try again later. The end of {log}:\n{tail(log)}"
            )
        if now - noted > NOTE_EVERY:
            noted = now
            print(f"{what} is still starting after {now - started:.0f} s: {tail(log, lines=1)}", flush=True)
        time.sleep(0.03)


def tail(log: Path, *, lines: int = 20) -> str:
    """The last lines of a log file."""
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 8192))
            text = file.read().decode(errors="replace")
    except OSError as error:
        return f"(no log: {error})"
    return "\n".join(text.splitlines()[-lines:])
