"""Django's migrate, run as the login role that owns the tables (core.tenancy.use_owner_role).

It refuses databases that lack some of the folded migrations (docs/decisions/0014). Afterwards companies get the data of
the new release.
"""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from core.tenancy import use_owner_role
from core.tenancy.provisioning import provision_companies
from core.tenancy.row_security import CREATE_ROLES


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        with use_owner_role():
            refuse_half_migrated(connection)
            with connection.cursor() as cursor:
                cursor.execute(CREATE_ROLES)
            super().handle(*args, **options)
        if not (options["app_label"] or options["plan"] or options["check_unapplied"]):
            provision_companies()


def refuse_half_migrated(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError if the database has an app's tables, but not all migrations that were folded into one.

    With some of them Django drops the folded migration from its graph, without an error: it runs the later ones and
    reports success, and the tables do not change. With none of them it would create tables that already exist.
    """
    loader = MigrationLoader(connection, load=False)
    loader.load_disk()
    applied = MigrationRecorder(connection).applied_migrations()
    begun = {app_label for app_label, _ in applied}
    missing = [
        ".".join(name)
        for migration in loader.disk_migrations.values()
        if migration.app_label in begun
        for name in migration.replaces
        if name not in applied
    ]
    if missing:
        raise CommandError(
            "This database lacks migrations that later versions have folded into one: "
            f"{', '.join(sorted(missing))}. Run migrate with the version before this one first, then with this one. "
            "Nothing has been changed."
        )
