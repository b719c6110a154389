"""A user's own profile."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.members.models import Member
from accounts.users.models import User
from core.errors import ValidationFailed
from core.tenancy import unscoped
from core.types import Values

MAX_LISTS = 50


@transaction.atomic
def update_profile(*, user_id: str, changes: Values) -> None:
    """Change the given values under the user's lock. Columns are merged by list; None removes a list.

    A new name also replaces the old one in the user's memberships. Raises ValidationFailed for columns of too many
    lists.
    """
    user = User.objects.select_for_update().get(pk=user_id)
    values = dict(changes)
    if "columns" in values:
        merged = {name: keys for name, keys in {**user.columns, **values["columns"]}.items() if keys is not None}
        if len(merged) > MAX_LISTS:
            raise ValidationFailed(
                "columns are kept of too many lists", f"at most {MAX_LISTS} lists; null forgets one", field="columns"
            )
        values["columns"] = merged
    if "name" in values:
        with unscoped(reason="profile: one's own name in one's memberships of all companies"):
            Member.objects.filter(user=user, name=user.name).update(name=values["name"], updated_at=timezone.now())
    for name, value in values.items():
        setattr(user, name, value)
    user.save(update_fields=[*values, "updated_at"])
