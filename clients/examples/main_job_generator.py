"""Run the main job with the Python client of openapi-generator: upload, import, draft, approve, read the log.

python main_job_generator.py https://crm.example.com KEY contacts.csv TAG_ID
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import leadwright_client as leadwright

base, key, path, tag = sys.argv[1:]
client = leadwright.ApiClient(leadwright.Configuration(host=base, api_key={"apikey": key}))
contacts = leadwright.ContactApi(client)
genie = leadwright.GenieApi(client)


def wait(read: Callable[[], Any], is_ready: Callable[[Any], bool]) -> Any:
    """Read until it is as wanted. Raises TimeoutError after three minutes."""
    for _ in range(180):
        found = read()
        if is_ready(found):
            return found
        time.sleep(1)
    raise TimeoutError


# The client raises ApiException for a failure; its `data` is the Failure.
uploaded = leadwright.UploadApi(client).post_upload([("contacts.csv", Path(path).read_bytes())])
assert uploaded.success is True
file = uploaded.data.actual_instance

body = leadwright.ImportCreateRequest(import_type="contact", file_id=file.id, tags=[tag], pause_import=False)
made = contacts.post_contact_import(body).data.var_import
imported = wait(
    lambda: contacts.get_contact_import_id(made.id).data,
    lambda found: found.status in ("completed", "failed", "cancelled"),
)

draft = leadwright.RunCreateRequest(tags=[tag], prompt="Invite them to our webinar on Tuesday", draft=True)
run = genie.post_genie_from_contacts(f"webinar-{file.id}", draft).data
filters = json.dumps({"run": run.id})


def count_sent() -> int:
    """Return how many messages of the run the log shows as sent."""
    listed = leadwright.LogsApi(client).get_logs_smtp(p=1, n=100, filters=filters)
    return sum(entry.status == "sent" for entry in listed.data)


wait(lambda: genie.get_genie_send_jobs(p=1, n=1, filters=filters).total_count, lambda count: count == imported.created)
approved = genie.post_genie_scheduler_id_approve_all(run.id).data.changed_count
wait(count_sent, lambda count: count == approved)
print(json.dumps({"created": imported.created, "approved": approved, "sent": count_sent()}))
