"""The pages of new people: lead sources and enrichment apps, the form, its run, and proposals."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from core.jobs.liveness import release_lock
from outreach.models import AiApp, DataApp, EnrichmentProposal, GenieScheduler
from tests.kit.ai_server import Raw
from tests.kit.cast import Cast, make_cast
from tests.kit.data_server import KEY, DataServer, data_server, somebody
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.html import html_of
from tests.outreach.helpers import work
from tests.web.helpers import at, enter, text_of, toast_of

PATHS = "name = fullName\n email=emails.0.address\n\nphone = phone"


@pytest.fixture
def people() -> Iterator[DataServer]:
    with data_server() as found:
        yield found.then({"people": [somebody("Bea Berg", fullName="Bea <b>Berg</b>")]})
    release_lock()


def test_a_source_is_connected_tested_and_switched_off(cast: Cast, people: DataServer) -> None:
    client = enter(cast.owner)
    place, form = at(cast.owner, "settings/data-apps"), at(cast.owner, "settings/data-apps/app?kind=lead-source")
    assert "No connected apps" in text_of(client.get(place))
    sent = {"do": "save", "name": "Finder", "url": people.url, "method": "POST", "headerName": "X-Key", "apiKey": KEY}
    wrong = client.post(form, {**sent, "fieldPaths": "name fullName"})
    assert (wrong.status_code, "has no =" in text_of(wrong)) == (422, True)
    wrong = client.post(form, {**sent, "fieldPaths": "shoe = size"})
    assert (wrong.status_code, KEY in html_of(wrong)) == (422, False)
    good = {**sent, "resultPath": "people", "fieldPaths": PATHS}
    assert "Saved. The connection works." in toast_of(client, client.post(form, good))
    with cast.scope():
        app = DataApp.objects.get()
        assert app.field_paths == {"name": "fullName", "email": "emails.0.address", "phone": "phone"}
    one = {"id": app.pk, "kind": "lead-source"}
    assert "Test passed" in toast_of(client, client.post(place, {"do": "test", **one}))
    people.then(Raw(status=401))
    assert "does not accept the key" in toast_of(client, client.post(place, {"do": "test", **one}))
    edit = html_of(client.get(f"{form}&id={app.pk}"))
    assert "email = emails.0.address" in edit
    assert KEY not in edit
    changed = {**good, "apiKey": "", "name": "Other", "isActive": "on"}
    people.then(Raw(status=401))
    saved = client.post(f"{form}&id={app.pk}", changed)
    assert "does not accept the key" in toast_of(client, saved)
    assert saved["Location"] == f"{form}&id={app.pk}"
    assert "Deactivated" in toast_of(client, client.post(place, {"do": "off", **one}))
    named = {name: value for name, value in changed.items() if name != "isActive"}
    assert "The app is off" in toast_of(client, client.post(f"{form}&id={app.pk}", named))
    with cast.scope():
        app.refresh_from_db()
        assert (app.name, app.is_active, app.api_key) == ("Other", False, KEY)
    client.post(place, {"do": "delete", **one})
    with cast.scope():
        assert not DataApp.objects.exists()


def test_people_are_looked_for_and_the_run_tells_how_far_it_is(cast: Cast, people: DataServer) -> None:
    client = enter(cast.owner)
    form = at(cast.owner, "outreach/find")
    with cast.scope():
        SmtpFactory()
        second = SmtpFactory(from_email="second@example.org").pk
        paths = {"name": "fullName", "email": "emails.0.address", "phone": "phone"}
        DataApp.objects.create(
            kind="lead-source", name="Finder", url=people.url, result_path="people", field_paths=paths
        )
    sent = {
        "prompt": "People in Berlin",
        "count": "5",
        "userEnquiryEnabled": "on",
        "draft": "hold",
        "senders": [second],
    }
    refused = client.post(form, {"do": "save", **sent})
    assert (refused.status_code, "No AI writer is connected yet." in text_of(refused)) == (422, True)
    with cast.scope():
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        DataApp.objects.update(is_active=False)
    alone = html_of(client.post(at(cast.owner, "outreach/find/cost"), {"do": "save", **sent}))
    assert re.search(r'<a [^>]*target="_blank" rel="noopener">Connect a lead source', alone)
    with cast.scope():
        DataApp.objects.update(is_active=True)
    cost = text_of(client.post(at(cast.owner, "outreach/find/cost"), {"do": "save", **sent}))
    assert "No cost: no AI model is used" in cost
    assert "Finder, after your own contacts" in cost
    wrong = client.post(form, {"do": "save", **sent, "count": "51"})
    assert (wrong.status_code, "at most 50" in text_of(wrong)) == (422, True)
    made = client.post(form, {"do": "save", **sent, "customWhitelistedDomains": "berlin.example, example.org"})
    assert made.status_code == 303
    with cast.scope():
        run = GenieScheduler.objects.get()
        assert (run.smtp_id, run.draft, run.custom_channels) == (second, True, {"smtp": [second]})
    page = at(cast.owner, f"outreach/{run.pk}")
    assert "Looking for people: 0 contacts looked at" in text_of(client.get(page))
    for kind in ("lead-generation", "genie"):
        work(kind)
    shown = text_of(client.get(page))
    assert "1 of 5 wanted" in shown
    assert "berlin.example, example.org" in shown
    assert "Review 1 draft" in shown


def test_proposals_are_accepted_and_rejected(cast: Cast) -> None:
    client, place = enter(cast.owner), at(cast.owner, "proposals")
    assert "No suggestions" in text_of(client.get(place))
    with cast.scope():
        contact = ContactFactory(name="Ann")
        made = [
            EnrichmentProposal.objects.create(contact=contact, field="name", value=text, text=text, source="Knows <i>")
            for text in ("Ann <b>Lee</b>", "Annie")
        ]
    shown = html_of(client.get(f"{place}?f=contact:in:{contact.pk}"))
    assert "Ann &lt;b&gt;Lee&lt;/b&gt;" in shown
    assert "Knows &lt;i&gt;" in shown
    toast = toast_of(client, client.post(place, {"do": "accept", "id": made[0].pk}))
    assert "saved to the contact" in toast
    client.post(place, {"do": "reject", "id": made[1].pk})
    with cast.scope():
        contact.refresh_from_db()
        assert contact.name == "Ann <b>Lee</b>"
        assert set(EnrichmentProposal.objects.values_list("status", flat=True)) == {"accepted", "rejected"}
    viewer = make_cast({"enrich": {"GET": True}})
    with viewer.scope():
        row = EnrichmentProposal.objects.create(contact=ContactFactory(), field="name", value="N", text="N", source="S")
    seen = enter(viewer.narrow)
    assert 'value="accept"' not in html_of(seen.get(at(viewer.narrow, "proposals")))
    seen.post(at(viewer.narrow, "proposals"), {"do": "accept", "id": row.pk})
    with viewer.scope():
        row.refresh_from_db()
        assert row.status == "proposed"
