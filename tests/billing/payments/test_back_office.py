"""What staff see of money: amounts as people write them, what came of an order, and what waits for them."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.models import Mail, User
from billing.models import Attempt, GatewayAccount, GatewayEvent, Payment, Seller
from billing.payments.orders import reject_transfer
from core.tenancy import unscoped
from tests.billing.checkout.helpers import buyer, order, pay
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def ordered() -> tuple[Cast, str]:
    """A company that has ordered for 29 USD, and the order's id."""
    Seller.objects.create(name="Leadwright Ltd", country="IE", bank_instructions="IBAN X")
    cast, plan = buyer()
    return cast, order(cast, plan)["payment"]["_id"]


def address(page: str, *args: str) -> str:
    return reverse(f"admin:billing_{page}", args=args)


def test_a_transfer_is_decided_where_it_waits_with_its_facts_in_sight(staff: Client) -> None:
    cast, id = ordered()
    page = staff.get(address("payment_change", id)).content.decode()
    assert "Approve $29.00" not in page
    proof = "https://files.example.org/slip.pdf"
    answer = cast.session.post("/manual-payment", {"paymentID": id, "reference": "SLIP 7", "proof": proof})
    assert answer.status in (200, 201), answer.body
    page = staff.get(address("payment_change", id)).content.decode()
    assert "Approve $29.00 from" in page
    assert "Reject bank transfer" in page
    assert "$29.00" in page
    asked = staff.get(address("payment_ask", id, "approve")).content.decode()
    assert "$29.00" in asked
    assert "SLIP 7" in asked
    assert f'href="{proof}"' in asked
    home = staff.get(reverse("admin:index")).content.decode()
    assert "Bank transfers to approve" in home
    assert "bank_state__exact=submitted" in home
    pay(cast, id)
    page = staff.get(address("payment_change", id)).content.decode()
    assert "Approve $29.00" not in page
    assert "Reject bank transfer" not in page


def test_an_order_lists_what_was_tried_and_what_waits_is_counted(staff: Client) -> None:
    cast, id = ordered()
    account = GatewayAccount.objects.create(letter="a", adapter="stripe")
    with cast.scope():
        number = Payment.objects.get(pk=id).number
        attempt = Attempt.objects.create(
            payment_id=id, letter="a", adapter="stripe", status="wrong", gateway_id="cs_7", seen={"said": "paid"}
        )
    GatewayEvent.objects.create(account=account, event_id="evt_named", hints=["cs_7"])
    GatewayEvent.objects.create(account=account, event_id="evt_other", hints=["cs_8"])
    page = staff.get(address("payment_change", id)).content.decode()
    assert address("attempt_change", attempt.pk) in page
    assert "Stripe" in page
    assert "evt_named" in page
    assert "evt_other" not in page
    assert "Parked payments" in staff.get(reverse("admin:index")).content.decode()
    found = staff.get(address("attempt_changelist"), {"status__in": "wrong,unknown"})
    assert [row.pk for row in found.context["cl"].result_list] == [attempt.pk]
    listed = found.content.decode()
    assert number in listed
    assert "$29.00" in listed
    for model, query in (
        ("difference", {"cleared_at__isnull": "True"}),
        ("subscription", {"is_primary__exact": "True", "status__exact": "past_due"}),
        ("refund", {"status__exact": "asked"}),
    ):
        assert staff.get(address(f"{model}_changelist"), query).status_code == 200


def test_owners_are_told_of_money_that_came_and_of_a_transfer_that_did_not() -> None:
    cast, id = ordered()
    cast.session.post("/manual-payment", {"paymentID": id, "reference": "x"})
    with cast.scope():
        payment = Payment.objects.get(pk=id)
    reject_transfer(payment=payment, reason="It has not come.", by=UserFactory(is_staff=True))
    pay(cast, id)
    with unscoped(reason="test: mails of a company"):
        found = Mail.objects.filter(company_id=cast.company.pk, kind__startswith="notice_payment").order_by("pk")
        rejected, received = found
        payment = Payment.objects.select_related("invoice").get(pk=id)
    assert (rejected.kind, received.kind) == ("notice_payment_rejected", "notice_payment_received")
    assert "It has not come." in rejected.text
    assert f"Invoice {payment.invoice.number} is paid" in received.text
    assert "settings/plan/invoices" in received.text


def transferred() -> tuple[Cast, str]:
    """A company that says it has transferred the money of its order."""
    cast, id = ordered()
    cast.session.post("/manual-payment", {"paymentID": id, "reference": "SLIP 7"})
    return cast, id


def payment_of(cast: Cast, id: str) -> Payment:
    with cast.scope():
        return Payment.objects.get(pk=id)


def test_an_expected_transfer_is_approved_once_with_the_prefilled_form(staff: Client) -> None:
    cast, id = transferred()
    place = address("payment_ask", id, "approve")
    page = staff.get(place)
    assert f"Approve $29.00 from {cast.company.name}" in page.content.decode()
    sent = {name: page.context["form"][name].value() for name in ("amount", "received_on")}
    answers = [staff.post(place, sent) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 200]
    assert "not waiting for a decision" in answers[1].content.decode()
    payment = payment_of(cast, id)
    assert (payment.status, payment.bank_state) == ("paid", "approved")
    assert list(LogEntry.objects.filter(object_id=id).values_list("change_message", flat=True)) == ["Approved: $29.00."]


@pytest.mark.parametrize(("amount", "said"), [("20", "$20.00"), ("30.50", "$30.50")])
def test_a_different_amount_leaves_the_order_open_and_names_both(staff: Client, amount: str, said: str) -> None:
    cast, id = transferred()
    place = address("payment_ask", id, "different_amount")
    assert "This is the expected amount" in staff.post(place, {"amount": "29"}).content.decode()
    assert staff.post(address("payment_ask", id, "approve"), {"amount": amount}).status_code == 200
    assert payment_of(cast, id).bank_state == "submitted"
    assert staff.post(place, {"amount": amount}).status_code == 302
    payment = payment_of(cast, id)
    assert (payment.status, payment.bank_state) == ("open", "rejected")
    assert payment.decision == f"We received {said}, but the order is $29.00."


def test_staff_who_only_read_orders_approve_none() -> None:
    cast, id = transferred()
    viewer = UserFactory(is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_payment"))
    client = Client()
    client.force_login(viewer)
    assert "Approve $29.00" not in client.get(address("payment_change", id)).content.decode()
    for name in ("approve", "different_amount"):
        assert client.post(address("payment_ask", id, name), {"amount": "29"}).status_code == 403
    assert payment_of(cast, id).bank_state == "submitted"
