from __future__ import annotations

from django.db import models

from core.fields import JSONField
from core.models import BaseModel, CompanyModel


class Company(BaseModel):
    """A tenant, with the profile that outreach is written from."""

    class UniqueKey(models.TextChoices):
        EMAIL = "email"
        NUMBER = "number"
        EITHER = "either"

    name = models.CharField(max_length=200)
    email = models.EmailField(blank=True)
    country_code = models.CharField(max_length=5, blank=True, help_text="Dial prefix, such as +49.")
    number = models.CharField(max_length=20, blank=True)
    website = models.URLField(blank=True)
    description = models.TextField(blank=True, help_text="What the company does and for whom; outreach is written from it.")
    industry = models.CharField(max_length=100, blank=True)
    address = models.CharField(max_length=300, blank=True, help_text="Street and house number.")
    postal_code = models.CharField(max_length=20, blank=True)
    city = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=10, blank=True, help_text="ISO 3166-2 code without the country, such as BY.")
    country = models.CharField(max_length=2, blank=True, help_text="ISO 3166-1 code, such as DE.")
    timezone = models.CharField(max_length=64, default="UTC", help_text="IANA name, such as Europe/Berlin.")
    contact_unique_key = models.CharField(max_length=8, choices=UniqueKey, default=UniqueKey.EITHER)

    class Meta:
        verbose_name_plural = "companies"


class CompanySettings(CompanyModel):
    """How a company's product looks and behaves; the time zone is the company's own."""

    class DateFormat(models.TextChoices):
        DAY_FIRST = "dd/mm/yyyy"
        MONTH_FIRST = "mm/dd/yyyy"
        ISO = "yyyy-mm-dd"
        DOTS = "dd.mm.yyyy"
        DASHES = "dd-mm-yyyy"
        WORDS = "d mmm yyyy"

    class TimeFormat(models.TextChoices):
        HOURS_24 = "HH:mm"
        HOURS_12 = "hh:mm a"

    currency = models.CharField(max_length=3, default="USD", help_text="ISO 4217 code.")
    date_format = models.CharField(max_length=10, choices=DateFormat, default=DateFormat.DAY_FIRST)
    time_format = models.CharField(max_length=7, choices=TimeFormat, default=TimeFormat.HOURS_24)
    app_name = models.CharField(max_length=100, blank=True, help_text="What mails and pages call the product; empty: the company's name.")
    app_description = models.CharField(max_length=300, blank=True)
    app_version = models.CharField(max_length=40, blank=True)
    links = JSONField(default=dict, blank=True, help_text="Network -> address of the company's page there.")
    notification_settings = JSONField(default=dict, blank=True, help_text="Notice -> how it is sent; one that is absent has its default.")
    mobile_background = JSONField(default=dict, blank=True)
    team_settings = JSONField(default=dict, blank=True, help_text="How leads are dealt out.")
    subscription_policies = JSONField(default=dict, blank=True)
    manual_chatbot = JSONField(default=dict, blank=True, help_text="Defaults of new chatbots.")

    class Meta(CompanyModel.Meta):
        verbose_name_plural = "company settings"
        constraints = [models.UniqueConstraint(fields=("company",), name="companysettings_once")]
