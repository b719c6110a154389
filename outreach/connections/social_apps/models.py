from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, EncryptedTextField
from core.ids import new_id
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class SocialAApp(CompanyModel):
    """A company's app at the social platform, by whose user token it reads the leads of its pages."""

    name = models.CharField(max_length=200, blank=True, default="")
    app_id = models.CharField(max_length=40, help_text="The platform's id of the app.")
    app_secret = EncryptedTextField(bound_to=("app_id",), help_text="What the platform signs its webhooks with.")
    user_token = EncryptedTextField(bound_to=("app_id",), help_text="Long-lived; the tokens of pages come from it.")
    token_expires_at = models.DateTimeField(null=True, help_text="Empty: it does not expire, or nobody has said when.")
    is_active = models.BooleanField(default=True)
    verified = models.BooleanField(default=False, help_text="What the last test, or the last lead, found.")
    last_error = models.TextField(blank=True, default="")
    last_error_at = models.DateTimeField(null=True)
    hook_salt = models.CharField(
        max_length=24, default=new_id, editable=False, help_text="What the address of its webhook is derived from."
    )
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("social app")
        indexes = [models.Index(fields=("company", "created_at", "id"), name="socialaapp_newest")]

    def __str__(self) -> str:
        return self.name or self.app_id


class SocialPage(CompanyModel):
    """A page at the social platform, with the token that its leads are read by."""

    app = CompanyForeignKey(SocialAApp, on_delete=models.CASCADE, related_name="pages", db_index=False)
    page_id = models.CharField(max_length=40)
    name = models.CharField(max_length=200, blank=True, default="")
    token = EncryptedTextField(bound_to=("page_id",))
    subscribed_at = models.DateTimeField(null=True, help_text="Since when the platform tells of its leads.")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "app", "page_id"), name="socialpage_once")]

    def __str__(self) -> str:
        return self.name or self.page_id
