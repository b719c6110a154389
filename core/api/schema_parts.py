"""Components that the schema defines once for all operations: headers, and the responses that depend on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ERROR_NAME = "Failure"
ID_PATTERN = "^[0-9a-f]{24}$"
MOUNTS = ("/api/key/protected/", "/api/protected/")


def ref(kind: str, name: str) -> dict[str, str]:
    """Return the reference to a component."""
    return {"$ref": f"#/components/{kind}/{name}"}


def _header(name: str, description: str) -> dict[str, Any]:
    return {"in": "header", "name": name, "description": description, "schema": {"type": "string"}}


def _failing(description: str, schema: Mapping[str, str], **headers: Any) -> dict[str, Any]:
    return {"description": description, "headers": headers, "content": {"application/json": {"schema": schema}}}


RECORD_CHANGED = {
    "allOf": [
        ref("schemas", ERROR_NAME),
        {
            "type": "object",
            "required": ["changed"],
            "properties": {
                "changed": {
                    "type": "object",
                    "required": ["fields", "by", "at", "etag"],
                    "properties": {
                        "fields": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "what differs",
                        },
                        "by": {"description": "who changed it last, as the record shows it; null if nobody knows"},
                        "at": {"type": ["string", "null"], "format": "date-time"},
                        "etag": {"type": "string", "description": "of the record as it is now"},
                    },
                }
            },
        },
    ]
}
COMPONENTS: dict[str, dict[str, Any]] = {
    "schemas": {"RecordChanged": RECORD_CHANGED},
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
        "StillUnderWay": _failing(
            "A request with this Idempotency-Key has begun and has not ended",
            ref("schemas", ERROR_NAME),
            **{"Retry-After": ref("headers", "RetryAfter")},
        ),
        "RecordChanged": _failing("The record is not the one of If-Match", ref("schemas", "RecordChanged")),
    },
}
PACE = {"RateLimit": ref("headers", "RateLimit"), "RateLimit-Policy": ref("headers", "RateLimitPolicy")}


def describe(operation: dict[str, Any], *, path: str, method: str, action: str, reads: bool, tagged: bool) -> None:
    """Add the headers and responses that all operations of a kind have to one of them.

    `tagged`: `action` is at the address of a record with an ETag. `reads`: it changes nothing, with any method.
    """
    responses, parameters = operation["responses"], operation.setdefault("parameters", [])
    protected = path.startswith(MOUNTS)
    for status, answer in responses.items():
        if protected and (status < "300" or status == "429"):
            answer.setdefault("headers", {}).update(PACE)
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


def add_components(result: dict[str, Any]) -> None:
    """Add the components that `describe` refers to."""
    components = result.setdefault("components", {})
    for kind, found in COMPONENTS.items():
        components.setdefault(kind, {}).update(found)
