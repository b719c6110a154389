"""The page of one step of a chatbot, and of one that is about to be added."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.errors import DuplicateField, FieldError
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.flows.graph import NotPossible
from core.web.flows.schema_forms import SchemaForm, Sources
from core.web.forms import Field, Form
from core.web.pages import PageError, page_not_found
from core.web.words.problems import named_problem, problem_text
from outreach.chat.chatbots.pages.base import OneChatbot
from outreach.chat.chatbots.pages.draw import put_in
from outreach.chat.chatbots.pages.graph import IN_FORM, BotGraph
from outreach.chat.chatbots.pages.types import CONTAINS, KEYWORDS, RULES, START, TYPES

NEW = "new"
MARKED = gettext_lazy("Correct the marked fields.")
NAMES = {"keyword": "words", "type": ""}
"""Last part of a key that the API refuses -> the field of the form."""
NEEDED = {
    KEYWORDS: ("words", gettext_lazy("Add at least one entry")),
    CONTAINS: ("phrase", gettext_lazy("Enter a value")),
}
"""Type of a step -> the field without which it is not saved, and its error."""


class ChatbotStep(OneChatbot):
    """A step of a chatbot with its form."""

    path = "chatbots/<str:id>/step"
    name = "chatbot-step"
    tab_name = gettext_lazy("Chatbot step")
    template = "web/chatbots/step.html"

    @property
    def _request_values(self) -> Mapping[str, str]:
        return {**self.request.GET.dict(), **self.request.POST.dict()}

    @cached_property
    def node(self) -> JsonObject:
        """The step of the address, or a new one."""
        id, type = self._request_values.get("node", ""), self._request_values.get("add", "")
        if not id and type:
            if type not in TYPES or type == START or type in BotGraph.fixed:
                raise page_not_found()
            return {"id": "", "type": type, "data": {"config": {}}}
        step = self.graph.find(id or START)
        if step is None:
            raise page_not_found()
        return step

    @property
    def here(self) -> str:
        if self.node["id"]:
            return self.step_address(self.node["id"])
        return self.new_step_address(self.node["type"], self._request_values.get("at", ""))

    def form(self) -> SchemaForm:
        return SchemaForm(TYPES[self.node["type"]]["schema"], self.node["data"].get("config") or {}, Sources())

    def own_fields(self) -> Form:
        """Return the fields that no schema has."""
        if self.node["type"] not in RULES or not self.node["id"]:
            return Form()
        is_off = self.node["data"].get("disabled") is True
        return Form(fields=[Field("disabled", _("Disable this rule"), "switch", initial=is_off)])

    def show(self) -> Values:
        form = self.form()
        for problem in self.bot["problems"]:
            if self.node["id"] and self.graph.node_of(problem["path"]) == self.node["id"]:
                form.mark(self.field_of(problem["path"]), problem["message"])
        own = [
            problem
            for problem in self.problems(self.graph)
            if problem["nodeId"] == self.node["id"] and not self._marks(problem)
        ]
        return self.context(form, self.own_fields(), own=own)

    def _marks(self, problem: Values) -> bool:
        return any(part.path == self.field_of(problem["path"]) for part in self.form().all_parts())

    def field_of(self, path: str) -> str:
        """Return the field of the form that a path of the API names."""
        name = path.rpartition(".")[2]
        name = "words" if name.isdecimal() and self.node["type"] == KEYWORDS else NAMES.get(name, name)
        if self.node["type"] == CONTAINS:
            name = "phrase" if name.isdecimal() else IN_FORM.get(name, name)
        elif name.isdecimal():
            name = {"message_count": "messageCount", "time_based": "minutes"}.get(self.node["type"], "text")
        return f"config.{name}"

    def context(self, form: SchemaForm, fields: Form, **more: Any) -> JsonObject:
        node, node_type = self.node, TYPES[self.node["type"]]
        return {
            **self.head(),
            "title": self.graph.label(node) if node["id"] else _("New: %(label)s") % {"label": node_type["label"]},
            "node": node,
            "about": node_type["help"],
            "form": form,
            "fields": fields,
            "opened": fingerprint(node),
            "here": self.here,
            "flow": self.flow(self.graph),
            "can_change": self.may_change,
            **more,
        }

    def do_save(self) -> HttpResponse:
        """Save the step. If it has been changed since its form was opened, ask first."""
        if not self.may_change:
            raise PageError(403, _("You can't edit chatbots"))
        sent = self.request.POST
        opened = fingerprint(self.node)
        theirs = sent.get("opened", opened) != opened and sent.get("do") != "overwrite"
        form, fields = self.form(), self.own_fields().bind(sent)
        config = form.read(sent)
        if theirs:
            clash = {"who": self.changed_by, "at": self.bot["updatedAt"]}
            return self.page(self.context(form, fields, clash=clash), status=422)
        name, text = NEEDED.get(self.node["type"], ("", ""))
        if name and not config.get(name):
            form.mark(f"config.{name}", text)
            return self.page(self.context(form, fields, trouble=MARKED), status=422)
        off = any(fields.values.values())
        id, step = self.node["id"], self.node

        def put_step(graph: BotGraph) -> list[JsonObject]:
            if not id:
                after = self._request_values.get("at", "").rpartition("/")[0]
                return put_in(graph, {**step, "id": NEW, "data": {"config": config}}, after)
            data = graph.need(id)["data"]
            data["config"] = config
            data["disabled"] = off
            return graph.nodes

        try:
            answer = self.change(put_step)
        except NotPossible as error:
            raise PageError(404, _("This step was deleted"), str(error)) from None
        if not answer.ok:
            left = self._mark(form, answer)
            return self.page(self.context(form, fields, trouble=left), status=422)
        new = self.renamed.get(id or NEW, id)
        if sent.get("stay"):
            return self.redirect_with_toast("", self.step_address(new))
        return self.redirect_with_toast(_("Saved"), f"{self.home}#step-{new}")

    do_overwrite = do_save

    def _mark(self, form: SchemaForm, answer: Answer) -> str:
        """Mark the fields that a refusal names. Returns the rest of it."""
        rest, is_marked = [], False
        for error in answer.errors:
            if form.mark(self.field_of(error["field"]), _error_text(answer, error)):
                is_marked = True
            else:
                rest.append(named_problem(error))
        if not answer.errors and answer.warning:
            rest.append(answer.reason)
        return " ".join(map(str, rest)) or (MARKED if is_marked else answer.message)


def _error_text(answer: Answer, error: FieldError) -> str:
    """Return the API's error at a field in plain words."""
    if answer.name == DuplicateField.name:
        return _("Another chatbot has this name")
    return problem_text(error)


def fingerprint(node: Values) -> str:
    """Return a hash that changes with a step."""
    about = [node["type"], node["data"].get("config"), node["data"].get("disabled") is True]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]
