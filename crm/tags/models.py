from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.text.translation import gettext_lazy as _
from crm.records.models import NamedModel


class ContactCategory(NamedModel):
    """The kind of a contact, such as customer, supplier or press."""

    class Meta(NamedModel.Meta):
        verbose_name_plural = _("contact categories")
        constraints = [models.UniqueConstraint("company", Lower("name"), name="contactcategory_name_unique")]


class Tag(NamedModel):
    """A tag; a contact may have many."""

    class Meta(NamedModel.Meta):
        constraints = [models.UniqueConstraint("company", Lower("name"), name="tag_name_unique")]
