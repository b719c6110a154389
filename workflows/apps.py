from __future__ import annotations

from django.apps import AppConfig

from core.registrations import load


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        load(self)
