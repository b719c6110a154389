"""The login to the back office, and what staff do about addresses and mails."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.mails.services import queue_mail
from accounts.models import Mail, User
from core.tenancy import unscoped
from tests.accounts.auth.helpers import PASSWORD, at, logins, mails_to, public, register
from tests.accounts.mails.samples import LINK, SAMPLES
from tests.kit.factories import UserFactory


def log_in(email: str, password: str = PASSWORD, ip: str = "10.0.0.1") -> Any:
    return Client().post(reverse("admin:login"), {"username": email, "password": password}, REMOTE_ADDR=ip)


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("root@example.org", PASSWORD)


@pytest.fixture
def office(staff: User) -> Client:
    client = Client()
    client.force_login(staff)
    return client


def command(client: Client, row: Any, name: str) -> str:
    address = reverse(f"admin:accounts_{row._meta.model_name}_command", args=(row.pk,))
    return client.post(address, {"command": name}, follow=True).content.decode()


def test_logins_are_written_down(staff: User) -> None:
    customer = UserFactory()
    assert log_in("Root@example.org").status_code == 302
    assert log_in("root@example.org", "wrong").status_code == 200
    assert log_in(customer.email).status_code == 200
    assert log_in("my-secret-password", "x").status_code == 200
    rows = [(row.email, row.status, row.reason, row.ip) for row in logins()]
    assert rows == [
        ("root@example.org", "success", "back office", "10.0.0.1"),
        ("root@example.org", "failed", "back office", "10.0.0.1"),
        (customer.email, "failed", "back office", "10.0.0.1"),
        ("(no email address)", "failed", "back office", "10.0.0.1"),
    ]


def test_guesses_are_limited_together_with_those_at_the_api(staff: User, limits: None) -> None:
    for _ in range(5):
        assert log_in("root@example.org", "wrong").status_code == 200
        assert at("10.0.0.1", "/login", {"email": "root@example.org", "password": "wrong"}).status == 400
    refused = log_in("root@example.org")
    assert refused.status_code == 200
    assert "Too many attempts" in refused.content.decode()
    assert logins()[-1].status == "limited"


def test_a_success_forgives(staff: User, limits: None) -> None:
    for _ in range(3):
        for _ in range(9):
            log_in("root@example.org", "wrong")
        assert log_in("root@example.org").status_code == 302


def test_an_address_is_marked_as_verified(office: Client) -> None:
    register()
    user = User.objects.get(email="ann@example.org")
    assert public.post("/login", {"email": user.email, "password": PASSWORD}).status == 400
    assert "1 email marked as verified." in command(office, user, "mark_verified")
    assert public.post("/login", {"email": user.email, "password": PASSWORD}).status == 200
    assert LogEntry.objects.get(object_id=user.pk).change_message == "Marked the email as verified."
    assert "0 emails marked as verified." in command(office, user, "mark_verified")


def test_a_mail_that_was_given_up_is_sent_again_and_shows_no_link(office: Client) -> None:
    mail = queue_mail("reset_password", to="ann@example.org", context=SAMPLES["reset_password"][0])
    assert "Choose failed emails to send again." in command(office, mail, "again")
    with unscoped(reason="test: a mail of nobody"):
        Mail.objects.update(status="failed", attempts=15, error="550 no")
    text = command(office, mail, "again")
    assert "1 email will be sent again." in text
    assert LINK not in text
    [after] = mails_to("ann@example.org")
    assert (after.status, after.attempts, after.error) == ("queued", 0, "")
