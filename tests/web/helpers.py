"""Browsers of the members' pages without a browser: Django's client with a member's session."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client, RequestFactory

from accounts.auth.sessions import browser_sessions, tokens
from accounts.models import Member
from tests.kit.html import html_of

PASSWORD = "correct horse battery"
EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'


def enter(member: Member, **options: Any) -> Client:
    """Return a client with a session of the member's user."""
    client = Client(**options)
    session = client.session
    request = RequestFactory().get("/")
    request.session = session
    browser_sessions.begin(request, tokens.issue(member.user))
    session.save()
    client.cookies["sessionid"] = session.session_key
    return client


def at(member: Member, path: str = "") -> str:
    """Return the address of a page of the member's company."""
    return f"/c/{member.company_id}/{path}"


def text_of(response: Any) -> str:
    """Return what a page says, without its markup."""
    shown = re.sub(r"<wbr>|<script.*?</script>", "", html_of(response), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def toast_of(client: Client, response: Any) -> str:
    """Follow a form's redirect, and return the toast that the next page shows."""
    assert response.status_code == 303, (response.status_code, text_of(response)[:300])
    page = html_of(client.get(response["Location"]))
    found = re.search(r'<div class="toasts".*?</div>', page)
    return found[0] if found else ""


def sent_form(page: Any) -> dict[str, str]:
    """Return the hidden values of the form that decides about a message."""
    shown = re.search(r'<form class="(?:decide|form-end)".*?</form>', html_of(page), re.DOTALL)[0]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown))
