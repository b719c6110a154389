"""The notice of a card that expires."""

from __future__ import annotations

from datetime import date

import pytest

from accounts.models import Company, Mail
from billing.models import PaymentMethod
from billing.subscriptions.services import cancel_subscription
from core.tenancy import company_scope, unscoped
from tests.billing.renewals.helpers import FakeGateway, charged
from tests.billing.subscriptions.helpers import NOON, at, days, mails, run_renewals

pytestmark = pytest.mark.django_db
TOLD = "notice_card_expires"


def told(company: Company) -> int:
    return mails(company).count(TOLD)


def test_a_card_that_expires_is_told_of_once_from_the_month_before_on(gateway: FakeGateway) -> None:
    company, ends = charged(), charged()
    with unscoped(reason="test"):
        PaymentMethod.objects.update(expires_on=date(2026, 6, 30))
    with at(NOON + days(1)):
        cancel_subscription(company_id=ends.pk, at_period_end=True)
    run_renewals(NOON + days(30.4))  # the 30th of April
    assert told(company) == 0
    for day in (31, 32, 62, 80):
        run_renewals(NOON + days(day))
    assert (told(company), told(ends)) == (1, 0)
    with company_scope(company.pk):
        mail = Mail.objects.get(kind=TOLD)
        assert (mail.subject, "valid until 30 Jun 2026" in mail.text) == ("Visa 4242 expires soon", True)
        PaymentMethod.objects.update(expires_on=date(2026, 8, 31))
    for day in (93, 120):
        run_renewals(NOON + days(day))
    assert told(company) == 2
