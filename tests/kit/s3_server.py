"""A server of buckets on loopback: moto speaks S3, and a stand-in before it refuses as a real storage would."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from moto.server import ThreadedMotoServer

from core import s3
from core.s3 import S3Place

ACCESS, SECRET = "AKIDCANARY7Q2WXYZ", "canary/secret+4f9d1c"


@dataclass
class Buckets:
    """The server; `box` is a new bucket of it."""

    url: str

    def place(self, box: str) -> S3Place:
        return S3Place(self.url, "eu-central-1", box, ACCESS, SECRET)

    def make(self, box: str) -> dict[str, str]:
        """Make a bucket. Returns what connects it."""
        where = {"LocationConstraint": "eu-central-1"}
        s3.client(self.place(box)).create_bucket(Bucket=box, CreateBucketConfiguration=where)
        return self.body(box)

    def body(self, box: str) -> dict[str, str]:
        place = {"name": box, "region": "eu-central-1", "endpoint": self.url}
        return {**place, "accesskey": ACCESS, "secretkey": SECRET}

    def objects(self, box: str) -> dict[str, bytes]:
        """Key -> content."""
        client = s3.client(self.place(box))
        found = client.list_objects_v2(Bucket=box).get("Contents", [])
        return {one["Key"]: client.get_object(Bucket=box, Key=one["Key"])["Body"].read() for one in found}


@contextmanager
def s3_server() -> Iterator[Buckets]:
    """Run moto's server."""
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    served = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    host, port = served.get_host_and_port()
    try:
        yield Buckets(f"http://{host}:{port}")
    finally:
        served.stop()


@contextmanager
def refusing_storage(status: int, code: str) -> Iterator[list[str]]:
    """Run a storage that answers everything by an error; yields its address, then the requests that came."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append(f"{self.command} {self.path}")
            body = f"<Error><Code>{code}</Code><Message>no: {SECRET}</Message></Error>".encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)
            self.close_connection = True

        do_GET = do_PUT = do_DELETE = do_HEAD = answer

        def log_message(self, *_: Any) -> None:
            return

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.daemon_threads = True
    asked.append(f"http://127.0.0.1:{served.server_address[1]}")
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        served.shutdown()
        served.server_close()
        thread.join(5)
