from __future__ import annotations

from django.db import models

from core.access import AuthPath
from core.fields import CompanyForeignKey, ObjectIdField
from core.models import BaseModel, MaybeCompanyRow
from core.tenancy.models import SeenByMember
from core.text.translation import gettext_lazy as _


class ServerLog(BaseModel, MaybeCompanyRow):
    """A request to the API: caller, authentication path, request and result; `created_at` is the time of arrival.

    It outlives the user and the key that it names. accounts.request_log.recorder writes the rows.
    """

    seen_by = SeenByMember("member_id = {member}", checked=False)

    auth_path = models.CharField(
        max_length=8, choices=[(path.value, path.value) for path in AuthPath], blank=True, db_column="door"
    )
    member = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    user = models.ForeignKey(
        "accounts.User", on_delete=models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="+"
    )
    api_key_id = ObjectIdField(null=True)
    method = models.CharField(max_length=8)
    route = models.CharField(
        max_length=200, help_text="Without the prefix, with its parameters' names; empty: unknown."
    )
    path = models.CharField(max_length=500, help_text="With the ids that were asked for, without the query string.")
    status = models.PositiveSmallIntegerField()
    duration_ms = models.FloatField(help_text="Until the last byte of the answer.")
    request_bytes = models.PositiveBigIntegerField(default=0)
    response_bytes = models.PositiveBigIntegerField(default=0)
    ip = models.GenericIPAddressField(null=True)
    user_agent = models.CharField(max_length=300, blank=True)

    class Meta(MaybeCompanyRow.Meta):
        verbose_name = _("API request")
        indexes = [models.Index(fields=("company", "-created_at", "-id"), name="serverlog_newest")]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"
