"""The pages of one email: a new one, its draft, and a stored one."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.contact_picker import PicksContact
from core.web.forms import Field, Form, Option
from core.web.pages import PageError
from outreach.messaging.personal_mail.pages.base import with_status_label
from outreach.messaging.personal_mail.pages.composer import Composer

FIXED = ("sending", "sent", "unknown")
"""Statuses of emails that nobody can change."""
MAX_COLLEAGUES = "50"
"""Contacts of an organization to choose from."""


class NewEmail(Composer, PicksContact):
    path = "emails/new"
    name = "email-new"
    title = gettext_lazy("New email")
    action = title

    @cached_property
    def is_picking(self) -> bool:
        """True while the person is still to be chosen, or is gone."""
        if self.request.POST.get("do") in ("find", "unpick", "choose"):
            return True
        if not any(self.request.POST.get(name) or self.request.GET.get(name) for name in ("contact", "lead", "id")):
            return True
        try:
            return not self.person
        except PageError as refused:
            if refused.status != 404 or self.request.method != "GET" or self.requested_id("id"):
                raise
            self.add_error_toast(_("This contact no longer exists. Choose another."))
            return True

    @cached_property
    def colleagues(self) -> list[Values]:
        """The contacts of the organization that the address names, who have an email address."""
        organization = self.requested_id("organization")
        if not organization or not self.may("contact"):
            return []
        conditions = [
            {"field": "organization", "operator": "equals", "value": organization},
            {"field": "email", "operator": "isNotEmpty"},
        ]
        query = {"advancedFilters": {"operator": "and", "conditions": conditions}, "p": "1", "n": MAX_COLLEAGUES}
        answer = self.ask("GET", "contact", {**query, "sortBy": "name", "sortOrder": "asc"})
        return answer.data if answer.ok else []

    def form(self, values: Values | None = None) -> Form:
        if not self.is_picking:
            return super().form(values)
        if self.colleagues:
            options = [Option(contact["_id"], person_label(contact)) for contact in self.colleagues]
            return Form(fields=[Field("contact", _("Contact"), "radio", options=options, required=True)])
        picker = self.contact_field(help_text=_("The contact needs an email address."))
        return Form(fields=[picker] if picker else [])

    def with_form(self, form: Form, status: int = 200) -> HttpResponse:
        return self.page(self.picking(form), status=status)

    def picking(self, form: Form) -> Values:
        """Return the context of the choice of a contact."""
        organization = self.requested_id("organization")
        back = self.address("organization", organization) if organization else self.address("emails")
        here = self.address("email-new", **({"organization": organization} if organization else {}))
        return {"picker": form, "can_send": self.may("genie", "POST"), "here": here, "back": back}

    def show(self) -> Values:
        if self.is_picking:
            if self.requested_id("organization") and not self.colleagues:
                self.add_error_toast(_("No contact of this organization has an email address. Choose another."))
            return self.picking(self.form())
        return super().show()

    def do_choose(self) -> HttpResponse:
        """Go on to the form of the email to the chosen contact."""
        chosen = self.requested_id("contact")
        if not chosen:
            return self.fail(_("Choose a contact first"), self.request.get_full_path())
        return self.redirect_with_toast(to=self.address("email-new", contact=chosen))


class KeptDraft(NewEmail):
    """A draft that is kept while its member writes: a part of the form that names it."""

    path = "emails/draft"
    name = "email-draft"
    title = gettext_lazy("New email: draft")
    action = ""

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.keep_draft(form)
        if answer.ok and not answer.data["draft"]:
            return HttpResponse(status=204)
        context = {"mail": answer.data if answer.ok else self.mail, "kept": answer.ok, "reason": answer.refusal}
        return self.page(context, template="web/emails/kept.html")


class Email(Composer):
    path = "emails/<str:id>"
    name = "email"
    tab_name = gettext_lazy("Email")

    def show(self) -> Values:
        mail = self.mail or {}
        if mail["status"] in FIXED or not self.may("genie", "PUT"):
            return {
                "mail": with_status_label(mail),
                "title": mail["subject"] or _("Email"),
                "form": None,
                "to": self.to,
            }
        return {**super().show(), "stored": with_status_label(mail)}

    def do_undo(self) -> HttpResponse:
        """Make a draft of the email."""
        answer = self.ask("PUT", f"message/{self.params['id']}", None, {"draft": True})
        if answer.ok:
            return self.redirect_with_toast(_("Not sent. It is in your drafts."), self.request.path)
        return self.fail(_("Too late to undo: the email is already sent"), self.request.path)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"message/{self.params['id']}")
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(_("Email deleted"), self.address("emails"))


def person_label(contact: Values) -> str:
    """Return the label of a contact in a choice."""
    if not contact["name"]:
        return str(contact["email"])
    return _("%(name)s (%(email)s)") % {"name": contact["name"], "email": contact["email"]}
