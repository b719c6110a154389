"""The pages of segments: the list, a segment with filters, and a segment with a fixed list of records."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.labels.counts import RECORD_COUNTS
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice, filter_changes, filter_display_check, flatten_tree
from core.web.forms import Field, Form, Option
from core.web.forms.colors import color_options
from core.web.forms.from_input import form_from_input
from core.web.forms.record_forms import (
    BESIDE,
    PLAIN,
    company_definition,
    fields_query,
    record_choices,
    status_labels,
)
from core.web.lists import MATCH, Column, ListState
from core.web.navigation.places import CONTACTS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from core.web.words.filter_words import PIPELINES, RECORDS, filter_text
from crm.segments.serializers import SegmentCreate

SEGMENTS = Records("segment", "segments", "list-filter", gettext_lazy("A segment is a saved filter."))
SHOWN = 20
STAYS = {
    "contact": gettext_lazy("The contacts stay. This can't be undone."),
    "lead": gettext_lazy("The leads stay. This can't be undone."),
}


class SegmentPage(Page):
    module = "segment"
    menu = MenuItem(
        gettext_lazy("Segments"), CONTACTS, 20, "list-filter", keywords=gettext_lazy("lists audiences groups")
    )
    kind = SEGMENTS

    def definitions(self, panel: str) -> list[Values]:
        """Return the fields that people filter by, or none if the reader may not see them."""
        if panel not in self._definitions:
            answer = self.ask("GET", "custom-field", fields_query(panel)) if self.may("custom-field") else None
            rows = answer.data if answer is not None and answer.ok else []
            self._definitions[panel] = [definition for definition in rows if not definition["hide"]]
        return self._definitions[panel]

    @cached_property
    def _definitions(self) -> dict[str, list[Values]]:
        return {}


class Segments(RecordList, SegmentPage):
    path = name = "segments"
    title = gettext_lazy("Segments")
    template = "web/segments/list.html"
    adds = "segment-new"
    add_label = gettext_lazy("New segment")
    none = gettext_lazy("No segments yet")
    count = ngettext_lazy("%(count)s segment", "%(count)s segments")
    rows = "web/segments/rows.html"
    hint = gettext_lazy("Name, description")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("panel", gettext_lazy("Record type"), "panel"),
        Column("count", gettext_lazy("Members"), css="right num"),
        Column("description", gettext_lazy("Description")),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


class SegmentForm(RecordForm, SegmentPage):
    """The form for the name of a segment. The selection is in the address, or in the segment."""

    added = gettext_lazy("Segment added")

    form_class = form_from_input(
        SegmentCreate,
        {"name": gettext_lazy("Name"), "description": gettext_lazy("Description"), "color": gettext_lazy("Color")},
        kinds={"color": "select"},
        placeholders={"color": gettext_lazy("None")},
    )

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.fields["color"].options = color_options((values or {}).get("color", ""))
        return form


class NewSegment(NewRecord, SegmentForm):
    """A segment of contacts from the filters in the address, with the number of those who meet them."""

    path = "segments/new"
    name = "segment-new"
    shows_new = "segment"
    title = gettext_lazy("New segment of contacts")
    action = title
    template = "web/segments/new.html"
    panel: ClassVar[str] = "contact"

    @cached_property
    def choices(self) -> list[Choice]:
        """Return the filters for lists of the panel. Stage and organization stand for status and company, which only
        addresses set."""
        definitions = self.definitions(self.panel)
        categories = self.options_of("contact-category") if self.panel == "contact" else ()
        filters = record_choices(self.panel, definitions, self.options_of("tag"), categories=categories)
        company = company_definition(definitions) if self.panel == "contact" else None
        replaced = company["uniqueFieldID"] if company else "status"
        is_set = any(text.partition(":")[0] == replaced for text in self.request.GET.getlist("f"))
        return [entry for entry in filters if is_set or entry.name != replaced]

    @cached_property
    def state(self) -> ListState:
        """The filters in the address, with those that the form adds and without those that it removes."""
        choices = {choice.name: choice for choice in self.choices}
        return ListState.changed(self.request.GET, self.request.POST, choices, self.zone_name)

    def show(self) -> Values:
        return {**self.context(), "form": super().show()["form"]}

    def context(self) -> JsonObject:
        """Return the filters, and how many meet them."""
        answer = None
        if self.state.filters:
            answer = self.ask("GET", "segment/execute", {"panel": self.panel, **self.state.selection()})
        count = answer.data["count"] if answer is not None and answer.ok else None
        problem = answer.reason if answer is not None and not answer.ok else ""
        count_text = RECORD_COUNTS[self.panel].of(count) if count is not None else ""
        return {
            "state": self.state,
            "choices": self.choices,
            "counted": count_text,
            "filter_trouble": problem,
            "here": self.request.path + self.state.link(),
        }

    def body(self, values: Values) -> JsonObject:
        tree = self.state.selection().get("advancedFilters")
        return {**values, "panel": self.panel, **({"advancedFilters": tree} if tree else {})}

    def show_refused(self, form: Form, **context: Any) -> HttpResponse:
        return super().show_refused(form, **self.context(), **context)

    def do_save(self) -> HttpResponse:
        changed = filter_changes(self.request.POST, (choice.name for choice in self.choices))
        if any(changed) or MATCH in self.request.POST:
            return self.page({**self.context(), "form": self.form().bind(self.request.POST)})
        if not self.state.filters:
            form = self.form().bind(self.request.POST)
            form.add_error(None, _("Add a filter first."))
            return self.show_refused(form)
        return self.save()

    def save(self) -> HttpResponse:
        """Save the segment of the form and the filters."""
        return super().do_save()


class NewLeadSegment(NewSegment):
    path = "segments/new-leads"
    name = "segment-new-leads"
    title = gettext_lazy("New segment of leads")
    action = title
    panel = "lead"


class NewFixedSegment(NewRecord, SegmentForm):
    """A segment whose members are chosen one by one, on its page."""

    path = "segments/new-fixed"
    name = "segment-new-fixed"
    title = gettext_lazy("New segment, chosen one by one")

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        panels = [Option("contact", _("Contacts")), Option("lead", _("Leads"))]
        form.insert(Field("panel", _("Record type"), "radio", options=panels, initial="contact"), before="description")
        return form

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "segment", None, {**form.values, "kind": "static", "ids": []})
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.redirect_with_toast(
            _("Segment created. Now choose its members."), self.address("segment", answer.data["_id"])
        )


class SegmentFilters(NewSegment):
    """Other filters for a segment, from the address."""

    path = "segments/<str:id>/filters"
    name = "segment-filters"
    title = gettext_lazy("Filters of the segment")
    action = ""

    @cached_property
    def panel(self) -> str:  # type: ignore[override]
        return str(self.read(f"segment/{self.params['id']}").data["panel"])

    @property
    def word(self) -> str:
        return self.panel

    def list_address(self) -> str:
        return self.address("segment", self.params["id"])

    def form(self, values: Values | None = None) -> Form:
        return Form(fields=[])

    def show(self) -> Values:
        return {**self.context(), "form": self.form() if self.may("segment", "PUT") else None}

    def save(self) -> HttpResponse:
        tree = self.state.selection()["advancedFilters"]
        answer = self.ask("PUT", f"segment/{self.params['id']}", None, {"advancedFilters": tree})
        if not answer.ok:
            form = self.form()
            form.refuse(answer)
            return self.show_refused(form)
        return self.redirect_with_toast(_("Segment saved"), self.list_address())


class EditSegment(EditRecord, SegmentForm):
    """A segment: its selection, and its first members."""

    path = "segments/<str:id>"
    name = "segment"
    tab_name = gettext_lazy("Segment")
    saved = gettext_lazy("Segment saved")
    deleted = gettext_lazy("Segment deleted")
    record_kind = ("segment", gettext_lazy("Segments"))
    template = "web/segments/detail.html"

    def context(self) -> JsonObject:
        panel = self.record["panel"]
        listed = self.may(panel) and not self.record["problem"]
        query = {"id": self.params["id"], **({"p": "1", "n": str(SHOWN)} if listed else {})}
        answer = self.ask("GET", "segment/execute", query)
        execution = answer.data if answer.ok else {"count": None, "records": None}
        return {
            **super().context(),
            **(self.choosing(panel, execution["records"] or []) if listed and self.is_fixed else {}),
            "count": execution["count"],
            "counted": RECORD_COUNTS[panel].of(execution["count"]) if execution["count"] is not None else "",
            "members": execution["records"] or [],
            "labels": status_labels(self.definitions(panel)) if panel == "lead" and listed else {},
            "rules": self.rules(),
            "filters": self.filters_address() if self.may("segment", "PUT") else "",
            "shown": SHOWN,
        }

    @property
    def is_fixed(self) -> bool:
        """Return whether the reader may choose its members one by one."""
        return self.record["kind"] == "static" and self.may("segment", "PUT")

    def choosing(self, panel: str, members: list[Values]) -> JsonObject:
        """Return the search for more members, and its first results outside of those shown."""
        find = self.request.GET.get("find", "").strip()
        query = {"searchValue": find, "p": "1", "n": str(SHOWN)}
        answer = self.ask("GET", panel, query) if find else None
        there = {record["_id"] for record in members}
        matches = answer.data if answer is not None and answer.ok else []
        return {"chooses": True, "find": find, "found": [record for record in matches if record["_id"] not in there]}

    def do_add(self) -> HttpResponse:
        return self._save_members("addIds", _("Added"))

    def do_take_out(self) -> HttpResponse:
        return self._save_members("removeIds", _("Removed"))

    def _save_members(self, name: str, text: str) -> HttpResponse:
        answer = self.ask("PUT", f"segment/{self.params['id']}", None, {name: [self.sent_id("member")]})
        return self.redirect_with_toast(text) if answer.ok else self.refuse(answer)

    def is_known(self, text: str) -> bool:
        """Return whether the page of the filters shows the filter, which it would lose otherwise."""
        panel = self.record["panel"]
        choices = {choice.name: choice for choice in record_choices(panel, self.definitions(panel))}
        return text.partition(":")[0] in ("tags", "category") or filter_display_check(choices)(text)

    def filters_address(self) -> str:
        """Return the address that changes the filters, or "" where they are more than filters and groups of them."""
        tree = self.record["advancedFilters"] or {}
        texts, match, rest = flatten_tree(tree, self.is_known, self.zone_name) if tree else ([], "", [])
        if not texts or rest:
            return ""
        return self.address("segment-filters", self.params["id"], f=texts, **({MATCH: match} if match else {}))

    def rules(self) -> list[str]:
        """Return the segment's conditions as text, a line for each."""
        tree = self.record["advancedFilters"]
        if not tree:
            return []
        panel = self.record["panel"]
        names = {entry.name: entry.label for entry in (*PLAIN[panel], *BESIDE[panel])}
        names |= {entry["uniqueFieldID"]: str(entry["name"]) for entry in self.definitions(panel)}
        records = self.record_names(tree)
        choices = {entry.name: entry for entry in record_choices(panel, self.definitions(panel))}
        conditions = tree["conditions"] if tree.get("operator") == "and" else [tree]
        return [filter_text(entry, names, records, choices, self.reader.formats) for entry in conditions]

    def record_names(self, tree: Values) -> dict[str, str]:
        """Return id -> name of the records in the conditions: of one kind, since a page asks little."""
        ids: dict[str, set[str]] = {}
        for field, value in values_in(tree):
            if field in RECORDS:
                ids.setdefault(RECORDS[field], set()).add(value)
        # Who reads leads reads pipelines.
        paths = [path for path in ids if self.may("lead" if path == PIPELINES else path)]
        if not paths:
            return {}
        path = max(paths, key=lambda path: len(ids[path]))
        if path == PIPELINES:
            answer = self.ask("GET", PIPELINES, {"p": "1", "n": "200"})
            pipelines = answer.data if answer.ok else []
            rows = [row for pipeline in pipelines for row in (pipeline, *pipeline["stages"])]
            return {row["_id"]: row["name"] for row in rows}
        these = {"operator": "and", "conditions": [{"field": "_id", "operator": "in", "value": sorted(ids[path])}]}
        answer = self.ask("GET", path, {"p": "1", "n": "200", "advancedFilters": these})
        return (
            {record["_id"]: record.get("name") or record.get("email") or "" for record in answer.data}
            if answer.ok
            else {}
        )

    def consequence(self) -> str:
        return str(STAYS[self.record["panel"]])


def values_in(node: Values) -> Iterator[tuple[str, str]]:
    """Yield the (field, text) of each value in a tree of conditions."""
    for condition in node.get("conditions", []):
        yield from values_in(condition)
    value = node.get("value")
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str):
            yield node["field"], text


PAGES = [Segments, NewSegment, NewLeadSegment, NewFixedSegment, EditSegment, SegmentFilters]
