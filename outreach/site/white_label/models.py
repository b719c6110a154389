from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class BrandImage(CompanyModel):
    """A picture of a company's brand, re-encoded from the upload. It never changes, and is public."""

    class Kind(models.TextChoices):
        LOGO = "logo"
        FAVICON = "favicon"

    kind = models.CharField(max_length=8, choices=Kind)
    content = models.BinaryField(help_text="PNG.")
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()

    class Meta(CompanyModel.Meta):
        verbose_name = _("brand image")
        indexes = [models.Index(fields=("company", "kind", "id"), name="brandimage_of_company")]

    def __str__(self) -> str:
        return self.dated_title()


class WhiteLabel(CompanyModel):
    """A company's own brand on its pages and mails. What is empty is the service's."""

    product_name = models.CharField(max_length=60, blank=True, default="")
    accent = models.CharField(max_length=7, blank=True, default="", help_text="Colour of links and buttons, by light.")
    accent_dark = models.CharField(
        max_length=7, blank=True, default="", help_text="The same by dark; empty: made of it."
    )
    sender_name = models.CharField(
        max_length=60, blank=True, default="", help_text="Who mails of the service are from."
    )
    logo = CompanyForeignKey(BrandImage, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    favicon = CompanyForeignKey(BrandImage, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    domain = CompanyForeignKey(
        "outreach.DomainTracking",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Host of the pages.",
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("brand")
        verbose_name_plural = _("branding")
        constraints = [models.UniqueConstraint(fields=("company",), name="whitelabel_once")]

    def __str__(self) -> str:
        return self.product_name or self.dated_title()
