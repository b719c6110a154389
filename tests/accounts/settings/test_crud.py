"""GET and PUT /settings."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Company, CompanySettings
from accounts.settings.groups import (
    Distribution,
    LeadRule,
    SubscriptionPolicies,
    chatbot_defaults,
    lead_rule,
    subscription_policies,
)
from accounts.settings.groups.notifications import register_template_source
from accounts.settings.services import update_settings
from billing.models import Subscription
from core.text.formats import Formats
from core.text.labels.networks import NETWORKS
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import CompanyFactory
from tests.kit.threads import at_once

TEMPLATE = "a" * 24
DEFAULTS = {
    "currency": "USD",
    "dateFormat": "d mmm yyyy",
    "timeFormat": "HH:mm",
    "timezone": "UTC",
    "appName": "",
    "appDescription": "",
    "appVersion": "",
    "mobileBackground": {"color": "#f3f4f6", "image": ""},
    "contactUniqueKey": "either",
    "duplicateLeads": "warn",
    "teamSettings": {"distribution": "manual", "onlyAvailable": True, "maxOpenLeads": None},
    "subscriptionPolicies": {"autoRenew": True, "remindDaysBefore": [7, 1]},
    "manualChatbot": {
        "kind": "flow",
        "handover": {"mode": "any"},
        "routing": {"label": "", "allowLeave": True, "allowEnter": True},
        "attachments": {"custom": False, "maxFileSizeMb": 10},
    },
}


def test_a_new_company_has_settings_with_every_default(cast: Cast) -> None:
    for caller in (cast.key, cast.session):
        answer = caller.get("/settings")
        assert answer.status == 200
        shown = answer.data
        assert {name: shown[name] for name in DEFAULTS} == DEFAULTS
        assert {name: shown[name] for name in NETWORKS} == dict.fromkeys(NETWORKS, "")
        assert shown["notificationSettings"]["import.finished"] == {
            "email": True,
            "emailTemplate": None,
            "chatapp": False,
            "chatappTemplate": None,
        }
        assert shown["notificationSettings"]["staff.visited"]["email"] is False
        assert len(shown) == len(DEFAULTS) + len(NETWORKS) + 5


def test_put_changes_what_is_given_and_answers_all(cast: Cast) -> None:
    plain = {
        "currency": "eur",
        "dateFormat": "DD.MM.YYYY",
        "timeFormat": "hh:mm a",
        "timezone": "Europe/Berlin",
        "appName": "Kontor",
        "appDescription": "Leads & more",
        "appVersion": "2.1",
    }
    links = {name: f"https://{name}.example/kontor" for name in NETWORKS}
    answer = cast.session.put("/settings", {**plain, **links})
    assert answer.status == 200
    assert answer.body["message"] == "Settings updated."
    changed = {**plain, "currency": "EUR", "dateFormat": "dd.mm.yyyy", **links}
    assert {name: answer.data[name] for name in changed} == changed
    assert answer.data["teamSettings"] == DEFAULTS["teamSettings"]
    answer = cast.key.put("/settings", {"appVersion": "", "x": ""})
    assert {name: answer.data[name] for name in changed} == {**changed, "appVersion": "", "x": ""}
    assert cast.key.get("/settings").data == answer.data
    assert cast.key.put("/settings", {}).data["appName"] == "Kontor"


def test_the_time_zone_is_the_company_s(cast: Cast) -> None:
    cast.key.put("/settings", {"timezone": "Asia/Tokyo"})
    assert cast.key.get("/company").data["timezone"] == "Asia/Tokyo"
    cast.key.put("/company", {"timezone": "Europe/Paris"})
    assert cast.key.get("/settings").data["timezone"] == "Europe/Paris"


def test_the_unique_key_of_contacts(cast: Cast, outsiders: Cast) -> None:
    number = {"countryCode": "+49", "number": "1701000001"}
    first, second = ({"formData": {"email": f"{name}@example.com", **number}} for name in ("ann", "bob"))
    assert cast.key.post("/contact", first).status == 200
    assert cast.key.post("/contact", second).status == 400
    assert cast.key.put("/settings", {"contactUniqueKey": "email"}).data["contactUniqueKey"] == "email"
    assert cast.key.get("/company").data["contactUniqueKey"] == "email"
    assert cast.key.post("/contact", second).status == 200
    for value, words in (("either", "2 contacts share 1 values of number"), ("name", "one of email, number, either")):
        refused = cast.session.put("/settings", {"contactUniqueKey": value, "appName": "Kontor"})
        assert (refused.status, refused.body["message"]) == (
            400,
            "Several contacts would become the same person. Merge the duplicates first.",
        )
        assert words in refused.body["warning"]
    shown = cast.key.get("/settings").data
    assert (shown["contactUniqueKey"], shown["appName"]) == ("email", "")
    assert outsiders.key.get("/settings").data["contactUniqueKey"] == "either"


def test_nested_settings_are_merged_key_by_key(cast: Cast) -> None:
    cast.key.put("/settings", {"manualChatbot": {"handover": {"mode": "all"}, "attachments": {"maxFileSizeMb": 25}}})
    shown = cast.key.put("/settings", {"manualChatbot": {"attachments": {"custom": True}}}).data["manualChatbot"]
    assert shown == {
        "kind": "flow",
        "handover": {"mode": "all"},
        "routing": {"label": "", "allowLeave": True, "allowEnter": True},
        "attachments": {"custom": True, "maxFileSizeMb": 25},
    }
    cast.key.put("/settings", {"teamSettings": {"distribution": "leastLoaded", "maxOpenLeads": 40}})
    shown = cast.key.put("/settings", {"teamSettings": {"maxOpenLeads": None, "onlyAvailable": False}}).data[
        "teamSettings"
    ]
    assert shown == {"distribution": "leastLoaded", "onlyAvailable": False, "maxOpenLeads": None}
    shown = cast.key.put("/settings", {"subscriptionPolicies": {"remindDaysBefore": [1, 14, 3, 14]}}).data[
        "subscriptionPolicies"
    ]
    assert shown == {"autoRenew": True, "remindDaysBefore": [14, 3, 1]}
    shown = cast.key.put("/settings", {"notificationSettings": {"run.planned": {"email": False}}}).data[
        "notificationSettings"
    ]
    assert (shown["run.planned"]["email"], shown["run.finished"]["email"]) == (False, True)
    shown = cast.key.put("/settings", {"notificationSettings": {"run.finished": {"email": False}}}).data[
        "notificationSettings"
    ]
    assert (shown["run.planned"]["email"], shown["run.finished"]["email"]) == (False, False)
    assert cast.key.put("/settings", {"mobileBackground": {"color": "#1D4ED8"}}).data["mobileBackground"] == {
        "color": "#1d4ed8",
        "image": "",
    }


def test_what_is_stored_is_what_was_chosen(cast: Cast) -> None:
    cast.key.put(
        "/settings", {"teamSettings": {"onlyAvailable": False}, "x": "", "facebook": "https://facebook.example/us"}
    )
    with cast.scope():
        row = CompanySettings.objects.get()
    assert (row.team_settings, row.links, row.manual_chatbot) == (
        {"onlyAvailable": False},
        {"facebook": "https://facebook.example/us"},
        {},
    )


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"currency": "DEM"}, "currency", "DEM"),
        ({"currency": "euro"}, "currency", "3 characters"),
        ({"currency": 5}, "currency", "text"),
        ({"dateFormat": "mm-yyyy"}, "dateFormat", "needs to be one of"),
        ({"timeFormat": "hh:MM"}, "timeFormat", "needs to be one of"),
        ({"appName": "Two\nlines"}, "appName", "one line"),
        ({"appName": "x" * 101}, "appName", "100"),
        ({"appName": None}, "appName", "null"),
        ({"facebook": "facebook.com/us"}, "facebook", "http"),
        ({"x": "javascript:alert(1)"}, "x", "http"),
        ({"threads": "ftp://threads.example"}, "threads", "http"),
        ({"youtube": 1}, "youtube", "text"),
        ({"mobileBackground": {"image": "http://example.com/a.png"}}, "mobileBackground.image", "https"),
        ({"mobileBackground": {"color": "red"}}, "mobileBackground.color", "#1d4ed8"),
        ({"mobileBackground": {"colour": "#ffffff"}}, "mobileBackground.colour", "color, image"),
        ({"mobileBackground": None}, "mobileBackground", "null"),
        ({"teamSettings": {"distribution": "random"}}, "teamSettings.distribution", "roundRobin"),
        ({"teamSettings": {"maxOpenLeads": 0}}, "teamSettings.maxOpenLeads", "1"),
        ({"teamSettings": {"onlyAvailable": "yes"}}, "teamSettings.onlyAvailable", "true or false"),
        ({"teamSettings": []}, "teamSettings", "object"),
        ({"subscriptionPolicies": {"remindDaysBefore": [0]}}, "subscriptionPolicies.remindDaysBefore.0", "1"),
        (
            {"subscriptionPolicies": {"remindDaysBefore": ["7"]}},
            "subscriptionPolicies.remindDaysBefore.0",
            "whole number",
        ),
        ({"subscriptionPolicies": {"autorenew": True}}, "subscriptionPolicies.autorenew", "autoRenew"),
        ({"manualChatbot": {"attachments": {"maxFileSizeMb": 0}}}, "manualChatbot.attachments.maxFileSizeMb", "1"),
        ({"manualChatbot": {"routing": {"leave": True}}}, "manualChatbot.routing.leave", "allowLeave"),
        ({"notificationSettings": {"lead.lost": {"email": True}}}, "notificationSettings.lead.lost", "import.finished"),
        ({"notificationSettings": {"run.planned": {"sms": True}}}, "notificationSettings.run.planned.sms", "chatapp"),
        ({"notificationSettings": {"run.planned": True}}, "notificationSettings.run.planned", "object"),
        (
            {"notificationSettings": {"run.planned": {"emailTemplate": "1"}}},
            "notificationSettings.run.planned.emailTemplate",
            "24 hex",
        ),
        ({"colour": "red"}, "colour", "unknown key"),
        ({"company": "0" * 24}, "company", "unknown key"),
    ],
)
def test_bad_values_are_refused_by_name_and_change_nothing(
    cast: Cast, body: dict[str, Any], field: str, words: str
) -> None:
    before = cast.key.get("/settings").data
    answer = cast.key.put("/settings", {"appVersion": "9", **body})
    assert answer.status == 400
    assert field in answer.body["warning"]
    assert words in answer.body["warning"] + answer.body["message"]
    assert cast.key.get("/settings").data == before


@pytest.mark.parametrize("name", ["Mars/Olympus", "europe/berlin", "UTC+1", "../etc/passwd", "localtime", ""])
def test_an_unknown_time_zone(cast: Cast, name: str) -> None:
    answer = cast.key.put("/settings", {"appVersion": "9", "timezone": name})
    assert answer.status == 400
    if name:
        assert answer.body["message"] == "Choose a time zone from the list."
    shown = cast.key.get("/settings").data
    assert (shown["appVersion"], shown["timezone"]) == ("", "UTC")


def test_templates_are_those_that_an_app_has(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"run.planned": {"emailTemplate": TEMPLATE}}
    answer = cast.key.put("/settings", {"notificationSettings": chosen})
    assert (answer.status, answer.body["message"]) == (
        400,
        "You can't use this email template. Choose another template.",
    )
    assert "run.planned.emailTemplate" in answer.body["warning"]
    answer = cast.key.put("/settings", {"notificationSettings": {"run.planned": {"chatappTemplate": TEMPLATE}}})
    assert (
        answer.body["message"]
        == cast.key.put("/settings", {"notificationSettings": {"run.planned": {"chatapp": True}}}).body["message"]
    )
    assert "run.planned.chatappTemplate" in answer.body["warning"]
    monkeypatch.setattr("accounts.settings.groups.notifications._templates", {})
    register_template_source("email", lambda template: template == TEMPLATE)
    assert cast.key.put("/settings", {"notificationSettings": chosen}).data["notificationSettings"]["run.planned"] == {
        "email": True,
        "emailTemplate": TEMPLATE,
        "chatapp": False,
        "chatappTemplate": None,
    }
    back = cast.key.put("/settings", {"notificationSettings": {"run.planned": {"emailTemplate": None}}})
    assert back.data["notificationSettings"]["run.planned"]["emailTemplate"] is None


def test_who_may(cast: Cast, outsiders: Cast) -> None:
    assert cast.narrow_session.get("/settings").status == 403
    assert cast.narrow_session.put("/settings", {"appName": "Mine"}).status == 403
    reader = make_cast({"settings": {"GET": True}}).narrow_session
    assert reader.get("/settings").status == 200
    refused = reader.put("/settings", {"appName": "Mine"})
    assert (refused.status, "settings.PUT" in refused.body["warning"]) == (403, True)
    writer = make_cast({"settings": {"PUT": True}}).narrow_session
    assert writer.put("/settings", {"appName": "Mine"}).data["appName"] == "Mine"
    assert outsiders.key.get("/settings").data["appName"] == cast.key.get("/settings").data["appName"] == ""


def test_a_lapsed_company_reads_and_does_not_write(cast: Cast) -> None:
    with cast.scope():
        Subscription.objects.all().delete()
    for caller in (cast.key, cast.session):
        assert caller.get("/settings").status == 200
        assert caller.put("/settings", {"appName": "x"}).status == 500
    assert cast.key.get("/settings").data["appName"] == ""


def test_settings_that_are_missing(cast: Cast) -> None:
    with cast.scope():
        CompanySettings.objects.all().delete()
    for answer in (cast.key.get("/settings"), cast.key.put("/settings", {"appName": "x"})):
        assert (answer.status, answer.body["message"]) == (400, "Your company's settings were not found.")


@pytest.mark.django_db(transaction=True)
def test_changes_made_at_once_all_stay() -> None:
    cast = make_cast()
    fields = [
        {"app_name": "Kontor"},
        {"currency": "CHF"},
        {"facebook": "https://facebook.example/us"},
        {"x": "https://x.example/us"},
        {"team_settings": {"onlyAvailable": False}},
        {"team_settings": {"maxOpenLeads": 3}},
        {"notification_settings": {"run.planned": {"email": False}}},
        {"notification_settings": {"run.finished": {"email": False}}},
    ]
    at_once(len(fields), cast.company.pk, lambda number: update_settings(changes=fields[number]))
    shown = cast.key.get("/settings").data
    assert (shown["appName"], shown["currency"]) == ("Kontor", "CHF")
    assert (shown["facebook"], shown["x"]) == ("https://facebook.example/us", "https://x.example/us")
    assert shown["teamSettings"] == {"distribution": "manual", "onlyAvailable": False, "maxOpenLeads": 3}
    assert [
        shown["notificationSettings"][key]["email"] for key in ("run.planned", "run.finished", "import.failed")
    ] == [False, False, True]


def test_what_reads_nested_settings(cast: Cast, outsiders: Cast) -> None:
    company = cast.company.pk
    assert subscription_policies(company) == SubscriptionPolicies(True, (7, 1))
    assert lead_rule(company) == LeadRule(Distribution.MANUAL, True, None)
    cast.key.put("/settings", {"subscriptionPolicies": {"autoRenew": False, "remindDaysBefore": []}})
    cast.key.put(
        "/settings", {"teamSettings": {"distribution": "roundRobin"}, "manualChatbot": {"handover": {"mode": "all"}}}
    )
    assert subscription_policies(company) == SubscriptionPolicies(False, ())
    assert lead_rule(company) == LeadRule(Distribution.ROUND_ROBIN, True, None)
    assert chatbot_defaults(company)["handover"] == {"mode": "all"}
    assert subscription_policies(outsiders.company.pk) == SubscriptionPolicies()
    bare = CompanyFactory()
    assert (lead_rule(bare.pk), chatbot_defaults(bare.pk)) == (LeadRule(), DEFAULTS["manualChatbot"])


def test_formats_are_the_company_s(cast: Cast) -> None:
    from accounts.settings.formats import formats_of

    assert formats_of(None) == formats_of(cast.company.pk) == Formats()
    cast.key.put(
        "/settings", {"dateFormat": "yyyy-mm-dd", "timeFormat": "hh:mm a", "currency": "JPY", "timezone": "Asia/Tokyo"}
    )
    assert formats_of(cast.company.pk) == Formats("Asia/Tokyo", "yyyy-mm-dd", "hh:mm a", "JPY")
    bare = Company.objects.create(name="Bare", timezone="Europe/Rome")
    assert formats_of(bare.pk) == Formats("Europe/Rome")
