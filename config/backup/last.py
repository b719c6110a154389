"""The last backup, and the record that one was checked."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from config.backup.creation import whole_backups
from config.backup.errors import BackupError
from config.backup.manifest import Manifest

CHECKED = "checked.json"
"""The file in a backup that says when `manage.py backup --check` last found it whole."""


@dataclass(frozen=True, kw_only=True)
class LastBackup:
    """The newest whole backup of a folder, with the time when it was last found whole."""

    path: Path
    made_at: datetime
    size: int
    checked_at: datetime | None


def last_backup(folder: Path | None = None) -> LastBackup | None:
    """Return the newest whole backup of the folder, by default LEADWRIGHT_DATA/backups. None without any."""
    try:
        backups = whole_backups(folder or settings.LEADWRIGHT_DATA / "backups")
        if not backups:
            return None
        manifest = Manifest.read(backups[-1])
        made_at = datetime.fromisoformat(manifest.made_at)
    except (OSError, ValueError, BackupError):
        return None
    size = sum(part.size for part in manifest.parts.values())
    return LastBackup(path=backups[-1], made_at=made_at, size=size, checked_at=_checked_at(backups[-1]))


def record_check(backup: Path) -> None:
    """Record that the backup was found whole. A folder that only reads keeps no record."""
    with contextlib.suppress(OSError):
        (backup / CHECKED).write_text(json.dumps({"checkedAt": datetime.now(UTC).isoformat(timespec="seconds")}))


def _checked_at(backup: Path) -> datetime | None:
    try:
        return datetime.fromisoformat(json.loads((backup / CHECKED).read_text())["checkedAt"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
