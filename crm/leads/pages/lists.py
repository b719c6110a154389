"""The leads as a table, as a board and as a funnel."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.labels.counts import LEADS
from core.text.labels.lead_places import PLACE_LABELS
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.bulk import BulkList, ChangeMany, StartForMany
from core.web.filters import Choice
from core.web.forms import Field, Form, Option
from core.web.forms.record_forms import BESIDE, record_choices
from core.web.lists import MAX_ROWS
from core.web.saved_views import KEPT
from crm.leads.pages.base import LINKED_FIELDS, LeadPage
from crm.leads.pages.table import LeadTable
from crm.leads.types import BoardData

FIRST_CARDS = 100
"""The number of cards that a board shows at first, the newest of all columns. The others are loaded by column."""
CARDS = 25
PIPELINE = "pipeline"
"""The parameter of the board's pipeline, and its name in the API."""
IMPORT = ("importId", "lead/import", gettext_lazy("Import"))
"""Field, path and label of the filter from pages of imports."""

REPLACED = ("status", "stage.name", "pipeline.name")
"""The filters that only addresses and saved views still set: people choose a stage or pipeline instead."""


class LeadList(LeadTable, BulkList):
    """Shared parts of the list and the bulk change: the selection of leads in the address."""

    keeps = ("view", PIPELINE, *KEPT)
    owned_by = ("teamMember", gettext_lazy("Assigned to"))
    count = LEADS
    change_label = ngettext_lazy("Change %(count)s lead", "Change %(count)s leads")
    changing = gettext_lazy("Changing leads")
    changed = ngettext_lazy("Changed %(count)s lead", "Changed %(count)s leads")
    deleting = gettext_lazy("Deleting leads")
    deleted = ngettext_lazy("Deleted %(count)s lead", "Deleted %(count)s leads")

    @cached_property
    def choices(self) -> list[Choice]:
        """The fields that people filter by, in both views."""
        # The board has its own two lists to ask for, and asks for others only where they are filtered by.
        members = [] if self.is_board and not self.is_filtered("teamMember") else self.members
        filters = record_choices("lead", self.definitions, members=members, linked=self.place_options)
        filters = [entry for entry in filters if entry.name not in REPLACED or self.is_filtered(entry.name)]
        names = {entry.name for entry in filters}
        filters += [entry for entry in BESIDE["lead"] if entry.name not in names and self.is_filtered(entry.name)]
        if self.is_filtered("segment"):
            pairs = tuple((option.value, option.label) for option in self.options_of("segment"))
            filters.append(Choice("segment", gettext("Segment"), ("in",), pairs))
        filters += [self.link_choice(*IMPORT)] if self.is_filtered(IMPORT[0]) else []
        return self.with_owners(filters)

    @cached_property
    def place_options(self) -> dict[str, list[Option]]:
        """The stages and pipelines that leads are filtered by. The board shows those of one pipeline anyway."""
        if self.is_board and not any(map(self.is_filtered, ("stage", PIPELINE))):
            return {}
        pipelines = [Option(row["_id"], row["name"]) for row in self.pipelines]
        return {"stage.name": self.stage_options, "pipeline.name": pipelines}

    @property
    def layout(self) -> str:
        of_view = self.view["layout"] if self.view and not self.has_own_parameters else ""
        return "board" if "board" in (self.request.GET.get("view"), of_view) else "table"

    @property
    def is_board(self) -> bool:
        return self.layout == "board"

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Return the links and values of leads; the member has a button of its own."""
        named = [(name, str(label)) for name, label in PLACE_LABELS.items()]
        named += [(name, str(label)) for name, (label, path, _kind) in LINKED_FIELDS.items() if self.may(path)]
        return [*named, *((field.name, field.label) for field in self.value_fields() if field.name != "status")]


class Leads(LeadList):
    path = name = "leads"
    title = gettext_lazy("Leads")
    template = "web/leads/list.html"

    def show(self) -> Values:
        shared = {
            "choices": self.choices,
            "stages": [] if self.is_board or not self.may("lead", "PUT") else self.stage_options,
            "members": [] if self.is_board else self.members,
            "changes": self.changes if not self.is_board and self.may("lead", "PUT") else [],
            "table_link": self.request.path + self.state.link(view=None),
            "board_link": self.request.path + self.state.link(view="board"),
        }
        view = self.board() if self.is_board else self.table()
        return {**shared, **self.context(), **view}

    def table(self) -> JsonObject:
        answer = self.read_list("lead", self.state.query())
        rows = [self.row(lead) for lead in answer.data]
        return {
            "rows": rows,
            "field_values": self.custom_values(rows, self.columns),
            "total": answer.total,
            "counted": self.count.of(answer.total),
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def board(self) -> JsonObject:
        """Return the columns. At first each has its cards among the newest leads, which are its own first ones."""
        chosen = self.request.GET.get(PIPELINE, "")
        board: BoardData = self.read_list("lead/board", {**self.state.selection(), PIPELINE: chosen}).data
        only = self.request.GET.get("column")
        query = self.state.query(size=FIRST_CARDS) | {"filters": {PIPELINE: board["pipeline"]["_id"]}}
        if only:
            shown = min(self.state.seen, FIRST_CARDS) if "cursor" not in query else 0
            query |= {"n": str(CARDS + shown), "filters": {"stage": only}}
        answer = self.read("lead", query)
        columns = []
        for number, stage in enumerate(board["stages"]):
            value = stage["_id"]
            cards = [self.with_labels(row) for row in answer.data if row["stage"] and row["stage"]["_id"] == value]
            if only != value:
                cards = cards[:CARDS]
                more = self.state.link(column=value, seen=str(len(cards))) if stage["count"] > len(cards) else ""
                joins = False
            else:
                seen = self.state.seen + len(cards)
                more = self.state.link(column=value, cursor=answer.next_cursor, seen=str(seen))
                more, joins = (more if answer.next_cursor else ""), seen < MAX_ROWS
            columns.append(
                {
                    **stage,
                    "id": f"column-{number}",
                    "value": value,
                    "asks": stage["kind"] == "lost" and bool(board["lostReasons"]),
                    "cards": cards,
                    "more": more,
                    "joins": joins,
                    "starts": only != value,
                }
            )
        count = self.count.of(sum(stage["count"] for stage in board["stages"]))
        reasons = [Option(row["_id"], row["name"]) for row in board["lostReasons"]]
        return {
            "board": columns,
            "counted": count,
            "reasons": reasons,
            "reason_required": board["lostReasonRequired"],
            **self.pipeline_choice(board),
        }

    def pipeline_choice(self, board: BoardData) -> JsonObject:
        """Return the pipelines that the board can show, with their addresses."""
        links = [
            (row["name"], self.request.path + self.state.link(**{PIPELINE: row["_id"]}), row == board["pipeline"])
            for row in board["pipelines"]
        ]
        return {"pipeline": board["pipeline"], "pipeline_links": links if len(links) > 1 else []}

    # What forms do

    def do_move(self) -> HttpResponse:
        return self.move(self.sent_id(), self.current_address)

    def do_assign(self) -> HttpResponse:
        member = self.request.POST.get("member")
        if not member:
            return self.fail(gettext("Choose a member first"), self.current_address)
        return self.change({"teamMember": None if member == "nobody" else member})


class StartForLeads(StartForMany, LeadList):
    path = "leads/start"
    name = "leads-start"
    title = gettext_lazy("Start a workflow for leads")


class ChangeLeads(ChangeMany, LeadList):
    path = "leads/change"
    name = "leads-change"
    title = gettext_lazy("Change leads")
    never_empty = ("stage",)

    def field(self, name: str) -> Field | None:
        if name in (*LINKED_FIELDS, *PLACE_LABELS):
            return self.linked_field(name)
        return next((value_field for value_field in self.value_fields() if value_field.name == name), None)

    def more_fields(self) -> list[Field]:
        return [self.linked_field("lostReason")] if self.what.name == "stage" and self.reasons else []

    def more_values(self, form: Form) -> JsonObject:
        reason = form["lostReason"].value() if "lostReason" in form.fields else ""
        return {"lostReason": reason} if reason and self.kind_of_stage(str(form["stage"].value())) == "lost" else {}

    def do_move(self) -> HttpResponse:
        """Move the leads to the stage that the bulk bar sent, and ask for the reason of a loss first."""
        stage = self.request.POST.get("stage", "")
        if not stage:
            return self.fail(gettext("Choose a stage first"), self.list_url)
        if self.kind_of_stage(stage) != "lost" or not self.reasons:
            return self.change({"stage": stage})
        self.what = self.linked_field("stage")
        self.what.initial = stage
        return self.page({**self.chosen_context(self.change_form()), "label": self.what.label})


class Pipeline(LeadPage):
    """The leads of each stage of the default pipeline as a funnel, which the home page shows too."""

    path = "leads/pipeline"
    name = "pipeline"
    title = gettext_lazy("Pipeline")
    template = "web/leads/pipeline.html"

    def show(self) -> Values:
        board: BoardData = self.read("lead/board").data
        return {
            "name": board["pipeline"]["name"] if len(board["pipelines"]) > 1 else "",
            "stages": board["stages"],
            "steps": [(stage["name"], stage["count"], LEADS.of(stage["count"])) for stage in board["stages"]],
            "any": any(stage["count"] for stage in board["stages"]),
        }
