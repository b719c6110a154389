"""Nodes that create, change and delete contacts and leads, by the same services as the API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from django.db import transaction
from django.db.models.functions import Upper
from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.errors import ApiError, NamedError
from core.events import emit
from core.lists import BulkSelection
from core.text.json import dumps
from core.types import JsonObject, Values
from crm.contacts.bulk import delete_contacts
from crm.contacts.models import Contact
from crm.contacts.schema import ContactSchema
from crm.contacts.services import create_contact, create_contacts, update_contact
from crm.contacts.updates import update_contacts
from crm.field_types import BadValue
from crm.leads.bulk import delete_leads
from crm.leads.places import read_close
from crm.leads.relations import Relations
from crm.leads.services import create_leads
from crm.records.problems import ValueProblem, reason_of
from crm.records.results import BulkResult, Saved
from crm.records.types import RECORD_TYPES, kind_of
from workflows.nodes import effects
from workflows.nodes.base import Item, NodeBatch, NodeConfig, NodeType, Outcome
from workflows.nodes.references import checked_ids, missing_assignees, missing_stage, no_tags

EXPRESSION: JsonObject = {"x-widget": "fields"}
PLACE = {
    "pipeline": "pipeline",
    "stage": "stage",
    "lostReason": "lost_reason",
    "expectedCloseAt": "expected_close_at",
}
"""Key of a value -> the argument of Relations, of a lead's place in its pipeline."""
STAGED: JsonObject = {"action": ["create", "update"], "updateType": ["set"]}
"""The settings with which leads come to a stage."""
KEY_PARTS = ("email", "countryCode", "number")
"""Values that may make contacts unique."""


class RecordConfig(NodeConfig):
    action: Literal["create", "update", "upsert", "delete"]
    values: JsonObject = Field(default={}, max_length=200, description="Field -> value.", json_schema_extra=EXPRESSION)
    updateType: Literal["set", "append", "remove", "clear"] = "set"
    tags: list[str] = Field(default=[], max_length=100, json_schema_extra={"x-widget": "tags"})

    @field_validator("tags")
    @classmethod
    def _ids(cls, ids: list[str]) -> list[str]:
        return checked_ids(ids)

    @model_validator(mode="after")
    def _check_values(self) -> RecordConfig:
        if self.action in ("create", "upsert") and not self.values:
            raise PydanticCustomError("noValues", "values: enter at least one value")
        if self.action == "update" and not self.changes():
            raise PydanticCustomError("noChange", "values: choose at least one to change")
        return self

    def changes(self) -> bool:
        """Return whether the settings name something to change."""
        return bool(self.values or self.tags)


class LeadConfig(RecordConfig):
    action: Literal["create", "update", "delete"]
    team: str | None = Field(default=None, json_schema_extra={"x-widget": "team"})
    teamMember: str | None = Field(default=None, json_schema_extra={"x-widget": "member"})
    stage: str | None = Field(default=None, json_schema_extra={"x-widget": "stage", "x-show-if": STAGED})

    @model_validator(mode="after")
    def _check_stage(self) -> LeadConfig:
        if self.stage and self.action == "update" and self.updateType != "set":
            raise PydanticCustomError("stageNotSet", "stage: a lead has one; use updateType set")
        return self

    def changes(self) -> bool:
        return super().changes() or self.stage is not None


def with_record(batch: NodeBatch, panel: str) -> list[tuple[str, Item]]:
    """Return the items whose run has a record of the panel, with its id. The others fail."""
    pairs = []
    for item in batch.items:
        id = item.run.contact_id if panel == "contact" else item.run.lead_id
        if id is None:
            item.fail("missing", f"the run has no {panel}")
        else:
            pairs.append((id, item))
    return pairs


def _contact(batch: NodeBatch) -> None:
    action = batch.config.action
    if action == "create":
        _create(
            batch,
            "contact",
            lambda values: create_contacts(actor_id=_actor(batch), items=values, tag_ids=batch.config.tags),
        )
    elif action == "upsert":
        _upsert(batch)
    elif action == "delete":
        _delete(batch, "contact", delete_contacts)
    elif batch.config.updateType == "set" and not batch.config.tags:
        _set_contacts(batch)
    else:
        change = {"updateType": batch.config.updateType, "tags": batch.config.tags or None}
        change_by_values(batch, "contact", lambda values: {"formData": values, **change})


def _lead(batch: NodeBatch) -> None:
    config: LeadConfig = batch.config
    if config.action == "create":
        relation_ids = {
            "team": config.team,
            "team_member": config.teamMember,
            "stage": config.stage,
            "tags": config.tags,
        }
        relations = Relations(**{name: value for name, value in relation_ids.items() if value})  # type: ignore[arg-type]
        _create(batch, "lead", lambda values: create_leads(actor_id=batch.actor_id, items=values, relations=relations))
    elif config.action == "delete":
        _delete(batch, "lead", delete_leads)
    else:
        lead_relations = {"tags": config.tags, "stage": config.stage}
        changed = {name: value for name, value in lead_relations.items() if value}
        change_by_values(batch, "lead", lambda values: _lead_change(values, config.updateType, changed))


def _lead_change(values: Values, update_type: str, relations: Values) -> JsonObject:
    """Return the bulk change of leads by rendered values, of which some are no fields but the lead's place."""
    place = {PLACE[key]: value for key, value in values.items() if key in PLACE}
    if close := place.get("expected_close_at"):
        place["expected_close_at"] = read_close(close)
    form = {key: value for key, value in values.items() if key not in PLACE}
    return {"formData": form, "updateType": update_type, "relations": {**relations, **place}}


def _actor(batch: NodeBatch) -> str:
    return batch.actor_id  # type: ignore[return-value]  # the services take None: the record has no author then


def _create(batch: NodeBatch, panel: str, create: Callable[[list[JsonObject]], BulkResult]) -> None:
    """Create a record for each run, which is the run's own if it has none."""
    items = list(batch.items)
    values = [batch.render("values", item) for item in items]
    if panel == "lead":
        values = [
            {"contact": item.run.contact_id, **value} if item.run.contact_id else value
            for item, value in zip(items, values, strict=True)
        ]
    result = create(values)
    fail_refused(items, result)
    refused_indexes = {failure.index for failure in result.failed}
    created_items = [item for place, item in enumerate(items) if place not in refused_indexes]
    for item, id in zip(created_items, [*result.created, *result.updated], strict=True):
        item.outcome = Outcome(output={"id": id}, record=(panel, id))


def _upsert(batch: NodeBatch) -> None:
    """Change the contact that has the unique key, or the email address where no number is given; else create one."""
    rendered = [batch.render("values", item) for item in batch.items]
    contact_ids = _by_email(_address(values) for values in rendered)
    for item, values in zip(batch.items, rendered, strict=True):
        contact_id = contact_ids.get(_address(values))
        try:
            # A savepoint per item: a refused contact fails its own run alone.
            with transaction.atomic():
                if contact_id is not None:
                    update_contact(id=contact_id, actor_id=_actor(batch), form_data=values)
                    if batch.config.tags:
                        added = {"formData": {}, "updateType": "append", "tags": batch.config.tags}
                        change_records("contact", [contact_id], added, batch.actor_id)
                    saved = Saved(contact_id, updated=True)
                else:
                    saved = create_contact(
                        actor_id=_actor(batch), form_data=values, tag_ids=batch.config.tags, existing_error=False
                    )
        except ApiError as error:
            fail_by(item, error)
        else:
            item.outcome = Outcome(
                handle="exists" if saved.updated else "out",
                output={"id": saved.id, "created": not saved.updated},
                record=("contact", saved.id),
            )


def _address(values: Values) -> str:
    """Return the email address in upper case of values that name no number; empty: none."""
    email = values.get("email")
    return email.strip().upper() if isinstance(email, str) and not values.get("number") else ""


def _by_email(addresses: Iterable[str]) -> dict[str, str]:
    """Return address -> the oldest live contact that has it."""
    search_addresses = set(addresses) - {""}
    rows = Contact.objects.filter(is_deleted=False).annotate(upper=Upper("email")).filter(upper__in=search_addresses)
    return dict(rows.order_by("-pk").values_list("upper", "pk")) if search_addresses else {}


def _without_key(config: RecordConfig) -> list[tuple[str, str, str]]:
    if config.action != "upsert" or "email" in config.values or "number" in config.values:
        return []
    return [("noKey", "values", "names neither email nor number, so that it finds no contact")]


def fail_by(item: Item, error: ApiError) -> None:
    """Let the item fail by a service's error, which a retry would repeat."""
    name = error.name if isinstance(error, NamedError) else "badValue"
    item.fail(name, error.reason or str(error), field=", ".join(error.fields), operation=error.operation)


def fail_by_problems(item: Item, problems: Sequence[ValueProblem]) -> None:
    """Let the item fail by problems of its values."""
    item.fail(problems[0].name, reason_of(problems), field=problems[0].key)


def fail_refused(items: Sequence[Item], result: BulkResult) -> None:
    """Fail the items that a bulk creation refused; its results are in the order of the items."""
    problems: dict[int, list[ValueProblem]] = {}
    for index, problem in result.errors:
        problems.setdefault(index, []).append(problem)
    for failure in result.failed:
        item = items[failure.index]
        if failure.index in problems:
            first = problems[failure.index][0]
            item.fail(failure.name, reason_of(problems[failure.index]), field=first.key)
        else:
            item.fail(failure.name, failure.warning)


def _delete(batch: NodeBatch, panel: str, delete: Callable[..., Any]) -> None:
    pairs = with_record(batch, panel)
    if pairs:
        delete(actor_id=_actor(batch), selection=BulkSelection.of_ids([id for id, _ in pairs]))
    for id, item in pairs:
        item.outcome = Outcome(output={"id": id}, deletes=True)


def _set_contacts(batch: NodeBatch) -> None:
    """Give each contact values of its own, in one statement per table."""
    schema = ContactSchema.load()
    rows, owners = [], []
    for index, (id, item) in enumerate(with_record(batch, "contact")):
        values = batch.render("values", item)
        if any(key in values for key in KEY_PARTS):
            _set_key(batch, id, item, values)
            continue
        row, problems = schema.read(values, partial=True, index=index)
        if row is None:
            fail_by_problems(item, problems)
        else:
            rows.append((id, row))
            owners.append(item)
    dangling = schema.check_references([row for _, row in rows])
    for place, problems in dangling.items():
        fail_by_problems(owners[place], problems)
    good = [(id, row) for place, (id, row) in enumerate(rows) if place not in dangling]
    result = update_contacts(schema, good, actor_id=batch.actor_id)
    for place, ((id, _), item) in enumerate(zip(rows, owners, strict=True)):
        if place not in dangling:
            item.outcome = Outcome(output={"id": id, "changed": id in result.changed})


def _set_key(batch: NodeBatch, id: str, item: Item, values: Values) -> None:
    """Change unique values of the contact, which are checked against all other contacts."""
    try:
        with transaction.atomic():
            job = update_contact(id=id, actor_id=_actor(batch), form_data=values)
    except ApiError as error:
        fail_by(item, error)
    else:
        item.outcome = Outcome(output={"id": id, "changed": job is not None})


def change_by_values(batch: NodeBatch, panel: str, change_for: Callable[[Any], JsonObject]) -> None:
    """Change the records by the bulk change of their kind: once for all that get the same values."""
    groups: dict[bytes, tuple[Any, list[tuple[str, Item]]]] = {}
    for id, item in with_record(batch, panel):
        values = batch.render("values", item) if "values" in batch.templates else {}
        groups.setdefault(dumps(values), (values, []))[1].append((id, item))
    for values, members in groups.values():
        try:
            # A savepoint per group of equal values: a refusal undoes this group alone.
            with transaction.atomic():
                changed_ids = change_records(panel, [id for id, _ in members], change_for(values), batch.actor_id)
        except ApiError as error:
            for _, item in members:
                fail_by(item, error)
            continue
        for id, item in members:
            item.outcome = Outcome(output={"id": id, "changed": id in changed_ids})


def change_records(panel: str, ids: Sequence[str], change: JsonObject, actor_id: str | None) -> set[str]:
    """Apply a bulk change to live records, and emit their events. Returns the ids of those that changed."""
    what, kind = RECORD_TYPES[panel], kind_of(panel)
    apply = what.prepare(actor_id, change)
    # By id, the order of all bulk writers, so that a node and a bulk job cannot deadlock.
    live = kind.live().filter(pk__in=ids).order_by("pk").select_for_update(of=("self",), no_key=True)
    changed_ids = apply(list(live.values_list("pk", flat=True)))
    payloads = {id: {"changes": changes} for id, changes in changed_ids.items()}
    emit(f"{kind.module}.updated", sorted(changed_ids), payloads=payloads, actor_id=actor_id)
    what.judge(changed_ids)
    return set(changed_ids)


def _bad_options(schema: Any, values: Values) -> list[tuple[str, str, str]]:
    """Return the problems of values that are no expressions, and no options of their system field either."""
    problems = []
    for key, spec in schema.system_fields.items():
        value = values.get(key)
        if spec.options and isinstance(value, str) and "{{" not in value:
            try:
                spec.read(value, schema.read_date)
            except BadValue as error:
                problems.append(("badValue", f"values.{key}", str(error)))
    return problems


def _unknown_fields(panel: str) -> Callable[[Any], Sequence[tuple[str, str, str]]]:
    def check(config: Any) -> list[tuple[str, str, str]]:
        schema = RECORD_TYPES[panel].schema.load()
        field_names = {*schema.columns, *schema.fields, *(PLACE if panel == "lead" else ())}
        if panel == "lead" and config.action == "create":
            field_names |= {
                *ContactSchema.load().columns,
                "contact",
                "team",
                "teamMember",
                "productServices",
                "tags",
                "category",
            }
        if panel == "contact" and config.action == "create":
            field_names |= {"tags", "category"}
        wrong = [key for key in config.values if key not in field_names]
        problems = [("unknownField", f"values.{key}", f"there is no field {key} of a {panel}") for key in wrong]
        if panel == "lead":
            problems += missing_assignees(config) if config.action == "create" else []
            problems += missing_stage(config)
        return problems + _bad_options(schema, config.values) + no_tags(config)

    return check


def _needs(panel: str) -> Callable[[Any], tuple[str, ...]]:
    methods = {"create": ("POST",), "update": ("PUT",), "upsert": ("POST", "PUT"), "delete": ("DELETE",)}
    return lambda config: tuple(f"{panel}.{method}" for method in methods[config.action])


def _writes_keys(config: Any) -> bool:
    return config.action in ("create", "upsert") or any(key in config.values for key in KEY_PARTS)


CONTACT = NodeType(
    "contact",
    "records",
    "Contact",
    "Creates a contact, or changes or deletes the contact of the run.",
    RecordConfig,
    _contact,
    handles=lambda config: ("out", "exists") if config.action == "upsert" else ("out",),
    icon="person",
    templates=("values",),
    check=_unknown_fields("contact"),
    hints=_without_key,
    needs=_needs("contact"),
    writes=True,
    writes_keys=_writes_keys,
    outputs={"id": "id", "changed": "boolean", "created": "boolean"},
    effect=effects.of_record("contact"),
)
LEAD = NodeType(
    "lead",
    "records",
    "Lead",
    "Creates a lead of the run's contact, or changes or deletes the lead of the run.",
    LeadConfig,
    _lead,
    icon="filter_alt",
    templates=("values",),
    check=_unknown_fields("lead"),
    needs=_needs("lead"),
    writes=True,
    writes_keys=lambda config: config.action == "create",
    outputs={"id": "id", "changed": "boolean"},
    effect=effects.of_record("lead"),
)
TYPES = (CONTACT, LEAD)
