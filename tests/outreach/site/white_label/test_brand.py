"""/white-label-options: what a brand may be, who may change it, and where it is shown."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zlib import crc32

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from accounts.mails.services import queue_mail
from accounts.mails.worker import message_of
from billing.subscriptions.services import override_subscription
from core.events.models import Event
from outreach.models import BrandImage, DomainTracking, WhiteLabel
from outreach.site.white_label.colors import contrast, lighten_color
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import EVIL, at, enter, text_of

pytestmark = pytest.mark.django_db
HOST = "crm.acme.example"
SECRET = "taken at home, by Ann"


@pytest.fixture(autouse=True)
def _fresh(settings: Any) -> Iterator[None]:
    """Processes remember looks and hosts for a while. Addresses of companies' hosts are as the service's own."""
    settings.BASE_URL = "https://leadwright.example"
    cache.clear()
    yield
    cache.clear()


def picture(width: int = 200, height: int = 100, kind: str = "PNG") -> bytes:
    """Return a picture with a comment in it, and something behind its end."""
    target, about = BytesIO(), PngInfo()
    about.add_text("Comment", SECRET)
    Image.new("RGB", (width, height), "#0e7490").save(target, kind, **({"pnginfo": about} if kind == "PNG" else {}))
    return target.getvalue() + b"<script>alert(1)</script>"


def _with_chunk(png: bytes, kind: bytes, content: bytes) -> bytes:
    """Return a picture with another chunk behind its header, which is 33 bytes long."""
    chunk = struct.pack(">I", len(content)) + kind + content + struct.pack(">I", crc32(kind + content))
    return png[:33] + chunk + png[33:]


def uploaded(cast: Cast, content: bytes, name: str = "logo.png") -> str:
    answer = cast.session.upload("/upload", SimpleUploadedFile(name, content))
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def hosted(cast: Cast, name: str = HOST) -> str:
    """Return a host of the company's own, as it is once its records were found."""
    with cast.scope():
        return DomainTracking.objects.create(
            name=name, proof="leadwright=x", state="verified", verified_at=timezone.now()
        ).pk


def branded(cast: Cast, **values: Any) -> dict[str, Any]:
    answer = cast.session.put("/white-label-options", {"productName": "Acme CRM", "accent": "#0e7490", **values})
    assert answer.status == 200, answer.body
    return dict(answer.data)


def test_a_brand_is_read_changed_and_taken_back(cast: Cast, outsiders: Cast) -> None:
    none = cast.session.get("/white-label-options").data
    assert (none["productName"], none["logo"], none["domain"], none["contrast"]) == ("", "", None, None)
    found = branded(cast, senderName="Acme", domain=hosted(cast))
    assert (found["productName"], found["senderName"], found["accent"]) == ("Acme CRM", "Acme", "#0e7490")
    assert (found["contrast"], found["contrastDark"]) == (4.82, 4.7)
    assert found["accentDarkShown"] == lighten_color("#0e7490")
    assert (found["domain"]["name"], found["domain"]["status"]) == (HOST, "verified")
    assert found["address"] == f"https://{HOST}"
    assert cast.session.get("/white-label-options").data == found
    assert outsiders.session.get("/white-label-options").data["productName"] == ""
    with cast.scope():
        assert Event.objects.filter(kind="white-label-options.updated").count() == 1
    gone = cast.session.put("/white-label-options", {"productName": "", "accent": "", "domain": None}).data
    assert (gone["productName"], gone["accent"], gone["contrast"], gone["domain"]) == ("", "", None, None)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"accent": "#ffee00"}, "accent: #ffee00 has a contrast of 1.08 with #eef3ff"),
        ({"accent": "#0e7490", "accentDark": "#0e7490"}, "accentDark: #0e7490 has a contrast of 2.92 with #17233d"),
        ({"accent": "red"}, "accent: enter a color, such as #2f5bea"),
        ({"accent": "#12345"}, "accent: enter a color"),
        ({"accentDark": "#ffffff"}, "accent: choose both colors"),
        ({"productName": "x" * 61}, "productName"),
        ({"productName": "a\nb"}, "productName"),
        ({"logoFile": "0" * 24}, "logoFile: there is no such file"),
        ({"domain": "0" * 24}, "there is no such tracking domain"),
        ({"css": "x"}, "css"),
    ],
)
def test_what_cannot_be_used_is_refused(cast: Cast, body: dict[str, Any], words: str) -> None:
    answer = cast.session.put("/white-label-options", body)
    assert (answer.status, words in answer.body["warning"]) == (400, True), answer.body
    if "accent" in body and "name" not in words:
        preview = cast.session.post("/white-label-options/preview", body)
        assert preview.status == 400
    with cast.scope():
        assert not WhiteLabel.objects.exclude(accent="").exists()


def test_contrast_is_that_of_wcag() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert round(contrast("#767676", "#ffffff"), 2) == 4.54
    assert contrast(lighten_color("#000000"), "#17233d") >= 4.5


def test_pictures_are_drawn_anew_and_public(cast: Cast, outsiders: Cast) -> None:
    file = uploaded(cast, picture(2000, 1000))
    found = branded(cast, logoFile=file, faviconFile=uploaded(cast, picture(64, 64, "JPEG"), "icon.jpg"))
    answer = Client().get(found["logo"])
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert "immutable" in answer["Cache-Control"]
    assert SECRET.encode() not in answer.content
    assert b"script" not in answer.content
    assert Image.open(BytesIO(answer.content)).size == (192, 96)
    assert Image.open(BytesIO(Client().get(found["favicon"]).content)).size == (64, 64)
    assert outsiders.session.put("/white-label-options", {"logoFile": file}).status == 400
    assert cast.session.put("/white-label-options", {"logoFile": None}).data["logo"] == ""
    with cast.scope():
        assert BrandImage.objects.count() == 2  # mails that have gone show it


@pytest.mark.parametrize(
    ("content", "name", "field", "words"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "a.svg", "logoFile", "PNG, JPEG"),
        (b"Name,Mail\nAnn,ann@example.org\n", "people.csv", "logoFile", "PNG, JPEG"),
        (picture()[:60], "cut.png", "logoFile", "this one is damaged"),
        (_with_chunk(picture(), b"eXIf", b"II*\0"), "hostile.png", "logoFile", "this one is damaged"),
        (picture(20, 20), "small.png", "logoFile", "at least 24 pixels"),
        (picture(4001, 30), "wide.png", "logoFile", "at most 4000 pixels"),
        (picture(64, 65), "icon.png", "faviconFile", "square picture; this one is 64 × 65"),
    ],
)
def test_other_files_are_refused(cast: Cast, content: bytes, name: str, field: str, words: str) -> None:
    sent = cast.session.upload("/upload", SimpleUploadedFile(name, content))
    if sent.status != 201:
        assert sent.status == 400  # not even files take it
        return
    answer = cast.session.put("/white-label-options", {field: sent.data["_id"]})
    assert (answer.status, words in answer.body["warning"]) == (400, True), answer.body
    with cast.scope():
        assert not BrandImage.objects.exists()


def test_role_and_plan_decide(cast: Cast) -> None:
    branded(cast, senderName="Acme")
    assert cast.narrow_session.get("/white-label-options").status == 403
    role = cast.narrow.role
    with cast.scope():
        role.permission = {"white-label-options": {"GET": True, "PUT": True}}
        role.save()
    file = uploaded(cast, picture())
    assert cast.narrow_session.get("/white-label-options").status == 200
    refused = cast.narrow_session.put("/white-label-options", {"logoFile": file})
    assert (refused.status, "file.GET" in refused.body["warning"]) == (403, True)
    client = enter(cast.owner)
    assert "Acme CRM" in text_of(client.get(at(cast.owner, "leads")))
    override_subscription(company_id=cast.company.pk, modules=["lead"], limits={})
    assert cast.session.get("/white-label-options").status == 403
    cache.clear()
    assert "Acme CRM" not in text_of(client.get(at(cast.owner, "leads")))
    with cast.scope():
        mail = queue_mail(
            "password_changed", to="a@example.org", context={"at": timezone.now()}, company_id=cast.company.pk
        )
        assert "Acme" not in message_of(mail).from_email


def test_mails_have_the_brand(cast: Cast, settings: Any) -> None:
    found = branded(cast, senderName='Acme "Team"', logoFile=uploaded(cast, picture()))

    def mail() -> Any:
        with cast.scope():
            return queue_mail(
                "password_changed", to="a@example.org", context={"at": timezone.now()}, company_id=cast.company.pk
            )

    before = mail()
    assert message_of(before).from_email.startswith('"Acme Team via Leadwright" <')
    assert f'src="{settings.BASE_URL}{found["logo"]}"' in before.html
    assert "Acme CRM" in before.text
    branded(cast, domain=hosted(cast))
    after = mail()
    assert message_of(after).from_email.startswith('"Acme Team" <')
    assert f"https://{HOST}{found['logo']}" in after.html
    assert f"{settings.BASE_URL}/" not in after.html


@pytest.mark.undescribed("hosts of companies have pages, and no API")
def test_a_companys_host_has_its_pages_and_nobody_elses_brand(cast: Cast, outsiders: Cast, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    found = branded(cast, logoFile=uploaded(cast, picture()), domain=hosted(cast))
    other = branded(outsiders, productName="Other Brand", logoFile=uploaded(outsiders, picture()))
    forms = {}
    for one in (cast, outsiders):
        questions = [{"key": key, "label": key, "type": key, "required": True} for key in ("email", "phone")]
        mapping = {"email": "email", "phone": "number"}
        made = one.key.post("/form", {"name": "Contact us", "fields": questions, "mapping": mapping})
        assert made.status == 201, made.body
        opened = one.key.post(f"/form/{made.data['_id']}/publish")
        assert opened.status == 200, opened.body
        forms[one.company.pk] = opened.data
    visitor = Client(headers={"host": HOST})
    login = visitor.get("/login")
    assert login.status_code == 200
    assert "Acme CRM" in text_of(login)
    assert "Leadwright" not in text_of(login)
    for part in (found["logo"], f'href="/brand/{cast.company.pk}/'):
        assert part in html_of(login)
    sheet = visitor.get(f"/brand/{cast.company.pk}/1.css")
    assert "--accent-fill:#0e7490" in html_of(sheet)
    assert visitor.get(found["logo"]).status_code == 200
    member = enter(cast.owner, headers={"host": HOST})
    page = member.get(at(cast.owner, "leads"))
    assert (page.status_code, "Acme CRM" in text_of(page)) == (200, True)
    sent = member.post(at(cast.owner, "tags/new"), {"do": "save", "name": "Hot"}, headers={"origin": f"http://{HOST}"})
    assert sent.status_code == 303
    assert member.get("/")["Location"].startswith(f"/c/{cast.company.pk}/")
    stranger = enter(outsiders.owner, headers={"host": HOST})
    assert stranger.get("/")["Location"] == "/account"
    assert "Other Brand" not in text_of(stranger.get("/account"))
    for path in (
        at(outsiders.owner, "leads"),
        other["logo"],
        f"/brand/{outsiders.company.pk}/1.css",
        "/admin/",
        "/register",
        "/api/docs",
        "/api/protected/lead",
        "/api/public/login",
    ):
        assert stranger.get(path).status_code == 404, path
    address = forms[cast.company.pk]["url"].partition("/f/")[2]
    foreign = forms[outsiders.company.pk]["url"].partition("/f/")[2]
    shown = visitor.get(f"/f/{address}")
    assert (shown.status_code, "Acme CRM" in text_of(shown)) == (200, True)
    assert visitor.get(f"/f/{foreign}").status_code == 404
    assert "Other Brand" not in text_of(visitor.get(f"/f/{foreign}"))
    with cast.scope():
        DomainTracking.objects.update(state="lost")
    cache.clear()
    assert visitor.get("/login").status_code == 404


def test_the_page_shows_changes_and_refuses(cast: Cast) -> None:
    client, place = enter(cast.owner), at(cast.owner, "settings/brand")
    page = client.get(place)
    assert (page.status_code, "Your name, colors and logo" in text_of(page)) == (200, True)
    assert client.post(place, {"do": "save", "productName": EVIL[:60], "accent": "#0e7490"}).status_code == 303
    shown = html_of(client.get(place))
    assert "<script>alert(1)" not in shown
    refused = client.post(place, {"do": "save", "productName": "Acme", "accent": "#ffee00"})
    assert (refused.status_code, "has a contrast of 1.08" in text_of(refused)) == (422, True)
    preview = client.post(place, {"do": "preview", "productName": "Acme", "accent": "#7c3aed"})
    assert "Contrast: 5.1" in text_of(preview)
    style = client.get("/brand/preview/7c3aed-a070f2.css")
    assert html_of(style).startswith(":root{--accent:light-dark(#7c3aed,#a070f2)")
    assert client.get("/brand/preview/7c3aed-;}.css").status_code == 404
    sent = client.post(place, {"do": "upload", "kind": "logo", "file": SimpleUploadedFile("l.png", picture())})
    assert sent.status_code == 303
    with cast.scope():
        assert WhiteLabel.objects.get().logo_id
    assert client.post(place, {"do": "remove", "kind": "logo"}).status_code == 303
    with cast.scope():
        assert WhiteLabel.objects.get().logo_id is None


@pytest.mark.parametrize("field", ["productName", "senderName"])
def test_a_name_is_no_address(cast: Cast, field: str) -> None:
    for text in ("https://evil.example", "www.evil.example", "Acme evil.example/login", "acme.com", "billing@acme.com"):
        refused = cast.key.put("/white-label-options", {field: text})
        assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, field), text
    for text in ("Acme Inc.", "St. Gallen CRM", "Node.js people", "A/B Partners", ""):
        assert cast.key.put("/white-label-options", {field: text}).data[field] == text
