"""The answer to OPTIONS: DRF's, without fields of serializers."""

from __future__ import annotations

from typing import Any

from rest_framework.metadata import SimpleMetadata
from rest_framework.request import Request


class ResourceMetadata(SimpleMetadata):
    """Name, description and media types. The fields of each body are in the OpenAPI schema."""

    def determine_actions(self, request: Request, view: Any) -> dict[str, Any]:
        # DRF would ask for the one serializer of the view, and for the record, of which a resource here has neither.
        return {}
