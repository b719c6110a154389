"""The pages of pipelines and of reasons for lost leads, in the settings."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Option
from core.web.forms.from_input import form_from_input
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from crm.pipelines.serializers import LostReasonCreate

MANAGES = ("settings", "PUT")
"""The permission that pipelines and reasons are changed with."""
REASONS = Records("lost-reason", "lost-reasons", "thumbs-down", gettext_lazy("Reasons say why leads were lost."))
STAGE_KINDS = (
    ("open", gettext_lazy("Open")),
    ("won", gettext_lazy("Won")),
    ("lost", gettext_lazy("Lost")),
)
NEW_STAGES = (
    ("New", "open", 20),
    ("Offer sent", "open", 60),
    ("Won", "won", 100),
    ("Lost", "lost", 0),
)
"""The stages that a new pipeline begins with: name, kind, probability."""


class PipelinePage(Page):
    """Shared parts of the pages of pipelines."""

    module = "settings"
    menu = MenuItem(
        gettext_lazy("Pipelines"),
        SETTINGS,
        22,
        "kanban",
        gettext_lazy("Data"),
        gettext_lazy("stages deals sales probability forecast"),
    )


class Pipelines(PipelinePage):
    path = "settings/pipelines"
    name = "pipelines"
    title = gettext_lazy("Pipelines")
    purpose = gettext_lazy("Stages of leads, and their probabilities.")
    template = "web/pipelines/list.html"

    def show(self) -> Values:
        query = {"n": "200", "cursorPagination": "true", "sortBy": "isDefault,name", "sortOrder": "desc,asc"}
        return {"pipelines": self.read("pipeline", query).data, "can_change": self.may(*MANAGES)}

    def do_add(self) -> HttpResponse:
        name = self.request.POST.get("name", "").strip() or _("New pipeline")
        stages = [{"name": stage, "kind": kind, "probability": percent} for stage, kind, percent in NEW_STAGES]
        answer = self.ask("POST", "pipeline", None, {"name": name, "stages": stages})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(_("Pipeline added"), self.address("pipeline-edit", answer.data["_id"]))


@dataclass(slots=True)
class StageRow:
    """A stage as the form has it. `id` is empty for a new one."""

    id: str
    name: str
    kind: str
    probability: str


class EditPipeline(PipelinePage):
    """A pipeline and its stages. Buttons show the form again; nothing changes until it is saved."""

    path = "settings/pipelines/<str:id>"
    name = "pipeline-edit"
    tab_name = gettext_lazy("Pipeline")
    title = gettext_lazy("Pipeline")
    template = "web/pipelines/edit.html"

    @cached_property
    def pipeline(self) -> Values:
        values: Values = self.read(f"pipeline/{self.params['id']}").data
        return values

    def show(self) -> Mapping[str, Any]:
        rows = [
            StageRow(stage["_id"], stage["name"], stage["kind"], str(stage["probability"]))
            for stage in self.pipeline["stages"]
        ]
        return {**self.template_context(self.pipeline["name"], rows, {}), "opened": fingerprint(self.pipeline)}

    def template_context(self, name: str, rows: Sequence[StageRow], moves: Mapping[str, str]) -> JsonObject:
        """Return the template's context: the rows, and the removed stages with the stage that takes their leads."""
        kept = {row.id for row in rows if row.id}
        stages = {stage["_id"]: stage["name"] for stage in self.pipeline["stages"]}
        return {
            "pipeline": self.pipeline,
            "name": name,
            "rows": rows,
            "kinds": [Option(value, str(label)) for value, label in STAGE_KINDS],
            "gone": [(id, label, moves.get(id, "")) for id, label in stages.items() if id not in kept],
            "others": self.other_pipelines,
            "leads": self.leads,
            "targets": [Option(row.id, row.name) for row in rows if row.id],
            "can_change": self.may(*MANAGES),
            "opened": self.request.POST.get("opened", ""),
        }

    @property
    def other_pipelines(self) -> list[Option]:
        """The pipelines that can take the leads of this one when it is deleted."""
        options = [] if self.pipeline["isDefault"] else self.options_of("pipeline", module="settings")
        return [option for option in options if option.value != self.params["id"]]

    @property
    def leads(self) -> int:
        """The number of leads that move when the pipeline is deleted; 0 if the reader may not see leads."""
        if self.pipeline["isDefault"] or not self.may("lead"):
            return 0
        query = {"filters": {"pipeline": self.params["id"]}, "fields": "_id", "p": "1", "n": "1"}
        return self.ask("GET", "lead", query).total or 0

    # What forms do

    def sent(self) -> tuple[str, list[StageRow], dict[str, str]]:
        """Return the name, the rows and the moves of the form."""
        post = self.request.POST
        names = ("stage", "stage_name", "kind", "probability")
        columns = zip(*(post.getlist(name) for name in names), strict=False)
        rows = [
            StageRow(id=id, name=name, kind=kind, probability=probability) for id, name, kind, probability in columns
        ]
        moves = {id: post.get(f"to-{id}", "") for id in post.getlist("gone")}
        return post.get("name", ""), rows, moves

    def do_arrange(self) -> HttpResponse:
        """Show the form again with one stage moved, removed or added."""
        name, rows, moves = self.sent()
        post = self.request.POST
        for button, by in (("up", -1), ("down", 1)):
            place = _place(post.get(button), rows)
            if place is not None:
                rows.insert(max(0, place + by), rows.pop(place))
        removed = _place(post.get("remove"), rows)
        if removed is not None:
            rows.pop(removed)
        if "add" in post:
            before = next((place for place, row in enumerate(rows) if row.kind != "open"), len(rows))
            rows.insert(before, StageRow("", "", "open", "50"))
        return self.page(self.template_context(name, rows, moves))

    def do_save(self) -> HttpResponse:
        """Save the form, unless the pipeline has changed since it was opened."""
        if self.request.POST.get("opened") != fingerprint(self.pipeline):
            problem = _("The pipeline has changed in the meantime. Repeat your changes.")
            return self.page({**self.show(), "problem": problem}, status=422)
        name, rows, moves = self.sent()
        stages = [_body(row) for row in rows]
        move_to = {id: target for id, target in moves.items() if target}
        body: JsonObject = {"name": name, "stages": stages, "moveTo": move_to}
        answer = self.ask("PUT", f"pipeline/{self.params['id']}", None, body)
        if answer.ok:
            return self.redirect_with_toast(_("Pipeline saved"), self.address("pipelines"))
        context = {
            **self.template_context(name, rows, moves),
            "problem": answer.refusal if answer.status == 403 else answer.reason,
        }
        return self.page(context, status=422)

    def do_delete(self) -> HttpResponse:
        body: JsonObject = {"ids": [self.params["id"]]}
        if target := self.request.POST.get("moveTo"):
            body["moveTo"] = target
        answer = self.ask("DELETE", "pipeline", None, body)
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(_("Pipeline deleted"), self.address("pipelines"))


def fingerprint(pipeline: Values) -> str:
    """Return a hash that changes with the pipeline's name and stages."""
    keys = ("_id", "name", "kind", "probability")
    about = [pipeline["name"], *([stage[key] for key in keys] for stage in pipeline["stages"])]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:24]


def _place(text: str | None, rows: Sequence[StageRow]) -> int | None:
    """Return the place of a row that a button names."""
    return {str(place): place for place in range(len(rows))}.get(text or "")


def _body(row: StageRow) -> JsonObject:
    """Return a stage in the API's form."""
    values: JsonObject = {key: value for key, value in asdict(row).items() if key in ("name", "kind")}
    if row.id:
        values["_id"] = row.id
    if row.kind == "open":
        is_percent = re.fullmatch(r"[0-9]{1,3}", row.probability)
        values["probability"] = int(row.probability) if is_percent else row.probability[:20]
    return values


class ReasonPage(Page):
    module = "settings"
    menu = MenuItem(
        gettext_lazy("Reasons for loss"),
        SETTINGS,
        24,
        "thumbs-down",
        gettext_lazy("Data"),
        gettext_lazy("lost leads deals why"),
    )
    kind = REASONS


class Reasons(RecordList, ReasonPage):
    path = "settings/lost-reasons"
    name = "lost-reasons"
    title = gettext_lazy("Reasons for loss")
    purpose = gettext_lazy("Why leads are lost.")
    adds = "lost-reason-new"
    add_label = gettext_lazy("New reason")
    none = gettext_lazy("No reasons yet")
    count = ngettext_lazy("%(count)s reason", "%(count)s reasons")
    rows = "web/pipelines/reason_rows.html"
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


class ReasonForm(RecordForm):
    """The form of a reason."""

    form_class = form_from_input(LostReasonCreate, {"name": gettext_lazy("Name")}, focus="name")


class NewReason(NewRecord, ReasonForm, ReasonPage):
    path = "settings/lost-reasons/new"
    name = "lost-reason-new"
    title = gettext_lazy("New reason")
    added = gettext_lazy("Reason added")


class EditReason(EditRecord, ReasonForm, ReasonPage):
    path = "settings/lost-reasons/<str:id>"
    name = "lost-reason"
    tab_name = gettext_lazy("Reason for loss")
    saved = gettext_lazy("Reason saved")
    deleted = gettext_lazy("Reason deleted")


PAGES = [Pipelines, EditPipeline, Reasons, NewReason, EditReason]
