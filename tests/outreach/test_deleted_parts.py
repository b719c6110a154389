"""Teams, tags and contact categories that other records refer to are deleted, and those records stay."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import models
from django.utils import timezone

from core.internals.django import raw_delete, referrers
from crm.models import ContactCategory, Import, Tag, Team
from outreach.models import AnswerTime, BookingPage, Conversation, Form
from tests.guards.population import populate
from tests.kit.cast import Cast

PATHS: dict[type[models.Model], str] = {Team: "team", Tag: "tag", ContactCategory: "contact-category"}


def references(model: type[models.Model]) -> list[models.ForeignKey[Any, Any]]:
    """Return the foreign keys of other models to the model."""
    keys = [field for other in referrers(model) for field in other._meta.fields]
    return [key for key in keys if isinstance(key, models.ForeignKey) and key.related_model is model]


@pytest.mark.parametrize("path", ["key", "session"])
@pytest.mark.parametrize("model", PATHS)
def test_a_deletion_handles_every_reference(cast: Cast, model: type[models.Model], path: str) -> None:
    record_ids = populate(cast)
    keys = references(model)
    assert len(keys) > 2
    with cast.scope():
        deleted = model._default_manager.create(name="To delete").pk
        for key in keys:
            if not key.unique and key.model in record_ids:
                key.model._default_manager.filter(pk=record_ids[key.model]).update(**{key.name: deleted})
    caller = cast.key if path == "key" else cast.session
    answer = caller.delete(f"/{PATHS[model]}", {"ids": [deleted]})
    assert (answer.status, answer.data) == (200, {"deletedCount": 1})
    with cast.scope():
        for key in keys:
            assert not key.model._default_manager.filter(**{key.name: deleted}).exists(), key
            kept = key.remote_field.on_delete is models.SET_NULL
            if kept and key.model in record_ids:
                assert key.model._default_manager.filter(pk=record_ids[key.model]).exists(), key


def test_records_of_several_teams_and_categories_stay(cast: Cast) -> None:
    with cast.scope():
        north, south = (Team.objects.create(name=name) for name in ("North", "South"))
        west = Team.objects.create(name="West")
        vip = ContactCategory.objects.create(name="VIP")
        for number, team in enumerate((north, south, west)):
            Form.objects.create(name=f"Fair {number}", token=f"{number}" * 32, team=team, category=vip)
            BookingPage.objects.create(name=f"Call {number}", token=f"{number}" * 32, team=team)
            AnswerTime.objects.create(team=team, first_minutes=5)
            Conversation.objects.create(
                channel="widget", address=f"v{number}", team=team, last_inbound_at=timezone.now() - timedelta(days=1)
            )
    assert cast.key.delete("/team", {"ids": [north.pk, south.pk]}).status == 200
    assert cast.key.delete("/contact-category", {"selectAll": True}).status == 200
    with cast.scope():
        for model in (Form, BookingPage, Conversation):
            teams = list(model._default_manager.values_list("team_id", flat=True))
            assert sorted(teams, key=str) == sorted([None, None, west.pk], key=str), model
        assert list(AnswerTime.objects.values_list("team_id", flat=True)) == [west.pk]
        assert set(Form.objects.values_list("category_id", flat=True)) == {None}
        assert not Import.objects.exclude(category=None).exists()


def test_a_raw_deletion_refuses_references(scope: Cast) -> None:
    with pytest.raises(Exception, match="leaves references of .*outreach.Form"):
        raw_delete(Team.objects.filter(name="none"))
