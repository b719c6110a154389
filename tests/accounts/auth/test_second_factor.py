"""The staff's second factor and the end of their sessions."""

from __future__ import annotations

import gc
import importlib
import re
import sys
from base64 import b32decode
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import TOTP

from accounts.models import SecondFactor, User
from config.checks import proxies_are_counted
from tests.accounts.auth.helpers import PASSWORD, logins

PAGE = "/admin/second-factor"
INDEX = "/admin/"
HOME = "/admin/accounts/user/"


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("root@example.org", PASSWORD)


def log_in(email: str = "root@example.org") -> Client:
    client = Client()
    answer = client.post(reverse("admin:login"), {"username": email, "password": PASSWORD})
    assert answer.status_code == 302
    return client


def text(client: Client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.headers
    return answer.content.decode()


def send(client: Client, code: str, **values: str) -> Any:
    return client.post(PAGE, {"code": code, **values})


def codes_in(answer: Any) -> list[str]:
    return re.findall(r"<li><code>([A-Z2-9]{5}-[A-Z2-9]{5})</code>", answer.content.decode())


class App:
    """An authenticator app, which has the key that the page shows."""

    def __init__(self, page: str) -> None:
        [shown] = re.findall(r'<code class="backoffice-key">([A-Z2-7 ]+)</code>', page)
        self.key = shown.replace(" ", "")
        assert f"otpauth://totp/Leadwright%3Aroot%40example.org?secret={self.key}&amp;issuer=Leadwright" in page

    def code(self, steps: int = 0) -> str:
        totp = TOTP(b32decode(self.key))
        totp.time = timezone.now().timestamp() + steps * 30
        return f"{totp.token():06}"


@pytest.fixture
def clock() -> Any:
    with time_machine.travel(timezone.now(), tick=False) as found:
        yield found


@pytest.fixture
def enrolled(staff: User, clock: Any) -> tuple[App, list[str]]:
    """The staff member's app and backup codes."""
    client = log_in()
    app = App(text(client))
    codes = codes_in(send(client, app.code()))
    clock.shift(60)
    return app, codes


def test_who_has_set_up_none_is_not_asked(staff: User) -> None:
    client = log_in()
    assert "Second factor" in text(client, INDEX)
    assert SecondFactor.objects.count() == 0


def test_it_is_set_up_by_a_code_of_the_app(staff: User, clock: Any) -> None:
    client = log_in()
    app = App(text(client))
    assert App(text(client)).key == app.key
    assert "The code is wrong" not in text(client)
    wrong = send(client, f"{(int(app.code()) + 1) % 1_000_000:06}")
    assert "The code is wrong" in wrong.content.decode()
    assert "backup codes" not in wrong.content.decode()
    assert text(client, HOME)
    clock.shift(5)
    done = send(client, app.code())
    assert len(set(codes_in(done))) == 8
    assert app.key not in done.content.decode()
    assert text(client, HOME)
    assert "8 backup codes are left" in text(client)


def test_who_has_set_it_up_is_asked_before_every_page(enrolled: tuple[App, list[str]]) -> None:
    app, _ = enrolled
    client = log_in()
    for address in (INDEX, HOME, "/admin/accounts/company/?q=x", "/admin/password_change/"):
        refused = client.get(address)
        assert refused.status_code == 302
        assert refused.url.startswith(f"{PAGE}?next=%2Fadmin%2F"), refused.url
    assert client.post(HOME, {"action": "end_all_sessions"}).url == PAGE
    page = text(client, f"{PAGE}?next=/admin/accounts/company/%3Fq%3Dx")
    assert app.key not in page
    answer = send(client, app.code(), next="/admin/accounts/company/?q=x")
    assert (answer.status_code, answer.url) == (302, "/admin/accounts/company/?q=x")
    assert text(client, HOME)
    assert [row.status for row in logins(reason="back office, second factor")] == ["success"]


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_it_leads_to_pages_of_ours_only(enrolled: tuple[App, list[str]], address: str) -> None:
    answer = send(log_in(), enrolled[0].code(), next=address)
    assert (answer.status_code, answer.url) == (302, INDEX)


def test_who_is_asked_may_log_out(enrolled: tuple[App, list[str]]) -> None:
    client = log_in()
    assert client.post(reverse("admin:logout")).status_code == 200
    assert client.get(PAGE).url.startswith(reverse("admin:login"))


def test_a_code_works_once(enrolled: tuple[App, list[str]], clock: Any) -> None:
    app, _ = enrolled
    code = app.code()
    assert send(log_in(), code).status_code == 302
    again = send(log_in(), code)
    assert "The code is wrong or" in again.content.decode()
    clock.shift(30)
    assert send(log_in(), app.code()).status_code == 302


def test_codes_of_long_ago_and_later_do_not_fit(enrolled: tuple[App, list[str]], clock: Any) -> None:
    app, _ = enrolled
    for steps, fits in ((-3, False), (3, False), (1, True)):
        assert (send(log_in(), app.code(steps)).status_code == 302) == fits, steps
        clock.shift(2)


def test_guesses_take_longer_and_longer(enrolled: tuple[App, list[str]], clock: Any) -> None:
    app, _ = enrolled
    client = log_in()
    for wait in (1, 2, 4, 8):
        assert f"in {wait} second" in send(client, "000 000").content.decode()
        assert "too soon" in send(client, app.code()).content.decode()
        clock.shift(wait)
    assert send(client, app.code()).status_code == 302
    assert [row.status for row in logins(reason="back office, second factor")] == ["failed"] * 8 + ["success"]


def test_backup_codes_work_once_each(enrolled: tuple[App, list[str]], clock: Any) -> None:
    _, codes = enrolled
    assert send(log_in(), codes[0].lower().replace("-", " ")).status_code == 302
    client = log_in()
    assert send(client, codes[0]).status_code == 200
    clock.shift(2)
    assert send(client, codes[1]).status_code == 302
    assert "6 backup codes are left" in text(client)


def test_backup_codes_are_renewed_by_a_code(enrolled: tuple[App, list[str]], clock: Any) -> None:
    app, codes = enrolled
    client = log_in()
    send(client, app.code())
    clock.shift(60)
    assert "The code is wrong" in send(client, "123", do="renew").content.decode()
    clock.shift(60)
    fresh = codes_in(send(client, app.code(), do="renew"))
    assert len(fresh) == 8
    assert not set(fresh) & set(codes)
    assert send(log_in(), codes[0]).status_code == 200
    clock.shift(2)
    assert send(log_in(), fresh[0]).status_code == 302


def test_it_is_removed_by_a_code(enrolled: tuple[App, list[str]], clock: Any) -> None:
    app, codes = enrolled
    client = log_in()
    send(client, app.code())
    assert send(client, "123", do="remove").status_code == 200
    clock.shift(2)
    assert send(client, codes[0], do="remove").status_code == 302
    assert SecondFactor.objects.count() == 0
    assert text(log_in(), HOME)


def test_a_session_from_before_is_asked_too(staff: User, clock: Any) -> None:
    older, client = log_in(), log_in()
    assert text(older, HOME)
    send(client, App(text(client)).code())
    assert older.get(HOME).status_code == 302


def test_the_session_of_one_person_opens_nothing_for_another(enrolled: tuple[App, list[str]]) -> None:
    client = log_in()
    send(client, enrolled[0].code())
    session = client.session
    other = User.objects.create_superuser("other@example.org", PASSWORD)
    SecondFactor.objects.create(user=other, name="app")
    stranger = log_in("other@example.org")
    mixed = stranger.session
    mixed["otp_device_id"] = session["otp_device_id"]
    mixed.save()
    assert stranger.get(HOME).status_code == 302


def test_required_leads_everybody_to_set_it_up(staff: User, settings: Any, clock: Any) -> None:
    settings.STAFF_SECOND_FACTOR = "required"
    client = log_in()
    assert client.get(HOME).url.startswith(PAGE)
    page = text(client)
    assert "requires a second factor" in page
    send(client, App(page).code())
    assert text(client, HOME)


def test_off_asks_nobody(enrolled: tuple[App, list[str]], settings: Any) -> None:
    settings.STAFF_SECOND_FACTOR = "off"
    client = log_in()
    assert PAGE not in text(client, INDEX)
    assert client.get(PAGE).status_code == 404


def test_customers_have_no_such_page(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("ann@example.org", PASSWORD))
    assert client.get(PAGE).url.startswith(reverse("admin:login"))
    assert Client().get(PAGE).url.startswith(reverse("admin:login"))


def test_a_superuser_removes_that_of_who_lost_it(enrolled: tuple[App, list[str]], staff: User) -> None:
    office, clerk = Client(), Client()
    office.force_login(User.objects.create_superuser("boss@example.org", PASSWORD))
    helper = User.objects.create_user("clerk@example.org", PASSWORD, is_staff=True)
    helper.user_permissions.set(Permission.objects.filter(codename__in=("view_user", "change_user")))
    clerk.force_login(helper)
    command = reverse("admin:accounts_user_command", args=(staff.pk,))
    assert clerk.post(command, {"command": "remove_second_factor"}).status_code == 403
    assert "Backup codes left" in text(office, reverse("admin:accounts_user_change", args=(staff.pk,)))
    done = office.post(command, {"command": "remove_second_factor"}, follow=True).content.decode()
    assert "1 second factor removed." in done
    assert LogEntry.objects.get(object_id=staff.pk).change_message == "Removed the second factor."
    assert text(log_in(), HOME)


def test_the_table_holds_neither_key_nor_codes(enrolled: tuple[App, list[str]]) -> None:
    app, codes = enrolled
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(factor)::text FROM accounts_secondfactor AS factor")
        [(stored,)] = cursor.fetchall()
    for secret in (app.key, *codes, *(code.replace("-", "") for code in codes)):
        assert secret not in stored


# Sessions


def test_a_session_ends_twelve_hours_after_the_login(staff: User, clock: Any) -> None:
    client = log_in()
    until = client.cookies["sessionid"]["max-age"]
    assert 12 * 3600 - 5 <= until <= 12 * 3600
    for _ in range(11):
        clock.shift(timedelta(hours=1))
        # A command leaves a message in the session, which is saved anew.
        client.post(reverse("admin:accounts_user_command", args=(staff.pk,)), {"command": "mark_verified"})
        assert text(client, HOME)
    clock.shift(timedelta(hours=1, seconds=1))
    assert client.get(HOME).url.startswith(reverse("admin:login"))


# The proxies' headers and other settings


def production(monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Any]:
    """Return the settings in this environment."""
    import config

    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(config, "settings", config.settings)
    for name in [name for name in sys.modules if name.startswith("config.settings")]:
        monkeypatch.delitem(sys.modules, name)
    try:
        return vars(importlib.import_module("config.settings"))
    finally:
        gc.enable()  # the settings disable it until the apps are loaded


@pytest.mark.parametrize(
    ("environment", "header"),
    [
        ({"BASE_URL": "https://crm.example.com"}, None),
        ({"BASE_URL": "https://crm.example.com", "TRUSTED_PROXIES": "0"}, None),
        (
            {"BASE_URL": "https://crm.example.com", "TRUSTED_PROXIES": "1"},
            ("HTTP_X_FORWARDED_PROTO", "https"),
        ),
        ({"BASE_URL": "http://crm.example.com", "TRUSTED_PROXIES": "1"}, None),
    ],
)
def test_only_our_proxies_say_that_a_request_came_by_tls(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], header: tuple[str, str] | None
) -> None:
    found = production(monkeypatch, **environment)
    assert found.get("SECURE_PROXY_SSL_HEADER") == header
    assert found.get("SESSION_COOKIE_SECURE", False) == environment["BASE_URL"].startswith("https")


def test_a_misspelt_second_factor_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert production(monkeypatch)["STAFF_SECOND_FACTOR"] == "optional"
    with pytest.raises(ImproperlyConfigured, match="off, optional, required"):
        production(monkeypatch, STAFF_SECOND_FACTOR="requried")


def test_a_deployment_counts_its_proxies(settings: Any) -> None:
    settings.BASE_URL = "https://crm.example.com"
    assert [found.id for found in proxies_are_counted()] == ["config.W005"]
    settings.TRUSTED_PROXIES = 1
    assert proxies_are_counted() == []
