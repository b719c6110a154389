"""The pages of contacts: the list, a contact, a new one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.lists import Choice, Column, ListState
from core.web.pages import MenuItem, Page
from core.web.record_forms import choice_of, fields_query, form_field, shown_fields

SYSTEM = ("name", "email", "countryCode", "number")
CUSTOM_COLUMNS = 3
LINKED = (("segment", "segment", "Segment"), ("category", "contact-category", "Category"))
"""Field, path and words of the filters that pages of segments and categories lead to."""
TIMELINE_SIZE = 30
ICONS = {
    "note": "sticky-note",
    "call": "phone",
    "meeting": "calendar",
    "mail": "mail",
    "follow_up": "bell",
    "imported": "upload",
    "merged": "merge",
    "created": "user-plus",
    "assigned": "user-check",
    "status": "arrow-right",
}
"""Kind of a timeline's entry -> its icon."""


def counted(number: int | None, word: str) -> str:
    """Write a number of things: 1 contact, 2 contacts."""
    return f"{number or 0:,} {word}{'' if number == 1 else 's'}"


class ContactPage(Page):
    """What the pages of contacts share: the company's fields, tags and categories."""

    module = "contact"
    menu = MenuItem("Contacts", "users", 20, tab=True)

    @cached_property
    def definitions(self) -> list[Mapping[str, Any]]:
        """The definitions of the contacts' fields, or none if the reader may not see them."""
        answer = self.ask("GET", "custom-field", fields_query("contact")) if self.may("custom-field") else None
        return answer.data if answer is not None and answer.ok else []

    def named_records(self, path: str) -> list[Option]:
        """Return the tags or categories, by name."""
        if not self.may(path):
            return []
        answer = self.ask("GET", path, {"p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc"})
        return [Option(one["_id"], one["name"]) for one in answer.data] if answer.ok else []

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        """Make the form of a contact: its system fields, the company's own, category and tags."""
        known = {one["uniqueFieldID"]: one for one in self.definitions if one["isSystem"]}

        def required(name: str) -> bool:
            return bool(known[name]["required"]) if name in known else name == "name"

        fields = [
            Field("name", "Name", required=required("name")),
            Field("email", "E-mail", "email", required=required("email")),
            Field("countryCode", "Country code", "tel", required=required("countryCode"), placeholder="+44"),
            Field("number", "Phone number", "tel", required=required("number"), placeholder="7400 123456"),
        ]
        fields += [made for one in shown_fields(self.definitions) if (made := form_field(one))]
        fields.append(Field("category", "Category", "select", options=self.named_records("contact-category")))
        if tags := self.named_records("tag"):
            fields.append(Field("tags", "Tags", "checks", options=tags))
        return Form([one for one in fields if one.name != "category" or one.options], values)


def body_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the API's body for values of the form."""
    beside = {name: values[name] for name in ("tags", "category") if name in values}
    if "category" in beside:
        beside["category"] = beside["category"] or None
    return {"formData": {name: value for name, value in values.items() if name not in beside}, **beside}


class Contacts(ContactPage):
    path = name = "contacts"
    title = "Contacts"
    template = "web/contacts/list.html"

    @cached_property
    def choices(self) -> list[Choice]:
        """The fields that people filter by."""
        tags = tuple((one.value, one.label) for one in self.named_records("tag"))
        found = [Choice("email", "E-mail")]
        found += [Choice("tags", "Tag", ("in",), tags)] if tags else []
        found += [self.linked(name, path, label) for name, path, label in LINKED if self.is_filtered(name)]
        return [*found, *(choice_of(one) for one in shown_fields(self.definitions) if not one["children"])]

    def is_filtered(self, name: str) -> bool:
        return any(text.startswith(f"{name}:") for text in self.request.GET.getlist("f"))

    def linked(self, name: str, path: str, label: str) -> Choice:
        """Return a filter that links of other pages set; its names are asked for only then."""
        return Choice(name, label, ("in",), [(one.value, one.label) for one in self.named_records(path)])

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {choice.name: choice for choice in self.choices})

    def show(self) -> Mapping[str, Any]:
        custom = shown_fields(self.definitions)[:CUSTOM_COLUMNS]
        found = self.read("contact", self.state.query())
        columns = [
            Column("name", "Name", "name"),
            Column("email", "E-mail", "email"),
            Column("contactNumber", "Phone", css="num"),
            *(Column(one["uniqueFieldID"], one["name"], one["uniqueFieldID"]) for one in custom),
            Column("tags", "Tags"),
            Column("createdAt", "Added", "createdAt"),
        ]
        return {
            "state": self.state,
            "choices": self.choices,
            "columns": columns,
            "custom": custom,
            "contacts": found.data,
            "total": found.total,
            "counted": counted(found.total, "contact"),
            "can_be_segment": self.can_be_segment,
            "more": self.state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }

    def do_export(self) -> HttpResponse:
        found = self.state.query()
        query = {name: value for name, value in found.items() if name not in ("n", "cursor", "cursorPagination")}
        body = {"resource": "contact", "query": query, "format": self.request.POST.get("format", "csv")}
        answer = self.ask("POST", "export", None, body)
        here = self.request.path + self.state.link()
        return self.done(to=self.address("export", answer.data["_id"])) if answer.ok else self.refuse(answer, here)

    @property
    def can_be_segment(self) -> bool:
        """Whether the filters can be saved as a segment, which knows no search and not the filters of links."""
        names = {name for name, _, _ in self.state.filters}
        return bool(names) and not self.state.search and names.isdisjoint(name for name, _, _ in LINKED)

    def do_delete(self) -> HttpResponse:
        sent = self.request.POST
        if "all" in sent:
            answer = self.ask("DELETE", "contact", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "contact", None, {"ids": sent.getlist("ids")})
        here = self.request.path + self.state.link()
        if not answer.ok:
            return self.refuse(answer, here)
        count = answer.data["deletedCount"]
        if count is None:
            return self.done("Deleting contacts", here, watch=answer.job)
        return self.done(f"Deleted {counted(count, 'contact')}", here, undo=answer.job)

    def do_merge(self) -> HttpResponse:
        return self.done(to=self.address("contact-merge", ids=self.request.POST.getlist("ids")))


class NewContact(ContactPage):
    path = "contacts/new"
    name = "contact-new"
    title = "New contact"
    template = "web/contacts/new.html"

    def show(self) -> Mapping[str, Any]:
        if not self.may("contact", "POST"):
            return {"form": None}
        return {"form": self.form()}

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None, [])}
        answer = self.ask("POST", "contact", None, body_of(values))
        if not answer.ok:
            return self.refused(form, answer)
        return self.done("Contact created", self.address("contact", answer.data["_id"]), undo=answer.job)

    def refused(self, form: Form, answer: Answer) -> HttpResponse:
        """Show the form again. It has been made already, so that `show` need not ask for its fields."""
        form.refuse(answer.message, answer.warning)
        return self.page({"form": form}, status=422)


class ContactDetail(ContactPage):
    path = "contacts/<str:id>"
    name = "contact"
    template = "web/contacts/detail.html"

    @cached_property
    def contact(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.read(f"contact/{self.params['id']}").data
        return found

    def values(self) -> dict[str, Any]:
        """Return the contact's values by the names of the form."""
        contact = self.contact
        category = (contact["category"] or {}).get("_id", "")
        return {**contact["formData"], "category": category, "tags": [one["_id"] for one in contact["tags"]]}

    def show(self) -> Mapping[str, Any]:
        context = {"contact": self.contact, "title": self.contact["name"] or self.contact["email"]}
        if "edit" in self.request.GET and self.may("contact", "PUT"):
            return {**context, "form": self.form(self.values())}
        facts = [
            (one["name"], self.contact["formData"].get(one["uniqueFieldID"])) for one in shown_fields(self.definitions)
        ]
        query = {"n": str(TIMELINE_SIZE), "cursor": self.request.GET.get("cursor") or None}
        timeline = self.ask("GET", f"contact/{self.params['id']}/timeline", query)
        entries = timeline.data if timeline.ok else []
        return {
            **context,
            "facts": facts,
            "entries": [{**one, "icon": ICONS.get(one["kind"], "pencil")} for one in entries],
            "next": timeline.next_cursor,
        }

    def do_save(self) -> HttpResponse:
        before = self.values()
        form = self.form(before).fill(self.request.POST)
        changed = form.changed(before)
        if not changed:
            return self.done(to=self.request.path)
        answer = self.ask("PUT", f"contact/{self.params['id']}", None, body_of(changed))
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({"contact": self.contact, "title": self.contact["name"], "form": form}, status=422)
        return self.done("Contact saved", self.request.path, undo=answer.job)

    def do_note(self) -> HttpResponse:
        body = {"contact": self.params["id"], "notes": self.request.POST.get("notes", "")}
        answer = self.ask("POST", "lead-activity", None, body)
        return self.done("Note added", self.request.path) if answer.ok else self.refuse(answer, self.request.path)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "contact", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done("Contact deleted", self.address("contacts"), undo=answer.job)


PAGES = [Contacts, NewContact, ContactDetail]
