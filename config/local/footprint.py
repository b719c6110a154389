"""Memory of a running `make run`, process by process. No Django here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import psutil

from config.local.embedded import postgres, redis

MAX_TITLE_LENGTH = 60


@dataclass(frozen=True)
class Part:
    """A program with the processes that it has started, and their memory in bytes.

    Shared memory is divided among the processes (PSS); if the system doesn't report it, each counts all of it (RSS).
    """

    pid: int
    title: str
    processes: int
    memory: int


def footprint(data: Path) -> list[Part]:
    """Return the processes of a data directory: its supervisor, the supervisor's programs, the embedded servers."""
    own = supervisor(data)
    if own is None:
        return []
    roots = [pid for pid in (own, postgres.status(data), redis.status(data)) if pid is not None]
    parts: dict[int, Part] = {}
    for root in roots:
        try:
            process = psutil.Process(root)
            programs = process.children()
        except psutil.NoSuchProcess:
            continue
        is_supervisor = root == own
        for member in [process, *programs] if is_supervisor else [process]:
            part = _part(member, alone=is_supervisor and member.pid == root)
            if part is not None:
                parts.setdefault(member.pid, part)
    return sorted(parts.values(), key=lambda part: -part.memory)


def supervisor(data: Path) -> int | None:
    """Return the process id of the supervisor of a data directory, or None."""
    try:
        pid = int((data / "supervisor.lock").read_text())
    except (OSError, ValueError):
        return None
    return pid if psutil.pid_exists(pid) else None


def report(parts: list[Part]) -> str:
    """Return the parts as a table with their total."""
    lines = [f"{part.memory / 2**20:7.1f} MB  {part.processes:3}  {part.pid:7}  {part.title}" for part in parts]
    total, processes = sum(part.memory for part in parts), sum(part.processes for part in parts)
    return "\n".join([*lines, f"{total / 2**20:7.1f} MB  {processes:3}  processes in all"])


def _part(process: psutil.Process, *, alone: bool) -> Part | None:
    try:
        family = [process] if alone else [process, *process.children(recursive=True)]
        title = _title(process)
    except psutil.Error:
        return None
    sizes = [size for member in family if (size := _memory(member)) is not None]
    return Part(process.pid, title, len(sizes), sum(sizes))


def _memory(process: psutil.Process) -> int | None:
    try:
        info = process.memory_full_info()
    except psutil.Error:
        return None
    return int(getattr(info, "pss", 0) or info.rss)


def _title(process: psutil.Process) -> str:
    """Return the command line."""
    program, *rest = [word for word in process.cmdline() if word] or [process.name()]
    return " ".join([os.path.basename(program) if rest else program, *rest])[:MAX_TITLE_LENGTH]
