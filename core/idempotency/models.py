"""The answers to requests with an Idempotency-Key."""

from __future__ import annotations

from django.db import models

from core.fields import EncryptedTextField, ObjectIdField
from core.tenancy.models import CompanyModel
from core.text.translation import gettext_lazy as _


class IdempotencyKey(CompanyModel):
    """A request that a caller may repeat, and its answer. It is kept for a day after `created_at`."""

    caller = ObjectIdField(help_text="The API key or the member that has sent it.")
    key = models.CharField(max_length=255, help_text="The header's value.")
    request = models.CharField(max_length=64, help_text="SHA-256 of the method, the path, the query and the body.")
    operation = models.CharField(max_length=300, help_text="The method and the path.")
    status = models.PositiveSmallIntegerField(
        null=True, help_text="The answer's; empty: the request is under way, or was cut off."
    )
    answer = EncryptedTextField(blank=True, help_text="The body, compressed. Too long a one is not kept.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("stored request")
        # The caller belongs to the key: two members may choose the same one.
        constraints = [models.UniqueConstraint(fields=("company", "caller", "key"), name="idempotencykey_once")]

    def __str__(self) -> str:
        return self.operation
