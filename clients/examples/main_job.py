"""Run the main job with the client of openapi-python-client: upload, import, draft, approve, read the log.

python main_job.py https://crm.example.com KEY contacts.csv TAG_ID
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadwright_client import AuthenticatedClient
from leadwright_client.api.contact import get_contact_import_id, post_contact_import
from leadwright_client.api.genie import (
    get_genie_send_jobs,
    post_genie_from_contacts,
    post_genie_scheduler_id_approve_all,
)
from leadwright_client.api.logs import get_logs_smtp
from leadwright_client.api.upload import post_upload
from leadwright_client.models import Failure, FileOut, ImportCreateRequest, RunCreateRequest, UploadInputRequest
from leadwright_client.types import File

base, key, path, tag = sys.argv[1:]
client = AuthenticatedClient(base_url=base, token=key, prefix="", auth_header_name="apikey")


def succeeded(answer: Any) -> Any:
    """Return the data of an answer. Raises RuntimeError for a failure."""
    if answer is None or isinstance(answer, Failure):
        raise RuntimeError(f"{answer.message}: {answer.warning}" if answer else "an answer without description")
    return answer.data


def wait(read: Callable[[], Any], is_ready: Callable[[Any], bool]) -> Any:
    """Read until it is as wanted. Raises TimeoutError after three minutes."""
    for _ in range(180):
        found = read()
        if is_ready(found):
            return found
        time.sleep(1)
    raise TimeoutError


with Path(path).open("rb") as content:
    part = File(payload=content, file_name="contacts.csv", mime_type="text/csv")
    file = succeeded(post_upload.sync(client=client, body=UploadInputRequest(file=[part])))
assert isinstance(file, FileOut)  # one part gives one File

body = ImportCreateRequest(import_type="contact", file_id=file.field_id, tags=[tag], pause_import=False)
made = succeeded(post_contact_import.sync(client=client, body=body))
imported = wait(
    lambda: succeeded(get_contact_import_id.sync(made.import_.field_id, client=client)),
    lambda found: found.status in ("completed", "failed", "cancelled"),
)

draft = RunCreateRequest(tags=[tag], prompt="Invite them to our webinar on Tuesday", draft=True)
run = succeeded(post_genie_from_contacts.sync(client=client, body=draft, idempotency_key=f"webinar-{file.field_id}"))
filters = json.dumps({"run": run.field_id})


def count_drafts() -> int:
    """Return how many messages of the run wait for approval."""
    listed = get_genie_send_jobs.sync(client=client, p=1, n=1, filters=filters)
    succeeded(listed)
    return listed.total_count


def count_sent() -> int:
    """Return how many messages of the run the log shows as sent."""
    listed = get_logs_smtp.sync(client=client, p=1, n=100, filters=filters)
    return sum(entry.status == "sent" for entry in succeeded(listed))


wait(count_drafts, lambda count: count == imported.created)
approved = succeeded(post_genie_scheduler_id_approve_all.sync(run.field_id, client=client)).changed_count
wait(count_sent, lambda count: count == approved)
print(json.dumps({"created": imported.created, "approved": approved, "sent": count_sent()}))
