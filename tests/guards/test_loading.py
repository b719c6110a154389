"""What a process loads at its start. It stays in memory, and it is waited for; what is needed rarely is loaded then."""

from __future__ import annotations

import gc
import subprocess
import sys

from config.data_dir import PROJECT
from tests.kit.examples import in_make_check

LATER = {
    "boto3": "the first bucket, the first mail over Amazon SES",
    "botocore": "the same",
    "anymail": "the first mail over a vendor",
    "stripe": "the first call of the gateway",
    "razorpay": "the first call of the gateway",
    "mollie": "the first call of the gateway",
    "typst": "the first invoice as a PDF",
    "countrystatecity_countries": "the first question for cities",
    "aiosmtpd": "the demo's catcher, which is a process of its own",
    "IPython": "a shell",
}
"""Package -> what loads it."""
MAX_COLLECTIONS = 30
"""Collections of the second generation while Django loads. With the collector on, 80 take a quarter of the time."""
LOAD = """
import gc, sys
from importlib import import_module
import granian.server.mp, config.wsgi
import_module("config.celery").app.loader.import_default_modules()
from billing.gateways.registry import ADAPTERS, adapter_class
# What pages and periodic tasks ask an adapter is no call of its gateway.
[adapter_class(name).title for name in ADAPTERS]
print(gc.get_stats()[1]["collections"])
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@in_make_check
def test_a_start_loads_nothing_that_is_needed_rarely_and_collects_no_garbage() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=PROJECT, capture_output=True, text=True, timeout=120, check=True
    )
    collections, *packages = done.stdout.split()
    assert {"django", "granian", "celery", "crm"} <= {*packages}
    assert LATER.keys() & {*packages} == set()
    assert int(collections) < MAX_COLLECTIONS


def test_garbage_is_collected_once_all_is_loaded() -> None:
    assert gc.isenabled()
