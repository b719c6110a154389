"""Django's flush, run as the login role, since only the owner may TRUNCATE."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import flush

from core.tenancy import as_owner


class Command(flush.Command):
    def handle(self, **options: Any) -> None:
        with as_owner():
            super().handle(**options)
