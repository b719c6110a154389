"""The field of a task's form that picks its record by a search, and the page of its suggestions."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.contact_picker import MAX_FIND, ContactField, Person
from core.web.forms import Form
from core.web.pages import PART, Page

FOUND = 5
"""Records of each kind that a search shows."""
LABELS = {
    "contact": gettext_lazy("Contact"),
    "lead": gettext_lazy("Lead"),
    "organization": gettext_lazy("Organization"),
}
"""Kind of record that a task may be about -> its label."""
MODULES = {"organization": "contact"}
"""Kind of record -> the permission module that shows it, where that has another name."""
GONE = {
    "contact": gettext_lazy("This contact no longer exists. Pick another."),
    "lead": gettext_lazy("This lead no longer exists. Pick another."),
    "organization": gettext_lazy("This organization no longer exists. Pick another."),
}


class RecordField(ContactField):
    """A field that holds the kind and the id of a record, such as `lead-65f0…`, which people find by a search."""

    find_hint = gettext_lazy("Name, email or phone")
    found_label = gettext_lazy("Records")
    nothing = gettext_lazy("No records match.")
    sends_empty = True

    def __init__(self) -> None:
        super().__init__("record", _("Record"), help_text=_("A contact, lead or organization."))


class FindsRecord(Page):
    """Shared parts of pages that find the record of a task."""

    def record_field(self, held: Values | None = None) -> RecordField | None:
        """Return the field, or None if the reader may see no record that a task may be about.

        It shows the record that the form sent or that the address names, or else `held`, the task's own.
        """
        kinds = [kind for kind in LABELS if self.may(MODULES.get(kind, kind))]
        if not kinds:
            return None
        field = RecordField()
        field.place = self.address("task-record")
        field.is_part = self.frame == PART
        sent = {**self.request.GET.dict(), **self.request.POST.dict()}
        field.find = " ".join(sent.get("find", "").split())[:MAX_FIND]
        own = f"{held['kind']}-{held['id']}" if held else ""
        named = next((f"{kind}-{sent[kind]}" for kind in kinds if sent.get(kind)), own)
        chosen = sent.get("record", named)
        field.initial = chosen
        kind, _dash, id = chosen.partition("-")
        if held and chosen == own:
            field.picked = Person(own, held["name"] or _("No name"), str(LABELS[kind]))
        elif kind in kinds:
            field.picked = self._picked_record(kind, id)
        elif field.find:
            field.people = self._search_records(field.find, kinds)
        return field

    def _picked_record(self, kind: str, id: str) -> Person:
        """Return the record. One that is gone stays in the form, so that nobody saves a task without it unawares."""
        answer = self.ask("GET", f"{kind}/{id}") if is_id(id) else None
        if answer is None or not answer.ok:
            self.add_error_toast(str(GONE[kind]))
            return Person(f"{kind}-{id}", _("Deleted"), str(LABELS[kind]))
        person = answer.data["contact"] if kind == "lead" else answer.data
        return Person(f"{kind}-{id}", person["name"] or person.get("email") or _("No name"), str(LABELS[kind]))

    def _search_records(self, text: str, kinds: list[str]) -> list[Person]:
        answer = self.ask("GET", "search", {"q": text, "kinds": ",".join(kinds), "n": str(FOUND)})
        return [
            Person(
                f"{group['kind']}-{record['_id']}",
                record["title"] or _("No name"),
                " · ".join(filter(None, (str(LABELS[group["kind"]]), record["text"]))),
            )
            for group in (answer.data["groups"] if answer.ok else ())
            for record in group["records"]
        ]


class PicksRecord(FindsRecord):
    """Shared parts of pages with a form that picks the record of a task."""

    def form_page(self, form: Form, status: int = 200) -> HttpResponse:
        """Show the page with the form."""
        raise NotImplementedError

    def sent_form(self) -> Form:
        """Return the form with what was sent."""
        raise NotImplementedError

    def is_picked(self, form: Form) -> bool:
        """Return False, with an error, if a text was searched for and nothing was picked."""
        if "record" not in form.fields or form.values["record"] or not self.request.POST.get("find", "").strip():
            return True
        form["record"].add_error(_("Pick a record, or clear the search."))
        return False

    def do_find(self) -> HttpResponse:
        """Show the form as it is, with the records that its search finds."""
        return self.form_page(self.sent_form())

    def do_unpick(self) -> HttpResponse:
        """Show the form as it is, without the record."""
        sent = self.request.POST.copy()
        sent["record"] = ""
        self.request.POST = sent  # type: ignore[assignment]
        return self.do_find()


def record_of(text: str) -> JsonObject | None:
    """Return the record of a field's value as the API takes it."""
    kind, _dash, id = text.partition("-")
    return {"kind": kind, "id": id} if text else None


class PickTaskRecord(FindsRecord):
    """The suggestions of a search for a record, or the picked one: a part of forms."""

    path = "follow-ups/record"
    name = "task-record"
    title = gettext_lazy("Find records")
    template = "web/contacts/pick.html"
    module = "lead-activity"

    def show(self) -> Values:
        field = self.record_field()
        return {"form": Form(fields=[field] if field else [])}
