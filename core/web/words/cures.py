"""Cures: the buttons next to a refusal, by its code or name. Toasts, summaries of forms and alerts show the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import NoReverseMatch

from core.text.translation import gettext_lazy as _

if TYPE_CHECKING:
    from core.web.ask import Answer
    from core.web.pages import Page


@dataclass(frozen=True, slots=True)
class Cure:
    """A button that opens a page, or with `posts` sends an empty form to it."""

    label: str
    page: str
    module: str
    method: str = "POST"
    posts: bool = False
    has_record: bool = False
    """The page is that of the record that the refusal is about."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """The cures of a refusal, and the text for people in place of the API's, where that is for programs."""

    cures: tuple[Cure, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """A cure as a reader may use it."""

    label: str
    address: str
    posts: bool


BUILT_IN = Cure(_("Use the built-in writer"), "ai-built-in", "apps", posts=True)
AI_APP = Cure(_("Connect an AI app"), "ai", "apps")
CHOOSE_WRITER = Cure(_("Choose a writer"), "ai", "apps", "PUT")
SENDER = Cure(_("Connect a sender"), "sender-new", "apps")
TEST_SENDERS = Cure(_("Check your senders"), "senders", "apps", "PUT")
IMPORT = Cure(_("Import contacts"), "import-new", "contact")
NEW_CONTACT = Cure(_("New contact"), "contact-new", "contact")
PLANS = Cure(_("See plans"), "plan", "plan", "GET")
OPEN_CONTACT = Cure(_("Open the contact"), "contact", "contact", "GET", has_record=True)
OPEN_LEAD = Cure(_("Open the lead"), "lead", "lead", "GET", has_record=True)
VIDEO_CALLS = Cure(_("Set up video calls"), "video-calls", "settings", "PUT")
OWN_CALENDAR = Cure(_("Connect Google Calendar"), "booking-hours", "my-calendar", "PUT")
SUPPRESSIONS = Cure(_("Show the suppression list"), "suppressions", "genie", "GET")
LOST_REASONS = Cure(_("Reasons for loss"), "lost-reasons", "settings", "GET")
OPEN_TRACKING = Cure(_("Turn on open tracking"), "tracking", "genie", "PUT")
SEATS = Cure(_("Buy seats"), "plan", "plan", "GET")

REMEDIES: Mapping[str, Remedy] = {
    "noWriter": Remedy((BUILT_IN, AI_APP), _("No AI writer is connected yet.")),
    "defaultAppOff": Remedy((CHOOSE_WRITER, BUILT_IN), _("The default AI writer is switched off.")),
    "noModelInPlan": Remedy((BUILT_IN, PLANS), _("Your plan includes no AI model.")),
    "noSender": Remedy((SENDER, TEST_SENDERS), _("No email sender works yet.")),
    "noRecipients": Remedy((IMPORT, NEW_CONTACT), _("No contact matches. Choose other people, or add contacts.")),
    "PlanLimitExceeded_403": Remedy((PLANS,)),
    "PlanSubscriptionLimitExceeded_403": Remedy((PLANS,)),
    "QueueLimitExceeded_400": Remedy((PLANS,)),
    "PlanDoesNotIncludeThisFeature_400": Remedy((PLANS,), _("Your plan does not include this feature.")),
    "PlanMaxUsers_400": Remedy((SEATS,)),
    "SubscriptionExpired_400": Remedy((PLANS,), _("Your subscription has ended.")),
    "opensOff": Remedy((OPEN_TRACKING,), _("Open tracking is off.")),
    "noVideoProvider": Remedy((VIDEO_CALLS, OWN_CALENDAR)),
    "address_suppressed": Remedy((SUPPRESSIONS,), _("The address is on the suppression list.")),
    "unsubscribed": Remedy((), _("The contact has unsubscribed.")),
    "contactExists": Remedy((OPEN_CONTACT,)),
    "LostReasonRequired_400": Remedy((LOST_REASONS,), _("Choose a reason for loss.")),
    "leadRepeats": Remedy((OPEN_LEAD,), _("This contact already has an open lead.")),
    "CannotDeleteDefaultTeam_400": Remedy((), _("You can't delete the fallback team. Choose other teams.")),
}
"""Code or name of a refusal -> its remedy. A code comes first."""


def remedy_key(answer: Answer) -> str:
    """Return the key of the remedy of a refusal, or an empty text without one.

    The id of the record that the refusal is about follows after a space.
    """
    key = next((key for key in (answer.code, answer.name) if key in REMEDIES), "")
    record = answer.params.get("record") if key else None
    return f"{key} {record}" if record else key


def remedy_text(answer: Answer) -> str:
    """Return the text for people in place of the API's, or an empty text where the API's will do."""
    key, _, _ = remedy_key(answer).partition(" ")
    return str(REMEDIES[key].text) if key else ""


def buttons(page: Page, key: str) -> list[Button]:
    """Return the cures that the reader of the page may use."""
    name, _, record = key.partition(" ")
    remedy = REMEDIES.get(name)
    return [] if remedy is None else [button for cure in remedy.cures if (button := _button(page, cure, record))]


def _button(page: Page, cure: Cure, record: str) -> Button | None:
    # By role alone: a plan that has ended, or lacks a module, is what some of the cures are about.
    may = page.reader.member is not None and page.reader.member.may(cure.module, cure.method)
    places = [record] if cure.has_record else []
    try:
        return Button(cure.label, page.address(cure.page, *places), cure.posts) if may else None
    except NoReverseMatch:
        return None
