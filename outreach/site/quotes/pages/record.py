"""A quote: the editor of a draft, and the record of a sent one."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.ids import new_id
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form, Option
from outreach.site.quotes.pages.base import QuotePage, with_label

TEXTS = ("product", "name", "description", "unit")
NUMBERS = ("quantity", "unitPrice", "discount", "tax")
EMPTY_LINE = {**dict.fromkeys((*TEXTS, *NUMBERS), ""), "quantity": "1"}
FIELDSETS = (
    Fieldset(gettext_lazy("Quote"), ("title", ("validUntil", "currency"), "owner")),
    Fieldset(gettext_lazy("Texts"), ("notes", "terms")),
)


class QuoteForm(Form):
    fieldsets = FIELDSETS
    title = Field(label=gettext_lazy("Title"), required=True)
    validUntil = Field(label=gettext_lazy("Valid until"), kind="date", required=True)
    currency = Field(label=gettext_lazy("Currency"), required=True, placeholder="EUR")
    owner = Field(label=gettext_lazy("Owner"), kind="select", placeholder=gettext_lazy("Nobody"))
    notes = Field(label=gettext_lazy("Introduction"), kind="textarea", help_text=gettext_lazy("Above the lines."))
    terms = Field(label=gettext_lazy("Terms"), kind="textarea", help_text=gettext_lazy("Below the lines."))


class QuoteRecord(QuotePage):
    """Shared parts of the pages of a quote."""

    record_kind = ("quote", gettext_lazy("Quotes"))

    @cached_property
    def quote(self) -> JsonObject:
        return with_label(self.read(f"quote/{self.params['id']}").data)

    @property
    def place(self) -> str:
        """Return the address of the quote's page."""
        return self.address("quote", self.params["id"])

    def act(self, path: str, text: str) -> HttpResponse:
        """Ask for an action of the quote, and lead to the quote that it answers with."""
        answer = self.ask("POST", f"quote/{self.params['id']}/{path}")
        if not answer.ok:
            return self.refuse(answer, self.place)
        return self.redirect_with_toast(text, self.address("quote", answer.data["_id"]))


class Quote(QuoteRecord):
    path = "quotes/<str:id>"
    name = "quote"
    tab_name = gettext_lazy("Quote")
    template = "web/quotes/quote.html"

    @property
    def is_editable(self) -> bool:
        return bool(self.quote["status"] == "draft" and self.may("lead", "PUT"))

    def form(self) -> Form:
        values = {**self.quote, "owner": (self.quote["owner"] or {}).get("_id", "")}
        moment = datetime.fromisoformat(self.quote["validUntil"])
        values["validUntil"] = moment.astimezone(zone_of(self.zone_name)).date().isoformat()
        form = QuoteForm(initial=values)
        members = self.options_of("member", fields="name,email", filters={"status": ["owner", "accepted"]})
        if members:
            form.fields["owner"].options = members
        else:
            del form.fields["owner"]
        return form

    @cached_property
    def products(self) -> list[Option]:
        """The products that a line may be about."""
        return self.options_of("product-service", filters={"isActive": True})

    def context(self, lines: list[Values] | None = None) -> JsonObject:
        quote = self.quote
        shown = {**quote, "lines": [shown_line(line) for line in quote["lines"]], "taxes": shown_taxes(quote["taxes"])}
        context: JsonObject = {"quote": shown, "title": f"{quote['label']} · {quote['title']}"}
        if self.is_editable:
            stored = [shown_line(line) for line in quote["lines"]]
            context |= {"lines": lines if lines is not None else stored or [EMPTY_LINE], "products": self.products}
        return context

    def show(self) -> Values:
        return {**self.context(), "form": self.form() if self.is_editable else None}

    def sent_lines(self) -> list[Values]:
        """Return the lines of the form, without empty ones."""
        sent = self.request.POST
        columns = {name: sent.getlist(f"line-{name}") for name in (*TEXTS, *NUMBERS)}
        rows = zip(*columns.values(), strict=False)
        lines = [dict(zip(columns, row, strict=True)) for row in rows]
        return [line for line in lines if any(line[name].strip() for name in ("name", "product", "unitPrice"))]

    def do_save(self) -> HttpResponse:
        act, _dash, position = self.request.POST.get("act", "").partition("-")
        form = self.form().bind(self.request.POST)
        lines = self.sent_lines()
        if act:
            return self.page({**self.context(changed_lines(lines, act, position, self.request.POST)), "form": form})
        if not form.is_valid():
            return self.page({**self.context(lines), "form": form}, status=422)
        body: JsonObject = {**form.cleaned_data, "lines": [line_body(line) for line in lines]}
        body["owner"] = body.get("owner") or None
        if "owner" not in form.fields:
            del body["owner"]
        answer = self.ask("PUT", f"quote/{self.params['id']}", None, body)
        if not answer.ok:
            form.refuse(answer)
            return self.page({**self.context(lines), "form": form}, status=422)
        return self.saved()

    def saved(self) -> HttpResponse:
        """Lead on after the draft was saved, as the button says."""
        do = self.request.POST.get("do", "")
        if do == "mark":
            return self.act("mark-sent", _("Quote marked as sent"))
        to = self.address("quote-send", self.params["id"]) if do == "send" else self.place
        return self.redirect_with_toast(_("Quote saved"), to)

    def do_send(self) -> HttpResponse:
        return self.do_save()

    def do_pdf(self) -> HttpResponse:
        return self.download(f"quote/{self.params['id']}/pdf")

    def do_revise(self) -> HttpResponse:
        return self.act("revise", _("New version created"))

    def do_mark(self) -> HttpResponse:
        return self.do_save()

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"quote/{self.params['id']}")
        if not answer.ok:
            return self.refuse(answer, self.place)
        back = {"do": "restore", "id": self.params["id"]} if self.may("lead", "POST") else None
        return self.redirect_with_toast(_("Quote deleted"), self.address("quotes"), back=back)


class MailForm(Form):
    smtp = Field(label=gettext_lazy("From"), kind="select", placeholder=gettext_lazy("Usual sender"))
    subject = Field(label=gettext_lazy("Subject"), required=True)
    text = Field(
        label=gettext_lazy("Text"),
        kind="textarea",
        required=True,
        help_text=gettext_lazy("{{quote.link}} becomes the link to the quote."),
    )


class SendQuote(QuoteRecord):
    path = "quotes/<str:id>/send"
    name = "quote-send"
    tab_name = gettext_lazy("Send a quote")
    template = "web/quotes/send.html"
    record_kind = ("", "")

    def form(self) -> Form:
        words = self.read(f"quote/{self.params['id']}/send").data
        form = MailForm(initial=words)
        form.fields["smtp"].options = [
            Option(sender["_id"], f"{sender['fromName']} <{sender['fromEmail']}>") for sender in words["senders"]
        ]
        if len(words["senders"]) < 2:
            del form.fields["smtp"]
        return form

    def show(self) -> Values:
        quote = self.quote
        may = self.may("lead", "POST") and self.may("genie", "POST")
        key = self.request.POST.get("key", "") or new_id()
        return {
            "quote": quote,
            "title": _("Send quote %(number)s") % {"number": quote["label"]},
            "form": self.form() if may else None,
            "key": key[:24],
        }

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        values = {name: value for name, value in form.cleaned_data.items() if value}
        body: JsonObject = {**values, "key": self.request.POST.get("key", "")[:24]}
        answer = self.ask("POST", f"quote/{self.params['id']}/send", None, body)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_with_toast(_("Quote sent"), self.place)


def shown_line(line: Values) -> JsonObject:
    """Return a line with its numbers as inputs have them."""
    shown = {**line, "product": line["product"] or "", **{name: number_text(line[name]) for name in NUMBERS}}
    return {**shown, **{name: "" for name in ("discount", "tax") if not line[name]}}


def shown_taxes(taxes: list[Values]) -> list[JsonObject]:
    return [{**tax, "rate": number_text(tax["rate"])} for tax in taxes]


def number_text(number: float) -> str:
    """Write a number without trailing zeros."""
    return f"{Decimal(str(number)).normalize():f}"


def line_body(line: Values) -> JsonObject:
    """Return a line of the form as the API takes it."""
    body: JsonObject = {name: line[name] for name in TEXTS}
    body["product"] = line["product"] or None
    for name in NUMBERS:
        if line[name].strip():
            body[name] = number_of(line[name])
    return body


def number_of(text: str) -> float | str:
    """Return the number of an input. The API refuses any other text."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def changed_lines(lines: list[Values], act: str, position: str, sent: Values) -> list[Values]:
    """Return the lines with one added, removed or moved up."""
    place = int(position) if position.isdecimal() else -1
    if act == "add":
        return [*lines, EMPTY_LINE]
    if act == "remove" and 0 <= place < len(lines):
        return [*lines[:place], *lines[place + 1 :]] or [EMPTY_LINE]
    if act == "up" and 0 < place < len(lines):
        return [*lines[: place - 1], lines[place], lines[place - 1], *lines[place + 1 :]]
    return lines
