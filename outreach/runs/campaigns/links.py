"""Clicks on the links of a campaign's mails, by link, and a mail with its clicks beside its links.

A click is stored with the number of its link among those of the message, and with their count. The content of the run
has the same links in the same order, so that no message is read, and no address shows the values of a recipient. A
message whose values add or drop links has another count: its clicks are counted together, as those of other links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import ngettext

from core.types import JsonObject, Values
from outreach.messaging.delivery.tracking.links import links_of, sent_html
from outreach.messaging.delivery.tracking.models import TrackingEvent
from outreach.runs.genie.models import GenieScheduler

_LINK = re.compile(r'(<a\b[^>]*?\bhref="([^"]*)"[^>]*>.*?)(</a>)', re.DOTALL)
_MARK = (
    "display:inline-block;margin-left:4px;padding:0 6px;border-radius:9px;font-size:12px;line-height:18px;"
    "font-weight:bold;text-decoration:none;color:#ffffff;background-color:"
)
CLICKED_COLOR = "#1d4ed8"
UNCLICKED_COLOR = "#4b5563"


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail of a campaign: its step, its place among the variants, and the name and content of the variant."""

    step: int
    place: int
    variant: str
    content: Values

    @property
    def links(self) -> list[str]:
        """Return the tracked addresses of the mail, in order."""
        return links_of(sent_html(self.content["text"], self.content["html"]))


@dataclass(frozen=True, slots=True)
class Clicks:
    """Clicks of people on a link: the number of recipients, and of visits."""

    people: int = 0
    clicks: int = 0


NONE = Clicks()
LinkKey = tuple[int, int, int, int]
"""Step, place of the variant, count of the message's links, and number of the link."""


def links_clicked(run: GenieScheduler) -> list[JsonObject]:
    """Return the tracked links of the mails of a campaign, in order, with their clicks; none before a click of a known
    link."""
    counts = _counts(run.pk)
    rows: list[JsonObject] = []
    # Vendors that track clicks themselves name no link, and clicks are deleted after a year.
    for mail in _mails(run) if counts else ():
        links = mail.links
        by_number = _by_number(counts, mail, len(links))
        numbered: list[tuple[int | None, str]] = [*enumerate(links, 1)]
        if None in by_number:
            numbered.append((None, ""))
        for number, url in numbered:
            clicks = by_number.get(number, NONE)
            rows.append(
                {
                    "step": mail.step,
                    "variant": mail.variant or None,
                    "number": number,
                    "url": url,
                    "people": clicks.people,
                    "clicks": clicks.clicks,
                }
            )
    return rows


def _by_number(counts: Mapping[LinkKey, Clicks], mail: Mail, link_count: int) -> dict[int | None, Clicks]:
    """Return number of the link -> its clicks, for a mail with so many links; None: clicks of messages with others.

    Somebody who clicked two of those other links is counted as two people.
    """
    by_number: dict[int | None, Clicks] = {}
    for (step, place, of_links, link), clicks in counts.items():
        if (step, place) == (mail.step, mail.place):
            # Older clicks have no count of the links.
            number = link if of_links in (0, link_count) else None
            before = by_number.get(number, NONE)
            by_number[number] = Clicks(before.people + clicks.people, before.clicks + clicks.clicks)
    return by_number


def with_clicks(run: GenieScheduler, rich: str, *, step: int, place: int) -> str:
    """Return the HTML of a mail of a campaign with the number of people who clicked behind each tracked link."""
    mail = next((mail for mail in _mails(run) if (mail.step, mail.place) == (step, place)), None)
    # With the values of a contact that add or drop links, no link has the number that it has in the content.
    if mail is None or len(links_of(rich)) != len(mail.links):
        return rich
    by_number = _by_number(_counts(run.pk), mail, len(mail.links))
    # The numbers are those of the content: values of a recipient may have changed an address of the mail.
    numbers = {url: number for number, url in enumerate(links_of(rich), 1)}

    def marked(match: re.Match[str]) -> str:
        address = next(iter(links_of(f'<a href="{match[2]}">')), "")
        number = numbers.get(address)
        if number is None:
            return match[0]
        return f"{match[1]}{match[3]}{_mark(by_number.get(number, NONE))}"

    return _LINK.sub(marked, rich)


def _mark(clicks: Clicks) -> str:
    """Return the HTML of the number of people who clicked a link."""
    color = CLICKED_COLOR if clicks.people else UNCLICKED_COLOR
    text = ngettext("%(counter)s person", "%(counter)s people", clicks.people) % {"counter": f"{clicks.people:,}"}
    return f'<span style="{_MARK}{color}">{text}</span>'


def _mails(run: GenieScheduler) -> Iterator[Mail]:
    """Return the mails of a campaign that has begun: its variants, then its follow-ups."""
    for place, content in enumerate(run.content.get("variants", ())):
        if "chat" not in content:
            yield Mail(1, place, content["name"], content)
    for number, step in enumerate(run.outreach_cadence.get("steps", ()), 2):
        content = step.get("content")
        if content is not None and "chat" not in content:
            yield Mail(number, 0, "", content)


def _counts(run_id: str) -> Mapping[LinkKey, Clicks]:
    """Return the clicks of each link, by one statement."""
    # Messages without clicks are left out first: their events need no look-up.
    events = TrackingEvent.objects.filter(
        send_job__run=run_id,
        send_job__click_count__gt=0,
        kind=TrackingEvent.Kind.CLICKED,
        machine="",
        applied_at__isnull=False,
    )
    groups = events.order_by().values_list("send_job__step", "send_job__variant", "of_links", "link")
    counts: dict[LinkKey, Clicks] = {}
    for step, variant, of_links, link, people, clicks in groups.annotate(
        people=Count("send_job__contact", distinct=True), clicks=Count("pk")
    ):
        # Follow-ups are the same for all variants, each of which has recipients of its own.
        key = (step, variant or 0 if step == 1 else 0, of_links, link)
        before = counts.get(key, NONE)
        counts[key] = Clicks(before.people + people, before.clicks + clicks)
    return counts
