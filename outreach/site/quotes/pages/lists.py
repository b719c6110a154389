"""The list of quotes, and the start of a new one."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.filters import DATE, NUMBER, ONE_OF, YES_NO, Choice
from core.web.lists import Column
from core.web.prefills import find_named_record
from core.web.records import RecordList
from core.web.words.quotes import STATUSES
from outreach.site.quotes.pages.base import QuotePage, with_label

DELETED = ngettext_lazy("Deleted %(count)s quote", "Deleted %(count)s quotes")
MAX_FOUND = "10"


class Quotes(RecordList, QuotePage):
    path = name = "quotes"
    title = gettext_lazy("Quotes")
    adds = "quote-new"
    add_label = gettext_lazy("New quote")
    none = gettext_lazy("No quotes yet")
    count = ngettext_lazy("%(count)s quote", "%(count)s quotes")
    rows = "web/quotes/rows.html"
    picks = "web/quotes/actions.html"
    hint = gettext_lazy("Number, title, customer")
    columns = (
        Column("title", gettext_lazy("Quote"), "title"),
        Column("customer", gettext_lazy("Customer"), "contact.name"),
        Column("total", gettext_lazy("Total"), "total", css="right num"),
        Column("status", gettext_lazy("Status"), "status"),
        Column("validUntil", gettext_lazy("Valid until"), "validUntil"),
        Column("owner", gettext_lazy("Owner"), "owner.name"),
        Column("createdAt", gettext_lazy("Created"), "createdAt"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        statuses = tuple((name, str(label)) for name, (label, _tone) in STATUSES.items())
        return (
            Choice("status", _("Status"), ONE_OF, statuses),
            Choice("current", _("Latest version"), ("equals",), YES_NO, "flag"),
            Choice("owner.name", _("Owner")),
            Choice("total", _("Total"), NUMBER, kind="number"),
            Choice("validUntil", _("Valid until"), DATE, kind="date"),
        )

    def show(self) -> Values:
        context = super().show()
        return {**context, "records": [with_label(quote) for quote in context["records"]]}

    def do_delete(self) -> HttpResponse:
        sent = self.request.POST
        if "all" in sent:
            answer = self.ask("DELETE", "quote", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "quote", None, {"ids": sent.getlist("ids")})
        here = self.request.path + self.state.link()
        if not answer.ok:
            return self.refuse(answer, here)
        return self.redirect_with_toast(DELETED.of(answer.data["deletedCount"]), here)

    def do_restore(self) -> HttpResponse:
        answer = self.ask("POST", "quote/restore", None, {"ids": [self.sent_id()]})
        return self.redirect_with_toast(_("Quote restored")) if answer.ok else self.refuse(answer)


class NewQuote(QuotePage):
    """Makes a draft on a lead, which people find by a search or come from."""

    path = "quotes/new"
    name = "quote-new"
    title = gettext_lazy("New quote")
    action = title
    template = "web/quotes/new.html"

    def show(self) -> Values:
        lead = self.request.GET.get("lead", "")
        text = " ".join(self.request.GET.get("q", "").split())[:100]
        context: Values = {"text": text, "leads": (), "lead": None}
        if not self.may("lead", "POST"):
            return context
        record = find_named_record(self, "lead", lead, _("This lead no longer exists. Pick another."))
        if record is not None:
            return {**context, "lead": record}
        query = {"searchValue": text} if text else {}
        answer = self.read("lead", {"p": "1", "n": MAX_FOUND, "sortBy": "createdAt", "sortOrder": "desc", **query})
        return {**context, "leads": answer.data}

    def do_save(self) -> HttpResponse:
        answer = self.ask("POST", "quote", None, {"lead": self.sent_id("lead")})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(_("Quote created"), self.address("quote", answer.data["_id"]))
