"""The page of a new meeting: its form, and a search of members and contacts to ask to it."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext

from core.ids import is_id
from core.text.folding import fold
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from core.web.prefills import find_named_record
from crm.meetings.pages.days import read_moment
from crm.meetings.pages.meetings import FOUND, MeetingPage

PICKED = {"members": "member", "contacts": "contact"}
"""Field of the form -> the API's name of such an attendee."""
MAX_PICKED = 100
BEFORE_PEOPLE = 3
"""Fields above the participants: title, time, length."""


class NewMeeting(MeetingPage):
    path = "calendar/new"
    name = "meeting-new"
    title = gettext_lazy("New meeting")
    action = title
    template = "web/meetings/new.html"

    @cached_property
    def lead(self) -> Values | None:
        """The lead that the address names, which the meeting is about."""
        return self.named_record("lead", gettext("This lead no longer exists. The meeting is without it."))

    @cached_property
    def contact(self) -> Values | None:
        """The contact that the address names, which the meeting is about."""
        return (
            None if self.lead else self.named_record("contact", gettext("This contact no longer exists. Pick another."))
        )

    def named_record(self, kind: str, gone: str) -> Values | None:
        record: Values | None = None
        if self.may(kind):
            record = find_named_record(self, kind, self.request.GET.get(kind, ""), gone)
        return record

    @property
    def about_ids(self) -> dict[str, str]:
        """The lead or contact of the address, unless the reader would see that it is gone."""
        sent = self.request.GET
        records = {"lead": self.lead, "contact": self.contact}
        return {
            kind: sent[kind]
            for kind, record in records.items()
            if is_id(sent.get(kind)) and (record or not self.may(kind))
        }

    def providers(self) -> list[Option]:
        """Return the providers of video links for the reader's meetings."""
        answer = self.ask("GET", "videocall/settings")
        offered = answer.data["providers"] if answer.ok else []
        return [Option(provider["key"], provider["name"]) for provider in offered if not provider["trouble"]]

    @property
    def requested_start(self) -> str:
        """The time that the address names, where clocks show it."""
        text = self.request.GET.get("at", "")
        moment = read_moment(text, zone_of(self.reader.formats.timezone)) if "T" in text else None
        return f"{moment:%Y-%m-%dT%H:%M}" if moment else ""

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        addresses = Field(
            "attendees",
            gettext("Other attendees (email addresses)"),
            help_text=gettext("Separate with commas. You are included."),
        )
        form.insert(addresses, before=list(form.fields)[BEFORE_PEOPLE])
        if providers := self.providers():
            makes = Field(
                "videoProvider",
                gettext("Video call"),
                "select",
                options=providers,
                placeholder=gettext("No link"),
            )
            form.insert(makes, before="link")
        form.fields["startsAt"].initial = self.requested_start
        return form

    def show(self) -> Values:
        return self.context(self.form()) if self.may("meeting", "POST") else {"form": None}

    def context(self, form: Form, sent: QueryDict | None = None) -> JsonObject:
        kept = self.about_ids | ({"at": self.request.GET["at"]} if "at" in self.request.GET else {})
        return {
            "form": form,
            "first": list(form)[:BEFORE_PEOPLE],
            "rest": list(form)[BEFORE_PEOPLE:],
            "about": (self.lead or {}).get("contact") or self.contact,
            "lead": self.lead,
            "action": self.address("meeting-new", **kept),
            "search": self.address("meeting-people", **kept),
            **self.people(sent),
        }

    def people(self, sent: QueryDict | None) -> JsonObject:
        """Return the selected participants, at first the contact of the meeting, and the search results."""
        if sent is None:
            about = (self.lead or {}).get("contact") or self.contact
            return {"picked": [("contacts", about)] if about and about["email"] else [], "found": [], "find": ""}
        find = sent.get("find", "").strip()
        members, contacts = picked_ids(sent, "members"), picked_ids(sent, "contacts")
        colleagues = self.members() if members or find else []
        picked = [("members", person) for person in colleagues if person["_id"] in members]
        picked += [("contacts", person) for person in (self.contacts_of(contacts) if contacts else [])]
        there = {person["_id"] for _, person in picked} | {self.actor.member_id}
        matches = [("members", person) for person in colleagues if find and fold(find) in words_of(person)][:FOUND]
        matches += [("contacts", person) for person in (self.contacts(find) if find else [])]
        return {"picked": picked, "found": [pair for pair in matches if pair[1]["_id"] not in there], "find": find}

    def do_next(self) -> HttpResponse:
        """Handle Enter in a field: search for the name in the search field, else create the meeting."""
        find = self.request.POST.get("find", "").strip()
        return self.show_form_again() if find and "@" not in find else self.do_save()

    def show_form_again(self) -> HttpResponse:
        """Show the form again, with all input and the search results."""
        sent = self.request.POST
        return self.page(self.context(self.form().bind(sent), sent) if self.may("meeting", "POST") else {"form": None})

    def do_save(self) -> HttpResponse:
        sent = self.request.POST
        form = self.form().bind(sent)
        values: JsonObject = {name: value for name, value in form.values.items() if value != ""}
        named = [{word: id} for field, word in PICKED.items() for id in picked_ids(sent, field)]
        typed, find = str(values.pop("attendees", "")), sent.get("find", "").strip()
        if "@" in find:
            typed = f"{typed},{find}"
        elif find and not named:
            form.add_error(None, gettext("Choose a person for “%(find)s”, or clear the search.") % {"find": find})
            return self.page(self.context(form, sent), status=422)
        addresses = [address.strip() for address in typed.replace(";", ",").split(",")]
        values["attendees"] = named + [{"email": address} for address in addresses if address]
        about = next(iter(self.about_ids), "")
        if about:
            values[about] = self.about_ids[about]
        answer = self.ask("POST", "meeting", None, self.body(values))
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.context(form, sent), status=422)
        text = " ".join(filter(None, ("Meeting created.", answer.notice)))
        if about == "contact" and self.may("contact"):
            return self.redirect_with_toast(text, self.address("contact", values["contact"]))
        return self.redirect_with_toast(text, self.address("calendar", **{"from": answer.data["startsAtLocal"][:10]}))


class MeetingPeople(NewMeeting):
    """People that a search finds for an invitation: a part of the form, and without script the form with all of its
    input."""

    path = "calendar/new/people"
    name = "meeting-people"
    title = gettext_lazy("People of the new meeting")
    action = ""

    def do_save(self) -> HttpResponse:
        return self.show_form_again()


def picked_ids(sent: QueryDict, field: str) -> list[str]:
    return [id for id in dict.fromkeys(sent.getlist(field)) if is_id(id)][:MAX_PICKED]


def words_of(person: Values) -> str:
    """Return the text that a search for a person covers."""
    return fold(f"{person['name']} {person['email']}")
