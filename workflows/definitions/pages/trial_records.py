"""The records that people choose from to try a workflow: those that its trigger is about."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from core.types import Values
from core.web.forms import Option
from core.web.pages import Page

OFFERED = 5
"""Records that are offered, the newest ones or the newest that a search finds."""
MAX_FIND = 200
MAX_LABEL = 100
SENT = {"status": "sent"}
LISTS: dict[str, tuple[str, Values]] = {
    "contact": ("contact", {}),
    "lead": ("lead", {}),
    "organization": ("organization", {}),
    "product-service": ("product-service", {}),
    "form.submitted": ("form/lead", {}),
    "mail.replied": ("inbox", {"kind": "reply"}),
    "mail.bounced": ("inbox", {"kind": "bounce"}),
    "mail.complained": ("inbox", {"kind": "complaint"}),
    "mail": ("genie/send-jobs", SENT),
    "follow-up": ("lead-activity/follow-up", {}),
    "task": ("task", {}),
    "calllog": ("calllog", {}),
    "note": ("lead-activity", {"kind": "note"}),
    "meeting.booked": ("booking", {}),
    "meeting.rescheduled": ("booking", {}),
    "meeting": ("meeting", {}),
    "conversation": ("conversation", {}),
    "campaign": ("campaign", {}),
    "genie": ("genie", {}),
}
"""Kind of events, or their resource -> the path of the list of the records that they are about, and its filters."""
TITLES = ("name", "title", "subject", "fromName", "notes", "number")
"""Values of a record that may be its title, the best one first."""
NOTES = ("email", "fromEmail", "contactNumber")


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Records to try a workflow with."""

    lists: tuple[str, ...]
    """The lists that have them; none: the workflow starts without a record."""
    options: list[Option] = field(default_factory=list)

    @property
    def panel(self) -> str:
        """The panel of the records; empty: they are of others, or of both."""
        return self.lists[0] if len(self.lists) == 1 and self.lists[0] in ("contact", "lead") else ""


def offer_of(page: Page, workflow: Values, find: str) -> Offer:
    """Return the newest records that the workflow's trigger is about, or the newest ones that a search finds."""
    kind = str(workflow["triggerEventType"])
    lists = _lists(page, kind, workflow)
    options: list[Option] = []
    for path, filters in lists:
        query = {"p": "1", "n": str(OFFERED), "sortBy": "createdAt", "sortOrder": "desc"}
        searched = {"searchValue": find} if find else {}
        answer = page.ask("GET", path, {**query, **searched, **({"filters": filters} if filters else {})})
        options += [_option(path, row) for row in (answer.data if answer.ok else ())]
    return Offer(lists=tuple(path for path, _filters in lists), options=options)


def _lists(page: Page, kind: str, workflow: Values) -> list[tuple[str, Values]]:
    if kind == "manual":
        return [LISTS["contact"], LISTS["lead"]]
    if kind == "schedule":
        panel = _audience(workflow["schedule"] or {})
        return [LISTS[panel]] if panel else []
    if kind.startswith("segment."):
        id = workflow["config"].get("segment")
        answer = page.ask("GET", f"segment/{id}") if id else None
        return [LISTS[answer.data["panel"]]] if answer is not None and answer.ok else []
    sources = LISTS.get(kind) or LISTS.get(kind.partition(".")[0])
    return [sources] if sources else []


def _audience(schedule: Values) -> str:
    """Return the panel of the records that a schedule starts runs for; empty: it starts one without a record."""
    source = schedule.get("field") if schedule.get("type") == "field" else schedule.get("audience")
    return str(source.get("panel", "contact")) if isinstance(source, dict) else ""


def _option(path: str, row: Values) -> Option:
    id = row["meeting"]["_id"] if path == "booking" else row["_id"]
    contact = row.get("contact") or (row.get("lead") or {}).get("contact") or {}
    answers = row.get("answers") if path == "form/lead" else None
    texts = [str(value) for value in answers.values() if value] if isinstance(answers, dict) else []
    own = next((str(row[name]) for name in TITLES if row.get(name)), "")
    note = next((str(row[name]) for name in NOTES if row.get(name)), "")
    person = str(contact.get("name") or contact.get("email") or "")
    # The same text twice says nothing.
    parts = list(dict.fromkeys(filter(None, (own, person, *texts[:3], note))))
    label = " · ".join(parts) or _("No name")
    return Option(id, label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1]}…")
