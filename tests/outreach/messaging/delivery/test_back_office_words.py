"""Statuses of messages in the back office have the words of the members' pages."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from outreach.models import SendJob, SendJobTransition
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, UserFactory

STATUSES = {"unknown": "Delivery unknown", "suppressed": "Skipped", "cancelled": "Cancelled"}


@pytest.mark.django_db
@pytest.mark.parametrize("status", STATUSES)
def test_statuses_have_the_words_of_pages(cast: Cast, status: str) -> None:
    with cast.scope():
        job = SendJob.objects.create(contact=ContactFactory(), status=status)
        SendJobTransition.objects.create(send_job=job, from_status="sending", to_status=status)
    staff = Client()
    staff.force_login(UserFactory(is_staff=True, is_superuser=True))
    pages = (
        reverse("admin:outreach_sendjob_changelist"),
        reverse("admin:outreach_sendjob_change", args=(job.pk,)),
        reverse("admin:outreach_sendjobtransition_changelist"),
    )
    for page in pages:
        html = staff.get(page).content.decode()
        assert STATUSES[status] in html, page
        assert "Uncertain" not in html
