"""The pages of calls: the list, a new one, and one of them."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.timezones import zone_of
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.contact_picker import PicksContact
from core.web.filters import DATE, Choice
from core.web.forms import Field, Fieldset, Form, options_of
from core.web.lists import ListState
from core.web.navigation.places import TASKS, MenuItem
from core.web.pages import Page

OUTCOMES = (
    ("connected", gettext_lazy("Connected")),
    ("no_answer", gettext_lazy("No answer")),
    ("busy", gettext_lazy("Busy")),
    ("voicemail", gettext_lazy("Voicemail")),
    ("wrong_number", gettext_lazy("Wrong number")),
    ("failed", gettext_lazy("Failed")),
)
DIRECTIONS = (("outbound", gettext_lazy("Outgoing")), ("inbound", gettext_lazy("Incoming")))


class Calls(Page):
    path = name = "calls"
    title = gettext_lazy("Calls")
    template = "web/calls/list.html"
    module = "lead-activity"
    menu = MenuItem(gettext_lazy("Calls"), TASKS, 20, "phone", keywords=gettext_lazy("call log phone"))

    choices = (
        Choice("contact.name", gettext_lazy("Contact")),
        Choice("member.name", gettext_lazy("Member")),
        Choice("direction", gettext_lazy("Direction"), ("in",), DIRECTIONS),
        Choice("outcome", gettext_lazy("Outcome"), ("in",), OUTCOMES),
        Choice("startedAt", gettext_lazy("When"), DATE, kind="date"),
    )

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {choice.name: choice for choice in self.choices}, zone=self.zone_name)

    def show(self) -> Values:
        query = {**self.state.query(), "sortBy": "startedAt", "sortOrder": "desc"}
        answer = self.read("calllog", query)
        return {
            "calls": answer.data,
            "state": self.state,
            "choices": self.choices,
            "counted": CALLS.of(answer.total),
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }


CALLS = ngettext_lazy("%(count)s call", "%(count)s calls")
CALL_ROWS = (Fieldset("", (("direction", "outcome"), ("startedAt", "minutes"), "notes", "recording")),)


NEW_CALL_ROWS = (
    Fieldset(gettext_lazy("Contact"), ("contact", "number")),
    Fieldset(gettext_lazy("Call"), CALL_ROWS[0].fields),
)


class CallPage(Page):
    module = "lead-activity"
    menu = Calls.menu

    def form(self, values: Values | None = None) -> Form:
        directions = options_of(DIRECTIONS)
        outcomes = options_of(OUTCOMES)
        return Form(
            fields=[
                Field("direction", _("Direction"), "select", required=True, options=directions, initial="outbound"),
                Field("outcome", _("Outcome"), "select", required=True, options=outcomes, initial="connected"),
                Field("startedAt", _("When"), "datetime-local"),
                Field("minutes", _("Minutes"), "number"),
                Field("notes", _("Notes"), "textarea"),
                Field("recording", _("Recording URL"), "url", placeholder="https://"),
            ],
            initial=values,
            fieldsets=CALL_ROWS,
        )

    @staticmethod
    def body(values: Values) -> JsonObject:
        """Return the API's body for values of the form."""
        payload = {name: value for name, value in values.items() if name != "minutes"}
        if "minutes" in values:
            minutes = values["minutes"]
            payload["duration"] = round(minutes * 60) if isinstance(minutes, int | float) else minutes or 0
        return payload

    def refused(self, form: Form, answer: Answer, context: Values) -> HttpResponse:
        """Show the form again; the API counts seconds, the form minutes."""
        form.refuse(answer, lambda path: "minutes" if path == "duration" else path)
        return self.page({**context, "form": form}, status=422)


class NewCall(CallPage, PicksContact):
    """A call with the picked contact, or with the contact that has the number."""

    path = "calls/new"
    name = "call-new"
    title = gettext_lazy("Log a call")
    action = title
    template = "web/calls/new.html"

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.fields["startedAt"].help_text = _("Leave empty to use the current time.")
        picker = self.contact_field(help_text=_("Pick a contact, or enter a number."))
        if picker:
            form.insert(picker, before="direction")
        help = _("With country code, such as +49 30 1234567.")
        form.insert(Field("number", _("Number"), "tel", required=picker is None, help_text=help), before="direction")
        form.fieldsets = NEW_CALL_ROWS
        return form

    def show(self) -> Values:
        return {"form": self.form() if self.may("lead-activity", "POST") else None}

    def with_form(self, form: Form, status: int = 200) -> HttpResponse:
        return self.page({"form": form if self.may("lead-activity", "POST") else None}, status=status)

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        if "contact" in values:
            values.pop("number", None)
        answer = self.ask("POST", "calllog", None, self.body(values))
        if not answer.ok:
            return self.refused(form, answer, {})
        return self.redirect_with_toast(_("Call logged"), self.address("calls"))


class EditCall(CallPage):
    path = "calls/<str:id>"
    name = "call"
    title = gettext_lazy("Call")
    template = "web/calls/detail.html"

    @property
    def resource(self) -> str:
        return f"calllog/{self.params['id']}"

    @cached_property
    def call(self) -> Values:
        call_log: Values = self.read(self.resource).data
        return call_log

    def values(self) -> JsonObject:
        """Return its values by the names of the form."""
        started = datetime.fromisoformat(self.call["startedAt"]).astimezone(zone_of(self.reader.formats.timezone))
        minutes = self.call["duration"] / 60
        shown = int(minutes) if minutes.is_integer() else round(minutes, 2)
        return {**self.call, "startedAt": f"{started:%Y-%m-%dT%H:%M}", "minutes": shown}

    def show(self) -> Values:
        return {"one": self.call, "form": self.form(self.values()) if self.may("lead-activity", "PUT") else None}

    def do_save(self) -> HttpResponse:
        before = self.values()
        form = self.form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.page({"one": self.call, "form": form}, status=422)
        changed = form.changed(before)
        if not changed:
            return self.report_unchanged(self.address("calls"))
        answer = self.ask("PUT", self.resource, None, self.body(changed))
        if not answer.ok:
            return self.refused(form, answer, {"one": self.call})
        return self.redirect_with_toast(_("Call saved"), self.address("calls"))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "calllog", None, {"ids": [self.params["id"]]})
        return self.redirect_with_toast(_("Call deleted"), self.address("calls")) if answer.ok else self.refuse(answer)
