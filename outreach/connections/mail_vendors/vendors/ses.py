"""Amazon SES: requests by boto3, and events that a topic of SNS publishes."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.x509 import load_pem_x509_certificate
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from core.errors import ValidationFailed
from core.internals.botocore import use_pools
from core.outbound import OutboundRefused
from core.outbound_http import GUARDED_POOLS, HttpFailed, error_causes, send_request, time_limit
from core.s3 import lone_session
from core.types import JsonObject, Values
from outreach.connections.mail_vendors import backends, probe
from outreach.connections.mail_vendors.backends import secrets_of
from outreach.connections.mail_vendors.outcomes import PAUSE, words_of
from outreach.connections.mail_vendors.vendors.base import MailVendor, Setting
from outreach.connections.mail_vendors.webhooks import (
    CONFIRM,
    HookRefused,
    ProviderEvent,
    require_recent,
    signing_key,
)
from outreach.connections.smtp.outcome import Outcome, Rejected, SmtpError, Uncertain

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

SNS_TOLERANCE = timedelta(hours=1)
"""SNS tries again for so long, and signs when the event was published first."""
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d", re.ASCII)
_SNS_HOST = re.compile(r"sns\.[a-z0-9-]{3,30}\.amazonaws\.com", re.ASCII)
_SNS_FIELDS = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
_THROTTLED = {"TooManyRequestsException", "Throttling", "ThrottlingException", "LimitExceededException"}
_ACCOUNT = {
    "AccountSuspendedException",
    "SendingPausedException",
    "MailFromDomainNotVerifiedException",
    "MailFromDomainNotVerified",
    "UnrecognizedClientException",
    "InvalidClientTokenId",
    "SignatureDoesNotMatch",
    "InvalidSignatureException",
    "AccessDeniedException",
}


class AmazonSes(MailVendor):
    key = "ses"
    name = "Amazon SES"
    key_label = "Access key id"
    settings = (
        Setting(column="secret_key", label="Secret access key", required=True, secret=True),
        Setting(column="region", label="Region", required=True, help="Such as eu-central-1."),
        Setting(column="configuration_set", label="Configuration set", help="The one that publishes events."),
        Setting(
            column="signing_key",
            label="ARN of the SNS topic",
            secret=True,
            help="Without it no event is taken: deliveries, bounces and complaints stay unknown.",
        ),
    )
    tracking = ()
    hook_password = False
    anymail_module = "amazon_ses"
    webhook_view = "AmazonSESTrackingWebhookView"
    hook_steps = (
        "Publish the configuration set's events to an SNS topic, enter its ARN here, and subscribe the"
        " address to it (HTTPS). The subscription is confirmed by itself."
    )

    def check_values(self, values: Values) -> None:
        if values.get("region") and not _REGION.fullmatch(values["region"]):
            raise ValidationFailed("region is no region", "enter a region such as eu-central-1", field="region")

    def arguments(self, app: MailApp) -> JsonObject:
        access_key, secret_key = secrets_of(app)
        return {
            "access_key": access_key,
            "secret_key": secret_key,
            "region": app.region,
            "endpoint": self.base_url(app.region, app.endpoint),
            "configuration_set_name": app.configuration_set or None,
        }

    def load_backend(self) -> type[Any]:
        """Import anymail's backend, whose client has guarded connections and tries once."""
        from anymail.backends.amazon_ses import EmailBackend  # noqa: PLC0415

        class SesBackend(EmailBackend):  # type: ignore[misc]
            def __init__(self, **arguments: Any) -> None:
                self.place = arguments
                self.client: Any = None
                super().__init__(
                    session_params={},
                    client_params={},
                    configuration_set_name=arguments["configuration_set_name"],
                    message_tag_name=None,
                )

            def open(self) -> bool:
                if self.client is not None:
                    return False
                self.client = ses_client(self.place)
                return True

        return SesBackend

    def verify(self, app: MailApp) -> None:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        try:
            with time_limit(probe.SECONDS):
                ses_client(self.arguments(app)).get_account()
        except ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            text = words_of(error.response.get("Error", {}).get("Message", ""), secrets_of(app))
            if status in (401, 403):
                detail = f"{self.name} does not take the key. {text}".strip()
                raise SmtpError("auth", detail, temporary=False, code=status) from None
            detail = f"{self.name} answered {status}. {text}".strip()
            raise SmtpError("connect", detail, temporary=True, code=status) from None
        except (BotoCoreError, ValueError, OSError) as error:
            refused = next((cause for cause in error_causes(error) if isinstance(cause, OutboundRefused)), None)
            detail = refused.detail if refused else f"{self.name} could not be reached."
            raise SmtpError("connect", detail, temporary=True) from None

    def read_error(self, response: Any, secrets: Sequence[str]) -> Outcome:
        """Return the outcome of an error, which boto3 gives as a dictionary."""
        error = response.get("Error", {})
        code = str(error.get("Code", ""))
        status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        text = f"{code} {words_of(error.get('Message', ''), secrets)}".strip()
        if code in _THROTTLED or status == 429:
            return Rejected(True, 429, text, "limit", retry_after=PAUSE)
        if code in _ACCOUNT or status in (401, 403):
            return Rejected(False, status, text, "auth")
        if 400 <= status < 500:
            return Rejected(False, status, text, "final")
        return Uncertain(f"{self.name} answered {text}")

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        message = json.loads(request.body)
        if not constant_time_compare(str(message["TopicArn"]), signing_key(app)):
            raise HookRefused("it is another topic")
        fields = _SNS_FIELDS[message["Type"]]
        # AWS leaves out fields that are not set (Subject), and the order of the others is fixed.
        signed = "".join(f"{name}\n{message[name]}\n" for name in fields if message.get(name) is not None)
        algorithm = {"1": hashes.SHA1, "2": hashes.SHA256}[str(message["SignatureVersion"])]()
        key = sns_key(str(message["SigningCertURL"]))
        key.verify(base64.b64decode(message["Signature"]), signed.encode(), padding.PKCS1v15(), algorithm)
        require_recent(datetime.fromisoformat(message["Timestamp"]).timestamp(), SNS_TOLERANCE)

    def parse_webhook(self, request: HttpRequest) -> list[ProviderEvent]:
        message = json.loads(request.body)
        at = datetime.fromisoformat(message["Timestamp"])
        if message["Type"] == "SubscriptionConfirmation":
            address = str(message["SubscribeURL"])
            return [ProviderEvent(CONFIRM, at, provider_message_id=str(message["MessageId"])[:200], detail=address)]
        event = json.loads(message["Message"])
        return [self.to_event(parsed) for parsed in self.webhook_reader.esp_to_anymail_events(event, message)]

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        return bool(raw.get("bounce", {}).get("bounceType") == "Permanent")

    def is_confirmation_url(self, url: str) -> bool:
        return is_sns_address(url)


def ses_client(place: Values) -> Any:
    """Return a guarded client of Amazon SES for the arguments of an app, that tries once."""
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        region_name=place["region"],
        connect_timeout=backends.CONNECT_SECONDS,
        read_timeout=backends.SECONDS,
        retries={"total_max_attempts": 1, "mode": "standard"},
        proxies={},
        ignore_configured_endpoint_urls=True,
    )
    session = lone_session(place["access_key"], place["secret_key"])
    client = session.client("sesv2", endpoint_url=place["endpoint"] or None, config=config)
    use_pools(client, GUARDED_POOLS)
    return client


def is_sns_address(url: str) -> bool:
    """Return whether the address is one of Amazon's SNS."""
    parts = urlsplit(url)
    # The whole of netloc, or user@ and a port before another host would pass.
    return parts.scheme == "https" and parts.port in (None, 443) and bool(_SNS_HOST.fullmatch(parts.netloc))


# The certificate stays the same for long; without a cache each event would fetch it.
@lru_cache(maxsize=8)
def sns_key(url: str) -> Any:
    """Return the public key of the certificate at an address of SNS. Raises HookRefused."""
    if not (is_sns_address(url) and urlsplit(url).path.endswith(".pem")):
        raise HookRefused("the certificate is none of Amazon's")
    try:
        response = send_request("GET", url, seconds=5, most_bytes=20_000)
        return load_pem_x509_certificate(response.body).public_key()
    except (HttpFailed, ValueError):
        raise HookRefused("the certificate cannot be had") from None
