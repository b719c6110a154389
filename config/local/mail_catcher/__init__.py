"""The demo's mail catcher: an SMTP server on loopback that stores every mail and relays none, and its web page."""

import json
from pathlib import Path

HOST = "127.0.0.1"


def address_file(data: Path) -> Path:
    """Return the file with the catcher's address."""
    return data / "mailcatcher.json"


def mail_folder(data: Path) -> Path:
    """Return the folder of the caught mails, one file each."""
    return data / "mails"


def address(data: Path) -> tuple[str, int] | None:
    """Return host and port of the catcher that was started last, or None."""
    try:
        port = json.loads(address_file(data).read_text())["port"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (HOST, port) if isinstance(port, int) and 0 < port < 65536 else None
