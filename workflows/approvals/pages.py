"""The pages of approvals: runs' questions to members, and one question, to which its notification links."""

from __future__ import annotations

from typing import ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.lists import ListState
from core.web.navigation.places import TASKS, MenuItem
from core.web.pages import Page

STATUSES = {
    "open": (gettext_lazy("Open"), "info"),
    "approved": (gettext_lazy("Approved"), "ok"),
    "rejected": (gettext_lazy("Rejected"), "bad"),
    "timeout": (gettext_lazy("Expired"), "warn"),
    "cancelled": (gettext_lazy("Withdrawn"), ""),
}
"""Status -> its label, and the tone of its badge."""
ENDED = [status for status in STATUSES if status != "open"]
SIZE = 30
WITHHELD = gettext_lazy("You can't read this request: it is for other members.")
TABS: dict[str, tuple[str, JsonObject]] = {
    "": (gettext_lazy("For you"), {"filters": {"status": "open"}, "sortBy": "until", "sortOrder": "asc"}),
    "answered": (gettext_lazy("Decided"), {"filters": {"status": ENDED}, "sortBy": "createdAt", "sortOrder": "desc"}),
    "all": (gettext_lazy("All members"), {"whose": "all", "sortBy": "createdAt", "sortOrder": "desc"}),
}
"""Key of the tab -> its label, and the parameters of the API's list."""


class ApprovalPage(Page):
    """Shared parts of the pages of approvals. Every member may be asked, so that no module is needed."""

    menu = MenuItem(
        gettext_lazy("Approvals"), TASKS, 30, "check-check", keywords=gettext_lazy("approve decide requests")
    )
    back: ClassVar[str] = "workflow-approvals"

    def approval_context(self, approval: Values) -> JsonObject:
        """Return a question with the label of its status, and whether the reader may answer it."""
        label, tone = STATUSES.get(approval["status"], (approval["status"], ""))
        contact = approval["contact"]
        mine = any(member["_id"] == self.actor.member_id for member in approval["members"])
        who = (contact["name"] or contact["email"] or gettext("A contact")) if contact else ""
        return {
            **approval,
            "text": approval["text"] if mine or approval["text"] else WITHHELD,
            "words": label,
            "mood": tone,
            "who": who,
            "can_answer": mine and approval["status"] == "open",
        }

    def do_approve(self) -> HttpResponse:
        return self._answer(True, gettext("Approved"))

    def do_reject(self) -> HttpResponse:
        return self._answer(False, gettext("Rejected"))

    def _answer(self, approved: bool, text: str) -> HttpResponse:
        body = {"approved": approved, "comment": self.request.POST.get("comment", "").strip()}
        answer = self.ask("POST", f"workflow/approvals/{self.sent_id()}/answer", None, body)
        return self.redirect_with_toast(text, self.address(self.back)) if answer.ok else self.refuse(answer)


class Approvals(ApprovalPage):
    path = "workflow-approvals"
    name = "workflow-approvals"
    title = gettext_lazy("Approvals")
    template = "web/workflows/approvals.html"

    def show(self) -> Values:
        tabs = {name: entry for name, entry in TABS.items() if name != "all" or self.may("workflow")}
        only = self.request.GET.get("only", "")
        only = only if only in tabs else ""
        state = ListState(self.request.GET, keeps=("only",))
        response = self.read("workflow/approvals", {**state.query(size=SIZE), **tabs[only][1]})
        return {
            "approvals": [self.approval_context(entry) for entry in response.data],
            "only": only,
            "tabs": [
                (self.address(**({"only": name} if name else {})), label, name == only)
                for name, (label, _) in tabs.items()
            ],
            "more": state.more(response.next_cursor, len(response.data)) if response.next_cursor else None,
        }


class Approval(ApprovalPage):
    path = "workflow-approvals/<str:id>"
    name = "workflow-approval"
    title = gettext_lazy("Approval")
    template = "web/workflows/approval_page.html"
    record_kind = ("workflow/approvals", gettext_lazy("Approvals"))

    def show(self) -> Values:
        return {"approval": self.approval_context(self.read(f"workflow/approvals/{self.params['id']}").data)}


PAGES = [Approvals, Approval]
