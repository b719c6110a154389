"""Bodies and answers of roles."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.roles.permissions import SCOPES, complete, complete_scope
from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, NameInput, ObjectInput, TextInput
from core.api.output import IdField, Output
from core.types import JsonObject, Values

UNIQUE = "unique in the company, whatever the case of its letters"
SCOPE = (
    'module -> records that its members meet, such as {"contact": "own", "lead": "all"}; what is left out stays, or is'
    " all"
)
FLAGS = 'module -> method -> allowed, such as {"contact": {"GET": true}}; what is left out is not allowed'


class RoleCreate(Input):
    name = NameInput(max_length=100, required=False, help_text=UNIQUE)
    permission = ObjectInput(required=False, help_text=FLAGS)
    recordScope = ObjectInput(required=False, help_text=SCOPE)
    description = TextInput(max_length=5000, allow_blank=True, required=False)
    isDefault = BooleanInput(required=False, help_text="the role of who is invited without one; true moves it here")


class RoleUpdate(RoleCreate):
    """Changes of a role. Omitted fields keep their values; a permission is replaced as a whole."""


class PermissionField(serializers.DictField):
    """Module -> method -> allowed, all of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=serializers.DictField(child=serializers.BooleanField()),
            help_text="module -> GET, POST, PUT and DELETE -> allowed; every module is there",
            **options,
        )


class ScopeField(serializers.DictField):
    """Module -> all or own, of contact and lead."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=serializers.ChoiceField(SCOPES),
            source="record_scope",
            help_text="contact (with organizations) and lead -> all or own: the records that its members meet",
            **options,
        )


class RoleOut(Output):
    """A role."""

    _id = IdField()
    name = serializers.CharField()
    description = serializers.CharField()
    permission = PermissionField()
    recordScope = ScopeField()
    isDefault = serializers.BooleanField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["permission"] = complete(data["permission"])
        data["recordScope"] = complete_scope(data["recordScope"])
        return data
