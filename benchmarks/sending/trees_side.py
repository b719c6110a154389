"""python -m benchmarks.sending.trees_side PORT SCALE: runs the rounds that trees.py asks for on standard input."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict

import django
import orjson


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    django.setup()
    from django.core.management import call_command

    from benchmarks.data.population import populate
    from benchmarks.sending.rounds import make_senders, run_round
    from core.tenancy import company_scope

    port, scale = sys.argv[1:]
    call_command("migrate", verbosity=0, interactive=False)
    with company_scope(populate(float(scale)).big.company_id):
        senders = make_senders(int(port))
        print("ready", flush=True)
        for line in sys.stdin:
            kind, count = line.split()
            print(orjson.dumps(asdict(run_round(kind, senders, int(count)))).decode(), flush=True)


if __name__ == "__main__":
    main()
