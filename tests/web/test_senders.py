"""The pages of senders, and of addresses that are never written to."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from outreach.models import MailApp, Smtp, Suppression
from tests.kit.cast import Cast
from tests.kit.google import CLIENT, CLIENT_SECRET
from tests.kit.html import html_of
from tests.kit.mail_vendors import KEY, vendor_server
from tests.outreach.helpers import Post
from tests.web.helpers import EVIL, at, enter, text_of, toast_of

HIDDEN = r'type="hidden" name="(code|state)"[^>]* value="([^"]*)"'
"""What a log-in has come back with, in the form that ends it."""


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def test_addresses_are_put_on_the_list_and_taken_off(cast: Cast, client: Client) -> None:
    path = at(cast.owner, "suppressions")
    wrong = client.post(path, {"email": "nonsense", "reason": "manual"})
    assert (wrong.status_code, 'aria-invalid="true"' in html_of(wrong)) == (422, True)
    added = client.post(path, {"email": "Ann@Example.org", "reason": "manual", "source": "Call"})
    assert "ann@example.org is on the suppression list" in toast_of(client, added)
    with cast.scope():
        id = Suppression.objects.get().pk
    assert "Requested" in text_of(client.get(path + "?q=ann&f=reason:in:manual"))
    assert '<select name="operator"' in html_of(client.get(path))  # of the filter's own form
    assert "Removed 1 address from the suppression list" in toast_of(
        client, client.post(path, {"do": "delete", "ids": id})
    )


def test_senders_are_connected_tested_and_limited(cast: Cast, post: Post, client: Client) -> None:
    path = at(cast.owner, "senders")
    page = text_of(client.get(path))
    assert "Works" in page
    assert "AI writer" in page
    assert "The connection works" in toast_of(client, client.post(path, {"do": "test", "id": post.smtp.pk}))
    post.server.at["mail"] = "550 not you"
    failed = toast_of(client, client.post(path, {"do": "test", "id": post.smtp.pk}))
    assert ("The connection test failed: " in failed, 'class="toast bad"' in failed) == (True, True)
    page = text_of(client.get(path))
    assert ("Test failed" in page, "Not tested" in page, "just now" in page) == (True, False, True)
    assert "Test failed just now" in text_of(client.get(f"{path}/{post.smtp.pk}"))
    del post.server.at["mail"]
    client.post(path, {"do": "test", "id": post.smtp.pk})
    own = f"{path}/{post.smtp.pk}"
    values = dict(re.findall(r'name="(\w+)" type="\w+"(?: step="any")? value="([^"]*)"', html_of(client.get(own))))
    assert "päss" not in html_of(client.get(own))
    saved = client.post(own, {**values, "perHour": "30", "isActive": "on"})
    assert "Sender saved; the connection works" in toast_of(client, saved)
    moved = client.post(own, {**values, "port": "99999", "password": "typed", "isActive": "on"})
    assert (moved.status_code, "Password : Enter this value again" in text_of(moved)) == (422, True)
    moved = client.post(own, {**values, "host": "mail.example.org", "isActive": "on"})
    assert (moved.status_code, 'id="f-password-error"' in html_of(moved)) == (422, True)
    hours = {"do": "hours", "windowDays": ["1", "2"], "windowStart": "09:00", "windowEnd": "17:00"}
    hours |= {"approvalDays": "5", "language": "german"}
    assert "Settings saved" in toast_of(client, client.post(path, hours))
    new = {**values, "username": "user", "password": "x", "fromEmail": "new@example.com"}
    assert "Sender connected" in toast_of(client, client.post(f"{path}/new", new))
    with cast.scope():
        assert sorted(Smtp.objects.values_list("per_hour", flat=True), key=str) == [30, None]
    assert client.post(own, {"do": "delete"})["Location"] == path


def test_a_mail_vendor_is_connected_beside_smtp(cast: Cast, client: Client, settings: Any) -> None:
    place = at(cast.owner, "senders")
    with vendor_server() as vendors:
        settings.VENDOR_BASE_URLS = {"sendgrid": vendors.be("sendgrid").url}
        settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
        assert "SendGrid" in text_of(client.get(f"{place}/new"))
        form = html_of(client.get(f"{place}/connect?app=mailvendor-f"))
        assert ('name="region"' in form, 'name="secretKey"' in form) == (True, False)
        values = {"fromName": EVIL, "fromEmail": "me@example.com"}
        missing = client.post(f"{place}/connect?app=mailvendor-f", {"do": "save", **values})
        assert (missing.status_code, 'id="f-apiKey-error"' in html_of(missing)) == (422, True)
        made = client.post(f"{place}/connect?app=mailvendor-f", {"do": "save", **values, "apiKey": KEY})
        assert "SendGrid connected; the connection works" in toast_of(client, made)
        own = made["Location"]
        page = html_of(client.get(own))
        assert "/hooks/mail/sendgrid/" in page
        assert (KEY in page, "Enter the signing key" in page, EVIL in page) == (False, True, False)
        with cast.scope():
            app = MailApp.objects.get()
        tested = client.post(place, {"do": "test", "id": app.pk, "app": "mailvendor-f"})
        assert "The key works" in toast_of(client, tested)
        changed = client.post(own, {"do": "save", **values, "perDay": "20", "isActive": "on"})
        assert "Sender saved" in toast_of(client, changed)
        listed = text_of(client.get(place))
        assert ("20 a day" in listed, "reports no deliveries yet" in listed) == (True, True)
        assert "me@example.com" in text_of(client.get(at(cast.owner, "outreach/new")))
        assert client.post(own, {"do": "delete"})["Location"] == place


def test_gmail_is_connected_by_a_log_in_and_logged_in_anew(cast: Cast, client: Client, settings: Any) -> None:
    place = at(cast.owner, "senders")
    assert "Gmail" not in text_of(client.get(f"{place}/new"))  # without a client of Google's
    settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, CLIENT_SECRET
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    with vendor_server() as vendors:
        settings.VENDOR_BASE_URLS = {"gmail": vendors.be("gmail").url}
        assert "Gmail" in text_of(client.get(f"{place}/new"))
        connect = f"{place}/connect?app=mailvendor-c"
        assert "Log-in at Gmail" in text_of(client.get(connect))

        def came_back(path: str, **sent: str) -> str:
            page = html_of(client.post(path, {"do": "begin", **sent}))
            found = re.search(r'href="(http://127[^"]+)"', page)
            assert found is not None
            answer = vendors.google.consent(unescape(found[1]))
            return str(client.get("/oauth/mailvendor-c/callback", answer)["Location"])

        back = came_back(connect)
        shown = client.get(back)
        assert "Enter the sender's name to finish." in text_of(shown)
        kept = dict(re.findall(HIDDEN, html_of(shown)))
        missing = client.post(f"{place}/return", {"do": "save", **kept, "fromName": ""})
        assert (missing.status_code, 'id="f-fromName-error"' in html_of(missing)) == (422, True)
        made = client.post(f"{place}/return", {"do": "save", **kept, "fromName": EVIL})
        assert "Gmail connected" in toast_of(client, made)
        own = made["Location"]
        again = client.post(f"{place}/return", {"do": "save", **kept, "fromName": "Dana"})
        assert (again.status_code, "Log in again" in text_of(again)) == (422, True)
        with cast.scope():
            MailApp.objects.update(needs_login=True, verified=False)
        assert "Log in again." in text_of(client.get(own))
        assert "Log in again" in text_of(client.get(place))
        anew = came_back(own, mayRead="on")
        kept = dict(re.findall(r'type="hidden" name="(code|state)"[^>]* value="([^"]*)"', html_of(client.get(anew))))
        assert "Sender resumed" in toast_of(client, client.post(f"{place}/return", {"do": "save", **kept}))
        refused = client.get(f"{place}/return", {"error": "access_denied", "state": kept["state"]})
        assert "Access denied" in text_of(refused)
        assert "The log-in failed" in text_of(client.get(f"{place}/return?code=x&state=y"))
        assert "canary" not in html_of(client.get(own))
