"""What a company may do whatever its plan, or without one: what it takes to pay."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from billing.models import Subscription
from billing.subscriptions.services import grant_subscription
from crm.files import services as files
from crm.models import File
from tests.billing.checkout.helpers import buyer
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import make_cast

pytestmark = pytest.mark.django_db


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
