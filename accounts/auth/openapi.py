"""OpenAPI descriptions of the authentication schemes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.drainage import set_override
from drf_spectacular.extensions import OpenApiAuthenticationExtension

from accounts.auth.sessions.authentication import PrivateAuthentication
from core.types import JsonObject

# Both schemes are named session; this one is the first half of the other.
set_override(PrivateAuthentication, "suppress_collision_warning", True)


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.api_keys.authentication.ApiKeyAuthentication"
    name = "apikey"

    def get_security_definition(self, auto_schema: Any) -> JsonObject:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "apikey",
            "description": "An API key; it stands in for a member of one company.",
        }


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.members.authentication.SessionAuthentication"
    name = ["session", "authmember"]

    def get_security_definition(self, auto_schema: Any) -> list[JsonObject]:
        return [
            {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "JWT",
                "description": "The access token of POST /api/public/login.",
            },
            {"type": "apiKey", "in": "header", "name": "authmember", "description": "The _id of the member that acts."},
        ]

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[Any]]:
        return {"session": [], "authmember": []}


class PrivateScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.auth.sessions.authentication.PrivateAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> JsonObject:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "The access token of POST /api/public/login.",
        }
