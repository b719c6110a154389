from __future__ import annotations

from django.db import models

from core.fields import EncryptedTextField
from core.models import Claimable, ClaimPolicy, MaybeCompanyRow
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class Mail(Claimable, MaybeCompanyRow):
    """A mail of the service itself (an invite, a password link, a notice). Its content is deleted once it is sent.

    A worker that dies after the server accepted the mail sends it again: these mails may arrive twice and must never be
    lost.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"

    claim_policy = ClaimPolicy(ready="queued", claimed="sending", orphans={"sending": "queued"})

    kind = models.CharField(max_length=64, help_text="The template's name.")
    to = models.EmailField(max_length=254)
    subject = models.CharField(max_length=300)
    text = EncryptedTextField(blank=True)
    html = EncryptedTextField(blank=True)
    calendar = EncryptedTextField(null=True, blank=True, help_text="The iCalendar file that goes with it.")
    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED)
    sent_at = models.DateTimeField(null=True)

    class Meta(MaybeCompanyRow.Meta):
        verbose_name = _("account email")
        indexes = [
            models.Index(fields=("due_at", "id"), condition=models.Q(status="queued"), name="mail_due"),
            models.Index(fields=("status",), condition=models.Q(status="sending"), name="mail_sending"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.kind)} to {self.to}"
