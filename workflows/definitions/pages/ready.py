"""The page that installs a ready workflow: its steps, its emails, and the settings that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext, ngettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from core.web.forms.record_forms import BESIDE, PLAIN
from core.web.mail_frames import mail_frame
from core.web.pages import PageError
from workflows.definitions.pages.base import WorkflowPage
from workflows.definitions.pages.graph import Graph
from workflows.definitions.pages.summaries import Summaries

ADDED = "createdAt"
MAIN = "out"
"""The handle by which a step usually goes on."""
CURES = {"senderMissing": "noSender", "opensOff": "opensOff"}
"""Problem of a template -> the key of its remedy."""
LABELS = {
    "sender": gettext_lazy("Sender"),
    "segment": gettext_lazy("Only this segment"),
    "field": gettext_lazy("Date field"),
    "quietDays": gettext_lazy("Days without activity"),
    "unopenedDays": gettext_lazy("Days without an opened email"),
    "callDays": gettext_lazy("Days to wait for a call"),
}
"""Setting -> its label."""
NO_CHOICE = {"sender": gettext_lazy("Your oldest sender"), "segment": gettext_lazy("All contacts")}
"""Setting -> its value where nothing is chosen."""


class ReadyWorkflow(WorkflowPage):
    path = "workflows/ready/<str:key>"
    name = "workflow-ready"
    tab_name = gettext_lazy("Install a workflow")
    template = "web/workflows/ready.html"

    @cached_property
    def ready(self) -> Values:
        answer = self.ask("GET", f"workflow/templates/{self.params['key']}")
        if not answer.ok:
            raise Http404("no such template")
        contents: Values = answer.data
        return contents

    def get(self, request: HttpRequest) -> HttpResponse:
        key = request.GET.get("email")
        if key is None:
            return super().get(request)
        email = next((email for email in self.ready["emails"] if email["key"] == key), None)
        if email is None:
            raise Http404("no such email")
        return mail_frame(request, mail=email)

    def form(self) -> Form:
        fields = [field for setting in self.ready["settings"] if (field := self._field(setting)) is not None]
        publish = Field(
            "publish",
            gettext("Publish now"),
            "switch",
            initial=not self.ready["missing"],
            help_text=gettext("Off: you check the steps first."),
        )
        once = Field("requestId", "", "hidden", initial=get_random_string(24))
        return Form(fields=[*fields, publish, once])

    def _field(self, setting: Values) -> Field | None:
        """Return the field of a setting; None where its choices are hidden from the reader."""
        name = setting["name"]
        if setting["kind"] == "days":
            return Field(name, str(LABELS.get(name, name)), "number", required=True, initial=setting["default"])
        if setting["choices"] is None:
            return None
        options = [Option(choice["_id"], choice["name"] or gettext("Added")) for choice in setting["choices"]]
        return Field(
            name,
            str(LABELS.get(name, name)),
            "select",
            required=name == "field",
            options=options,
            initial=setting["default"],
            placeholder=str(NO_CHOICE.get(name, "")),
        )

    @staticmethod
    def _lacks_birthday(setting: Values) -> bool:
        return bool(setting["name"] == "field" and setting["default"] == ADDED)

    def show(self) -> Values:
        return self.context(self.form() if self.may("workflow", "POST") else None)

    def context(self, form: Form | None) -> JsonObject:
        ready = self.ready
        kind = ready["triggerEventType"]
        settings = {setting["name"]: setting for setting in ready["settings"]}
        return {
            "ready": ready,
            "title": ready["name"],
            "form": form,
            "starts": self.triggers.get(kind, kind),
            "lines": self.lines(),
            "cures": [CURES[problem] for problem in ready["missing"]],
            "lacks_birthday": "field" in settings and self._lacks_birthday(settings["field"]),
        }

    def lines(self) -> list[JsonObject]:
        """Return the steps as a nested list, each with its summary."""
        graph = Graph({**self.ready, "handles": {}}, self.types)
        start = graph.first
        targets = [edge["target"] for edge in graph.edges_from(start["id"])] if start else []
        return [line for target in targets for line in self._way(graph, target)]

    def _way(self, graph: Graph, id: str) -> Iterator[JsonObject]:
        """Yield the lines from a step on. Its main way stays on the same level, the others come first."""
        while id:
            node = graph.need(id)
            label = graph.label(node)
            about = self._describe_node(node)
            # A label such as "3 days" says as much as the summary, but not that the step waits.
            label = self.types[node["type"]]["label"] if label == about else label
            yield {"kind": "node", "label": label, "about": about}
            onward = next((edge["target"] for edge in graph.edges_from(id, MAIN)), "")
            later = {onward, *graph.node_ids_after(onward)} if onward else set()
            for edge in graph.edges_from(id):
                if edge["sourceHandle"] == MAIN:
                    continue
                target = graph.need(edge["target"])
                yield {"kind": "open", "words": graph.words(node, edge["sourceHandle"])}
                if target["id"] in later:
                    yield {"kind": "goes", "words": graph.label(target)}
                else:
                    yield from self._way(graph, target["id"])
                yield {"kind": "close"}
            id = onward

    def _describe_node(self, node: Values) -> str:
        """Return the summary of a step, of an email its subject."""
        template = (node["data"].get("config") or {}).get("template", "")
        subjects = (email["subject"] for email in self.ready["emails"] if f"@email:{email['key']}" == template)
        panels = {panel: (*PLAIN[panel], *BESIDE[panel]) for panel in ("contact", "lead")}
        return next(subjects, "") or Summaries(events=self.triggers, panels=panels).describe(node)

    def do_install(self) -> HttpResponse:
        if not self.may("workflow", "POST"):
            raise PageError(403, gettext("You can't add workflows"))
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.page(self.context(form), status=422)
        values = dict(form.cleaned_data)
        publish = bool(values.pop("publish", False))
        request_id = values.pop("requestId", "") or get_random_string(24)
        body = {"settings": values, "publish": publish, "requestId": request_id}
        answer = self.ask("POST", f"workflow/templates/{self.params['key']}/install", None, body)
        problems = [error for error in answer.body.get("errors") or () if "nodeId" in error]
        if not answer.ok and problems:
            number = len(problems)
            text = ngettext("Not published: fix %(count)s problem", "Not published: fix %(count)s problems", number)
            form.add_error(None, text % {"count": number})
            return self.page(self.context(form), status=422)
        if not answer.ok:
            form.refuse(answer, lambda path: path.removeprefix("settings."))
            if form.errors.pop("requestId", None):
                form.add_error(None, gettext("Installed and deleted already. Open this page again to install it."))
            return self.page(self.context(form), status=422)
        text = gettext("Installed and published") if publish else gettext("Installed. Publish it to start.")
        id = answer.data["_id"]
        templates = ",".join(template["_id"] for template in answer.data["templates"])
        back = {"do": "uninstall", "templates": templates} if self.may("workflow", "DELETE") else None
        return self.redirect_with_toast(text, self.address("workflow", id), back=back)
