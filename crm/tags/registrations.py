"""The registrations of tags and contact categories."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from crm.tags.models import ContactCategory, Tag
from crm.tags.views import ContactCategoryViewSet, TagViewSet

protected.register("contact-category", ContactCategoryViewSet)
protected.register("tag", TagViewSet)
count_usage("contact-category", ContactCategory.objects.all)
count_usage("tag", Tag.objects.all)
