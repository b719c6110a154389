"""The pages of reports and dashboards."""

from __future__ import annotations

import re
from html import unescape

import pytest

from accounts.models import Member, Role
from outreach.models import Dashboard
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

pytestmark = pytest.mark.django_db


def test_a_report_leads_to_what_it_counts_and_onto_a_dashboard(cast: Cast) -> None:
    with cast.scope():
        for name, status in (("Ann Lee", "new"), ("Bob Ray", "won"), ("Cy Fox", "won")):
            LeadFactory(contact=ContactFactory(name=name), status=status)
    client = enter(cast.owner)
    usual = client.get(at(cast.owner, "reports"))
    assert '<svg class="chart"' in html_of(usual)
    asked = "reports?reportType=leads&by=status&chart=bar&metric=created"
    page = html_of(client.get(at(cast.owner, asked)))
    assert re.search(r"<progress max=\"2\" value=\"2\" aria-label=\"Won\">", page)
    link = re.search(r'<a class="link" href="([^"]+)">Won</a>', page)
    assert link is not None
    leads = text_of(client.get(unescape(link[1])))
    assert ("Bob Ray" in leads, "Ann Lee" in leads, "Records of the report" in leads) == (True, False, True)
    file = client.get(at(cast.owner, "reports?reportType=leads&by=status&download=true"))
    assert b"".join(file.streaming_content).decode("utf-8-sig").splitlines()[1].startswith("Won,2,")
    wrong = text_of(client.get(at(cast.owner, "reports?reportType=leads&by=vendor&chart=line&startDate=2020-01-01")))
    assert "at most 366 days" in wrong

    added = client.post(at(cast.owner, asked), {"do": "add", "name": "Sales", "range": "thisMonth"})
    assert "Added to the dashboard" in toast_of(client, added)
    with cast.scope():
        board = Dashboard.objects.get(name="Sales")
    added = client.post(at(cast.owner, asked), {"do": "add", "dashboard": board.pk, "range": "custom"})
    shown = text_of(client.get(added["Location"]))
    assert ("This month" in shown, shown.count("Won 2")) == (True, 2)
    sent = {
        "name": "Sales",
        "shared": "on",
        "title-1": "First",
        "title-2": "Second",
        "chart-2": "number",
        "place-1": "9",
    }
    saved = client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "save", **sent})
    assert "Dashboard saved" in toast_of(client, saved)
    with cast.scope():
        board.refresh_from_db()
    kept = [(tile["title"], tile["chart"], tile["range"]) for tile in board.tiles]
    assert (board.shared, kept) == (True, [("Second", "number", "custom"), ("First", "bar", "thisMonth")])
    up = {"name": "Sales", "shared": "on", "title-1": "Second", "title-2": "First", "place-1": "1", "place-2": "1"}
    client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "save", **up})
    with cast.scope():
        board.refresh_from_db()
    assert [tile["title"] for tile in board.tiles] == ["First", "Second"]  # the one that was moved there is the first

    with cast.scope():
        role = Role.objects.get(name="Viewer")
        viewer = enter(MemberFactory(status=Member.Status.ACCEPTED, role=role))
    found = html_of(viewer.get(at(cast.owner, f"dashboards/{board.pk}")))
    assert ("Second" in found, ">Edit" in found) == (True, False)
    assert "Add to a dashboard" not in text_of(viewer.get(at(cast.owner, "reports")))
    gone = client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "save", "remove-1": "on", "name": ""})
    assert (gone.status_code, "name" in html_of(gone)) == (422, True)
    deleted = client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "delete"})
    assert "Dashboard deleted" in toast_of(client, deleted)
