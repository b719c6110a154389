"""The numbers of a run or campaign as cards, each with its rate and its messages; and why some are not measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypedDict

from django.utils.translation import gettext, ngettext

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.pages import Page

NOT_SENT = ("failed", "unknown", "cancelled", "suppressed")
FIRST = "step:equals:1"
"""Filter of the messages by which people are counted once."""
LABELS = {
    "sent": gettext_lazy("Sent"),
    "delivered": gettext_lazy("Delivered"),
    "opened": gettext_lazy("Opened"),
    "clicked": gettext_lazy("Clicked"),
    "replied": gettext_lazy("Replied"),
    "bounced": gettext_lazy("Bounced"),
    "unsubscribed": gettext_lazy("Unsubscribed"),
    "converted": gettext_lazy("Converted"),
    "notSent": gettext_lazy("Not sent"),
}
"""Outcome -> its label, in order."""
FILTERS = {
    "sent": ("status:in:sent",),
    "delivered": ("status:in:sent", "delivered:equals:true"),
    "opened": ("status:in:sent", "opened:equals:true"),
    "clicked": ("status:in:sent", "clicked:equals:true"),
    "replied": ("repliedSince:equals:true",),
    "bounced": ("bounced:equals:true",),
    "unsubscribed": (FIRST, "unsubscribedSince:equals:true"),
    "converted": (FIRST, "converted:equals:true"),
    "notSent": (f"status:in:{','.join(NOT_SENT)}", "bounced:equals:false"),
}
"""Outcome -> the filters of its messages."""


SWITCHES = {"opened": "trackOpens", "clicked": "trackClicks"}
"""Outcome -> the switch of its tracking."""
UNCOUNTED = {
    "opened": {
        "programVisits": gettext_lazy("Mail program opens, not counted: %(number)s"),
        "ownVisits": gettext_lazy("Opens of your own team, not counted: %(number)s"),
    },
    "clicked": {
        "programVisits": gettext_lazy("Bot clicks, not counted: %(number)s"),
        "ownVisits": gettext_lazy("Clicks of your own team, not counted: %(number)s"),
    },
}
"""Outcome -> member of the record with visits that are not a recipient's -> the line about them."""
HINTS = {"converted": gettext_lazy("People with a new lead within 30 days of the first message")}
"""Outcome -> the hint at its card."""
CHARTED = ("sent", "opened", "clicked", "replied")
"""Outcomes that charts show, in order."""
OVER_TIME = (*CHARTED, "unsubscribed", "converted")
"""Outcomes that the tables of charts show, in order."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A card: label, number, the list of its messages, a line below the number, lines about visits not counted, and a
    hint."""

    label: str
    number: int | None
    link: str
    text: str
    uncounted: Sequence[str] = ()
    hint: str = ""


class Measured(TypedDict):
    """The parts of a run or campaign that say what is measured."""

    measured: dict[str, int]
    tracking: dict[str, bool]
    programVisits: dict[str, int]
    ownVisits: dict[str, int]
    trackOpens: bool
    trackClicks: bool


@dataclass(frozen=True, slots=True)
class Base:
    """The numbers of sent messages, and of those of which an outcome is measured."""

    sent: int
    measured: int


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """The reason why opens or clicks are not measured, and the switches that change it, for those who may."""

    text: str
    switches: tuple[str, ...]
    advice: str


def outcomes_of(
    page: Page, run: str | None, record: Measured, numbers: Mapping[str, int | None], *, chat: bool = False
) -> list[Outcome]:
    """Return the cards of the messages of a run or campaign."""
    sent = numbers["sent"] or 0
    cards = []
    for name, label in LABELS.items():
        number = numbers[name]
        if chat and name == "opened":
            label = gettext("Read")
        elif chat and name == "clicked" and number is None:
            continue  # nobody can click in a chat
        link = page.address("messages", f=[f"run:in:{run}", *FILTERS[name]]) if run and number else ""
        measured = record["measured"].get(name, sent)
        text = below(name, number, Base(sent, measured))
        lines = [] if number is None else uncounted(record, name)
        cards.append(Outcome(str(label), number, link, text, lines, str(HINTS.get(name, ""))))
    return cards


@dataclass(frozen=True, slots=True)
class Chart:
    """The numbers of days or hours: those that `bars` draws, and those of the table below it."""

    names: list[str]
    rows: list[tuple[date, list[int]]]
    table_names: list[str]
    table_rows: list[tuple[date, list[int]]]


def chart_of(moments: Sequence[Values], *, chat: bool = False) -> Chart | None:
    """Return the measured numbers of each day, or of each hour; None before anything was sent."""
    if not moments:
        return None
    labels = {name: str(label) for name, label in LABELS.items()}
    if chat:
        labels["opened"] = gettext("Read")
    measured = [name for name in OVER_TIME if moments[0][name] is not None]
    charted = [name for name in measured if name in CHARTED]
    starts = [_start(moment) for moment in moments]

    def rows(names: Sequence[str]) -> list[tuple[date, list[int]]]:
        return [(start, [moment[name] for name in names]) for start, moment in zip(starts, moments, strict=True)]

    return Chart([labels[name] for name in charted], rows(charted), [labels[name] for name in measured], rows(measured))


def _start(moment: Values) -> date:
    """Return the day of a row of days, or the begin of a row of hours."""
    return date.fromisoformat(moment["date"]) if "date" in moment else datetime.fromisoformat(moment["at"])


def below(name: str, number: int | None, base: Base) -> str:
    """Return the line below a number: its share of the measured messages, or why there is none."""
    if number is None and name == "delivered":
        return gettext("Not reported by SMTP servers")
    if number is None:
        return gettext("Not measured")
    if name in ("sent", "notSent") or not base.measured:
        return ""
    percent = f"{100 * number / base.measured:.1f}"
    rate = gettext("%(percent)s%%") % {"percent": percent}
    if base.measured < base.sent:
        rate = ngettext(
            "%(percent)s%% of %(counter)s measured message",
            "%(percent)s%% of %(counter)s measured messages",
            base.measured,
        ) % {"percent": percent, "counter": f"{base.measured:,}"}
    return rate


def uncounted(record: Measured, name: str) -> list[str]:
    """Return the lines about visits that are not counted, since programs or the company's own members made them."""
    texts = UNCOUNTED.get(name, {})
    numbers = {"programVisits": record["programVisits"].get(name), "ownVisits": record["ownVisits"].get(name)}
    return [text % {"number": f"{numbers[by]:,}"} for by, text in texts.items() if numbers[by]]


def unmeasured(page: Page, record: Measured, numbers: Mapping[str, int | None]) -> Unmeasured | None:
    """Return why opens or clicks of the mails of a run or campaign are not measured, or None."""
    missing = [name for name in ("opened", "clicked") if numbers[name] is None]
    if not missing:
        return None
    texts = {
        ("opened", "clicked"): gettext("Opens and clicks are not measured."),
        ("opened",): gettext("Opens are not measured."),
        ("clicked",): gettext("Clicks are not measured."),
    }
    text = texts[tuple(missing)]
    if all(record["tracking"][name] for name in missing):
        return Unmeasured(text, (), gettext("These messages were sent without tracking. Later messages are tracked."))
    own = {"trackOpens": record["trackOpens"], "trackClicks": record["trackClicks"]}
    wanted = tuple(SWITCHES[name] for name in missing if own[SWITCHES[name]] and not record["tracking"][name])
    if not wanted:
        return Unmeasured(text, (), gettext("Tracking was turned off for these messages."))
    if page.may("genie", "PUT"):
        return Unmeasured(text, wanted, "")
    return Unmeasured(text, (), gettext("Ask an admin to turn on tracking."))
