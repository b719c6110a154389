"""The pages that mails lead to, as a browser without scripts uses them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Company, CompanySettings, ReferProgram, Referral, User
from accounts.programs.referrals import make_code
from core.tenancy import company_scope
from tests.accounts.auth.helpers import OTHER, PASSWORD, kinds_to, logins, mails_to, public, register, token_in
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.usefixtures("nobody")

PAGES = ("/register", "/verify-email", "/resend-verification", "/forgot-password", "/reset-password")


class Browser:
    """Opens pages, and sends their forms with the CSRF token that they hold."""

    def __init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True)

    def open(self, path: str, **query: str) -> Any:
        return self.client.get(path, query)

    def send(self, page: Any, **values: str) -> Any:
        path = page.request["PATH_INFO"]
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.content.decode()))
        return self.client.post(path, {**fields, **values})


@pytest.fixture
def browser(db: None) -> Browser:
    return Browser()


def heading(page: Any) -> str:
    return re.search(r"<h1>(.*?)</h1>", page.content.decode())[1]


def test_an_address_is_verified(browser: Browser) -> None:
    token = register()
    page = browser.open("/verify-email", token=token)
    assert (page.status_code, heading(page)) == (200, "Is this your address?")
    assert "ann@example.org" in page.content.decode()
    assert User.objects.get().email_verified_at is None
    done = browser.send(page)
    assert (done.status_code, done["Location"]) == (303, f"/c/{Company.objects.get().pk}/")
    assert User.objects.get().email_verified_at is not None
    assert [(login.email, login.status) for login in logins()] == [("ann@example.org", "success")]
    assert heading(browser.open(done["Location"])) == "Home"
    again = browser.open("/verify-email", token=token)
    assert (again.status_code, heading(again)) == (400, "This link doesn't work")


def test_a_forgotten_password_is_set_anew(browser: Browser) -> None:
    user = UserFactory(email="ann@example.org")
    asked = browser.send(browser.open("/forgot-password"), email="ann@example.org")
    assert (asked.status_code, heading(asked)) == (200, "Check your inbox")
    token = token_in(mails_to("ann@example.org")[0])
    page = browser.open("/reset-password", token=token)
    assert "For <strong><bdi>ann@example.org</bdi></strong>" in page.content.decode()
    differ = browser.send(page, password=OTHER, again=OTHER + "x")
    assert differ.status_code == 400
    assert "The passwords don&#x27;t match." in differ.content.decode()
    weak = browser.send(differ, password="short", again="short")
    assert (weak.status_code, heading(weak)) == (400, "Set a new password")
    assert "This password is too short" in weak.content.decode()
    assert "short" not in re.findall(r'value="([^"]*)"', weak.content.decode())
    done = browser.send(weak, password=OTHER, again=OTHER)
    assert (done.status_code, heading(done)) == (200, "Your new password is set")
    user.refresh_from_db()
    assert user.check_password(OTHER)
    assert heading(browser.open("/reset-password", token=token)) == "This link doesn't work"


def test_asking_tells_nothing(browser: Browser) -> None:
    UserFactory(email="old@example.org")
    UserFactory(email="new@example.org", email_verified_at=None)
    for path in ("/forgot-password", "/resend-verification"):
        answers = {
            browser.send(browser.open(path), email=f"{name}@example.org").content for name in ("old", "new", "nobody")
        }
        assert len(answers) == 1
    assert kinds_to("old@example.org") == ["reset_password"]
    assert kinds_to("new@example.org") == ["reset_password", "verify_email"]


def test_people_register_by_a_referral_link(browser: Browser) -> None:
    code = make_code("R")
    ReferProgram.objects.create(user=UserFactory(), code=code)
    page = browser.open("/register", referralCode=code)
    values = {"name": "Bob", "companyName": "Bob & Co", "email": "bob@example.org", "password": PASSWORD}
    weak = browser.send(page, **{**values, "password": "12345678"})
    assert weak.status_code == 400
    assert "entirely numeric" in weak.content.decode()
    done = browser.send(weak, **values)
    assert (done.status_code, heading(done)) == (200, "Check your inbox")
    assert Company.objects.get().name == "Bob & Co"
    assert Referral.objects.get().user.email == "bob@example.org"
    assert public.post("/verify-email", {"token": token_in(mails_to("bob@example.org")[0])}).status == 200


def test_opening_the_link_logs_nobody_in(browser: Browser) -> None:
    token = register()
    page = browser.open("/verify-email", token=token)
    assert "sessionid" not in browser.client.cookies
    other = Browser()
    other.send(other.open("/verify-email", token=token))
    assert browser.client.get("/")["Location"] == "/login"
    assert browser.send(page).status_code == 400
    assert browser.client.get("/")["Location"] == "/login"


@pytest.mark.parametrize(
    ("timezone", "language", "expected"),
    [
        ("Europe/Berlin", "en-US", ("Europe/Berlin", "DE", "EUR")),
        ("Asia/Calcutta", "hi", ("Asia/Calcutta", "IN", "INR")),
        ("America/New_York", "en-US", ("America/New_York", "US", "USD")),
        ("UTC", "de-AT", ("UTC", "AT", "EUR")),
        ("UTC", "en-US", ("UTC", "", "USD")),
        ("Etc/GMT+5", "de", ("Etc/GMT+5", "", "USD")),
        ("Mars/Olympus", "x" * 300, ("UTC", "", "USD")),
        ("", "", ("UTC", "", "USD")),
    ],
)
def test_a_company_takes_the_browsers_zone_country_and_currency(
    browser: Browser, timezone: str, language: str, expected: tuple[str, str, str]
) -> None:
    values = {"name": "Bob", "companyName": "Bob & Co", "email": "bob@example.org", "password": PASSWORD}
    assert browser.send(browser.open("/register"), **values, timezone=timezone, language=language).status_code == 200
    company = Company.objects.get()
    with company_scope(company.pk):
        currency = CompanySettings.objects.get().currency
    assert (company.timezone, company.country, currency) == expected


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_kept_to_themselves(browser: Browser, path: str) -> None:
    page = browser.open(path, token="x")
    assert page.status_code in (200, 400)
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["X-Frame-Options"] == "DENY"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    text = page.content.decode()
    scripts = re.findall(r"<script[^>]*>", text)
    assert scripts == (['<script src="/static/web/register.js" defer>'] if path == "/register" else [])
    assert not re.findall(r'(?:src|action)="https?:', text)


@pytest.mark.parametrize("path", PAGES)
def test_forms_need_the_csrf_token(db: None, path: str) -> None:
    assert Client(enforce_csrf_checks=True).post(path, {"email": "ann@example.org"}).status_code == 403


def test_empty_fields_have_the_text_of_all_pages(db: None) -> None:
    for path, fields in (("/register", 4), ("/login", 2), ("/forgot-password", 1)):
        page = Client().post(path, {}).content.decode()
        assert (page.count("Enter a value."), "is required" in page) == (fields, False), path


@pytest.mark.parametrize("path", PAGES)
def test_empty_forms_and_other_methods(db: None, path: str) -> None:
    client = Client()
    empty = client.post(path, {})
    assert empty.status_code == 400
    assert client.delete(path).status_code == 405
    assert (
        client.get(path, {"token": "<script>alert(1)</script>", "referralCode": '"><script>'}).content.count(
            b"<script>"
        )
        == 0
    )


def test_too_many_attempts(browser: Browser, limits: None) -> None:
    page = browser.open("/forgot-password")
    answers = [browser.send(page, email=f"user{n}@example.org") for n in range(31)]
    assert [answer.status_code for answer in answers] == [200] * 30 + [429]
    assert "Too many attempts. Try again in 60 minutes." in answers[-1].content.decode()
    assert int(answers[-1].headers["Retry-After"]) > 3500
