"""The review of a run's drafts, one by one: the message, its evidence and the contact's data."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.ask import Answer
from core.web.field_values import field_values
from core.web.forms import Field, Form
from core.web.forms.record_forms import fields_query, shown_fields
from core.web.pages import page_not_found
from core.web.toasts import HOLD_SECONDS, TIMED
from outreach.messaging.delivery.pages import GONE, TOO_LATE
from outreach.messaging.delivery.types import ListedMessageData
from outreach.runs.genie.pages.base import OutreachPage
from outreach.runs.genie.pages.highlights import highlight_text

QUEUE_SIZE = 50
SINCE = {
    "planned": gettext_lazy("The message is being rewritten."),
    "approved": gettext_lazy("Approved by someone else, and queued."),
    "claimed": gettext_lazy("Approved by someone else, and sending."),
    "sending": gettext_lazy("Approved by someone else, and sending."),
    "sent": gettext_lazy("Approved by someone else, and sent."),
    "cancelled": gettext_lazy("Cancelled by someone else."),
    "suppressed": gettext_lazy("Cancelled: the contact is on the suppression list."),
    "failed": gettext_lazy("Approved by someone else, but sending failed."),
    "unknown": gettext_lazy("Approved by someone else; delivery unknown."),
}
"""Status of a message that is no draft any more -> its description."""


class Review(OutreachPage):
    path = "outreach/<str:id>/review"
    name = "outreach-review"
    title = gettext_lazy("Review")
    template = "web/outreach/review.html"
    contact_changed = False
    """The contact has changed after the draft of the page."""

    def show(self) -> Values:
        query = {
            "run": self.params["id"],
            "filters": {"status": "draft"},
            "sortBy": "createdAt",
            "sortOrder": "asc",
            "p": "1",
            "n": str(QUEUE_SIZE),
        }
        answer = self.read("genie/send-jobs", query)
        queue = [row["_id"] for row in answer.data]
        id = self.params.get("message") or (queue[0] if queue else "")
        if not id:
            if not self.read("genie", {"ids": self.params["id"], "p": "1", "n": "1", "fields": "name"}).data:
                raise page_not_found()
            return {"queue": [], "message": None, "run_id": self.params["id"]}
        place = queue.index(id) if id in queue else -1
        message: ListedMessageData = answer.data[place] if place >= 0 else self.read(f"genie/send-jobs/{id}").data
        after = queue[place + 1] if place + 1 < len(queue) else ""
        before = queue[place - 1] if place > 0 else ""
        draft = message["status"] == "draft"
        return {
            "queue": answer.data,
            "total": answer.total,
            "place": place + 1,
            "message": message,
            "run_id": self.params["id"],
            "before": before,
            "after": after,
            "then": after or before,
            "facts": self.facts(message) if draft else [],
            "since": "" if draft else self.since(message),
            "contact_changed": draft and self.contact_changed,
            "anew_soon": message["reason"] == "written_anew",
            "title": _("Review: %(name)s") % {"name": message["run"]["name"]} if message["run"] else self.title,
            "form": self.form(message) if "edit" in self.request.GET and draft else None,
            "anew": self.hint(message) if "anew" in self.request.GET and draft else None,
            **highlight_text(message),
        }

    def since(self, message: ListedMessageData) -> str:
        """Return the state of a message that is no draft."""
        if message["status"] == "planned" and message["reason"] != "written_anew":
            return str(message["sentence"])
        return SINCE.get(message["status"], "")

    def facts(self, message: ListedMessageData) -> list[tuple[str, Any]] | None:
        """Return (name, value) of the contact's data, or None if the reader may not see it."""
        self.contact_changed = False
        who = message["contact"] if self.may("contact") else None
        answer = self.ask("GET", f"contact/{who['_id']}") if who else None
        if answer is None or not answer.ok:
            return None
        contact = answer.data
        self.contact_changed = contact["updatedAt"] > message["updatedAt"]
        named = self.ask("GET", "custom-field", fields_query("contact")) if self.may("custom-field") else None
        own = shown_fields(named.data) if named is not None and named.ok else []
        values = contact["formData"]
        written = field_values(self, own, [values])
        facts: list[tuple[str, Any]] = [
            (field["name"], written.block(field, values.get(field["uniqueFieldID"]))) for field in own
        ]
        facts += [(_("Category"), contact["category"]), (_("Tags"), contact["tags"]), (_("Email"), contact["email"])]
        return [(name, value) for name, value in facts if value not in (None, "", [])]

    def form(self, message: ListedMessageData | None = None) -> Form:
        fields = [
            Field("subject", _("Subject"), required=True),
            Field("text", _("Text"), "textarea", required=True, autofocus=True),
        ]
        fields += [Field(name, "", "hidden", initial=self.request.POST.get(name, "")) for name in ("id", "contentHash")]
        return Form(fields=fields, initial={**message, "id": message["_id"]} if message else None)

    def hint(self, message: ListedMessageData) -> Form:
        """Return the form that requests another text."""
        text = _("For example: shorter. Leave empty for new wording.")
        fields = [Field("hint", _("What should change?"), "textarea", autofocus=True, help_text=text)]
        fields += [Field(name, "", "hidden") for name in ("id", "contentHash")]
        return Form(fields=fields, initial={"id": message["_id"], "contentHash": message["contentHash"]})

    def do_regenerate(self) -> HttpResponse:
        sent = self.request.POST
        body = {"hint": sent.get("hint", "").strip(), "contentHash": sent.get("contentHash", "")}
        here = self.draft_address(self.sent_id())
        answer = self.ask("POST", f"genie/send-jobs/{self.sent_id()}/regenerate", None, body)
        message = " ".join(filter(None, (_("The message is being rewritten."), answer.notice)))
        return self.redirect_with_toast(message, here) if answer.ok else self.refuse(answer, here)

    def do_approve(self) -> HttpResponse:
        body = {"contentHash": self.request.POST.get("contentHash", ""), "delaySeconds": HOLD_SECONDS}
        return self.redirect_to_next(
            self.ask("POST", f"genie/send-jobs/{self.sent_id()}/approve", None, body), _("Approved")
        )

    def do_cancel(self) -> HttpResponse:
        return self.redirect_to_next(
            self.ask("POST", f"genie/send-jobs/{self.sent_id()}/cancel"), _("Message cancelled")
        )

    def do_undo(self) -> HttpResponse:
        """Make a draft again of the message that was approved or canceled last."""
        here = self.draft_address(self.sent_id())
        answer = self.ask("POST", f"genie/send-jobs/{self.sent_id()}/draft")
        if answer.ok:
            return self.redirect_with_toast(_("Undone. The message is a draft again."), here)
        now = self.ask("GET", f"genie/send-jobs/{self.sent_id()}")
        return self.fail(TOO_LATE, here) if now.ok and now.data["status"] in GONE else self.refuse(answer, here)

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        body = {name: form.values[name].replace("\r\n", "\n") for name in ("subject", "text")}
        if form.values["contentHash"]:
            body["contentHash"] = form.values["contentHash"]
        answer = self.ask("PUT", f"genie/send-jobs/{self.sent_id()}", None, body)
        if answer.ok:
            return self.redirect_with_toast(_("Draft changed"), self.draft_address(self.sent_id()))
        context = dict(self.show())
        message = context["message"]
        if message is None or (answer.status in (400, 409) and message["_id"] != self.sent_id()):
            return self.refuse(answer, self.draft_address(self.sent_id()))
        if message["status"] != "draft":
            context["typed"] = body["text"]
        elif answer.status == 409:
            form.add_error(
                None,
                _("%(changed)s Save again to keep your text.") % {"changed": self.change_text(message)},
            )
            form["contentHash"].replace(message["contentHash"])
            context |= {"form": form, "theirs": message}
        else:
            form.refuse(answer)
            context["form"] = form
        return self.page(context, status=422)

    def redirect_to_next(self, answer: Answer, success: str) -> HttpResponse:
        """Redirect to the next draft, or back to this one if it was refused, with the changes since it was shown."""
        if answer.ok:
            after = self.draft_address(self.sent_id("then") if self.request.POST.get("then") else "")
            return self.redirect_with_toast(success, after, back={**TIMED, "do": "undo", "id": self.sent_id()})
        here = self.draft_address(self.sent_id())
        now = self.ask("GET", f"genie/send-jobs/{self.sent_id()}") if answer.status in (400, 409) else None
        if now is None or not now.ok:
            return self.refuse(answer, here)
        if now.data["status"] == "draft" and answer.status == 409:
            about_words = answer.refuses("contentHash")
            changed = self.change_text(now.data) if about_words else _("The contact or sender has changed.")
            message = _("%(message)s %(changed)s Read the draft again before approving.") % {
                "message": answer.message,
                "changed": changed,
            }
            return self.refuse(Answer(answer.status, {"message": message}), here)
        message = SINCE.get(now.data["status"], answer.refusal)
        return self.refuse(Answer(answer.status, {"message": message}), here)

    def change_text(self, message: ListedMessageData) -> str:
        """Return the message about the author of a change to a draft."""
        by = message["updatedBy"] or {}
        if by.get("_id") == self.actor.member_id:
            return _("You changed the draft in another window.")
        return _("%(by)s changed the draft.") % {"by": by.get("name") or _("Someone")}

    def draft_address(self, message: str) -> str:
        """Return the address of a draft in the review, or of the first one."""
        if not message:
            return self.address("outreach-review", self.params["id"])
        return self.address("outreach-draft", self.params["id"], message)


class ReviewDraft(Review):
    path = "outreach/<str:id>/review/<str:message>"
    name = "outreach-draft"
    title = gettext_lazy("Review of one draft")
