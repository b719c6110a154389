"""UTM tags of links: only where a link has none, with everything else of its address as it is written."""

from __future__ import annotations

import pytest

from outreach.messaging.delivery.tracking.links import links_of, with_tracking
from outreach.messaging.delivery.tracking.utm import tag_links, tag_url

TAGS = {"utm_source": "news & more", "utm_medium": "email", "utm_content": ""}
ADDED = "utm_source=news%20%26%20more&utm_medium=email"
ID = "65f0c0ffee65f0c0ffee65f0"


@pytest.mark.parametrize(
    ("url", "tagged"),
    [
        ("https://a.example", f"https://a.example?{ADDED}"),
        ("https://a.example/?", f"https://a.example/?{ADDED}"),
        ("https://a.example/?q=1&", f"https://a.example/?q=1&{ADDED}"),
        ("https://a.example/x?q=%2F%26&r=a+b", f"https://a.example/x?q=%2F%26&r=a+b&{ADDED}"),
        ("https://a.example/x#top", f"https://a.example/x?{ADDED}#top"),
        ("https://a.example/#/route?utm_source=own", f"https://a.example/?{ADDED}#/route?utm_source=own"),
        ("https://a.example/?u=https%3A%2F%2Fb.example%3Futm_source%3Dx", None),
        ("https://a.example/?next=/x?y=1#a#b", f"https://a.example/?next=/x?y=1&{ADDED}#a#b"),
        ("HTTPS://A.example/Ü?ü=ß", f"HTTPS://A.example/Ü?ü=ß&{ADDED}"),
        ("https://u:p@a.example:8443/", f"https://u:p@a.example:8443/?{ADDED}"),
        ("https://a.example/?xutm_source=1", f"https://a.example/?xutm_source=1&{ADDED}"),
    ],
)
def test_tags_stand_behind_the_query(url: str, tagged: str | None) -> None:
    assert tag_url(url, TAGS) == (tagged or f"{url}&{ADDED}")


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/?utm_source=own",
        "https://a.example/?q=1&UTM_Campaign=own",
        "https://a.example/?q=1;utm_term=own",
        "https://a.example/?%75tm_source=own",
        "https://t.example/api/public/unsubscribe/token",
        "mailto:x@a.example?subject=Hi",
        "tel:+491234",
        "#top",
        "/relative?q=1",
        "//a.example/",
        "http://[bad",
        "https://",
        "javascript:alert(1)",
        "",
    ],
)
def test_other_links_stay_as_they_are(url: str) -> None:
    assert tag_url(url, TAGS) == url


def test_without_tags_nothing_changes() -> None:
    assert tag_url("https://a.example/", {"utm_source": ""}) == "https://a.example/"


def test_html_stays_escaped_and_links_stay_tracked() -> None:
    rich = '<a href="https://a.example/?a=1&amp;b=2">a</a> <a href="mailto:x@a.example">m</a> https://b.example/'
    tagged = tag_links(rich, TAGS)
    assert tagged == (
        f'<a href="https://a.example/?a=1&amp;b=2&amp;{ADDED.replace("&", "&amp;")}">a</a>'
        ' <a href="mailto:x@a.example">m</a> https://b.example/'
    )
    assert links_of(tagged) == [f"https://a.example/?a=1&b=2&{ADDED}"]
    assert "a.example/?" not in with_tracking(tagged, ID, "https://t.example", opens=False, clicks=True)
    evil = tag_links('<a href="https://a.example/">a</a>', {"utm_source": '"><script>'})
    assert evil == '<a href="https://a.example/?utm_source=%22%3E%3Cscript%3E">a</a>'
