"""The registrations of files."""

from __future__ import annotations

from datetime import timedelta

from core.access import count_usage
from core.api.routes import protected
from core.jobs import PeriodicTask, QueueWork, register
from crm.files.leftovers import files_to_remove, remove_leftovers
from crm.files.selectors import stored_files
from crm.files.storage import remove_old_incoming
from crm.files.views import FileViewSet, UploadViewSet

protected.register("upload", UploadViewSet)
protected.register("file", FileViewSet)
register(QueueWork("files", remove_leftovers, due_rows=files_to_remove, queue="bulk", task="crm.delete_files"))
register(PeriodicTask("files.incoming", remove_old_incoming, every=timedelta(minutes=10)))
count_usage("file", stored_files)
