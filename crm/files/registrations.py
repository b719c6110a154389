"""The registrations of files."""

from __future__ import annotations

from datetime import timedelta

from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from core.jobs import PeriodicTask, QueueWork, register
from crm.files.filters import FILE_FIELDS
from crm.files.leftovers import files_to_remove, remove_leftovers
from crm.files.selectors import readable_files, stored_files
from crm.files.services import kept_files
from crm.files.storage import remove_old_incoming
from crm.files.views import FileViewSet, UploadViewSet

protected.register("upload", UploadViewSet)
protected.register("file", FileViewSet)
register(QueueWork("files", remove_leftovers, due_rows=files_to_remove, queue="bulk", task="crm.delete_files"))
register(PeriodicTask("files.incoming", remove_old_incoming, every=timedelta(minutes=10)))
count_usage("file", stored_files)
register_kind(
    Kind(
        "file",
        "file",
        lambda actor: kept_files(readable_files(actor)),
        FILE_FIELDS.pick("name"),
        "name",
        "created_by__name",
        50,
    )
)
