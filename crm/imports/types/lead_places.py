"""The place of a row's lead in a pipeline: pipeline, stage and reason by name, and the expected close."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from accounts.settings.formats import formats_of
from core.errors import InvalidFormat
from core.tenancy import company_id
from crm.field_types import BadValue, FieldSpec, make_spec
from crm.imports.readers import FieldSpec as ImportField
from crm.imports.rows.lookups import ids_by_name
from crm.leads.places import CLOSE, read_close
from crm.leads.schema import LeadRow
from crm.pipelines.models import LostReason, Pipeline, Stage
from crm.records.datetimes import read_day
from crm.records.problems import ValueProblem

PIPELINE, STAGE, REASON = "pipeline", "stage", "lostReason"
PLACE_FIELDS = (
    ImportField(PIPELINE, "Pipeline", "text", ("sales pipeline", "deal pipeline")),
    ImportField(STAGE, "Stage", "text", ("stage.name", "deal stage", "pipeline stage", "sales stage", "phase")),
    ImportField(REASON, "Reason for loss", "text", ("lost reason", "loss reason", "closed lost reason")),
    ImportField(
        CLOSE, "Expected close", "text", ("expected close date", "close date", "closing date", "abschlussdatum")
    ),
)


class PlaceLookups:
    """The company's pipelines, stages and reasons by name, each also by _id."""

    def __init__(self) -> None:
        self._pipelines: dict[str, str] | None = None
        self._stages: dict[tuple[str, str], str] | None = None
        self._reasons: dict[str, str] | None = None
        self._close: FieldSpec | None = None

    def apply_to(self, row: LeadRow, named: Mapping[str, str]) -> list[ValueProblem]:
        """Put the place into the row. Returns the problems of names that the company lacks."""
        problems = []
        pipeline = ""
        if text := named.get(PIPELINE):
            pipeline = self.pipeline(text) or ""
            if pipeline:
                row.system["pipeline_id"] = pipeline
            else:
                problems.append(_absent(PIPELINE, "PipelineNotFound_404", "pipeline", text))
        if text := named.get(STAGE):
            stage = self.stage(text, pipeline)
            if stage:
                row.system["stage_id"] = stage
            else:
                problems.append(_absent(STAGE, "StageNotFound_404", "stage", text))
        if text := named.get(REASON):
            reason = self.reason(text)
            if reason:
                row.system["lost_reason_id"] = reason
            else:
                problems.append(_absent(REASON, "LostReasonNotFound_404", "reason", text))
        if text := named.get(CLOSE):
            try:
                row.system["expected_close_at"] = datetime.fromisoformat(self.close(text))
            except (BadValue, InvalidFormat):
                message = f"{text[:60]!r} is no day. Write it as 2027-03-31."
                problems.append(ValueProblem(CLOSE, "InvalidSystemField_400", message))
        return problems

    def tester(self, key: str) -> Callable[[str], bool] | None:
        """Return a function that says whether a cell names a record that the company has."""
        testers: dict[str, Callable[[str], bool]] = {
            PIPELINE: lambda text: bool(self.pipeline(text)),
            STAGE: lambda text: bool(self.stage(text, "")),
            REASON: lambda text: bool(self.reason(text)),
        }
        return testers.get(key)

    def pipeline(self, name: str) -> str | None:
        if self._pipelines is None:
            self._pipelines = ids_by_name(Pipeline.objects.all())
        return self._pipelines.get(name.lower())

    def reason(self, name: str) -> str | None:
        if self._reasons is None:
            self._reasons = ids_by_name(LostReason.objects.all())
        return self._reasons.get(name.lower())

    def stage(self, name: str, pipeline: str) -> str | None:
        """Return the stage with this name, status or _id: of the pipeline, or first of the default one."""
        if self._stages is None:
            self._stages = {}
            columns = ("pk", "pipeline_id", "name", "status")
            for id, owner, label, status in Stage.objects.order_by(
                "-pipeline__is_default", "pipeline_id", "position"
            ).values_list(*columns):
                for key in (id, label.lower(), (status or label).lower()):
                    self._stages.setdefault((owner, key), id)
                    self._stages.setdefault(("", key), id)
        return self._stages.get((pipeline, name.lower()))

    def close(self, text: str) -> str:
        """Return the time of an expected close in ISO 8601. Raises BadValue and InvalidFormat."""
        if self._close is None:
            self._close = make_spec(key=CLOSE, name="Expected close", field_type="datetime", value_type="date")
        return read_close(self._close.read(text, partial(read_day, formats_of(company_id()))))


def _absent(key: str, error: str, noun: str, text: str) -> ValueProblem:
    return ValueProblem(key, error, f"there is no {noun} {text[:60]!r}; make it first")
