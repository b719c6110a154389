"""The spec of buckets as a connected app."""

from __future__ import annotations

from core.api.selection import SelectionInput
from crm.files.models import Bucket
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.storage import services
from outreach.connections.storage.filters import BUCKET_FIELDS
from outreach.connections.storage.serializers import BucketChange, BucketCreate, BucketOut, BucketsDeleted, BucketTest

BUCKET = ConnectedApp(
    key="bucket",
    model=Bucket,
    rows=Bucket.objects.all,
    fields=BUCKET_FIELDS,
    output=BucketOut,
    secrets=services.KEYS,
    capabilities=frozenset({Capability.STORE_FILES}),
    not_found=services.not_found,
    list_summary="List buckets",
    retrieve_summary="Read a bucket",
    create=AppOperation(
        summary="Connect a bucket",
        run=services.create_bucket,
        success="BucketConnected_201",
        input=BucketCreate,
        errors=(BUSY, services.REFUSED, services.DOWN),
        description="A bucket of Amazon S3, or of a storage that speaks its protocol. An object named"
        " `.leadwright-<id>` is written into it and deleted; where that fails, nothing is connected, and `warning` has"
        " the storage's code: InvalidCredentials_400 where it refuses, FileUploadFailed_400 where it is down. From then"
        " on the company's new files go there; those from before stay where they are.",
    ),
    update=AppOperation(
        summary="Change a bucket",
        run=services.update_bucket,
        success="BucketChanged_200",
        input=BucketChange,
        errors=(BUSY, services.REFUSED, services.DOWN, "RecordChanged_409"),
        description="A bucket that is active is verified as a new one is. Where it is switched off, its files"
        " cannot be had until it is switched on again.",
    ),
    delete=AppOperation(
        summary="Delete buckets",
        run=services.delete_buckets,
        success="BucketsDeleted_200",
        input=SelectionInput,
        output=BucketsDeleted,
        description="A bucket that files are in is switched off instead. What is in it stays there.",
    ),
    nothing_selected="AppNotFound_400",
    test=AppOperation(
        summary="Test a bucket",
        run=services.check_bucket,
        success="BucketTested_200",
        output=BucketTest,
        errors=(BUSY,),
        description="Writes an object and deletes it. A failed test answers 200 with ok false.",
    ),
)
