"""Owners are told when a limit is nearly used: once for each limit, level and period."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import Mail, Notification
from billing.entitlements.use import EVERY, level_of, notify_of_usage
from billing.models import Subscription
from core.jobs import WORK
from core.tenancy import unscoped
from tests.billing.subscriptions.helpers import at
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, TagFactory
from tests.kit.html import html_of
from tests.kit.threads import at_once
from tests.web.helpers import at as address
from tests.web.helpers import enter, text_of

LIMITS = {"contact": 10, "tag": 3}


def notify(later: timedelta = timedelta()) -> None:
    with at(timezone.now() + later), unscoped(reason="test: runs for all companies"), transaction.atomic():
        notify_of_usage()


def told(cast: Cast) -> list[str]:
    with cast.scope():
        return list(Notification.objects.order_by("created_at", "id").values_list("text", flat=True))


@pytest.fixture
def limited_cast(cast: Cast) -> Cast:
    with cast.scope():
        Subscription.objects.update(limits=LIMITS, created_at=timezone.now() - 2 * EVERY)
    return cast


def test_levels() -> None:
    assert [level_of(used, 10) for used in (0, 7, 8, 9, 10, 11)] == [0, 0, 80, 80, 100, 100]
    assert [level_of(1, limit) for limit in (None, 0, 1, 2)] == [0, 0, 0, 0]
    assert WORK["periodic:use of limits"].run is notify_of_usage


def test_each_limit_is_told_once_in_a_period(limited_cast: Cast) -> None:
    cast = limited_cast
    with cast.scope():
        ContactFactory.create_batch(7)
    notify()
    assert told(cast) == []
    with cast.scope():
        ContactFactory()
    notify(EVERY / 2)  # it was counted a moment ago
    assert told(cast) == []
    notify(2 * EVERY)
    notify(4 * EVERY)
    assert told(cast) == ["Contacts: 8 of 10 used"]
    with cast.scope():
        ContactFactory.create_batch(2)
        TagFactory.create_batch(3)  # all at once: the highest level alone
    notify(6 * EVERY)
    notify(8 * EVERY)
    assert sorted(told(cast)[1:]) == ["Contacts: limit of 10 reached", "Tags: limit of 3 reached"]
    with cast.scope():
        assert Mail.objects.filter(kind="notice_limit_nearly_used", to=cast.owner.email).count() == 3
        Subscription.objects.update(limits={**LIMITS, "contact": 12})
    notify(10 * EVERY)  # a limit that was changed is a new one: 10 of 12
    notify(12 * EVERY)
    assert told(cast)[3:] == ["Contacts: 10 of 12 used"]
    with cast.scope():
        Subscription.objects.update(period_start=timezone.now())
    notify(14 * EVERY)
    notify(16 * EVERY)
    assert len(told(cast)) == 6

    page = enter(cast.owner).get(address(cast.owner, "notifications"))
    assert f'href="{address(cast.owner, "settings/plan")}"' in html_of(page)
    plan = text_of(enter(cast.owner).get(address(cast.owner, "settings/plan")))
    assert "Tags: all 3 are used." in plan
    assert "Contacts: 10 of 12 are used (83%)" in plan


def test_what_a_company_begins_with_is_no_news(cast: Cast) -> None:
    with cast.scope():
        Subscription.objects.update(limits=LIMITS, created_at=timezone.now())
        TagFactory.create_batch(3)
    notify()
    notify(2 * EVERY)
    assert told(cast) == []


def test_who_is_blocked_out_is_not_told(limited_cast: Cast) -> None:
    with limited_cast.scope():
        TagFactory.create_batch(3)
        Subscription.objects.update(ends_at=timezone.now())
    notify(EVERY)
    assert told(limited_cast) == []


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_tell_once(limited_cast: Cast) -> None:
    with limited_cast.scope():
        TagFactory.create_batch(3)

    def run(_: int) -> None:
        with unscoped(reason="test: two workers"), transaction.atomic():
            notify_of_usage()

    at_once(3, None, run)
    assert told(limited_cast) == ["Tags: limit of 3 reached"]
