"""Values that tests of organizations need again and again."""

from __future__ import annotations

from typing import Any

from core.messages.defaults import DEFAULTS
from core.models import Event
from tests.kit.cast import Answer, Cast


def organization(cast: Cast, name: str = "Acme", *, beside: dict[str, Any] | None = None, **values: Any) -> Any:
    """Create an organization, and return it as the API answers it."""
    answer = cast.key.post("/organization", {"formData": {"name": name, **values}, **(beside or {})})
    assert answer.status == 201, answer.body
    return answer.data


def events(cast: Cast, resource: str = "organization") -> list[tuple[str, str, Any]]:
    """Return the events of the resource: kind, object and payload."""
    with cast.scope():
        rows = Event.objects.filter(kind__startswith=f"{resource}.").order_by("id")
        return list(rows.values_list("kind", "object_id", "payload"))


def says(answer: Answer, name: str) -> bool:
    """Return whether the answer has the status and the text of the message."""
    return (answer.status, answer.body["message"]) == DEFAULTS[name]
