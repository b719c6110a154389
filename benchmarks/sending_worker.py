"""python -m benchmarks.sending_worker new|former: a sending process. It says that it is ready, waits for a line, sends
what is due, and prints the seconds that it has computed.
"""

from __future__ import annotations

import os
import sys
from time import monotonic, process_time

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from benchmarks import former_sending
    from outreach.delivery.sending import loop as sending

    drain = {"new": sending.drain, "former": former_sending.drain}[sys.argv[1]]
    print("ready", flush=True)
    sys.stdin.readline()
    before = process_time()
    drain(monotonic() + float(sys.argv[2]))
    print(process_time() - before, flush=True)


if __name__ == "__main__":
    main()
