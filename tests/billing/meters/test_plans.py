"""Meters are counted, looked up and shown by indexes, however much was used."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from billing.charges.services import pending_charges
from billing.meters.services import SETTLE
from billing.models import Charge, MeterPeriod, Subscription, UsageEvent
from core.ids import new_id
from core.tenancy import unscoped, use_owner_role
from tests.kit.cast import Cast

EVENTS = 4000
pytestmark = pytest.mark.django_db


def populate(cast: Cast) -> Subscription:
    now = timezone.now()
    with cast.scope():
        subscription: Subscription = Subscription.objects.get(is_primary=True)
        month = {"starts_at": now - timedelta(days=20), "ends_at": now + timedelta(days=10)}
        period = MeterPeriod.objects.create(
            subscription=subscription, meter="messages", allowed=1, included=1, terms="", **month
        )
        values: dict[str, Any] = {"period": period, "meter": "messages"}
        made = [
            UsageEvent(source=f"m{n}", status="reserved" if n < 20 else "settled", expires_at=now, **values)
            for n in range(EVENTS)
        ]
        UsageEvent.objects.bulk_create(made)
        UsageEvent.objects.filter(status="settled").update(created_at=now - timedelta(days=90))
        Charge.objects.bulk_create(
            Charge(
                subscription=subscription,
                kind="metered",
                description="x",
                amount_minor=1,
                currency="USD",
                source=new_id(),
                invoice_id=None,
            )
            for _ in range(20)
        )
    with cast.scope(), use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE billing_usageevent")
    return subscription


def used_indexes(sql: str, parameters: Any) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}", parameters)
        return "\n".join(line for (line,) in cursor.fetchall())


def test_statements_use_their_indexes(cast: Cast) -> None:
    subscription = populate(cast)
    with cast.scope():
        values = {"company": cast.company.pk, "meter": "messages", "sources": "m1,m2,m3", "now": timezone.now()}
        assert "usageevent_once" in used_indexes(SETTLE, values)
        since = timezone.now() - timedelta(days=1)
        assert "usageevent_days" in UsageEvent.objects.filter(created_at__gte=since, meter="messages").explain()
    with unscoped(reason="test: what a periodic task reads"):
        due = UsageEvent.objects.filter(status="reserved", expires_at__lte=timezone.now()).order_by("expires_at")
        assert "usageevent_expires" in due.explain()
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")  # the tables are too small for the planner to care
        assert "charge_pending" in pending_charges([subscription.pk]).explain()
        over = MeterPeriod.objects.filter(MeterPeriod.overage(), ends_at__lte=timezone.now()).order_by("ends_at")
        assert "meterperiod_overage" in over.explain()
