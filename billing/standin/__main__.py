"""python -m billing.standin <port>: the stand-in as a process of its own, for the demo."""

from __future__ import annotations

import sys

from billing.standin.server import Server

if __name__ == "__main__":
    with Server(int(sys.argv[1])) as server:
        server.serve_forever()
