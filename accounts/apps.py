from __future__ import annotations

from django.apps import AppConfig

from core.registrations import load


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        load(self)
