"""Lists with saved views: tabs of views, differences from the open one, and the actions of its menu."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpResponse, QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.filters import Choice, Filter, filter_display_check, flatten_tree
from core.web.lists import MATCH, SAYING, Column, ListState
from core.web.tables import TablePage

MAX_VIEWS = "500"
KEPT = ("saved", "columns")
"""Parameters of the address: the id of the open view, and the columns if they are not its own."""
CHANGED = gettext_lazy("Some filters of this view no longer exist. Save the view to remove them.")
GONE = gettext_lazy("A column of this view no longer exists. Save the view to remove it.")
COLUMNS = "columns"
"""The field that the problem of a view names whose query is fine."""
LOST = gettext_lazy("This view was deleted or is no longer shared with you.")


class ViewedList(TablePage):
    """A list with saved views. `?saved=<id>` opens a view; other parameters of the address override it."""

    keeps: Sequence[str] = KEPT
    notice = ""
    """Message about a problem of the open view."""
    owned_by: ClassVar[tuple[str, str]] = ("", "")
    """Name and label of the field with the record's owner, by which the tab Mine filters."""

    @property
    def choices(self) -> Sequence[Choice]:
        """The fields that people filter by."""
        raise NotImplementedError

    # What the address and the open view say

    @cached_property
    def views(self) -> list[Values]:
        """The reader's views of the list and the shared ones."""
        query = {"filters": {"resource": self.resource}, "p": "1", "n": MAX_VIEWS, "sortBy": "name", "sortOrder": "asc"}
        answer = self.ask("GET", "saved-view", query)
        return list(answer.data) if answer.ok else []

    @cached_property
    def view(self) -> Values | None:
        """The open view."""
        id = self.request.GET.get("saved", "")
        return next((row for row in self.views if row["_id"] == id), None) if id else None

    @property
    def has_own_parameters(self) -> bool:
        """Return whether the address has parameters of its own for the list, instead of the view's."""
        return any(name in self.request.GET for name in SAYING)

    @property
    def tree(self) -> Values:
        """The conditions of the open view, if it has any."""
        return (self.view["query"].get("advancedFilters") if self.view else None) or {}

    @property
    def sent_filters(self) -> list[Filter]:
        """The filters of the address or of the open view, those that the list does not know included."""
        texts = self.request.GET.getlist("f")
        texts = [
            *texts,
            *(() if self.has_own_parameters or not self.tree else flatten_tree(self.tree, zone=self.zone_name)[0]),
        ]
        return [list_filter for list_filter in map(Filter.read, texts) if list_filter]

    def is_filtered(self, name: str) -> bool:
        """Return whether the address or the open view filters by the field."""
        return any(list_filter.name == name for list_filter in self.sent_filters)

    def link_choice(self, name: str, path: str, label: str) -> Choice:
        """Return a filter that links of other pages set, with the names of the records that it is set to alone."""
        ids = [entry.value for entry in self.sent_filters if entry.name == name and is_id(entry.value)]
        answer = self.ask("GET", path, {"ids": ids, "p": "1", "n": str(len(ids))}) if ids else None
        rows = answer.data if answer is not None and answer.ok else []
        names = {entry["_id"]: entry.get("name") or (entry.get("file") or {}).get("name") or "" for entry in rows}
        return Choice(name, label, ("in",), [(id, names.get(id) or gettext("deleted view")) for id in ids])

    def with_owners(self, choices: Sequence[Choice]) -> list[Choice]:
        """Return the choices with that of the owner, where the list is filtered by it and no choice knows it."""
        name, label = self.owned_by
        own = self.actor.member_id
        if not self.is_filtered(name) or name in {choice.name for choice in choices}:
            return list(choices)
        if all(entry.value == own for entry in self.sent_filters if entry.name == name):
            return [*choices, Choice(name, label, ("in",), [(own, gettext("Me"))])]
        return [*choices, self.link_choice(name, "member", label)]

    @property
    def own_tab(self) -> JsonObject | None:
        """The tab of the reader's own records. None for lists without owners, and for staff on a visit."""
        name, _ = self.owned_by
        if not name or not self.actor.member_id:
            return None
        own = Filter(name, "in", self.actor.member_id)
        is_open = self.view is None and not self.state.search and list(self.state.filters) == [own]
        return {"link": f"{self.request.path}?{urlencode({'f': str(own)})}", "open": is_open}

    def state_of(self, view: Values, sent: QueryDict | None = None) -> ListState:
        """Return the state of a view, with the place in the list and the like from `sent`."""
        query, params = view["query"], sent.copy() if sent is not None else QueryDict(mutable=True)
        sort, order = (_first(query.get(name)) for name in ("sortBy", "sortOrder"))
        params["q"] = query.get("searchValue") or ""
        texts, match, _ = self.flat_filters
        params.setlist("f", texts)
        params[MATCH] = match
        params["sort"] = f"-{sort}" if sort and order != "asc" else sort
        if view["layout"] != "table":
            params["view"] = view["layout"]
        return ListState(params, self.choices_by_name, self.keeps, zone=self.zone_name)

    @cached_property
    def flat_filters(self) -> tuple[list[str], str, list[Values]]:
        """The filters of the open view as this list's addresses write them (core.web.filters.flatten_tree)."""
        return flatten_tree(self.tree, self.is_known, self.zone_name) if self.tree else ([], "", [])

    def is_known(self, text: str) -> bool:
        return filter_display_check(self.choices_by_name)(text)

    @cached_property
    def choices_by_name(self) -> dict[str, Choice]:
        return {choice.name: choice for choice in self.choices}

    @cached_property
    def state(self) -> ListState:
        view = self.view
        if view is None:
            return ListState(self.request.GET, self.choices_by_name, self.keeps, zone=self.zone_name)
        parameters = self.request.GET
        list_state = (
            ListState(parameters, self.choices_by_name, self.keeps, zone=self.zone_name)
            if self.has_own_parameters
            else self.state_of(view, parameters)
        )
        list_state.explicit = True
        list_state.fixed = [] if self.query_problem else self.flat_filters[2]
        return list_state

    @property
    def query_problem(self) -> bool:
        """Return whether the list refuses the open view's filters or sort."""
        view = self.view
        return view is not None and bool(view["problem"]) and view["problemFields"] != [COLUMNS]

    @property
    def current_address(self) -> str:
        """The address of the list as it is, from its first page on."""
        return self.request.path + self.state.link()

    @cached_property
    def columns(self) -> list[Column]:
        """The columns that are shown."""
        names = self.request.GET.get("columns", "")
        of_view = self.view["columns"] if self.view else []
        return self.columns_of(names.split(",") if names else of_view or self.preferred_columns())

    @property
    def layout(self) -> str:
        return "table"

    @property
    def differs_from_view(self) -> bool:
        """Return whether the list differs from its view, or from the unchanged list."""
        names = self.request.GET.get("columns")
        if self.view is None:
            return bool(self.state.is_narrowed or self.state.sort or names)
        stored = self.state_of(self.view)
        if self.view["problem"] or (names and names.split(",") != (self.view["columns"] or self.preferred_columns())):
            return True
        return self._view_key(self.state, self.layout) != self._view_key(stored, self.view["layout"])

    @staticmethod
    def _view_key(state: ListState, layout: str) -> tuple[Any, ...]:
        return state.search, sorted(state.filters), state.any, state.sort, layout

    # What is shown

    def read_list(self, path: str, query: Values) -> Answer:
        """Read the list. Parameters of the view that the list refuses are omitted, which `notice` states."""
        answer = self.ask("GET", path, query)
        if answer.ok or self.view is None or answer.status != 400 or self.has_own_parameters:
            return answer if answer.ok else self.read(path, query)
        self.notice = CHANGED
        plain = QueryDict(mutable=True)
        plain.update({"saved": self.view["_id"], "q": ""})
        self.state = ListState(plain, self.choices_by_name, self.keeps, explicit=True, zone=self.zone_name)
        return self.read(
            path, {name: query[name] for name in ("n", "cursorPagination", "groupBy", "pipeline") if name in query}
        )

    def context(self) -> JsonObject:
        """Return the template's data about views and columns."""
        view = self.view
        lost = self.request.GET.get("saved") and view is None
        broken = ""
        if view is not None and view["problem"] and not self.has_own_parameters:
            broken = CHANGED if self.query_problem else GONE
        return {
            "state": self.state,
            "here": self.current_address,
            "columns": self.columns,
            "views": self.views,
            "mine": self.own_tab,
            "view": view,
            "view_is_mine": view is not None and (view["createdBy"] or {}).get("_id") == self.actor.member_id,
            "may_share": self.may(self.module, "PUT"),
            "may_change_view": view is not None and self.may_change_view(view),
            "differs": self.differs_from_view,
            "notice": self.notice or (LOST if lost else broken),
        }

    def may_change_view(self, view: Values) -> bool:
        """Return whether the reader may change the view: their own, or any with the company's settings."""
        return (view["createdBy"] or {}).get("_id") == self.actor.member_id or self.may("settings", "PUT")

    # What forms do

    def view_body(self) -> JsonObject:
        """Return the present view of the list, in the form of the API."""
        names = self.request.GET.get("columns") or (self.view and self.view["columns"])
        names = names or self.columns_key in self.reader.columns
        columns = [column.name for column in self.columns] if names else []
        return {"query": self.list_parameters(), "columns": columns, "layout": self.layout}

    def list_parameters(self) -> JsonObject:
        """Return the parameters of the list, without paging."""
        paging = ("n", "cursor", "cursorPagination")
        return {name: value for name, value in self.state.query().items() if name not in paging}

    def do_new_view(self) -> HttpResponse:
        post = self.request.POST
        body = {"resource": self.resource, "name": post.get("name", "").strip(), "shared": "shared" in post}
        answer = self.ask("POST", "saved-view", None, {**body, **self.view_body()})
        return self._redirect_to_view(answer, gettext("View saved"))

    def do_save_view(self) -> HttpResponse:
        return self._change_view(self.view_body(), gettext("View saved"))

    def do_rename_view(self) -> HttpResponse:
        return self._change_view(
            {"name": self.request.POST.get("name", "").strip()}, gettext("View renamed"), stay=True
        )

    def do_share_view(self) -> HttpResponse:
        return self._change_view({"shared": True}, gettext("View shared with everyone"), stay=True)

    def do_unshare_view(self) -> HttpResponse:
        return self._change_view({"shared": False}, gettext("View is now private"), stay=True)

    def do_delete_view(self) -> HttpResponse:
        answer = self.ask("DELETE", "saved-view", None, {"ids": [self.request.GET.get("saved", "")]})
        return (
            self.redirect_with_toast(gettext("View deleted"), self.request.path)
            if answer.ok
            else self.refuse(answer, self.current_address)
        )

    def _change_view(self, body: Values, text: str, *, stay: bool = False) -> HttpResponse:
        if self.view is None:
            return self.redirect_with_toast(to=self.current_address)
        answer = self.ask("PUT", f"saved-view/{self.view['_id']}", None, body)
        return self._redirect_to_view(answer, text, self.current_address if stay else "")

    def _redirect_to_view(self, answer: Answer, text: str, to: str = "") -> HttpResponse:
        if not answer.ok:
            return self.refuse(answer, self.current_address)
        return self.redirect_with_toast(text, to or f"{self.request.path}?saved={answer.data['_id']}")

    def export_parameters(self) -> JsonObject:
        """Return the parameters of the list that selects the records of an export."""
        return self.list_parameters()

    def do_export(self) -> HttpResponse:
        body = {
            "resource": self.resource,
            "query": self.export_parameters(),
            "format": self.request.POST.get("format", "csv"),
        }
        answer = self.ask("POST", "export", None, body)
        return (
            self.redirect_with_toast(to=self.address("export", answer.data["_id"]))
            if answer.ok
            else self.refuse(answer, self.current_address)
        )


def _first(value: Any) -> str:
    """Return the first of several sorts, as a list or a text with commas has them."""
    first = value[0] if isinstance(value, list) and value else value
    return str(first or "").partition(",")[0].strip()
