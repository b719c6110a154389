"""The first steps of a company: what is done, who sees them, and until when."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.companies.first_steps import first_steps_done
from accounts.models import Member, Role, User
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of


def test_they_are_told_until_they_are_done_or_dismissed(scope: Cast) -> None:
    Member.objects.exclude(pk=scope.owner.pk).delete()
    names = ("sender", "contacts", "members", "run")
    assert scope.session.get("/company/first-steps").data["steps"] == [{"step": n, "isDone": False} for n in names]
    unknown = scope.session.get("/company/first-steps", more="1")
    assert (unknown.status, unknown.body["warning"]) == (400, "more: is an unknown parameter; known: fields")
    client, path = enter(scope.owner), at(scope.owner, "first-steps")
    assert at(scope.owner, "first-steps") in html_of(client.get(at(scope.owner)))
    assert "4 to go" in text_of(client.get(path))

    ContactFactory()
    viewer = MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name="Viewer"))
    page = client.get(path)
    assert "2 to go" in text_of(page)
    assert "Add contacts (completed)" in text_of(page)
    assert at(scope.owner, "senders/new") in html_of(page)
    with CaptureQueriesContext(connection) as queries:
        assert [one["step"] for one in first_steps_done() if one["isDone"]] == ["contacts", "members"]
    assert len(queries) == 1

    # Who may do none of it sees none; who has seen enough is left alone.
    assert "to go" not in text_of(enter(viewer).get(path))
    assert client.post(path, {"do": "dismiss"})["Location"] == at(scope.owner)
    assert User.objects.get(pk=scope.owner.user_id).layout == {"firstSteps": False}
    assert "first-steps" not in html_of(client.get(at(scope.owner)))
