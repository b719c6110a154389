"""Clicks on the links of a campaign's mails, by link, and a mail with its clicks beside its links.

A click is stored with the place of its link among those of the message, and with their count. The content of the run
has the same links in the same places, so that no message is read, and no address shows the values of a recipient. A
message whose values add links has another count: its clicks are counted together, as those of other links. Clicks of
before places were stored have the number of the address instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Case, Count, IntegerField, Q, Value, When
from django.utils.translation import ngettext

from core.text.placeholders import PLACEHOLDER
from core.types import JsonObject, Values
from outreach.messaging.delivery.tracking.links import is_tracked, links_of, places_of, sent_html
from outreach.messaging.delivery.tracking.models import TrackingEvent
from outreach.runs.genie.models import GenieScheduler

_LINK = re.compile(r'(<a\b(?:[^>]*?\bhref="[^"]*")?[^>]*>.*?)(</a>)', re.DOTALL)
_MARK = (
    "display:inline-block;margin-left:4px;padding:0 6px;border-radius:9px;font-size:12px;line-height:18px;"
    "font-weight:bold;text-decoration:none;color:#ffffff;background-color:"
)
CLICKED_COLOR = "#1d4ed8"
UNCLICKED_COLOR = "#4b5563"


@dataclass(frozen=True)
class Mail:
    """A mail of a campaign: its step, its place among the variants, and the name and content of the variant."""

    step: int
    place: int
    variant: str
    content: Values

    @cached_property
    def html(self) -> str:
        """Return the HTML of the mail, with its placeholders."""
        return sent_html(self.content["text"], self.content["html"])

    @cached_property
    def places(self) -> list[str]:
        """Return the address in each place of the mail."""
        return places_of(self.html)

    @cached_property
    def links(self) -> list[str]:
        """Return the addresses of the mail that are tracked, or may be with the values of a recipient, in order."""
        return [url for url in dict.fromkeys(self.places) if is_tracked(url) or PLACEHOLDER.match(url)]

    @property
    def messages(self) -> Q:
        """Matches the clicks in messages of this mail."""
        matched = Q(send_job__step=self.step)
        # Follow-ups are the same for all variants, each of which has recipients of its own.
        if self.step > 1:
            return matched
        # Messages of a campaign without variants may have none.
        of_variant = Q(send_job__variant=self.place)
        return matched & (of_variant if self.place else of_variant | Q(send_job__variant=None))

    @property
    def number_of_click(self) -> Case:
        """Return the expression for the number of the clicked link; null in a message with other links."""
        by_address = links_of(self.html)
        # The oldest clicks have no count of the links.
        counted = Q(of_places=0, of_links__in=(0, len(by_address)))
        whens = []
        for number, url in enumerate(self.links, 1):
            places = [place for place, address in enumerate(self.places, 1) if address == url]
            clicked = Q(of_places=len(self.places), place__in=places)
            if url in by_address:
                clicked |= counted & Q(link=by_address.index(url) + 1)
            whens.append(When(clicked, then=Value(number)))
        return Case(*whens, default=None, output_field=IntegerField())


@dataclass(frozen=True, slots=True)
class Clicks:
    """Clicks of people on a link: the number of recipients, and of visits."""

    people: int = 0
    clicks: int = 0


NONE = Clicks()
LinkKey = tuple[int, int | None]
"""Place of the mail in the campaign, and number of the link; None: links of messages that have others."""


def links_clicked(run: GenieScheduler) -> list[JsonObject]:
    """Return the tracked links of the mails of a campaign, in order, with their clicks; none before a click of a known
    link."""
    mails = list(_mails(run))
    counts = _counts(run.pk, mails)
    rows: list[JsonObject] = []
    # Vendors that track clicks themselves name no link, and clicks are deleted after a year.
    for place, mail in enumerate(mails) if counts else ():
        numbered: list[tuple[int | None, str]] = [*enumerate(mail.links, 1)]
        if (place, None) in counts:
            numbered.append((None, ""))
        for number, url in numbered:
            clicks = counts.get((place, number), NONE)
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


def with_clicks(run: GenieScheduler, rich: str, *, step: int, place: int) -> str:
    """Return the HTML of a mail of a campaign with the number of people who clicked behind each tracked link."""
    mail = next((mail for mail in _mails(run) if (mail.step, mail.place) == (step, place)), None)
    # With the values of a contact that add links, no link has the place that it has in the content.
    if mail is None or len(places_of(rich)) != len(mail.places):
        return rich
    counts = _counts(run.pk, [mail])
    numbers = {url: number for number, url in enumerate(mail.links, 1)}
    addresses = iter(mail.places)

    def marked(match: re.Match[str]) -> str:
        number = numbers.get(next(addresses))
        if number is None:
            return match[0]
        return f"{match[1]}{match[2]}{_mark(counts.get((0, number), NONE))}"

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


def _counts(run_id: str, mails: Sequence[Mail]) -> Mapping[LinkKey, Clicks]:
    """Return the clicks of each link of the mails, by one statement."""
    if not mails:
        return {}
    # Messages without clicks are left out first: their events need no look-up.
    events = TrackingEvent.objects.filter(
        send_job__run=run_id,
        send_job__click_count__gt=0,
        kind=TrackingEvent.Kind.CLICKED,
        machine="",
        applied_at__isnull=False,
    )
    # Groups are made in the database, where somebody who clicked a link in two places is one person.
    of_mail = Case(
        *(When(mail.messages, then=Value(place)) for place, mail in enumerate(mails)), output_field=IntegerField()
    )
    number = Case(*(When(mail.messages, then=mail.number_of_click) for mail in mails), output_field=IntegerField())
    groups = events.annotate(mail=of_mail, number=number).exclude(mail=None).order_by().values_list("mail", "number")
    counted = groups.annotate(people=Count("send_job__contact", distinct=True), clicks=Count("pk"))
    return {(mail, number): Clicks(people, clicks) for mail, number, people, clicks in counted}
