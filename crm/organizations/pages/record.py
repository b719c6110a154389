"""An organization, and a new one."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import REST, Form
from core.web.forms.conflicts import RETRIES
from core.web.forms.record_forms import form_values
from core.web.record_pages import FEW, RecordPage, Related, RelatedPage, RelatedRow
from crm.organizations.pages.base import OrganizationPage, body_of, linked_values
from crm.organizations.pages.lists import OrganizationTable
from crm.organizations.types import OrganizationData


class NewOrganization(OrganizationPage):
    path = "organizations/new"
    name = "organization-new"
    title = gettext_lazy("New organization")
    action = title
    template = "web/organizations/new.html"

    def show(self) -> Values:
        return {"form": self.form(self.first_values()) if self.may("contact", "POST") else None}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.page({"form": form}, status=422)
        values = {name: value for name, value in form.cleaned_data.items() if value not in ("", None, [])}
        values |= self.unchosen_owner(form)
        answer = self.ask("POST", "organization", None, body_of(values))
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form}, status=422)
        return self.redirect_with_toast(
            gettext("Organization created"), self.address("organization", answer.data["_id"])
        )


class OrganizationDetail(RecordPage, OrganizationTable):
    path = "organizations/<str:id>"
    name = "organization"
    tab_name = gettext_lazy("Organization")
    record_kind = ("organization", gettext_lazy("Organizations"))
    template = "web/organizations/detail.html"
    facts = ("name", "domain", "owner", REST, "tags")
    cell_page = "organization-cell"
    related_page = "organization-related"
    composer_names = ("note", "comment", "task")

    @cached_property
    def organization(self) -> OrganizationData:
        record: OrganizationData = self.read(f"organization/{self.params['id']}").data
        return record

    def values(self) -> JsonObject:
        """Return the organization's values by the names of the form."""
        own = form_values(self.definitions, self.organization["formData"])
        return {**own, **linked_values(self.organization)}

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.name_chosen(owner=[self.organization["owner"]], tags=self.organization["tags"])
        return form

    def show(self) -> Values:
        context = {"organization": self.organization, "title": self.organization["name"]}
        if "edit" in self.request.GET and self.may("contact", "PUT"):
            return {**context, "form": self.form(self.values())}
        return {**context, **self.fact_context(self.organization), **self.history()}

    def do_save(self) -> HttpResponse:
        for _attempt in range(RETRIES):
            who = (self.organization["updatedBy"] or {}).get("name", "")
            form = self.form(self.values()).bind(self.request.POST, who)
            if not form.is_valid():
                break
            changed = form.changed(self.values())
            if not changed:
                return self.report_unchanged(self.request.path)
            body = {**body_of(changed), "unchangedSince": self.organization["updatedAt"]}
            answer = self.ask("PUT", f"organization/{self.params['id']}", None, body)
            if answer.ok:
                return self.redirect_with_toast(gettext("Organization saved"), self.request.path, undo=answer.job)
            if answer.status != 409:
                form.refuse(answer)
                break
            del self.organization  # somebody was faster
        context = {"organization": self.organization, "title": self.organization["name"], "form": form}
        return self.page(context, status=422)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "organization", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(gettext("Organization deleted"), self.address("organizations"), undo=answer.job)


class OrganizationRelated(OrganizationPage, RelatedPage):
    path = "organizations/<str:id>/related"
    name = "organization-related"
    tab_name = gettext_lazy("Related to an organization")
    record_page = "organization"

    def related(self) -> list[Related]:
        id = self.params["id"]
        organization: OrganizationData = self.read(f"organization/{id}").data
        kinds = [self.people(organization)]
        if self.may("lead"):
            kinds.append(self.leads(id))
        if self.may("lead-activity"):
            kinds.append(self.tasks("organization"))
        return kinds

    def people(self, organization: OrganizationData) -> Related:
        """Return the contacts who work there, the newest first."""
        records, total = self.few("contact", "createdAt", organization=organization["_id"])
        rows = [
            RelatedRow(
                self.address("contact", contact["_id"]),
                contact["name"] or contact["email"] or gettext("No name"),
                note=(contact["email"] or "") if contact["name"] else "",
            )
            for contact in records
        ]
        may_create = self.may("contact", "POST")
        add = self.address("contact-new", organization=organization["name"]) if may_create else ""
        return Related(gettext("Contacts"), gettext("No contacts."), rows, total, add, gettext("New contact"))

    def leads(self, id: str) -> Related:
        """Return the leads about the organization or its people, the newest first."""
        conditions = [
            {"field": name, "operator": "equals", "value": id} for name in ("organization", "contact.organization")
        ]
        query = {"advancedFilters": {"operator": "or", "conditions": conditions}, "n": FEW, "p": "1"}
        answer = self.ask("GET", "lead", {**query, "sortBy": "createdAt", "sortOrder": "desc"})
        rows = [
            RelatedRow(
                self.address("lead", lead["_id"]),
                lead["contact"]["name"] or lead["contact"]["email"] or gettext("Lead"),
                note="" if lead["value"] is None else self.reader.formats.money(Decimal(str(lead["value"]))),
                badge=(lead["stage"] or {}).get("name") or str(lead["status"] or "").capitalize(),
                at=lead["createdAt"],
            )
            for lead in (answer.data if answer.ok else ())
        ]
        return Related(gettext("Leads"), gettext("No leads."), rows, (answer.total or 0) if answer.ok else 0)
