"""Bring the database up to date, build the OpenAPI schema of this release, and provision the demo company if asked.

One process does all of it, since loading the application takes seconds.
"""

from __future__ import annotations

import logging
from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()  # `migrate` has its own

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--demo", type=Path, metavar="FILE", help="provision the demo company, and write what it prints to the file"
        )

    def handle(self, *args: Any, demo: Path | None, **options: Any) -> None:
        call_command("migrate", interactive=False, skip_checks=False)
        try:
            call_command("api_schema")
        except Exception:  # the edge of one step: without its schema the service is whole
            log.exception("Building the API's schema failed; everything else starts")
        if demo is not None:
            self._provision_demo(demo)

    def _provision_demo(self, file: Path) -> None:
        printed = StringIO()
        try:
            call_command("demo", stdout=printed)
        except Exception:  # the edge of one step, as above
            log.exception("Setting up the demo company failed; everything else starts")
        else:
            file.write_text(printed.getvalue())
