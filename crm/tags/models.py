from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from crm.records.models import Named


class ContactCategory(Named):
    """What kind of contact somebody is: customer, supplier, press."""

    class Meta(Named.Meta):
        verbose_name_plural = "contact categories"
        constraints = [models.UniqueConstraint("company", Lower("name"), name="contactcategory_name_unique")]


class Tag(Named):
    """A free label; a contact may have many."""

    class Meta(Named.Meta):
        constraints = [models.UniqueConstraint("company", Lower("name"), name="tag_name_unique")]
