"""UTM tags of campaigns: the company's setting, the campaign's own, and the links of what is sent."""

from __future__ import annotations

from typing import Any

import pytest

from outreach.models import Campaign
from tests.kit.cast import Cast
from tests.outreach.runs.campaigns.helpers import begun, jobs, made

BODY = '<p>Hi <a href="https://shop.example/?q=1">shop</a> <a href="mailto:x@shop.example">mail</a></p>'
AB = [{"name": name, "share": 50, "subject": "Hi", "body": BODY} for name in "AB"]
STEPS = [{"delay": {"amount": 3, "unit": "days"}, "body": "Bye https://last.example/"}]
ON = {"utmTags": True, "utmSource": "acme"}


def test_links_have_the_tags_of_company_campaign_and_variant(cast: Cast, people: dict[str, Any]) -> None:
    assert cast.session.put("/genie/settings", ON).data["utmSource"] == "acme"
    draft = made(cast, people, name="Spring & more", variants=AB, utmMedium="mail", outreachCadence={"steps": STEPS})
    tags = "utm_source=acme&amp;utm_medium=mail&amp;utm_campaign=Spring%20%26%20more"
    for caller in (cast.key, cast.session):
        shown = caller.get(f"/campaign/{draft}/preview?variant=1").data["html"]
        assert f'href="https://shop.example/?q=1&amp;{tags}&amp;utm_content=B"' in shown
        last = caller.get(f"/campaign/{draft}/preview?step=2").data["html"]
        assert f'href="https://last.example/?{tags}"' in last
        assert "sample?utm" not in shown  # the link to unsubscribe
    id = begun(cast, people, name="Summer", variants=AB, utmCampaign="own")
    sent = jobs(cast, id)
    assert len(sent) == 10
    for job in sent:
        name = "AB"[job.variant or 0]
        expected = f"?q=1&amp;utm_source=acme&amp;utm_medium=email&amp;utm_campaign=own&amp;utm_content={name}"
        assert f'href="https://shop.example/{expected}"' in job.html
        assert 'href="mailto:x@shop.example"' in job.html
        assert "utm_" not in job.text
    copy = cast.key.post(f"/campaign/{id}/duplicate").data
    assert (copy["utmTags"], copy["utmSource"], copy["utmCampaign"]) == (True, "", "own")


@pytest.mark.parametrize(("company", "campaign"), [(False, True), (True, False)])
def test_either_switch_turns_tags_off(cast: Cast, people: dict[str, Any], company: bool, campaign: bool) -> None:
    cast.key.put("/genie/settings", {"utmTags": company})
    id = begun(cast, people, subject="Hi", body=BODY, utmTags=campaign)
    assert not any("utm_" in job.html for job in jobs(cast, id))
    assert cast.key.get("/campaign/choices").data["utmTags"] is company


def test_a_plain_text_keeps_its_words_and_gets_tagged_html(cast: Cast, people: dict[str, Any]) -> None:
    cast.key.put("/genie/settings", {"utmTags": True})
    id = begun(cast, people, subject="Hi", body="See https://shop.example/ soon")
    job = jobs(cast, id)[0]
    assert job.text.strip() == "See https://shop.example/ soon"
    assert '<a href="https://shop.example/?utm_source=newsletter&amp;utm_medium=email&amp;utm_campaign=Open' in job.html


@pytest.mark.parametrize(
    "values",
    [{"utmSource": "x" * 101}, {"utmMedium": "a\nb"}, {"utmCampaign": None}, {"utmTags": "perhaps"}, {"utmTerm": "x"}],
)
def test_invalid_tags_are_refused(cast: Cast, people: dict[str, Any], values: dict[str, Any]) -> None:
    answer = cast.key.post("/campaign", {"name": "X", **people, "subject": "Hi", "body": BODY, **values})
    assert (answer.status, next(iter(values)) in str(answer.body)) == (400, True)
    with cast.scope():
        assert not Campaign.objects.exists()
