"""Events of mail vendors find their messages by indexes, also in a table of many and in a full batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.tenancy import use_owner_role
from outreach.messaging.mail_events.services import BATCH, apply_batch
from outreach.models import MailApp, MailEvent, SendJob
from tests.guards.backoffice_rows.outreach import make_job, make_mail_app
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.rows import kept_for_module

pytestmark = in_make_check
MANY = 20_000
COPY = """
INSERT INTO outreach_sendjob
SELECT (jsonb_populate_record(job, jsonb_build_object(
    'id', lpad(to_hex(n), 24, '0'), 'occurrence', n + 1, 'status', 'sent', 'smtp_id', null, 'mail_app_id', %s::text,
    'message_id', '<' || n || '@example.org>', 'provider_message_id', 'p' || n))).*
FROM outreach_sendjob job, generate_series(1, %s) n WHERE job.id = %s
"""


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, MailApp]]:
    """A company, and its vendor's app with many sent messages."""
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        with cast.scope():
            app: MailApp = make_mail_app(1)
            job = make_job(1)
            with use_owner_role(), connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute(COPY, [app.pk, MANY, job.pk])
                cursor.execute("ANALYZE outreach_sendjob")
        yield cast, app


INDEXES = {"message_id": "sendjob_vendor_message_id", "provider_message_id": "sendjob_provider_id"}


@pytest.mark.parametrize("names", [("message_id",), ("provider_message_id",), ("message_id", "provider_message_id")])
def test_a_full_batch_finds_its_messages_by_indexes(
    db: None, kept: tuple[Cast, MailApp], names: tuple[str, ...]
) -> None:
    cast, app = kept
    forms = {"message_id": "<{}@example.org>", "provider_message_id": "p{}"}
    events = [
        MailEvent(
            app=app,
            dedupe_key=str(n),
            kind="delivered",
            happened_at=timezone.now(),
            **{name: forms[name].format(n) for name in names},
        )
        for n in range(1, BATCH + 1)
    ]
    with cast.scope():
        MailEvent.objects.bulk_create(events)
        with CaptureQueriesContext(connection) as queries:
            assert apply_batch() == BATCH
        assert SendJob.objects.filter(delivery_status="delivered").count() == BATCH
        reads = [query["sql"] for query in queries if f'"{names[0]}" IN' in query["sql"]]
        assert len(reads) == 1
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {reads[0]}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan" not in plan, plan
    assert {index for index in INDEXES.values() if index in plan} == {INDEXES[name] for name in names}, plan
