"""Runs, campaigns and messages in the back office: words in place of dumps, and drafts decided about one by one."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core.ids import new_id
from outreach.models import EmailTemplate, GenieScheduler, SendJob
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.html import html_of
from tests.web.helpers import text_of

EVIL = '<p>Good morning</p><img src="https://elsewhere.example/pixel.png"><script>alert(1)</script>'


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def address(row: Any, page: str = "change") -> str:
    return reverse(f"admin:outreach_{row._meta.model_name}_{page}", args=(row.pk,))


@pytest.fixture
def run(cast: Cast) -> GenieScheduler:
    with cast.scope():
        template = EmailTemplate.objects.create(name="Second letter", subject="s", body="b")
        steps = [
            {"delay": {"amount": 3, "unit": "days"}, "prompt": "Ask for a short call", "template": None},
            {"delay": {"amount": 1, "unit": "weeks"}, "prompt": "", "template": template.pk},
        ]
        variants = [{"name": "A", "share": 60, "subject": "Coffee"}, {"name": "B", "share": 40, "text": "Tea?"}]
        return GenieScheduler.objects.create(
            name="Spring",
            prompt="Invite them",
            ai_type="ai-offline",
            campaign=True,
            smtp=SmtpFactory(),
            status="completed",
            outreach_cadence={"steps": steps},
            content={"variants": variants, "testShare": None, "chosen": None},
        )


@pytest.fixture
def draft(cast: Cast, run: GenieScheduler) -> SendJob:
    with cast.scope():
        values = {"subject": "Coffee", "text": "Good morning", "html": EVIL, "status": "draft"}
        return SendJob.objects.create(run=run, contact=ContactFactory(email="ann@example.org"), smtp=run.smtp, **values)


def test_a_run_says_its_follow_ups_and_texts_in_words(staff: Client, run: GenieScheduler) -> None:
    page = text_of(staff.get(address(run)))
    assert "After 3 days: “Ask for a short call”" in page
    assert "After 1 week: Template “Second letter”" in page
    assert "A (60%): “Coffee” B (40%): “Tea?”" in page
    assert "Sent as a campaign" in page
    assert "testShare" not in page


def test_a_template_of_a_chat_is_told_by_its_name(cast: Cast, staff: Client, run: GenieScheduler) -> None:
    frozen = {
        "template": new_id(),
        "app": new_id(),
        "name": "offer",
        "language": "en",
        "components": [{"type": "BODY", "text": "Hello {{1}}"}],
        "variables": {},
        "given": {"first": "name"},
    }
    with cast.scope():
        GenieScheduler.objects.update(custom_channels=frozen)
    page = text_of(staff.get(address(run)))
    assert "Template “offer” (en) with first: name" in page
    assert "Components" not in page


def test_a_template_that_is_gone_is_told(cast: Cast, staff: Client, run: GenieScheduler) -> None:
    step = {"delay": {"amount": 1, "unit": "days"}, "prompt": "", "template": new_id()}
    with cast.scope():
        GenieScheduler.objects.update(outreach_cadence={"steps": [step]})
    assert "After 1 day: A template" in text_of(staff.get(address(run)))


def test_a_draft_is_shown_formatted_and_loads_nothing(staff: Client, draft: SendJob) -> None:
    page = html_of(staff.get(address(draft)))
    assert f'sandbox loading="lazy" src="{address(draft, "preview")}"' in page
    assert "elsewhere.example" not in page
    frame = staff.get(address(draft, "preview"))
    assert "<p>Good morning</p>" in html_of(frame)
    assert frame["X-Frame-Options"] == "SAMEORIGIN"
    policy = frame["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert Client().get(address(draft, "preview")).status_code == 302
    plain = User.objects.create_user("sam@example.com", "correct horse battery", is_staff=True)
    other = Client()
    other.force_login(plain)
    assert other.get(address(draft, "preview")).status_code == 404


def test_single_drafts_are_decided_about(cast: Cast, staff: Client, draft: SendJob) -> None:
    def press(name: str) -> str:
        answer = staff.post(address(draft, "command"), {"command": name}, follow=True)
        with cast.scope():
            draft.refresh_from_db()
        return text_of(answer)

    assert "Hold as a draft" not in text_of(staff.get(address(draft)))
    assert "Approved: 1" in press("approve_draft")
    assert (draft.status, draft.recipient, draft.approved_by_id) == ("approved", "ann@example.org", None)
    with cast.scope():
        assert draft.transitions.order_by("-id").first().detail == "Decided by staff in the back office"
    assert "Held as a draft: 1" in press("hold")
    assert draft.status == "draft"
    assert "Cancelled: 1" in press("cancel")
    assert draft.status == "cancelled"
    press("approve_draft")
    assert draft.status == "cancelled"  # what is over stays so


def test_an_empty_list_says_what_to_do(staff: Client) -> None:
    lists = reverse("admin:outreach_geniescheduler_changelist")
    assert "No outreach runs yet" in text_of(staff.get(lists))
    found = text_of(staff.get(lists, {"q": "nobody"}))
    assert "No results" in found
    assert "Show all" in found
    assert "yielded" not in found
