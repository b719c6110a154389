"""Django's migrate, run as the login role that owns the tables. Then it provisions all companies."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from core.tenancy import as_owner
from core.tenancy.provisioning import provision_companies
from core.tenancy.row_security import CREATE_ROLES


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with as_owner():
            with connections[options["database"]].cursor() as cursor:
                cursor.execute(CREATE_ROLES)
            super().handle(*args, **options)
        if not (options["app_label"] or options["plan"] or options["check_unapplied"]):
            provision_companies()
