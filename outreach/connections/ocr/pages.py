"""The pages of a scan: the photo of a card, and the wait until it is read. The form after it is that of contacts."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.ask import Answer
from core.web.pages import Page


class ScanCard(Page):
    path = "contacts/scan"
    name = "card-scan-new"
    title = gettext_lazy("Scan a card")
    action = title
    template = "web/scan/new.html"
    module = "contact"

    def show(self) -> Values:
        return {"unread": self.may("contact", "GET") and not self.read("contact/scan/reader").data["name"]}

    def do_scan(self) -> HttpResponse:
        if "file" not in self.request.FILES:
            return self.page({**self.show(), "trouble": _("Take or choose a photo first.")}, status=422)
        stored = self.upload()
        if not stored.ok:
            return self.page({**self.show(), "trouble": reason(stored)}, status=422)
        file = stored.data[0] if isinstance(stored.data, list) else stored.data
        answer = self.ask("POST", "contact/scan", None, {"fileId": file["_id"]})
        if not answer.ok:
            return self.page({**self.show(), "trouble": reason(answer)}, status=422)
        return self.redirect_with_toast(to=self.address("card-scan", answer.data["_id"]))


def reason(answer: Answer) -> str:
    """Return an API's refusal as a sentence."""
    if answer.name == "OcrNotFound_404":
        return _("No card reader is connected. Connect one first.")
    return answer.reason


ADVICE = gettext_lazy("Take a photo of the whole card from above, in good light (JPEG or PNG, at most 5 MB).")
STOPPED = gettext_lazy("Scan the card again, or ask an owner to connect a card reader.")


class CardScan(Page):
    path = "contacts/scan/<str:id>"
    name = "card-scan"
    tab_name = gettext_lazy("Card scan")
    template = "web/scan/wait.html"
    module = "contact"

    def show(self) -> Values:
        answer = self.read(f"contact/scan/{self.params['id']}")
        scan = answer.data
        advice = STOPPED if answer.notes.get("gone") or not scan["error"] else ADVICE
        moving = scan["status"] in ("queued", "running")
        return {"scan": scan, "advice": advice, "title": _("Scan of a card"), "moving": moving}


PAGES = [ScanCard, CardScan]
