"""countryCode and number at the top of a company's body, as answers show them (contract 4.11)."""

from __future__ import annotations

from tests.kit.cast import Caller, Cast

COMPANY = {"name": "Further", "email": "further@example.com", "timezone": "Europe/Berlin"}


def test_a_company_is_opened_with_country_code_and_number(cast: Cast) -> None:
    private = Caller("/api/private", cast.session.headers)
    made = private.post("/company", {**COMPANY, "countryCode": "+49", "number": "30 123456"})
    assert made.status == 200, made.body
    assert (made.data["countryCode"], made.data["number"]) == ("+49", "30123456")
    for body in ({"countryCode": "+49"}, {"countryCode": "+49", "number": "1"}, {}):
        refused = private.post("/company", {**COMPANY, **body})
        assert (refused.status, refused.body["errors"][0]["field"]) == (400, "contactNumber")
    both = private.post("/company", {**COMPANY, "countryCode": "+49", "contactNumber": "+49 30 123456"})
    assert (both.status, both.body["errors"][0]["message"]) == (400, "send it, or countryCode and number")


def test_a_profile_is_written_back_with_another_number(cast: Cast) -> None:
    assert cast.key.put("/company", {"contactNumber": "+49 30 123456"}).status == 200
    whole = cast.key.get("/company").data
    changed = cast.key.put("/company", {**whole, "number": "30123457"})
    assert (changed.status, changed.data["countryCode"], changed.data["number"]) == (200, "+49", "30123457")
    assert cast.key.put("/company", changed.data).status == 200
    emptied = cast.key.put("/company", {"countryCode": "", "number": ""}).data
    assert (emptied["countryCode"], emptied["number"]) == ("", "")
