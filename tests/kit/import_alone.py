"""Import modules of the project each alone, in a process in which only the models have been imported before.

Run as `python -m tests.kit.import_alone core.web.pages …`; prints a line for each module that cannot be imported. The
apps are not made ready, since that imports nearly everything, in one order.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import django
from django.apps import AppConfig, apps
from django.conf import settings

PROJECT = ("core", "accounts", "billing", "crm", "outreach", "workflows", "config")


def prepare() -> None:
    """Load the apps and their models, and make no app of the project ready."""
    kinds = {type(one) for one in map(AppConfig.create, settings.INSTALLED_APPS) if one.name in PROJECT}
    for kind in kinds:
        kind.ready = AppConfig.ready  # type: ignore[method-assign]
    django.setup()
    assert apps.models_ready


def fails(name: str) -> bool:
    """Import a module in a process of its own. Returns whether that failed, and prints why."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            import_module(name)
            code = 0
        finally:
            if code:
                print(f"{name}: {sys.exc_info()[1]!r}", flush=True)
            os._exit(code)
    return os.waitpid(process, 0)[1] != 0


if __name__ == "__main__":
    prepare()
    sys.exit(1 if [name for name in sys.argv[1:] if fails(name)] else 0)
