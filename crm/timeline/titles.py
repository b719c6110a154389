"""The titles of the entries of a timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from core.errors import shorten
from core.text.translation import gettext_lazy
from core.types import Values
from crm.activities.models import LeadActivity
from crm.timeline.changes import NAMES

Kind = LeadActivity.Kind
Data = Values
OF_CONTACT = {
    Kind.CREATED: gettext_lazy("Contact created"),
    Kind.DELETED: gettext_lazy("Contact deleted"),
    Kind.RESTORED: gettext_lazy("Contact restored"),
    Kind.ASSIGNED: gettext_lazy("Contact assigned"),
    Kind.CHANGED: gettext_lazy("Contact changed"),
    Kind.MERGED: gettext_lazy("Contact merged with another"),
}
OF_ORGANIZATION = {
    Kind.CREATED: gettext_lazy("Organization created"),
    Kind.DELETED: gettext_lazy("Organization deleted"),
    Kind.RESTORED: gettext_lazy("Organization restored"),
    Kind.CHANGED: gettext_lazy("Organization changed"),
    Kind.MERGED: gettext_lazy("Organization merged with another"),
}
OF_LEAD = {
    Kind.CREATED: gettext_lazy("Lead created"),
    Kind.DELETED: gettext_lazy("Lead deleted"),
    Kind.RESTORED: gettext_lazy("Lead restored"),
    Kind.ASSIGNED: gettext_lazy("Lead assigned"),
    Kind.CHANGED: gettext_lazy("Lead changed"),
    Kind.MERGED: gettext_lazy("Lead merged with another"),
}
OF_RECORD = {"contact": OF_CONTACT, "lead": OF_LEAD, "organization": OF_ORGANIZATION}
"""Panel -> kind of activity -> its title."""
MEETINGS = {
    "created": gettext_lazy("Meeting scheduled"),
    "updated": gettext_lazy("Meeting changed"),
    "cancelled": gettext_lazy("Meeting cancelled"),
    "invited": gettext_lazy("Invited to a meeting"),
    "removed": gettext_lazy("Removed from a meeting"),
}
MAILS = {
    "sent": gettext_lazy("Email sent"),
    "opened": gettext_lazy("Email opened"),
    "clicked": gettext_lazy("Link clicked"),
    "replied": gettext_lazy("Reply received"),
    "bounced": gettext_lazy("Email bounced"),
    "complained": gettext_lazy("Email reported as spam"),
}
TASKS = {
    "created": gettext_lazy("Task created"),
    "updated": gettext_lazy("Task changed"),
    "completed": gettext_lazy("Task completed"),
    "deleted": gettext_lazy("Task deleted"),
    "restored": gettext_lazy("Task restored"),
}
QUOTES = {
    "created": gettext_lazy("Quote created"),
    "sent": gettext_lazy("Quote sent"),
    "viewed": gettext_lazy("Quote opened by the customer"),
    "accepted": gettext_lazy("Quote accepted"),
    "declined": gettext_lazy("Quote declined"),
    "expired": gettext_lazy("Quote expired"),
    "deleted": gettext_lazy("Quote deleted"),
    "restored": gettext_lazy("Quote restored"),
}
OUTCOMES = {
    "connected": gettext_lazy("connected"),
    "no_answer": gettext_lazy("no answer"),
    "busy": gettext_lazy("busy"),
    "voicemail": gettext_lazy("voicemail"),
    "wrong_number": gettext_lazy("wrong number"),
    "failed": gettext_lazy("failed"),
}
MAX_NAMED = 5


def title_of(kind: str, data: Data, names: Mapping[str, str], *, panel: str) -> str:
    """Return the title of an entry about a record of the panel; `names` has uniqueFieldID -> name."""
    if kind in (Kind.CHANGED, Kind.IMPORTED):
        return TITLES_OF_CHANGES[kind](data, names, panel)
    if kind == Kind.MERGED and data.get("event") == "unmerged":
        return _("Merge undone")
    if kind in TITLES:
        return TITLES[kind](data)
    return str(OF_RECORD[panel][Kind(kind)])


def _change_title(data: Data, names: Mapping[str, str], panel: str) -> str:
    if "unsubscribed" in data:
        unsubscribed = (data["unsubscribed"] or {}).get("to", True)
        return _("Unsubscribed") if unsubscribed else _("Subscribed again")
    if not data:
        return str(OF_RECORD[panel][Kind.CHANGED])
    fields = {"fields": _labels(data, names)}
    return _("Lead: %(fields)s changed") % fields if panel == "lead" else _("%(fields)s changed") % fields


def _import_title(data: Data, names: Mapping[str, str], panel: str) -> str:
    file = data.get("fileName")
    if not data.get("changes"):
        return _("Imported from %(file)s") % {"file": file} if file else _("Imported")
    values = {"fields": _labels(data["changes"], names), "file": file}
    if panel == "lead":
        return (_("Lead: %(fields)s imported from %(file)s") if file else _("Lead: %(fields)s imported")) % values
    return (_("%(fields)s imported from %(file)s") if file else _("%(fields)s imported")) % values


def _labels(changes: Data, names: Mapping[str, str]) -> str:
    """Name the changed fields: "Email and City"."""
    # The number as a whole changes with its parts.
    keys = [key for key in changes if key != "contactNumber" or "number" not in changes]
    labels = sorted((names.get(key) or NAMES.get(key) or key[:1].upper() + key[1:] for key in keys), key=str.casefold)
    if len(labels) > MAX_NAMED:
        more = len(labels) - MAX_NAMED + 1
        labels = [*labels[: MAX_NAMED - 1], _("%(count)s more") % {"count": more}]
    return get_text_list(labels, _("and"))


def _status(data: Data) -> str:
    change = data.get("stage") or data.get("status") or {}
    return _("Lead moved from %(before)s to %(after)s") % {"before": change.get("from"), "after": change.get("to")}


def _mail(data: Data) -> str:
    return _with_detail(MAILS.get(data.get("event", ""), MAILS["sent"]), data.get("subject"))


def _call(data: Data) -> str:
    received = data.get("direction") == "inbound"
    details = [OUTCOMES.get(str(data.get("outcome")), ""), _length(int(data.get("duration") or 0))]
    return _with_detail(_("Call received") if received else _("Call made"), ", ".join(map(str, filter(None, details))))


def _length(duration: int) -> str:
    """Write a call's length, given in seconds, in minutes or seconds."""
    minutes, seconds = divmod(duration, 60)
    if minutes:
        return _("%(minutes)s min") % {"minutes": minutes}
    return _("%(seconds)s s") % {"seconds": seconds} if seconds else ""


def _meeting(data: Data) -> str:
    return _with_detail(MEETINGS.get(data.get("event", ""), _("Meeting")), data.get("title"))


def _task(data: Data) -> str:
    return _with_detail(TASKS.get(data.get("event", ""), _("Task")), data.get("title"))


def _quote(data: Data) -> str:
    return _with_detail(QUOTES.get(data.get("event", ""), _("Quote")), data.get("number"))


def _with_detail(text: str, detail: Any) -> str:
    return f"{text}: {shorten(detail)}" if detail else str(text)


TITLES: dict[str, Callable[[Data], str]] = {
    Kind.STATUS: _status,
    Kind.NOTE: lambda data: _("Note"),
    Kind.COMMENT: lambda data: _("Comment"),
    Kind.MAIL: _mail,
    Kind.CALL: _call,
    Kind.MEETING: _meeting,
    Kind.FOLLOW_UP: _task,
    Kind.QUOTE: _quote,
}
"""Kind of activity -> its title, from its data; the titles of the others stand in OF_RECORD."""
TITLES_OF_CHANGES: dict[str, Callable[[Data, Mapping[str, str], str], str]] = {
    Kind.CHANGED: _change_title,
    Kind.IMPORTED: _import_title,
}
"""Kind of activity -> its title, from its data, the names of fields, and the panel of its record."""
