"""The test database: one migrated template a session, a copy of it for each process, and a reset after tests that
commit.

Migrating is slow. The schema that it made is kept in var/tests as an SQL dump under a hash of its sources, so that
a session migrates only
after a change of a migration, a model or a seed. Rows are never kept: post_migrate seeds them in every session.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import re
import subprocess
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import django
import psycopg
from django.apps import apps
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models.signals import post_migrate
from psycopg import sql

from accounts.models import Company, RefreshToken, User
from config.local.embedded.binaries import postgres_programs
from config.local.embedded.postgres_setup import SUPERUSER
from core.messages import forget
from core.tenancy import SYSTEM_ROLE, unscoped, use_owner_role
from core.tenancy.models import CompanyRow
from core.tenancy.row_security import CREATE_ROLES

FOLDER = settings.BASE_DIR / "var" / "tests"
PROJECT = {path.parent.name for path in settings.BASE_DIR.glob("*/__init__.py")}
KEPT_DUMPS = 4
TEMPLATE_LOCK = 0x7E57
SEEDS = "test_seeds"
"""The schema with a copy of the rows that every test finds."""


def sources() -> list[Path]:
    """Return the project's files that decide on the schema: migrations with what they import, models, and the receivers
    of post_migrate."""
    found: set[Path] = set()
    for app in apps.get_app_configs():
        if app.name.partition(".")[0] not in PROJECT:
            continue
        migrations = list(Path(app.path).glob("migrations/*.py"))
        found.update(migrations)
        classes = {
            cls for model in app.get_models() for cls in model.__mro__ if cls.__module__.partition(".")[0] in PROJECT
        }
        found.update(Path(inspect.getfile(cls)) for cls in classes)
        imported = {
            name for path in migrations for name in re.findall(r"^(?:from|import) ([\w.]+)", path.read_text(), re.M)
        }
        specs = [importlib.util.find_spec(name) for name in imported if name.partition(".")[0] in PROJECT]
        found.update(Path(spec.origin) for spec in specs if spec is not None and spec.origin is not None)
    for _, receiver, *_ in post_migrate.receivers:
        found.add(Path(inspect.getfile(receiver() if isinstance(receiver, weakref.ref) else receiver)))
    return sorted(
        path
        for path in found
        if path.is_relative_to(settings.BASE_DIR) and path.relative_to(settings.BASE_DIR).parts[0] in PROJECT
    )


def fingerprint() -> str:
    """Return a hash of the schema's sources, of the installed apps, and of the versions of Django and PostgreSQL."""
    digest = hashlib.sha256(repr((settings.INSTALLED_APPS, django.VERSION, connection.pg_version)).encode())
    for path in [*sources(), Path(__file__)]:
        digest.update(str(path.relative_to(settings.BASE_DIR)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextmanager
def own_database(worker: str) -> Iterator[None]:
    """Give this process a database of its own, a copy of the template; dropped at the end."""
    first = connection.settings_dict["NAME"]
    name = f"test_{first}_{worker}"
    key = fingerprint()
    template = f"template_{first}_{key}"
    connection.close()
    with closing(_maintenance()) as session:
        # One process makes the template, the others wait for it.
        session.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])
        if not session.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone():
            _make_template(session, template, FOLDER / f"schema-{key}.sql")
        drop(session, name)
        session.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
    _use(name)
    try:
        yield
    finally:
        _use(first)
        with closing(_maintenance()) as session:
            drop(session, name)


def drop(session: psycopg.Connection, name: str) -> None:
    """Drop a database, if it exists, and end its sessions.

    WITH (FORCE) fails while an autovacuum worker is in the database, since a worker belongs to no role of which the
    test role has the privileges; a plain DROP DATABASE cancels such workers itself.
    """
    session.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename IS NOT NULL", [name]
    )
    session.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def _make_template(session: psycopg.Connection, template: str, dump: Path) -> None:
    unfinished = f"{template}_new"
    drop(session, unfinished)
    session.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(unfinished)))
    _use(unfinished)
    kept = dump.exists()
    if kept:
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute(CREATE_ROLES)
        connection.close()
        _run("psql", "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--file={dump}", "--output=/dev/null")
    call_command("migrate", verbosity=0, interactive=False, run_syncdb=True)
    if not kept and "LEADWRIGHT_DATA" in os.environ:
        _keep(dump)
    connection.close()
    session.execute(
        sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(unfinished), sql.Identifier(template))
    )


def _keep(dump: Path) -> None:
    """Write the schema and the names of the applied migrations; the oldest dumps go."""
    dump.parent.mkdir(parents=True, exist_ok=True)
    fresh = dump.with_suffix(f".{os.getpid()}")
    with fresh.open("wb") as file:
        file.write(_run("pg_dump", "--schema-only"))
        file.write(_run("pg_dump", "--data-only", "--table=django_migrations"))
    fresh.rename(dump)
    for old in sorted(dump.parent.glob("schema-*.sql"), key=lambda path: path.stat().st_mtime)[:-KEPT_DUMPS]:
        old.unlink(missing_ok=True)


def _run(program: str, *arguments: str) -> bytes:
    """Run a program of PostgreSQL as superuser on the connection's database; what it prints."""
    parameters = connection.get_connection_params()
    address = [
        f"--host={parameters['host']}",
        f"--username={SUPERUSER}",
        f"--dbname={connection.settings_dict['NAME']}",
    ]
    if parameters.get("port"):
        address.append(f"--port={parameters['port']}")
    return subprocess.run(
        [postgres_programs(None) / program, *address, *arguments], check=True, stdout=subprocess.PIPE
    ).stdout


def _maintenance() -> psycopg.Connection:
    """Open a session outside of any test's database, as the login role."""
    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("host", "port", "user", "password") if parameters.get(name)}
    return psycopg.connect(**wanted, dbname="postgres", autocommit=True)


def _use(name: str) -> None:
    """Let Django's connections, of this thread and of others, go to the database."""
    connection.close()
    connection.close_pool()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


def _tables(cursor: Any) -> dict[str, list[str]]:
    """Return the tables of the schema `public`, and the columns of each that are not generated."""
    cursor.execute(
        "SELECT relname, array_agg(attname::text ORDER BY attnum) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"  # noqa: E501
        " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"  # noqa: E501
        " GROUP BY relname ORDER BY relname"
    )
    return dict(cursor.fetchall())


def _with_rows(cursor: Any, tables: list[str]) -> list[str]:
    """Return those of the tables that are not empty."""
    if not tables:
        return []
    cursor.execute(
        " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM public.\"{table}\")" for table in tables)
    )
    return [table for (table,) in cursor.fetchall()]


PAST_TRIGGERS = "SET LOCAL app.owner = 'on'"
"""What is posted or issued is deleted by the owner of the schema alone."""


def keep_seeds() -> None:
    """Copy the rows that the database has now, before the first test, to a schema of their own."""
    with use_owner_role(), connection.cursor() as cursor:
        tables = _tables(cursor)
        cursor.execute(f"CREATE SCHEMA {SEEDS}; GRANT USAGE, CREATE ON SCHEMA {SEEDS} TO {SYSTEM_ROLE}")
    # The owner of the tables is under their policies, too: only the system's role sees all companies.
    with unscoped(reason="tests keep the rows of all companies"), transaction.atomic(), connection.cursor() as cursor:
        for table in _with_rows(cursor, list(tables)):
            columns = ", ".join(f'"{column}"' for column in tables[table])
            cursor.execute(f'CREATE TABLE {SEEDS}."{table}" AS SELECT {columns} FROM public."{table}"')


def remove_companies() -> None:
    """Delete all companies and users; they come back after the test."""
    with unscoped(reason="tests of an empty service"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PAST_TRIGGERS)
        owned = [model._meta.db_table for model in apps.get_models() if issubclass(model, CompanyRow)]
        for table in (*_with_rows(cursor, owned), *(model._meta.db_table for model in (RefreshToken, Company, User))):
            cursor.execute(f'DELETE FROM public."{table}"')


def reset() -> None:
    """Bring the database back to what keep_seeds() found, after a test that committed: only tables that were written to
    are touched."""
    with unscoped(reason="tests clean up"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PAST_TRIGGERS)
        tables = _tables(cursor)
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace", [SEEDS])
        seeded = sorted(table for (table,) in cursor.fetchall())
        for table in _with_rows(cursor, [table for table in tables if table not in seeded]):
            cursor.execute(f'DELETE FROM public."{table}"')
        for table in seeded:
            _restore(cursor, table, tables[table])
    ContentType.objects.clear_cache()
    forget()


def _restore(cursor: Any, table: str, columns: list[str]) -> None:
    """Make the table's rows equal to their copies."""
    names = ", ".join(f'"{column}"' for column in columns)
    there, seeds = f'(SELECT {names} FROM public."{table}")', f'(SELECT {names} FROM {SEEDS}."{table}")'
    cursor.execute(
        f"SELECT EXISTS (SELECT FROM {there} t FULL JOIN {seeds} s ON t::text = s::text WHERE t IS NULL OR s IS NULL)"
    )
    if cursor.fetchone()[0]:
        cursor.execute(f'DELETE FROM public."{table}"')
        cursor.execute(f'INSERT INTO public."{table}" ({names}) SELECT * FROM {seeds} s')
