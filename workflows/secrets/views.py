"""Endpoints of secrets."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.input import Input, LineInput, TextInput
from core.api.listing import Listing
from core.api.output import Deleted, IdField, Output
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.lists import FieldSet, ListField
from core.types import JsonObject
from workflows.secrets import services
from workflows.secrets.models import WorkflowSecret

FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", nullable=False, searchable=True),
        ListField("host", "text", "host", nullable=False, searchable=True),
        ListField("lastUsedAt", "date", "last_used_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("name", "host"),
)


class WorkflowSecretCreate(Input):
    """A secret, which no answer shows again."""

    conceals = frozenset({"value"})

    name = LineInput(max_length=100)
    host = LineInput(max_length=255, help_text="The only host that it is sent to, such as api.example.org.")
    value = TextInput(max_length=4000, trim_whitespace=False)


class WorkflowSecretDelete(SelectionInput):
    """Secrets to delete."""


class WorkflowSecretOut(Output):
    """A secret, without its value."""

    _id = IdField()
    name = serializers.CharField()
    host = serializers.CharField()
    lastUsedAt = serializers.DateTimeField(allow_null=True, help_text="When a call last sent it, to the minute.")
    createdAt = serializers.DateTimeField()


class WorkflowSecretViewSet(ResourceViewSet):
    module = "workflow"
    listing = Listing("List secrets of workflows", WorkflowSecret.objects.all, FIELDS, WorkflowSecretOut)

    @endpoint(
        "Keep a secret",
        input=WorkflowSecretCreate,
        output=WorkflowSecretOut,
        success="WorkflowSecretCreated_201",
        errors=("InvalidInput_400", services.TAKEN),
        description="A key or password that workflows send to one host. It is stored encrypted and never shown again.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        secret = services.create_secret(member_id=self.actor.member_id, **data)
        return WorkflowSecretOut.one(WorkflowSecret.objects.filter(pk=secret.pk))

    @endpoint(
        "Delete secrets",
        input=WorkflowSecretDelete,
        output=Deleted,
        bulk=True,
        success="WorkflowSecretsDeleted_200",
        errors=(services.NOT_FOUND,),
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_secrets(selection=self.selection())}
