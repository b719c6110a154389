"""Multipart bodies of any size in constant memory: bounded, hashed as they arrive, refused as early as possible."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, TemporaryFileUploadHandler
from django.template.defaultfilters import filesizeformat
from rest_framework.exceptions import ParseError
from rest_framework.parsers import DataAndFiles, MultiPartParser

from core.errors import NamedError, ValidationFailed, shorten
from core.internals.rest_framework import http_request
from crm.files.storage import Received, open_incoming

FIELD = "file"
OVERHEAD_BYTES = 1 << 20
"""The largest size of the boundaries and headers of a multipart body."""


class ReceivingHandler(FileUploadHandler):
    """Writes the parts named `file` to the storage's volume; together they may have MAX_UPLOAD_BYTES."""

    chunk_size = 1 << 20

    def __init__(self) -> None:
        super().__init__()
        self._total = 0
        self._all: list[Received] = []

    def new_file(self, field_name: str, *args: Any, **options: Any) -> None:
        super().new_file(field_name, *args, **options)
        if field_name != FIELD:
            raise ValidationFailed(f"unknown part; send the content in parts named {FIELD}", field=shorten(field_name))
        self._received = Received(self.file_name or "file")
        self._all.append(self._received)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        # Counted again while it arrives: a chunked body announces no length.
        self._total += len(raw_data)
        if self._total > settings.MAX_UPLOAD_BYTES:
            raise too_large()
        self._received.append(raw_data)

    def discard(self) -> None:
        """Remove the received files at once: after an error they would live until the garbage collector runs."""
        for received in self._all:
            received.close()

    def file_complete(self, file_size: int) -> Received:
        self._received.complete()
        return self._received


class IncomingFile(TemporaryUploadedFile):
    """A file of a form, in the folder of uploads: leftovers of a killed process are removed from there."""

    def __init__(
        self, name: str | None, content_type: str | None, charset: str | None, extra: dict[str, bytes] | None
    ) -> None:
        UploadedFile.__init__(self, open_incoming(), name, content_type, 0, charset, extra)


class IncomingFileUploadHandler(TemporaryFileUploadHandler):
    """Writes files of forms that are too large for memory; together they may have MAX_UPLOAD_BYTES."""

    file: IncomingFile
    _total = 0

    def new_file(self, *args: Any, **options: Any) -> None:
        FileUploadHandler.new_file(self, *args, **options)
        self.file = IncomingFile(self.file_name, self.content_type, self.charset, self.content_type_extra)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._total += len(raw_data)
        if self._total > settings.MAX_UPLOAD_BYTES:
            self.file.close()
            raise RequestDataTooBig(f"the files have more than {settings.MAX_UPLOAD_BYTES} bytes")
        super().receive_data_chunk(raw_data, start)


class UploadParser(MultiPartParser):
    """Parses a multipart body. Refuses one that is too large or ends before its announced length."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> DataAndFiles[Any, Any]:
        request = http_request((parser_context or {})["request"])
        announced = int(request.META.get("CONTENT_LENGTH") or 0)
        # Refused before a byte is read, so that nobody waits for an upload that cannot succeed.
        if announced > settings.MAX_UPLOAD_BYTES + OVERHEAD_BYTES:
            raise too_large()
        handler = ReceivingHandler()
        # Django's own handlers would keep small files in memory, where no hash is taken.
        request.upload_handlers = [handler]
        try:
            return self._receive(stream, announced, media_type, parser_context)
        except BaseException:
            handler.discard()
            raise

    def _receive(
        self, stream: Any, announced: int, media_type: str | None, parser_context: Any
    ) -> DataAndFiles[Any, Any]:
        counted: Any = _Counted(stream)
        try:
            parsed = super().parse(counted, media_type, parser_context)
        except ParseError as error:
            raise ValidationFailed(f"the body is no multipart/form-data: {error.detail}") from error
        except OSError as error:
            raise NamedError(
                "FileUploadFailed_400",
                "the connection broke, or the server's disk is full; send it again",
                field="file",
            ) from error
        if counted.count < announced:
            raise NamedError(
                "FileUploadFailed_400",
                f"only {counted.count} of {announced} bytes arrived; send it again",
                field="file",
            )
        # An unknown key is an error here as everywhere in the API: a
        # misspelled part would be lost in silence.
        extra = next(iter(parsed.data), None)
        if extra is not None:
            raise ValidationFailed(
                f"unknown part; send the content in parts named {FIELD}, each with a file name", field=shorten(extra)
            )
        return parsed


class _Counted:
    """A stream that counts the bytes read from it: Django's parser accepts a truncated body as complete."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)
        self.count += len(data)
        return data


def too_large() -> ValidationFailed:
    """Return the error for an upload over the limit."""
    most = settings.MAX_UPLOAD_BYTES
    return ValidationFailed(
        f"file: the upload is too large; at most {most} bytes are taken in one request",
        f"the upload is too large; choose files of at most {filesizeformat(most)}",
        field="file",
    )
