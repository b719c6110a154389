"""The pages of booking: the list, a page with what it asks, one's own hours and the calendar that is connected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpResponse

from core.web.filters import Choice
from core.web.forms import Field, Form, Option
from core.web.lists import Column
from core.web.pages import MenuItem, Page
from core.web.records import EditRecord, NewRecord, RecordList, Records

PAGES_KIND = Records(
    "booking-page",
    "booking",
    "booking page",
    "booking pages",
    "calendar-check",
    "An address where people choose a time with you that is free, and are in your calendar.",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SPAN = re.compile(r"(\d{1,2}:\d{2})\s*(?:-|–|to)\s*(\d{1,2}:\d{2})")
LENGTHS = (15, 20, 30, 45, 60, 90, 120)
NOTICE = {0: "Until it begins", 60: "1 hour before", 240: "4 hours before", 1440: "1 day before", 2880: "2 days before"}
REMINDERS = {60: "1 hour before", 1440: "1 day before", 2880: "2 days before"}
BUFFERS = (0, 5, 10, 15, 30, 60)
NO_LINKS = (
    "The settings of video calls say nothing that makes links yet: choose here what does,"
    " or set it under Settings, Video calls. Without a link a page of video calls cannot be open."
)
TYPES = (
    Option("text", "Text"),
    Option("textarea", "Long text"),
    Option("select", "Choice of one"),
    Option("multiSelect", "Choice of several"),
    Option("checkbox", "Check box"),
    Option("phone", "Phone number"),
    Option("number", "Number"),
    Option("date", "Date"),
    Option("consent", "Consent"),
)


class BookingPages(Page):
    module = "calendar"
    also: ClassVar[tuple[str, ...]] = ("my-calendar",)
    menu = MenuItem("Booking", "calendar-check", 43, "Work")
    kind = PAGES_KIND

    def may(self, module: str, method: str = "GET") -> bool:
        """Either permission opens what is one's own; the API knows what else."""
        if module == self.module:
            return super().may(module, method) or super().may(self.also[0], method)
        return super().may(module, method)


class BookingList(RecordList, BookingPages):
    path = name = "booking"
    title = "Booking pages"
    template = "web/booking/list.html"
    adds = "booking-new"
    rows = "web/booking/rows.html"
    columns = (
        Column("name", "Name", "name"),
        Column("member", "With"),
        Column("isActive", "Open", "isActive"),
        Column("url", "Address"),
        Column("updatedAt", "Changed", "updatedAt"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return (Choice("kind", "Kind", ("in",), (("online", "Video call"), ("offline", "At a place"))),)


class BookingForm(BookingPages):
    """What the forms of a booking page share."""

    def link(self) -> Field:
        """Return the choice of what makes the links, which tells where the company's settings make none."""
        answer = self.ask("GET", "videocall/settings")
        found: Mapping[str, Any] = answer.data if answer.ok else {"providers": (), "provider": None}
        troubles = {one["key"]: one["trouble"] for one in found["providers"]}
        chosen = found["provider"]
        told = NO_LINKS if chosen == "" else troubles.get(chosen, "")
        return Field(
            "videoProvider",
            "Link of the call",
            "select",
            options=[Option(one["key"], one["name"]) for one in found["providers"]],
            placeholder="As the settings of video calls say",
            help=told,
        )

    def fields(self) -> list[Field]:
        return [
            Field("name", "Name", required=True, help="Your own name for it."),
            Field("isActive", "Open", "switch", value=True),
            Field("title", "Heading", help="What visitors read; empty: its name."),
            Field("text", "Text below it", "textarea"),
            *self.whose(),
            numbers("durationMinutes", "Length", {one: f"{one} minutes" for one in LENGTHS}, 30),
            numbers("stepMinutes", "Times are offered every", {one: f"{one} minutes" for one in LENGTHS}, 30),
            Field(
                "kind",
                "It is",
                "select",
                required=True,
                value="online",
                options=[Option("online", "A video call"), Option("offline", "At a place")],
            ),
            self.link(),
            Field("place", "Place", help="An address, a room; of a call what else has to be known."),
            numbers("bufferBefore", "Keep free before it", {one: f"{one} minutes" for one in BUFFERS}, 0),
            numbers("bufferAfter", "Keep free after it", {one: f"{one} minutes" for one in BUFFERS}, 0),
            numbers("noticeMinutes", "Can be booked", NOTICE, 240),
            Field("horizonDays", "Days ahead", "number", required=True, value=30, help="At most 90."),
            Field("mostPerDay", "At most so many a day", "number", help="Empty: as many as there are times."),
            numbers("remindMinutes", "Mail to visitors before it", REMINDERS, 1440, nothing="None"),
            Field("asksPhone", "Ask for a phone number", "switch", value=True),
            Field("makesLead", "Make a lead of who books", "switch"),
            Field("leadSource", "Source of the lead"),
            Field("colour", "Colour", required=True, value="#2f5bea", placeholder="#2f5bea"),
        ]

    def whose(self) -> list[Field]:
        """Return whose times are booked, for those who may choose it."""
        if not Page.may(self, "calendar", "POST"):
            return []
        members = [
            Option(one.value, one.label) for one in self.options_of("member", filters={"status": ["owner", "accepted"]})
        ]
        return [
            Field("member", "With", "select", options=members, placeholder="You", value=self.actor.member_id),
            Field(
                "team",
                "Or with whoever of a team is free",
                "select",
                options=self.options_of("team"),
                placeholder="No team",
                help="They take turns.",
            ),
        ]

    def body(self, values: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(values)
        for name in NUMBERS:
            if name in found:
                found[name] = int(found[name]) if str(found[name]).isdecimal() else None
        if found.get("team"):
            found["member"] = None
        for name in ("member", "team"):
            if name in found:
                found[name] = found[name] or None
        return found


NUMBERS = ("durationMinutes", "stepMinutes", "bufferBefore", "bufferAfter", "noticeMinutes", "remindMinutes")


def numbers(name: str, label: str, options: Mapping[int, str], value: int, nothing: str = "") -> Field:
    """Return a choice of numbers, with words for each."""
    found = [Option(str(number), words) for number, words in options.items()]
    return Field(name, label, "select", not nothing, options=found, value=str(value), placeholder=nothing)


class NewBookingPage(BookingForm, NewRecord):
    path = "booking/new"
    name = "booking-new"
    title = "New booking page"
    deed = title
    save_label = "Create"

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        return Form(self.fields(), values)

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        body = {name: value for name, value in self.body(form.values).items() if value not in ("", None)}
        if form.values.get("remindMinutes") == "":
            body["remindMinutes"] = None
        answer = self.ask("POST", "booking-page", None, body)
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.refused(form)
        return self.done("The page is open", self.address("booking-page", answer.data["_id"]))


class EditBookingPage(BookingForm, EditRecord):
    path = "booking/pages/<str:id>"
    name = "booking-page"
    template = "web/booking/page.html"

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        fields = self.fields()
        for field in fields:  # lengths that programs have set
            chosen = str((values or {}).get(field.name) or "")
            if field.name in NUMBERS and chosen and chosen not in [one.value for one in field.options]:
                field.options.append(Option(chosen, f"{chosen} minutes"))
        return Form(fields, values)

    def values(self) -> Mapping[str, Any]:
        one = self.record
        member, team = ((one[name] or {}).get("_id", "") for name in ("member", "team"))
        texts = {name: "" if one[name] is None else str(one[name]) for name in NUMBERS}
        return {**one, **texts, "member": member, "team": team}

    def do_open(self) -> HttpResponse:
        is_active = not self.record["isActive"]
        answer = self.ask("PUT", f"booking-page/{self.params['id']}", None, {"isActive": is_active})
        return (
            self.done("The page is open" if is_active else "The page is closed") if answer.ok else self.refuse(answer)
        )

    def consequence(self) -> str:
        return "Its address leads nowhere then; what is booked stays."


class BookingQuestions(BookingPages):
    """What a page asks its visitors beside who they are: a line for each, and a form for one more."""

    path = "booking/pages/<str:id>/questions"
    name = "booking-questions"
    template = "web/booking/questions.html"

    @cached_property
    def record(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.read(f"booking-page/{self.params['id']}").data
        return found

    def form(self) -> Form:
        return Form(
            [
                Field("label", "Question", required=True),
                Field("type", "Kind", "select", required=True, options=list(TYPES), value="text"),
                Field("required", "Has to be filled in", "switch"),
                Field("options", "Options", "textarea", help="Of a choice: one in a line."),
                Field("help", "Help below it"),
            ]
        )

    def show(self) -> Mapping[str, Any]:
        kinds = {one.value: one.label for one in TYPES}
        rows = [{**one, "words": kinds.get(one["type"], one["type"])} for one in self.record["questions"]]
        form = self.form() if self.may(self.module, "PUT") else None
        return {"record": self.record, "title": self.record["name"], "rows": rows, "form": form}

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        asked = list(self.record["questions"])
        options = [line.strip() for line in form.values["options"].splitlines() if line.strip()]
        key = new_key(form.values["label"], {one["key"] for one in asked})
        answer = self._put([*asked, {**form.values, "options": options, "key": key}])
        if answer.ok:
            return self.done("Question added")
        form.refuse(answer.message, answer.warning.replace(f"questions.{len(asked)}.", ""))
        return self.page({**self.show(), "form": form}, status=422)

    def do_remove(self) -> HttpResponse:
        kept = [one for one in self.record["questions"] if one["key"] != self.request.POST.get("key")]
        answer = self._put(kept)
        return self.done("Question removed") if answer.ok else self.refuse(answer)

    def _put(self, questions: list[Any]) -> Any:
        return self.ask("PUT", f"booking-page/{self.params['id']}", None, {"questions": questions})


def new_key(label: str, taken: set[str]) -> str:
    """Return a key for a question, which no other has."""
    plain = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:40]
    start = plain if plain[:1].isalpha() else f"question_{plain}".strip("_")
    found, number = start, 2
    while found in taken or found in ("name", "email", "phone"):
        found, number = f"{start}_{number}", number + 1
    return found


class BookableHours(BookingPages):
    """When one can be booked, by one's own clocks, and the calendar elsewhere whose entries keep times free."""

    path = "booking/hours"
    name = "booking-hours"
    title = "When you can be booked"
    template = "web/booking/hours.html"
    module = "my-calendar"
    also = ()

    def may(self, module: str, method: str = "GET") -> bool:
        return Page.may(self, module, method)

    @cached_property
    def hours(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.read("my-calendar/hours").data
        return found

    def form(self) -> Form:
        spans = {number: [] for number in range(1, 8)}  # type: dict[int, list[str]]
        for one in self.hours["days"]:
            spans[one["day"]].append(f"{one['from']} – {one['to']}")
        away = "\n".join(" – ".join(dict.fromkeys((one["from"], one["to"]))) for one in self.hours["away"])
        days = [Field(f"day{n}", day, value=", ".join(spans[n])) for n, day in enumerate(DAYS, 1)]
        days[0].help = "Such as 09:00 – 12:30, 13:30 – 17:00; empty: nobody can book then."
        zone = Field("timezone", "Time zone", value=self.hours["timezone"], placeholder=self.reader.formats.timezone)
        zone.help = "Empty: the company's."
        off = Field("away", "Days off", "textarea", value=away)
        off.help = "A day or days in a line, such as 2027-08-02 – 2027-08-13."
        return Form([*days, zone, off])

    def show(self) -> Mapping[str, Any]:
        form = self.form() if self.may("my-calendar", "PUT") else None
        return {"form": form, **self.connection()}

    def connection(self) -> Mapping[str, Any]:
        return {"connection": self.read("my-calendar/connection").data}

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        values = form.values
        body: dict[str, Any] = {"timezone": values["timezone"], "days": [], "away": []}
        for field in form.fields:
            if field.name.startswith("day"):
                spans = read_spans(values[field.name])
                if spans is None:
                    field.error = "Write it like 09:00 – 12:30, 13:30 – 17:00."
                body["days"] += [{"day": int(field.name[3:]), **span} for span in spans or ()]
        away = [read_away(line) for line in values["away"].splitlines() if line.strip()]
        if None in away:
            next(one for one in form.fields if one.name == "away").error = "Write days like 2027-08-02 – 2027-08-13."
        if any(one.error for one in form.fields):
            return self.page({"form": form, **self.connection()}, status=422)
        answer = self.ask("PUT", "my-calendar/hours", None, {**body, "away": away})
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({"form": form, **self.connection()}, status=422)
        return self.done("Saved")

    def do_connect(self) -> HttpResponse:
        answer = self.ask("POST", "my-calendar/connection/authorize")
        return self.page({**self.show(), "url": answer.data["url"]}) if answer.ok else self.refuse(answer)

    def do_disconnect(self) -> HttpResponse:
        answer = self.ask("DELETE", "my-calendar/connection")
        return self.done("Disconnected; what is in the calendar stays there") if answer.ok else self.refuse(answer)

    def do_sync(self) -> HttpResponse:
        answer = self.ask("POST", "my-calendar/connection/sync")
        return self.done("It is tried now") if answer.ok else self.refuse(answer)


def read_spans(text: str) -> list[dict[str, str]] | None:
    """Read the spans of a day, as its field writes them; None for what is none."""
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    found = [SPAN.fullmatch(part) for part in parts]
    if not all(found):
        return None
    return [{"from": one[1].zfill(5), "to": one[2].zfill(5)} for one in found if one]


def read_away(line: str) -> dict[str, str] | None:
    """Read a day, or two with what is between them."""
    days = re.findall(r"\d{4}-\d{2}-\d{2}", line)
    rest = re.sub(r"\d{4}-\d{2}-\d{2}", "", line).strip(" –-to")
    return {"from": days[0], "to": days[-1]} if len(days) in (1, 2) and not rest else None


class CalendarReturn(BookingPages):
    """Where a log-in at Google comes back to: the member finishes it by a button, so that a link alone does nothing."""

    path = "booking/calendar"
    name = "calendar-return"
    title = "Log-in"
    template = "web/booking/return.html"
    module = "my-calendar"
    also = ()

    def may(self, module: str, method: str = "GET") -> bool:
        return Page.may(self, module, method)

    def show(self) -> Mapping[str, Any]:
        return self.context(self.request.GET)

    def context(self, sent: Mapping[str, Any], form: Form | None = None) -> dict[str, Any]:
        whole = bool(sent.get("code") and sent.get("state")) and not sent.get("error")
        kept = [Field(name, "Log-in", "hidden", value=sent.get(name, "")) for name in ("code", "state")]
        may = self.may("my-calendar", "POST")
        return {"refused": bool(sent.get("error")), "form": form or (Form(kept) if whole and may else None)}

    def do_save(self) -> HttpResponse:
        sent = self.request.POST
        form: Form | None = self.context(sent)["form"]
        if form is None:
            return self.page(self.context(sent), status=422)
        form.fill(sent)
        answer = self.ask("POST", "my-calendar/connection", None, form.values)
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page(self.context(sent, form), status=422)
        return self.done(f"{answer.data['email']} connected", self.address("booking-hours"))


PAGES = [BookingList, NewBookingPage, BookableHours, CalendarReturn, EditBookingPage, BookingQuestions]
