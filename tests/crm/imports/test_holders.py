"""Row errors about two people: who reads the name of the contact that has a row's number."""

from __future__ import annotations

import pytest

from crm.models import ImportRowError
from tests.crm.imports.helpers import csv_of, upload, work
from tests.kit.cast import make_cast

HEADER, TARGETS = "Name,Email,Phone", {"Name": "name", "Email": "email", "Phone": "number"}
MOE = {"name": "Moe Hidden", "email": "moe.hidden@secret.example", "countryCode": "+49", "number": "1705550002"}
NUMBER = "+491705550002"
LINES = [f"Eve Ude,eve@x.example,{NUMBER}", f"Moe Hidden,moe.hidden@secret.example,{NUMBER}"]
OTHERS = "; its address is not that of Eve Ude (eve@x.example)"
NAMED = ": Moe Hidden (moe.hidden@secret.example), not Eve Ude (eve@x.example)"


@pytest.mark.parametrize("kind", ["lead", "contact"])
@pytest.mark.parametrize("is_new", [False, True])
def test_only_readers_of_contacts_read_who_has_a_number(db: None, kind: str, is_new: bool) -> None:
    module = {"GET": kind == "lead", "POST": True, "PUT": True}
    rights = {kind: {**module, "GET": True}, "contact": {"POST": True, "PUT": True}}
    if kind == "contact":  # who reads imports of contacts reads contacts
        rights = {"contact": {**module, "GET": True}}
    cast = make_cast(rights)
    moe = "" if is_new else cast.key.post("/contact", {"formData": MOE}).data["_id"]
    lines = LINES[::-1] if is_new else LINES
    body = {"importType": kind, "fileId": upload(cast, csv_of(lines, HEADER)), "columnMapping": TARGETS}
    path = f"/{kind}/import/{cast.key.post(f'/{kind}/import', body).data['import']['_id']}"
    end = NAMED if kind == "contact" else OTHERS
    for caller, expected in ((cast.session, NAMED), (cast.narrow_session, end)):
        checked = caller.post(f"{path}/check").data["rowErrors"][0]
        assert checked["message"].endswith(expected)
        assert (checked["existingId"] or "") == moe
    cast.key.put(path, {"options": {"existing": "update"}})
    work()
    row = 3 if is_new else 2
    with cast.scope():
        stored = ImportRowError.objects.get()
        assert stored.message.endswith(OTHERS)
    assert stored.row == row
    for caller, expected in ((cast.session, NAMED), (cast.narrow_session, end)):
        found = caller.get(path).data["rowErrors"][0]
        assert found["message"].endswith(expected)
        assert found["existingId"] == (moe or found["existingId"])
        assert caller.get(f"{path}/errors").data[0]["message"].endswith(expected)
        csv = caller.get(f"{path}/errors.csv").body.decode()
        assert expected in csv
        assert ("moe.hidden@" in csv) == (expected == NAMED)
        mended = caller.post(f"{path}/mend", {"rows": [{"row": row, "values": {}}]})
        assert mended.data["rowErrors"][0]["message"].endswith(expected)
