"""Limits by mail provider."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from outreach.messaging.delivery.limits.quotas import forget_unused, reserve, scope_of
from outreach.models import RecipientQuota, SendJob
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.helpers import Post, statuses, work


@pytest.mark.parametrize("per_hour", [1, 5, 7, 100])
def test_never_more_than_the_limit_goes_in_any_hour(cast: Cast, per_hour: int) -> None:
    """A claim each minute that wants all there is, for three hours."""
    began, went = datetime(2026, 11, 23, tzinfo=UTC), list[datetime]()
    with cast.scope():
        for minute in range(180):
            now = began + timedelta(minutes=minute)
            went += [now] * reserve({"google": 1000}, {"google": per_hour}, now)["google"].count
        assert not reserve({"example.org": 5}, {"google": 1}, began)
    for first in went:
        assert sum(first <= one < first + timedelta(hours=1) for one in went) <= per_hour
    assert len(went) >= 2 * per_hour


def test_addresses_belong_to_providers() -> None:
    found = [scope_of(f"a@{domain}") for domain in ("GMail.com", "outlook.co.uk", "yahoo.de", "notgmail.com", "gmx.at")]
    assert found == ["google", "microsoft", "yahoo", "notgmail.com", "gmx"]


def test_what_is_over_the_limit_waits_and_says_so(cast: Cast, post: Post) -> None:
    with cast.scope():
        people = [ContactFactory(email=f"p{n}@gmail.com") for n in range(3)]
        people.append(ContactFactory(email="p@example.org"))
    assert cast.key.put("/genie/settings", {"providerLimits": {"google": 20}}).status == 200
    answer = cast.key.post("/genie/from-contacts", {"contactIds": [one.pk for one in people], "prompt": "Invite them"})
    work("genie")
    work("send")
    run = answer.data["_id"]
    assert statuses(cast, run) == {"sent": 3, "approved": 1}
    with cast.scope():
        job = SendJob.objects.get(run_id=run, status="approved")
        assert timezone.now() < job.due_at < timezone.now() + timedelta(minutes=10)
        RecipientQuota.objects.update(filled_at=timezone.now() - timedelta(days=2))
        assert not forget_unused()
        assert not RecipientQuota.objects.exists()
    shown = cast.key.get(f"/genie/send-jobs/{job.pk}").data["decision"]
    assert (shown["reason"], shown["sentence"][:34]) == ("limit_domain", "The limit for the recipient's emai")
    assert cast.key.put("/genie/settings", {"providerLimits": {}}).status == 200
    work("send")
    assert statuses(cast, run) == {"sent": 4}
