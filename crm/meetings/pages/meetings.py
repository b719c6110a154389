"""The page of a meeting with its participants, and parts shared with that of a new one."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.text.labels.counts import MINUTES_BEFORE, SPANS
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.pages import Page
from crm.meetings.pages.calendar import Calendar

LENGTHS = (15, 30, 60, 120)
REMINDERS = {
    "0": gettext_lazy("At the start"),
    "15": gettext_lazy("15 minutes before"),
    "60": gettext_lazy("1 hour before"),
    "1440": gettext_lazy("1 day before"),
}
RESULTS = {"held": gettext_lazy("Held"), "noShow": gettext_lazy("No-show")}
"""Result of a meeting -> its badge."""
MARKS = {"held": gettext_lazy("Mark as held"), "noShow": gettext_lazy("Mark as no-show")}
"""Result of a meeting -> the button that gives it."""
WORKING = {"status": ["owner", "accepted"]}
FOUND = 10
"""Contacts that a search shows."""


MEETING_ROWS = (Fieldset("", ("title", ("startsAt", "durationMinutes"), ("place", "link"), REST)),)


def length_text(minutes: int) -> str:
    """Write the length of a meeting, full hours from one to two as hours."""
    return SPANS["hours"].of(minutes // 60) if minutes in (60, 120) else SPANS["minutes"].of(minutes)


class MeetingPage(Page):
    module = "meeting"
    menu = Calendar.menu

    def form(self, values: Values | None = None) -> Form:
        values = values or {}
        lengths = {*LENGTHS, *([int(values["durationMinutes"])] if values.get("durationMinutes") else [])}
        options = [Option(str(minutes), length_text(minutes)) for minutes in sorted(lengths)]
        reminders = {**REMINDERS}
        if values.get("remindMinutes"):
            reminders.setdefault(str(values["remindMinutes"]), MINUTES_BEFORE.of(int(values["remindMinutes"])))
        remind = [Option(value, label) for value, label in reminders.items()]
        return Form(
            fields=[
                Field("title", _("Title"), required=True, autofocus=not values),
                Field("startsAt", _("Starts"), "datetime-local", required=True),
                Field("durationMinutes", _("Duration"), "select", required=True, options=options, initial="30"),
                Field("place", _("Location")),
                Field("link", _("Video call link"), "url", placeholder="https://"),
                Field("remindMinutes", _("Email reminder"), "select", options=remind, placeholder=_("No")),
                Field("description", _("Description"), "textarea"),
            ],
            initial=values,
            fieldsets=MEETING_ROWS,
        )

    @staticmethod
    def body(values: Values) -> JsonObject:
        """Return the API's body for values of the form."""
        payload = dict(values)
        for name in ("durationMinutes", "remindMinutes"):
            if str(payload.get(name, "")).isdecimal():
                payload[name] = int(payload[name])
        if payload.get("remindMinutes") == "":
            payload["remindMinutes"] = None
        return payload

    def members(self) -> list[Values]:
        query = {"filters": WORKING, "sortBy": "name", "sortOrder": "asc", "p": "1", "n": "200"}
        answer = self.ask("GET", "member", query) if self.may("member") else None
        return answer.data if answer is not None and answer.ok else []

    def contacts(self, text: str) -> list[Values]:
        """Return the first contacts with an address that the text finds."""
        condition = {"field": "email", "operator": "isNotEmpty"}
        return self._contacts({"searchValue": text, "n": str(FOUND)}, condition)

    def contacts_of(self, ids: list[str]) -> list[Values]:
        """Return the contacts with these ids."""
        return self._contacts({"n": str(len(ids))}, {"field": "_id", "operator": "in", "value": ids})

    def _contacts(self, query: Values, condition: Values) -> list[Values]:
        query = {**query, "p": "1", "advancedFilters": {"operator": "and", "conditions": [condition]}}
        answer = self.ask("GET", "contact", query) if self.may("contact") else None
        return answer.data if answer is not None and answer.ok else []


class EditMeeting(MeetingPage):
    """A meeting with its participants and its subject; members with permission change it here."""

    alternate_modules = ("videocall", "my-videocall", "offline-meeting")

    path = "meetings/<str:id>"
    name = "meeting"
    tab_name = gettext_lazy("Meeting")
    template = "web/meetings/detail.html"

    @cached_property
    def shows(self) -> str:
        """The path of the API that shows the reader the meeting."""
        ways = [path for path in (self.module, *self.alternate_modules) if self.may(path)]
        readable = (path for path in ways[:-1] if self.ask("GET", f"{path}/{self.params['id']}").ok)
        return next(readable, ways[-1]) if len(ways) > 1 and ways[0] != self.module else ways[0]

    @property
    def resource(self) -> str:
        return f"{self.shows}/{self.params['id']}"

    @cached_property
    def meeting(self) -> Values:
        record: Values = self.read(self.resource).data
        return record

    @property
    def changeable(self) -> bool:
        return self.may(self.shows, "PUT") and self.meeting["status"] == "scheduled"

    def booking(self) -> Values | None:
        """Return the visitor's booking with their answers; None without one."""
        if not (self.may("calendar") or self.may("my-calendar")):
            return None
        answer = self.ask("GET", "booking", {"filters": {"meeting": self.params["id"]}, "p": "1", "n": "1"})
        if not answer.ok or not answer.data:
            return None
        answers = {key.replace("_", " ").capitalize(): value for key, value in answer.data[0]["answers"].items()}
        said = [(key, ", ".join(value) if isinstance(value, list) else value) for key, value in answers.items()]
        return {**answer.data[0], "said": said}

    def values(self) -> JsonObject:
        """Return the meeting's values by the names of the form."""
        remind = self.meeting["remindMinutes"]
        return {
            **self.meeting,
            "startsAt": self.meeting["startsAtLocal"][:16],
            "durationMinutes": str(self.meeting["durationMinutes"]),
            "remindMinutes": "" if remind is None else str(remind),
        }

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        if self.meeting["timezone"] != self.reader.formats.timezone:
            form.fields["startsAt"].help_text = _("Time zone: %(timezone)s.") % {"timezone": self.meeting["timezone"]}
        return form

    def show(self) -> Values:
        return self.context(self.form(self.values()) if self.changeable else None)

    def context(self, form: Form | None) -> JsonObject:
        there = {person[kind] for person in self.meeting["attendees"] for kind in ("member", "contact")}
        there.add(self.meeting["organizer"]["_id"])
        find = self.request.GET.get("find", "").strip()
        return {
            "meeting": self.meeting,
            "title": self.meeting["title"],
            "form": form,
            "people": [person for person in self.members() if person["_id"] not in there] if form else [],
            "find": find,
            "found": [person for person in self.contacts(find) if person["_id"] not in there] if form and find else [],
            "is_over": self.meeting["status"] == "cancelled",
            "result": RESULTS.get(self.meeting["result"], ""),
            "results": self._results() if form else [],
            "booking": self.booking(),
        }

    def do_save(self) -> HttpResponse:
        before = self.values()
        form = self.form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.page(self.context(form), status=422)
        changed = form.changed(before)
        if not changed:
            return self.report_unchanged()
        answer = self.ask("PUT", self.resource, None, self.body(changed))
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.context(form), status=422)
        if answer.notice:
            return self.redirect_with_toast(_("Meeting saved. %(notice)s") % {"notice": answer.notice})
        return self.redirect_with_toast(_("Meeting saved"))

    def _results(self) -> list[tuple[str, str]]:
        """Return the results that a meeting which has begun can be marked with, and their labels."""
        if datetime.fromisoformat(self.meeting["startsAtLocal"]) > timezone.now():
            return []
        return [(value, str(label)) for value, label in MARKS.items() if value != self.meeting["result"]]

    def do_result(self) -> HttpResponse:
        """Mark the meeting as held or as a no-show."""
        result = self.request.POST.get("result", "")
        before = self.meeting["result"]
        answer = self.ask("PUT", self.resource, None, {"result": result})
        if not answer.ok:
            return self.refuse(answer)
        text = _("Marked as held") if result == "held" else _("Marked as no-show")
        return self.redirect_with_toast(
            text if result else _("Result cleared"), back={"do": "result", "result": before}
        )

    def do_invite(self) -> HttpResponse:
        """Ask one more to it: a member, a contact, or an address."""
        sent = self.request.POST
        chosen = {kind: sent[kind].strip() for kind in ("member", "contact", "email") if sent.get(kind, "").strip()}
        attendees = [attendee_input(attendee) for attendee in self.meeting["attendees"]]
        attendees += [{kind: value} for kind, value in chosen.items()]
        return self._save_attendees(attendees, _("Invited."))

    def do_remove(self) -> HttpResponse:
        id = self.sent_id("attendee")
        return self._save_attendees(
            [attendee_input(attendee) for attendee in self.meeting["attendees"] if attendee["_id"] != id], _("Removed.")
        )

    def _save_attendees(self, attendees: list[dict[str, str]], text: str) -> HttpResponse:
        answer = self.ask("PUT", self.resource, None, {"attendees": attendees})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(" ".join(map(str, filter(None, (text, answer.notice)))), self.request.path)

    def do_cancel(self) -> HttpResponse:
        answer = self.ask("DELETE", self.shows, None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer)
        text = " ".join(filter(None, ("Meeting cancelled.", answer.notice)))
        return self.redirect_with_toast(text, self.address("calendar", **{"from": self.meeting["startsAtLocal"][:10]}))

    def do_file(self) -> HttpResponse:
        """Hand out the iCalendar file."""
        return self.download(f"{self.resource}/ics")


def attendee_input(attendee: Values) -> dict[str, str]:
    """Name an attendee as the API takes one."""
    for kind in ("member", "contact"):
        if attendee[kind]:
            return {kind: attendee[kind]}
    return {"email": attendee["email"], "name": attendee["name"]}
