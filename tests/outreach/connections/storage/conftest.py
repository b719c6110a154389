"""A server of buckets, and a bucket of the cast's company."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.ids import new_id
from tests.kit.cast import Cast
from tests.kit.s3_server import Buckets, s3_server


@pytest.fixture(scope="session")
def buckets() -> Iterator[Buckets]:
    with s3_server() as found:
        yield found


@pytest.fixture
def box(buckets: Buckets) -> str:
    """The name of a new bucket."""
    name = f"box-{new_id()}"
    buckets.make(name)
    return name


@pytest.fixture
def bucket(cast: Cast, buckets: Buckets, box: str) -> dict[str, Any]:
    """The bucket, connected."""
    answer = cast.session.post("/apps/bucket", {**buckets.body(box), "subpath": "/crm//files/"})
    assert answer.status == 201, answer.body
    return dict(answer.data)
