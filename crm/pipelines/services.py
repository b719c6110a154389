"""Use cases of pipelines and their stages, and of reasons for lost leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from core.errors import NamedError
from core.hooks import Hook
from core.internals.django import raw_delete, referrers
from core.lists import BulkSelection
from crm.pipelines.default import FIXED, remove_stages
from crm.pipelines.default_options import write_default_stages
from crm.pipelines.models import LostReason, Pipeline, Stage
from crm.pipelines.stages import Stages
from crm.records.locks import lock_fields
from crm.records.writes.unique_names import save_unique_name

TAKEN = "PipelineNameAlreadyExists_400"
NOT_FOUND = "PipelineNotFound_404"
STAGE_NOT_FOUND = "StageNotFound_404"
IN_USE = "StageInUse_400"
REASON_TAKEN = "LostReasonNameAlreadyExists_400"
REASON_NOT_FOUND = "LostReasonNotFound_404"
MAX_PIPELINES = 50
MAX_STAGES = 50
MAX_REASONS = 200
Kind = Stage.Kind

leads_moved: Hook[[Mapping[str, str], str, bool], object] = Hook(
    __name__,
    "leads_moved",
    "Before stages are removed, in that transaction. Gets stage -> the stage that its leads move to, the acting member,"
    " and whether workflows may start. Moves the leads.",
)
before_reasons_deleted: Hook[[list[str]], object] = Hook(
    __name__,
    "before_reasons_deleted",
    "Before reasons for lost leads (ids) are deleted, in that transaction. Removes them from the leads that have them.",
)


@dataclass(frozen=True, slots=True)
class StageInput:
    """A stage as a request describes it; without `id` it is new."""

    name: str
    id: str | None = None
    kind: str | None = None
    probability: int | None = None


@transaction.atomic
def create_pipeline(*, actor_id: str, name: str, stages: Sequence[StageInput]) -> Pipeline:
    """Create a pipeline with its stages. Raises PipelineNameAlreadyExists_400 and InvalidInput_400."""
    lock_fields()
    if Pipeline.objects.count() >= MAX_PIPELINES:
        raise NamedError("InvalidInput_400", f"a company has at most {MAX_PIPELINES} pipelines")
    pipeline = Pipeline(name=name, created_by_id=actor_id, updated_by_id=actor_id)
    save_unique_name(pipeline, TAKEN)
    _check_stages(stages)
    unknown = next((stage.id for stage in stages if stage.id), None)
    if unknown:
        raise _no_stage(unknown)
    _write_stages(pipeline, stages, {})
    return pipeline


@transaction.atomic
def update_pipeline(
    *,
    id: str,
    actor_id: str,
    name: str | None = None,
    stages: Sequence[StageInput] | None = None,
    move_to: Mapping[str, str] | None = None,
    automation: bool = True,
) -> None:
    """Change the name of a pipeline, or its stages. Stages that are not among the given ones are removed.

    Leads of a removed stage go where `move_to` (stage -> stage that stays) says. Raises StageInUse_400 for a removed
    stage with leads and no place for them, and for another kind of a stage with leads. Raises PipelineNotFound_404,
    StageNotFound_404, PipelineNameAlreadyExists_400 and InvalidInput_400. Of the default pipeline it raises the errors
    of changing the field status.
    """
    lock_fields()
    pipeline = Pipeline.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if pipeline is None:
        raise not_found()
    pipeline.name = name or pipeline.name
    pipeline.updated_by_id = actor_id
    save_unique_name(pipeline, TAKEN)
    if stages is None:
        return
    _check_stages(stages, is_default=pipeline.is_default)
    present = {stage.pk: stage for stage in Stage.objects.filter(pipeline=pipeline)}
    given = {stage.id for stage in stages if stage.id}
    unknown = next((stage for stage in given if stage not in present), None)
    if unknown:
        raise _no_stage(unknown)
    gone = [stage for stage in present if stage not in given]
    _empty_stages(gone, move_to or {}, given, actor_id, automation)
    _refuse_other_kinds(stages, present)
    _refuse_lacking_kinds(stages, present)
    if pipeline.is_default:
        write_default_stages(pipeline, stages, present, actor_id=actor_id)
        return
    remove_stages(gone)
    _write_stages(pipeline, stages, present)


@transaction.atomic
def delete_pipelines(
    *, actor_id: str, selection: BulkSelection, move_to: str | None = None, automation: bool = True
) -> int:
    """Delete the selected pipelines. Their leads go to the first stage of the same kind in the pipeline `move_to`.

    Returns the number deleted. Raises CannotDeleteDefaultPipeline_400, StageInUse_400 for leads without `move_to`, and
    PipelineNotFound_404.
    """
    lock_fields()
    pipelines = list(selection.apply(Pipeline.objects.select_for_update(of=("self",))).order_by("pk"))
    default = next((pipeline for pipeline in pipelines if pipeline.is_default), None)
    if default is not None:
        raise NamedError("CannotDeleteDefaultPipeline_400", f"{default.name} is the default", field="ids")
    if not pipelines and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a pipeline of this company", field="ids")
    ids = [pipeline.pk for pipeline in pipelines]
    stages = Stages.load()
    if move_to is not None and (move_to in ids or not stages.of_pipeline(move_to)):
        raise NamedError(NOT_FOUND, "needs another pipeline of this company", field="moveTo")
    gone = {stage.id: stage for id in ids for stage in stages.of_pipeline(id)}
    targets: dict[str, str] = {}
    if move_to is not None:
        for stage in gone.values():
            target = stages.first(move_to, stage.kind) or stages.of_pipeline(move_to)[0]
            targets[stage.id] = target.id
    _empty_stages(list(gone), targets, set(targets.values()), actor_id, automation)
    remove_stages(list(gone))
    for relation in Pipeline._meta.related_objects:
        if relation.related_model is not Stage:
            rows = relation.related_model._default_manager.filter(**{f"{relation.field.name}__in": ids})
            rows.update(**{relation.field.name: None})
    raw_delete(Pipeline.objects.filter(pk__in=ids), cleared=referrers(Pipeline))
    return len(ids)


def not_found() -> NamedError:
    """Return the error of an id that belongs to no pipeline of the company."""
    return NamedError(NOT_FOUND, "there is no such pipeline in this company", field="id")


def _no_stage(id: str) -> NamedError:
    return NamedError(STAGE_NOT_FOUND, f"there is no stage {id} in this pipeline", field="stages")


def _check_stages(stages: Sequence[StageInput], *, is_default: bool = False) -> None:
    """Refuse stages that make no pipeline: it needs open, won and lost ones with names of their own."""
    ids = [stage.id for stage in stages if stage.id]
    names = [stage.name.lower() for stage in stages]
    if not stages or len(stages) > MAX_STAGES:
        raise NamedError("InvalidInput_400", f"enter 1 to {MAX_STAGES} stages", field="stages")
    if len(set(ids)) < len(ids):
        raise NamedError("InvalidInput_400", "choose each stage once", field="stages")
    if len(set(names)) < len(names):
        raise NamedError("InvalidInput_400", "enter another name; two stages have the same one", field="stages")
    kinds = {stage.kind for stage in stages if stage.kind}
    if is_default or any(stage.id and stage.kind is None for stage in stages):
        return
    if _has_plain(stages):
        kinds.add(Kind.OPEN)
    lacking = [kind for kind in Kind.values if kind not in kinds]
    if lacking:
        raise NamedError("InvalidInput_400", f"add a stage of the kind {lacking[0]}", field="stages")


def _has_plain(stages: Sequence[StageInput]) -> bool:
    return any(stage.kind is None and stage.id is None for stage in stages)


def _refuse_other_kinds(stages: Sequence[StageInput], present: Mapping[str, Stage]) -> None:
    """Refuse another kind of a stage with leads."""
    moved = {stage.id for stage in stages if stage.id and stage.kind and stage.kind != present[stage.id].kind}
    used = _stages_in_use(list(moved - {None}))
    if used:
        name = present[used[0]].name
        raise NamedError(
            IN_USE, f"{name} has leads and stays {present[used[0]].kind}; move the leads first", field="stages"
        )


def _refuse_lacking_kinds(stages: Sequence[StageInput], present: Mapping[str, Stage]) -> None:
    """Refuse stages that lack a kind together. The statuses of a company's leads may have lacked one before."""
    kinds = {stage.kind or (present[stage.id].kind if stage.id else Kind.OPEN) for stage in stages}
    kinds_before = {stage.kind for stage in present.values()}
    lacking = next((kind for kind in Kind.values if kind in kinds_before and kind not in kinds), None)
    if lacking:
        raise NamedError("InvalidInput_400", f"add a stage of the kind {lacking}", field="stages")


def _stages_in_use(ids: Sequence[str]) -> list[str]:
    """Return the stages that have live leads."""
    leads = Stage._meta.get_field("leads").related_model
    rows = leads._default_manager.filter(stage__in=ids, is_deleted=False) if ids else None
    return [] if rows is None else sorted(rows.order_by().values_list("stage_id", flat=True).distinct())


def _empty_stages(
    gone: Sequence[str], move_to: Mapping[str, str], staying: set[str], actor_id: str, automation: bool
) -> None:
    """Move the leads of stages that are to be removed. Raises StageInUse_400 where leads have no place to go."""
    lost = next((target for target in move_to.values() if target not in staying), None)
    if lost is not None:
        raise NamedError(STAGE_NOT_FOUND, f"there is no stage {lost} that stays", field="moveTo")
    used = _stages_in_use(gone)
    homeless = next((stage for stage in used if stage not in move_to), None)
    if homeless is not None:
        name = Stage.objects.values_list("name", flat=True).get(pk=homeless)
        raise NamedError(IN_USE, f"{name} has leads; choose a stage for them", field="moveTo")
    targets = {stage: move_to[stage] for stage in used}
    if targets:
        leads_moved.send(targets, actor_id, automation)


def _write_stages(pipeline: Pipeline, stages: Sequence[StageInput], present: Mapping[str, Stage]) -> None:
    """Write the stages of a pipeline that is not the default one, in the given order."""
    new: list[Stage] = []
    changed: list[Stage] = []
    for position, given in enumerate(stages):
        stage = present[given.id] if given.id else Stage(pipeline=pipeline, probability=0)
        stage.name = given.name
        stage.position = position
        stage.kind = given.kind or stage.kind
        stage.probability = FIXED.get(Kind(stage.kind), _open_probability(given, stage))
        (changed if given.id else new).append(stage)
    Stage.objects.bulk_create(new)
    Stage.objects.bulk_update(changed, ["name", "position", "kind", "probability"])


def _open_probability(given: StageInput, stage: Stage) -> int:
    if given.probability is not None:
        return given.probability
    return int(stage.probability)


@transaction.atomic
def save_reason(*, actor_id: str, name: str | None, id: str | None = None) -> LostReason:
    """Create a reason for lost leads, or rename the one with this id.

    Raises LostReasonNotFound_404, LostReasonNameAlreadyExists_400 and InvalidInput_400.
    """
    if id is None:
        if LostReason.objects.count() >= MAX_REASONS:
            raise NamedError("InvalidInput_400", f"a company has at most {MAX_REASONS} reasons")
        reason = LostReason(created_by_id=actor_id)
    else:
        present = LostReason.objects.select_for_update(of=("self",)).filter(pk=id).first()
        if present is None:
            raise reason_not_found()
        reason = present
    reason.name = name or reason.name
    reason.updated_by_id = actor_id
    save_unique_name(reason, REASON_TAKEN)
    return reason


@transaction.atomic
def delete_reasons(*, selection: BulkSelection) -> int:
    """Delete the selected reasons; leads that have one of them stay without. Raises LostReasonNotFound_404."""
    lock_fields()
    reasons = selection.apply(LostReason.objects.select_for_update(of=("self",))).order_by("pk")
    ids = list(reasons.values_list("pk", flat=True))
    if not ids and not selection.everything:
        raise NamedError(REASON_NOT_FOUND, "none of them is a reason of this company", field="ids")
    if ids:
        before_reasons_deleted.send(ids)
        raw_delete(LostReason.objects.filter(pk__in=ids), cleared=referrers(LostReason))
    return len(ids)


def reason_not_found() -> NamedError:
    """Return the error of an id that belongs to no reason of the company."""
    return NamedError(REASON_NOT_FOUND, "there is no such reason in this company", field="id")
