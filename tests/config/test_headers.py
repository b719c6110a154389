"""Headers of answers, and the settings of a deployment behind https."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.test import Client

from tests.kit.cast import KEY, Cast
from tests.kit.examples import in_make_check
from tests.kit.factories import ContactFactory, UserFactory

ORIGIN = "https://app.example.com"
PREFLIGHT = """
import json, django
django.setup()
from django.test import Client
ask = lambda origin, path, method="options", **more: dict(getattr(Client(), method)(path, secure=True, headers={
    "origin": origin, "access-control-request-method": "PUT", "access-control-request-headers": "apikey,content-type",
    **more}).items())
own, key = "https://app.example.com", "/api/key/protected/contact"
asked = [(own, key), ("https://other.example", key), (own, "/api/protected/contact"), (own, "/admin/login/")]
print(json.dumps([{name.lower(): value for name, value in ask(*each).items()} for each in asked]))
"""


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=project.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DEMO": "", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr


def test_nobody_keeps_answers_of_the_api(cast: Cast) -> None:
    with cast.scope():
        contact = ContactFactory()
    paths = ("/contact", "/contact?p=1&n=1", f"/contact/{contact.pk}", f"/api/{cast.api_key.pk}", "/nothing")
    for path in paths:
        answer = Client().get(KEY + path, headers=cast.key.headers)
        assert answer["Cache-Control"] == "no-store", path
    assert Client().get(KEY + "/contact")["Cache-Control"] == "no-store"
    exported = Client().get(KEY + "/contact/export", headers=cast.key.headers)
    assert exported["Cache-Control"] == "private, no-store"


@pytest.mark.django_db
def test_the_back_office_loads_nothing_foreign() -> None:
    staff = Client()
    staff.force_login(UserFactory(is_staff=True, is_superuser=True))
    for client, path in ((Client(), "/admin/login/"), (staff, "/admin/"), (staff, "/admin/accounts/company/")):
        page = client.get(path)
        assert page.status_code == 200
        policy = page["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'unsafe-eval';" in policy
        assert b"<script>" not in page.content, "it would not run"


@pytest.mark.long
def test_https_is_kept() -> None:
    check = ("manage.py", "check", "--deploy", "--tag", "security")
    found = run(*check, BASE_URL="https://crm.example.com", TRUSTED_PROXIES="1")
    assert "System check identified" in found
    assert "security.W004" not in found
    assert "security.W008" not in found


def test_no_other_origin_calls_the_api_by_default(cast: Cast) -> None:
    headers = {"origin": ORIGIN, "access-control-request-method": "GET"}
    answer = Client().options(KEY + "/contact", headers=headers)
    assert answer.status_code == 401
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.long
@in_make_check
def test_named_origins_call_the_api_by_key() -> None:
    https = {"BASE_URL": "https://crm.example.com", "ALLOWED_HOSTS": "*"}
    found = run("-c", PREFLIGHT, CORS_ALLOWED_ORIGINS=ORIGIN, SERVER_LOG_DAYS="0", **https)
    own, other, session, page = json.loads(next(line for line in found.splitlines() if line.startswith("[{")))
    assert own["access-control-allow-origin"] == ORIGIN
    assert "PUT" in own["access-control-allow-methods"]
    assert "apikey" in own["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in own
    for refused in (other, session, page):
        assert "access-control-allow-origin" not in refused


def test_collected_files_are_compressed_and_kept(tmp_path: Path, settings: Any) -> None:
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [("backoffice", project.BASE_DIR / "core" / "static" / "backoffice")]
    settings.STATIC_ROOT = tmp_path
    settings.WHITENOISE_USE_FINDERS = False
    backend = "whitenoise.storage.CompressedManifestStaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": backend}}
    call_command("collectstatic", interactive=False, verbosity=0)
    hashed = json.loads((tmp_path / "staticfiles.json").read_text())["paths"]["backoffice/backoffice.css"]
    answer = Client().get(f"/static/{hashed}", headers={"accept-encoding": "gzip"})
    assert (answer.status_code, answer["Content-Encoding"]) == (200, "gzip")
    assert "immutable" in answer["Cache-Control"]


def test_a_body_without_a_length_is_refused(cast: Cast) -> None:
    """It would be taken as empty: DELETE /file/recycle-bin with ids would clear the whole bin."""
    answer = Client().delete(KEY + "/file/recycle-bin", headers={**cast.key.headers, "transfer-encoding": "chunked"})
    assert (answer.status_code, answer.json()["message"]) == (400, "Validation error: the request is malformed")
    assert answer.json()["warning"] == "Transfer-Encoding: send the body with a Content-Length, not in chunks"
