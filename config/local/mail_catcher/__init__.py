"""The demo's mail catcher: a real SMTP server on loopback that keeps every mail and sends none on, and a page that shows them."""

import json
from pathlib import Path

HOST = "127.0.0.1"


def address_file(data: Path) -> Path:
    """Where the catcher notes its address."""
    return data / "mailcatcher.json"


def mail_folder(data: Path) -> Path:
    """Where the caught mails lie, a file each."""
    return data / "mails"


def address(data: Path) -> tuple[str, int] | None:
    """Host and port of the catcher that was started last, or None when there was none."""
    try:
        port = json.loads(address_file(data).read_text())["port"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (HOST, port) if isinstance(port, int) and 0 < port < 65536 else None
