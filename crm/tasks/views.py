"""Endpoints of tasks (an addition to the contract: docs/deviations/records.md)."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat
from core.types import JsonObject
from crm.activities.models import FollowUp
from crm.activities.tasks import (
    create_task,
    delete_task,
    delete_tasks,
    live_tasks,
    not_found,
    restore_tasks,
    update_task,
    update_tasks,
)
from crm.records.serializers import AutomationInput
from crm.tasks.filters import TASK_FIELDS
from crm.tasks.serializers import (
    TaskBulkUpdate,
    TaskCreate,
    TaskDelete,
    TaskOut,
    TaskRestore,
    TasksRestored,
    TasksUpdated,
    TaskUpdate,
)

MINE = OpenApiParameter("mine", bool, description="true: those assigned to the member who asks")
ERRORS = (
    *("LeadNotFound_400", "ContactNotFound_400", "OrganizationNotFound_400"),
    *("MemberNotFound_404", "MemberNotAccepted_400", "InvalidInput_400"),
)


def _listed_tasks(list_request: ListRequest) -> QuerySet[FollowUp]:
    """Return the tasks, or those of the member who asks."""
    mine = str(list_request.params.get("mine") or "false").lower()
    if mine not in ("true", "false"):
        raise InvalidFormat("mine", mine, "needs to be true or false", field="mine")
    return live_tasks().filter(assignee=list_request.actor.member_id) if mine == "true" else live_tasks()


class TaskViewSet(ResourceViewSet):
    module = "lead-activity"
    listing = Listing(
        "List tasks",
        _listed_tasks,
        TASK_FIELDS,
        TaskOut,
        description="Those of leads too, which /lead-activity/follow-up has alone. Tasks of deleted records are left"
        ' out. Open ones past their time are found by filters={"overdue": true}, and those that are due today, on the'
        ' clock of the company\'s time zone, by filters={"today": true}.',
        parameters=(MINE,),
    )

    @endpoint(
        "Create a task",
        input=TaskCreate,
        output=TaskOut,
        success="TaskCreated_201",
        errors=ERRORS,
        description="About a record or none. The assignee gets a mail remindMinutes before it is due, and a notice when"
        " it is overdue. Emits task.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        task = create_task(actor_id=self.actor.member_id, values=data, automation=automation)
        return TaskOut.one(FollowUp.objects.filter(pk=task.pk))

    @endpoint(
        "Update many tasks",
        input=TaskBulkUpdate,
        output=TasksUpdated,
        bulk=True,
        success="TasksUpdated_200",
        errors=("TaskNotFound_404", *ERRORS),
        description="Applies one change set to the selected tasks, all or none. Emits task.completed or task.updated"
        " for each that is different then.",
    )
    def bulk_update(self, request: Request, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        values = {name: value for name, value in data.items() if name not in ("ids", "nids", "select_all")}
        matched, changed = update_tasks(
            actor_id=self.actor.member_id, selection=self.selection(), values=values, automation=automation
        )
        return {"matchedCount": matched, "updatedCount": changed}

    @endpoint(
        "Delete tasks",
        input=TaskDelete,
        output=Deleted,
        bulk=True,
        success="TasksDeleted_200",
        errors=("TaskNotFound_404",),
        description="The activities that were made from them stay. Emits task.deleted for each. POST /task/restore"
        " brings them back within 30 days.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = delete_tasks(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return {"deletedCount": deleted}

    @endpoint("Read a task", output=TaskOut, errors=("TaskNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._task_data(id)

    @endpoint(
        "Update a task",
        input=TaskUpdate,
        output=TaskOut,
        success="TaskUpdated_200",
        errors=("TaskNotFound_404", *ERRORS),
        description="What is not given stays. Any status may follow any other: done stamps doneAt, another one takes"
        " it away. A recurring task that becomes done creates the next one, once; opened again it takes the next one"
        " back, unless somebody has changed that. Emits task.completed when it becomes done, and otherwise task.updated"
        " when anything is different.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        update_task(id=id, actor_id=self.actor.member_id, values=data, automation=automation)
        return self._task_data(id)

    @endpoint(
        "Delete a task",
        input=AutomationInput,
        success="TaskDeleted_200",
        errors=("TaskNotFound_404",),
        description="Nobody is reminded of it any more. The activities that were made from it stay. Emits task.deleted."
        " POST /task/restore brings it back within 30 days.",
    )
    def destroy(self, request: Request, id: str, data: JsonObject) -> None:
        delete_task(id=id, actor_id=self.actor.member_id, automation=data["automation"] != "skip")

    @action(detail=False, methods=["post"])
    @endpoint(
        "Restore deleted tasks",
        input=TaskRestore,
        output=TasksRestored,
        success="TasksRestored_200",
        errors=("TaskNotFound_404",),
        description="All or none, with their comments. Emits task.restored for each.",
    )
    def restore(self, request: Request, data: JsonObject) -> object:
        restored = restore_tasks(
            actor_id=self.actor.member_id, ids=data["ids"], automation=data["automation"] != "skip"
        )
        return {"restoredCount": restored}

    def _task_data(self, id: str) -> JsonObject:
        task = TaskOut.one(live_tasks().filter(pk=id))
        if task is None:
            raise not_found()
        return task
