"""Cures: each refusal on the way to the first outreach has a button that a reader may use."""

from __future__ import annotations

import pytest

from accounts.companies.pages import STEPS
from config.urls.web import PAGES
from core.access import Entitlement
from core.web.words.cures import REMEDIES, Cure
from outreach.models import AiApp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.html import html_of
from tests.kit.plans import allow
from tests.web.helpers import at, enter, text_of, toast_of

CURES = [cure for remedy in REMEDIES.values() for cure in remedy.cures]
START = {"prompt": "Invite them", "draft": "hold"}


def writer(cast: Cast) -> None:
    AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)


@pytest.mark.parametrize("cure", CURES, ids=lambda cure: str(cure.label))
def test_each_leads_to_a_page(cure: Cure) -> None:
    page = next(page for page in PAGES if page.name == cure.page)
    assert ("<" in page.path) == cure.has_record
    assert cure.module == page.module


def test_the_steps_lead_to_pages() -> None:
    assert {step.page for step in STEPS.values()} <= {page.name for page in PAGES}


def test_without_a_sender_one_is_connected(cast: Cast) -> None:
    with cast.scope():
        writer(cast)
        contact = ContactFactory(custom={})
    refused = enter(cast.owner).post(at(cast.owner, "outreach/new"), {**START, "contactIds": contact.pk})
    assert (refused.status_code, "No email sender works yet." in text_of(refused)) == (422, True)
    assert f'href="{at(cast.owner, "senders/new")}"' in html_of(refused)
    assert "POST /apps" not in text_of(refused)


def test_without_contacts_some_are_imported(cast: Cast) -> None:
    with cast.scope():
        writer(cast)
        SmtpFactory()
    client = enter(cast.owner)
    refused = client.post(at(cast.owner, "outreach/new"), START)
    assert refused.status_code == 422
    assert f'href="{at(cast.owner, "imports/new")}"' in html_of(refused)


def test_a_limit_of_the_plan_leads_to_plans(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    client = enter(cast.owner)
    with cast.scope():
        ContactFactory()
    allow(monkeypatch, Entitlement(limits={"contact": 1, "apps": 0}))
    form = {"name": "Ann", "email": "ann@example.org", "countryCode": "+49", "number": "30123456", "do": "save"}
    refused = client.post(at(cast.owner, "contacts/new"), form)
    assert (refused.status_code, f'href="{at(cast.owner, "settings/plan")}"' in html_of(refused)) == (422, True)
    toast = toast_of(client, client.post(at(cast.owner, "settings/ai/built-in")))
    assert f'href="{at(cast.owner, "settings/plan")}"' in toast


def test_a_cure_needs_its_permission(db: None) -> None:
    cast = make_cast({"genie": {"GET": True, "POST": True}, "contact": {"GET": True}})
    with cast.scope():
        contact = ContactFactory(custom={})
    refused = enter(cast.narrow).post(at(cast.owner, "outreach/new"), {**START, "contactIds": contact.pk})
    assert "No AI writer is connected yet." in text_of(refused)
    assert at(cast.owner, "settings/ai/built-in") not in html_of(refused)
