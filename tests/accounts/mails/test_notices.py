"""accounts.members.notices: what is mailed to whom, and not where the company has switched it off."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.mails.services import render_mail
from accounts.members.notices import notify
from accounts.models import Mail, Member
from accounts.settings.branding import brand_of
from accounts.settings.notices import NOTICES, Notice
from core.tenancy import unscoped
from core.text.formats import Formats
from crm.models import Import
from outreach.models import GenieScheduler, SendJob, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory

TEA = Notice("run.finished", "Tea is ready", "notice_member_joined")


def mails() -> list[Mail]:
    """Queued mails of all companies, the oldest first."""
    with unscoped(reason="test: mails of everybody"):
        return list(Mail.objects.order_by("created_at", "id"))


@pytest.fixture(autouse=True)
def _tea(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notice that nothing gives by itself here."""
    monkeypatch.setitem(NOTICES, TEA.key, TEA)


def tell(cast: Cast, notice: Notice = TEA, **options: Any) -> int:
    with cast.scope():
        return notify(notice.key, {"joined": cast.narrow, "company": cast.company, "role": cast.narrow.role}, **options)


def test_owners_are_told(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        second = MemberFactory()
        MemberFactory(status=Member.Status.BLOCKED, role=cast.narrow.role)
    assert tell(cast) == 2
    assert sorted(mail.to for mail in mails()) == sorted([cast.owner.email, second.email])
    assert {mail.company_id for mail in mails()} == {cast.company.pk}


def test_members_are_told_unless_they_have_left(cast: Cast) -> None:
    with cast.scope():
        gone = [MemberFactory(status=status, role=cast.narrow.role) for status in ("blocked", "removed", "rejected")]
    assert tell(cast, members=[cast.narrow, None, *gone]) == 1
    assert [mail.to for mail in mails()] == [cast.narrow.email]
    assert tell(cast, members=[None]) == 0


def test_a_notice_that_is_switched_off_is_not_mailed(cast: Cast, outsiders: Cast) -> None:
    cast.key.put("/settings", {"notificationSettings": {TEA.key: {"email": False}}})
    assert tell(cast) == 0
    assert mails() == []
    assert tell(outsiders) == 1
    cast.key.put("/settings", {"notificationSettings": {TEA.key: {"email": True}}})
    assert tell(cast) == 1


def test_a_notice_that_is_off_by_itself_is_mailed_once_switched_on(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = Notice("run.planned", "Quiet", "notice_member_joined", on=False)
    monkeypatch.setitem(NOTICES, quiet.key, quiet)
    assert cast.key.get("/settings").data["notificationSettings"][quiet.key]["email"] is False
    assert tell(cast, quiet) == 0
    cast.key.put("/settings", {"notificationSettings": {quiet.key: {"email": True}}})
    assert tell(cast, quiet) == 1


NASTY = '<script>"&'
AT = datetime(2026, 3, 5, 12, tzinfo=UTC)
CONTEXTS: dict[str, Any] = {
    "notice_import_finished": lambda: {"job": Import(created=1, failed=4, finished_at=AT), "file": {"name": NASTY}},
    "notice_import_failed": lambda: {"job": Import(error=NASTY), "file": {"name": NASTY}},
    "notice_run_planned": lambda: {"run": GenieScheduler(name=NASTY, processed=4), "drafts": 1},
    "notice_run_failed": lambda: {"run": GenieScheduler(name=NASTY, error=NASTY)},
    "notice_run_finished": lambda: {
        "run": GenieScheduler(name=NASTY, created_at=AT),
        "counts": dict.fromkeys(SendJob.Status.values, 2),
    },
    "notice_sender_failing": lambda: {
        "smtp": Smtp(host="h", from_name=NASTY, from_email="a@b.example", failures=2, paused_until=AT)
    },
}


@pytest.mark.parametrize("kind", list(CONTEXTS))
def test_mails_are_escaped_in_html_alone(cast: Cast, kind: str) -> None:
    context = {**CONTEXTS[kind](), "member": cast.owner, "brand": brand_of(cast.company.pk), "formats": Formats()}
    subject, text, html = render_mail(kind, context)
    assert NASTY in subject + text
    assert NASTY not in html
    assert "&lt;script&gt;" in html
    assert cast.company.name in text
    assert cast.company.name in html
    assert "{{" not in subject + text + html


@pytest.mark.parametrize(
    ("kind", "one", "many"),
    [
        ("contact", "new contact", "contacts"),
        ("lead", "new lead", "leads"),
        ("organization", "new organization", "organizations"),
    ],
)
def test_mails_of_imports_name_their_records(cast: Cast, kind: str, one: str, many: str) -> None:
    shared = {"member": cast.owner, "brand": brand_of(cast.company.pk), "formats": Formats(), "file": {"name": "a.csv"}}
    for created, failed in ((0, 0), (1, 0), (1, 3), (7, 0), (7, 2)):
        job = Import(import_type=kind, created=created, updated=5, failed=failed, finished_at=AT)
        subject, text, _html = render_mail("notice_import_finished", {**shared, "job": job})
        expected = one if created == 1 else f"new {many}"
        end = f", {failed} failed" if failed else ""
        assert subject == f"Import of a.csv: {created} {expected}{end}"
        failure = render_mail("notice_import_failed", {**shared, "job": job})[1]
        for body in (text, failure):
            assert f"New {many}: {created}\nUpdated {many}: 5\n" in body
    assert set(Import.Type.values) == {"contact", "lead", "organization"}


def test_every_notice_is_known_to_settings(cast: Cast) -> None:
    shown = cast.key.get("/settings").data["notificationSettings"]
    assert list(shown) == sorted(NOTICES)
    assert {
        "import.finished",
        "import.failed",
        "run.planned",
        "run.failed",
        "run.finished",
        "sender.failing",
        "member.joined",
    } <= set(shown)
