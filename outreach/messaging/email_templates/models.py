from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel


class EmailTemplate(CompanyModel):
    """A mail that a company has written once, with {{variables}} in subject and body (see rendering.py)."""

    name = models.CharField(max_length=200)
    category = models.CharField(max_length=100, blank=True, default="")
    subject = models.CharField(max_length=200)
    body = models.TextField(help_text="MJML, HTML, or plain text.")
    html = models.TextField(
        editable=False, db_default="", default="", help_text="The body as it is sent, but for its values."
    )
    text = models.TextField(editable=False, db_default="", default="", help_text="Its words.")
    links = JSONField(
        editable=False,
        default=list,
        db_default=models.Value([], output_field=JSONField()),
        help_text="The addresses that it links to.",
    )
    design = JSONField(
        null=True, blank=True, editable=False, help_text="The blocks that the body is made of; empty: it is written."
    )
    variables = JSONField(default=list, blank=True, help_text="name, required, dateType of each.")
    attachments = JSONField(
        default=list,
        blank=True,
        db_default=models.Value([], output_field=JSONField()),
        help_text="Ids of the files that go with the mail.",
    )
    version = models.PositiveIntegerField(editable=False, db_default=1, default=1)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint("company", Lower("name"), name="emailtemplate_name_unique")]
        indexes = [models.Index(fields=("company", "created_at", "id"), name="emailtemplate_newest")]

    def __str__(self) -> str:
        return self.name


class EmailTemplateVersion(CompanyModel):
    """A version of a template: its subject, body and design from one change to the next."""

    template = CompanyForeignKey(EmailTemplate, on_delete=models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    subject = models.CharField(max_length=200)
    body = models.TextField()
    design = JSONField(null=True, blank=True)
    variables = JSONField(default=list)
    attachments = JSONField(
        default=list,
        blank=True,
        db_default=models.Value([], output_field=JSONField()),
        help_text="Ids of the files that go with the mail.",
    )
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "template", "number"), name="emailtemplateversion_once")
        ]

    def __str__(self) -> str:
        return f"{self.template}, version {self.number}"
