"""Django's flush, run as the login role, since only the owner may TRUNCATE."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import flush

from core.tenancy import use_owner_role


class Command(flush.Command):
    def handle(self, **options: Any) -> None:
        with use_owner_role():
            super().handle(**options)
