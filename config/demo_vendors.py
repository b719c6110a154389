"""Addresses of the demo's simulated vendors, as the demo has noted them, and the client of its simulated Google.

No Django here.
"""

from __future__ import annotations

import json
from pathlib import Path

from core.types import Values

HOST = "127.0.0.1"
DEMO_CLIENT = ("leadwright-demo.apps.example", "demo-client")
"""Id and secret of the client of the demo's stand-in for Google, which listens only on loopback."""


def state_file(data: Path) -> Path:
    """Return the file with the port of the chat vendor's stand-in, and the webhook of its number."""
    return data / "chat-standin.json"


def google_file(data: Path) -> Path:
    """Return the file with the port of the stand-in for Google."""
    return data / "google-standin.json"


def read_state(file: Path) -> Values:
    """Return the content of the file: port, hook, phoneNumberId. It is empty if there is no valid file."""
    try:
        content = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    port = content.get("port") if isinstance(content, dict) else None
    return content if isinstance(port, int) and 0 < port < 65536 else {}


def demo_vendors(data: Path, *, google: bool = True) -> dict[str, str]:
    """Return VENDOR_BASE_URLS of the demo: the last addresses of its stand-ins, that of Google only with `google`."""
    chats = read_state(state_file(data))
    place = read_state(google_file(data)) if google else {}
    urls = dict.fromkeys(("chatapp", "messenger"), f"http://{HOST}:{chats['port']}") if chats else {}
    return {**urls, "gmail": f"http://{HOST}:{place['port']}"} if place else urls
