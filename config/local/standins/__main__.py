"""python -m config.local.standins <data directory>: run all on the ports that are noted there, until SIGTERM."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from config.demo_vendors import google_file, state_file
from config.local.chat_standin.server import Server as Chats
from config.local.gateway_standin.server import Server as Gateways
from config.local.google_standin.server import Server as Google
from config.local.mail_catcher.server import serve
from config.local.ports import GATEWAYS


def main(data: Path) -> None:
    gateways = Gateways(int(json.loads((data / GATEWAYS).read_text())["port"]))
    for server in (gateways, Chats(state_file(data)), Google(google_file(data))):
        Thread(target=_serve, args=[server], daemon=True).start()
    asyncio.run(serve(data, ready=_print))


def _serve(server: ThreadingHTTPServer) -> None:
    try:
        server.serve_forever()
    finally:  # without one of them the process starts again
        os._exit(1)


def _print(port: int) -> None:
    sys.stdout.write(f"Mail catcher: SMTP on 127.0.0.1:{port}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
