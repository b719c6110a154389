"""Secrets at rest: bound to their record, read under older keys and forms, encrypted again by `reencrypt`."""

from __future__ import annotations

import hmac
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from accounts.models import ApiKey, Mail
from core.crypto import PREFIX, SecretUnreadable, lookup_hash
from core.tenancy import unscoped
from outreach.connections.senders.services import config_of
from outreach.connections.smtp.transport import SmtpError
from outreach.models import AiApp, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory

SECRET = "S3cret-Corp-Pw"


def test_secrets_are_looked_up_by_their_keyed_hash(settings: Any) -> None:
    for key in ("one", "two", "one"):
        settings.LOOKUP_KEY = key
        for secret in ("a key", "ä", ""):
            expected = hmac.digest(b"leadwright.lookup:" + key.encode(), secret.encode(), "sha256").hex()
            assert lookup_hash(secret) == expected


def run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement of somebody who writes SQL."""
    with unscoped(reason="test: bare columns"), connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def token_of(record: Any, column: str) -> str:
    [(token,)] = run(f"SELECT {column} FROM {record._meta.db_table} WHERE id = %s", record.pk)  # noqa: S608
    return str(token)


def put(record: Any, column: str, token: str) -> None:
    run(f"UPDATE {record._meta.db_table} SET {column} = %s WHERE id = %s", token, record.pk)  # noqa: S608


def test_a_token_is_read_in_its_own_record_only(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        theirs = SmtpFactory(password=SECRET)
    with cast.scope():
        mine, other = SmtpFactory(password="mine"), SmtpFactory(password="other")
        app = AiApp.objects.create(provider="offline-composer", name="A", api_key="key")
    for stolen in (token_of(theirs, "password"), token_of(other, "password"), token_of(app, "api_key")):
        put(mine, "password", stolen)
        with cast.scope(), pytest.raises(SecretUnreadable):
            _ = Smtp.objects.get(pk=mine.pk).password
    put(app, "api_key", token_of(other, "password"))
    with cast.scope(), pytest.raises(SecretUnreadable):
        _ = AiApp.objects.get(pk=app.pk).api_key


def test_a_token_of_another_column_is_not_read(cast: Cast) -> None:
    with cast.scope():
        mail = Mail.objects.create(kind="invite", to="a@b.example", subject="s", text="text", html="html")
    put(mail, "text", token_of(mail, "html"))
    with cast.scope():
        found = Mail.objects.get()
    assert found.html == "html"
    with pytest.raises(SecretUnreadable):
        _ = found.text


@pytest.mark.parametrize(
    "change", [{"host": "mail.attacker.example"}, {"port": 26}, {"username": "x"}, {"secure": True}]
)
def test_a_password_cannot_be_read_for_another_place(cast: Cast, change: dict[str, Any]) -> None:
    """Whatever way changes the column: a bulk change, SQL, or code that forgets the rule of connected apps."""
    with cast.scope():
        mine, other = SmtpFactory(password=SECRET), SmtpFactory(password=SECRET)
        Smtp.objects.filter(pk=mine.pk).update(**change)
        loaded = Smtp.objects.get(pk=other.pk)
        for name, value in change.items():
            setattr(loaded, name, value)
        loaded.save()
        for pk in (mine.pk, other.pk):
            with pytest.raises(SmtpError, match="Enter the password again"):
                config_of(Smtp.objects.get(pk=pk))
        answer = cast.key.post(f"/apps/smtp/{mine.pk}/test")
        assert (answer.data["ok"], answer.data["stage"]) == (False, "auth")
        loaded.password = "new"
        loaded.save()
        assert Smtp.objects.get(pk=other.pk).password == "new"


def test_a_bare_update_writes_no_secret(cast: Cast) -> None:
    with cast.scope():
        mine = SmtpFactory(password=SECRET)
        with pytest.raises(TypeError, match="save the record"), transaction.atomic():
            Smtp.objects.update(password="other")
        assert SECRET not in str(Smtp.objects.values("password").get())
        Smtp.objects.filter(pk=mine.pk).defer("password").get().save()
        assert Smtp.objects.get().password == SECRET


def test_tokens_of_before_are_read_and_encrypted_anew(cast: Cast, capsys: Any) -> None:
    with cast.scope():
        mine, untouched = SmtpFactory(password="x"), SmtpFactory(password="kept")
        mail = Mail.objects.create(kind="invite", to="a@b.example", subject="s", text="t", html="", calendar=None)
    fernet = Fernet(settings.FIELD_ENCRYPTION_KEY)
    put(mine, "password", fernet.encrypt(SECRET.encode()).decode())
    put(mail, "text", fernet.encrypt(b"letter").decode())
    put(cast.api_key, "key", fernet.encrypt(b"a" * 64).decode())
    kept = token_of(untouched, "password")
    shown = cast.key.get(f"/api/{cast.api_key.pk}").data["key"]
    assert shown == "a" * 64
    call_command("reencrypt")
    assert "Encrypted again: 3" in capsys.readouterr().out
    assert token_of(mine, "password").startswith(PREFIX)
    assert token_of(untouched, "password") == kept
    with cast.scope():
        assert Smtp.objects.get(pk=mine.pk).password == SECRET
        found = Mail.objects.get()
        assert (found.text, found.html, found.calendar) == ("letter", "", None)
        assert ApiKey.objects.get(pk=cast.api_key.pk).key == "a" * 64
    call_command("reencrypt")
    assert "Encrypted again: 0" in capsys.readouterr().out


def test_keys_rotate(cast: Cast, settings: Any, capsys: Any) -> None:
    with cast.scope():
        mine = SmtpFactory(password=SECRET)
    old, new = settings.FIELD_ENCRYPTION_KEY, Fernet.generate_key().decode()
    settings.FIELD_ENCRYPTION_KEY = f"{new}, {old}"
    with cast.scope():
        assert Smtp.objects.get(pk=mine.pk).password == SECRET
    call_command("reencrypt")
    settings.FIELD_ENCRYPTION_KEY = new
    with cast.scope():
        assert Smtp.objects.get(pk=mine.pk).password == SECRET
    settings.FIELD_ENCRYPTION_KEY = old
    with cast.scope(), pytest.raises(SecretUnreadable, match="another FIELD_ENCRYPTION_KEY"):
        _ = Smtp.objects.get(pk=mine.pk).password
    settings.FIELD_ENCRYPTION_KEY = Fernet.generate_key().decode()
    with pytest.raises(CommandError, match="secrets cannot be read"):
        call_command("reencrypt")
