"""Comments on pages: their text with its mentions, and the forms that delete and restore them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.ids import is_id
from core.types import JsonObject, Values
from core.web.forms import Field
from core.web.pages import Page

MODULES = {"organization": "contact", "task": "lead-activity"}
"""Kind of record -> the permission module that shows it, where that has another name."""


def comment_parts(text: str, mentions: Sequence[Values]) -> list[tuple[str, bool]]:
    """Split the text into parts; True marks those that mention a member."""
    labels = sorted((mention["label"] for mention in mentions if mention["label"]), key=len, reverse=True)
    if not labels:
        return [(text, False)]
    pattern = rf"(?<![\w@.])(@(?:{'|'.join(re.escape(label) for label in labels)})(?!\w))"
    parts = re.split(pattern, text, flags=re.IGNORECASE)
    return [(part, place % 2 == 1) for place, part in enumerate(parts) if part]


def comment_entry(comment: Values) -> JsonObject:
    """Return a comment in the form of an entry of a timeline."""
    return {
        "_id": comment["_id"],
        "id": comment["_id"],
        "kind": "comment",
        "at": comment["createdAt"],
        "actor": comment["createdBy"],
        "workflow": None,
        "lead": comment["record"]["id"] if comment["record"]["kind"] == "lead" else None,
        "contact": None,
        "title": _("Comment"),
        "changes": [],
        "data": comment,
    }


class CommentsPage(Page):
    """A page of a record with comments."""

    comments_place: ClassVar[str] = "#history"
    """The fragment of the page that shows the comments."""

    def comment_field(self) -> Field:
        """Return the field of a comment's text, which offers members after an @."""
        hint = _("Type @ to mention a member")
        return Field("text", _("Comment"), "textarea", placeholder=hint, suggests=self.address("mentions"))

    def shown_comment(self, id: str, kind: str, author: Values | None, data: Values) -> JsonObject:
        """Return a comment as templates draw it. `data` has its text, its mentions, and when it was edited."""
        is_own = author is not None and author["_id"] == self.actor.member_id and not self.reader.visit
        others = [mention["name"] or mention["email"] for mention in data["mentions"] if not mention["label"]]
        return {
            "id": id,
            "parts": comment_parts(data["text"], data["mentions"]),
            "others": ", ".join(others),
            "is_edited": bool(data["editedAt"]),
            "may_edit": is_own,
            "may_delete": is_own or self.may(MODULES.get(kind, kind), "DELETE"),
        }

    def with_chosen_comment(self, entries: Sequence[Values]) -> list[Values]:
        """Return the entries, and before them the comment that the address names, if that is older."""
        id = self.request.GET.get("comment", "")
        if not is_id(id) or any(entry["_id"] == id for entry in entries):
            return list(entries)
        answer = self.ask("GET", f"comment/{id}")
        if not answer.ok or answer.data["record"]["id"] != self.params["id"]:
            return list(entries)
        return [comment_entry(answer.data), *entries]

    def do_uncomment(self) -> HttpResponse:
        """Delete a comment."""
        answer = self.ask("DELETE", f"comment/{self.sent_id()}", None, {})
        place = self.request.path + self.comments_place
        if not answer.ok:
            return self.refuse(answer, place)
        back = {"do": "recomment", "id": self.sent_id()}
        return self.redirect_with_toast(_("Comment deleted"), place, back=back)

    def do_recomment(self) -> HttpResponse:
        """Restore a deleted comment."""
        answer = self.ask("POST", "comment/restore", None, {"ids": [self.sent_id()]})
        place = self.request.path + self.comments_place
        return self.redirect_with_toast(_("Comment restored"), place) if answer.ok else self.refuse(answer, place)
