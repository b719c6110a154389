"""Settings. What differs between deployments comes from the environment (docs/operations.md)."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import environ
from corsheaders.defaults import default_headers
from django.core.exceptions import ImproperlyConfigured

from config.authorities import authorities_file
from config.data_dir import data_dir
from config.demo_vendors import DEMO_CLIENT, demo_vendors
from config.resolvers import resolver_address
from config.secrets import secret
from config.servers import celery_url, database_url, redis_url, web_port
from config.web_threads import web_threads

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
LEADWRIGHT_DATA = data_dir()

DEBUG = env.bool("DEBUG", default=False)
DEMO = env.bool("DEMO", default=False)
HOST = env("HOST", default="127.0.0.1")
PORT = env.int("PORT", default=web_port())
BASE_URL = env("BASE_URL", default=f"http://{HOST}:{PORT}").rstrip("/")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", HOST])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[BASE_URL])

SECRET_KEY = secret("SECRET_KEY", LEADWRIGHT_DATA)
FIELD_ENCRYPTION_KEY = secret("FIELD_ENCRYPTION_KEY", LEADWRIGHT_DATA)
LOOKUP_KEY = env("LOOKUP_KEY", default=SECRET_KEY)

CORS_ALLOWED_ORIGINS = env.list("CORS_ALLOWED_ORIGINS", default=[])
"""Origins of browser apps that may call the API by key; none by default."""
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

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "core.backoffice.apps.BackOfficeConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_otp",
    "django_htmx",
    "core",
    "accounts",
    "billing",
    "crm",
    "outreach",
    "workflows",
    "config",
    *(["corsheaders"] if CORS_ALLOWED_ORIGINS else []),
    *env.list("DEVELOPMENT_APPS", default=[]),  # `make check` installs the linter of migrations
]

MIDDLEWARE = [
    "core.logs.middleware.RequestIds",
    "config.metrics.requests.RequestMetrics",
    "accounts.request_log.middleware.ServerLogMiddleware",
    "core.hold.services.HoldMiddleware",
    "config.tracking_hosts.TrackingHostsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.compression.CompressionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    *(["corsheaders.middleware.CorsMiddleware"] if CORS_ALLOWED_ORIGINS else []),
    "config.headers.HeadersMiddleware",
    "config.browsers.BrowserSessions",
    "config.headers.BodyLengthMiddleware",  # looks up who is logged in
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.browsers.BrowserLogins",
    "config.browsers.BrowserSecondFactors",
    "config.browsers.BrowserMessages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls.root"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASE_URL = database_url()
DATABASES = {
    "default": {**env.db_url_config(DATABASE_URL), "ENGINE": "core.tenancy.postgresql", "CONN_HEALTH_CHECKS": True}
}
# A server that is away for good is noticed after 25 s, and one that takes connections and does not answer after 10 s.
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
    **DATABASES["default"].get("OPTIONS", {}),
}
if pool_size := env.int("DATABASE_POOL", default=0):
    DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 30}
else:
    DATABASES["default"]["CONN_MAX_AGE"] = None
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
EVEN_ANSWERS = True
"""Responses that must not reveal accounts take the same time in each case (accounts.auth.timing)."""
ACCESS_TOKEN_LIFETIME = timedelta(hours=1)
REFRESH_TOKEN_LIFETIME = timedelta(days=30)
VERIFY_LINK_LIFETIME = timedelta(days=3)
RESET_LINK_LIFETIME = timedelta(hours=1)
INVITE_LIFETIME = timedelta(days=7)
REGISTER_URL = env("REGISTER_URL", default=f"{BASE_URL}/register")
"""The page where people register. Links of partner and referral programs lead there with referralCode=..."""
REFER_REWARD_PERCENT = Decimal(env("REFER_REWARD_PERCENT", default="20"))
"""The referral program's reward: this share of the referred company's first payment, in the payment's currency."""
REWARD_HOLD = timedelta(days=env.int("REWARD_HOLD_DAYS", default=120))
"""Time for which a reward is pending, because payments may be returned: banks usually take disputes for as long."""
GRACE_PERIOD = timedelta(days=env.int("GRACE_DAYS", default=7))
"""Time for which a company keeps its access after an unpaid subscription period."""
DUNNING_DAYS = tuple(env.list("DUNNING_DAYS", cast=int, default=[0, 1, 3, 5, 7]))
"""The days after a renewal on which a saved method is charged; each but the first after a refusal."""
COLLECTIONS_PER_SECOND = env.float("COLLECTIONS_PER_SECOND", default=10.0)
"""Maximum number of renewals charged a second if many are due at once: gateways limit the requests of an account."""
STAFF_SECOND_FACTOR = env("STAFF_SECOND_FACTOR", default="optional")
"""Second factor in the back office: off; optional, for staff who have set one up; required, for everybody."""
if STAFF_SECOND_FACTOR not in ("off", "optional", "required"):
    raise ImproperlyConfigured("STAFF_SECOND_FACTOR is one of off, optional, required")
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
SERVER_LOG_DAYS = env.int("SERVER_LOG_DAYS", default=30)
"""Days for which the request log is kept; 0 turns it off."""
LOGIN_LOG_DAYS = env.int("LOGIN_LOG_DAYS", default=365)
WORKFLOW_STARTS_PER_SECOND = env.int("WORKFLOW_STARTS_PER_SECOND", default=100)
"""Workflow runs that a company's events start in a second, if its plan has no limit workflow-starts."""
WORKFLOW_START_BURST_SECONDS = env.int("WORKFLOW_START_BURST_SECONDS", default=10)
"""The starts of so many seconds may begin at once, after a quiet time."""
WORKFLOW_RUN_DAYS = env.int("WORKFLOW_RUN_DAYS", default=90)
"""Days for which ended runs of workflows are kept, unless the workflow sets others."""
EXPORT_DAYS = env.int("EXPORT_DAYS", default=30)
"""Days for which exported files are kept."""

METRICS_TOKEN = env("METRICS_TOKEN", default="")
"""Bearer token for /metrics; empty: there is no such page."""
if METRICS_TOKEN:
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(LEADWRIGHT_DATA / "metrics" / str(PORT)))
    Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).mkdir(mode=0o700, parents=True, exist_ok=True)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": (),
    "DEFAULT_PERMISSION_CLASSES": (),
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

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = ["config.formats"]
STATIC_URL = "/static/"
_static_root = Path(env("STATIC_ROOT", default=str(BASE_DIR / "staticfiles")))
# `collectstatic` fills the folder. From then on files go out compressed, under hashed names that browsers keep; before
# it, in the demo and in debugging they go out as they are.
_collected = (_static_root / "staticfiles.json").exists() and not (DEBUG or DEMO)
STATIC_ROOT = _static_root if _collected or "collectstatic" in sys.argv[1:2] else None
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(LEADWRIGHT_DATA / "files")},
    },
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not STATIC_ROOT
FILES_S3 = {
    "endpoint": env("FILES_S3_ENDPOINT", default=""),
    "region": env("FILES_S3_REGION", default="us-east-1"),
    "bucket": env("FILES_S3_BUCKET", default=""),
    "access_key": env("FILES_S3_ACCESS_KEY", default=""),
    "secret_key": env("FILES_S3_SECRET_KEY", default=""),
}
"""The bucket for new files of companies without one of their own; without its name they go to the data folder."""
if FILES_S3["bucket"] and not (FILES_S3["access_key"] and FILES_S3["secret_key"]):
    raise ImproperlyConfigured("FILES_S3_BUCKET needs FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY")

DATA_UPLOAD_MAX_MEMORY_SIZE = env.int("MAX_BODY_BYTES", default=20 * 1024 * 1024)
PUBLIC_BODY_BYTES = env.int("PUBLIC_BODY_BYTES", default=1024 * 1024)
"""Maximum size of a request body without a log-in, in bytes."""
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "crm.files.upload.IncomingFileUploadHandler",
]
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
MAX_UPLOAD_BYTES = env.int("MAX_UPLOAD_BYTES", default=1024 * 1024 * 1024)
"""The largest file that POST /upload takes."""
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
"""The number of our proxies before the web process. X-Forwarded-For has the caller's address that far from its end."""
BUFFERING_PROXY = env.bool("BUFFERING_PROXY", default=False)
"""A proxy in front of the web process buffers complete requests and responses. Without one config.slow_clients
limits."""
WEB_THREADS = web_threads()
ENRICHMENT_WAIT_MINUTES = env.int("ENRICHMENT_WAIT_MINUTES", default=15)
"""Minutes that a run waits for the enrichment of its recipients before its messages are written without it."""
OUTBOUND_PRIVATE_HOSTS = env.list("OUTBOUND_PRIVATE_HOSTS", default=["127.0.0.0/8"] if DEMO else [])
"""Private networks (CIDR) that connected apps may reach: none by default, the mail catcher in the demo."""
OUTBOUND_CA_FILE = authorities_file(env("OUTBOUND_CA_FILE", default=""))
"""Further certificate authorities of connected apps' servers, or certificates that sign themselves."""
TRACKING_HOST = env("TRACKING_HOST", default="").strip().rstrip(".").lower()
"""The name that companies' tracking hosts point to; empty: the host of BASE_URL."""
DNS_RESOLVERS = [resolver_address(text) for text in env.list("DNS_RESOLVERS", default=[])]
"""The name servers that deliverability checks ask, as (address, port); none: the system's."""
VENDOR_BASE_URLS = env.json("VENDOR_BASE_URLS", default={})
"""Addresses that replace those of vendors: connected app -> base URL."""
if not (isinstance(VENDOR_BASE_URLS, dict) and all(isinstance(url, str) for url in VENDOR_BASE_URLS.values())):
    raise ImproperlyConfigured('VENDOR_BASE_URLS is a JSON object such as {"ai-a": "https://proxy.example.org"}')
GOOGLE_CLIENT_ID = env("GOOGLE_CLIENT_ID", default="")
GOOGLE_CLIENT_SECRET = env("GOOGLE_CLIENT_SECRET", default="")
"""This service's client at Google, by which members log in to send by Gmail and to connect their calendars; without it
nobody can."""
if DEMO:
    VENDOR_BASE_URLS = {**demo_vendors(data_dir(), google=not GOOGLE_CLIENT_ID), **VENDOR_BASE_URLS}
    if not GOOGLE_CLIENT_ID and "gmail" in VENDOR_BASE_URLS:
        GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET = DEMO_CLIENT
GATEWAYS = {
    letter: {
        "adapter": env(f"GATEWAY_{letter.upper()}"),
        "key_id": env(f"GATEWAY_{letter.upper()}_KEY_ID", default=""),
        "secret_key": env(f"GATEWAY_{letter.upper()}_SECRET_KEY", default=""),
        "webhook_secret": env(f"GATEWAY_{letter.upper()}_WEBHOOK_SECRET", default=""),
        "former_secret": env(f"GATEWAY_{letter.upper()}_FORMER_SECRET", default=""),
        "base_url": env(f"GATEWAY_{letter.upper()}_BASE_URL", default=""),
    }
    for letter in "abcde"
    if env(f"GATEWAY_{letter.upper()}", default="")
}
"""Letter of /gateway-x -> its payment gateway and keys. They take precedence over those of the back office."""
INVOICE_FONTS = env("INVOICE_FONTS", default="")
"""A folder of fonts for invoices, in addition to those of typst."""
VIES_URL = env("VIES_URL", default="").rstrip("/")
REFUND_APPROVAL_ABOVE = Decimal(env("REFUND_APPROVAL_ABOVE", default="100"))
"""Refunds above this amount, in any currency, wait for the approval of a second staff member."""
PAYMENT_BACKOFF = env.float("PAYMENT_BACKOFF", default=2.0)
"""Base of the delays, in seconds, between polls of a payment whose gateway doesn't respond."""
MAIL_VENDOR_LETTERS = env.json("MAIL_VENDOR_LETTERS", default={})
"""Letter of /apps/mailvendor-x -> vendor, where it differs from outreach.connections.mail_vendors.registry."""
ANYMAIL: dict[str, str] = {}
"""Stays empty: a key in it would be used for every company that has none of its own (config.checks)."""
OCR_PYTHON = env("OCR_PYTHON", default="")
"""The Python that has rapidocr, which reads cards on this machine; empty: the service's own, if it has it."""

EMAIL_URL = env("EMAIL_URL", default="")
"""The server of the service's own mails: smtp+tls://user:password@host:587, smtp+ssl://…:465, smtp://…:25."""
SENDS_MAIL = bool(EMAIL_URL) or DEMO
"""Without a server mails wait in the queue. The demo sends them to its mail catcher."""
if EMAIL_URL:
    globals().update(env.email_url_config(EMAIL_URL))
else:
    EMAIL_BACKEND = "config.local.mail_catcher.backend.CatcherBackend" if DEMO else "config.mail.NoServerBackend"
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", default="no-reply@leadwright.example" if DEMO else "no-reply@localhost")
"""The sender of the service's own mails. Its display name is `<company> via Leadwright`, or the service's."""
MEETING_MAILS_PER_DAY = env.int("MEETING_MAILS_PER_DAY", default=1000)
TRIAL_MEETING_MAILS_PER_DAY = env.int("TRIAL_MEETING_MAILS_PER_DAY", default=50)
"""Maximum number of mails about meetings that a company may send in 24 hours to people who are not its members."""

REDIS_URL = redis_url()
CELERY_BROKER_URL = celery_url(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "tick"
CELERY_TASK_ROUTES = ("core.jobs.queues.route_task",)
CELERY_DB_REUSE_MAX = 1000
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Nobody controls workers over Redis. Without that they have no pub/sub connection, whose reads know no time-out.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# No retries of notifications: kombu would otherwise retry for six seconds inside the request that sends one.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "health_check_interval": 5,
    "max_retries": 0,
    # A message is a hint that may be lost. An acknowledgment that fails would take up a place of the prefetch for ever.
    "ack_emulation": False,
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {"tick": {"task": "core.tick", "schedule": 1.0, "options": {"expires": 3}}}

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
STAFF_SESSION_LIFETIME = timedelta(hours=12)
"""Time after the login at which a session of the back office ends, even if it is in use
(accounts.auth.staff_sessions)."""
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

LOG_FORMAT = env("LOG_FORMAT", default="line")
"""Format of log lines: line, for people, or json, an object a line."""
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured("LOG_FORMAT is line or json")
LOG_REQUESTS = env.bool("LOG_REQUESTS", default=LOG_FORMAT == "json")
"""Each request is a line of the log."""
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "core.logs.LineFormatter"}, "json": {"()": "core.logs.JsonFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": env("LOG_LEVEL", default="INFO")},
    "loggers": {
        "celery": {"level": "WARNING"},
        "mail.log": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "stripe": {"level": "WARNING"},
    },
}

UNFOLD = {
    "SITE_TITLE": "Leadwright",
    "SITE_HEADER": "Leadwright",
    "SITE_SUBHEADER": "Back office",
    "SITE_SYMBOL": "outgoing_mail",
    "SITE_URL": None,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "core.backoffice.site.icon"}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "STYLES": ["core.backoffice.site.style"],
    "SCRIPTS": ["core.backoffice.site.times"],
    "SIDEBAR": {"show_search": True, "navigation": "config.admin.navigation"},
    "ENVIRONMENT": "config.admin.environment",
    "DASHBOARD_CALLBACK": "config.overview.dashboard",
    "LOGIN": {"form": "accounts.auth.staff_login.StaffLoginForm"},
    "ACCOUNT": {"navigation": "accounts.auth.second_factor_pages.account_links"},
    "COLORS": {
        "primary": {
            "50": "oklch(97.5% .013 250)",
            "100": "oklch(94% .03 250)",
            "200": "oklch(88% .06 250)",
            "300": "oklch(80% .1 250)",
            "400": "oklch(70% .15 252)",
            "500": "oklch(61% .18 254)",
            "600": "oklch(54% .19 257)",
            "700": "oklch(47% .18 259)",
            "800": "oklch(41% .15 261)",
            "900": "oklch(36% .12 262)",
            "950": "oklch(27% .09 264)",
        }
    },
}
