"""The pages of secrets, and the form of a step that sends one along."""

from __future__ import annotations

from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of
from tests.workflows.helpers import edges, node
from workflows.models import WorkflowSecret

VALUE = "canary-4711"


def test_a_secret_is_kept_chosen_and_deleted_and_never_shown(cast: Cast) -> None:
    client, path = enter(cast.owner), at(cast.owner, "settings/secrets")
    form = {"name": "Billing", "host": "api.example.org", "value": VALUE}
    wrong = client.post(f"{path}/new", {**form, "host": "https://api.example.org"})
    assert (wrong.status_code, 'id="f-host-error"' in html_of(wrong)) == (422, True)
    assert VALUE not in html_of(wrong)
    assert "Secret added" in toast_of(client, client.post(f"{path}/new", form))
    with cast.scope():
        secret = WorkflowSecret.objects.get()
    assert secret.value == VALUE

    body = {"name": "Call", "triggerEventType": "manual", "edges": edges("trigger > call")}
    call = node("call", "http", {"url": "https://api.example.org/x", "auth": {"secret": secret.pk}})
    workflow = cast.key.post("/workflow", {**body, "nodes": [node("trigger", "trigger"), call]}).data["_id"]
    step = client.get(at(cast.owner, f"workflows/{workflow}/step?node=call"))
    assert f'<option value="{secret.pk}" selected>Billing (api.example.org)</option>' in html_of(step)

    for page in (client.get(path), client.get(f"{path}/{secret.pk}"), step):
        assert "api.example.org" in text_of(page)
        assert VALUE not in html_of(page)
    assert client.post(f"{path}/{secret.pk}", {**form, "do": "save"}).status_code == 400
    assert enter(cast.narrow).get(path).status_code == 403
    assert "Secret deleted" in toast_of(client, client.post(f"{path}/{secret.pk}", {"do": "delete"}))
    assert client.get(f"{path}/{secret.pk}").status_code == 404
    with cast.scope():
        assert not WorkflowSecret.objects.exists()
