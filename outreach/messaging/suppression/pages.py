"""The page of addresses that are never written to."""

from __future__ import annotations

import re
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.ids import is_id
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.filters import Choice
from core.web.forms import Field, Form, options_of
from core.web.forms.from_input import form_from_input
from core.web.lists import Column, ListState
from core.web.navigation.places import OUTREACH, MenuItem
from core.web.pages import Page
from outreach.messaging.suppression.serializers import SuppressionCreate

REASONS = {
    "manual": gettext_lazy("Requested"),
    "unsubscribed": gettext_lazy("Unsubscribed"),
    "bounced": gettext_lazy("No such mailbox"),
    "complained": gettext_lazy("Complained"),
}
"""Reason -> its label."""
STATES = {
    "queued": (gettext_lazy("Waiting"), "none"),
    "running": (gettext_lazy("Importing"), "info"),
    "paused": (gettext_lazy("Paused"), "warn"),
    "completed": (gettext_lazy("Completed"), "ok"),
    "failed": (gettext_lazy("Stopped"), "bad"),
    "cancelled": (gettext_lazy("Cancelled"), "none"),
}
"""Status of an import -> its word and tone."""
SHOWN = 10
"""Imports that the page of many addresses lists."""


SuppressionForm = form_from_input(
    SuppressionCreate,
    {"email": gettext_lazy("Address"), "reason": gettext_lazy("Reason"), "source": gettext_lazy("Source")},
    kinds={"email": "email"},
    options={"reason": options_of(REASONS.items())},
    initial={"reason": "manual"},
    placeholders={"email": "ann@example.org", "source": gettext_lazy("Call on Monday")},
    required=("email", "reason"),
)


class Suppressions(Page):
    path = name = "suppressions"
    title = gettext_lazy("Suppression list")
    template = "web/suppressions/list.html"
    module = "genie"
    menu = MenuItem(
        gettext_lazy("Suppression list"),
        OUTREACH,
        60,
        "mail-x",
        keywords=gettext_lazy("do not contact unsubscribes unsubscribed blocklist blacklist bounces opt-out"),
    )
    columns = (
        Column("email", gettext_lazy("Address"), "email"),
        Column("reason", gettext_lazy("Reason"), "reason"),
        Column("source", gettext_lazy("Source")),
        Column("createdBy", gettext_lazy("Added by")),
        Column("createdAt", gettext_lazy("Added"), "createdAt"),
    )
    choices = (
        Choice("reason", gettext_lazy("Reason"), ("in",), tuple(REASONS.items())),
        Choice("source", gettext_lazy("Source"), ("contains", "equals")),
    )

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {choice.name: choice for choice in self.choices}, zone=self.zone_name)

    def show(self) -> Values:
        answer = self.read("suppression", self.state.query())
        return {
            "state": self.state,
            "choices": self.choices,
            "columns": self.columns,
            "rows": [
                {**row, "words": REASONS.get(row["reason"], row["reason"]), **self.where_from(row)}
                for row in answer.data
            ],
            "total": answer.total,
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
            "form": self.form(),
        }

    def where_from(self, row: Values) -> dict[str, str]:
        """Return the label of an address's origin, and its page: a message, or the file of an import."""
        job = row["details"].get("import", "") if isinstance(row["details"], dict) else ""
        if is_id(row["source"]):
            return {"source": _("A message"), "address": self.address("message", row["source"])}
        return {"address": self.address("suppression-import", job) if is_id(job) else ""}

    def form(self) -> Form:
        return SuppressionForm()

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "suppression", None, {name: value for name, value in form.values.items() if value})
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_with_toast(_("%(email)s is on the suppression list") % {"email": answer.data["email"]})

    def do_delete(self) -> HttpResponse:
        sent, here = self.request.POST, self.request.path + self.state.link()
        if "all" in sent:
            answer = self.ask("DELETE", "suppression", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "suppression", None, {"ids": sent.getlist("ids")})
        if not answer.ok:
            return self.refuse(answer, here)
        return self.redirect_with_toast(REMOVED.of(answer.data["deletedCount"]), here)


ADDED = ngettext_lazy(
    "%(count)s address added, %(listed)s listed before", "%(count)s addresses added, %(listed)s listed before"
)
REMOVED = ngettext_lazy(
    "Removed %(count)s address from the suppression list", "Removed %(count)s addresses from the suppression list"
)


def addresses_of(pasted: str) -> list[str]:
    """Return the parts between spaces, commas and semicolons, and of `Name <address>` the address."""
    lines = re.split(r"[\n,;]", pasted)
    return [part for line in lines for part in (re.findall(r"<([^<>]+)>", line) or line.split())] or [""]


class ManySuppressions(Page):
    path = "suppressions/many"
    name = "suppressions-many"
    title = gettext_lazy("Add many addresses")
    template = "web/suppressions/many.html"
    module = "genie"
    menu = Suppressions.menu

    def show(self) -> Values:
        answer = self.read("suppression/import", {"p": "1", "n": str(SHOWN)})
        return {**self.rights(), "form": self.form(), "imports": answer.data}

    def rights(self) -> dict[str, bool]:
        return {"may_add": self.may("genie", "POST"), "may_upload": self.may("file", "POST")}

    def form(self) -> Form:
        reasons = options_of(REASONS.items())
        return Form(
            fields=[
                Field(
                    "emails",
                    _("Addresses"),
                    "textarea",
                    True,
                    help_text=_("One per line or separated by commas. At most 1,000."),
                ),
                Field("reason", _("Reason"), "select", True, options=reasons, initial="manual"),
                Field("source", _("Source")),
            ]
        )

    def do_paste(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        values = {name: value for name, value in form.values.items() if value and name != "emails"}
        emails = addresses_of(form.values["emails"] or "")
        answer = self.ask(
            "POST", "suppression/bulk", None, {"formData": [{"email": entry, **values} for entry in emails]}
        )
        if not answer.ok:
            return self.invalid(form, answer)
        failed = answer.data["failed"]
        said = ADDED.of(len(answer.data["created"]), listed=f"{len(answer.data['updated']):,}")
        if failed:
            form["emails"].replace("\n".join(str(entry["formData"]["email"]) for entry in failed))
            form.add_error(None, f"{said}. {_('The remaining lines are not addresses.')}")
            return self.page({**self.show(), "form": form}, status=422)
        return self.redirect_with_toast(said, self.address("suppressions"))

    def do_check(self) -> HttpResponse:
        if "file" not in self.request.FILES:
            return self.refused(_("Choose a file first."))
        uploaded = self.upload()
        if not uploaded.ok:
            return self.refused(uploaded.reason)
        file, reason = uploaded.data["_id"], self.request.POST.get("reason", "manual")
        answer = self.ask("POST", "suppression/import/check", None, {"fileId": file, "reason": reason})
        if not answer.ok:
            return self.refused(answer.reason)
        return self.page({**self.rights(), "checked": answer.data, "file": file, "reason": reason})

    def do_import(self) -> HttpResponse:
        body = {"fileId": self.sent_id("file"), "reason": self.request.POST.get("reason", "manual")}
        answer = self.ask("POST", "suppression/import", None, body)
        if not answer.ok:
            return self.refused(answer.reason)
        return self.redirect_with_toast(_("Import started"), self.address("suppression-import", answer.data["_id"]))

    def refused(self, text: str) -> HttpResponse:
        return self.page({**self.show(), "trouble": text}, status=422)


class SuppressionImport(Page):
    path = "suppressions/imports/<str:id>"
    name = "suppression-import"
    tab_name = gettext_lazy("Suppressed addresses")
    template = "web/suppressions/import.html"
    module = "genie"
    menu = Suppressions.menu

    def show(self) -> Values:
        job = self.read(f"suppression/import/{self.params['id']}").data
        word, tone = STATES[job["status"]]
        name = (job["file"] or {}).get("name") or _("Deleted file")
        return {
            "job": job,
            "title": name,
            "word": word,
            "tone": tone,
            "moving": job["status"] in ("queued", "running"),
            "percent": 100 * job["processed"] // job["total"] if job["total"] else 0,
            "stats": [(_("Added"), job["added"]), (_("Listed before"), job["listed"]), (_("Skipped"), job["failed"])],
            "added": self.address("suppressions", f=f"source:equals:{name}") if job["added"] else "",
        }

    def do_cancel(self) -> HttpResponse:
        answer = self.ask("POST", f"suppression/import/{self.params['id']}/cancel")
        return (
            self.redirect_with_toast(_("Import stopped. Added addresses are kept."))
            if answer.ok
            else self.refuse(answer)
        )


PAGES = [Suppressions, ManySuppressions, SuppressionImport]
