"""The demo's stand-in for the chat vendor, on loopback: it takes messages and templates, tells what became of them, and
lets people answer. No Django here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
TOKEN = "demo"  # noqa: S105  of nobody
SECRET = "demo-secret"  # noqa: S105  of nobody


def note_file(data: Path) -> Path:
    """Return the file with the stand-in's port, and the webhook of the number that it plays."""
    return data / "chat-standin.json"


def noted(file: Path) -> Mapping[str, Any]:
    """Return what the file notes: port, hook, phoneNumberId; empty where there is none."""
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    port = found.get("port") if isinstance(found, dict) else None
    return found if isinstance(port, int) and 0 < port < 65536 else {}


def base_url(data: Path) -> str:
    """Return where the stand-in that was noted last listens, or "" where there is none."""
    found = noted(note_file(data))
    return f"http://{HOST}:{found['port']}" if found else ""
