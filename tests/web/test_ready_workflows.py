"""The gallery of ready workflows, and the page that installs one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from core.access import Entitlement
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.models import EmailTemplate
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.html import html_of
from tests.kit.plans import allow
from tests.web.helpers import at, enter, text_of, toast_of
from workflows.definitions.starters import templates
from workflows.models import Workflow

READY = [key for key, template in templates().items() if template.get("emails")]


@pytest.fixture
def client(cast: Cast) -> Client:
    with cast.scope():
        SmtpFactory(verified=True, from_name="Ann")
        GenieSettings.objects.update_or_create(defaults={"track_opens": True})
    return enter(cast.owner)


def place(cast: Cast, key: str) -> str:
    return at(cast.owner, f"workflows/ready/{key}")


def counts(cast: Cast) -> tuple[int, int]:
    with cast.scope():
        return Workflow.objects.filter(is_deleted=False).count(), EmailTemplate.objects.count()


def sent(client: Client, address: str, **values: Any) -> dict[str, Any]:
    """Return the fields of the page's form as a browser sends them, with other values."""
    html = html_of(client.get(address))
    fields: dict[str, Any] = dict(re.findall(r'<input type="hidden" name="(requestId)" value="([^"]+)"', html))
    fields |= dict(re.findall(r'name="(\w+Days)" type="number"[^>]*value="(\d+)"', html))
    fields |= {"do": "install", "sender": "", "segment": "", "field": "createdAt", "publish": "on"}
    return {name: value for name, value in {**fields, **values}.items() if value is not None}


@pytest.mark.parametrize("key", READY)
def test_each_is_shown_and_installed_in_two_clicks(cast: Cast, client: Client, key: str) -> None:
    template = templates()[key]
    gallery = html_of(client.get(at(cast.owner, "workflows/new")))
    assert f'href="{place(cast, key)}"' in gallery
    shown = text_of(client.get(place(cast, key)))
    assert all(str(node["data"]["label"]) in shown for node in template["nodes"][1:])
    assert all(email["subject"] in shown for email in template["emails"])
    assert "@" not in shown.replace("ann@", "").replace("sender", "").partition("Steps")[2]
    frame = client.get(place(cast, key), {"email": template["emails"][0]["key"]})
    assert "sandbox" in frame["Content-Security-Policy"]
    assert template["emails"][0]["paragraphs"][0] in html_of(frame)
    made = client.post(place(cast, key), sent(client, place(cast, key)))
    assert made.status_code == 303
    assert "Installed and published" in toast_of(client, made)
    assert counts(cast) == (1, len(template["emails"]))
    with cast.scope():
        assert Workflow.objects.get().status == "published"


def test_a_double_click_installs_once_and_another_form_a_second_copy(cast: Cast, client: Client) -> None:
    address = place(cast, "mail-win-back")
    form = sent(client, address)
    first = client.post(address, form)
    assert client.post(address, form)["Location"] == first["Location"]
    assert counts(cast) == (1, 2)
    client.post(address, sent(client, address, quietDays="30"))
    with cast.scope():
        names = set(Workflow.objects.values_list("name", flat=True))
    assert (names, counts(cast)) == ({"Win back quiet contacts", "Win back quiet contacts (2)"}, (2, 4))


def test_an_installation_is_undone(cast: Cast, client: Client) -> None:
    address = place(cast, "mail-welcome-series")
    made = client.post(address, sent(client, address, publish=None))
    with cast.scope():
        ids = list(EmailTemplate.objects.values_list("pk", flat=True))
        EmailTemplate.objects.create(name="Mine", subject="Hi", body="Hi")
        assert Workflow.objects.get().status == "unpublished"
    toast = toast_of(client, made)
    assert ("Installed. Publish it to start." in toast, "Undo" in toast) == (True, True)
    undone = client.post(made["Location"], {"do": "uninstall", "templates": ",".join(ids)})
    assert "Workflow and its emails removed" in toast_of(client, undone)
    assert counts(cast) == (0, 1)


def test_the_page_names_its_workflow_that_is_on_and_a_form_from_before_installs_no_other(
    cast: Cast, client: Client
) -> None:
    address = place(cast, "mail-win-back")
    form = sent(client, address)
    assert "is on already" not in text_of(client.get(address))
    client.post(address, form)
    with cast.scope():
        workflow = Workflow.objects.get()
    page = client.get(address)
    assert "Win back quiet contacts is on already." in text_of(page)
    assert f'href="{at(cast.owner, f"workflows/{workflow.pk}")}"' in html_of(page)
    cast.key.delete(f"/workflow/{workflow.pk}")
    assert "is on already" not in text_of(client.get(address))
    refused = client.post(address, form)
    assert refused.status_code == 422
    assert "Installed and deleted already. Open this page again to install it." in text_of(refused)
    assert counts(cast)[0] == 0
    assert client.post(address, sent(client, address)).status_code == 303


def test_without_a_sender_the_page_leads_to_one(db: None) -> None:
    cast = make_cast()
    client = enter(cast.owner)
    address = place(cast, "mail-welcome-series")
    html = html_of(client.get(address))
    assert f'href="{at(cast.owner, "senders/new")}"' in html
    refused = client.post(address, sent(client, address))
    assert (refused.status_code, "Not published: fix" in text_of(refused), counts(cast)) == (422, True, (0, 0))
    assert client.post(address, sent(client, address, publish=None)).status_code == 303


def test_without_open_tracking_sunset_leads_to_its_settings(cast: Cast, client: Client) -> None:
    with cast.scope():
        GenieSettings.objects.update(track_opens=False)
    address = place(cast, "mail-re-engagement")
    assert f'href="{at(cast.owner, "settings/tracking")}"' in html_of(client.get(address))
    refused = client.post(address, sent(client, address))
    assert (refused.status_code, "Open tracking is off." in text_of(refused)) == (422, True)
    assert counts(cast) == (0, 0)


def test_a_wrong_number_of_days_stands_at_its_field(cast: Cast, client: Client) -> None:
    address = place(cast, "mail-win-back")
    for days in ("0", "99999", "1.5"):
        refused = client.post(address, sent(client, address, quietDays=days))
        assert (refused.status_code, "Enter a whole number of days from 1 to 3650." in text_of(refused)) == (422, True)
    assert counts(cast) == (0, 0)


def test_a_full_plan_leads_to_plans(cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, Entitlement(limits={"template": 1}))
    address = place(cast, "mail-welcome-series")
    refused = client.post(address, sent(client, address))
    assert (refused.status_code, f'href="{at(cast.owner, "settings/plan")}"' in html_of(refused)) == (422, True)


def test_who_may_not_add_workflows_sees_the_steps_alone(db: None) -> None:
    cast = make_cast(permission={"workflow": {"GET": True}})
    client = enter(cast.narrow)
    address = at(cast.owner, "workflows/ready/mail-welcome-series")
    shown = client.get(address)
    assert ("First steps email" in text_of(shown), 'value="install"' in html_of(shown)) == (True, False)
    assert client.post(address, {"do": "install"}).status_code == 403
    assert client.get(at(cast.owner, "workflows/ready/nothing")).status_code == 404
    assert client.get(address, {"email": "nothing"}).status_code == 404


def test_a_birthday_field_is_offered_where_there_is_none(cast: Cast, client: Client) -> None:
    address = place(cast, "mail-anniversary")
    assert "no birthday field" in text_of(client.get(address))
    made = cast.key.post("/custom-field", {"name": "Birthday", "fieldType": "date", "panel": "contact"})
    html = html_of(client.get(address))
    assert ("no birthday field" in html, f'<option value="{made.data["uniqueFieldID"]}" selected' in html) == (
        False,
        True,
    )


def test_the_form_of_the_birthday_field_is_filled_in(cast: Cast, client: Client) -> None:
    [address] = re.findall(
        r'href="([^"]*settings/fields/new[^"]*)"', html_of(client.get(place(cast, "mail-anniversary")))
    )
    html = html_of(client.get(address.replace("&amp;", "&")))
    assert 'value="Birthday"' in html
    assert re.search(r'<option value="date" selected', html)
