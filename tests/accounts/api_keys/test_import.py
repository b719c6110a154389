"""The command import_keys: keys of an earlier service go on working."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import ApiKey
from core.tenancy import unscoped
from tests.kit.cast import KEY, Caller, Cast

OLD = ("aB3dE5gH7jK9", "x" * 256, "0123456789abcdefABCDEF")


def run(path: Path | str, company: str, **options: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import_keys", str(path), company=company, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.txt"
    path.write_text("\n".join([*OLD, "", "short", "with blank inside", OLD[0], "y" * 257]))
    return path


def test_keys_are_stored_as_others_and_work(cast: Cast, keys: Path) -> None:
    told, problems = run(keys, cast.company.pk)
    assert told == "3 keys added, 1 known already, 3 refused\n"
    assert problems.splitlines() == [
        "line 5: has 5 characters; a key has 8 to 256",
        "line 6: has characters that no header can carry",
        "line 8: has 257 characters; a key has 8 to 256",
    ]
    for key in OLD:
        made = Caller(KEY, {"apikey": key}).post("/tag", {"name": key[:12]})
        assert (made.status, made.data["createdBy"]["_id"]) == (201, cast.owner.pk)
    with unscoped(reason="test: what is stored"):
        rows = ApiKey.objects.filter(masked_key="*" * 11 + OLD[0][-4:])
        assert [row.key for row in rows] == [OLD[0]]
        assert OLD[0] not in str(ApiKey.objects.filter(pk=rows[0].pk).values("key_hash", "masked_key"))
    assert run(keys, cast.company.pk)[0] == "0 keys added, 4 known already, 3 refused\n"


def test_a_key_of_another_company_is_refused(cast: Cast, outsiders: Cast, keys: Path) -> None:
    run(keys, outsiders.company.pk)
    told, problems = run(keys, cast.company.pk)
    assert told == "0 keys added, 0 known already, 7 refused\n"
    assert problems.splitlines()[0] == "line 1: is a key of another company"
    assert Caller(KEY, {"apikey": OLD[0]}).get("/tag").status == 200


def test_whom_keys_stand_for(cast: Cast, keys: Path, tmp_path: Path) -> None:
    run(keys, cast.company.pk, member=cast.narrow.user.email.upper())
    with unscoped(reason="test: what is stored"):
        assert {row.created_by_id for row in ApiKey.objects.exclude(pk=cast.api_key.pk)} >= {cast.narrow.pk}
    for options, said in (
        ({"company": "f" * 24}, "there is no company"),
        ({"company": "x"}, "there is no company"),
        ({"company": cast.company.pk, "member": "nobody@example.com"}, "has no active member"),
    ):
        with pytest.raises(CommandError, match=said):
            run(keys, **options)
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "missing", cast.company.pk)
