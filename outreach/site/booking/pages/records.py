"""The pages of booking pages: the list, a page, and its questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.labels.counts import SPANS
from core.text.translation import gettext_lazy, ngettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms import Field, Fieldset, Form, Option, name_below
from core.web.lists import Column
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordList
from outreach.site.booking.pages.base import BookingPages

LENGTHS = (15, 20, 30, 45, 60, 90, 120)
NOTICE = {
    0: gettext_lazy("Until the start"),
    60: gettext_lazy("1 hour before"),
    240: gettext_lazy("4 hours before"),
    1440: gettext_lazy("1 day before"),
    2880: gettext_lazy("2 days before"),
}
REMINDERS = {60: gettext_lazy("1 hour before"), 1440: gettext_lazy("1 day before"), 2880: gettext_lazy("2 days before")}
BUFFERS = (0, 5, 10, 15, 30, 60)
NO_LINKS = gettext_lazy("Choose a video call provider here, or in Settings under Video calls.")
TYPES = (
    Option("text", gettext_lazy("Text")),
    Option("textarea", gettext_lazy("Long text")),
    Option("select", gettext_lazy("Choice of one")),
    Option("multiSelect", gettext_lazy("Choice of several")),
    Option("checkbox", gettext_lazy("Check box")),
    Option("phone", gettext_lazy("Phone number")),
    Option("number", gettext_lazy("Number")),
    Option("date", gettext_lazy("Date")),
    Option("consent", gettext_lazy("Consent")),
)


class BookingList(RecordList, BookingPages):
    path = name = "booking"
    title = gettext_lazy("Booking pages")
    template = "web/booking/list.html"
    adds = "booking-new"
    add_label = gettext_lazy("New booking page")
    none = gettext_lazy("No booking pages yet")
    count = ngettext_lazy("%(count)s booking page", "%(count)s booking pages")
    rows = "web/booking/rows.html"
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("member", gettext_lazy("Host")),
        Column("isActive", gettext_lazy("Active"), "isActive"),
        Column("url", gettext_lazy("Address")),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return (Choice("kind", _("Kind"), ("in",), (("online", _("Video call")), ("offline", _("At a place")))),)


FIELDSETS = (
    Fieldset(gettext_lazy("Page"), (("name", "title"), "slug", "text", ("colour", "isActive"))),
    Fieldset(gettext_lazy("Host"), (("member", "team"),)),
    Fieldset(gettext_lazy("Meeting"), (("kind", "videoProvider"), "place")),
    Fieldset(
        gettext_lazy("Free times"),
        (
            ("durationMinutes", "stepMinutes"),
            ("bufferBefore", "bufferAfter"),
            ("noticeMinutes", "horizonDays"),
            "mostPerDay",
        ),
    ),
    Fieldset(gettext_lazy("After the booking"), ("remindMinutes", "asksPhone", "makesLead", "leadSource")),
)


class BookingForm(BookingPages):
    """Shared parts of the forms of a booking page."""

    slug_hint = gettext_lazy("The former address still leads here.")

    def link(self) -> Field:
        """Return the choice of the links' provider, with a hint if the company's settings create none."""
        answer = self.ask("GET", "videocall/settings")
        settings: Values = answer.data if answer.ok else {"providers": (), "provider": None}
        troubles = {provider["key"]: provider["trouble"] for provider in settings["providers"]}
        chosen = settings["provider"]
        hint = NO_LINKS if chosen == "" else troubles.get(chosen, "")
        return Field(
            "videoProvider",
            _("Video call link"),
            "select",
            options=[Option(provider["key"], provider["name"]) for provider in settings["providers"]],
            placeholder=_("Default video link"),
            help_text=hint,
        )

    def slug(self) -> Field:
        """Return the field of the end of the page's address."""
        return Field("slug", _("End of the address"), help_text=self.slug_hint, placeholder="intro-call")

    def fields(self) -> list[Field]:
        return [
            Field("name", _("Name"), required=True, help_text=_("Internal name.")),
            Field("isActive", _("Active"), "switch", initial=True),
            Field("title", _("Heading"), help_text=_("Shown to visitors. Leave empty to use the name.")),
            self.slug(),
            Field("text", _("Description"), "textarea"),
            *self.host_fields(),
            numbers("durationMinutes", _("Length"), in_minutes(LENGTHS), 30),
            numbers("stepMinutes", _("Offer a time every"), in_minutes(LENGTHS), 30),
            Field(
                "kind",
                _("Meeting type"),
                "select",
                required=True,
                initial="online",
                options=[Option("online", _("Video call")), Option("offline", _("In person"))],
            ),
            self.link(),
            Field("place", _("Location"), help_text=_("An address or room, or call details.")),
            numbers("bufferBefore", _("Buffer before"), in_minutes(BUFFERS), 0),
            numbers("bufferAfter", _("Buffer after"), in_minutes(BUFFERS), 0),
            numbers("noticeMinutes", _("Minimum notice"), NOTICE, 240),
            Field("horizonDays", _("Days ahead"), "number", required=True, initial=30, help_text=_("At most 90.")),
            Field("mostPerDay", _("Bookings per day"), "number", help_text=_("Leave empty to offer every free time.")),
            numbers("remindMinutes", _("Email reminder"), REMINDERS, 1440, nothing=_("None")),
            Field("asksPhone", _("Ask for a phone number"), "switch", initial=True),
            Field("makesLead", _("Create a lead for each booking"), "switch"),
            Field("leadSource", _("Lead source")),
            Field("colour", _("Color"), required=True, initial="#2f5bea", placeholder="#2f5bea"),
        ]

    def host_fields(self) -> list[Field]:
        """Return whose times are booked, for those who may choose it."""
        if not Page.may(self, "calendar", "POST"):
            return []
        members = [
            Option(option.value, option.label)
            for option in self.options_of("member", filters={"status": ["owner", "accepted"]})
        ]
        return [
            Field("member", _("Host"), "select", options=members, placeholder=_("You"), initial=self.actor.member_id),
            Field(
                "team",
                _("Or anyone free in a team"),
                "select",
                options=self.options_of("team"),
                placeholder=_("No team"),
                help_text=_("Meetings rotate among these people."),
            ),
        ]

    def body(self, values: Values) -> JsonObject:
        payload = dict(values)
        for name in NUMBERS:
            if name in payload:
                payload[name] = whole_number(payload[name])
        if payload.get("team"):
            payload["member"] = None
        for name in ("member", "team"):
            if name in payload:
                payload[name] = payload[name] or None
        return payload


NUMBERS = ("durationMinutes", "stepMinutes", "bufferBefore", "bufferAfter", "noticeMinutes", "remindMinutes")


def in_minutes(lengths: Iterable[int]) -> dict[int, str]:
    """Return each length with its label."""
    return {minutes: SPANS["minutes"].of(minutes) for minutes in lengths}


def numbers(name: str, label: str, options: Mapping[int, str], value: int, nothing: str = "") -> Field:
    """Return a choice of numbers, with a label for each."""
    choices = [Option(str(number), text) for number, text in options.items()]
    return Field(name, label, "select", not nothing, options=choices, initial=str(value), placeholder=nothing)


class NewBookingPage(BookingForm, NewRecord):
    path = "booking/new"
    name = "booking-new"
    title = gettext_lazy("New booking page")
    action = title
    added = gettext_lazy("Booking page added")
    save_label = gettext_lazy("Create")
    template = "web/booking/new.html"
    slug_hint = gettext_lazy("Leave empty for a random address.")

    def form(self, values: Values | None = None) -> Form:
        return Form(fields=self.fields(), initial=values, fieldsets=FIELDSETS)

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        body = {name: value for name, value in self.body(form.values).items() if value not in ("", None)}
        if form.values.get("remindMinutes") == "":
            body["remindMinutes"] = None
        answer = self.ask("POST", "booking-page", None, body)
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.redirect_with_toast(_("The page is open"), self.address("booking-page", answer.data["_id"]))


class EditBookingPage(BookingForm, EditRecord):
    path = "booking/pages/<str:id>"
    name = "booking-page"
    tab_name = gettext_lazy("Booking page")
    saved = gettext_lazy("Booking page saved")
    deleted = gettext_lazy("Booking page deleted")
    template = "web/booking/page.html"

    def form(self, values: Values | None = None) -> Form:
        fields = self.fields()
        for field in fields:  # lengths that programs have set
            chosen = str((values or {}).get(field.name) or "")
            if field.name in NUMBERS and chosen and chosen not in [option.value for option in field.options]:
                field.options.append(Option(chosen, SPANS["minutes"].of(int(chosen))))
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)

    def values(self) -> Values:
        record = self.record
        member, team = ((record[name] or {}).get("_id", "") for name in ("member", "team"))
        texts = {name: "" if record[name] is None else str(record[name]) for name in NUMBERS}
        return {**record, **texts, "member": member, "team": team}

    def do_open(self) -> HttpResponse:
        is_active = not self.record["isActive"]
        answer = self.ask("PUT", f"booking-page/{self.params['id']}", None, {"isActive": is_active})
        return (
            self.redirect_with_toast(_("The page is open") if is_active else _("The page is closed"))
            if answer.ok
            else self.refuse(answer)
        )

    def consequence(self) -> str:
        return _("The page closes. Bookings stay.")


class QuestionForm(Form):
    label = Field(label=gettext_lazy("Question"), required=True)
    type = Field(label=gettext_lazy("Kind"), kind="select", required=True, options=TYPES, initial="text")
    required = Field(label=gettext_lazy("Required"), kind="switch")
    options = Field(
        label=gettext_lazy("Options"), kind="textarea", help_text=gettext_lazy("For choices: one per line.")
    )
    help = Field(label=gettext_lazy("Help text"))


class BookingQuestions(BookingPages):
    """The questions of a page beyond the visitor's identity: a line for each, and a form for one more."""

    path = "booking/pages/<str:id>/questions"
    name = "booking-questions"
    tab_name = gettext_lazy("Booking questions")
    template = "web/booking/questions.html"

    @cached_property
    def record(self) -> Values:
        page: Values = self.read(f"booking-page/{self.params['id']}").data
        return page

    def show(self) -> Values:
        kinds = {entry.value: entry.label for entry in TYPES}
        rows = [{**entry, "words": kinds.get(entry["type"], entry["type"])} for entry in self.record["questions"]]
        form = QuestionForm() if self.may(self.module, "PUT") else None
        return {"record": self.record, "title": self.record["name"], "rows": rows, "form": form}

    def do_save(self) -> HttpResponse:
        form = QuestionForm(self.request.POST)
        questions = list(self.record["questions"])
        options = [line.strip() for line in form.values["options"].splitlines() if line.strip()]
        key = new_key(form.values["label"], {question["key"] for question in questions})
        answer = self._save_questions([*questions, {**form.values, "options": options, "key": key}])
        if answer.ok:
            return self.redirect_with_toast(_("Question added"))
        form.refuse(answer, name_below(f"questions.{len(questions)}."))
        return self.page({**self.show(), "form": form}, status=422)

    def do_remove(self) -> HttpResponse:
        kept = [question for question in self.record["questions"] if question["key"] != self.request.POST.get("key")]
        answer = self._save_questions(kept)
        return self.redirect_with_toast(_("Question removed")) if answer.ok else self.refuse(answer)

    def _save_questions(self, questions: list[Any]) -> Any:
        return self.ask("PUT", f"booking-page/{self.params['id']}", None, {"questions": questions})


def new_key(label: str, taken: set[str]) -> str:
    """Return a key for a question, which no other has."""
    plain = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:40]
    start = plain if plain[:1].isalpha() else f"question_{plain}".strip("_")
    key, number = start, 2
    while key in taken or key in ("name", "email", "phone"):
        key, number = f"{start}_{number}", number + 1
    return key
