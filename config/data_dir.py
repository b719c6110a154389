"""LEADWRIGHT_DATA: the folder of uploads, secrets and, with `make run`, the embedded servers. No Django here."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def data_dir() -> Path:
    """Return LEADWRIGHT_DATA as an absolute path, by default var/ in the project."""
    return Path(os.path.abspath(os.environ.get("LEADWRIGHT_DATA") or PROJECT / "var"))


def disk_space() -> tuple[int, int]:
    """Return the total and the free bytes of the disk that the data folder is on."""
    folder = data_dir()
    usage = shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists()))
    return usage.total, usage.free


def make_data_dir(data: Path) -> None:
    """Create the data directory, closed to others. An existing one keeps its mode.

    Root's directory stays passable, for the account that runs root's servers.
    """
    with contextlib.suppress(FileExistsError):
        data.mkdir(parents=True)
        data.chmod(0o711 if os.geteuid() == 0 else 0o700)
