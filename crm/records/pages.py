"""The recycle bin: deleted records, with actions to restore them."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.text.labels.counts import CONTACTS, LEADS, ORGANIZATIONS
from core.text.translation import PluralText, gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms.record_forms import fields_query, status_labels
from core.web.lists import Column, ListState
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page


class Bin(Page):
    """Deleted contacts; other records have a page like it."""

    path = name = "recycle-bin"
    purpose = gettext_lazy("Restore deleted records.")
    title = gettext_lazy("Recycle bin: contacts")
    template = "web/recycle_bin/list.html"
    module = "contact"
    alternate_modules: ClassVar[tuple[str, ...]] = ("lead", "file")
    menu = MenuItem(
        gettext_lazy("Recycle bin"),
        SETTINGS,
        70,
        "trash-2",
        gettext_lazy("Data"),
        gettext_lazy("trash deleted restore undelete"),
    )
    label: ClassVar[str] = gettext_lazy("Contacts")
    count: ClassVar[PluralText] = CONTACTS
    restored: ClassVar[PluralText] = ngettext_lazy("Restored %(count)s contact", "Restored %(count)s contacts")
    refused: ClassVar[PluralText] = ngettext_lazy(
        "Not restored: %(count)s contact (%(reason)s)", "Not restored: %(count)s contacts (%(reason)s)"
    )
    progress: ClassVar[str] = gettext_lazy("Restoring contacts")
    resource: ClassVar[str] = "contact"
    restoring: ClassVar[str] = "contact/restore"
    deleted: ClassVar[Values] = {"filters": {"isDeleted": True}}
    """Parameters that list deleted records."""
    columns: ClassVar[list[Column]] = [
        Column("name", gettext_lazy("Name"), "name"),
        Column("email", gettext_lazy("Email"), "email"),
        Column("by", gettext_lazy("Last changed by")),
        Column("updatedAt", gettext_lazy("When"), "updatedAt"),
    ]

    def tabs(self) -> list[tuple[str, str]]:
        """Return the bins that the reader may open, for the template."""
        return [(page.name, page.label) for page in PAGES if self.may(page.module)]

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.may(self.module):  # opened by one of `also`
            return self.redirect_with_toast(to=self.address(self.tabs()[0][0]))
        return super().get(request)

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET)

    def row(self, record: Values) -> JsonObject:
        """Return the table's data of a record."""
        by = record["updatedBy"] or {}
        return {
            "id": record["_id"],
            "name": record["name"] or _("No name"),
            "second": record["email"],
            "by": by.get("name"),
            "at": record["updatedAt"],
        }

    def show(self) -> Values:
        newest = {"sortBy": self.columns[-1].sort, "sortOrder": "desc"}
        answer = self.read(self.resource, {**newest, **self.state.query(), **self.deleted})
        return {
            "state": self.state,
            "columns": self.columns,
            "rows": [self.row(record) for record in answer.data],
            "total": answer.total,
            "counted": self.count.of(answer.total),
            "can_restore": self.may(self.module, "POST"),
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def selected(self) -> tuple[JsonObject | None, JsonObject]:
        """Return the query and the body that select the form's chosen rows."""
        if "all" in self.request.POST:
            return {**self.state.selection(), **self.deleted}, {"selectAll": True}
        return None, {"ids": self.request.POST.getlist("ids")}

    def do_restore(self) -> HttpResponse:
        query, body = self.selected()
        answer = self.ask("POST", self.restoring, query, body)
        here = self.request.path + self.state.link()
        if not answer.ok:
            return self.refuse(answer, here)
        count, failed = answer.data["restoredCount"], answer.data.get("failed") or []
        if count is None:
            return self.redirect_with_toast(self.progress, here, watch=answer.job)
        text = self.restored.of(count)
        if failed:
            reason = failed[0].get("message") or _("a duplicate exists")
            text = f"{text}. {self.refused.of(len(failed), reason=reason)}"
        if answer.notice:
            text = _("%(result)s. %(notice)s") % {"result": text, "notice": answer.notice}
        return self.redirect_with_toast(text, here, undo=answer.job)


class LeadBin(Bin):
    path, name = "recycle-bin/leads", "lead-recycle-bin"
    title = gettext_lazy("Recycle bin: leads")
    module = resource = "lead"
    label = gettext_lazy("Leads")
    count = LEADS
    restored = ngettext_lazy("Restored %(count)s lead", "Restored %(count)s leads")
    refused = ngettext_lazy("Not restored: %(count)s lead (%(reason)s)", "Not restored: %(count)s leads (%(reason)s)")
    progress = gettext_lazy("Restoring leads")
    alternate_modules = ()
    restoring = "lead/restore"
    columns: ClassVar[list[Column]] = [
        Column("name", gettext_lazy("Contact"), "contact.name"),
        Column("status", gettext_lazy("Status"), "status"),
        Column("by", gettext_lazy("Last changed by")),
        Column("updatedAt", gettext_lazy("When"), "updatedAt"),
    ]

    @cached_property
    def labels(self) -> dict[str, str]:
        """Return status -> its label."""
        answer = self.ask("GET", "custom-field", fields_query("lead")) if self.may("custom-field") else None
        return status_labels(answer.data if answer is not None and answer.ok else [])

    def row(self, record: Values) -> JsonObject:
        contact = record["contact"] or {}
        return super().row(
            {
                **record,
                "name": contact.get("name") or contact.get("email"),
                "email": self.labels.get(record["status"], record["status"]),
            }
        )


class OrganizationBin(Bin):
    path, name = "recycle-bin/organizations", "organization-recycle-bin"
    title = gettext_lazy("Recycle bin: organizations")
    label = gettext_lazy("Organizations")
    count = ORGANIZATIONS
    restored = ngettext_lazy("Restored %(count)s organization", "Restored %(count)s organizations")
    refused = ngettext_lazy(
        "Not restored: %(count)s organization (%(reason)s)", "Not restored: %(count)s organizations (%(reason)s)"
    )
    progress = gettext_lazy("Restoring organizations")
    alternate_modules = ()
    resource, restoring = "organization", "organization/restore"
    columns: ClassVar[list[Column]] = [
        Column("name", gettext_lazy("Name"), "name"),
        Column("domain", gettext_lazy("Domain"), "domain"),
        Column("by", gettext_lazy("Last changed by")),
        Column("updatedAt", gettext_lazy("When"), "updatedAt"),
    ]

    def row(self, record: Values) -> JsonObject:
        return super().row({**record, "email": record["domain"]})


class FileBin(Bin):
    path, name = "recycle-bin/files", "file-recycle-bin"
    title = gettext_lazy("Recycle bin: files")
    module = "file"
    label = gettext_lazy("Files")
    count = ngettext_lazy("%(count)s file", "%(count)s files")
    restored = ngettext_lazy("Restored %(count)s file", "Restored %(count)s files")
    refused = ngettext_lazy("Not restored: %(count)s file (%(reason)s)", "Not restored: %(count)s files (%(reason)s)")
    progress = gettext_lazy("Restoring files")
    alternate_modules = ()
    resource, restoring = "file/recycle-bin", "file/recycle-bin/restore"
    deleted: ClassVar[Values] = {}
    columns: ClassVar[list[Column]] = [
        Column("name", gettext_lazy("Name"), "name"),
        Column("mime", gettext_lazy("Type"), "mime"),
        Column("by", gettext_lazy("Added by"), "createdBy.name"),
        Column("trashedAt", gettext_lazy("Deleted"), "trashedAt"),
    ]

    def row(self, record: Values) -> JsonObject:
        mime = record["mime"].rpartition("/")[2]
        return super().row(
            {**record, "email": mime, "updatedBy": record["createdBy"], "updatedAt": record["trashedAt"]}
        )

    def show(self) -> Values:
        return {**super().show(), "can_empty": self.may("file", "DELETE")}

    def do_empty(self) -> HttpResponse:
        answer = self.ask("DELETE", "file/recycle-bin", None, {})
        return self.redirect_with_toast(_("Files permanently deleted")) if answer.ok else self.refuse(answer)


PAGES = [Bin, OrganizationBin, LeadBin, FileBin]
