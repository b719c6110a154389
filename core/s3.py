"""Buckets with the S3 protocol, accessed through guarded connections: write, read, delete, and signed addresses to
read.

boto3 is imported when the first bucket is used. Errors have the storage's code and our own text, because the storage's
texts may repeat keys.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import IO, Any, BinaryIO
from urllib.parse import urlsplit

from django.utils.http import content_disposition_header

from core.internals.botocore import set_content, use_pools
from core.outbound import OutboundRefused, refuse_connections_if, resolve_allowed
from core.outbound_http import GUARDED_POOLS, TRANSPORT_ERRORS, error_causes, time_limit

CONNECT_SECONDS = 5
READ_SECONDS = 20
RETRIES = 2
CHECK_SECONDS = 20
LINK_SECONDS = 300
SLOWEST = 1 << 20
"""Bytes a second below which a transfer is given up, so that a slow server doesn't hold a thread for long."""
MAX_ANSWER = 1 << 20
_CHUNK = 1 << 16
_CODE = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_MISSING = {"NoSuchKey", "NoSuchBucket", "NotFound", "404"}
_OTHER_REGION = {
    "AuthorizationHeaderMalformed",
    "IllegalLocationConstraintException",
    "PermanentRedirect",
    "TemporaryRedirect",
    "301",
}


class S3Failed(Exception):
    """The storage did not do it. `code` is its own, or unreachable, slow, large or invalid; people read `detail`."""

    def __init__(self, code: str, detail: str, *, down: bool = False, denied: bool = False) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.down = down
        """The storage gave no answer or had an error of its own; the settings may be right."""
        self.denied = denied
        """The storage refuses the keys."""

    @property
    def is_missing(self) -> bool:
        """Return whether the object does not exist."""
        return self.code in _MISSING


@dataclass(frozen=True, slots=True)
class S3Place:
    """A bucket with the keys that open it. Without an endpoint it is Amazon's of the region."""

    endpoint: str
    region: str
    bucket: str
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).hostname or f"s3.{self.region}.amazonaws.com"


def put(place: S3Place, key: str, content: BinaryIO, *, size: int, md5: str, mime: str) -> None:
    """Write an object in one request, so that it is there whole or not at all. Raises S3Failed."""
    digest = base64.b64encode(bytes.fromhex(md5)).decode()
    options = {"ContentLength": size, "ContentMD5": digest, "ContentType": mime, "ContentDisposition": "attachment"}
    with _limit_time(place, seconds=_time_for(size)):
        # With the MD5 the storage refuses an object that was damaged on the way.
        client(place).put_object(Bucket=place.bucket, Key=key, Body=content, **options)


def fetch(place: S3Place, key: str, target: IO[bytes], *, size: int) -> None:
    """Copy an object of exactly `size` bytes into the file. Raises S3Failed."""
    with _limit_time(place, seconds=_time_for(size)) as deadline:
        body = client(place).get_object(Bucket=place.bucket, Key=key)["Body"]
        try:
            left = size
            # One byte more than expected shows an object that has grown.
            while left >= 0 and (chunk := body.read(min(_CHUNK, left + 1))):
                left -= len(chunk)
                target.write(chunk)
        finally:
            body.close()
        if left and not deadline.over:
            raise S3Failed("large" if left < 0 else "IncompleteBody", "The object has another size than the file.")


def delete(place: S3Place, key: str) -> None:
    """Delete an object. One that isn't there counts as deleted. Raises S3Failed."""
    try:
        with _limit_time(place, seconds=_time_for(0)):
            client(place).delete_object(Bucket=place.bucket, Key=key)
    except S3Failed as error:
        # S3 answers success for what is not there; other storages answer 404.
        if not error.is_missing:
            raise


def check(place: S3Place, key: str) -> None:
    """Write a small object and delete it again. Raises S3Failed."""
    with _limit_time(place, seconds=CHECK_SECONDS):
        # A test waits for one answer, not for three.
        s3_client = client(place, retries=0)
        s3_client.put_object(Bucket=place.bucket, Key=key, Body=b"Leadwright may write here.\n")
        s3_client.delete_object(Bucket=place.bucket, Key=key)


def signed_address(place: S3Place, key: str, *, name: str, mime: str, head: bool = False) -> str:
    """Return an address that saves the object under the name, for LINK_SECONDS; no request is made."""
    options = {
        "Bucket": place.bucket,
        "Key": key,
        "ResponseContentDisposition": content_disposition_header(True, name),
        "ResponseContentType": mime,
    }
    operation = "head_object" if head else "get_object"
    with _limit_time(place, seconds=CHECK_SECONDS):
        return str(client(place).generate_presigned_url(operation, Params=options, ExpiresIn=LINK_SECONDS))


@lru_cache(maxsize=256)
def is_public(host: str) -> bool:
    """Return whether browsers anywhere reach the host; False where it is unknown."""
    try:
        # Nothing is sent: only the name is looked up.
        with refuse_connections_if(None):
            return all(address.public for address in resolve_allowed(host, 443))
    except OutboundRefused:
        return False


def lone_session(access_key: str, secret_key: str) -> Any:
    """Return a session of Amazon's library that knows these keys and nothing of the machine's own."""
    import boto3  # noqa: PLC0415
    import botocore.session  # noqa: PLC0415

    # Otherwise keys of the machine's role, or of its files, would open the company's bucket.
    nowhere = {"config_file": os.devnull, "credentials_file": os.devnull, "profile": None}
    alone = botocore.session.Session({name: (None, None, value, None) for name, value in nowhere.items()})
    return boto3.session.Session(aws_access_key_id=access_key, aws_secret_access_key=secret_key, botocore_session=alone)


@lru_cache(maxsize=64)
def client(place: S3Place, retries: int = RETRIES) -> Any:
    """Return a client whose connections come from the guard, and that knows no keys but these."""
    # Half a second and 40 MB, which services without buckets do not need.
    from botocore.config import Config  # noqa: PLC0415

    if not (place.access_key and place.secret_key):
        # Without keys the library would look for those of the machine.
        raise S3Failed("invalid", "The bucket has no keys.")
    session = lone_session(place.access_key, place.secret_key)
    config = Config(
        region_name=place.region,
        signature_version="s3v4",
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": retries + 1, "mode": "standard"},
        proxies={},
        ignore_configured_endpoint_urls=True,
        # Other storages than Amazon's refuse its newer checksums.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if place.endpoint else "auto"},
    )
    with _limit_time(place, seconds=CHECK_SECONDS):
        s3_client = session.client("s3", endpoint_url=place.endpoint or None, config=config)
    http = use_pools(s3_client, GUARDED_POOLS)
    http.send = partial(_send, http.send)
    return s3_client


def _send(send: Callable[[Any], Any], request: Any) -> Any:
    """Send a request. All of an answer that is no object's content is read here, in bounds."""
    streams = request.stream_output
    request.stream_output = True
    answer = send(request)
    if streams and answer.status_code < 300:
        return answer
    body = b""
    # Errors and listings are read in bounds, which botocore does not do.
    for part in answer.raw.stream(_CHUNK):
        body += part
        if len(body) > MAX_ANSWER:
            raise S3Failed("large", "The storage answers with more than it has to say.")
    set_content(answer, body)
    return answer


def _time_for(size: int) -> float:
    # Retries take their time as well, so the limit is for all of them.
    return (RETRIES + 1) * (CONNECT_SECONDS + READ_SECONDS) + size / SLOWEST


@contextmanager
def _limit_time(place: S3Place, *, seconds: float) -> Iterator[Any]:
    """Limit a block in time, and convert the libraries' exceptions into S3Failed."""
    from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError  # noqa: PLC0415

    # The files of a restored copy are read and written even while it is held (core.hold).
    with refuse_connections_if(None), time_limit(seconds) as deadline:
        try:
            yield deadline
        except ClientError as error:
            raise _refusal(error.response) from None
        except (BotoCoreError, *TRANSPORT_ERRORS, ValueError) as error:
            refused = next((cause for cause in error_causes(error) if isinstance(cause, OutboundRefused)), None)
            if refused is not None:
                raise S3Failed("refused", refused.detail) from None
            if deadline.over:
                raise S3Failed("slow", f"{place.host} did not answer in time.", down=True) from None
            if isinstance(error, ParamValidationError | ValueError) or "Invalid" in type(error).__name__:
                raise S3Failed("invalid", "The name of the bucket or its region is none.") from None
            raise S3Failed("unreachable", f"{place.host} could not be reached.", down=True) from None
        except (S3Failed, MemoryError):
            raise
        except Exception:  # noqa: BLE001  the library takes answers for what they ought to be
            raise S3Failed("invalid", f"{place.host} answers with something that S3 does not know.") from None
        if deadline.over:
            raise S3Failed("slow", f"{place.host} did not answer in time.", down=True)


def _refusal(response: Any) -> S3Failed:
    error, status = response.get("Error", {}), response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    code = str(error.get("Code") or status or "")
    # The code is shown to people and comes from a server of the company's choosing.
    code = code if _CODE.fullmatch(code) else str(status or "unknown")
    if code in _OTHER_REGION or status in (301, 307):
        return S3Failed(code, f"The bucket is in another region ({code}).")
    if code == "NoSuchBucket":
        return S3Failed(code, f"There is no bucket of this name ({code}).")
    # Servers that hide codes from HEAD requests answer with a bare 404.
    if status == 404 or code in _MISSING:
        return S3Failed(code, f"There is no such bucket or object ({code}).")
    if status in (401, 403):
        return S3Failed(code, f"The storage refuses these keys ({code}).", denied=True)
    down = status is not None and status >= 500
    return S3Failed(code, f"The storage answers with an error ({code}).", down=down)
