"""Labels of the targets that columns of an import go to."""

from __future__ import annotations

from core.text.labels.lead_places import PLACE_LABELS
from core.text.translation import gettext_lazy

CONTACT_TARGETS = {
    "name": gettext_lazy("Full name"),
    "firstName": gettext_lazy("First name"),
    "lastName": gettext_lazy("Last name"),
    "email": gettext_lazy("Email"),
    "countryCode": gettext_lazy("Country code"),
    "areaCode": gettext_lazy("Area code"),
    "number": gettext_lazy("Phone number"),
    "tags": gettext_lazy("Tags"),
    "category": gettext_lazy("Category"),
    "organization": gettext_lazy("Organization (company)"),
    "owner": gettext_lazy("Owner"),
    "_id": gettext_lazy("Record ID (from an export)"),
}
LEAD_TARGETS = {
    **{name: label for name, label in CONTACT_TARGETS.items() if name != "owner"},
    "pipeline": gettext_lazy("Pipeline"),
    **PLACE_LABELS,
    "status": gettext_lazy("Status"),
    "source": gettext_lazy("Source"),
    "value": gettext_lazy("Value"),
    "notes": gettext_lazy("Notes"),
    "productServices": gettext_lazy("Products"),
    "team": gettext_lazy("Team"),
    "teamMember": gettext_lazy("Team member"),
}
ORGANIZATION_TARGETS = {
    "name": gettext_lazy("Name"),
    "domain": gettext_lazy("Domain"),
    "owner": gettext_lazy("Owner"),
    "tags": gettext_lazy("Tags"),
    "_id": gettext_lazy("Record ID (from an export)"),
}
TARGETS = {"contact": CONTACT_TARGETS, "lead": LEAD_TARGETS, "organization": ORGANIZATION_TARGETS}
"""Type of an import -> target of a column -> its label."""
