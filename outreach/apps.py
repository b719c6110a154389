from __future__ import annotations

from django.apps import AppConfig

from core.registrations import load


class OutreachConfig(AppConfig):
    name = "outreach"

    def ready(self) -> None:
        load(self)
