"""Components that the schema defines once for all operations: headers, and the responses that depend on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.plumbing import ComponentIdentity, ComponentRegistry, ResolvedComponent

from core.api.filter_tree import SCHEMAS as FILTER_SCHEMAS
from core.types import JsonObject

ERROR_NAME = "Failure"
ID_PATTERN = "^[0-9a-f]{24}$"
MOUNTS = ("/api/key/protected/", "/api/protected/")


def ref(kind: str, name: str) -> dict[str, str]:
    """Return the reference to a component."""
    return {"$ref": f"#/components/{kind}/{name}"}


def _header(name: str, description: str) -> JsonObject:
    return {"in": "header", "name": name, "description": description, "schema": {"type": "string"}}


def _failure_response(description: str, schema: Mapping[str, str], **headers: Any) -> JsonObject:
    return {"description": description, "headers": headers, "content": {"application/json": {"schema": schema}}}


FAILURE = {
    "type": "object",
    "description": "An answer of a request that failed.",
    "required": ["status", "success", "name", "message", "warning"],
    "properties": {
        "status": {"type": "string", "enum": ["fail", "error"], "description": "fail for 4xx, error for 5xx"},
        "success": {"type": "boolean", "description": "false"},
        "message": {
            "type": "string",
            "description": "the text of the error, which the operator may edit: compare `name` instead",
        },
        "name": {
            "type": "string",
            "description": "the error's name, to compare with",
            "examples": ["ContactAlreadyExists_400"],
        },
        "warning": {"type": "string", "description": "which parameter or row, and what to do"},
        "errors": {
            "type": "array",
            "items": ref("schemas", "ErrorDetail"),
            "description": "each refused field, or each problem of a workflow; absent where there is none",
        },
        "changed": ref("schemas", "Changed"),
        "stack": {"type": "string", "description": "in development mode only"},
    },
}
ERROR_DETAIL = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "field": {"type": "string", "description": "path of the field or parameter, such as handover.mode"},
        "message": {"type": "string"},
        "code": {"type": "string", "description": "kind of a workflow's problem"},
        "nodeId": {"type": ["string", "null"], "description": "node of the workflow that has the problem"},
        "edgeId": {"type": ["string", "null"], "description": "edge of the workflow that has the problem"},
        "path": {"type": ["string", "null"], "description": "setting of the node"},
    },
}
CHANGED = {
    "type": "object",
    "description": "How the record differs from the one of If-Match (status 412).",
    "required": ["fields", "by", "at", "etag"],
    "properties": {
        "fields": {"type": "array", "items": {"type": "string"}, "description": "what differs"},
        "by": {"description": "who changed it last, as the record shows it; null if nobody knows"},
        "at": {"type": ["string", "null"], "format": "date-time"},
        "etag": {"type": "string", "description": "of the record as it is now"},
    },
}
RECORD_CHANGED = {
    "allOf": [
        ref("schemas", ERROR_NAME),
        {
            "type": "object",
            "required": ["changed"],
            "properties": {"changed": ref("schemas", "Changed")},
        },
    ]
}


def _error(description: str, *headers: str) -> JsonObject:
    """Return the response of a failure that many operations have in common."""
    answer = {"description": description, "content": {"application/json": {"schema": ref("schemas", ERROR_NAME)}}}
    return {**answer, "headers": {name: HEADERS[name] for name in headers}} if headers else answer


PACE = ("RateLimit", "RateLimit-Policy")
HEADERS = {
    "RateLimit": ref("headers", "RateLimit"),
    "RateLimit-Policy": ref("headers", "RateLimitPolicy"),
    "Retry-After": ref("headers", "RetryAfter"),
}
SHARED = {
    "KeyRefused": _error("ExpiredSession_401"),
    "SessionEnded": _error("Unauthorized_401"),
    "NotAllowed": _error("UnauthorizedAction_403"),
    "TooManyRequests": _error("Too many requests at once", "Retry-After"),
    "TooFast": _error("Too many requests at once", *PACE, "Retry-After"),
    "SubscriptionExpired": _error("SubscriptionExpired_400"),
    "Unavailable": _error("The database does not answer", "Retry-After"),
}
"""Failures that many operations answer with in the same words."""
COMPONENTS: dict[str, JsonObject] = {
    "schemas": {
        ERROR_NAME: FAILURE,
        "ErrorDetail": ERROR_DETAIL,
        "Changed": CHANGED,
        "RecordChanged": RECORD_CHANGED,
        **FILTER_SCHEMAS,
    },
    "parameters": {
        "IdempotencyKey": {
            **_header(
                "Idempotency-Key",
                "Your own name for this request, unique for each. Repeated within 24 hours with the same content, the"
                " request is not done again, and gets the answer that it got.",
            ),
            "schema": {"type": "string", "minLength": 1, "maxLength": 255},
        },
        "IfMatch": _header("If-Match", "The ETag of the record that you have read; 412 if it has changed."),
        "IfNoneMatch": _header("If-None-Match", "The ETag of the record that you have: 304 if it is still that one."),
    },
    "headers": {
        "ETag": {"description": "Stands for the record as it is.", "schema": {"type": "string"}},
        "IdempotencyReplayed": {
            "description": "The request had been done before under its Idempotency-Key; this was its answer.",
            "schema": {"type": "string", "const": "true"},
        },
        "RateLimit": {
            "description": "What is left of each limit (r), and the seconds until it begins anew (t).",
            "schema": {"type": "string"},
        },
        "RateLimitPolicy": {
            "description": "The limits of requests (q) in so many seconds (w), of the caller and of the company.",
            "schema": {"type": "string"},
        },
        "RetryAfter": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    },
    "responses": {
        "NotModified": {
            "description": "The record has not changed",
            "headers": {"ETag": ref("headers", "ETag")},
        },
        "StillUnderWay": _failure_response(
            "A request with this Idempotency-Key has begun and has not ended",
            ref("schemas", ERROR_NAME),
            **{"Retry-After": ref("headers", "RetryAfter")},
        ),
        "RecordChanged": _failure_response("The record is not the one of If-Match", ref("schemas", "RecordChanged")),
        **SHARED,
    },
}


def describe(operation: JsonObject, *, path: str, method: str, action: str, reads: bool, tagged: bool) -> None:
    """Add the headers and responses that all operations of a kind have to one of them.

    `tagged`: `action` is at the address of a record with an ETag. `reads`: it changes nothing, with any method.
    """
    responses, parameters = operation["responses"], operation.setdefault("parameters", [])
    protected = path.startswith(MOUNTS)
    for status, answer in responses.items():
        if protected and (status < "300" or status == "429"):
            answer.setdefault("headers", {}).update({name: HEADERS[name] for name in PACE})
        if status in ("429", "503"):
            answer.setdefault("headers", {})["Retry-After"] = ref("headers", "RetryAfter")
    if protected and method != "GET" and not reads:
        parameters.append(ref("parameters", "IdempotencyKey"))
        for status, answer in responses.items():
            if status < "300":
                answer["headers"]["Idempotency-Replayed"] = ref("headers", "IdempotencyReplayed")
        if "409" in responses:
            responses["409"]["description"] += "; " + COMPONENTS["responses"]["StillUnderWay"]["description"]
        else:
            responses["409"] = ref("responses", "StillUnderWay")
    if tagged and action == "retrieve":
        parameters.append(ref("parameters", "IfNoneMatch"))
        responses["200"].setdefault("headers", {})["ETag"] = ref("headers", "ETag")
        responses["304"] = ref("responses", "NotModified")
    elif tagged:
        parameters.append(ref("parameters", "IfMatch"))
        responses["412"] = ref("responses", "RecordChanged")
    if not parameters:
        del operation["parameters"]
    for status, answer in responses.items():
        name = next((name for name, shared in SHARED.items() if shared == answer), None)
        if name is not None:
            responses[status] = ref("responses", name)


def share_parameters(operation: JsonObject, shared: Sequence[Any], registry: ComponentRegistry) -> None:
    """Replace parameters that many operations have in common by references to components."""
    names = {parameter.name for parameter in shared}
    for index, entry in enumerate(operation.get("parameters", ())):
        if entry["in"] == "query" and entry["name"] in names:
            kind = ResolvedComponent.PARAMETER
            component = ResolvedComponent(entry["name"], kind, entry, ComponentIdentity(entry))  # type: ignore[no-untyped-call]
            registry.register_on_missing(component)
            operation["parameters"][index] = component.ref


def add_components(result: JsonObject) -> None:
    """Add the components that `describe` refers to."""
    components = result.setdefault("components", {})
    for kind, declared in COMPONENTS.items():
        components.setdefault(kind, {}).update(declared)
