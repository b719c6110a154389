"""The page before all drafts of a run are approved together: how many they are, and some of them to read."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.toasts import HOLD_SECONDS
from outreach.runs.genie.pages.base import APPROVED, OutreachPage, skipped_texts, undo_fields
from outreach.runs.genie.pages.highlights import highlight_text

LEFT = ngettext_lazy("%(count)s message left to review", "%(count)s messages left to review")
NEWER = ngettext_lazy("%(count)s message new or changed", "%(count)s messages new or changed")
CHANGED = gettext_lazy("Not approved: some messages have changed. Check the current drafts.")


class ApproveAll(OutreachPage):
    path = "outreach/<str:id>/approve"
    name = "outreach-approve"
    title = gettext_lazy("Approve all")
    template = "web/outreach/approve.html"

    def show(self) -> Values:
        sample = self.read(f"genie/{self.params['id']}/approval-sample").data
        return {
            "run_id": self.params["id"],
            "found": sample,
            "skipped": skipped_texts(sample),
            "drafts": [{"message": draft, **highlight_text(draft)} for draft in sample["sample"]],
        }

    def do_approve(self) -> HttpResponse:
        """Approve the drafts shown on the page, if none of them has changed since; else show the present ones."""
        run, seen = self.params["id"], self.request.POST.get("contentHash", "")
        since = timezone.now().isoformat()
        body = {"contentHash": seen, "delaySeconds": HOLD_SECONDS}
        answer = self.ask("POST", f"genie/{run}/approve-all", None, body)
        if answer.status == 409:
            return self.fail(CHANGED)
        if not answer.ok:
            return self.refuse(answer)
        left, newer = answer.data["leftCount"], answer.data["newerCount"]
        sentences = [_("Approving messages") if answer.job else APPROVED.of(answer.data["changedCount"])]
        if left:
            sentences.append(LEFT.of(left))
        if newer:
            sentences.append(NEWER.of(newer))
        text = ". ".join([*sentences, *skipped_texts(answer.data)])
        back = undo_fields(since) if answer.job or answer.data["changedCount"] else None
        return self.redirect_with_toast(text, self.address("outreach-run", run), watch=answer.job, back=back)
