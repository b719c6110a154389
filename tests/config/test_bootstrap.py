"""manage.py bootstrap."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import ApiKey, Company, Member, User
from billing.models import Subscription
from config.servers import note_port, port_note, web_port
from core.tenancy import company_scope
from outreach.connections.ai.providers.offline import OfflineComposer
from outreach.models import AiApp
from tests.kit.cast import KEY, Caller

pytestmark = pytest.mark.usefixtures("nobody")

WHO = {"company": "Harbour Tools", "email": "Ann.Lee@harbour.example", "password": "correct horse battery"}


def run(**options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command("bootstrap", **{**WHO, "json": True, **options}, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.django_db
def test_makes_a_company_that_works() -> None:
    made = run()
    company = Company.objects.get(pk=made["companyId"])
    assert (company.name, company.email) == ("Harbour Tools", "ann.lee@harbour.example")
    user = User.objects.get(pk=made["userId"])
    assert (user.email, user.name, user.is_staff) == ("ann.lee@harbour.example", "Ann Lee", False)
    assert user.check_password(WHO["password"])
    with company_scope(company.pk):
        member = Member.objects.get()
        assert (member.pk, member.user_id, member.status) == (made["memberId"], user.pk, Member.Status.OWNER)
        assert Subscription.objects.get().status == Subscription.Status.ACTIVE
        app = AiApp.objects.get()
        assert (app.provider, app.is_default, app.is_active) == (OfflineComposer.key, True, True)
    listed = Caller(KEY, {"apikey": made["apiKey"]}).get("/api")
    assert listed.status == 200
    assert [row["maskedKey"] for row in listed.data] == ["*" * 11 + made["apiKey"][-4:]]
    assert made["created"] is True


@pytest.mark.django_db
def test_again_it_is_the_same_one() -> None:
    first = run()
    again = run(email="ann.lee@harbour.example")
    assert again == {**first, "created": False}
    assert (Company.objects.count(), User.objects.count()) == (1, 1)
    with company_scope(first["companyId"]):
        assert (
            Member.objects.count(),
            ApiKey.objects.count(),
            Subscription.objects.count(),
            AiApp.objects.count(),
        ) == (1, 1, 1, 1)


@pytest.mark.django_db
def test_makes_up_for_what_is_missing() -> None:
    first = run()
    with company_scope(first["companyId"]):
        ApiKey.objects.all().delete()
        Subscription.objects.update(status=Subscription.Status.EXPIRED, ends_at=timezone.now() - timedelta(days=1))
    again = run()
    assert again["companyId"] == first["companyId"]
    assert again["apiKey"] != first["apiKey"]
    assert Caller(KEY, {"apikey": again["apiKey"]}).get("/api").status == 200


@pytest.mark.django_db
def test_another_password_becomes_the_password() -> None:
    first = run()
    version = User.objects.get().session_version
    again = run(password="battery horse correct")
    assert again == {**first, "created": False, "passwordChanged": True}
    user = User.objects.get()
    assert user.check_password("battery horse correct")
    assert user.session_version == version + 1


@pytest.mark.django_db
def test_another_company_of_the_same_owner() -> None:
    first, second = run(), run(company="Second house")
    assert first["userId"] == second["userId"]
    assert first["companyId"] != second["companyId"]
    assert first["apiKey"] != second["apiKey"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"password": "12345678"}, "too common"),
        ({"password": "ann.lee@harbour"}, "too similar"),
        ({"email": "nobody"}, "valid email"),
        ({"company": "  "}, "1 to 200"),
        ({"company": "x" * 201}, "1 to 200"),
    ],
)
def test_refuses(options: dict[str, str], text: str) -> None:
    with pytest.raises(CommandError, match=text):
        run(**options)
    assert (Company.objects.count(), User.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_the_owners_address_is_verified_by_it() -> None:
    User.objects.create_user("ann.lee@harbour.example", "somebody else's password")
    run()
    user = User.objects.get()
    assert user.email_verified_at is not None
    assert user.check_password(WHO["password"])


@pytest.mark.django_db
def test_refuses_a_deactivated_owner() -> None:
    run()
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="deactivated"):
        run()


@pytest.mark.django_db
def test_prints_for_people() -> None:
    out = io.StringIO()
    call_command("bootstrap", **WHO, stdout=out)
    key = run()["apiKey"]
    assert "Made the company Harbour Tools" in out.getvalue()
    assert f"API key:  {key}" in out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_two_at_once_make_one() -> None:
    def one(_: int) -> dict[str, Any]:
        try:
            return run()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(one, range(4)))
    assert sorted(answer["created"] for answer in made) == [False, False, False, True]
    assert len({answer["apiKey"] for answer in made}) == 1
    assert Company.objects.count() == 1


def test_commands_know_the_port_of_the_service_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADWRIGHT_DATA", str(tmp_path))
    assert web_port() == 8000
    note_port(tmp_path, 8220)
    assert web_port() == 8220
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(10)
    port_note(tmp_path).write_text(json.dumps({"supervisor": ended.pid, "port": 8220}))
    assert web_port() == 8000
    port_note(tmp_path).write_text("[")
    assert web_port() == 8000
