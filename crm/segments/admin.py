from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.paginator import EXACT, capped_count
from core.backoffice.panels import register_panel, render_figures
from core.backoffice.references import register_event_kind, register_references
from core.backoffice.values import Names, json_rendering, plain_text
from core.text.translation import gettext_lazy as _
from core.web.words.filter_words import filter_text
from crm.segments.models import Segment, SegmentMember, SegmentRecord


@admin.register(Segment)
class SegmentAdmin(CompanyRecordAdmin):
    """Segments, read-only: the API checks their filters against the company's fields."""

    icon = "filter_alt"
    finds = True
    list_display = ("name", "company", "panel", "kind", "description", "created_at")
    list_filter = (BY_COMPANY, ("panel", ChoicesDropdownFilter), ("kind", ChoicesDropdownFilter))
    search_fields = ("=id", "name")


@register_panel(Segment, _("Records"))
def _records(segment: Segment) -> SafeString:
    if segment.kind == Segment.Kind.DYNAMIC:
        rows = [(_("Members"), _("Found by the filters"))]
        if segment.watched_since is not None:
            inside = capped_count(SegmentMember.objects.filter(segment=segment))
            rows.append(
                (
                    _("Watched members"),
                    f"{inside:,}" if inside <= EXACT else _("more than %(number)s") % {"number": f"{EXACT:,}"},
                )
            )
        return render_figures(rows)
    number = capped_count(SegmentRecord.objects.filter(segment=segment))
    return render_figures(
        [
            (
                _("Chosen records"),
                f"{number:,}" if number <= EXACT else _("more than %(number)s") % {"number": f"{EXACT:,}"},
            )
        ]
    )


register_references(Segment, "segment", "segments")
register_event_kind(Segment, "segment")


@json_rendering.connect
def _conditions(value: Any, names: Names) -> str | None:
    """Return a tree of conditions as text; None for other values and an empty tree."""
    is_tree = isinstance(value, Mapping) and isinstance(value.get("conditions"), list) and "operator" in value
    if not is_tree or not value["conditions"]:
        return None
    plain = {id: plain_text(link) for id, link in names.items()}
    try:
        return filter_text(value, {}, plain).removeprefix("(").removesuffix(")")
    except (KeyError, TypeError, AttributeError):
        return None
