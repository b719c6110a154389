"""The registrations of tags and contact categories."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from crm.tags.filters import NAMED_MODEL_FIELDS
from crm.tags.models import ContactCategory, Tag
from crm.tags.views import ContactCategoryViewSet, TagViewSet

protected.register("contact-category", ContactCategoryViewSet)
protected.register("tag", TagViewSet)
count_usage("contact-category", ContactCategory.objects.all)
count_usage("tag", Tag.objects.all)
register_kind(
    Kind("tag", "tag", lambda actor: Tag.objects.all(), NAMED_MODEL_FIELDS.pick("name"), "name", "description", 61)
)
register_kind(
    Kind(
        "contact-category",
        "contact-category",
        lambda actor: ContactCategory.objects.all(),
        NAMED_MODEL_FIELDS.pick("name"),
        "name",
        "description",
        62,
    )
)
