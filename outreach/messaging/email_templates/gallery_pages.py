"""The page of a new email: ready templates with pictures, an empty design, or code."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.mail_frames import mail_frame
from outreach.messaging.email_templates.pages import TemplatePage


class ChooseTemplate(TemplatePage):
    path = "templates/choose"
    name = "email-template-choose"
    title = gettext_lazy("New email template")
    template = "web/email_templates/choose.html"

    def show(self) -> Values:
        return {
            "ready": self.read("template/email/design").data["ready"],
            "can_create": self.may(self.module, "POST"),
        }

    def do_create(self) -> HttpResponse:
        """Create a template from the chosen one, and open it in the editor."""
        answer = self.ask("POST", "template/email/ready", None, {"ready": self.request.POST.get("ready", "")})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(_("Template added"), self.address("email-template-design", answer.data["_id"]))


class ReadyTemplate(TemplatePage):
    """The picture of a ready template: its mail, in a frame."""

    path = "templates/ready/<str:key>"
    name = "email-template-ready"
    title = gettext_lazy("Ready template")

    def get(self, request: HttpRequest) -> HttpResponse:
        return mail_frame(request, mail=self.read(f"template/ready/{self.params['key']}").data, bare=True)


PAGES = [ChooseTemplate, ReadyTemplate]
