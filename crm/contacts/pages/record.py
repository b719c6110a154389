"""A contact, and a new one."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.field_values import field_values
from core.web.forms import Field, Form, Option
from core.web.forms.conflicts import RETRIES
from core.web.forms.record_forms import form_values
from core.web.timelines import SIZE, shown_entry
from crm.contacts.pages.base import ContactPage, body_of
from crm.contacts.types import ContactData

DIRECTIONS = [Option("outbound", gettext_lazy("Outgoing")), Option("inbound", gettext_lazy("Incoming"))]
OUTCOMES = [
    Option("connected", gettext_lazy("Connected")),
    Option("no_answer", gettext_lazy("No answer")),
    Option("busy", gettext_lazy("Busy")),
    Option("voicemail", gettext_lazy("Voicemail")),
    Option("wrong_number", gettext_lazy("Wrong number")),
    Option("failed", gettext_lazy("Failed")),
]
ATTENDEES = gettext_lazy("Email addresses, separated by commas. You are included.")
LENGTHS = [Option("15", "15 minutes"), Option("30", "30 minutes"), Option("60", "1 hour"), Option("120", "2 hours")]
OF_CARD = {"countryCode": "phone", "number": "phone"}
"""Field of the form -> its name on a card, if it differs."""
COMPOSE = {
    "note": (gettext_lazy("Note"), "lead-activity", gettext_lazy("Add note")),
    "call": (gettext_lazy("Call"), "lead-activity", gettext_lazy("Log call")),
    "meeting": (gettext_lazy("Meeting"), "meeting", gettext_lazy("Create meeting and invite")),
}
"""Kind of timeline entry -> its name, its permission module, and its button."""


class NewContact(ContactPage):
    path = "contacts/new"
    name = "contact-new"
    title = gettext_lazy("New contact")
    action = title
    template = "web/contacts/new.html"

    def show(self) -> Values:
        if not self.may("contact", "POST"):
            return {"form": None}
        scan = self.request.GET.get("scan")
        return {"form": self.scanned(scan) if scan else self.form(), "scan": scan}

    def scanned(self, scan: str) -> Form:
        """Return the form of a contact with the values read on a card; each field states the confidence."""
        card = self.read(f"contact/scan/{scan}").data
        form = self.form(card["formData"])
        readings = {reading["field"]: reading for reading in card["fields"]}
        for field in form:
            reading = readings.get(OF_CARD.get(field.name, field.name))
            if reading and field.value():
                field.help_text = gettext("From the card, %(confidence)s sure.") % {
                    "confidence": f"{reading['confidence']:.0%}"
                }
            elif reading and reading["read"]:
                field.help_text = reading["note"]
        return form

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.page({"form": form}, status=422)
        values = {name: value for name, value in form.cleaned_data.items() if value not in ("", None, [])}
        answer = self.ask("POST", "contact", None, body_of(values))
        if not answer.ok:
            return self.refused(form, answer)
        return self.done(gettext("Contact created"), self.address("contact", answer.data["_id"]), undo=answer.job)

    def refused(self, form: Form, answer: Answer) -> HttpResponse:
        """Show the form again. It has been made already, so that `show` need not ask for its fields."""
        form.refuse(answer)
        return self.page({"form": form}, status=422)


class ContactDetail(ContactPage):
    path = "contacts/<str:id>"
    name = "contact"
    record_kind = ("contact", gettext_lazy("Contacts"))
    template = "web/contacts/detail.html"

    @cached_property
    def contact(self) -> ContactData:
        record: ContactData = self.read(f"contact/{self.params['id']}").data
        return record

    def values(self) -> JsonObject:
        """Return the contact's values by the names of the form."""
        contact = self.contact
        own = form_values(self.definitions, contact["formData"])
        category = (contact["category"] or {}).get("_id", "")
        return {**own, "category": category, "tags": [tag["_id"] for tag in contact["tags"]]}

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.name_chosen(category=[self.contact["category"]], tags=self.contact["tags"])
        return form

    def show(self) -> Values:
        context = {"contact": self.contact, "title": self.contact["name"] or self.contact["email"]}
        if "edit" in self.request.GET and self.may("contact", "PUT"):
            return {**context, "form": self.form(self.values())}
        values, own = self.contact["formData"], self.own_fields
        written = field_values(self, own, [values])
        facts = [(row["name"], written.block(row, values.get(row["uniqueFieldID"]))) for row in own]
        query = {"n": str(SIZE), "cursor": self.request.GET.get("cursor") or None}
        timeline = self.ask("GET", f"contact/{self.params['id']}/timeline", query)
        return {
            **context,
            "facts": facts,
            "entries": [shown_entry(row, self.reader.formats) for row in timeline.data or ()],
            "next": self.address(cursor=timeline.next_cursor) if timeline.next_cursor else "",
            "compose": self.compose,
            "composer": self.composer() if self.compose else None,
            "composers": self.composers,
            "compose_label": COMPOSE[self.compose][2] if self.compose else "",
        }

    @property
    def composers(self) -> list[tuple[str, str]]:
        """Return the (name, label) of the entries that the reader may write into the timeline."""
        return [(name, label) for name, (label, module, _) in COMPOSE.items() if self.may(module, "POST")]

    @property
    def compose(self) -> str:
        """Return the entry to write: that of the form, or of the address, or the first one."""
        choice = self.request.POST.get("do") or self.request.GET.get("compose")
        names = [name for name, _ in self.composers]
        return choice if choice in names else next(iter(names), "")

    def composer(self) -> Form:
        """Return the form of the chosen entry."""
        if self.compose == "call":
            fields = [
                Field(
                    "direction", gettext("Direction"), "select", required=True, options=DIRECTIONS, initial="outbound"
                ),
                Field("outcome", gettext("Outcome"), "select", required=True, options=OUTCOMES, initial="connected"),
                Field("minutes", gettext("Minutes"), "number"),
                Field("notes", gettext("Notes"), "textarea"),
            ]
        elif self.compose == "meeting":
            email = self.contact["email"] or ""
            fields = [
                Field("title", gettext("Title"), required=True),
                Field("startsAt", gettext("Starts"), "datetime-local", required=True),
                Field("durationMinutes", gettext("Duration"), "select", required=True, options=LENGTHS, initial="30"),
                Field("attendees", gettext("Attendees"), help_text=ATTENDEES, initial=email),
            ]
        else:
            autofocus = "compose" in self.request.GET
            hint = gettext("Write a note")
            fields = [Field("notes", gettext("Note"), "textarea", placeholder=hint, key="n", autofocus=autofocus)]
        return Form(fields=fields)

    def do_save(self) -> HttpResponse:
        for _ in range(RETRIES):
            who = (self.contact["updatedBy"] or {}).get("name", "")
            form = self.form(self.values()).bind(self.request.POST, who)
            if not form.is_valid():
                break
            changed = form.changed(self.values())
            if not changed:
                return self.unchanged(self.request.path)
            body = {**body_of(changed), "unchangedSince": self.contact["updatedAt"]}
            answer = self.ask("PUT", f"contact/{self.params['id']}", None, body)
            if answer.ok:
                return self.done(gettext("Contact saved"), self.request.path, undo=answer.job)
            if answer.status != 409:
                form.refuse(answer)
                break
            del self.contact  # somebody was faster
        context = {"contact": self.contact, "title": self.contact["name"], "form": form}
        return self.page(context, status=422)

    def do_note(self) -> HttpResponse:
        return self.composed("lead-activity", self.composer().bind(self.request.POST), {}, gettext("Note added."))

    def do_call(self) -> HttpResponse:
        form = self.composer().bind(self.request.POST)
        minutes = form.values.get("minutes")
        length = {"duration": round(minutes * 60)} if isinstance(minutes, int | float) else {}
        return self.composed("calllog", form, length, gettext("Call logged."))

    def do_meeting(self) -> HttpResponse:
        form = self.composer().bind(self.request.POST)
        parts = str(form.values.get("attendees", "")).replace(";", ",").split(",")
        own = (self.contact["email"] or "").casefold()
        addresses = [address.strip() for address in parts if address.strip()]
        attendees = [
            {"contact": self.params["id"]} if address.casefold() == own else {"email": address} for address in addresses
        ]
        beside: JsonObject = {"attendees": attendees}
        length = str(form.values.get("durationMinutes", ""))
        if length.isdecimal():
            beside["durationMinutes"] = int(length)
        return self.composed("meeting", form, beside, gettext("Meeting created."))

    def composed(self, path: str, form: Form, beside: Values, text: str) -> HttpResponse:
        """Save the composer's input, or show it again with the errors."""
        values = {name: value for name, value in form.values.items() if value not in ("", None) and name != "minutes"}
        answer = self.ask("POST", path, None, {"contact": self.params["id"], **values, **beside})
        if answer.ok:
            return self.done(" ".join(map(str, filter(None, (text, answer.warning)))), self.request.path)
        if self.request.POST["do"] not in dict(self.composers):
            return self.refuse(answer, self.request.path)
        form.refuse(answer)
        return self.page({**self.show(), "composer": form}, status=422)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "contact", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done(gettext("Contact deleted"), self.address("contacts"), undo=answer.job)
