"""Choices for the forms of steps: records by name, fields, and the values that a step may refer to."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from django.utils.html import format_html
from django.utils.translation import gettext as _

from core.ids import is_id
from core.text.timezones import timezone_names
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.filters import DATE, KNOWN, NUMBER, TEXT, YES_NO, Choice
from core.web.flows.schemas import Sources
from core.web.forms import Option, options_of
from core.web.forms.record_forms import record_choices
from workflows.definitions.pages.base import OneWorkflow
from workflows.definitions.pages.graph import Graph
from workflows.definitions.pages.summaries import Summaries
from workflows.definitions.pages.triggers import trigger_options

logger = logging.getLogger(__name__)
PANELS = {"contact": gettext_lazy("Contact"), "lead": gettext_lazy("Lead")}
VALUE_KINDS = {
    "number": ("number", NUMBER),
    "boolean": ("flag", ("equals", "notEquals", *KNOWN)),
    "date": ("date", DATE),
    "list": ("text", KNOWN),
    "object": ("text", KNOWN),
}
"""Type of a value -> how conditions treat it; texts otherwise."""
READ_PANELS = {**PANELS, "organization": gettext_lazy("Organization")}
"""Records whose values expressions read."""
NO_CONDITIONS = (*READ_PANELS, "now", "company")
"""Roots of references that conditions do not take, or not from there."""
CHANGED = "changedFields"
DATE_FIELD = "dateField"
CHOSEN = {
    "tags": "tags",
    "member": "members",
    "members": "members",
    "team": "teams",
    "teams": "teams",
    "segment": "segments",
    "segments": "segments",
    "template": "templates",
    "workflow": "workflows",
    "roles": "roles",
    "secret": "secrets",
    "senders": "senders",
    "aiType": "aiTypes",
    "language": "languages",
    "stage": "stages",
}
"""Widget -> key of GET /workflow/choices."""
MADE_ON = {
    "tags": ("tag-new", gettext_lazy("Add a tag")),
    "members": ("member-new", gettext_lazy("Invite a member")),
    "teams": ("team-new", gettext_lazy("Add a team")),
    "segments": ("segment-new-fixed", gettext_lazy("Add a segment")),
    "templates": ("email-template-new", gettext_lazy("Add a template")),
    "workflows": ("workflow-new", gettext_lazy("Add a workflow")),
    "roles": ("role-new", gettext_lazy("Add a role")),
    "secrets": ("secret-new", gettext_lazy("Add a secret")),
    "senders": ("senders", gettext_lazy("Connect a sender")),
    "aiTypes": ("ai", gettext_lazy("Connect an AI model")),
    "stages": ("pipelines", gettext_lazy("Add a pipeline")),
    "/segment": ("segments", gettext_lazy("Add a segment")),
    "/campaign": ("campaign-new", gettext_lazy("Add a campaign")),
    "/template/chatapp": ("chat-template-new", gettext_lazy("Add a chat template")),
}
"""Key of GET /workflow/choices, or address of a list -> the page that makes the first one, and its link."""
NO_IDS = ("aiType", "language")
"""Widgets whose choices are no ids."""
BAD_ID = gettext_lazy("Enter an ID of 24 characters, each a digit or one of a to f.")
UNLISTED = gettext_lazy("You can't see this list. Enter the ID.")
"""The help of a setting that is typed because its list could not be read."""


class StepSources(OneWorkflow):
    """A page with forms of settings."""

    @cached_property
    def choices(self) -> Values:
        choices_by_name: Values = self.read("workflow/choices").data
        return choices_by_name

    def named_options(self, name: str) -> list[Option] | None:
        rows = self.choices.get(name)
        return None if rows is None else [Option(row["_id"], row["name"]) for row in rows]

    def fields_of(self, panel: str) -> list[Values]:
        return [field for field in self.choices["fields"] or () if field["panel"] == panel and not field["hide"]]

    @cached_property
    def _chosen(self) -> dict[tuple[str, str], list[Option] | None]:
        return {}

    def chosen_from(self, widget: str, source: str) -> list[Option] | None:
        """Return the choices of a setting; None if it is typed. It calls the API once for each."""
        if (widget, source) not in self._chosen:
            self._chosen[widget, source] = self._choose_from(widget, source)
        return self._chosen[widget, source]

    def _choose_from(self, widget: str, source: str) -> list[Option] | None:
        if widget == "timezone":
            return [Option(name, name.replace("_", " ")) for name in sorted(timezone_names())]
        if widget == CHANGED:
            return self.changeable_fields()
        if widget == DATE_FIELD:
            return self.date_fields()
        if widget == "event":
            return [entry for entry in trigger_options(self.triggers) if "." in entry.value]  # others start runs alone
        if widget in CHOSEN:
            return self.named_options(CHOSEN[widget])
        return self._list_options(source) if source else None

    def changeable_fields(self) -> list[Option]:
        """Return the fields of an update: those of the trigger's records, or of all until a trigger is saved."""
        panel = str(self.workflow["triggerEventType"]).partition(".")[0]
        if panel in PANELS:
            return [Option(entry["uniqueFieldID"], str(entry["name"])) for entry in self.fields_of(panel)]
        labels: dict[str, str] = {}
        for name, label in PANELS.items():
            for entry in self.fields_of(name):
                labels.setdefault(entry["uniqueFieldID"], f"{label}: {str(entry['name'])}")
        return options_of(labels.items())

    def date_fields(self) -> list[Option]:
        """Return the dates of records. A date of one type of record has that type in its label."""
        dates = {
            panel: {choice.name: choice.label for choice in self.panel_choices(panel) if choice.kind == "date"}
            for panel in PANELS
        }
        shared = set.intersection(*(set(labels) for labels in dates.values()))
        options: dict[str, str] = {}
        for panel, labels in dates.items():
            for name, label in labels.items():
                options.setdefault(name, str(label) if name in shared else f"{PANELS[panel]}: {label}")
        return options_of(options.items())

    def _list_options(self, source: str) -> list[Option] | None:
        """Return the rows of a list of the API; None where it has no such list, or refuses it."""
        try:
            answer = self.ask("GET", source.strip("/"), {"p": "1", "n": "200"})
        except LookupError as error:
            logger.error("A setting is chosen from %s: %s", source, error)
            return None
        rows = answer.data if answer.ok and isinstance(answer.data, list) else None
        return None if rows is None else [Option(row["_id"], _name(row)) for row in rows if "_id" in row]

    def why_typed(self, widget: str, source: str) -> str:
        """Return why a setting is typed that should be chosen, or where the first choice is made; "" for neither."""
        if widget not in CHOSEN and not source:
            return ""
        choices = self.chosen_from(widget, source)
        if choices is None:
            return UNLISTED
        page_name, text = MADE_ON.get(CHOSEN.get(widget, source), ("", ""))
        if choices or not page_name:
            return ""
        return format_html(
            _('Nothing to choose. <a class="link" href="{}" target="_blank" rel="noopener">{} (opens a new tab)</a>'),
            self.address(page_name),
            text,
        )

    def typing_error(self, widget: str, source: str, text: str) -> str:
        """Return the error of an id that is typed in place of a choice; "" for none."""
        has_list = widget in CHOSEN or bool(source)
        if not has_list or widget in NO_IDS or self.chosen_from(widget, source) is not None:
            return ""
        return "" if is_id(text) or "{{" in text else BAD_ID

    def panel_choices(self, panel: str) -> list[Choice]:
        """Return the filters for the records of a panel."""
        members = self.named_options("members") or ()
        return record_choices(panel, self.fields_of(panel), self.named_options("tags") or (), members)

    @cached_property
    def summaries(self) -> Summaries:
        """Return the one-line summaries of steps."""
        panels = {panel: self.panel_choices(panel) for panel in PANELS}
        records = [replace(choice, name=f"{panel}.{choice.name}") for panel in PANELS for choice in panels[panel]]
        return Summaries(records, panels, self._names, self.triggers)

    def _names(self, kind: str) -> Mapping[str, str]:
        return {option.value: option.label for option in self.named_options(kind) or ()}

    def trees(self, panel: str, node: Values, graph: Graph) -> Sequence[Choice]:
        """Return the fields for conditions: a panel's own, or all values of a run where it is ""."""
        if panel:
            return self.panel_choices(panel) if panel in PANELS else ()
        choices = [
            replace(entry, name=f"{panel}.{entry.name}", label=f"{panel_label}: {entry.label}")
            for panel, panel_label in PANELS.items()
            for entry in self.panel_choices(panel)
        ]
        values = [
            entry for entry in self.references(node, graph) if entry["path"].partition(".")[0] not in NO_CONDITIONS
        ]
        if node["type"] == "waitFor":
            values += self.event_values(str((node["data"].get("config") or {}).get("event")))
        return [*choices, *(_choice(entry) for entry in values)]

    def event_values(self, kind: str) -> list[JsonObject]:
        """Return the values of an event that a node waits for. Updates of records have the changed fields."""
        values: list[JsonObject] = [
            {"path": "event.happenedAt", "type": "date", "words": _("Event: time")},
            {"path": "event.objectId", "type": "text", "words": _("Event: ID of the record")},
        ]
        panel = kind.removesuffix(".updated")
        if panel not in PANELS:
            return values
        for field in self.fields_of(panel):
            if not field["children"]:
                path = f"event.payload.changes.{field['uniqueFieldID']}"
                name = str(field["name"])
                values.append(
                    {
                        "path": f"{path}.from",
                        "type": field["valueType"],
                        "words": _("Event: %(name)s before") % {"name": name},
                    }
                )
                values.append(
                    {
                        "path": f"{path}.to",
                        "type": field["valueType"],
                        "words": _("Event: %(name)s after") % {"name": name},
                    }
                )
        return values

    def references(self, node: Values, graph: Graph) -> list[JsonObject]:
        """Return the values that a node may refer to: path, type and label of each."""
        values: list[JsonObject] = []
        for panel, label in READ_PANELS.items():
            for field in self.fields_of(panel):
                if not field["children"]:
                    key = field["uniqueFieldID"]
                    values.append(
                        {
                            "path": f"{panel}.{key}",
                            "type": field["valueType"],
                            "words": f"{label}: {str(field['name'])}",
                        }
                    )
        for other in graph.nodes_before(node["id"]):
            node_type = self.types.get(other["type"], {})
            for name, type in (node_type.get("outputs") or {}).items():
                label = f"{graph.label(other)}: {name}"
                values.append({"path": f"steps.{other['id']}.{name}", "type": type, "words": label})
            config = other["data"].get("config") or {}
            if other["type"] == "set" and isinstance(config.get("values"), Mapping):
                values += [
                    {"path": f"vars.{name}", "type": "any", "words": _("Variable %(name)s") % {"name": name}}
                    for name in config["values"]
                ]
            if other["type"] == "loop":
                values.append({"path": "loop.item", "type": "any", "words": _("Item of the loop")})
        values += [
            {"path": "now", "type": "date", "words": _("Time of the step")},
            {"path": "trigger.happenedAt", "type": "date", "words": _("Start of the run")},
            {"path": "company.name", "type": "text", "words": _("Your company's name")},
        ]
        return values

    def sources(self, node: Values, graph: Graph) -> Sources:
        """Return the choices of the forms of a node."""

        def fields(path: str) -> list[tuple[Option, str]]:
            panel = (node["data"].get("config") or {}).get("panel")
            panels = [candidate for candidate in (node["type"], panel) if candidate in PANELS] or list(PANELS)
            return [
                (Option(candidate["uniqueFieldID"], str(candidate["name"])), candidate["valueType"])
                for candidate in self.fields_of(panels[0])
                if not candidate["children"]
            ]

        return Sources(
            self.chosen_from,
            self.why_typed,
            self.typing_error,
            lambda panel: self.trees(panel, node, graph),
            fields,
        )


def _name(row: Values) -> str:
    names = (row.get(name) for name in ("name", "title", "fromEmail", "email", "label"))
    return str(next(filter(None, names), row["_id"]))


def _choice(reference: Values) -> Choice:
    kind, operators = VALUE_KINDS.get(reference["type"], ("text", TEXT))
    options = YES_NO if kind == "flag" else ()
    return Choice(reference["path"], reference["words"], operators, options, kind)
