"""A lead, and a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from core.ids import is_id
from core.web.ask import Answer
from core.web.forms import Field, Form
from crm.leads.pages.base import LeadPage, said

TIMELINE_SIZE = 30
ICONS = {
    "note": "sticky-note",
    "call": "phone",
    "meeting": "calendar",
    "mail": "mail",
    "follow_up": "bell",
    "imported": "upload",
    "merged": "merge",
    "created": "target",
    "assigned": "user-check",
    "status": "arrow-right",
}
"""Kind of an activity -> its icon."""
TITLES = {
    "created": "Lead created",
    "deleted": "Lead deleted",
    "restored": "Lead restored",
    "assigned": "Assignment changed",
    "note": "Note",
    "mail": "Message sent",
    "merged": "Merged with another lead",
    "imported": "Imported",
}
TABS = {
    "activity": ("Activity", "lead-activity"),
    "follow-ups": ("Follow-ups", "lead-activity"),
    "meetings": ("Meetings", "meeting"),
    "calls": ("Calls", "lead-activity"),
}
"""Tab of a lead -> its name, and the permission module that opens it."""
BESIDE = ("contact", "productServices", "teamMember", "team", "tags")
CONTACT = (
    Field("name", "Name", required=True),
    Field("email", "E-mail", "email"),
    Field("countryCode", "Country code", "tel", placeholder="+44"),
    Field("number", "Phone number", "tel", placeholder="7400 123456"),
)


def body_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the API's body for values of a form."""
    beside = {name: values[name] for name in BESIDE if name in values}
    for name in ("teamMember", "team"):
        if name in beside:
            beside[name] = beside[name] or None
    return {"formData": {name: value for name, value in values.items() if name not in beside}, **beside}


def follow_up_form() -> Form:
    return Form([Field("title", "What", required=True), Field("dueAt", "When", "datetime-local", required=True)])


class NewLead(LeadPage):
    path = "leads/new"
    name = "lead-new"
    title = "New lead"
    template = "web/leads/new.html"

    @cached_property
    def contact(self) -> Mapping[str, Any] | None:
        """The contact that the address names, whose lead it will be."""
        id = self.request.GET.get("contact", "")
        return self.read(f"contact/{id}").data if is_id(id) and self.may("contact") else None

    def form(self) -> Form:
        fields = [*([] if self.contact else [replace(one) for one in CONTACT])]
        fields += self.value_fields()
        if products := self.records("product-service"):
            fields.append(Field("productServices", "Products and services", "checks", options=products))
        if self.members:
            help = "Without one, the company's rule decides."
            fields.append(Field("teamMember", "Assigned to", "select", help=help, options=self.members))
        return Form(fields)

    def show(self) -> Mapping[str, Any]:
        may = self.may("lead", "POST")
        return {"form": self.form() if may else None, "contact": self.contact if may else None}

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None, [])}
        if self.contact:
            values["contact"] = self.contact["_id"]
        answer = self.ask("POST", "lead", None, body_of(values))
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({"form": form, "contact": self.contact}, status=422)
        return self.done(
            said("Lead created", answer.warning), self.address("lead", answer.data["_id"]), undo=answer.job
        )


class LeadDetail(LeadPage):
    path = "leads/<str:id>"
    name = "lead"
    template = "web/leads/detail.html"

    @cached_property
    def lead(self) -> dict[str, Any]:
        return self.shown(self.read(f"lead/{self.params['id']}").data)

    @property
    def tabs(self) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, module) in TABS.items() if self.may(module)]

    @property
    def tab(self) -> str:
        """The chosen tab, or the first one that the reader may see."""
        names = [name for name, _ in self.tabs]
        chosen = self.request.GET.get("tab", "")
        return chosen if chosen in names else next(iter(names), "")

    def show(self) -> Mapping[str, Any]:
        edit = self.request.GET.get("edit", "")
        context = {
            "lead": self.lead,
            "title": self.lead["contact"]["name"] or "Lead",
            "statuses": self.statuses,
            "facts": self.facts(),
            "tabs": self.tabs,
            "tab": self.tab,
        }
        if edit and self.may("lead", "PUT"):
            form = self.links_form() if edit == "assignment" else self.values_form()
            return {**context, "form": form, "editing": edit, "tab": ""}
        return {**context, **self.happenings()}

    def facts(self) -> list[tuple[str, Any]]:
        """Return (name, value) of the lead's values beside status, value and notes."""
        found = []
        for one in self.definitions:
            name = one["uniqueFieldID"]
            if one["hide"] or (one["isSystem"] and name in ("status", "value", "notes")):
                continue
            labels = {option["value"]: option["label"] for option in one["options"]}
            value = self.lead["formData"].get(name)
            found.append((one["name"], labels.get(value, value) if isinstance(value, str) else value))
        return found

    def happenings(self) -> dict[str, Any]:
        """Return what the chosen tab shows."""
        of_lead = {"filters": {"lead": self.params["id"]}, "n": "100", "p": "1"}
        if self.tab == "activity":
            query = {"filters": of_lead["filters"], "sortBy": "happenedAt", "sortOrder": "desc"}
            paged = {"n": str(TIMELINE_SIZE), "cursorPagination": "true", "cursor": self.request.GET.get("cursor")}
            found = self.ask("GET", "lead-activity", {**query, **paged})
            return {"entries": [self.told(one) for one in found.data or ()], "next": found.next_cursor}
        if self.tab == "follow-ups":
            found = self.ask("GET", "lead-activity/follow-up", {**of_lead, "sortBy": "dueAt", "sortOrder": "asc"})
            form = Form(
                [Field("title", "What", required=True), Field("dueAt", "When", "datetime-local", required=True)]
            )
            return {"follow_ups": found.data or [], "tab_form": form}
        path, by = ("meeting", "startsAt") if self.tab == "meetings" else ("calllog", "startedAt")
        if not self.tab:
            return {}
        found = self.ask("GET", path, {**of_lead, "sortBy": by, "sortOrder": "desc"})
        return {self.tab: found.data or []}

    def told(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the activity with a title in words and an icon."""
        kind, details = entry["kind"], entry["details"]
        title = TITLES.get(kind, "Lead changed")
        if kind == "status":
            change = details.get("status") or {}
            title = f"Moved from {self.label(change.get('from'))} to {self.label(change.get('to'))}"
        elif kind == "changed":
            names = {one["uniqueFieldID"]: one["name"] for one in self.definitions}
            known = {"productServices": "Products", "teamMember": "Assigned to", "tags": "Tags", **names}
            title = f"{', '.join(known.get(name, name.capitalize()) for name in details)} changed"
        elif kind == "call":
            outcome = str(details.get("outcome") or "").replace("_", " ")
            title = "Call received" if details.get("direction") == "inbound" else "Call made"
            title = f"{title}, {outcome}" if outcome else title
        elif kind in ("meeting", "follow_up"):
            noun = "Meeting" if kind == "meeting" else "Follow-up"
            title = f"{noun} {details.get('event', '')}: {details.get('title', '')}".strip(": ")
        return {**entry, "title": title, "icon": ICONS.get(kind, "pencil")}

    def values_form(self) -> Form:
        fields = self.value_fields()
        if products := self.records("product-service"):
            fields.append(Field("productServices", "Products and services", "checks", options=products))
        if tags := self.records("tag"):
            fields.append(Field("tags", "Tags", "checks", options=tags))
        return Form(fields, self.values)

    def links_form(self) -> Form:
        choices = (("teamMember", "Assigned to", self.members), ("team", "Team", self.records("team")))
        fields = [Field(name, label, "select", options=options) for name, label, options in choices if options]
        return Form(fields, self.values)

    @property
    def values(self) -> dict[str, Any]:
        """The lead's values by the names of the forms."""
        lead = self.lead
        several = {name: [one["_id"] for one in lead[name]] for name in ("productServices", "tags")}
        return {
            **lead["formData"],
            **several,
            **{name: (lead[name] or {}).get("_id") for name in ("teamMember", "team")},
        }

    # What forms do

    def do_save(self) -> HttpResponse:
        edit = self.request.GET.get("edit", "facts")
        before = self.values
        form = (self.links_form() if edit == "assignment" else self.values_form()).fill(self.request.POST)
        changed = form.changed(before)
        if not changed:
            return self.done(to=self.request.path)
        answer = self.ask("PUT", f"lead/{self.params['id']}", None, body_of(changed))
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            title = self.lead["contact"]["name"]
            context = {"lead": self.lead, "title": title, "facts": self.facts(), "form": form, "editing": edit}
            return self.page(context, status=422)
        return self.done(said("Lead saved", answer.warning), self.request.path, undo=answer.job)

    def do_move(self) -> HttpResponse:
        return self.move(self.params["id"], self.request.get_full_path())

    def do_note(self) -> HttpResponse:
        body = {"lead": self.params["id"], "notes": self.request.POST.get("notes", "")}
        return self._made(self.ask("POST", "lead-activity", None, body), "Note added")

    def do_follow_up(self) -> HttpResponse:
        form = follow_up_form().fill(self.request.POST)
        answer = self.ask("POST", "lead-activity/follow-up", None, {"lead": self.params["id"], **form.values})
        if answer.ok:
            return self.done("Follow-up added")
        form.refuse(answer.message, answer.warning)
        return self.page({**self.show(), "tab_form": form}, status=422)

    def do_done(self) -> HttpResponse:
        answer = self.ask("PATCH", f"lead-activity/follow-up/{self.sent_id()}", None, {"status": "done"})
        return self._made(answer, "Done")

    def do_call(self) -> HttpResponse:
        sent = self.request.POST
        minutes = sent.get("minutes", "").strip()
        body = {name: sent[name] for name in ("direction", "outcome", "notes") if sent.get(name)}
        duration = {"duration": int(minutes) * 60} if minutes.isdecimal() and len(minutes) < 5 else {}
        return self._made(
            self.ask("POST", "calllog", None, {"lead": self.params["id"], **body, **duration}), "Call noted"
        )

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "lead", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done("Lead deleted", self.address("leads"), undo=answer.job)

    def _made(self, answer: Answer, text: str) -> HttpResponse:
        """Lead back to the tab."""
        return self.done(text) if answer.ok else self.refuse(answer)
