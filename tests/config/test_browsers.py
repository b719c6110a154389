"""Sessions, log-ins and messages are for people with browsers; requests to the API pass them by."""

from __future__ import annotations

from django.test import Client

from tests.kit.cast import KEY, SESSION, Cast
from tests.kit.factories import UserFactory


def test_cookies_count_on_pages_alone(cast: Cast, client: Client) -> None:
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    page = client.get("/admin/")
    assert (page.status_code, page.wsgi_request.user.is_authenticated) == (200, True)
    for path in (f"{SESSION}/contact", f"{KEY}/contact", "/api/private/memberships"):
        answer = client.get(path)
        assert (answer.status_code, dict(answer.cookies)) == (401, {})
        assert [hasattr(answer.wsgi_request, name) for name in ("session", "_messages")] == [False, False]
    assert client.get("/admin/").status_code == 200
