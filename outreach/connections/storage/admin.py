"""Back office pages of buckets."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.errors import NamedError
from core.text.translation import gettext_lazy as _
from crm.files.models import Bucket
from outreach.connections.storage.services import check_bucket


@admin.register(Bucket)
class BucketAdmin(CompanyRecordAdmin):
    """Buckets that companies have connected. Only their company changes where they are, and their keys."""

    icon = "database"
    edits = ("is_active",)
    hides = ("accesskey", "secretkey")
    commands = ("test",)
    list_display = ("name", "company", "region", "endpoint", "verified", "is_active", "is_default", "last_error")
    list_filter = (BY_COMPANY, "verified", "is_active")
    search_fields = ("=id", "name", "endpoint")

    @admin.display(description=_("Test the bucket"))
    def test(self, request: HttpRequest, rows: QuerySet[Bucket]) -> None:
        def check_one(bucket: Bucket) -> None:
            check = check_bucket(id=bucket.pk)
            if not check.ok:
                raise NamedError("InvalidCredentials_400", check.detail)

        self.each(request, rows[:10], check_one, _("Test file written"), atomic=False)
