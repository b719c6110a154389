"""Changes of the default pipeline's stages, which are written as options of the field status."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from core.errors import NamedError
from core.types import JsonObject
from crm.custom_fields.services import FieldChange, update_fields
from crm.pipelines.default import CLOSED, kind_of_option, status_field
from crm.pipelines.models import Pipeline, Stage
from crm.pipelines.stages import LOST, WON

if TYPE_CHECKING:
    from crm.pipelines.services import StageInput

Kind = Stage.Kind
CLOSED_TEXT = "Closed"
MAX_VALUE = 100
"""Maximum length of a status."""


def write_default_stages(
    pipeline: Pipeline, stages: Sequence[StageInput], present: Mapping[str, Stage], *, actor_id: str
) -> None:
    """Make the options of the field status those of the stages, and set the stages' probabilities.

    Raises the errors of update_fields, and InvalidInput_400 for a kind that a status cannot have.
    """
    field = status_field()
    if field is None:
        raise NamedError("InvalidInput_400", "the company's leads have no field status", field="stages")
    old = {option["value"]: option for option in field.options or []}
    taken = set(old)
    options: list[JsonObject] = []
    for stage in stages:
        held = present[stage.id] if stage.id else None
        value = held.status if held is not None and held.status else _new_value(stage, taken)
        taken.add(value)
        options.append(_option(old.get(value, {"value": value, "description": ""}), stage))
    values: JsonObject = {"options": options}
    statuses = [option["value"] for option in options]
    if field.default_value not in (None, *statuses):
        values["default_value"] = statuses[0]
    if options != field.options:
        update_fields(actor_id=actor_id, changes=[FieldChange(field.pk, values)])
    written = {stage.status: stage for stage in Stage.objects.filter(pipeline=pipeline)}
    for status, given in zip(statuses, stages, strict=True):
        row = written[status]
        if given.probability is not None and row.kind == Kind.OPEN:
            row.probability = given.probability
    Stage.objects.bulk_update(written.values(), ["probability"])


def _option(option: JsonObject, stage: StageInput) -> JsonObject:
    """Return the option as the stage describes it. Its description says whether its leads are closed."""
    changed = {**option, "label": stage.name}
    kind = stage.kind or kind_of_option(changed)
    if kind == kind_of_option(changed):
        return changed
    if kind == Kind.WON or option["value"] in (WON, LOST):
        fixed = "the default pipeline's stages won and lost are the statuses of these names"
        raise NamedError("InvalidInput_400", f"{stage.name} cannot be {kind}; {fixed}", field="stages")
    description = str(option.get("description") or "")
    if kind == Kind.LOST:
        return {**changed, "description": f"{CLOSED_TEXT}. {description}".strip(" .") if description else CLOSED_TEXT}
    return {**changed, "description": re.sub(rf"^\s*{CLOSED}\w*[\s.:,;-]*", "", description, flags=re.IGNORECASE)}


def _new_value(stage: StageInput, taken: Collection[str]) -> str:
    """Return the status of a new stage: its name in lower case, as a new company's statuses have it."""
    word = {Kind.WON: WON, Kind.LOST: LOST}.get(Kind(stage.kind or Kind.OPEN), "")
    if word and word not in taken:
        return word
    base = re.sub(r"[^\w]+", "-", stage.name.lower()).strip("-")[: MAX_VALUE - 4] or "stage"
    # The words of two kinds would make an open stage won or lost.
    names = [base, *(f"{base}-{number}" for number in range(2, len(taken) + 4))]
    return next(name for name in names if name not in taken and name not in (WON, LOST))
