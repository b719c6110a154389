"""No mail leads to a dead end: each kind has a link, and the pages of those without a token open."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from accounts.mails.links import COMPANY_PAGES, OWN_PAGES, page_link
from accounts.mails.services import render_mail
from accounts.settings.branding import Brand
from billing.models import Payment
from core.text.formats import Formats
from crm.models import BulkJob, Comment, FollowUp, Import, Lead, Webhook
from outreach.models import Conversation, GenieScheduler, ImapMailbox, InboundMessage, Quote, Smtp
from tests.accounts.mails.samples import SAMPLES
from tests.guards.population import populate
from tests.kit.cast import Cast
from tests.web.helpers import enter

WITH_TOKEN = {"verify_email", "already_registered", "reset_password", "password_changed", "invite"}
"""tests/accounts/pages opens the links of these."""
TO_OUTSIDERS = {"meeting_invitation", "meeting_cancelled", "meeting_reminder", "staff_alert"}
"""Meetings bring their own link and a calendar file; staff are no members, and their mails lead to the back office."""


def test_every_mail_leads_to_a_page_that_opens(cast: Cast) -> None:
    assert {*SAMPLES} == {*COMPANY_PAGES, *OWN_PAGES, *WITH_TOKEN, *TO_OUTSIDERS}
    ids = populate(cast)
    client = enter(cast.owner)
    for kind in (*COMPANY_PAGES, *OWN_PAGES):
        job = BulkJob if kind == "notice_bulk_job_finished" else Import
        records = {"job": job, "run": GenieScheduler, "smtp": Smtp, "inbound": InboundMessage, "mailbox": ImapMailbox}
        records |= {
            "webhook": Webhook,
            "payment": Payment,
            "conversation": Conversation,
            "lead": Lead,
            "task": FollowUp,
            "comment": Comment,
            "quote": Quote,
        }
        sample: dict[str, Any] = dict(SAMPLES[kind][0])
        for name, model in records.items():
            if name in sample:
                run = f"outreach/{ids[GenieScheduler]}"
                pages = {"page": f"senders/{ids[Smtp]}", "place": run, "drafts_place": f"{run}/review"}
                sample[name] = SimpleNamespace(**{**vars(sample[name]), "pk": ids[model], **pages})
        page = page_link(kind, cast.company.pk, sample)
        assert page is not None
        context = {**sample, "page": page, "brand": Brand(), "formats": Formats()}
        _, text, markup = render_mail(kind, context, company_id=cast.company.pk)
        assert f"{page.label}: {page.address}" in text
        assert f'href="{html.escape(page.address)}"' in markup
        place = page.address.removeprefix(settings.BASE_URL)
        assert client.get(place, follow=True).status_code == 200, kind


def test_what_mails_say_of_a_company_stands_in_its_own_address(cast: Cast, outsiders: Cast) -> None:
    link = page_link("notice_member_joined", outsiders.company.pk, {})
    assert link is not None
    path = urlsplit(link.address).path
    assert re.fullmatch(rf"/c/{outsiders.company.pk}/settings/members", path)
    assert enter(cast.owner).get(path).status_code == 404
