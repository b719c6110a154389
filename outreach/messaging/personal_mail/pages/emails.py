"""The pages of one email: a new one, its draft, and a stored one."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.contact_picker import PicksContact
from core.web.forms import Form
from core.web.pages import Refused
from outreach.messaging.personal_mail.pages.base import shown
from outreach.messaging.personal_mail.pages.composer import Composer

FIXED = ("sending", "sent", "unknown")
"""Statuses of emails that nobody can change."""


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
        except Refused as refused:
            if refused.status != 404 or self.request.method != "GET" or self.given("id"):
                raise
            self.warn(_("This contact no longer exists. Choose another."))
            return True

    def form(self, values: Values | None = None) -> Form:
        if not self.is_picking:
            return super().form(values)
        picker = self.contact_field(help_text=_("The contact needs an email address."))
        return Form(fields=[picker] if picker else [])

    def with_form(self, form: Form, status: int = 200) -> HttpResponse:
        return self.page({"picker": form, "can_send": self.may("genie", "POST")}, status=status)

    def show(self) -> Values:
        if self.is_picking:
            return {"picker": self.form(), "can_send": self.may("genie", "POST")}
        return super().show()

    def do_choose(self) -> HttpResponse:
        """Go on to the form of the email to the chosen contact."""
        chosen = self.given("contact")
        if not chosen:
            return self.fail(_("Choose a contact first"))
        return self.done(to=self.address("email-new", contact=chosen))


class KeptDraft(NewEmail):
    """A draft that is kept while its member writes: a part of the form that names it."""

    path = "emails/draft"
    name = "email-draft"
    title = gettext_lazy("New email: draft")
    action = ""

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if self.mail is not None and not self.mail["draft"]:
            return HttpResponse(status=204)
        answer = self.keep(form, draft=True)
        context = {"mail": answer.data if answer.ok else self.mail, "kept": answer.ok, "reason": answer.refusal}
        return self.page(context, template="web/emails/kept.html")


class Email(Composer):
    path = "emails/<str:id>"
    name = "email"
    tab_name = gettext_lazy("Email")

    def show(self) -> Values:
        mail = self.mail or {}
        if mail["status"] in FIXED or not self.may("genie", "PUT"):
            return {"mail": shown(mail), "title": mail["subject"] or _("Email"), "form": None, "to": self.to}
        return {**super().show(), "stored": shown(mail)}

    def do_undo(self) -> HttpResponse:
        """Make a draft of the email."""
        answer = self.ask("PUT", f"message/{self.params['id']}", None, {"draft": True})
        if answer.ok:
            return self.done(_("Not sent. It is in your drafts."), self.request.path)
        return self.fail(_("Too late to undo: the email is already sent"), self.request.path)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"message/{self.params['id']}")
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done(_("Email deleted"), self.address("emails"))
