"""What a lapsed company may still do (contract section 5): what it takes to pay, by session and by key alike."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from billing.models import Subscription
from billing.subscriptions.services import grant_subscription
from crm.files import services as files
from crm.models import File
from tests.billing.checkout.helpers import buyer
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import Caller, Cast, make_cast

pytestmark = pytest.mark.django_db
NOBODY = "f" * 24
IDS = {"manualPaymentID": NOBODY, "subscriptionID": NOBODY, "proof": "x"}
OPEN: list[tuple[str, str, Any, int]] = [
    ("GET", "/plans", None, 200),
    ("GET", f"/plans/{NOBODY}", None, 400),
    ("GET", "/subscription", None, 200),
    ("POST", "/subscription", {"planID": NOBODY}, 400),
    ("POST", "/subscription/preview", {"planID": NOBODY}, 400),
    ("POST", "/subscription/seats", {"seats": 2}, 400),
    ("GET", "/subscription/invoices", None, 200),
    ("GET", "/subscription/transactions", None, 200),
    ("GET", "/subscription/payment-methods", None, 200),
    ("GET", "/subscription/billing-details", None, 200),
    *[("POST", f"/gateway-{letter}", IDS, 400) for letter in "abcde"],
    *[("POST", f"/gateway-{letter}/capture", {"paymentID": NOBODY}, 400) for letter in "abcde"],
    ("GET", "/manual-payment", None, 200),
    ("POST", "/manual-payment", {"paymentID": NOBODY}, 400),
    ("GET", "/coupons", None, 200),
    ("POST", "/coupons", {"code": "NONE"}, 400),
    ("GET", "/settings", None, 200),
    ("GET", "/file", None, 200),
    ("GET", "/company", None, 200),
    ("PUT", "/company", {"industry": "Tools"}, 200),
]
CLOSED = [
    ("PUT", "/settings", {"appName": "x"}),
    ("DELETE", "/file", {"ids": [NOBODY]}),
    ("GET", "/file/recycle-bin", None),
    ("GET", "/contact", None),
    ("POST", "/contact", {"formData": {"email": "a@example.org"}}),
    ("GET", "/lead", None),
    ("GET", "/tag", None),
    ("GET", "/member", None),
    ("GET", "/api", None),
    ("GET", "/genie", None),
    ("GET", "/campaign", None),
    ("GET", "/webhook", None),
]


def callers(cast: Cast) -> dict[str, Caller]:
    return {"session": cast.session, "key": cast.key}


def test_the_doors_of_a_lapsed_company(subtests: pytest.Subtests) -> None:
    cast, _ = buyer()
    for kind, caller in callers(cast).items():
        for method, path, body, status in OPEN:
            with subtests.test(msg=f"{kind} {method} {path}"):
                assert caller.call(method, path, body).status == status
        for method, path, body in CLOSED:
            with subtests.test(msg=f"{kind} {method} {path}"):
                answer = caller.call(method, path, body)
                assert (answer.status, "no active subscription" in str(answer.body)) == (500, True)
        assert caller.upload("/upload", SimpleUploadedFile("transfer.txt", b"sent on Monday")).status == 201


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


def test_no_plan_keeps_its_owner_from_leaving_it() -> None:
    cast = make_cast()
    with cast.scope():
        Subscription.objects.update(plan=plan_of("Narrow", modules=["contact"]), interval="month")
    for path in ("/plans", "/subscription", "/settings", "/company", "/file"):
        assert cast.session.get(path).status == 200, path
    assert cast.session.get("/tag").status == 403
    assert {"plan", "settings", "company", "file", "contact"} == set(cast.session.get("/plans").data["modules"])
