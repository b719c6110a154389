"""The pages of contacts: the list, a contact, a new one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from core.web.ask import Answer
from core.web.conflicts import RETRIES, open_form, read_edit
from core.web.forms import Field, Form, Option
from core.web.lists import Choice, Column, since
from core.web.pages import MenuItem, Page
from core.web.record_forms import choice_of, column_of, fields_query, form_field, shown_fields
from core.web.saved_views import ViewedList
from core.web.tables import ChooseColumns, EditCell, Row, TablePage
from core.web.timelines import SIZE, shown_entry

SYSTEM = ("name", "email", "countryCode", "number")
NEEDED = {"name": "a name", "email": "an e-mail address", "number": "a phone number"}
CUSTOM_COLUMNS = 3
"""The number of custom fields among the columns that are shown when nobody has chosen any."""
LINKED = (("segment", "segment", "Segment"), ("category", "contact-category", "Category"))
"""Field, path and words of the filters that pages of segments and categories lead to."""
TIMES = (("createdAt", "Added"), ("repliedAt", "Answered"))
"""Field and words of the filters that numbers of the home page lead to."""
IMPORT = ("importId", "contact/import", "Import")
"""Field, path and words of the filter that pages of imports lead to."""
MOST_WRITTEN_TO = 100
"""Single people whom one outreach can be started for from the list: an address holds no more ids."""
DIRECTIONS = [Option("outbound", "Outgoing"), Option("inbound", "Incoming")]
OUTCOMES = [
    Option("connected", "Connected"),
    Option("no_answer", "No answer"),
    Option("busy", "Busy"),
    Option("voicemail", "Voicemail"),
    Option("wrong_number", "Wrong number"),
    Option("failed", "Failed"),
]
ATTENDEES = "E-mail addresses, separated by commas. You are included."
LENGTHS = [Option("15", "15 minutes"), Option("30", "30 minutes"), Option("60", "1 hour"), Option("120", "2 hours")]
OF_CARD = {"countryCode": "phone", "number": "phone"}
"""Field of the form -> what it is called on a card, where that is another name."""
COMPOSE = {
    "note": ("Note", "lead-activity", "Add note"),
    "call": ("Call", "lead-activity", "Log call"),
    "meeting": ("Meeting", "meeting", "Create meeting and invite"),
}
"""What is written into a timeline -> its name, the permission module that it takes, and its button."""


def counted(number: int | None, word: str) -> str:
    """Write a number of things: 1 contact, 2 contacts."""
    return f"{number or 0:,} {word}{'' if number == 1 else 's'}"


class ContactPage(Page):
    """What the pages of contacts share: the company's fields, tags and categories."""

    module = "contact"
    menu = MenuItem("Contacts", "users", 20, "Work", tab=True, key="c")

    @cached_property
    def definitions(self) -> list[Mapping[str, Any]]:
        """The definitions of the contacts' fields, or none if the reader may not see them."""
        answer = self.ask("GET", "custom-field", fields_query("contact")) if self.may("custom-field") else None
        return answer.data if answer is not None and answer.ok else []

    def system_fields(self) -> list[Field]:
        """Return the fields of a contact's own values."""
        needed = self.required
        prefix = "countryCode" in needed and "number" not in needed  # a number may bring its own
        help = "Not needed before a number that begins with +."
        return [
            Field("name", "Name", required="name" in needed),
            Field("email", "E-mail", "email", required="email" in needed),
            Field("countryCode", "Country code", "tel", required=prefix, placeholder="+44", help=help),
            Field("number", "Phone number", "tel", required="number" in needed, placeholder="7400 123456"),
        ]

    @cached_property
    def required(self) -> set[str]:
        """The names of a contact's own values that the API asks for."""
        known = {one["uniqueFieldID"]: one["required"] for one in self.definitions if one["isSystem"]}
        return {name for name in SYSTEM if known.get(name, name != "name")}

    @property
    def needs(self) -> str:
        """What every contact needs, in words."""
        found = [words for name, words in NEEDED.items() if name in self.required]
        return " and ".join(filter(None, (", ".join(found[:-1]), *found[-1:])))

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        """Make the form of a contact: its system fields, the company's own, category and tags."""
        fields = self.system_fields()
        fields += [made for one in shown_fields(self.definitions) if (made := form_field(one))]
        fields.append(Field("category", "Category", "select", options=self.options_of("contact-category")))
        if tags := self.options_of("tag"):
            fields.append(Field("tags", "Tags", "checks", options=tags))
        return Form([one for one in fields if one.name != "category" or one.options], values)


def body_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the API's body for values of the form."""
    beside = {name: values[name] for name in ("tags", "category") if name in values}
    if "category" in beside:
        beside["category"] = beside["category"] or None
    return {"formData": {name: value for name, value in values.items() if name not in beside}, **beside}


class ContactTable(ContactPage, TablePage):
    """What the pages of the table of contacts share."""

    resource = "contact"
    listed_at = "contacts"
    record_page = "contact"
    usual = ("name", "email", "contactNumber", "tags", "createdAt")

    def known_columns(self) -> list[Column]:
        return [
            Column("name", "Name", "name", css="first", kind="who", fixed=True, editable=True),
            Column("email", "E-mail", "email", css="second", editable=True),
            Column("contactNumber", "Phone", css="num", editable=True),
            *(column_of(one) for one in shown_fields(self.definitions)),
            Column("category", "Category", "category.name"),
            Column("tags", "Tags", css="aside", kind="tags"),
            Column("unsubscribed", "Unsubscribed"),
            Column("createdBy", "Added by", "createdBy.name"),
            Column("createdAt", "Added", "createdAt", css="muted num", kind="when"),
            Column("updatedAt", "Changed", "updatedAt", css="muted num", kind="when"),
        ]

    @cached_property
    def usual_columns(self) -> list[str]:
        custom = [one["uniqueFieldID"] for one in shown_fields(self.definitions)[:CUSTOM_COLUMNS]]
        return [*self.usual[:3], *custom, *self.usual[3:]]

    def row(self, record: Mapping[str, Any]) -> Row:
        name = record["name"] or ""
        return Row(record["_id"], f"contacts/{record['_id']}", name or "No name", name or record["email"] or "", record)


class Contacts(ContactTable, ViewedList):
    path = name = "contacts"
    title = "Contacts"
    template = "web/contacts/list.html"

    @cached_property
    def choices(self) -> list[Choice]:
        """The fields that people filter by."""
        tags = tuple((one.value, one.label) for one in self.options_of("tag"))
        found = [Choice("email", "E-mail")]
        found += [Choice("tags", "Tag", ("in",), tags)] if tags else []
        for name, path, label in LINKED:
            if self.is_filtered(name):  # the names are asked for only then
                pairs = [(one.value, one.label) for one in self.options_of(path)]
                found.append(Choice(name, label, ("in",), pairs))
        found += [self.linked(*IMPORT)] if self.is_filtered(IMPORT[0]) else []
        found += [since(self.request.GET, self.reader.formats, *one) for one in TIMES if self.is_filtered(one[0])]
        return [*found, *(choice_of(one) for one in shown_fields(self.definitions) if not one["children"])]

    def show(self) -> Mapping[str, Any]:
        found = self.listed("contact", self.state.query())
        return {
            **self.context(),
            "choices": self.choices,
            "rows": [self.row(one) for one in found.data],
            "total": found.total,
            "counted": counted(found.total, "contact"),
            "can_be_segment": self.can_be_segment,
            "more": self.state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }

    @property
    def can_be_segment(self) -> bool:
        """Whether the filters can be saved as a segment, which knows no search and not the filters of links."""
        names = {name for name, _, _ in self.state.filters}
        more = self.state.search or self.state.fixed
        return bool(names) and not more and names.isdisjoint(name for name, *_ in (*LINKED, *TIMES, IMPORT))

    def do_delete(self) -> HttpResponse:
        sent = self.request.POST
        if "all" in sent:
            answer = self.ask("DELETE", "contact", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "contact", None, {"ids": sent.getlist("ids")})
        here = self.here
        if not answer.ok:
            return self.refuse(answer, here)
        count = answer.data["deletedCount"]
        if count is None:
            return self.done("Deleting contacts", here, watch=answer.job)
        return self.done(f"Deleted {counted(count, 'contact')}", here, undo=answer.job)

    def do_write(self) -> HttpResponse:
        """Start an outreach to those who are chosen; a filter goes by way of a segment."""
        ids = self.request.POST.getlist("ids")
        if "all" not in self.request.POST and ids and len(ids) <= MOST_WRITTEN_TO:
            return self.done(to=self.address("outreach-new", contactIds=ids))
        told = f"Choose at most {MOST_WRITTEN_TO}. For more, filter the list, save it as a segment and write to that."
        return self.refuse(Answer(400, {"message": told}), self.request.path + self.state.link())

    def do_merge(self) -> HttpResponse:
        return self.done(to=self.address("contact-merge", ids=self.request.POST.getlist("ids")))


class ContactColumns(ContactTable, ChooseColumns):
    path = "contacts/columns"
    name = "contact-columns"
    title = "Columns of contacts"


class ContactCell(ContactTable, EditCell):
    path = "contacts/<str:id>/cell"
    name = "contact-cell"

    def fields(self, column: Column) -> list[Field]:
        names = ("countryCode", "number") if column.name == "contactNumber" else (column.name,)
        if found := [one for one in self.system_fields() if one.name in names]:
            return found
        made = (form_field(one) for one in self.definitions if one["uniqueFieldID"] == column.name)
        return [one for one in made if one]


class NewContact(ContactPage):
    path = "contacts/new"
    name = "contact-new"
    title = "New contact"
    deed = title
    template = "web/contacts/new.html"

    def show(self) -> Mapping[str, Any]:
        if not self.may("contact", "POST"):
            return {"form": None}
        scan = self.request.GET.get("scan")
        return {"form": self.scanned(scan) if scan else self.form(), "scan": scan}

    def scanned(self, scan: str) -> Form:
        """Make the form of a contact with what was read on a card; a field says how sure that is."""
        found = self.read(f"contact/scan/{scan}").data
        form = self.form(found["formData"])
        told = {one["field"]: one for one in found["fields"]}
        for field in form.fields:
            one = told.get(OF_CARD.get(field.name, field.name))
            if one and field.value:
                field.help = f"Read on the card, {one['confidence']:.0%} sure."
            elif one and one["read"]:
                field.help = one["note"]
        return form

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
    record_kind = ("contact", "Contacts")
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
            return {**context, "form": open_form(self.form(self.values()), self.values())}
        facts = [
            (one["name"], self.contact["formData"].get(one["uniqueFieldID"])) for one in shown_fields(self.definitions)
        ]
        query = {"n": str(SIZE), "cursor": self.request.GET.get("cursor") or None}
        timeline = self.ask("GET", f"contact/{self.params['id']}/timeline", query)
        return {
            **context,
            "facts": facts,
            "entries": [shown_entry(one) for one in timeline.data or ()],
            "next": self.address(cursor=timeline.next_cursor) if timeline.next_cursor else "",
            "compose": self.compose,
            "composer": self.composer() if self.compose else None,
            "composers": self.composers,
            "compose_label": COMPOSE[self.compose][2] if self.compose else "",
        }

    @property
    def composers(self) -> list[tuple[str, str]]:
        """The (name, words) of what the reader may write into the timeline."""
        return [(name, words) for name, (words, module, _) in COMPOSE.items() if self.may(module, "POST")]

    @property
    def compose(self) -> str:
        """What is being written: what the form sent, or what the address names, else the first one."""
        asked = self.request.POST.get("do") or self.request.GET.get("compose")
        names = [name for name, _ in self.composers]
        return asked if asked in names else next(iter(names), "")

    def composer(self) -> Form:
        """Make the form of what is being written."""
        if self.compose == "call":
            fields = [
                Field("direction", "Direction", "select", required=True, options=DIRECTIONS, value="outbound"),
                Field("outcome", "Outcome", "select", required=True, options=OUTCOMES, value="connected"),
                Field("minutes", "Minutes", "number"),
                Field("notes", "Notes", "textarea"),
            ]
        elif self.compose == "meeting":
            email = self.contact["email"] or ""
            fields = [
                Field("title", "What", required=True),
                Field("startsAt", "When", "datetime-local", required=True),
                Field("durationMinutes", "How long", "select", required=True, options=LENGTHS, value="30"),
                Field("attendees", "Attendees", help=ATTENDEES, value=email),
            ]
        else:
            fields = [Field("notes", "Note", "textarea", placeholder="What is there to know?")]
        return Form(fields)

    def do_save(self) -> HttpResponse:
        for _ in range(RETRIES):
            who = (self.contact["updatedBy"] or {}).get("name", "")
            edit = read_edit(self.form, self.request.POST, self.values(), who)
            if edit.clashes:
                break
            if not edit.changed:
                return self.done(to=self.request.path)
            body = {**body_of(edit.changed), "unchangedSince": self.contact["updatedAt"]}
            answer = self.ask("PUT", f"contact/{self.params['id']}", None, body)
            if answer.ok:
                return self.done("Contact saved", self.request.path, undo=answer.job)
            if answer.status != 409:
                edit.form.refuse(answer.message, answer.warning)
                break
            del self.contact  # somebody was faster
        context = {"contact": self.contact, "title": self.contact["name"], "form": edit.form}
        return self.page(context, status=422)

    def do_note(self) -> HttpResponse:
        return self.composed("lead-activity", self.composer().fill(self.request.POST), {}, "Note added.")

    def do_call(self) -> HttpResponse:
        form = self.composer().fill(self.request.POST)
        minutes = form.values.get("minutes")
        length = {"duration": round(minutes * 60)} if isinstance(minutes, int | float) else {}
        return self.composed("calllog", form, length, "Call logged.")

    def do_meeting(self) -> HttpResponse:
        form = self.composer().fill(self.request.POST)
        found = str(form.values.get("attendees", "")).replace(";", ",").split(",")
        own = (self.contact["email"] or "").casefold()
        asked = [one.strip() for one in found if one.strip()]
        attendees = [{"contact": self.params["id"]} if one.casefold() == own else {"email": one} for one in asked]
        beside: dict[str, Any] = {"attendees": attendees}
        length = str(form.values.get("durationMinutes", ""))
        if length.isdecimal():
            beside["durationMinutes"] = int(length)
        return self.composed("meeting", form, beside, "Meeting created.")

    def composed(self, path: str, form: Form, beside: Mapping[str, Any], text: str) -> HttpResponse:
        """Write what the composer's form says, or show it again with what was refused."""
        values = {name: value for name, value in form.values.items() if value not in ("", None) and name != "minutes"}
        answer = self.ask("POST", path, None, {"contact": self.params["id"], **values, **beside})
        if answer.ok:
            return self.done(" ".join(filter(None, (text, answer.warning))), self.request.path)
        if self.request.POST["do"] not in dict(self.composers):
            return self.refuse(answer, self.request.path)
        form.refuse(answer.message, answer.warning)
        return self.page({**self.show(), "composer": form}, status=422)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "contact", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done("Contact deleted", self.address("contacts"), undo=answer.job)


PAGES = [Contacts, ContactColumns, ContactCell, NewContact, ContactDetail]
