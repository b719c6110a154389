"""Each part once, with samples: for review during changes, and for tests of pages. Not in production."""

from __future__ import annotations

from datetime import date

from django.http import HttpResponse, QueryDict

from core.types import Values
from core.web.banners import Banner
from core.web.contact_picker import ContactField, Person
from core.web.filters import Choice
from core.web.forms import BoundField, Field, Form, Option
from core.web.lists import Column, ListState
from core.web.organization_names import OrganizationField
from core.web.pages import Page

FIELD_KINDS = (
    "text",
    "email",
    "number",
    "date",
    "password",
    "textarea",
    "select",
    "search",
    "radio",
    "checks",
    "switch",
)
STATES = [("open", "Open"), ("won", "Won")]
PEOPLE = [
    {"id": "1", "name": "Elsa Hedlund", "email": "elsa@example.org", "state": "Open", "tone": "info"},
    {"id": "2", "name": "Wei Chen", "email": "wei@example.org", "state": "Won", "tone": "ok"},
]

DAYS = [(date(2026, 11, 9 + number), [number * 7 % 12, number % 3]) for number in range(14)]

ENTRIES = [
    {"icon": "phone", "title": "Called", "actor": PEOPLE[1], "at": "2026-11-20T09:30:00Z", "data": {"notes": "Soon"}},
    {"icon": "pencil", "title": "City changed", "at": "2026-11-19T08:00:00Z", "told": [("City", "Bonn", "Ulm")]},
]


class Parts(Page):
    path = "_parts"
    name = "parts"
    title = "Parts"
    template = "web/samples/parts.html"
    needs_subscription = False
    tabs = (("parts", "Parts"), ("home", "Home"))

    def show(self) -> Values:
        status = Choice("status", "Status", ("equals",), STATES)
        name = Choice("name", "Name")
        query = QueryDict("q=ann&f=status:equals:open&sort=name")
        return {
            "state": ListState(query, {"status": status, "name": name}),
            "choices": [status, name],
            "columns": [Column("name", "Name", "name"), Column("email", "Email"), Column("state", "Status")],
            "people": PEOPLE,
            "total": len(PEOPLE),
            "form": self.form(),
            "picker": self.picker(),
            "organization": Form(fields=[OrganizationField(self)])["organization"],
            "said": Banner("The trial ends on Friday. Choose a plan.", link=self.request.path, label="Plans"),
            "tones": ("ok", "warn", "bad", "info", "none"),
            "views": [{"id": "1", "name": "Open in Berlin", "shared": True}],
            "view": {"id": "1", "name": "Open in Berlin", "shared": True},
            "mine": {"link": self.request.path, "open": False},
            "may_share": True,
            "may_change_view": True,
            "view_is_mine": True,
            "differs": True,
            "entries": ENTRIES,
            "chart": {"names": ["Sent", "Replied"], "rows": DAYS},
            "tag": {"name": "Fair 2026", "color": "#2f5bea"},
        }

    def picker(self) -> BoundField:
        """Return the field that picks a contact, with what a search has found."""
        field = ContactField(help_text="Pick a contact, or enter a new one.")
        field.find = "el"
        field.people = [Person(person["id"], person["name"], person["email"]) for person in PEOPLE]
        return Form(fields=[field])[field.name]

    def form(self) -> Form:
        """Return a form with a field of each kind, the first of them refused."""
        options = [Option("one", "One"), Option("two", "Two")]
        form = Form(
            fields=[
                Field(
                    f"sample-{kind}",
                    kind.capitalize(),
                    kind,
                    options=options,
                    help_text="Optional. Only your team sees this.",
                )
                for kind in FIELD_KINDS
            ]
        )
        next(iter(form)).add_error("is needed")
        return form

    def do_save(self) -> HttpResponse:
        return self.redirect_with_toast("Sample page: nothing was changed")

    do_delete = do_export = do_save
    do_new_view = do_save_view = do_rename_view = do_unshare_view = do_delete_view = do_save


PAGES = [Parts]
