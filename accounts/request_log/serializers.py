"""Answers of the server log, and the user as both logs name one."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.access import AuthPath
from core.api.output import IdField, Output


class LoggedUser(Output):
    """A user that the log names; the account may be deleted by now."""

    _id = IdField()
    name = serializers.CharField(allow_null=True)
    email = serializers.EmailField(allow_null=True)


class ServerLogOut(Output):
    """A request to the API. Bodies, query strings, headers and secrets are not kept."""

    _id = IdField()
    door = serializers.ChoiceField(
        source="auth_path",
        choices=[path.value for path in AuthPath],
        help_text="how the call came in: by API key, by session, …",
    )
    method = serializers.CharField()
    route = serializers.CharField(
        help_text="without the prefix, with its parameters' names, such as /contact/{id}; empty: no such path"
    )
    path = serializers.CharField(help_text="without the query string; of parameters only ids are kept")
    status = serializers.IntegerField(help_text="HTTP status; 500 also where an answer broke off")
    durationMs = serializers.FloatField(help_text="until the last byte of the answer")
    requestBytes = serializers.IntegerField(help_text="of the body")
    responseBytes = serializers.IntegerField(help_text="of the body, as far as it was sent")
    member = MemberSnapshot(help_text="who acted; of a key, the member that made it")
    user = LoggedUser()
    apiKey = IdField(
        source="api_key_id", allow_null=True, help_text="ObjectId of the key that was used; it may be deleted by now"
    )
    ip = serializers.CharField(allow_null=True)
    userAgent = serializers.CharField()
    createdAt = serializers.DateTimeField(help_text="when the request came in")
    updatedAt = serializers.DateTimeField()
