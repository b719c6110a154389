"""Bring the database up to date and build the OpenAPI schema of this release, in one process."""

from __future__ import annotations

import logging
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()  # `migrate` has its own

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, skip_checks=False)
        try:
            call_command("api_schema")
        except Exception:  # the edge of one step: without its schema the service is whole
            log.exception("Building the API's schema failed; everything else starts")
