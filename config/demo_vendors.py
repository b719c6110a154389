"""Where the demo's stand-ins for vendors listen, as the demo has noted it. No Django here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"


def note_file(data: Path) -> Path:
    """Return the file with the port of the chat vendor's stand-in, and the webhook of the number that it plays."""
    return data / "chat-standin.json"


def noted(file: Path) -> Mapping[str, Any]:
    """Return what the file notes: port, hook, phoneNumberId; empty where there is none."""
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    port = found.get("port") if isinstance(found, dict) else None
    return found if isinstance(port, int) and 0 < port < 65536 else {}


def demo_vendors(data: Path) -> dict[str, str]:
    """Return VENDOR_BASE_URLS of the demo: where its stand-in was noted last, if it was."""
    found = noted(note_file(data))
    return dict.fromkeys(("chatapp", "messenger"), f"http://{HOST}:{found['port']}") if found else {}
