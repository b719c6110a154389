"""Values of the environment that settings need in another form, checked as they are read."""

from __future__ import annotations

import ipaddress
import os
import ssl
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()


def read_choice(name: str, options: tuple[str, ...], *, default: str) -> str:
    """Return the variable's value, one of the options. Raises ImproperlyConfigured for any other."""
    value: str = env(name, default=default)
    if value not in options:
        raise ImproperlyConfigured(f"{name} is one of {', '.join(options)}")
    return value


def base_urls(name: str) -> dict[str, str]:
    """Return the variable's JSON object of base URLs."""
    urls = env.json(name, default={})
    if not (isinstance(urls, dict) and all(isinstance(url, str) for url in urls.values())):
        raise ImproperlyConfigured(f'{name} is a JSON object such as {{"ai-a": "https://proxy.example.org"}}')
    return urls


def payment_gateway(letter: str) -> dict[str, str]:
    """Return the adapter of the gateway with this letter, its keys and its base URL."""
    prefix = f"GATEWAY_{letter.upper()}"
    return {
        "adapter": env(prefix),
        "key_id": env(f"{prefix}_KEY_ID", default=""),
        "secret_key": env(f"{prefix}_SECRET_KEY", default=""),
        "webhook_secret": env(f"{prefix}_WEBHOOK_SECRET", default=""),
        "former_secret": env(f"{prefix}_FORMER_SECRET", default=""),
        "base_url": env(f"{prefix}_BASE_URL", default=""),
    }


def files_bucket() -> dict[str, str]:
    """Return the service's own bucket and its keys. Its name is empty for none."""
    bucket = {
        "endpoint": env("FILES_S3_ENDPOINT", default=""),
        "region": env("FILES_S3_REGION", default="us-east-1"),
        "bucket": env("FILES_S3_BUCKET", default=""),
        "access_key": env("FILES_S3_ACCESS_KEY", default=""),
        "secret_key": env("FILES_S3_SECRET_KEY", default=""),
    }
    if bucket["bucket"] and not (bucket["access_key"] and bucket["secret_key"]):
        raise ImproperlyConfigured("FILES_S3_BUCKET needs FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY")
    return bucket


def certificates_file(path: str) -> str:
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


def resolver_address(text: str) -> tuple[str, int]:
    """Return the address and the port of `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`."""
    host = text.strip()
    port = "53"
    if host.startswith("["):
        host, _bracket, after = host[1:].partition("]")
        port = after.removeprefix(":") or port
    elif host.count(":") == 1:
        host, _colon, port = host.partition(":")
    try:
        number = int(port)
        if not 0 < number < 65536:
            raise ValueError
        return str(ipaddress.ip_address(host)), number
    except ValueError:
        raise ImproperlyConfigured(f"DNS_RESOLVERS: {text!r} is no IP address, with or without a port") from None


def share_metrics(folder: Path) -> None:
    """Let prometheus_client collect the figures of all processes in this folder, or in that of the environment."""
    shared = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(folder))
    Path(shared).mkdir(mode=0o700, parents=True, exist_ok=True)
