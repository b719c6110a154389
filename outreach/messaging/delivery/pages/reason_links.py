"""Links from the reasons of unsent messages to the pages where a member can do something about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web.pages import Page


@dataclass(frozen=True, kw_only=True)
class Case:
    """The message that a reason is about, or the run as a whole: ids, each empty if there is none."""

    run: str = ""
    contact: str = ""
    smtp: str = ""
    draft: str = ""
    recipient: str = ""
    status: str = ""
    """The message's; empty: the run as a whole."""


@dataclass(frozen=True)
class ReasonLink:
    """A link to a page. `ids` are the attributes of the case that the address consists of; all must be set."""

    label: str
    page: str
    ids: tuple[str, ...] = ()
    module: str = ""
    """The permission module of the page, if the pages of reasons have another one."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the address, in which {recipient} is replaced."""
    status: str | None = None
    """The message's status; empty: the run as a whole; None: any."""

    def fits(self, case: Case, page: Page) -> bool:
        """Return whether the link helps in the case, and the reader may follow it."""
        if self.status is not None and case.status != self.status:
            return False
        return all(getattr(case, name) for name in self.ids) and (not self.module or page.may(self.module))

    def address(self, case: Case, page: Page) -> str:
        """Return the address of the page."""
        query = {name: text.format(recipient=case.recipient) for name, text in self.query.items()}
        return page.address(self.page, *(getattr(case, name) for name in self.ids), **query)


@dataclass(frozen=True)
class Link:
    """A link of a page."""

    label: str
    address: str


ANY_RUN = ""
"""Status of a link that is about a run as a whole."""
DRAFT = ReasonLink(_("Review the draft"), "outreach-draft", ("run", "draft"))
DRAFTS = ReasonLink(_("Review the drafts"), "outreach-review", ("run",))
CONTACT = ReasonLink(_("Show the contact"), "contact", ("contact",), "contact")
ADDRESS = ReasonLink(_("Correct the address"), "contact", ("contact",), "contact", {"edit": ""})
AI_APP = ReasonLink(_("Check the AI app"), "ai")
SENDER = (
    ReasonLink(_("Check the sender"), "sender", ("smtp",), "apps"),
    ReasonLink(_("Check the sender"), "senders"),
)
LIMITS = (
    ReasonLink(_("Change the sender's limits"), "sender", ("smtp",), "apps"),
    ReasonLink(_("Change the sender's limits"), "senders"),
)
RETRY = (ReasonLink(_("Retry from the outreach"), "outreach-run", ("run",), status="failed"),)
NEW_OUTREACH = _("Start a new outreach")
LINKS: dict[str, tuple[ReasonLink, ...]] = {
    "address_suppressed": (ReasonLink(_("Show the suppression list"), "suppressions", query={"q": "{recipient}"}),),
    "subscription_lapsed": (ReasonLink(_("Renew the subscription"), "plan"),),
    "awaiting_approval": (DRAFT, DRAFTS),
    "approval_expired": (DRAFT, DRAFTS),
    "approval_outdated": (
        ReasonLink(_("Review the drafts"), "outreach-review", ("run",), status=ANY_RUN),
        CONTACT,
    ),
    "ai_limit_reached": (ReasonLink(_("Show usage and limits"), "ai-use"),),
    "ai_trouble": (AI_APP,),
    "ai_busy": (AI_APP,),
    "sender_missing": (ReasonLink(_("Connect a sender"), "senders"),),
    "sender_inactive": SENDER,
    "sender_unverified": SENDER,
    "sender_trouble": SENDER,
    "retry_backoff": SENDER,
    "rejected": SENDER,
    "limit_day": LIMITS,
    "limit_day_ramp": LIMITS,
    "limit_hour": LIMITS,
    "limit_minute": LIMITS,
    "outside_window": (ReasonLink(_("Change the sending hours"), "senders"),),
    "contact_deleted": (ReasonLink(_("Undo the deletion"), "jobs", query={"only": "every"}),),
    "run_cancelled": (ReasonLink(NEW_OUTREACH, "outreach-new"),),
    "declined": (ReasonLink(NEW_OUTREACH, "outreach-new", status=ANY_RUN),),
    "no_valid_address": (ADDRESS,),
    "bad_address": (ADDRESS,),
    "came_back": (ADDRESS,),
    "bounced": (ADDRESS,),
    "reply_received": (ReasonLink(_("Read the reply"), "contact", ("contact",), "contact"),),
    "lead_won": (CONTACT,),
    "lead_lost": (CONTACT,),
    "variable_missing": (CONTACT,),
    "unsubscribed": (CONTACT,),
    "compose_failed": RETRY,
    "attempts_exhausted": RETRY,
    "invalid_message": RETRY,
    "uncertain": RETRY,
    "worker_died": RETRY,
}
"""Reason -> its links, of which the first that fits is shown."""
OTHERWISE = (
    ReasonLink(_("Show the messages"), "messages", status=ANY_RUN),
    ReasonLink(_("Show the outreach"), "outreach-run", ("run",)),
    ReasonLink(_("All messages"), "messages"),
)
"""The fallback links, for reasons without a link of their own that fits."""


def record_id(record: Values | None) -> str:
    """Return the id of a record in an answer; empty for none."""
    return record["_id"] if record else ""


def link_of(reason: str, case: Case, page: Page) -> Link:
    """Return the link that helps with a reason."""
    links = (*LINKS.get(reason, ()), *OTHERWISE)
    link = next(link for link in links if link.fits(case, page))
    return Link(link.label, link.address(case, page))
