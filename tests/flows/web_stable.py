"""A process that has loaded the service and forks web processes on request, so that killing many costs no start-ups.

Reads a port on each line of stdin, and answers with the pid of a child that listens there until it is killed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

THREADS = 8


class Server(WSGIServer):
    request_queue_size = 128

    def process_request(self, request: Any, client_address: Any) -> None:
        self.pool.submit(self._answer, request, client_address)

    def _answer(self, request: Any, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
        except OSError:
            pass  # the caller is gone
        finally:
            self.shutdown_request(request)

    def serve(self) -> None:
        self.pool = ThreadPoolExecutor(THREADS)
        self.serve_forever()


class Handler(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def listen(port: int) -> Server:
    """Take the port as soon as the process that was killed has let go of it."""
    for _ in range(500):
        try:
            return Server(("127.0.0.1", port), Handler)
        except OSError:
            time.sleep(0.01)
    raise TimeoutError(f"{port} is taken")


def main() -> None:
    from config.wsgi import application

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            sys.stdin = open(os.devnull)  # noqa: SIM115
            server = listen(int(line))
            server.set_app(application)
            server.serve()
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main()
