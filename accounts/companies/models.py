from __future__ import annotations

from django.db import models

from core.fields import NameField
from core.models import BaseModel
from core.text.translation import gettext_lazy as _


class Company(BaseModel):
    """A tenant, with the profile that outreach is written from."""

    class UniqueKey(models.TextChoices):
        EMAIL = "email"
        NUMBER = "number"
        EITHER = "either"

    name = NameField(max_length=200)
    email = models.EmailField(blank=True)
    country_code = models.CharField(max_length=5, blank=True, help_text=_("Dialling code, such as +49."))
    number = models.CharField(max_length=20, blank=True)
    website = models.URLField(blank=True)
    description = models.TextField(
        blank=True, help_text=_("Products and customers of the company, used to write outreach.")
    )
    industry = models.CharField(max_length=100, blank=True)
    address = models.CharField(max_length=300, blank=True, help_text="Street and house number.")
    postal_code = models.CharField(max_length=20, blank=True)
    city = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=10, blank=True, help_text="ISO 3166-2 code without the country, such as BY.")
    country = models.CharField(max_length=2, blank=True, help_text="ISO 3166-1 code, such as DE.")
    timezone = models.CharField(max_length=64, default="UTC", help_text=_("Name such as Europe/Berlin."))
    contact_unique_key = models.CharField(max_length=8, choices=UniqueKey, default=UniqueKey.EITHER)

    class Meta:
        verbose_name_plural = _("companies")
