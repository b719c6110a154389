"""The pages of comments: the way to one on its record, its form, and the members whom a text may mention."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.comments import CommentsPage
from core.web.forms import Form

PAGES_OF_RECORDS = {"task": "follow-up"}
"""Kind of record -> the name of its page, where that is another one."""
OFFERED = "8"
"""Members that the picker offers."""


class CommentPage(CommentsPage):
    module = "contact"
    alternate_modules: ClassVar[tuple[str, ...]] = ("lead", "lead-activity")

    @cached_property
    def comment(self) -> Values:
        record: Values = self.read(f"comment/{self.params['id']}").data
        return record

    @property
    def place(self) -> str:
        """Return the address of the comment on the page of its record."""
        record = self.comment["record"]
        page = PAGES_OF_RECORDS.get(record["kind"], record["kind"])
        return self.address(page, record["id"]) + f"?comment={self.comment['_id']}#comment-{self.comment['_id']}"


class Comment(CommentPage):
    """The way from a notice to the comment, on the page of its record."""

    path = "comments/<str:id>"
    name = "comment"
    title = gettext_lazy("Comment")
    record_kind = ("comment", gettext_lazy("Comments"))

    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponseRedirect(self.place)

    def show(self) -> Values:
        return {}


class EditComment(CommentPage):
    path = "comments/<str:id>/edit"
    name = "comment-edit"
    title = gettext_lazy("Edit comment")
    template = "web/comments/edit.html"

    def form(self, values: Values) -> Form:
        field = self.comment_field()
        field.required = field.autofocus = True
        return Form(fields=[field], initial=values)

    def show(self) -> Values:
        is_own = (self.comment["createdBy"] or {}).get("_id") == self.actor.member_id
        form = self.form({"text": self.comment["text"]}) if is_own else None
        return {"comment": self.comment, "place": self.place, "form": form}

    def do_save(self) -> HttpResponse:
        before: JsonObject = {"text": self.comment["text"]}
        form = self.form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.page({"place": self.place, "form": form}, status=422)
        changed = form.changed(before)
        if not changed:
            return self.report_unchanged(self.place)
        answer = self.ask("PUT", f"comment/{self.params['id']}", None, changed)
        if answer.ok:
            return self.redirect_with_toast(_("Comment saved"), self.place)
        form.refuse(answer)
        return self.page({"place": self.place, "form": form}, status=422)


class Mentions(CommentPage):
    """The members whom a text may mention, by the beginning of what stands after an @."""

    path = "comments/members"
    name = "mentions"
    title = gettext_lazy("Members to mention")
    template = "web/comments/members.html"

    def show(self) -> Values:
        typed = self.request.GET.get("q", "").strip()
        if not self.may("member"):
            return {"members": []}
        query = {"p": "1", "n": OFFERED, "sortBy": "name", "sortOrder": "asc", "fields": "name,email"}
        wanted: JsonObject = {"filters": {"status": ["owner", "accepted"]}}
        if typed:
            wanted["searchValue"] = typed
        members = sorted(self.read("member", {**query, **wanted}).data, key=lambda member: not _begins(member, typed))
        names = [member["name"].lower() for member in members]
        return {"members": [{**member, "label": _label(member, names)} for member in members]}


def _begins(member: Values, typed: str) -> bool:
    """Return whether the address, or a word of the name, begins with what is typed."""
    words = f" {member['name']} {member['email']}".lower()
    return f" {typed.lower()}" in words


def _label(member: Values, names: list[str]) -> str:
    """Return what stands after the @: the name, or the address of one who has none or shares it."""
    name = member["name"]
    return str(name if name and names.count(name.lower()) == 1 else member["email"])


PAGES = [Comment, EditComment, Mentions]
