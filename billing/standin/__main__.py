"""python -m billing.standin <file>: the stand-in as a process of its own, on the port that the file notes."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

from billing.standin.server import Server


def main(noted: Path) -> None:
    with Server(int(json.loads(noted.read_text())["port"])) as server:
        signal.signal(signal.SIGTERM, _stop)
        server.serve_forever()


def _stop(*_: Any) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
