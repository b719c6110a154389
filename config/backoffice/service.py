"""The state of the service on the back office's first page: work, processes, servers, disk, backup and version."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.backup.last import last_backup
from config.data_dir import PROJECT, disk_space
from core.backoffice.columns import capitalize_lazily
from core.backoffice.panels import list_address, render_table
from core.backoffice.values import relative_time, state
from core.jobs import heartbeat
from core.jobs.backlog import MAX_COUNT, Backlog, read_backlogs
from core.jobs.liveness import ALIVE, NAMESPACE
from core.tenancy import use_owner_role
from core.types import JsonObject

OK, WARNING, PROBLEM = "ok", "warn", "bad"
CODES = {OK: "active", WARNING: "paused", PROBLEM: "failed"}
"""Level -> a status that the back office shows in the level's tone."""
LATE_AFTER = timedelta(minutes=5)
MAX_BACKUP_AGE = timedelta(days=2)
MIN_FREE_PERCENT = 10
FULL_PERCENT = 90
"""The share of PostgreSQL's connections from which it counts as nearly full."""
REDIS_SECONDS = 1


@dataclass(frozen=True)
class Check:
    """A part of the service: its level, name and details."""

    level: str
    name: str
    details: str


def service_state() -> SafeString:
    """Render the parts of the service with their levels. Three statements, and one question to Redis."""
    checks = [*_processes_and_database(), _redis(), _disk(), _backup(), _version()]
    rows = [(_mark(check.level), check.name, check.details) for check in checks]
    return render_table((_("State"), _("Part"), _("Details")), rows)


def work_state() -> SafeString:
    """Render the waiting and running work by kind, without kinds that have neither. One statement."""
    now = timezone.now()
    backlogs = [backlog for backlog in read_backlogs() if backlog.waiting or backlog.running]
    headers = (_("State"), _("Work"), _("Waiting"), _("Oldest"), _("Running"), "")
    return render_table(headers, [_work_row(backlog, now) for backlog in backlogs], empty=_("No work is waiting."))


def _work_row(backlog: Backlog, now: datetime) -> tuple[SafeString, str, str, str, str, SafeString | str]:
    late = backlog.oldest is not None and now - backlog.oldest > LATE_AFTER
    address = list_address(backlog.model, status__exact=backlog.model.claim_policy.ready)
    show = format_html('<a class="backoffice-link" href="{}">{}</a>', address, _("Show")) if address else ""
    return (
        _mark(WARNING if late else OK),
        capitalize_lazily(str(backlog.model._meta.verbose_name_plural)),
        _count(backlog.waiting),
        relative_time(backlog.oldest, now) if backlog.oldest else "–",
        _count(backlog.running),
        show,
    )


def _mark(level: str) -> SafeString:
    words = {OK: _("✓ OK"), WARNING: _("! Check"), PROBLEM: _("✗ Problem")}
    return state(CODES[level], words[level])


def _count(number: int) -> str:
    return _("at least %(number)s") % {"number": f"{number:,}"} if number == MAX_COUNT else f"{number:,}"


def _processes_and_database() -> Iterator[Check]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT (SELECT count(*) FROM ({ALIVE}) AS alive),"  # noqa: S608  constant SQL
            " count(DISTINCT application_name) FILTER (WHERE application_name LIKE 'leadwright web %%'), count(*),"
            " current_setting('max_connections')::int, current_setting('server_version'),"
            " pg_database_size(current_database())"
            " FROM pg_stat_activity WHERE datname = current_database()",
            [NAMESPACE],
        )
        workers, web, used, most, server, size = cursor.fetchone()
    yield _workers(workers)
    yield Check(OK, _("Web processes"), _("%(number)s connected to PostgreSQL") % {"number": web})
    text = _("Version %(version)s, %(size)s, %(used)s of %(most)s connections")
    values = {"version": server.split()[0], "size": filesizeformat(size), "used": used, "most": most}
    yield Check(WARNING if used * 100 >= most * FULL_PERCENT else OK, "PostgreSQL", text % values)


def _workers(number: int) -> Check:
    beat = heartbeat()
    last_tick = relative_time(beat.ticked_at) if beat.ticked_at else _("never")
    details = _("%(number)s alive, last seen %(time)s") % {"number": number, "time": last_tick}
    if beat.late:
        details = _("%(details)s; a periodic task is late") % {"details": details}
    if beat.stale:
        return Check(PROBLEM, _("Workers"), details)
    return Check(WARNING if beat.late else OK, _("Workers"), details)


def _redis() -> Check:
    client = Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=REDIS_SECONDS,
        socket_timeout=REDIS_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        info: JsonObject = client.info()
    except RedisError:
        return Check(PROBLEM, "Redis", _("Redis does not answer. Work waits in PostgreSQL."))
    finally:
        client.close()
    text = _("Version %(version)s, %(size)s, %(used)s connections")
    details = text % {
        "version": info["redis_version"],
        "size": filesizeformat(info["used_memory"]),
        "used": info["connected_clients"],
    }
    return Check(OK, "Redis", details)


def _disk() -> Check:
    total, free = disk_space()
    text = _("%(free)s of %(total)s free at %(folder)s")
    details = text % {
        "free": filesizeformat(free),
        "total": filesizeformat(total),
        "folder": settings.LEADWRIGHT_DATA,
    }
    return Check(WARNING if free * 100 < total * MIN_FREE_PERCENT else OK, _("Disk"), details)


def _backup() -> Check:
    backup = last_backup()
    if backup is None:
        return Check(WARNING, _("Last backup"), _("No backup in %(folder)s") % {"folder": _backups_folder()})
    age = relative_time(backup.made_at)
    size = filesizeformat(backup.size)
    if backup.checked_at is None:
        details = _("%(age)s, %(size)s, not verified") % {"age": age, "size": size}
    else:
        details = _("%(age)s, %(size)s, verified %(time)s") % {
            "age": age,
            "size": size,
            "time": relative_time(backup.checked_at),
        }
    old = timezone.now() - backup.made_at > MAX_BACKUP_AGE
    return Check(WARNING if old else OK, _("Last backup"), details)


def _backups_folder() -> str:
    return str(settings.LEADWRIGHT_DATA / "backups")


def _version() -> Check:
    migration_count = _missing_migrations()
    details = version()
    if not migration_count:
        return Check(OK, "Leadwright", _("Version %(version)s, all migrations applied") % {"version": details})
    text = ngettext(
        "Version %(version)s, %(number)s migration is not applied",
        "Version %(version)s, %(number)s migrations are not applied",
        migration_count,
    )
    return Check(PROBLEM, "Leadwright", text % {"version": details, "number": migration_count})


def _missing_migrations() -> int:
    """Return the number of migrations to apply. Once none is missing, the running code needs no further look."""
    if not _complete:
        with use_owner_role():
            loader = MigrationLoader(connection)
        count = len(set(loader.disk_migrations) - set(loader.applied_migrations))
        if count:
            return count
        _complete.append(True)
    return 0


_complete: list[bool] = []


@cache
def version() -> str:
    """Return the version of the running code, as pyproject.toml has it."""
    with (PROJECT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])
