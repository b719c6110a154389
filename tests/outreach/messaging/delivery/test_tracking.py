"""Opens and clicks: what mails carry, what links answer, what counts and what no recipient has done."""

from __future__ import annotations

import re
from datetime import timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts.models import LoginLog
from core.models import Event
from crm.activities.models import LeadActivity
from outreach.connections.smtp.markup import sanitise_html, text_from_html
from outreach.messaging.delivery.tracking.effects import KEPT, forget_old
from outreach.messaging.delivery.tracking.links import links_of, with_tracking
from outreach.messaging.delivery.tracking.machines import followed_together
from outreach.messaging.delivery.tracking.tokens import CLICK, CLICK_AT, OPEN, Tracked, make_token, read_token
from outreach.messaging.delivery.tracking.views import _location
from outreach.models import SendJob, TrackingEvent
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, planned, work

HTML = (
    '<p>Hi <a href="https://shop.example/?a=1&amp;b=2">shop</a> <a href="https://shop.example/?a=1&amp;b=2">again</a>'
    ' <a href="mailto:x@shop.example">mail</a> <a href="https://docs.example/ü">docs</a></p>'
)
SHOP, DOCS = "https://shop.example/?a=1&b=2", "https://docs.example/%C3%BC"
ID = "65f0c0ffee65f0c0ffee65f0"
PERSON = {"HTTP_USER_AGENT": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", "REMOTE_ADDR": "198.51.100.7"}
SCANNER = {**PERSON, "HTTP_USER_AGENT": "Mozilla/5.0 (compatible; GoogleImageProxy)"}


def sent(cast: Cast, post: Post, **switches: bool) -> SendJob:
    """Send a message with links; returns it."""
    cast.key.put("/genie/settings", {"trackOpens": True, "trackClicks": True})
    run = planned(cast, 1, **switches)
    with cast.scope():
        SendJob.objects.filter(run_id=run).update(html=HTML)
        work("send")
        job = SendJob.objects.get(run_id=run)
        assert job.status == "sent"
        return job


def parts_of(post: Post) -> tuple[str, str]:
    """Return the text and the HTML of the last mail that the server got."""
    mail = message_from_bytes(post.server.received[-1], policy=policy.default)
    text, page = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert page is not None
    return text.get_content(), page.get_content()


def paths_in(page: str) -> list[str]:
    return re.findall(rf'{re.escape(settings.BASE_URL)}(/[co]/[\w.-]+)"', page)


def visit(path: str, method: str = "get", **headers: Any) -> Any:
    return getattr(Client(), method)(path, **{**PERSON, **headers})


def later(seconds: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(seconds=seconds), tick=True)


def counts(cast: Cast, job: SendJob) -> tuple[int, int, list[str]]:
    """Return opens, clicks, and why others were no recipient's."""
    with later(180):
        work("tracking")
    with cast.scope():
        found = SendJob.objects.get(pk=job.pk)
        machines = TrackingEvent.objects.exclude(machine="").order_by("happened_at", "pk")
        return found.open_count, found.click_count, list(machines.values_list("machine", flat=True))


def test_a_token_says_one_thing_and_no_other_spelling_of_it_is_taken() -> None:
    for one in (Tracked(CLICK, ID, 65535), Tracked(CLICK_AT, ID, 1), Tracked(OPEN, ID)):
        token = make_token(one)
        assert (len(token), read_token(token)) == (34, one)
        for at in range(34):
            for other in "AB-_":
                changed = f"{token[:at]}{other}{token[at + 1 :]}"
                assert changed == token or read_token(changed) is None
    assert [read_token(one) for one in ("", "A" * 34, "ü" * 34, "A" * 33)] == [None] * 4


def test_only_links_of_the_web_are_tracked_and_hostile_ones_stay() -> None:
    hostile = '<a href="http://[bad">x</a><a href="#top">t</a><a href="tel:1">c</a><a href="//x.example">r</a>'
    own = '<a href="https://a.example/api/public/unsubscribe/t">u</a>'
    page = with_tracking(hostile + own, ID, "https://t.example", opens=False, clicks=True)
    assert (page, links_of(hostile + own)) == (hostile + own, [])


@pytest.mark.parametrize(
    ("address", "location"),
    [
        ("  https://shop.example/trim  ", "https://shop.example/trim"),
        ("https://shop.example/end\t ", "https://shop.example/end"),
        ("\nhttps://shop.example/line\nbreak", "https://shop.example/linebreak"),
        ("https://müller.example/straße?q=ä&x=1#ß", "https://xn--mller-kva.example/stra%C3%9Fe?q=%C3%A4&x=1#%C3%9F"),
        ("https://user@Bücher.example:8443", "https://user@xn--bcher-kva.example:8443"),
        ("https://例え.example/a%20b+c%2Fd", "https://xn--r8jz45g.example/a%20b+c%2Fd"),
        ("https://[2001:db8::1]:8080/ü", "https://[2001:db8::1]:8080/%C3%BC"),
        ("https://shop.example/in side", "https://shop.example/in%20side"),
    ],
)
def test_a_link_leads_where_browsers_would_go(cast: Cast, post: Post, address: str, location: str) -> None:
    cast.key.put("/genie/settings", {"trackClicks": True})
    run = planned(cast, 1)
    page = sanitise_html(f'<p><a href="{address}">here</a></p>')
    with cast.scope():
        SendJob.objects.filter(run_id=run).update(html=page, text=text_from_html(page))
        work("send")
    text, sent_page = parts_of(post)
    [path] = paths_in(sent_page)
    assert visit(path)["Location"] == location
    assert " )" not in text
    assert "( " not in text


def test_links_of_messages_from_before_are_trimmed_as_well() -> None:
    page = '<a href=" https://shop.example/a ">x</a>'
    assert links_of(page) == [" https://shop.example/a "]
    assert _location(" https://shop.example/a ") == "https://shop.example/a"


def test_a_mail_tells_nothing_unless_the_company_and_its_run_have_it_tracked(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    with cast.scope():
        SendJob.objects.filter(run_id=run).update(html=HTML)
    work("send")
    text, page = parts_of(post)
    assert (text.count(settings.BASE_URL), page.count(settings.BASE_URL)) == (1, 1)  # unsubscribing
    assert SHOP.replace("&", "&amp;") in page
    sent(cast, post, trackOpens=False, trackClicks=False)
    assert parts_of(post)[1].count(settings.BASE_URL) == 1


@pytest.mark.parametrize("opens", [True, False])
@pytest.mark.parametrize("clicks", [True, False])
def test_a_message_keeps_whether_it_was_sent_with_tracking(cast: Cast, post: Post, opens: bool, clicks: bool) -> None:
    job = sent(cast, post, trackOpens=opens, trackClicks=clicks)
    assert (job.opens_tracked, job.clicks_tracked) == (opens, clicks)
    cast.key.put("/genie/settings", {"trackOpens": True, "trackClicks": True})
    with cast.scope():
        job.refresh_from_db()
    assert (job.opens_tracked, job.clicks_tracked) == (opens, clicks)


def test_opens_and_clicks_count_once_for_each_visitor_and_reach_the_timeline(cast: Cast, post: Post) -> None:
    job = sent(cast, post)
    text, page = parts_of(post)
    first, again, docs, pixel = paths_in(page)
    assert (len({first, again}), len(first), "mailto:x@shop.example" in page, "/c/" in text) == (2, 37, True, False)
    with later(60):
        for _ in range(2):
            answer = visit(pixel)
            assert (answer.status_code, answer["Content-Type"], answer["Cache-Control"]) == (
                *(200, "image/gif"),
                "no-store, private",
            )
            answer = visit(first)
            assert (answer.status_code, answer["Location"], answer["Referrer-Policy"]) == (302, SHOP, "no-referrer")
        assert visit(first, REMOTE_ADDR="198.51.100.8")["Location"] == SHOP
        assert visit(again, REMOTE_ADDR="198.51.100.8")["Location"] == SHOP
    with later(120):
        assert visit(docs)["Location"] == DOCS
    assert counts(cast, job) == (1, 4, [])
    assert counts(cast, job) == (1, 4, [])  # applied once
    with cast.scope():
        events = {kind: payload for kind, payload in Event.objects.values_list("kind", "payload") if "mail." in kind}
        assert (events["mail.opened"]["sendJob"], events["mail.clicked"]["contact"]) == (job.pk, job.contact_id)
        assert Event.objects.filter(kind="mail.clicked").count() == 1
        assert events["mail.clicked"]["links"] == [SHOP, "https://docs.example/ü"]
        assert not TrackingEvent.objects.filter(visitor__contains="198.51").exists()
    with later(240):
        work("events")
    with cast.scope():
        told = LeadActivity.objects.filter(contact=job.contact_id, kind="mail").values_list("details__event", flat=True)
        assert set(told) == {"sent", "opened", "clicked"}
    titles = {one["title"].partition(":")[0] for one in cast.key.get(f"/contact/{job.contact_id}/timeline").data}
    assert {"Email opened", "Link clicked"} <= titles
    shown = cast.key.get(f"/genie/send-jobs/{job.pk}").data
    assert (shown["deliveryStatus"], shown["openCount"], shown["clickCount"]) == ("clicked", 1, 4)
    assert [(one["kind"], one["url"], one["machine"]) for one in shown["opensAndClicks"]][0][0] == "clicked"
    run = cast.key.get(f"/genie/{job.run_id}").data
    assert (run["opened"], run["clicked"]) == (1, 1)
    log = cast.key.get('/logs/smtp?advancedFilters={"field":"openCount","operator":"greaterThan","value":0}').data
    assert [(one["_id"], one["openCount"]) for one in log] == [(job.pk, 1)]


def test_links_of_mails_that_were_sent_before_places_still_lead_on_and_count(cast: Cast, post: Post) -> None:
    job = sent(cast, post)
    docs = f"/c/{make_token(Tracked(CLICK, job.pk, 2))}"
    with later(60):
        assert visit(docs)["Location"] == DOCS
        assert visit(f"/c/{make_token(Tracked(CLICK, job.pk, 3))}").status_code == 404
        # Its third link is mailto:, which is not tracked.
        assert visit(f"/c/{make_token(Tracked(CLICK_AT, job.pk, 3))}").status_code == 404
        assert visit(f"/c/{make_token(Tracked(CLICK_AT, job.pk, 4))}")["Location"] == DOCS
    assert counts(cast, job) == (0, 2, [])
    with cast.scope():
        columns = ("link", "of_links", "place", "of_places")
        assert list(TrackingEvent.objects.order_by("place").values_list(*columns)) == [(2, 2, 0, 0), (2, 2, 4, 4)]
        assert [event.payload["links"] for event in Event.objects.filter(kind="mail.clicked")] == [
            ["https://docs.example/ü"]
        ]


def test_what_machines_and_own_people_do_is_kept_apart(cast: Cast, post: Post) -> None:
    job = sent(cast, post)
    shop, _again, docs, pixel = paths_in(parts_of(post)[1])
    assert visit(pixel).status_code == 200  # too soon
    with cast.scope():
        LoginLog.objects.create(user_id=cast.owner.user_id, email="o@example.com", status="success", ip="203.0.113.5")
    with later(60):
        visit(pixel, "head", REMOTE_ADDR="198.51.100.9")
        visit(pixel, **SCANNER)
        visit(pixel, REMOTE_ADDR="203.0.113.5")
    assert counts(cast, job) == (0, 0, ["too_soon", "head", "scanner", "member"])
    with later(90):
        assert [visit(path).status_code for path in (shop, docs)] == [302, 302]  # all links at once
    with cast.scope():
        TrackingEvent.objects.filter(kind="clicked").update(happened_at=timezone.now())  # however slow the machine is
    assert counts(cast, job)[:2] == (0, 0)
    with cast.scope():
        assert not Event.objects.filter(kind__in=("mail.opened", "mail.clicked")).exists()
        assert SendJob.objects.get(pk=job.pk).delivery_status == ""
    now = timezone.now()
    rows = [
        TrackingEvent(id=f"{n:024x}", link=n % 3, of_links=3, happened_at=now + timedelta(seconds=0.4 * n))
        for n in range(4)
    ]
    assert followed_together(rows) == {row.pk for row in rows}
    assert followed_together(rows[:2]) == set()


def test_changed_tokens_other_methods_and_messages_that_are_gone(cast: Cast, post: Post) -> None:
    job = sent(cast, post)
    shop, _again, _docs, pixel = paths_in(parts_of(post)[1])
    none = make_token(Tracked(CLICK, ID, 1))
    beyond, wrong = make_token(Tracked(CLICK, job.pk, 9)), make_token(Tracked(OPEN, job.pk))
    with later(60):
        changed = f"/c/{'B' if shop[3] != 'B' else 'C'}{shop[4:]}"
        for path in (changed, f"/c/{none}", f"/c/{beyond}", f"/c/{wrong}", f"/o/{none}.gif", f"{shop}x"):
            assert visit(path).status_code == 404, path
        from_afar = Client(enforce_csrf_checks=True)
        assert [from_afar.post(path).status_code for path in (shop, f"/c/{none}", pixel)] == [405, 405, 405]
        assert visit(f"{shop}?url=https://evil.example")["Location"] == SHOP
        cast.key.put("/genie/settings", {"trackOpens": False, "trackClicks": False})
        assert (visit(shop, REMOTE_ADDR="198.51.100.20")["Location"], visit(pixel).status_code) == (SHOP, 200)
    with cast.scope():
        assert TrackingEvent.objects.count() == 1
        TrackingEvent.objects.update(happened_at=timezone.now() - KEPT - timedelta(days=1))
        forget_old()
        assert not TrackingEvent.objects.exists()
        SendJob.objects.update(text="", html="")  # as erasure leaves it
    assert [visit(shop).status_code, visit(pixel).status_code] == [404, 404]
