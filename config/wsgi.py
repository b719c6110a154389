"""WSGI entry point: config.wsgi:application."""

import os
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application: Any = get_wsgi_application()
if not settings.BUFFERING_PROXY:
    from config.slow_callers import SlowCallerLimit

    application = SlowCallerLimit(application, threads=settings.WEB_THREADS)
