"""The folded migrations (docs/decisions/0014) make the database of the version before; its databases upgrade."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from core.migration_operations import Additions, OneStepMigration
from core.tenancy import MEMBER_ROLE, row_security, use_owner_role
from tests.config.catalog import catalog
from tests.kit.examples import in_make_check

pytestmark = pytest.mark.long

VERSION_BEFORE = Path(__file__).parent / "data" / "catalog.txt"
"""The catalog of a database that commit 15d5482 had migrated."""
ALIAS = "folded"
OTHERS = [
    ("admin", "0003_logentry_add_action_flag_choices"),
    ("auth", "0012_alter_user_first_name_max_length"),
    ("contenttypes", "0002_remove_content_type_name"),
    ("sessions", "0001_initial"),
]
"""The last migrations of Django's apps at that commit. Those of later versions of Django stay out of the comparison."""

Name = tuple[str, str]


@dataclass(frozen=True)
class Folded:
    """A database that has the first migration of each app, with its catalog from then."""

    connection: BaseDatabaseWrapper
    replaces: dict[Name, list[Name]]
    catalog: list[str]

    def rename_as_before(self, *, without: Name | None = None) -> None:
        """Record the migrations of the version before, except one, instead of the folded ones."""
        recorder = MigrationRecorder(self.connection)
        with use_owner_role():
            for folded, names in self.replaces.items():
                for name in [folded, *names]:
                    recorder.record_unapplied(*name)
                for name in names:
                    if name != without:
                        recorder.record_applied(*name)

    def applied(self) -> set[Name]:
        with use_owner_role():
            return set(MigrationRecorder(self.connection).applied_migrations())


@pytest.fixture(scope="module")
def folded(django_db_blocker: Any) -> Iterator[Folded]:
    name = f"folded_migrations_{os.getpid()}"
    with django_db_blocker.unblock():
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}"')
        connections.settings[ALIAS] = {**connection.settings_dict, "NAME": name}
        try:
            with use_owner_role():
                made = migrate_to_first(connections[ALIAS])
            yield made
        finally:
            connections[ALIAS].close()
            del connections[ALIAS], connections.settings[ALIAS]
            with connection._nodb_cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{name}"')


def migrate_to_first(database: BaseDatabaseWrapper) -> Folded:
    """Run the first migration of each app of the project, and none of the later ones."""
    with database.cursor() as cursor:
        cursor.execute(row_security.CREATE_ROLES)
    executor = MigrationExecutor(database)
    replaces = {key: list(found.replaces) for key, found in executor.loader.disk_migrations.items() if found.replaces}
    state = executor.migrate([*OTHERS, *replaces])
    secure(state.apps)
    return Folded(database, replaces, catalog(database))


def secure(migrated: Apps) -> None:
    """Do what `migrate` does for row-level security, but for the models of these migrations, not those of today."""
    models = [model for model in migrated.get_models() if owned_by_company(model)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_security, "company_models", lambda: models)
        for app_config in apps.get_app_configs():
            row_security.apply_row_security(app_config, using=ALIAS)


def owned_by_company(model: Any) -> bool:
    """Whether the model was a core.models.CompanyRow; migrations don't keep abstract bases."""
    return any(field.name == "company" and not field.db_index for field in model._meta.local_fields)


def test_the_first_migrations_make_the_database_of_the_version_before(folded: Folded) -> None:
    before = VERSION_BEFORE.read_text().splitlines()
    # The version before had no such role, whose rights do not come from migrations.
    present = [line for line in folded.catalog if MEMBER_ROLE not in line]
    lines = difflib.unified_diff(before, present, "the version before", "the first migrations", lineterm="", n=0)
    different = [line for line in lines if not line.startswith("@@")]
    assert not different, "lines that are missing (-) or too many (+):\n" + "\n".join(different)


def test_a_half_migrated_database_is_refused_untouched(folded: Folded) -> None:
    for names in folded.replaces.values():
        for absent in (names[0], names[-1]):
            folded.rename_as_before(without=absent)
            recorded = folded.applied()
            with pytest.raises(CommandError) as refused:
                call_command("migrate", database=ALIAS, verbosity=0)
            assert f"into one: {'.'.join(absent)}. Run migrate with the version before this one first" in str(
                refused.value
            )
            assert folded.applied() == recorded
    assert catalog(folded.connection) == folded.catalog


def test_a_database_of_an_older_version_is_refused(folded: Folded) -> None:
    """It has tables, but none of the migrations that are folded now."""
    folded.rename_as_before()
    recorder = MigrationRecorder(folded.connection)
    (names,) = (names for key, names in folded.replaces.items() if key[0] == "crm")
    with use_owner_role():
        for name in names:
            recorder.record_unapplied(*name)
        recorder.record_applied("crm", "0001_initial")
    with pytest.raises(CommandError, match=r"crm\.0001_squashed_0017_buckets, .*Nothing has been changed"):
        call_command("migrate", database=ALIAS, verbosity=0)
    with use_owner_role():
        recorder.record_unapplied("crm", "0001_initial")


@in_make_check
def test_a_database_of_the_version_before_upgrades(folded: Folded) -> None:
    folded.rename_as_before()
    before = folded.applied()
    assert not before & set(folded.replaces)
    on_disk = set(MigrationLoader(None).disk_migrations)
    address = urlsplit(settings.DATABASE_URL)._replace(path=f"/{folded.connection.settings_dict['NAME']}").geturl()
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    run = {tuple(name.split(".")) for name in re.findall(r"Applying (\S+)\.\.\. OK", done.stdout)}
    assert run == on_disk - before - set(folded.replaces)
    assert folded.applied() == before | on_disk


MAX_STEPS = 5


def test_a_migration_with_many_additions_has_one_step() -> None:
    """Before each step Django renders nearly all models again, which takes up to 0.5 s of a processor."""
    migrations = MigrationLoader(None).disk_migrations
    ours = [one for (app, _), one in migrations.items() if app not in dict(OTHERS) and not one.replaces]
    assert sum(isinstance(one, OneStepMigration) for one in ours) >= 8
    steps = {str(one): sum(isinstance(step, Additions.ALLOWED) for step in one.operations) for one in ours}
    assert {name: count for name, count in steps.items() if count > MAX_STEPS} == {}
