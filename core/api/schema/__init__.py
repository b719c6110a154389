"""The OpenAPI schema of the API, built from the declarations of its operations."""

from core.api.schema.auto_schema import Schema, complete

__all__ = ["Schema", "complete"]
