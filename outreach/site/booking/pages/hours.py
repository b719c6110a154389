"""The pages of one's own bookable hours, and of the calendar elsewhere that is connected."""

from __future__ import annotations

import re
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form
from core.web.navigation.places import CALENDAR, MenuItem
from core.web.pages import Page
from core.web.records import shown_value
from outreach.site.booking.pages.base import BookingPages
from outreach.site.booking.pages.week import day_fields, read_week, zone_field

SUCH_AS = gettext_lazy("For example 09:00 – 12:30, 13:30 – 17:00")


class BookableHours(BookingPages):
    """The member's bookable hours in their time zone, and the external calendar whose entries block times."""

    path = "booking/hours"
    name = "booking-hours"
    menu = MenuItem(
        gettext_lazy("Your hours"),
        CALENDAR,
        30,
        "clock",
        keywords=gettext_lazy("availability working hours calendar connection google"),
    )
    title = gettext_lazy("Your hours")
    template = "web/booking/hours.html"
    module = "my-calendar"
    alternate_modules = ()

    def may(self, module: str, method: str = "GET") -> bool:
        return Page.may(self, module, method)

    @cached_property
    def hours(self) -> Values:
        stored_hours: Values = self.read("my-calendar/hours").data
        return stored_hours

    def form(self) -> Form:
        away = "\n".join(" – ".join(dict.fromkeys((span["from"], span["to"]))) for span in self.hours["away"])
        days = day_fields(self.hours["days"], _("%(example)s. Leave empty for no bookings.") % {"example": SUCH_AS})
        zone = zone_field(self.hours["timezone"], self.reader.formats.timezone, "")
        off = Field("away", _("Days off"), "textarea", initial=away)
        off.help_text = _("One day or period per line, such as 2027-08-02 – 2027-08-13.")
        fields = [*days, zone, off]
        return Form(fields=fields, initial={field.name: field.initial for field in fields})

    def show(self) -> Values:
        form = self.form() if self.may("my-calendar", "PUT") else None
        return {"form": form, **self.connection()}

    def connection(self) -> Values:
        return {"connection": self.read("my-calendar/connection").data}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        values = form.values
        body = {"timezone": values["timezone"], "days": read_week(form)}
        away = [read_away(line) for line in values["away"].splitlines() if line.strip()]
        if None in away:
            form.add_error("away", _("Enter days such as 2027-08-02 – 2027-08-13."))
        if not form.is_valid():
            return self.page({"form": form, **self.connection()}, status=422)
        answer = self.ask("PUT", "my-calendar/hours", None, {**body, "away": away})
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form, **self.connection()}, status=422)
        return self.redirect_with_toast(_("Saved"))

    def do_connect(self) -> HttpResponse:
        answer = self.ask("POST", "my-calendar/connection/authorize")
        return self.page({**self.show(), "url": answer.data["url"]}) if answer.ok else self.refuse(answer)

    def do_disconnect(self) -> HttpResponse:
        answer = self.ask("DELETE", "my-calendar/connection")
        return self.redirect_with_toast(_("Disconnected. Calendar events stay.")) if answer.ok else self.refuse(answer)

    def do_sync(self) -> HttpResponse:
        answer = self.ask("POST", "my-calendar/connection/sync")
        return self.redirect_with_toast(_("Syncing now")) if answer.ok else self.refuse(answer)


def read_away(line: str) -> dict[str, str] | None:
    """Read a day, or a range of two days."""
    days = re.findall(r"\d{4}-\d{2}-\d{2}", line)
    rest = re.sub(r"\d{4}-\d{2}-\d{2}", "", line).strip(" –-to")
    return {"from": days[0], "to": days[-1]} if len(days) in (1, 2) and not rest else None


class BookingPageHours(BookingPages):
    """The own hours of a booking page: a field for each day of the week."""

    path = "booking/pages/<str:id>/hours"
    name = "booking-page-hours"
    tab_name = gettext_lazy("Hours of the booking page")
    template = "web/booking/page_hours.html"

    @cached_property
    def record(self) -> Values:
        page: Values = self.read(f"booking-page/{self.params['id']}").data
        return page

    def form(self) -> Form:
        hint = _("%(example)s. Leave empty to use the host's hours.") % {"example": SUCH_AS}
        zone = zone_field(self.record["timezone"], self.reader.formats.timezone, _("Time zone of these hours."))
        fields = [*day_fields(self.record["days"], hint), zone]
        return Form(fields=fields, initial={field.name: field.initial for field in fields})

    def context(self) -> JsonObject:
        return {"record": self.record, "title": self.record["name"]}

    def show(self) -> Values:
        form = self.form()
        if self.may(self.module, "PUT"):
            return {**self.context(), "form": form}
        facts = [(field.label, shown_value(field, self.reader.formats)) for field in form]
        return {**self.context(), "form": None, "facts": facts}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        body = {"days": read_week(form), "timezone": form.values["timezone"]}
        if form.is_valid():
            answer = self.ask("PUT", f"booking-page/{self.params['id']}", None, body)
            if answer.ok:
                return self.redirect_with_toast(_("Saved"), self.address("booking-page", self.params["id"]))
            form.refuse(answer)
        return self.page({**self.context(), "form": form}, status=422)


class CalendarReturn(BookingPages):
    """Return page of a log-in at Google: the member completes it by a button, so that a link alone has no effect."""

    path = "booking/calendar"
    name = "calendar-return"
    title = gettext_lazy("Log-in of the calendar")
    template = "web/booking/return.html"
    module = "my-calendar"
    alternate_modules = ()

    def may(self, module: str, method: str = "GET") -> bool:
        return Page.may(self, module, method)

    def show(self) -> Values:
        return self.context(self.request.GET)

    def context(self, sent: Values, form: Form | None = None) -> JsonObject:
        whole = bool(sent.get("code") and sent.get("state")) and not sent.get("error")
        kept = [Field(name, _("Account"), "hidden", initial=sent.get(name, "")) for name in ("code", "state")]
        may = self.may("my-calendar", "POST")
        return {"refused": bool(sent.get("error")), "form": form or (Form(fields=kept) if whole and may else None)}

    def do_save(self) -> HttpResponse:
        sent = self.request.POST
        form: Form | None = self.context(sent)["form"]
        if form is None:
            return self.page(self.context(sent), status=422)
        form.bind(sent)
        answer = self.ask("POST", "my-calendar/connection", None, form.values)
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.context(sent, form), status=422)
        return self.redirect_with_toast(
            _("%(email)s connected") % {"email": answer.data["email"]}, self.address("booking-hours")
        )
