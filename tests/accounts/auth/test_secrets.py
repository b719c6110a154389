"""A whole life of an account leaves no password, token or link in any log, event or table."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from accounts.request_log.entry import Entry
from core.tenancy import unscoped
from tests.accounts.auth.helpers import OTHER, PASSWORD, mails_to, private, public, register, token_in

WRONG = "a wrong guess that is nearly right"
LAST = "the last password of them all"


def everything_stored() -> str:
    """Each column of each table, as it lies in the database."""
    with unscoped(reason="test: the bare tables"), connection.cursor() as cursor:
        parts = []
        for model in apps.get_models():
            cursor.execute(f'SELECT t::text FROM "{model._meta.db_table}" t')  # noqa: S608
            parts += [row for (row,) in cursor.fetchall()]
    return "\n".join(parts)


@pytest.mark.django_db
def test_no_secret_is_kept_or_told(caplog: pytest.LogCaptureFixture, logged: list[Entry]) -> None:
    caplog.set_level(logging.DEBUG)
    sessions: list[Any] = []
    links = [register()]
    sessions.append(public.post("/verify-email", {"token": links[0]}).data)
    assert public.post("/login", {"email": "ann@example.org", "password": WRONG}).status == 400
    sessions.append(public.post("/login", {"email": "ann@example.org", "password": PASSWORD}).data)
    sessions.append(public.post("/refresh", {"refreshToken": sessions[-1]["refreshToken"]}).data)
    change = {"currentPassword": PASSWORD, "newPassword": OTHER}
    sessions.append(private(sessions[-1]["token"]).put("/change-password", change).data)
    public.post("/forgot-password", {"email": "ann@example.org"})
    links.append(token_in(mails_to("ann@example.org")[-1]))
    sessions.append(public.post("/reset-password", {"token": links[1], "password": LAST}).data)
    public.post("/logout", {"refreshToken": sessions[-1]["refreshToken"]})
    tokens = [session[name] for session in sessions for name in ("token", "refreshToken")]
    assert len(set(tokens)) == 10
    stored, told, entries = everything_stored(), caplog.text, repr(logged)
    assert "ann@example.org" in stored
    assert len(logged) >= 8
    for secret in (PASSWORD, OTHER, LAST, WRONG, *links, *tokens):
        assert secret not in stored
        assert secret not in told
        assert secret not in entries
