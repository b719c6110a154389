"""Provision the demo company, its back office user, its sender and a sample file, and print the addresses to open."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.local.demo.banner import banner
from config.local.demo.company import local_address, provision_demo


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            self.stderr.write(
                "Without DEMO=1 in its environment the service will neither reach the mail catcher nor show its mails."
            )
        self.stdout.write(banner(provision_demo(settings.LEADWRIGHT_DATA), local_address()))
