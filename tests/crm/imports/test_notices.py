"""What people are told of imports."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from accounts.models import Mail
from core.jobs import finish, sweep
from core.jobs.sweeper import POISONED
from core.tenancy import unscoped
from crm.models import Import
from tests.crm.imports.helpers import csv_of, make, people, run, work
from tests.kit.cast import Cast


def mails() -> list[Mail]:
    """Return the queued mails of all companies, the oldest first."""
    with unscoped(reason="test: mails of everybody"):
        return list(Mail.objects.order_by("created_at", "id"))


def test_an_import_that_is_done_is_told_to_who_made_it(cast: Cast, outsiders: Cast) -> None:
    cast.key.put("/settings", {"dateFormat": "dd.mm.yyyy", "timezone": "Asia/Tokyo", "appName": "Kontor"})
    run(cast, csv_of([*people(2), "Bob,nobody,,"]))
    (mail,) = mails()
    assert (mail.kind, mail.to, mail.company_id) == ("notice_import_finished", cast.owner.email, cast.company.pk)
    assert mail.subject == "Import of people.csv: 2 new contacts, 1 failed"
    with cast.scope():
        ended = Import.objects.get().finished_at
    assert ended is not None
    for body in (mail.text, mail.html):
        assert f"{ended.astimezone(ZoneInfo('Asia/Tokyo')):%d.%m.%Y, %H:%M} (Asia/Tokyo)" in body
        assert "Kontor" in body
    assert "New contacts: 2" in mail.text
    assert "Rows with errors: 1" in mail.text


def test_nothing_is_told_of_an_import_that_waits_or_was_cancelled(cast: Cast) -> None:
    made = make(cast, csv_of(people(1)))
    cast.key.put(f"/contact/import/{made['_id']}", {"status": "cancelled"})
    work()
    assert mails() == []


def test_imports_are_silent_where_that_is_wanted(cast: Cast) -> None:
    cast.key.put("/settings", {"notificationSettings": {"import.finished": {"email": False}}})
    assert run(cast, csv_of(people(1)))["status"] == "completed"
    assert mails() == []


def test_a_failed_import_is_told(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.jobs.runner.MAX_ATTEMPTS", 1)
    monkeypatch.setattr("crm.imports.types.contacts.write_contacts", lambda *args, **options: 1 / 0)
    assert run(cast, csv_of(people(1)))["status"] == "failed"
    (mail,) = mails()
    assert (mail.kind, mail.to, mail.subject) == (
        "notice_import_failed",
        cast.owner.email,
        "Import of people.csv failed",
    )
    assert "unexpected reason" in mail.text
    assert "ZeroDivisionError" not in mail.text


def test_an_import_that_kills_its_workers_is_told_once(cast: Cast) -> None:
    made = make(cast, csv_of(people(1)))
    with cast.scope():
        Import.objects.filter(pk=made["_id"]).update(status="running", worker=2**30, deaths=9)
    assert sweep() == 1
    assert sweep() == 0
    (mail,) = mails()
    assert (mail.kind, mail.to) == ("notice_import_failed", cast.owner.email)
    assert POISONED in mail.text


def test_a_notice_comes_with_the_final_status_or_not_at_all(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(cast, csv_of(people(1)))
    with cast.scope():
        job = Import.objects.get(pk=made["_id"])
        with monkeypatch.context() as broken:
            broken.setattr("accounts.members.notices.queue_mail", lambda *args, **options: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                finish(job, Import.Status.COMPLETED)
        assert Import.objects.get().status == "paused"
        finish(job, Import.Status.COMPLETED)
        assert Import.objects.get().status == "completed"
    assert [mail.kind for mail in mails()] == ["notice_import_finished"]
