"""The mode of the service, its addresses, apps, middleware and templates."""

from __future__ import annotations

from pathlib import Path

from config.data_dir import data_dir
from config.env import env
from config.servers import web_port

BASE_DIR = Path(__file__).resolve().parents[2]
LEADWRIGHT_DATA = data_dir()

DEBUG = env.bool("DEBUG", default=False)
DEMO = env.bool("DEMO", default=False)
HOST = env("HOST", default="127.0.0.1")
PORT = env.int("PORT", default=web_port())
BASE_URL = env("BASE_URL", default=f"http://{HOST}:{PORT}").rstrip("/")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", HOST])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[BASE_URL])

CORS_ALLOWED_ORIGINS = env.list("CORS_ALLOWED_ORIGINS", default=[])
"""Origins of browser apps that may call the API by key; none by default."""

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
    "config.serving.tracking_hosts.TrackingHostsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.serving.compression.CompressionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    *(["corsheaders.middleware.CorsMiddleware"] if CORS_ALLOWED_ORIGINS else []),
    "config.serving.headers.HeadersMiddleware",
    "config.serving.browsers.BrowserSessions",
    "config.serving.headers.BodyLengthMiddleware",  # looks up who is logged in
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.serving.browsers.BrowserLogins",
    "config.serving.browsers.BrowserSecondFactors",
    "config.serving.browsers.BrowserMessages",
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
            "builtins": ["django.templatetags.i18n", "core.templatetags.web"],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = ["config.formats"]
