"""python -m config.local.chat_standin <file>: the stand-in as a process of its own, as the file notes."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

from config.local.chat_standin.server import Server


def main(file: Path) -> None:
    with Server(file) as server:
        signal.signal(signal.SIGTERM, _stop)
        server.serve_forever()


def _stop(*_: Any) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
