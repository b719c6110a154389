"""What a subscription entitles to: the plan's terms under its own, in one query, by the clock."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing.entitlements.selectors import ALWAYS, entitlement_of, overlay, terms_of, usage_of
from billing.models import Plan, Subscription
from billing.subscriptions.selectors import is_open, primary_subscription
from core.access import Entitlement
from tests.billing.subscriptions.helpers import at
from tests.kit.cast import Cast
from tests.kit.factories import TagFactory


@pytest.mark.parametrize(
    ("own", "plan", "expected"),
    [
        ((None, {}, None), (None, None, None), (None, {}, set())),
        ((None, {}, None), (["contact"], {"tag": 5}, 3), ({"contact", *ALWAYS}, {"tag": 5, "member": 3}, set())),
        ((["tag"], {}, None), (["contact"], {}, None), ({"tag", *ALWAYS}, {}, set())),
        (([], {}, None), (None, {}, None), (set(ALWAYS), {}, set())),
        ((None, {"tag": 9}, None), (None, {"tag": 5, "api": 1}, None), (None, {"tag": 9, "api": 1}, {"tag"})),
        ((None, {"tag": 0}, None), (None, {"tag": 5}, None), (None, {"tag": 0}, {"tag"})),
        ((None, {}, 2), (None, {}, 10), (None, {"member": 2}, {"member"})),
        ((None, {}, 2), (None, None, None), (None, {"member": 2}, {"member"})),
    ],
)
def test_overlay(own: Any, plan: Any, expected: Any) -> None:
    found = overlay(*own, *plan)
    modules, limits, named = expected
    assert (found.modules, dict(found.limits), set(found.own)) == (modules, limits, named)


@pytest.mark.django_db
def test_one_query_reads_what_the_model_says(cast: Cast) -> None:
    plan = Plan.objects.create(name="Club", modules=["contact", "tag"], limits={"tag": 5}, max_seats=4)
    with cast.scope():
        Subscription.objects.update(plan=plan, limits={"contact": 7}, seats=3)
        entitlement_of(cast.company.pk)
        with CaptureQueriesContext(connection) as queries:
            found = entitlement_of(cast.company.pk)
        assert len(queries) == 1
        subscription = primary_subscription()
        assert subscription is not None
        assert found == terms_of(subscription)
        assert found == Entitlement(
            frozenset({"contact", "tag", *ALWAYS}),
            {"tag": 5, "member": 3, "contact": 7},
            frozenset({"contact", "member"}),
        )
        TagFactory()
        assert usage_of(found) == {"member": (2, 3), "contact": (0, 7), "tag": (1, 5)}


@pytest.mark.django_db
@pytest.mark.parametrize("status", Subscription.Status.values)
def test_access_follows_status_and_clock(cast: Cast, status: str) -> None:
    now = timezone.now()
    with cast.scope():
        Subscription.objects.update(status=status, starts_at=now - timedelta(days=1), ends_at=now + timedelta(days=1))
        subscription = Subscription.objects.get()
        for moment, within in ((-1.5, False), (0, True), (0.99, True), (1, False)):
            with at(now + timedelta(days=moment)):
                expected = within and status in ("trial", "active", "past_due", "paused")
                assert (entitlement_of(cast.company.pk) is not None) == expected, moment
                assert is_open(subscription) == expected, moment


@pytest.mark.django_db
def test_a_company_never_gets_anothers(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        Subscription.objects.all().delete()
    with cast.scope():
        assert entitlement_of(outsiders.company.pk) is None
    with outsiders.scope():
        assert entitlement_of(cast.company.pk) is None, "row-level security hides it"
