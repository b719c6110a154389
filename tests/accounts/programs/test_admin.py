"""What staff do with partnerships and rewards in the back office."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import PartnerProgram, Reward, RewardTransition, User
from accounts.programs.rewards import earn_matured
from tests.accounts.programs.helpers import bring, make_partner, pay, rewarded
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@example.com", "correct horse battery")


@pytest.fixture
def staff(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


def address(row: models.Model, page: str = "change", *more: str) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{page}", args=(row.pk, *more))


def ask(client: Client, row: models.Model, name: str, **answers: Any) -> Any:
    """Send a dialog's form."""
    return client.post(address(row, "ask", name), answers)


def command(client: Client, row: models.Model, name: str) -> str:
    """The page's text after the button was pressed."""
    return client.post(address(row, "command"), {"command": name}, follow=True).content.decode()


def earned(**values: str) -> Reward:
    reward = rewarded(**values)
    Reward.objects.filter(pk=reward.pk).update(matures_at=timezone.now())
    earn_matured()
    return Reward.objects.get(pk=reward.pk)


def test_a_request_is_approved_with_a_word_and_a_share(staff: Client, root: User) -> None:
    program = make_partner(status="requested", code=None)
    page = staff.get(address(program)).content.decode()
    assert address(program, "ask", "approve") in page
    assert ask(staff, program, "approve", note="Welcome", commission_percent="12.5").status_code == 302
    program.refresh_from_db()
    assert (
        program.status,
        program.decision_note,
        str(program.commission_percent),
        program.decided_by,
        len(program.code),
    ) == (
        "approved",
        "Welcome",
        "12.50",
        root,
        8,
    )
    assert LogEntry.objects.get().get_change_message() == "Approved."


def test_the_share_stays_when_none_is_given(staff: Client) -> None:
    program = make_partner("7.25", status="requested")
    assert ask(staff, program, "approve", note="", commission_percent="").status_code == 302
    program.refresh_from_db()
    assert str(program.commission_percent) == "7.25"


@pytest.mark.parametrize("percent", ["-1", "100.01", "many"])
def test_a_share_is_a_percentage(percent: str, staff: Client) -> None:
    program = make_partner(status="requested")
    assert ask(staff, program, "approve", commission_percent=percent).status_code == 200
    program.refresh_from_db()
    assert program.status == "requested"


def test_a_partnership_is_rejected_and_another_revoked(staff: Client) -> None:
    asked, partner = make_partner(status="requested"), make_partner()
    reward = pay(bring(partner.code))
    assert ask(staff, asked, "reject", note="Too early").status_code == 302
    assert ask(staff, partner, "revoke", note="Spam", claw_back="on").status_code == 302
    assert dict(PartnerProgram.objects.values_list("status", "decision_note")) == {
        "rejected": "Too early",
        "revoked": "Spam",
    }
    assert Reward.objects.get(pk=reward.pk).state == "clawed_back"
    assert RewardTransition.objects.get(to_state="clawed_back").note == "Spam"


def test_a_decision_that_cannot_be_made_is_explained(staff: Client) -> None:
    program = make_partner()
    answer = ask(staff, program, "reject", note="No")
    assert answer.status_code == 200
    assert "the partnership is approved and cannot become rejected" in answer.content.decode()
    program.refresh_from_db()
    assert (program.status, program.decision_note, LogEntry.objects.count()) == ("approved", "", 0)


def test_rewards_are_paid_from_the_list(staff: Client, root: User) -> None:
    first, second, pending = earned(), earned(), rewarded()
    sent = {"action": "pay", "_selected_action": [first.pk, second.pk, pending.pk]}
    text = staff.post(reverse("admin:accounts_reward_changelist"), sent, follow=True).content.decode()
    assert "it is pending and cannot become paid" in text
    assert "Marked as paid: 2" in text
    assert [Reward.objects.get(pk=reward.pk).state for reward in (first, second, pending)] == [
        "paid",
        "paid",
        "pending",
    ]
    assert set(RewardTransition.objects.filter(to_state="paid").values_list("by", flat=True)) == {root.pk}


def test_a_reward_is_clawed_back_with_a_reason_and_given_back(staff: Client, root: User) -> None:
    reward = earned()
    command(staff, reward, "pay")
    assert ask(staff, reward, "claw_back", note="").status_code == 200
    assert ask(staff, reward, "claw_back", note="Charged back").status_code == 302
    page = staff.get(address(reward)).content.decode()
    assert "Charged back" in page
    assert "root@example.com" in page
    assert "Clawed back, to be repaid" in staff.get(reverse("admin:accounts_reward_changelist")).content.decode()
    command(staff, reward, "settle")
    reward.refresh_from_db()
    assert (reward.state, reward.settled_at is None) == ("clawed_back", False)
    assert "nothing is owed for it" in command(staff, reward, "settle")
    assert "it was clawed back already" in ask(staff, reward, "claw_back", note="Again").content.decode()
    assert LogEntry.objects.filter(user=root).count() == 3


def test_payouts_stand_above_the_rewards(staff: Client) -> None:
    large, small = earned(amount="1000"), earned(amount="77", currency="EUR")
    rewarded(amount="55555")
    text = staff.get(reverse("admin:accounts_reward_changelist")).content.decode()
    overview = text[text.index("Payouts") : text.index("</section>")]
    assert overview.index("$200.00") < overview.index("€15.40")
    assert "11,111" not in overview
    for reward in (large, small):
        assert reward.beneficiary.email in overview
    query = f"beneficiary__id__exact={small.beneficiary_id}&currency__exact=EUR&state__exact=earned"
    assert query.replace("&", "&amp;") in overview
    shown = staff.get(reverse("admin:accounts_reward_changelist") + f"?{query}").content.decode()
    assert (address(small) in shown, address(large) in shown) == (True, False)


def test_a_persons_page_shows_their_balances(staff: Client) -> None:
    reward = earned(amount="1000")
    rewarded(amount="55555")
    text = staff.get(address(reward.beneficiary)).content.decode()
    assert "$200.00" in text
    assert "11,111" not in text


def test_ledgers_cannot_be_edited(staff: Client) -> None:
    reward = earned()
    for row in (reward, reward.referral, RewardTransition.objects.first()):
        assert staff.post(address(row), {"state": "paid", "amount": "9999", "to_state": "paid"}).status_code == 403
        assert staff.post(address(row, "delete"), {"post": "yes"}).status_code == 403
    assert (Reward.objects.get().state, Reward.objects.get().amount) == ("earned", reward.amount)


def test_viewers_decide_nothing() -> None:
    program, reward, viewer, client = make_partner(), earned(), UserFactory(is_staff=True), Client()
    viewer.user_permissions.add(*Permission.objects.filter(codename__in=("view_partnerprogram", "view_reward")))
    client.force_login(viewer)
    assert client.get(address(program)).status_code == client.get(address(reward)).status_code == 200
    assert ask(client, program, "revoke", note="x").status_code == 403
    assert ask(client, reward, "claw_back", note="x").status_code == 403
    assert client.post(address(reward, "command"), {"command": "pay"}).status_code == 403
    program.refresh_from_db()
    assert (program.status, Reward.objects.get().state) == ("approved", "earned")
