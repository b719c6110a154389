"""The registrations of tags and contact categories."""

from __future__ import annotations

from core.access import count_usage
from crm.tags.models import ContactCategory, Tag

count_usage("contact-category", ContactCategory.objects.all)
count_usage("tag", Tag.objects.all)
