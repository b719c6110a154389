"""A contact, and a new one."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import REST, Form
from core.web.forms.conflicts import RETRIES
from core.web.forms.dial_codes import drop_unused_dial_code, suggest_dial_code
from core.web.forms.record_forms import form_values
from core.web.organization_names import SAME_NAME
from core.web.prefills import find_named_record
from core.web.record_pages import HISTORY, RecordPage, Related, RelatedPage, RelatedRow
from crm.contacts.pages.base import ContactPage, body_of, chosen_tags, linked_values
from crm.contacts.pages.lists import ContactTable
from crm.contacts.types import ContactData

OF_CARD = {"countryCode": "phone", "number": "phone"}
"""Field of the form -> its name on a card, if it differs."""


class NewContact(ContactPage):
    path = "contacts/new"
    name = "contact-new"
    title = gettext_lazy("New contact")
    action = title
    template = "web/contacts/new.html"

    def show(self) -> Values:
        if not self.may("contact", "POST"):
            return {"form": None}
        gone = gettext("This card no longer exists. Scan it again.")
        card = find_named_record(self, "contact/scan", self.request.GET.get("scan", ""), gone)
        organization = self.request.GET.get("organization", "")
        form = self.form_of_card(card) if card else self.form({**self.first_values(), "organization": organization})
        if not card:
            suggest_dial_code(self, [*form.fields.values()])
        return {"form": form, "scan": card and card["_id"]}

    def form_of_card(self, card: Values) -> Form:
        """Return the form of a contact with the values read on a card; each field states the confidence."""
        named = {**self.first_values(), "organization": card["formData"].get(self.company_key)}
        form = self.form({**named, **card["formData"]})
        readings = {reading["field"]: reading for reading in card["fields"]}
        for field in form:
            name = self.company_key if field.name == "organization" else field.name
            reading = readings.get(OF_CARD.get(name, name))
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
        values |= self.unchosen_owner(form)
        if tags := self.with_new_tag(form, chosen_tags(form)):
            values["tags"] = tags
        if "organization" in values:
            if form["organization"].field.required:
                values[self.company_key] = values["organization"].partition(SAME_NAME)[0]
            values["organization"] = self.organization_of(form, values["organization"])
        if form.errors:
            return self.page({"form": form}, status=422)
        answer = self.ask("POST", "contact", None, body_of(drop_unused_dial_code(form, values)))
        if not answer.ok:
            return self.refused(form, answer)
        return self.redirect_with_toast(
            gettext("Contact created"), self.address("contact", answer.data["_id"]), undo=answer.job
        )

    def refused(self, form: Form, answer: Answer) -> HttpResponse:
        """Show the form again. It has been made already, so that `show` need not ask for its fields."""
        form.refuse(answer)
        return self.page({"form": form}, status=422)


class ContactDetail(RecordPage, ContactTable):
    path = "contacts/<str:id>"
    name = "contact"
    tab_name = gettext_lazy("Contact")
    record_kind = ("contact", gettext_lazy("Contacts"))
    template = "web/contacts/detail.html"
    facts = ("name", "email", "contactNumber", "organization", "owner", REST, "category", "tags")
    cell_page = "contact-cell"
    related_page = "contact-related"
    composer_names = ("note", "comment", "call", "meeting", "task")

    @cached_property
    def contact(self) -> ContactData:
        record: ContactData = self.read(f"contact/{self.params['id']}").data
        return record

    def person(self) -> Values:
        return self.contact

    def values(self) -> JsonObject:
        """Return the contact's values by the names of the form."""
        own = form_values(self.definitions, self.contact["formData"])
        linked = linked_values(self.contact)
        return {**own, **linked, "organization": linked["organization"] or self.company_text(self.contact)}

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.name_chosen(category=[self.contact["category"]], owner=[self.contact["owner"]], tags=self.contact["tags"])
        return form

    def show(self) -> Values:
        context = {"contact": self.contact, "title": self.contact["name"] or self.contact["email"]}
        if "edit" in self.request.GET and self.may("contact", "PUT"):
            return {**context, "form": self.form(self.values())}
        return {**context, "suppressed_at": self.suppressed_at(), **self.fact_context(self.contact), **self.history()}

    def suppressed_at(self) -> str:
        """Return the suppression list's page with the contact's address, if that is on it and the reader may see it."""
        email = self.contact["email"]
        if not email or not self.may("genie"):
            return ""
        answer = self.ask("GET", "suppression", {"filters": {"email": email.lower()}, "p": "1", "n": "1"})
        return self.address("suppressions", q=email) if answer.ok and answer.data else ""

    def do_save(self) -> HttpResponse:
        for _attempt in range(RETRIES):
            who = (self.contact["updatedBy"] or {}).get("name", "")
            form = self.form(self.values()).bind(self.request.POST, who)
            if not form.is_valid():
                break
            changed = form.changed(self.values())
            if not changed:
                return self.report_unchanged(self.request.path)
            tags = chosen_tags(form)
            if (with_new := self.with_new_tag(form, tags)) != tags:
                changed["tags"] = with_new
            changed.pop("newTag", None)
            if "organization" in changed:
                held = self.contact["organization"]
                changed["organization"] = self.organization_of(form, changed["organization"], held)
            if form.errors:
                break
            if not changed:
                return self.report_unchanged(self.request.path)
            body = {**body_of(changed), "unchangedSince": self.contact["updatedAt"]}
            answer = self.ask("PUT", f"contact/{self.params['id']}", None, body)
            if answer.ok:
                return self.redirect_with_toast(gettext("Contact saved"), self.request.path, undo=answer.job)
            if answer.status != 409:
                form.refuse(answer)
                break
            del self.contact  # somebody was faster
        context = {"contact": self.contact, "title": self.contact["name"], "form": form}
        return self.page(context, status=422)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "contact", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(gettext("Contact deleted"), self.address("contacts"), undo=answer.job)


class ContactRelated(ContactPage, RelatedPage):
    path = "contacts/<str:id>/related"
    name = "contact-related"
    tab_name = gettext_lazy("Related to a contact")
    record_page = "contact"

    def related(self) -> list[Related]:
        id = self.params["id"]
        self.read(f"contact/{id}")
        kinds = []
        if self.may("lead"):
            kinds.append(self.leads(id))
        if self.may("lead-activity"):
            kinds.append(self.tasks("contact", "lead.contact"))
        if self.may("meeting"):
            kinds.append(self.meetings(self.address("contact", id, compose="meeting") + HISTORY, contact=id))
        if self.may("genie"):
            kinds.append(self.messages(id))
        return kinds

    def leads(self, id: str) -> Related:
        """Return the leads of the contact, the newest first."""
        records, total = self.few("lead", "createdAt", contact=id)
        rows = [
            RelatedRow(
                self.address("lead", lead["_id"]),
                ", ".join(product["name"] for product in lead["productServices"]) or gettext("Lead"),
                note="" if lead["value"] is None else self.reader.formats.money(Decimal(str(lead["value"]))),
                badge=(lead["stage"] or {}).get("name") or str(lead["status"] or "").capitalize(),
                at=lead["createdAt"],
            )
            for lead in records
        ]
        add = self.address("lead-new", contact=id) if self.may("lead", "POST") else ""
        return Related(gettext("Leads"), gettext("No leads."), rows, total, add, gettext("New lead"))

    def messages(self, id: str) -> Related:
        """Return the messages to the contact, the newest first."""
        records, total = self.few("genie/send-jobs", "createdAt", contact=id)
        rows = [
            RelatedRow(
                self.address("message", message["_id"]),
                message["subject"] or gettext("Message"),
                badge=str(message["status"]).capitalize(),
                at=message["createdAt"],
            )
            for message in records
        ]
        return Related(gettext("Messages"), gettext("No messages."), rows, total)
