"""Shared parts of the pages of outreach."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field
from core.web.navigation.places import OUTREACH, MenuItem
from core.web.pages import Page
from core.web.toasts import TIMED
from outreach.messaging.delivery.pages.reason_texts import ReasonedPage

PHASES = {
    "planning": (gettext_lazy("Writing"), "info"),
    "awaiting_approval": (gettext_lazy("Needs approval"), "warn"),
    "sending": (gettext_lazy("Sending"), "info"),
    "waiting": (gettext_lazy("Follow-ups scheduled"), "info"),
    "completed": (gettext_lazy("Completed"), "ok"),
    "cancelled": (gettext_lazy("Cancelled"), ""),
    "failed": (gettext_lazy("Failed"), "bad"),
}
"""Phase -> its label, and the tone of its badge."""


TRACKED = {"trackOpens": gettext_lazy("Track opens"), "trackClicks": gettext_lazy("Track clicks")}
"""Switch of a run or campaign -> its label."""


def tracking_switches(tracks: Values) -> list[Field]:
    """Return the switches of the company's tracking: trackOpens and trackClicks, as far as it is on."""
    return [Field(name, label, "switch", initial=True) for name, label in TRACKED.items() if tracks.get(name)]


APPROVED = ngettext_lazy("Approved %(count)s message", "Approved %(count)s messages")
CANCELED = ngettext_lazy(
    "Cancelled: %(count)s message will not be sent", "Cancelled: %(count)s messages will not be sent"
)
SKIPPED = ngettext_lazy(
    "%(count)s message can't be sent: %(sentence)s", "%(count)s messages can't be sent: %(sentence)s"
)
DRAFTS_AGAIN = ngettext_lazy("Undone. Drafts again: %(count)s message.", "Undone. Drafts again: %(count)s messages.")


def skipped_texts(answer: Values) -> list[str]:
    """Return the messages about drafts that end instead of being approved, with reasons."""
    return [SKIPPED.of(reason["count"], sentence=reason["sentence"]) for reason in answer.get("skipped") or ()]


def undo_fields(since: str) -> dict[str, str]:
    """Return the fields of the form that takes back an approval of many messages, given since then."""
    return {**TIMED, "do": "undo_approval", "since": since}


def undo_approval(page: Page, run: str) -> HttpResponse:
    """Make drafts again of the run's messages that were approved together, as far as they have not gone."""
    since = page.request.POST.get("since", "")
    answer = page.ask("POST", f"genie/{run}/draft-all", None, {"approvedSince": since})
    if not answer.ok:
        return page.refuse(answer)
    if answer.job:
        return page.redirect_with_toast(_("Undone. The messages become drafts again."), watch=answer.job)
    number = answer.data["changedCount"]
    if not number:
        return page.fail(_("Too late to undo: the messages are already sent"))
    return page.redirect_with_toast(DRAFTS_AGAIN.of(number))


def shown_run(run: Values) -> JsonObject:
    """Return the run with the label and the tone of its phase."""
    label, tone = PHASES.get(run["phase"], (run["phase"], ""))
    return {**run, "words": label, "mood": tone}


class OutreachPage(ReasonedPage):
    """Shared parts of the pages of outreach."""

    module = "genie"
    menu = MenuItem(
        gettext_lazy("AI outreach"),
        OUTREACH,
        10,
        "send",
        keywords=gettext_lazy("runs sequences cold email prospecting"),
    )

    def tracking(self) -> list[Field]:
        """Return the switches of the company's tracking of mails."""
        answer = self.ask("GET", "genie/settings") if self.may("genie") else None
        return tracking_switches(answer.data) if answer is not None and answer.ok else []
