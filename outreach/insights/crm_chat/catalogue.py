"""Data for answers: a fixed set of the API's lists, each read with the asker's permissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.urls import resolve

from core.access import Actor, may_read
from core.errors import NamedError
from core.lists import FieldSet
from core.text.translation import gettext_lazy as _

MOUNT = "api/protected"


@dataclass(frozen=True)
class Table:
    """A list of the API. `shown` are the values from which an answer is built, `label` the one that names a record."""

    path: str
    one: str
    many: str
    about: str
    shown: Sequence[str]
    label: str
    page: str = ""
    """The page of the list, below the company's address."""
    records: str = ""
    """Path of the pages of its records; by default below that of the list."""
    groups: Sequence[str] = ()
    """Fields that `<path>/summary` groups by."""
    panel: str = ""
    """The panel of its custom fields."""
    values: Mapping[str, str] | None = None
    """Field -> the values that it may have, for the model."""

    @cached_property
    def _handler(self) -> tuple[Sequence[str], FieldSet]:
        match: Any = resolve(f"/{MOUNT}/{self.path}")
        view = match.func.cls
        declared = view.list.endpoint
        return view.modules_of(declared), declared.listing.fields

    @property
    def modules(self) -> Sequence[str]:
        """The permission modules that open the list."""
        return self._handler[0]

    @property
    def fields(self) -> FieldSet:
        """The fields that it is filtered, searched and sorted by."""
        return self._handler[1]

    def opens(self, actor: Actor) -> bool:
        """Return whether the asker may read it. The list's own handler decides again when it is asked."""
        try:
            return any(may_read(actor, module) for module in self.modules)
        except NamedError:
            return False


_WHO = ("contact.name", "contact.email")

TABLES = {
    one.path: one
    for one in (
        Table(
            "contact",
            _("contact"),
            _("contacts"),
            "people whom the company knows",
            ("name", "email", "contactNumber", "category", "tags", "formData", "unsubscribed", "createdAt"),
            "name",
            "contacts",
            groups=("category",),
            panel="contact",
        ),
        Table(
            "lead",
            _("lead"),
            _("leads"),
            "enquiries and deals with contacts: status, value, who handles them",
            ("contact", "status", "source", "value", "teamMember", "team", "tags", "formData", "createdAt"),
            "contact",
            "leads",
            groups=("status", "source", "team", "teamMember"),
            panel="lead",
        ),
        Table(
            "lead-activity/follow-up",
            _("follow-up"),
            _("follow-ups"),
            "what members are to do about leads",
            ("title", "notes", "lead", "dueAt", "status", "overdue", "assignee"),
            "title",
            "follow-ups",
            values={"status": "open, done, cancelled"},
        ),
        Table(
            "lead-activity",
            _("activity"),
            _("activities"),
            "what happened with leads and contacts: mails, notes, calls, changes of status",
            ("kind", "notes", "contact", "member", "happenedAt"),
            "kind",
        ),
        Table(
            "meeting",
            _("meeting"),
            _("meetings"),
            "meetings with contacts, past and to come",
            ("title", "startsAt", "endsAt", "place", "status", "organizer", "attendees", "contact"),
            "title",
            "calendar",
            "meetings",
        ),
        Table(
            "calllog",
            _("call"),
            _("calls"),
            "phone calls with contacts",
            ("contact", "member", "direction", "outcome", "startedAt", "duration", "notes"),
            "contact",
            "calls",
        ),
        Table(
            "product-service",
            _("product"),
            _("products"),
            "products and services that the company sells",
            ("name", "type", "category", "price", "currency", "isActive"),
            "name",
            "products",
            panel="product-service",
        ),
        Table(
            "genie/send-jobs",
            _("message"),
            _("messages"),
            "mails of outreach to contacts: whether they went out, were opened, or why not",
            ("contact", "subject", "status", "reason", "deliveryStatus", "sentAt", "openCount", "clickCount"),
            "subject",
            "messages",
            values={"status": "planned, draft, approved, sending, sent, failed, unknown, cancelled, suppressed"},
        ),
        Table(
            "campaign",
            _("campaign"),
            _("campaigns"),
            "campaigns by mail",
            ("name", "status", "type", "subject", "startedAt", "finishedAt", "createdAt"),
            "name",
            "campaigns",
        ),
        Table("tag", _("tag"), _("tags"), "tags of contacts and leads", ("name", "description"), "name", "tags"),
        Table(
            "contact-category",
            _("category"),
            _("categories"),
            "categories of contacts",
            ("name", "description"),
            "name",
            "categories",
        ),
        Table("team", _("team"), _("teams"), "teams of members", ("name", "description", "members"), "name", "teams"),
        Table(
            "member",
            _("member"),
            _("members"),
            "people of the company who work with this service",
            ("name", "email", "status", "role"),
            "name",
            "settings/members",
        ),
    )
}
"""Path of a list -> its description. No other list can be read, and nothing can be changed."""


def tables_of(actor: Actor) -> list[Table]:
    """Return the lists that the asker may read."""
    return [table for table in TABLES.values() if table.opens(actor)]
