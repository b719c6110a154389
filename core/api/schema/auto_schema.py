"""The OpenAPI schema, built from the endpoint declarations: envelope, errors, authentication and permissions.

Private parts of drf-spectacular 0.30.0: the steps of AutoSchema that read serializers, of which views have none.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from typing import Any, Literal, cast

from drf_spectacular.openapi import AutoSchema

from core.access import OWNERS_ONLY, limit_errors
from core.api.endpoint import Endpoint
from core.api.etags import WRITES
from core.api.fields import FIELDS
from core.api.input import FormInput, Input
from core.api.output import Computed, Output
from core.api.schema.envelopes import envelope_name, envelope_schema, register_envelope
from core.api.schema.parts import ERROR_NAME, ID_PATTERN, add_components, describe, share_parameters
from core.lists import LIST_PARAMETERS
from core.messages.defaults import DEFAULTS
from core.types import JsonObject

LISTED = "Takes the parameters of lists: pages or a cursor, sorting, search and filters."
"""The description of a list that has none of its own."""
BASES = (Input, FormInput, Output)
"""Classes whose docstrings are for programmers of the service."""


class Schema(AutoSchema):
    """Describes operations by their Endpoint declarations. Views need no further decoration."""

    view: Any

    @property
    def declared(self) -> Endpoint:
        return self.view.declaration()  # type: ignore[no-any-return]

    def _get_serializer(self) -> None:
        """Return None: views have no serializer, each operation declares its input and output."""

    def get_operation_id(self) -> str:
        auth_path, _, path = self.path.removeprefix("/api/").partition("/")
        if auth_path == "key":
            path = path.removeprefix("protected").lstrip("/")
        elif auth_path == "protected":
            auth_path = "session"
        parts = [word for word in re.split(r"[/{}_-]+", path) if word]
        return "_".join([auth_path, self.method.lower(), *parts])

    def get_operation(self, path: str, *args: Any, **kwargs: Any) -> JsonObject | None:
        operation = super().get_operation(path, *args, **kwargs)
        if operation is not None:
            operation.setdefault("security", [])
            share_parameters(operation, self._list_parameters(), self.registry)
            action = str(self.view.action)
            describe(
                operation,
                path=path,
                method=self.method,
                action=action,
                reads=self.declared.many,
                tagged=action in ("retrieve", *WRITES) and self.view.has_etag,
            )
        return operation

    def get_tags(self) -> list[str]:
        path = re.sub(r"^/api/(key/protected|protected|private|public)/", "", self.path)
        return [path.partition("/")[0]]

    def get_summary(self) -> str:
        return self.declared.summary

    def get_description(self) -> str:  # type: ignore[override]
        parts = [self.declared.description or (LISTED if self.declared.many else "")]
        modules = self.view.modules_of(self.declared)
        if self.declared.any_member:
            parts.append(f"No permission is needed for what is one's own; `{modules[0]}.GET` shows more.")
        elif modules[0] and "/api/protected/" in self.path:
            flag = self.declared.permission or {"PATCH": "PUT"}.get(self.method, self.method)
            parts.append(f"Permission: {' or '.join(f'`{module}.{flag}`' for module in modules)}.")
        if modules[0] in OWNERS_ONLY and "/api/key/" in self.path:
            parts.append("Closed to keys whose maker is no owner.")
        if self.declared.quota_module and "/api/protected/" in self.path:
            parts.append(f"Counts against the plan's limit of `{self.declared.quota_module}`.")
        if self.declared.undoable and self.declared.bulk:
            parts.append(
                "When more than 1,000 are selected, by ids or by selectAll, a worker does it: the counts are null, and"
                " bulkJob is the job (GET /bulk-job/:id)."
            )
        if self.declared.errors:
            parts.append("Errors: " + ", ".join(f"`{name}`" for name in self.declared.errors) + ".")
        return "\n\n".join(filter(None, parts))

    def get_override_parameters(self) -> list[Any]:
        return [*self.declared.parameters, *self._list_parameters()]

    def _list_parameters(self) -> list[Any]:
        """Return what the operation takes of the parameters that lists and records have in common."""
        if self.view.action == "retrieve" and self.view.has_etag:
            return [FIELDS]
        if not (self.declared.many or self.declared.bulk):
            return []
        selecting = ("searchBy", "searchValue", "filters", "advancedFilters", "ids", "nids")
        names = self.declared.list_parameters if self.declared.many else selecting
        parameters = [parameter for parameter in LIST_PARAMETERS if names is None or parameter.name in names]
        return [*parameters, FIELDS] if self.declared.many and names is None else parameters

    def _resolve_path_parameters(self, variables: list[str]) -> list[JsonObject]:
        schemas = {
            name: {"type": "string", "pattern": ID_PATTERN} if name.lower().endswith("id") else {"type": "string"}
            for name in variables
        }
        return [{"in": "path", "name": name, "required": True, "schema": schema} for name, schema in schemas.items()]

    def _get_request_body(self, direction: Literal["request", "response"] = "request") -> JsonObject | None:
        declared = self.declared
        if declared.input is None:
            return None
        component = self.resolve_serializer(declared.input, direction)
        media = "multipart/form-data" if declared.multipart else "application/json"
        required = any(field.required for field in declared.input().fields.values())
        body: JsonObject = {"content": {media: {"schema": component.ref}}}
        return {**body, "required": True} if required else body

    def _get_response_bodies(self, direction: str = "response") -> JsonObject:
        declared = self.declared
        bodies: JsonObject = {str(declared.default[0]): self._success(declared)}
        for name in declared.other_successes:
            bodies.setdefault(str(DEFAULTS[name][0]), self._success(replace(declared, success=name)))
        statuses: dict[int, list[str]] = {}
        for name in declared.errors:
            statuses.setdefault(DEFAULTS[name][0], []).append(name)
        statuses.setdefault(400, [])
        if self.view.authentication_classes:
            statuses.setdefault(401, []).append("ExpiredSession_401" if "/key/" in self.path else "Unauthorized_401")
        if "protected" in self.path and declared.needs_subscription:
            statuses.setdefault(500, []).append("SubscriptionExpired_400")
        if "protected" in self.path:
            statuses.setdefault(403, []).append("UnauthorizedAction_403")
        if self.path.startswith("/api/protected/"):
            for name in limit_errors(declared.quota_module):
                statuses.setdefault(DEFAULTS[name][0], []).append(name)
        if declared.limited:
            statuses.setdefault(429, []).append("Too many attempts")
        statuses.setdefault(429, []).append("Too many requests at once")
        statuses.setdefault(503, []).append("The database does not answer")
        for status, names in sorted(statuses.items()):
            text = ", ".join(dict.fromkeys(names)) or "Validation failure"
            bodies[str(status)] = {"description": text, "content": self._failure(declared)}
        return bodies | self.further_responses()

    def further_responses(self) -> JsonObject:
        """Return responses (status -> response) that no declaration of an endpoint describes."""
        return {}

    @staticmethod
    def _failure(declared: Endpoint) -> JsonObject:
        content: JsonObject = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ERROR_NAME}"}}}
        if declared.raw == "text/html":
            content[declared.raw] = {"schema": {"type": "string"}}  # a page has its own text
        return content

    def _success(self, declared: Endpoint) -> JsonObject:
        if declared.raw:
            content = {
                media.strip(): {"schema": {"type": "string", "format": "binary"}} for media in declared.raw.split(",")
            }
            return {"description": "The content", "content": content}
        name = envelope_name(declared, self._output_name(declared))
        schema = register_envelope(self.registry, name, envelope_schema(declared, self._data(declared)))
        answers: JsonObject = {"application/json": {"schema": schema}}
        if declared.download_type:
            answers[declared.download_type] = {"schema": {"type": "string", "format": "binary"}}
        return {"description": declared.default[1], "content": answers}

    def _output_name(self, declared: Endpoint) -> str:
        return "" if declared.output is None else self._get_serializer_name(declared.output(), "response")

    def _data(self, declared: Endpoint) -> JsonObject:
        """Return the schema of `data`, or of each of its records."""
        if declared.output is None:
            return {"description": "null"}  # openapi-generator has no type for a constant null
        return cast("JsonObject", self.resolve_serializer(declared.output, "response").ref)

    def _map_serializer_field(self, field: Any, direction: str, bypass_extensions: bool = False) -> Any:
        if isinstance(field, Computed):
            return cast(Any, super())._map_serializer_field(field.schema, direction, bypass_extensions)
        schema = cast(Any, super())._map_serializer_field(field, direction, bypass_extensions)
        schema.pop("title", None)
        if {} in schema.get("oneOf", ()):
            del schema["oneOf"]  # anything, null included
        if isinstance(field, Output):
            return {"oneOf": [schema, {"type": "null"}]}
        return schema

    def _map_basic_serializer(self, serializer: Any, direction: str) -> Any:
        schema = cast(Any, super())._map_basic_serializer(serializer, direction)
        if description := published_docstring(type(serializer)):
            schema["description"] = description
        else:
            schema.pop("description", None)
        if isinstance(serializer, Output):
            fields = serializer.fields.items()
            required = serializer.always or (name for name, field in fields if field.required or field.read_only)
            schema["required"] = sorted(required)
        else:
            schema["additionalProperties"] = False
        return schema


def published_docstring(serializer: type) -> str:
    """Return the docstring of the class, or of the nearest base that is not one of all serializers."""
    for base in serializer.__mro__:
        if base in BASES:
            break
        if base.__doc__ and "__doc__" in base.__dict__:
            return inspect.cleandoc(base.__doc__).replace("\n", " ")
    return ""


def complete(result: JsonObject, generator: Any, request: Any, public: bool) -> JsonObject:
    """Add the shared components, and remove marks of the generator's own (drf-spectacular's hook)."""
    add_components(result)
    _remove_marks(result)
    return result


def _remove_marks(part: Any) -> None:
    if isinstance(part, dict):
        part.pop("x-spec-enum-id", None)
        for inner in part.values():
            _remove_marks(inner)
    elif isinstance(part, list):
        for inner in part:
            _remove_marks(inner)


__all__ = ["Schema", "complete"]
