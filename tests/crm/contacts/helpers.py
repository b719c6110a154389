"""Values that tests of contacts need again and again."""

from __future__ import annotations

from typing import Any

from crm.models import CustomField


def form(n: int, **values: Any) -> dict[str, Any]:
    """Return the required system values of the nth contact, and more."""
    return {"email": f"ann{n}@example.com", "countryCode": "+49", "number": f"170{1000000 + n}", **values}


def add_field(key: str, field_type: str = "text", value_type: str = "string", **values: Any) -> CustomField:
    """Create a custom field of contacts whose name and uniqueFieldID are the key; options are given by their values."""
    options = [{"label": value, "description": "", "value": value} for value in values.pop("options", [])]
    return CustomField.objects.create(
        name=key, unique_field_id=key, field_type=field_type, value_type=value_type, options=options, **values
    )
