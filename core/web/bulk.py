"""Lists with bulk changes and bulk starts of a workflow, for selected rows or for all matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.text.translation import PluralText, gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import SEVERAL, Field, Form, Option, options_of
from core.web.pages import PageError
from core.web.saved_views import ViewedList

SINGLE = [Option("set", gettext_lazy("Set to")), Option("clear", gettext_lazy("Clear"))]
MANY = [
    Option("append", gettext_lazy("Add")),
    Option("remove", gettext_lazy("Remove")),
    Option("set", gettext_lazy("Replace with")),
    Option("clear", gettext_lazy("Clear")),
]
"""Change modes of fields with one value and with several: the API's names and their labels."""
BESIDE = (
    *("tags", "category", "productServices", "team", "organization", "owner"),
    *("stage", "lostReason", "expectedCloseAt"),
)
"""Fields outside of formData in the API's body."""


class BulkList(ViewedList):
    """A list with bulk changes. Its texts are for a number of records, or for all that match."""

    count: ClassVar[PluralText]
    change_label: ClassVar[PluralText]
    changing: ClassVar[str]
    changed: ClassVar[PluralText]
    deleting: ClassVar[str]
    deleted: ClassVar[PluralText]

    @property
    def changes(self) -> Sequence[tuple[str, str]]:
        """Return (name, label) of the fields that can be changed in bulk."""
        raise NotImplementedError

    @property
    def list_url(self) -> str:
        """The address of the list as it is."""
        return self.address(self.listed_at) + self.state.link()

    @property
    def selection(self) -> tuple[JsonObject | None, JsonObject]:
        """The query and the body by which the API knows the records that the form chose."""
        if "all" in self.request.POST:
            return self.state.selection(), {"selectAll": True}
        return None, {"ids": self.request.POST.getlist("ids")}

    def export_parameters(self) -> JsonObject:
        """Return the parameters that select the chosen records, or those of the list where none are chosen."""
        ids = self.request.POST.getlist("ids")
        if "all" in self.request.POST or not ids:
            return self.list_parameters()
        tree = {"operator": "and", "conditions": [{"field": "_id", "operator": "in", "value": ids}]}
        order = {name: value for name, value in self.list_parameters().items() if name in ("sortBy", "sortOrder")}
        return {**order, "advancedFilters": tree}

    def chosen_context(self, form: Form) -> JsonObject:
        """Return a form about the records that were chosen, and who they are."""
        post = self.request.POST
        ids = [] if "all" in post else post.getlist("ids")
        is_all = "all" in post
        return {
            "form": form,
            "back": self.list_url,
            "ids": ids,
            "all": is_all,
            "who": _("All matching records") if is_all else self.count.of(len(ids)),
            "change_label": _("Change all matching records") if is_all else self.change_label.of(len(ids)),
        }

    def do_delete(self) -> HttpResponse:
        query, body = self.selection
        answer = self.ask("DELETE", self.resource, query, body)
        return self.redirect_after_bulk(answer, self.deleting, self.deleted, "deletedCount")

    def change(self, change: Values) -> HttpResponse:
        """Change the records that the form chose."""
        query, body = self.selection
        answer = self.ask("PUT", self.resource, query, {**body, **change})
        return self.redirect_after_bulk(answer, self.changing, self.changed, "updatedCount")

    def redirect_after_bulk(self, answer: Answer, doing: str, did: PluralText, count: str) -> HttpResponse:
        """Redirect to the list, with the result and an undo action, or the progress of the job."""
        if not answer.ok:
            return self.refuse(answer, self.list_url)
        number = answer.data[count]
        if number is None:
            return self.redirect_with_toast(doing, self.list_url, watch=answer.job)
        text = did.of(number)
        if answer.notice:
            text = _("%(result)s. %(notice)s") % {"result": text, "notice": answer.notice}
        return self.redirect_with_toast(text, self.list_url, undo=answer.job)


class ChangeMany(BulkList):
    """A bulk change of one field: the page's address has the parameters of the list that select the records."""

    template = "web/records/change.html"
    never_empty: ClassVar[tuple[str, ...]] = ()
    """Fields that every record has a value of, and that are not cleared."""

    def field(self, name: str) -> Field | None:
        """Return the field of the form that changes the name, or None for one that cannot be changed for many."""
        raise NotImplementedError

    @cached_property
    def what(self) -> Field:
        name = self.request.POST.get("what", "")
        field = self.field(name) if name in dict(self.changes) else None
        if field is None:
            raise PageError(404, _("This can't be changed for many"), _("Choose another field in the list."))
        field.required = False
        return field

    def more_fields(self) -> list[Field]:
        """Return further fields of the form, such as the name of a new tag."""
        return []

    def more_values(self, form: Form) -> JsonObject:
        """Return values of further fields that the change sends too, such as the reason for a loss."""
        return {}

    def chosen_value(self, form: Form) -> Any:
        """Return the value of the form. Errors are added to it."""
        return form[self.what.name].value()

    def change_form(self) -> Form:
        if self.what.name in self.never_empty:
            return Form(fields=[self.what, *self.more_fields()])
        options = MANY if self.what.kind in SEVERAL else SINGLE
        how = Field("how", _("How"), "radio", options=options, initial=options[0].value)
        return Form(fields=[how, self.what, *self.more_fields()])

    def show(self) -> Values:
        return {"form": None, "back": self.list_url}

    def post(self, request: HttpRequest) -> HttpResponse:
        is_change = request.POST.get("do", "save") != "delete"
        if is_change and not self.may(self.module, "PUT"):
            return self.fail(_("You can't change these records"), self.list_url)
        return super().post(request)

    def do_choose(self) -> HttpResponse:
        if "all" not in self.request.POST and not self.request.POST.getlist("ids"):
            return self.fail(_("Choose records in the list first"), self.list_url)
        if "what" not in self.request.POST:
            options = options_of(self.changes)
            what = Field("what", _("What to change"), "select", required=True, options=options)
            return self.page({**self.chosen_context(Form(fields=[what])), "asks": True})
        return self.page({**self.chosen_context(self.change_form()), "label": self.what.label})

    def do_save(self) -> HttpResponse:
        form = self.change_form().bind(self.request.POST)
        how = form["how"].value() if "how" in form.fields else "set"
        what = form[self.what.name]
        if not form.is_valid():
            return self.page({**self.chosen_context(form), "label": what.label}, status=422)
        value = what.value() if how in ("clear", "remove") else self.chosen_value(form)
        if form.errors:
            return self.page({**self.chosen_context(form), "label": what.label}, status=422)
        if how != "clear" and value in ("", None, []):
            what.add_error(_("Enter a value, or choose Clear.") if "how" in form.fields else _("Choose a change."))
            return self.page({**self.chosen_context(form), "label": what.label}, status=422)
        query, body = self.selection
        value = None if how == "clear" and what.kind not in SEVERAL else value
        change = {what.name: value} if what.name in BESIDE else {"formData": {what.name: value}}
        change |= self.more_values(form) if how == "set" else {}
        answer = self.ask("PUT", self.resource, query, {**body, **change, "updateType": how})
        if not answer.ok:
            form.refuse(answer)
            return self.page({**self.chosen_context(form), "label": what.label}, status=422)
        return self.redirect_after_bulk(answer, self.changing, self.changed, "updatedCount")


class StartForMany(BulkList):
    """Starts a workflow for the records that were chosen in the list, whose parameters its address has."""

    title = gettext_lazy("Start a workflow")
    template = "web/records/start.html"

    def start_form(self) -> Form:
        published = self.options_of("workflow", filters={"status": "published"})
        return Form(fields=[Field("workflow", _("Workflow"), "select", required=True, options=published)])

    def show(self) -> Values:
        return {"form": None, "back": self.list_url}

    def post(self, request: HttpRequest) -> HttpResponse:
        if not self.may("workflow", "POST"):
            return self.fail(_("You can't start workflows"), self.list_url)
        return super().post(request)

    def do_choose(self) -> HttpResponse:
        if "all" not in self.request.POST and not self.request.POST.getlist("ids"):
            return self.fail(_("Choose records in the list first"), self.list_url)
        return self.page(self.chosen_context(self.start_form()))

    def do_save(self) -> HttpResponse:
        form = self.start_form().bind(self.request.POST)
        workflow = form["workflow"].value()
        if workflow not in [option.value for option in form["workflow"].options]:
            form.add_error("workflow", _("Choose a published workflow."))
            return self.page(self.chosen_context(form), status=422)
        query, body = self.selection
        answer = self.ask("POST", f"workflow/{workflow}/enrol", query, {**body, "panel": self.resource})
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.chosen_context(form), status=422)
        return self.redirect_with_toast(enrolment_message(answer.data), self.list_url)


def enrolment_message(enrolled: Mapping[str, int]) -> str:
    """Return the message about an enrolment's started runs."""
    number = enrolled["startedCount"]
    left = enrolled["selectedCount"] - number
    text = ngettext("%(count)s run started", "%(count)s runs started", number) % {"count": f"{number:,}"}
    if not left:
        return text
    skipped = ngettext(
        "%(count)s record was skipped: already running or no match",
        "%(count)s records were skipped: already running or no match",
        left,
    ) % {"count": f"{left:,}"}
    return f"{text}. {skipped}."
