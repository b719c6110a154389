"""Throwaway servers for tests and benchmarks, which are removed even if their user is killed.

A small watcher process reads from a pipe that only the user's process holds open. When that process ends, the pipe ends
too, and the watcher cleans up. If the watcher was killed as well, the next temporary set cleans up.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import psutil

from config.data_dir import PROJECT
from config.local.embedded import binaries, postgres, redis
from config.local.embedded.errors import EmbeddedServerError

PREFIX = "leadwright-tmp-"
# A folder without an owner file may be in the making.
NAMELESS_FOR = 3600.0


@dataclass(frozen=True)
class Servers:
    """A running temporary set."""

    data: Path
    database_url: str
    redis_url: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that make Leadwright use this set."""
        return {"LEADWRIGHT_DATA": os.fspath(self.data), "DATABASE_URL": self.database_url, "REDIS_URL": self.redis_url}


@contextlib.contextmanager
def temporary_servers(*, durable: bool = False) -> Iterator[Servers]:
    """Run a temporary PostgreSQL and Redis for the block. `durable` keeps fsync on, for benchmarks."""
    sweep()
    data = _make_folder(durable=durable)
    watcher = _watch(data)
    try:
        yield Servers(data=data, database_url=postgres.ensure(data), redis_url=redis.ensure(data))
    finally:
        try:
            discard(data)
        finally:
            cast("IO[bytes]", watcher.stdin).close()
            watcher.wait(timeout=120)


def discard(data: Path) -> None:
    """Stop the servers of a temporary data directory and remove it."""
    for stop in (redis.stop, postgres.stop):
        with contextlib.suppress(EmbeddedServerError):
            stop(data)
    for name in ("postgres", "run"):
        link = data / name
        if link.is_symlink():
            _remove_linked(Path(os.readlink(link)))
    shutil.rmtree(data, ignore_errors=True)


def sweep() -> None:
    """Remove this user's temporary sets whose owner process is gone."""
    for folder in _base().glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            info = folder.lstat()
            if (
                stat.S_ISDIR(info.st_mode)
                and info.st_uid == os.geteuid()
                and _is_abandoned(folder, since=info.st_mtime)
            ):
                discard(folder)


def watch(data: Path) -> None:
    """Wait for the end of standard input, then discard `data` (the watcher process)."""
    sys.stdin.buffer.read()
    if data.exists():
        discard(data)


def _base() -> Path:
    """Return the temporary directory, or /tmp if its path is too long for sockets."""
    base = Path(tempfile.gettempdir()).absolute()
    return base if len(os.fsencode(base)) <= 40 else Path("/tmp")  # noqa: S108  mkdtemp makes a folder of our own there


def _make_folder(*, durable: bool) -> Path:
    data = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_base()))
    if os.geteuid() == 0:
        # Root's server account must pass through it. The servers' own folders inside stay closed.
        data.chmod(0o711)
    me = psutil.Process()
    (data / "owner").write_text(f"{me.pid} {me.create_time()}\n")
    if not durable:
        (data / postgres.THROWAWAY_MARK).touch()
    return data


def _is_abandoned(folder: Path, *, since: float) -> bool:
    try:
        pid, created = (folder / "owner").read_text().split()
    except (OSError, ValueError):
        return time.time() - since > NAMELESS_FOR
    try:
        return bool(psutil.Process(int(pid)).create_time() != float(created))
    except psutil.NoSuchProcess:
        return True


def _watch(data: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "config.local.embedded", "watch", os.fspath(data)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _remove_linked(target: Path) -> None:
    """Remove a temporary data directory's linked files: its system folder, or its sockets in the private folder."""
    place = target.parent if target.parent.parent == binaries.SYSTEM_FOLDER else target
    shutil.rmtree(place, ignore_errors=True)
