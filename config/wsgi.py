"""WSGI entry point: config.wsgi:application."""

import gc
import os
from importlib import import_module
from socket import gethostname
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# The overview of the back office counts web processes by the names of their connections.
os.environ["PGAPPNAME"] = f"leadwright web {gethostname()}:{os.getpid()}"[:63]
application: Any = get_wsgi_application()
# These need Django to be set up.
import_module("crm.files.storage").remove_old_incoming()  # the process before this one may have been killed
limit = import_module("config.slow_clients").SlowCallerLimit
application = limit(application, threads=settings.WEB_THREADS, buffered=settings.BUFFERING_PROXY)
application = import_module("config.serving.charsets").CharsetLimit(application)

# What has been loaded by now stays. Without this the collector looks through it again and again: a page of 100 records
# makes enough objects to call it several times.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
