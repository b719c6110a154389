"""python -m benchmarks.sending.sink: a mail server that takes all and keeps nothing, as fast as Python can.

It prints its port, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import sys

_SAID = {
    b"EHLO": b"250-sink\r\n250-SIZE 99999999\r\n250-8BITMIME\r\n250-PIPELINING\r\n250 AUTH PLAIN\r\n",
    b"AUTH": b"235 ok\r\n",
    b"DATA": b"354 go on\r\n",
    b"QUIT": b"221 bye\r\n",
}
_END = b"\r\n.\r\n"


class Sink(asyncio.Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._received = b""
        self._in_data = False
        transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        self._received += data
        answers = []
        while True:
            head, found, rest = self._received.partition(_END if self._in_data else b"\r\n")
            if not found:
                break
            self._received = rest
            answers.append(b"250 2.0.0 queued\r\n" if self._in_data else _SAID.get(head[:4].upper(), b"250 ok\r\n"))
            self._in_data = not self._in_data and head[:4].upper() == b"DATA"
        if answers:
            self._transport.write(b"".join(answers))


async def main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Sink, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
