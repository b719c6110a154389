"""Private parts of botocore 1.44.5, without a way to choose the classes of its connections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def use_pools(client: Any, pools: Mapping[str, Any]) -> Any:
    """Have a client open its connections by these classes (scheme -> class). Returns its HTTP session."""
    session = client._endpoint.http_session
    session._manager.pool_classes_by_scheme = pools
    return session


def set_content(response: Any, content: bytes) -> None:
    """Give a response the content that was read from its stream."""
    response._content = content
