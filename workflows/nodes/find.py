"""The node that looks records up, as a list of the API would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from core.errors import ApiError, NamedError
from core.lists import tree
from core.lists.keyset import SortKey, section_querysets
from core.lists.values import UNKNOWN_FIELD
from core.text.json import dumps
from core.types import JsonObject
from crm.records.types import RECORD_TYPES, kind_of
from workflows.expressions.records import values_of
from workflows.nodes import effects
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome
from workflows.nodes.records import fail_by

MAX_RECORDS = 200
NOBODY = "0" * 24
"""The id of no record."""


class FindConfig(NodeConfig):
    main = ("panel", "filter", "limit")

    panel: Literal["contact", "lead"] = "contact"
    filter: JsonObject = Field(
        description="Conditions on the fields of the panel's list; their values may be expressions.",
        json_schema_extra={"x-widget": "tree", "x-panel": "panel"},
    )
    sortBy: str = Field(default="createdAt", max_length=100, json_schema_extra={"x-widget": "field"})
    sortOrder: Literal["asc", "desc"] = "desc"
    limit: int = Field(default=1, ge=1, le=MAX_RECORDS)
    fields: list[str] = Field(
        default=[],
        max_length=50,
        description="What is kept of each record beside its _id.",
        json_schema_extra={"x-widget": "fields"},
    )

    @field_validator("filter")
    @classmethod
    def _tree(cls, filter: JsonObject) -> JsonObject:
        try:
            tree.parse(filter, "filter")
        except NamedError as error:
            raise PydanticCustomError("badConditions", "{detail}", {"detail": error.detail_at("filter")}) from None
        return filter


def _find(batch: NodeBatch) -> None:
    """Look once for all runs that ask for the same: for all at once where the conditions hold no expression."""
    config: FindConfig = batch.config
    groups: dict[bytes, tuple[Any, list[Any]]] = {}
    for item in batch.items:
        conditions = _fill_conditions(config.filter, batch.render("filter", item))
        groups.setdefault(dumps(conditions), (conditions, []))[1].append(item)
    matches: list[tuple[list[Any], list[str]]] = []
    for conditions, items in groups.values():
        try:
            matches.append((items, _ids(config, conditions, batch)))
        except ApiError as error:
            for item in items:
                fail_by(item, error)
    values = values_of(config.panel, {id for _, ids in matches for id in ids}) if config.fields else {}
    for items, ids in matches:
        records = [{"_id": id, **{name: values[id].get(name) for name in config.fields}} for id in ids]
        for item in items:
            handle = "found" if records else "none"
            item.outcome = Outcome(handle=handle, output={"count": len(records), "records": records})


def _fill_conditions(conditions: Any, rendered: Any) -> Any:
    """Return the rendered conditions; one whose expression has no value matches no record."""
    if "conditions" in conditions:
        parts = zip(conditions["conditions"], rendered["conditions"], strict=True)
        return {**rendered, "conditions": [_fill_conditions(*part) for part in parts]}
    empty = rendered.get("value") in (None, "") and "{{" in str(conditions.get("value") or "")
    return {"field": "_id", "operator": "equals", "value": NOBODY} if empty else rendered


def _ids(config: FindConfig, conditions: Any, batch: NodeBatch) -> list[str]:
    fields = RECORD_TYPES[config.panel].fields
    where = tree.compile(tree.parse(conditions, "filter"), fields, now=batch.now, parameter="filter")
    key = SortKey(fields.sortable(config.sortBy, "sortBy"), config.sortOrder == "desc")
    rows = kind_of(config.panel).live().filter(where)
    ids = (
        id
        for section in section_querysets(rows, [key])
        for id in section.queryset.values_list("pk", flat=True)[: config.limit]
    )
    return list(islice(ids, config.limit))


def _unknown(config: FindConfig) -> Sequence[tuple[str, str, str]]:
    """Find fields that the company's records do not have. Values that are expressions are checked when it runs."""
    what = RECORD_TYPES[config.panel]
    problems = []
    checks: tuple[tuple[str, Callable[[], object]], ...] = (
        ("filter", lambda: _check_tree(tree.parse(config.filter, "filter"), what.fields)),
        ("sortBy", lambda: what.fields.sortable(config.sortBy, "sortBy")),
    )
    for path, check in checks:
        try:
            check()
        except NamedError as error:
            code = error.code if error.code == UNKNOWN_FIELD else "badValue"
            problems.append((code, path, error.detail_at(path)))
    names = (column.api_name for column in kind_of(config.panel).columns if column.api_name)
    field_names = {*names, *what.schema.load().fields, "createdAt"}
    return problems + [
        ("unknownField", f"fields.{place}", f"there is no field {name} of a {config.panel}")
        for place, name in enumerate(config.fields)
        if name not in field_names
    ]


def _check_tree(node: tree.Condition | tree.Group, fields: Any) -> None:
    if isinstance(node, tree.Group):
        for child in node.conditions:
            _check_tree(child, fields)
    elif "{{" in str(node.value):
        fields.filterable(node.field, "filter")
    else:
        tree.check(node, fields, parameter="filter")


FIND = NodeType(
    "find",
    "records",
    "Find",
    "Looks contacts or leads up, for later nodes to refer to or to loop over.",
    FindConfig,
    _find,
    handles=lambda config: ("found", "none"),
    needs=lambda config: (f"{config.panel}.GET",),
    icon="search",
    templates=("filter",),
    check=_unknown,
    outputs={"count": "number", "records": "list"},
    effect=effects.of_search,
)
TYPES = (FIND,)
