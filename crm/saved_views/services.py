"""Use cases of saved views. Private views belong to their maker; makers and admins edit shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from core.access import Actor, AuthPath, check_key, check_session, entitlement
from core.errors import ApiError, NamedError, PermissionLacking, shorten
from core.lists import BulkSelection, FieldSet, ListQuery, tree
from core.lists.query import filters_tree
from core.text.json import dumps
from core.types import JsonObject, Values
from crm.records.writes.unique_names import save_unique_name
from crm.saved_views.lists import VIEWED, ViewedList
from crm.saved_views.models import SavedView

TAKEN, NOT_FOUND = "SavedViewNameAlreadyExists_400", "SavedViewNotFound_404"
MAX_VIEWS = 50
"""The number of views that a member may keep."""
MAX_BYTES = 16 * 1024
"""The size of a query in bytes, as JSON."""
PARAMETERS = ("searchValue", "searchBy", "filters", "advancedFilters", "sortBy", "sortOrder")


def visible_views(actor: Actor) -> QuerySet[SavedView]:
    """Return the actor's own views and the shared ones, of the lists that the actor may read."""
    lists = [name for name, viewed_list in VIEWED.items() if actor.is_unbounded or actor.may(viewed_list.module, "GET")]
    return SavedView.objects.filter(Q(created_by=actor.member_id) | Q(shared=True), resource__in=lists)


def may_change(actor: Actor, owner_id: str | None) -> bool:
    """Return whether the actor may change a view that they see: their own, or any as an admin (settings.PUT)."""
    return owner_id == actor.member_id or actor.is_unbounded or actor.may("settings", "PUT")


def not_found() -> NamedError:
    """Return the error of an id that belongs to no view that the actor sees."""
    return NamedError(NOT_FOUND, "there is no such view of yours, and no shared one, in this company", field="id")


def query_problem(query: Values, fields: FieldSet) -> ApiError | None:
    """Return the error by which the list would refuse a stored query, such as a deleted field. None: it would not."""
    try:
        if "advancedFilters" in query:
            tree.check(tree.parse(query["advancedFilters"]), fields)
        ListQuery.parse({name: value for name, value in query.items() if name != "advancedFilters"}, fields)
    except ApiError as error:
        return error
    return None


def column_problem(unknown: str | None) -> NamedError | None:
    """Return the error for an unknown column; None without one."""
    if unknown is None:
        return None
    return NamedError("InvalidInput_400", f"there is no field {shorten(unknown, 60)!r}", field="columns")


def create_view(*, actor: Actor, values: Values) -> SavedView:
    """Create a view of the actor's.

    Raises InvalidInput_400, and the list's errors for the query. Raises UnauthorizedAction_403 for a list that the
    actor may not read, SavedViewNameAlreadyExists_400 and SavedViewLimitReached_400.
    """
    resource = values["resource"]
    if resource not in VIEWED:
        names = ", ".join(sorted(VIEWED))
        raise NamedError("InvalidInput_400", f"one of {names}, not {shorten(resource, 60)!r}", field="resource")
    listed = VIEWED[resource]
    _check_readable(actor, listed)
    view = SavedView(created_by_id=actor.member_id, updated_by_id=actor.member_id, resource=resource)
    _check_shareable(actor, view, values)
    _set(view, listed, values)
    # The lock of the count lasts until the view is stored, so that two requests cannot pass the limit.
    with transaction.atomic():
        _reserve_place(actor.member_id)
        save_unique_name(view, TAKEN)
    return view


@transaction.atomic
def update_view(*, actor: Actor, id: str, values: Values) -> SavedView:
    """Change the given values of a view.

    Raises SavedViewNotFound_404, UnauthorizedAction_403 for another member's shared view, and the errors of
    create_view.
    """
    view = visible_views(actor).select_for_update(of=("self",)).filter(pk=id).first()
    if view is None:
        raise not_found()
    _check_changeable(actor, [view])
    if values.get("resource", view.resource) != view.resource:
        raise NamedError(
            "InvalidInput_400", f"is set once, when the view is made; it is {view.resource}", field="resource"
        )
    _check_shareable(actor, view, values)
    _set(view, VIEWED[view.resource], values)
    if not view.shared and view.created_by_id != actor.member_id:
        raise NamedError("InvalidInput_400", "only who made the view can make it their own again", field="shared")
    view.updated_by_id = actor.member_id
    save_unique_name(view, TAKEN)
    return view


@transaction.atomic
def delete_views(*, actor: Actor, selection: BulkSelection) -> int:
    """Delete the selected views that the actor sees. Returns the number deleted.

    Raises SavedViewNotFound_404 when ids name none, UnauthorizedAction_403 for shared views of others.
    """
    selected = selection.apply(visible_views(actor).select_for_update(of=("self",))).order_by("pk")
    views = list(selected.only("pk", "company_id", "name", "created_by_id"))
    if not views and not selection.everything:
        raise not_found()
    _check_changeable(actor, views)
    SavedView.objects.filter(pk__in=[view.pk for view in views]).delete()
    return len(views)


def forget_views(member_ids: Sequence[str]) -> None:
    """Delete the views that removed members kept for themselves; those that they shared stay."""
    SavedView.objects.filter(created_by__in=member_ids, shared=False).delete()


def _check_readable(actor: Actor, listed: ViewedList) -> None:
    if actor.auth_path is AuthPath.KEY:
        check_key(actor, (listed.module,), "GET")
    else:
        check_session(actor, entitlement(actor.company_id), listed.module, "GET")


def _check_shareable(actor: Actor, view: SavedView, values: Values) -> None:
    """Refuse to share a view that is not shared yet, unless the actor may change the list's records."""
    module = VIEWED[view.resource].module
    if values.get("shared") and not view.shared and not actor.may(module, "PUT"):
        raise PermissionLacking(f"{module}.PUT", ", which sharing a view takes", field="shared")


def _check_changeable(actor: Actor, views: Sequence[SavedView]) -> None:
    foreign = next((view for view in views if not may_change(actor, view.created_by_id)), None)
    if foreign is not None:
        name = shorten(foreign.name, 60)
        raise NamedError(
            "UnauthorizedAction_403",
            f"{name!r} is changed by who made it, or by a role with the permission settings.PUT",
        )


def _set(view: SavedView, listed: ViewedList, values: Values) -> None:
    columns = values.get("columns", view.columns)
    # What GET gave may be PUT, whatever is gone of it.
    if columns != view.columns and (problem := column_problem(listed.unknown_column(columns))):
        raise problem
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None and columns != view.columns:
        raise NamedError(
            "InvalidInput_400", f"choose each column once; {shorten(twice, 60)!r} is there twice", field="columns"
        )
    for name in ("name", "columns", "layout", "shared"):
        if name in values:
            setattr(view, name, values[name])
    if view.layout not in listed.layouts:
        raise NamedError("InvalidInput_400", f"one of {', '.join(listed.layouts)} for {view.resource}", field="layout")
    if "query" in values:
        view.query = _validate_query(values["query"], listed.fields)


def _validate_query(query: Values, fields: FieldSet) -> JsonObject:
    """Return the query in its stored form, with its filters as one tree. Raises the list's errors for it."""
    unknown = next((name for name in query if name not in PARAMETERS), None)
    if unknown is not None:
        raise NamedError(
            "InvalidInput_400", f"a view keeps {', '.join(PARAMETERS)}", field=f"query.{shorten(unknown, 40)}"
        )
    ListQuery.parse(query, fields)
    kept = {name: query[name] for name in PARAMETERS if query.get(name) not in (None, "", [])}
    plain, advanced = kept.pop("filters", None), kept.pop("advancedFilters", None)
    parts = [] if plain is None else [filters_tree(_object(plain, "filters"))]
    parts += [] if advanced is None else [tree.parse(advanced)]
    if parts:
        merged = parts[0] if len(parts) == 1 else tree.Group("and", (*parts[0].conditions, parts[1]))
        kept["advancedFilters"] = tree.tree_to_json(merged)
    if len(dumps(kept)) > MAX_BYTES:
        raise NamedError("InvalidInput_400", f"takes more than {MAX_BYTES:,} bytes as JSON", field="query")
    return kept


def _object(value: Any, name: str) -> Any:
    return tree.load_json(value, name) if isinstance(value, str) else value


def _reserve_place(member_id: str) -> None:
    """Refuse more views of a member than MAX_VIEWS, under a lock that lasts until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"leadwright.views:{member_id}"])
    if SavedView.objects.filter(created_by=member_id).count() >= MAX_VIEWS:
        raise NamedError("SavedViewLimitReached_400", f"you keep {MAX_VIEWS} views; delete one first")
