"""The default pipeline, whose stages are the options of the leads' system field status."""

from __future__ import annotations

from collections.abc import Sequence

from core.internals.django import raw_delete, referrers
from core.tenancy import company_id
from core.types import Values
from crm.pipelines.models import Pipeline, Stage
from crm.pipelines.stages import LOST, WON
from crm.records.models import CustomField

NAME = "Sales"
CLOSED = "closed"
"""The first word of the description of a status whose leads are not open."""
Kind = Stage.Kind
FIXED = {Kind.WON: 100, Kind.LOST: 0}
"""Kind -> the only probability of its stages."""


def status_field() -> CustomField | None:
    """Return the system field status of the active company's leads."""
    return CustomField.objects.filter(panel=CustomField.Panel.LEAD, is_system=True, unique_field_id="status").first()


def kind_of_option(option: Values) -> str:
    """Return the kind of the stage that an option of the field status is."""
    if option["value"] == WON:
        return Kind.WON
    described = str(option.get("description") or "").strip().lower()
    return Kind.LOST if option["value"] == LOST or described.startswith(CLOSED) else Kind.OPEN


def probabilities(kinds: Sequence[str]) -> list[int]:
    """Return the probability of each stage of a pipeline: those of open stages rise evenly."""
    number = sum(kind == Kind.OPEN for kind in kinds)
    passed = 0
    result = []
    for kind in kinds:
        passed += kind == Kind.OPEN
        result.append(FIXED.get(Kind(kind), round(100 * passed / (number + 1))))
    return result


def sync_default_pipeline() -> None:
    """Make the stages of the default pipeline those of the field status; the caller holds the lock of the fields."""
    field = status_field()
    if field is None:
        return
    pipeline = Pipeline.objects.filter(is_default=True).first() or _new_default()
    present = {stage.status: stage for stage in Stage.objects.filter(pipeline=pipeline)}
    options = field.options or []
    kinds = [kind_of_option(option) for option in options]
    new: list[Stage] = []
    changed: list[Stage] = []
    for position, (option, kind, usual) in enumerate(zip(options, kinds, probabilities(kinds), strict=True)):
        stage = present.pop(option["value"], None)
        values = {"name": (option.get("label") or option["value"])[:200], "position": position, "kind": kind}
        values["probability"] = FIXED.get(Kind(kind), usual if stage is None else stage.probability)
        if stage is None:
            new.append(Stage(pipeline=pipeline, status=option["value"], **values))
        elif any(getattr(stage, name) != value for name, value in values.items()):
            # A stage that is open again would be won or lost by its probability still.
            if stage.kind != kind and kind == Kind.OPEN:
                values["probability"] = usual
            for name, value in values.items():
                setattr(stage, name, value)
            changed.append(stage)
    remove_stages([stage.pk for stage in present.values()])
    Stage.objects.bulk_create(new)
    Stage.objects.bulk_update(changed, ["name", "position", "kind", "probability"])


def _new_default() -> Pipeline:
    """Create the default pipeline under a name that no other one has."""
    taken = {name.lower() for name in Pipeline.objects.values_list("name", flat=True)}
    names = (NAME, *(f"{NAME} {number}" for number in range(2, len(taken) + 3)))
    name = next(name for name in names if name.lower() not in taken)
    return Pipeline.objects.create(company_id=company_id(), name=name, is_default=True)


def remove_stages(ids: Sequence[str]) -> None:
    """Delete stages in which no live lead is.

    Deleted leads come to the stages of their statuses, and the history names these stages no more.
    """
    if not ids:
        return
    # So that no lead comes back to them by its status.
    Stage.objects.filter(pk__in=ids).update(status=None)
    for relation in Stage._meta.related_objects:
        model = relation.related_model
        name = relation.field.name
        model._default_manager.filter(**{f"{name}__in": ids}).update(**{name: None})
    raw_delete(Stage.objects.filter(pk__in=ids), cleared=referrers(Stage))
