"""Back office pages of merges and of dismissed duplicates."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import register_panel, render_table
from core.text.translation import gettext_lazy as _
from crm.merging.models import DuplicateDismissal, Merge
from crm.records.types import kind_of


def _merged_model(record: Any) -> Any:
    """Return the model of the records that a merge or a dismissal is about."""
    return kind_of(record.panel).model


@admin.register(Merge)
class MergeAdmin(CompanyRecordAdmin):
    """Merges, read-only: the API undoes them together with journal and records."""

    icon = "merge"
    list_display = ("winner_id", "company", "panel", "created_by", "undo_until", "undone_at", "created_at")
    list_filter = (BY_COMPANY, "panel")
    search_fields = ("=id", "=winner_id")
    search_help_text = _("Id of the merge or the kept record")
    hides = ("moved", "choices")
    refers: ClassVar[Any] = {"winner_id": _merged_model, "loser_ids": _merged_model}


@register_panel(Merge, _("Moved references"))
def _moved_table(merge: Merge) -> SafeString:
    rows = [(reference, sum(map(len, by_loser.values()))) for reference, by_loser in sorted(merge.moved.items())]
    return render_table((_("Reference"), _("Rows")), rows, empty=_("No references moved."))


@admin.register(DuplicateDismissal)
class DuplicateDismissalAdmin(CompanyRecordAdmin):
    """Pairs of records that a member has marked as different."""

    icon = "difference"
    operators_only = True
    list_display = ("first_id", "second_id", "company", "panel", "created_by", "created_at")
    list_filter = (BY_COMPANY, "panel")
    search_fields = ("=id", "=first_id", "=second_id")
    refers: ClassVar[Any] = {"first_id": _merged_model, "second_id": _merged_model}
