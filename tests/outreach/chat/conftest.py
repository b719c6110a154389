"""The stand-ins for the chat vendors, and a company's app at one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from outreach.models import ChatApp, ChatTemplate
from tests.kit.cast import Cast
from tests.kit.chat_vendor import APP, PHONE_ID, SECRET, TOKEN, WABA, ChatVendor, chat_vendor
from tests.kit.direct_vendors import DirectVendors, direct_vendors

BODY = {"type": "BODY", "text": "Hello {{1}}, we are open.", "example": {"body_text": [["Ann"]]}}


@pytest.fixture(scope="session")
def _vendor() -> Iterator[ChatVendor]:
    with chat_vendor() as found:
        yield found


@pytest.fixture
def vendor(_vendor: ChatVendor, settings: Any) -> ChatVendor:
    settings.VENDOR_BASE_URLS = {"chatapp": _vendor.url}
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    return _vendor.reset()


@pytest.fixture
def app(cast: Cast, vendor: ChatVendor) -> ChatApp:
    with cast.scope():
        made: ChatApp = ChatApp.objects.create(
            name="Acme",
            phone_number_id=PHONE_ID,
            waba_id=WABA,
            app_id=APP,
            access_token=TOKEN,
            app_secret=SECRET,
            display_number="+49 30 1",
            per_second=1000,
            created_by_id=cast.owner.pk,
        )
        return made


@pytest.fixture
def template(cast: Cast, app: ChatApp) -> ChatTemplate:
    with cast.scope():
        made: ChatTemplate = ChatTemplate.objects.create(
            app=app,
            name="hours",
            language="en",
            components=[BODY],
            variables={"1": "contact.firstName"},
            status="APPROVED",
            vendor_id="t1",
        )
        return made


@pytest.fixture(scope="session")
def _vendors() -> Iterator[DirectVendors]:
    with direct_vendors() as found:
        yield found


@pytest.fixture
def vendors(_vendors: DirectVendors, settings: Any) -> DirectVendors:
    settings.VENDOR_BASE_URLS = {"messenger": _vendors.url, "social-b": _vendors.url}
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    return _vendors.reset()
