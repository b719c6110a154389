"""Bodies and answers of workflows."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject
from workflows.definitions.selectors import run_counts
from workflows.engine import version_migration
from workflows.graphs.models import Workflow

NODE = "id, type, position and data (label, config, onError, disabled, pinned) of each, as React Flow has them"
EDGE = "id, source, target, sourceHandle, targetHandle and label of each"
CONFIG = (
    "filter, changedFields, segment, enrolment, window, concurrency, rate, retention, priority, whilePaused and"
    " allowSelfTrigger"
)
REQUIRED = "This field is required."
SCHEDULE = "type (cron, interval, dates or field), cron, every, at, field, timezone, from, until, misfire and audience"


class WorkflowUpdate(Input):
    """Changes of a workflow. The draft may be unfinished; `validation` of the response lists its problems."""

    orders = {"status": "published"}

    name = LineInput(
        max_length=200, required=False, help_text='A name that another workflow has gets a suffix: "Name (2)".'
    )
    triggerEventType = TextInput(
        max_length=64, required=False, allow_blank=True, help_text="A kind of events, schedule, webhook or manual."
    )
    config = ObjectInput(required=False, help_text=CONFIG)
    nodes = serializers.ListField(child=serializers.JSONField(), required=False, help_text=NODE)
    edges = serializers.ListField(child=serializers.JSONField(), required=False, help_text=EDGE)
    status = TextInput(max_length=40, required=False, help_text=f"one of {', '.join(Workflow.Status.values)}")
    schedule = ObjectInput(required=False, allow_null=True, help_text=SCHEDULE)
    unchangedSince = TextInput(
        max_length=40, required=False, help_text="updatedAt as it was read: refused if somebody has changed it since."
    )


class WorkflowCreate(Input):
    """A new draft."""

    name = LineInput(max_length=200, help_text='A name that another workflow has gets a suffix: "Name (2)".')
    triggerEventType = TextInput(
        max_length=64, required=False, allow_blank=True, help_text="A kind of events, schedule, webhook or manual."
    )
    config = ObjectInput(required=False, help_text=CONFIG)
    nodes = serializers.ListField(child=serializers.JSONField(), required=False, help_text=NODE)
    edges = serializers.ListField(child=serializers.JSONField(), required=False, help_text=EDGE)
    schedule = ObjectInput(required=False, allow_null=True, help_text=SCHEDULE)


class WorkflowCreateBy(WorkflowCreate):
    """A new draft, or one from a template."""

    name = LineInput(
        max_length=200,
        required=False,
        help_text='A name that another workflow has gets a suffix: "Name (2)". A template has one.',
    )
    template = TextInput(
        required=False, max_length=64, help_text="The key of a template, whose values take the places of absent ones."
    )

    def validate(self, attrs: JsonObject) -> JsonObject:
        if "name" not in attrs and "template" not in attrs:
            raise serializers.ValidationError({"name": [serializers.ErrorDetail(REQUIRED, code="required")]})
        return attrs


class WorkflowImport(WorkflowCreate):
    """A workflow as GET /workflow/:id/export gives it."""

    format = TextInput(max_length=40, required=False)
    version = IntegerInput(required=False, min_value=1, max_value=1)

    def validate(self, attrs: JsonObject) -> JsonObject:
        if attrs.pop("format", "leadwright.workflow") != "leadwright.workflow":
            raise serializers.ValidationError({"format": ["must be leadwright.workflow"]})
        attrs.pop("version", None)
        return attrs


class WorkflowDelete(SelectionInput):
    """Workflows to delete."""


class WorkflowEnrol(Input):
    """For which records runs start: the standard bulk selection, with the panel's filters in the query string."""

    ids = serializers.ListField(child=serializers.JSONField(), required=False, help_text="_id of each record")
    nids = serializers.ListField(child=serializers.JSONField(), required=False, help_text="_id of each to leave out")
    selectAll = serializers.BooleanField(required=False, help_text="everything that matches the query string")
    withoutRecord = serializers.BooleanField(
        required=False, help_text="Instead of a selection: a single run that is about no record."
    )
    panel = serializers.ChoiceField(choices=("contact", "lead"), default="contact")
    input = ObjectInput(required=False, help_text="What expressions find as trigger.input.")


class WorkflowEnrolled(Output):
    """The numbers of selected records and of started runs."""

    selectedCount = Computed(serializers.IntegerField())
    startedCount = Computed(serializers.IntegerField(help_text="The others are running already, or not admitted."))


class WorkflowOut(Output):
    """A workflow."""

    moving = frozenset({"nextFireAt", "runCounts"})

    _id = IdField()
    name = serializers.CharField()
    status = serializers.ChoiceField(choices=Workflow.Status.values)
    triggerEventType = serializers.CharField()
    config = serializers.DictField()
    schedule = serializers.DictField(allow_null=True)
    version = serializers.IntegerField(
        source="version.number", allow_null=True, help_text="The published version; null: none yet."
    )
    nextFireAt = serializers.DateTimeField(allow_null=True, help_text="When its schedule starts runs next.")
    publishedAt = serializers.DateTimeField(allow_null=True)
    runCounts = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Status -> runs that have not ended.")
    )
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        counts = run_counts(row["_id"] for row in rows)
        return [{**row, "runCounts": counts.get(row["_id"], {})} for row in rows]


class WorkflowDetail(WorkflowOut):
    """A workflow with its graph."""

    conceals = ("hookPath",)

    nodes = serializers.ListField(child=serializers.DictField(), help_text=NODE)
    edges = serializers.ListField(child=serializers.DictField(), help_text=EDGE)
    hasChanges = Computed(serializers.BooleanField(help_text="The draft differs from the published version."))
    hookPath = Computed(
        serializers.CharField(
            allow_null=True,
            help_text="Where a POST starts a run, of a workflow by webhook, for those who may change it.",
        )
    )
    handles = Computed(
        serializers.DictField(
            child=serializers.ListField(child=serializers.CharField()), help_text="Node -> the ways on from it."
        )
    )
    validation = Computed(
        serializers.DictField(help_text="errors and warnings, each with code, nodeId, edgeId, path and message.")
    )


class WorkflowPublish(Input):
    """The treatment of runs of older versions."""

    runs = serializers.ChoiceField(
        choices=(version_migration.KEEP, version_migration.MOVE, version_migration.CANCEL),
        default=version_migration.KEEP,
        help_text="keep: they go on in their version; move: those go on in the new one that stand at nodes which it has"
        " with the same type; cancel: they end.",
    )
    dryRun = BooleanInput(default=False, help_text="Publishes nothing; runs of the answer says what each would do.")


class WorkflowPublished(WorkflowDetail):
    """A workflow, with the numbers of kept, moved and cancelled runs of older versions."""

    runs = Computed(
        serializers.DictField(
            child=serializers.IntegerField(),
            help_text="keep, move and cancel: how many were; of a dry run, how many each would concern.",
        )
    )


class WorkflowVersionOut(Output):
    """A published version."""

    _id = IdField()
    number = serializers.IntegerField()
    publishedBy = MemberSnapshot(source="published_by")
    createdAt = serializers.DateTimeField()


class WorkflowVersionDetail(WorkflowVersionOut):
    """A published version with its graph."""

    graph = serializers.DictField(help_text="triggerEventType, config, nodes, edges and schedule.")


class WorkflowFile(Output):
    """A workflow as a file, which POST /workflow/import takes."""

    format = Computed(serializers.CharField())
    version = Computed(serializers.IntegerField())
    name = Computed(serializers.CharField())
    triggerEventType = Computed(serializers.CharField())
    config = Computed(serializers.DictField())
    nodes = Computed(serializers.ListField(child=serializers.DictField()))
    edges = Computed(serializers.ListField(child=serializers.DictField()))
    schedule = Computed(serializers.DictField(allow_null=True))


class WorkflowCatalogue(Output):
    """The elements of workflows."""

    nodes = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="type, version, group, label, help, icon, schema (JSON Schema of config), handles and outputs.",
        )
    )
    triggers = Computed(serializers.ListField(child=serializers.DictField(), help_text="kind and label of each."))
    filters = Computed(serializers.ListField(child=serializers.DictField(), help_text="Filters of expressions."))
    roots = Computed(serializers.ListField(child=serializers.CharField(), help_text="What expressions begin with."))
    settings = Computed(serializers.DictField(help_text="JSON Schemas of config, schedule and onError."))
    limits = Computed(serializers.DictField(child=serializers.IntegerField()))


def _names_field() -> Computed:
    rows = serializers.ListField(child=serializers.DictField(), allow_null=True, help_text="_id and name of each.")
    return Computed(rows)


class WorkflowChoices(Output):
    """Choices for the settings of nodes."""

    tags = _names_field()
    members = _names_field()
    teams = _names_field()
    segments = _names_field()
    templates = _names_field()
    workflows = _names_field()
    roles = _names_field()
    secrets = _names_field()
    senders = _names_field()
    aiTypes = _names_field()
    languages = _names_field()
    stages = _names_field()
    fields = Computed(  # type: ignore[assignment]
        serializers.ListField(
            child=serializers.DictField(),
            allow_null=True,
            help_text="panel, uniqueFieldID, name, types and options of each, as GET /custom-field has them.",
        )
    )


class WorkflowRunsHeld(Output):
    """The number of runs that were held or resumed."""

    count = Computed(serializers.IntegerField())


class WorkflowBacklog(Output):
    """Queued runs and events, and the limits that they wait for."""

    runs = Computed(serializers.IntegerField(help_text="Queued runs."))
    reasons = Computed(
        serializers.DictField(
            child=serializers.IntegerField(),
            help_text="Runs by what they wait for: quota, concurrency, rate, importBacklog; none: they move next.",
        )
    )
    events = Computed(serializers.IntegerField(help_text="Events that have not started their runs yet."))
    oldestEventAt = Computed(serializers.DateTimeField(allow_null=True))
    startsPerSecond = Computed(serializers.IntegerField(help_text="The plan's rate."))
    burst = Computed(serializers.IntegerField(help_text="So many may begin at once after a quiet time."))
    nextStartAt = Computed(serializers.DateTimeField(help_text="When a run that started now would begin."))
    eta = Computed(serializers.DateTimeField(help_text="When the last of the events starts its run, by the rate."))
    month = Computed(serializers.DictField(help_text="used, limit (null: none) and endsAt of the month's runs."))
    workflows = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="_id, name, runs, reasons, concurrency and underWay of each with queued runs.",
        )
    )


class WorkflowOverlay(Output):
    """The number of runs at each node, and the results of past visits."""

    nodes = Computed(
        serializers.DictField(
            help_text="Node -> now (status -> runs that are there) and done (handle, or status -> visits)."
        )
    )
    runCounts = Computed(serializers.DictField(child=serializers.IntegerField(), help_text="Status -> runs."))


class DryRunSubject(Input):
    """The record that a dry run is about."""

    panel = serializers.ChoiceField(choices=("contact", "lead"))
    _id = ObjectIdInput()


class WorkflowTest(Input):
    """Parameters of a dry run."""

    version = IntegerInput(
        required=False, allow_null=True, min_value=1, help_text="The number of a version; null: the draft."
    )
    subject = DryRunSubject(required=False, allow_null=True, help_text="panel and _id of a record; null: none")
    record = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="A record that events of the trigger are about; without trigger, its latest event of the kind gives"
        " trigger.payload, else the record itself.",
    )
    trigger = ObjectInput(required=False, allow_null=True, help_text="What expressions find as trigger.payload.")
    pinned = ObjectInput(
        required=False, help_text="Node -> handle and output, which stand for what the node would do and give."
    )
    until = TextInput(required=False, allow_null=True, max_length=64, help_text="The node behind which it ends.")


STEPS = (
    "node, type, visit, status, handle, input (settings as rendered), output, error, waits (seconds jumped) and effect"
    " (what would be done; null: nothing) of each"
)
PROBLEMS = "code, reason, params, severity, nodeId, edgeId, path and message of each"


class WorkflowTested(Output):
    """The result of a dry run."""

    status = Computed(serializers.ChoiceField(choices=("completed", "failed", "stopped")))
    reason = Computed(
        serializers.CharField(
            help_text="end, stop, error, invalid (nothing of the draft can run), until, waiting, tooManySteps, tooLong,"
            " or busy (others hold the record)"
        )
    )
    steps = Computed(serializers.ListField(child=serializers.DictField(), help_text=STEPS))
    problems = Computed(serializers.ListField(child=serializers.DictField(), help_text=PROBLEMS))
    warnings = Computed(serializers.ListField(child=serializers.DictField(), help_text=PROBLEMS))


class WorkflowReferences(Output):
    """Values that the expressions of a node may refer to."""

    references = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="path, type, sample (an example, or null) and always (it is there in each run) of each.",
        )
    )


CHANGES = "path, before and after of each"


class WorkflowDiff(Output):
    """The differences between two versions. The positions of nodes are ignored."""

    added = Computed(serializers.ListField(child=serializers.DictField(), help_text="node, label and type of each"))
    removed = Computed(serializers.ListField(child=serializers.DictField(), help_text="node, label and type of each"))
    changed = Computed(
        serializers.ListField(child=serializers.DictField(), help_text=f"node, label, type and changes: {CHANGES}")
    )
    edges = Computed(
        serializers.DictField(help_text="added and removed: source, sourceHandle, target and label of each")
    )
    settings = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text=f"Of triggerEventType, config and schedule: {CHANGES}"
        )
    )
