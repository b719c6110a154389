"""What a company may do whatever its plan, or without one: what it takes to pay."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from billing.models import Subscription
from billing.subscriptions.services import grant_subscription
from core.ids import new_id
from core.messages.defaults import DEFAULTS
from crm.files import services as files
from crm.models import File
from tests.billing.checkout.helpers import buyer
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import make_cast

pytestmark = pytest.mark.django_db
LAPSED = DEFAULTS["SubscriptionExpired_400"][1]


def message(name: str) -> str:
    return DEFAULTS[name][1]


def test_a_lapsed_company_uploads_no_more_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    cast, plan = buyer()
    monkeypatch.setattr(files, "LAPSED_FILES", 2)
    for caller, status in ((cast.session, 201), (cast.key, 201), (cast.key, 403), (cast.session, 403)):
        assert caller.upload("/upload", SimpleUploadedFile("transfer.txt", b"sent on Monday")).status == status
    monkeypatch.setattr(files, "LAPSED_FILES", 20)
    monkeypatch.setattr(files, "LAPSED_BYTES", 40)
    answer = cast.session.upload("/upload", SimpleUploadedFile("transfer.txt", b"sent on Monday"))
    assert (answer.status, "without a subscription" in answer.body["warning"]) == (403, True)
    with cast.scope():
        assert File.objects.count() == 2
    grant_subscription(company_id=cast.company.pk, plan=plan, interval="month")
    assert (
        cast.session.upload("/upload", SimpleUploadedFile("list.txt", b"no longer capped, whatever is there")).status
        == 201
    )


@pytest.mark.parametrize(("phase", "write"), [("paused", 400), ("grace", 201), ("ended", 500), ("none", 500)])
def test_whoever_has_paused_or_not_paid_reaches_what_it_takes_to_pay(phase: str, write: int) -> None:
    cast, plan = buyer()
    grant_subscription(company_id=cast.company.pk, plan=plan, interval="month")
    now = timezone.now()
    values = {
        "paused": {"status": "paused", "ends_at": None, "paused_until": now + timedelta(days=9)},
        "grace": {"status": "past_due", "ends_at": now + timedelta(days=1)},
        "ended": {"status": "expired", "ends_at": now - timedelta(days=1)},
        "none": {"is_primary": False},
    }
    with cast.scope():
        Subscription.objects.update(**values[phase])
    lists = ("/plans", "/subscription", "/subscription/invoices", "/subscription/usage", "/manual-payment", "/coupons")
    for caller in (cast.session, cast.key):
        for path in (*lists, "/settings", "/file", "/company"):
            assert caller.get(path).status == 200, path
        assert caller.put("/company", {"name": "Still here"}).status == 200
        assert caller.upload("/upload", SimpleUploadedFile("transfer.txt", b"sent on Monday")).status == 201
        for letter in "abcde":
            refused = caller.post(
                f"/gateway-{letter}", {"manualPaymentID": new_id(), "subscriptionID": new_id(), "proof": "x"}
            )
            assert (refused.status, refused.body["message"]) == (400, message("SubscriptionNotFound_400"))
        answer = caller.post("/tag", {"name": f"New {caller is cast.key}"})
        assert (answer.status, answer.body["message"] == LAPSED) == (write, write == 500)
        assert caller.get("/tag").status == (500 if write == 500 else 200)


def test_no_plan_keeps_its_owner_from_leaving_it() -> None:
    cast = make_cast()
    with cast.scope():
        Subscription.objects.update(plan=plan_of("Narrow", modules=["contact"]), interval="month")
    for path in ("/plans", "/subscription", "/settings", "/company", "/file"):
        assert cast.session.get(path).status == 200, path
    assert cast.session.get("/tag").status == 403
    assert {"plan", "settings", "company", "file", "contact"} == set(cast.session.get("/plans").data["modules"])
