"""GET and PUT /genie/settings."""

from __future__ import annotations

from accounts.models import Company
from outreach.connections.mail_vendors.registry import VENDORS
from tests.kit.cast import Cast, make_cast

PATH = "/genie/settings"


def test_without_settings_mail_goes_at_all_hours(cast: Cast) -> None:
    Company.objects.filter(pk=cast.company.pk).update(timezone="Europe/Berlin")
    assert cast.key.get(PATH).data == {
        "windowDays": [],
        "windowStart": None,
        "windowEnd": None,
        "recipientTimezone": True,
        "approvalDays": 14,
        "language": "",
        "languageName": "",
        "inboxDays": 365,
        "trackOpens": False,
        "trackClicks": False,
        "utmTags": False,
        "utmSource": "",
        "utmMedium": "",
        "personalUnsubscribe": False,
        "bouncePercent": 5.0,
        "complaintPercent": 0.1,
        "guardFrom": 50,
        "vendorLimits": dict.fromkeys(VENDORS),
        "providerLimits": dict.fromkeys(("google", "microsoft", "yahoo", "apple", "gmx", "other")),
        "timezone": "Europe/Berlin",
        "updatedAt": None,
    }


def test_what_is_given_is_set_and_the_rest_stays(cast: Cast, outsiders: Cast) -> None:
    answer = cast.session.put(PATH, {"windowDays": [5, 1], "windowStart": "09:00", "windowEnd": "17:30"})
    assert (answer.status, answer.data["windowDays"], answer.data["windowStart"], answer.data["windowEnd"]) == (
        200,
        [1, 5],
        "09:00",
        "17:30",
    )
    assert cast.key.put(PATH, {"recipientTimezone": False}).data["windowDays"] == [1, 5]
    cleared = cast.key.put(PATH, {"windowStart": None, "windowEnd": None}).data
    assert (cleared["windowStart"], cleared["recipientTimezone"]) == (None, False)
    assert outsiders.key.get(PATH).data["recipientTimezone"] is True


def test_bad_bodies_name_the_field(cast: Cast) -> None:
    for body, field in (
        ({"windowDays": [0]}, "windowDays"),
        ({"windowDays": "Monday"}, "windowDays"),
        ({"windowStart": "25:00", "windowEnd": "26:00"}, "windowStart"),
        ({"windowStart": "09:00"}, "windowEnd"),
        ({"windowStart": "09:00", "windowEnd": "09:00"}, "windowEnd: enter another end"),
        ({"windowDays": [1, 5, 1]}, "windowDays: choose each day once"),
        ({"zone": "UTC"}, "zone"),
    ):
        answer = cast.key.put(PATH, body)
        assert answer.status == 400, body
        assert field in answer.body["warning"]


def test_roles(db: None) -> None:
    reader = make_cast({"genie": {"GET": True}})
    assert reader.narrow_session.get(PATH).status == 200
    assert reader.narrow_session.put(PATH, {}).status == 403


def test_tracking_and_limits_take_the_permission_of_senders(db: None) -> None:
    """Like the guardrails (test_guardrails): who may start runs does not decide what all senders do."""
    planner = make_cast({"genie": {"GET": True, "PUT": True}}).narrow_session
    tracking = ({"trackOpens": True}, {"trackClicks": True})
    for body in (*tracking, {"providerLimits": {"google": 5}}, {"vendorLimits": {next(iter(VENDORS)): 5}}):
        answer = planner.put(PATH, body)
        assert answer.status == 403, body
        assert next(iter(body)) in answer.body["warning"]
    known = planner.get(PATH).data
    same = {name: known[name] for name in ("trackOpens", "providerLimits", "vendorLimits")}
    assert planner.put(PATH, {**same, "windowDays": [1]}).data["windowDays"] == [1], "a form sends all that it shows"
