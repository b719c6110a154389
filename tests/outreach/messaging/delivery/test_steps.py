"""The steps of a message are shown in the order in which they happened, whatever their ids."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from core.backoffice.columns import choice_text
from outreach.models import SendJob, SendJobTransition
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, SmtpFactory

STEPS = ["planned", "draft", "approved", "claimed", "sending", "sent"]


@pytest.fixture
def job(scope: Cast) -> SendJob:
    """A message whose later steps have smaller ids."""
    job: SendJob = SendJob.objects.create(contact=ContactFactory(), smtp=SmtpFactory(), status="sent")
    for number, status in enumerate(STEPS):
        step = SendJobTransition.objects.create(id=f"{9 - number}".zfill(24), send_job=job, to_status=status)
        SendJobTransition.objects.filter(pk=step.pk).update(created_at=timezone.now() + timedelta(seconds=number))
    return job


def test_in_an_access_request_and_in_the_detail(scope: Cast, job: SendJob) -> None:
    told = scope.key.get(f"/contact/{job.contact_id}/access-request").data["sections"]
    assert [row["toStatus"] for row in told["messageSteps"]] == STEPS
    assert [row["to"] for row in scope.key.get(f"/genie/send-jobs/{job.pk}").data["transitions"]] == STEPS


def test_in_the_back_office(job: SendJob) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root@leadwright.example", name="Root"))
    page = client.get(f"/admin/outreach/sendjob/{job.pk}/change/").content.decode()
    ledger = page[page.rindex("Ledger") :]
    labels = [choice_text(SendJob(status=status), "status") for status in STEPS]
    places = [re.search(rf">\s*{label}\s*<", ledger) for label in labels]
    assert None not in places
    assert [place.start() for place in places if place] == sorted(place.start() for place in places if place)
