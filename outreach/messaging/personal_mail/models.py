from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from outreach.connections.senders.models import Sender


class PersonalMail(CompanyModel):
    """A mail that a member writes to one person: a draft until a message (SendJob) is made of it."""

    contact = CompanyForeignKey("crm.Contact", on_delete=models.CASCADE, related_name="+")
    lead = CompanyForeignKey(
        "crm.Lead",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The lead it was written from; empty: the contact.",
    )
    smtp = CompanyForeignKey("outreach.Smtp", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    mail_app = CompanyForeignKey(
        "outreach.MailApp", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    template = CompanyForeignKey(
        "outreach.EmailTemplate",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The template whose words it began with.",
    )
    answers_mail = CompanyForeignKey(
        "outreach.InboundMessage",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The received mail whose thread it continues.",
    )
    answers_message = CompanyForeignKey(
        "outreach.SendJob",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The sent message whose thread it continues.",
    )
    key = models.CharField(
        max_length=64,
        null=True,
        editable=False,
        db_collation="C",
        help_text="The writer's own name of it, by which repeated requests find it.",
    )
    subject = models.CharField(max_length=200, blank=True, default="")
    text = models.TextField(blank=True, default="", help_text="Plain text; empty where there is HTML.")
    html = models.TextField(blank=True, default="", help_text="HTML or MJML, as it was written.")
    signature = models.TextField(blank=True, default="", help_text="Plain text or HTML below the words.")
    attachments = JSONField(default=list, blank=True, help_text="Ids of the files that go with it.")
    send_at = models.DateTimeField(null=True, blank=True, help_text="Not before; empty: at once.")
    send_job = CompanyForeignKey(
        "outreach.SendJob",
        on_delete=models.CASCADE,
        null=True,
        related_name="personal_mails",
        help_text="The message that was made of it; empty: it is a draft.",
    )
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = "member's email"
        indexes = [
            models.Index(fields=("company", "updated_at", "id"), name="personalmail_newest"),
            models.Index(fields=("company", "created_at", "id"), name="personalmail_created"),
        ]
        constraints = [models.UniqueConstraint(fields=("company", "key"), name="personalmail_key")]

    def __str__(self) -> str:
        return self.subject or self.dated_title()

    @property
    def sender(self) -> Sender | None:
        """Return its sender, of any kind."""
        sender: Sender | None = self.smtp or self.mail_app
        return sender

    @property
    def body(self) -> str:
        """Return its words as they were written: HTML, MJML or plain text."""
        return self.html or self.text
