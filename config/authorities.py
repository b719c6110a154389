"""The file of further certificate authorities, as an operator writes it."""

from __future__ import annotations

import ssl

from django.core.exceptions import ImproperlyConfigured


def authorities_file(path: str) -> str:
    """Return the path of a file of certificates; empty for none. Raises ImproperlyConfigured for any other file."""
    if not path:
        return ""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ssl.SSLError) as error:
        raise ImproperlyConfigured(
            f"OUTBOUND_CA_FILE: {path!r} is no readable file of certificates (PEM): {error.strerror or error}"
        ) from None
    return path
