"""The API: who may call it how often, its framework and its schema."""

from __future__ import annotations

from corsheaders.defaults import default_headers

from config.env import env
from config.settings.base import BASE_URL

CORS_URLS_REGEX = r"^/api/key/protected/"
CORS_ALLOW_HEADERS = (*default_headers, "apikey", "idempotency-key", "if-match", "if-none-match")
CORS_EXPOSE_HEADERS = (
    "Content-Disposition",
    "ETag",
    "Idempotency-Replayed",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-ID",
)

STRICT_KEYS = env.bool("STRICT_KEYS", default=True)
"""An API key has at most the current permissions of its creator.

Off: keys as in the contract, which no role limits and which stay valid regardless of their creator. Addresses and terms
of keys are only enforced with this setting.
"""
PUBLIC_API_DOCS = env.bool("PUBLIC_API_DOCS", default=True)
"""Everybody may read /api/schema and /api/docs; otherwise only staff."""
API_KEY_EXPIRY_ENFORCED = env.bool("API_KEY_EXPIRY_ENFORCED", default=False)
"""Temporary keys expire even without STRICT_KEYS."""
API_REQUESTS_A_MINUTE = env.int("API_REQUESTS_A_MINUTE", default=120_000)
API_REQUESTS_A_MINUTE_EACH = env.int("API_REQUESTS_A_MINUTE_EACH", default=60_000)
"""Requests a minute of a company, and of each of its API keys and members, if the plan has no limits api-requests
and api-requests-each."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": (),
    "DEFAULT_PERMISSION_CLASSES": (
        "core.api.permissions.DeclaredPermission",
        "core.api.permissions.VisitPermission",
        "core.api.permissions.ApiKeyPermission",
        "core.api.permissions.MemberPermission",
    ),
    "DEFAULT_THROTTLE_CLASSES": ("core.api.throttles.PaceThrottle",),
    "DEFAULT_RENDERER_CLASSES": ("core.api.json.Renderer",),
    "DEFAULT_PARSER_CLASSES": ("core.api.json.Parser",),
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.api.handler.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Leadwright",
    "DESCRIPTION": "Leads, contacts and the outreach to them."
    " The key path (/api/key/protected) takes the header apikey; the session path (/api/protected) takes a bearer token"
    " and the header authmember. Both run the same operations.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": r"/api/(key/protected|protected|private|public)",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SERVERS": [{"url": BASE_URL, "description": "This installation"}],
    "CONTACT": {"name": "The operator of this installation", "url": BASE_URL},
    "POSTPROCESSING_HOOKS": ["core.api.schema.complete", "config.api_docs.tags.add_tags"],
}
