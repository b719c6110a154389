"""Back office pages of the service's own mails."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import ngettext
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.mails.models import Mail
from accounts.mails.services import send_again
from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin
from core.backoffice.dialogs import has_status
from core.text.translation import gettext_lazy as _


@admin.register(Mail)
class MailAdmin(BackOfficeAdmin):
    """Mails to people, with the errors of failed ones. Their text is not shown: links in it open accounts."""

    icon = "mail"
    list_display = ("kind", "to", "company", "status", "attempts", "created_at", "due_at", "sent_at", "error_line")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "to", "kind")
    search_help_text = _("Email address, kind or id")
    commands = ("again",)
    when: ClassVar[Any] = {"again": has_status(Mail.Status.FAILED)}

    @admin.display(description=_("error"))
    def error_line(self, mail: Mail) -> str:
        return mail.error[:100]

    @admin.display(description=_("Send again"))
    def again(self, request: HttpRequest, rows: QuerySet[Mail]) -> None:
        done = 0
        for mail in rows:
            if send_again(mail_id=mail.pk):
                self.log_change(request, mail, _("Queued to send again."))
                done += 1
        if done:
            self.message_user(
                request,
                ngettext("%(number)s email will be sent again.", "%(number)s emails will be sent again.", done)
                % {"number": done},
                messages.SUCCESS,
            )
        else:
            self.message_user(request, _("Choose failed emails to send again."), messages.WARNING)
