"""Keys, cookies, TLS and the proxies in front of the web process."""

from __future__ import annotations

from datetime import timedelta

from config.env import env
from config.secrets import read_secret
from config.settings.base import BASE_URL, LEADWRIGHT_DATA

SECRET_KEY = read_secret("SECRET_KEY", LEADWRIGHT_DATA)
FIELD_ENCRYPTION_KEY = read_secret("FIELD_ENCRYPTION_KEY", LEADWRIGHT_DATA)
LOOKUP_KEY = env("LOOKUP_KEY", default=SECRET_KEY)

TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
"""The number of our proxies before the web process. X-Forwarded-For has the caller's address that far from its end."""
BUFFERING_PROXY = env.bool("BUFFERING_PROXY", default=False)
"""A proxy in front of the web process buffers complete requests and responses. Without one config.slow_clients
limits."""

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
STAFF_SESSION_LIFETIME = timedelta(hours=12)
"""Time after the login at which a session of the back office ends, even if it is in use
(accounts.auth.staff.sessions)."""
SESSION_COOKIE_AGE = int(STAFF_SESSION_LIFETIME.total_seconds())
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
if BASE_URL.startswith("https://"):
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    if TRUSTED_PROXIES:  # without a proxy of ours anybody may have written the header
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=365 * 24 * 3600)
    # Without the header every request seems to lack TLS, and a redirect would lead in a circle.
    SECURE_SSL_REDIRECT = env.bool("SSL_REDIRECT", default=bool(TRUSTED_PROXIES))
    SECURE_REDIRECT_EXEMPT = [r"^api/public/health$", r"^metrics$"]  # asked from within, without TLS
