"""Static files, stored files and uploads."""

from __future__ import annotations

import sys
from pathlib import Path

from config.env import env, files_bucket
from config.settings.base import BASE_DIR, DEBUG, DEMO, LEADWRIGHT_DATA

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
FILES_S3 = files_bucket()
"""The bucket for new files of companies without one of their own; without its name they go to the data folder."""

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
EXPORT_DAYS = env.int("EXPORT_DAYS", default=30)
"""Days for which exported files are kept."""
