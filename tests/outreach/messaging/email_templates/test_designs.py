"""Designs of emails: blocks become MJML, whatever people type in them, and templates keep both."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from typing import Any, get_args

import pytest

from core.errors import NamedError
from core.text.labels.networks import NETWORKS
from crm.files.public_pictures import picture_address
from outreach.messaging.email_templates.compiler import Compiled, compile_body
from outreach.messaging.email_templates.designs.blocks import FONTS, Columns, SocialLink, read_design
from outreach.messaging.email_templates.designs.brands import Brand, luminance
from outreach.messaging.email_templates.designs.inline import inline_html, is_address, paragraphs_html
from outreach.messaging.email_templates.designs.mjml import mjml_of
from outreach.messaging.email_templates.rendering import compile_template, render

BRAND = Brand(
    name="Acme & <b>Sons</b>",
    address="1 Main Street",
    website="https://acme.example",
    logo="https://acme.example/logo.png",
    links={"linkedin": "https://linkedin.com/company/acme", "x": "javascript:alert(1)", "other": "https://a.example"},
)
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>&amp; \'"; --> <!-- <mj-raw> ]]> \x00\x0b'
HOSTILE = [
    EVIL,
    "{{contact.firstName}} {{contact.name | default: \"dear <b>\"}} {{company.name|default:'x'}}",
    "مرحبا بكم في متجرنا",
    "👩🏽‍🚀 Zoë – ½ ✓ \u202egnp.exe",
    "**bold *both* [link **x**](https://a.example/?a=1&b={{contact.email}})** [bad](javascript:alert(1)) ***",
    "* ** *** [] []() [x]( ) ** a ** * b * " * 100,
    "line\n\n\nline\r\nline\n",
    "<mjml><mj-body></mj-body></mjml>",
]


def block(kind: str, text: str = "Words", **values: Any) -> dict[str, Any]:
    """Return a block of the kind with the text wherever it may have one."""
    line = text.replace("\n", " ").strip()[:100] or "x"
    blocks: dict[str, dict[str, Any]] = {
        "heading": {"text": text[:500], "level": 2},
        "text": {"text": text[:20_000]},
        "image": {"url": "https://acme.example/a.png", "alt": text[:300], "link": "https://acme.example"},
        "button": {"label": line, "url": "https://acme.example/?a=1&b=2"},
        "columns": {"columns": [{"blocks": [{"type": "text", "text": text}]}, {"blocks": []}]},
        "divider": {},
        "social": {},
        "footer": {"text": text[:2000]},
        "product": {
            "name": text[:200],
            "description": text[:2000],
            "price": "5 € <b>",
            "label": line,
            "link": "tel:+49",
        },
    }
    return {"type": kind, **blocks[kind], **values}


BLOCKS = ("heading", "text", "image", "button", "columns", "divider", "social", "footer", "product")


def design(*blocks: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"version": 1, "blocks": list(blocks), **values}


def compiled(value: dict[str, Any]) -> Compiled:
    body = mjml_of(read_design(value), BRAND, {})
    return compile_template("Subject", body, [])


def words(text: str) -> str:
    """Return a text as a mail's text part has it: without marks of bold and italic, blanks and lines."""
    return "".join(character for character in text if character.isalnum())


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("text", HOSTILE)
def test_blocks_show_what_people_type_and_run_nothing(kind: str, text: str) -> None:
    body = mjml_of(read_design(design(block(kind, text), block("text", "End"))), BRAND, {})
    assert "<script" not in body
    mail = compile_template("Subject", body, [])
    tags = Tags()
    tags.feed(mail.html)
    assert tags.names <= {"div", "table", "tbody", "tr", "td", "p", "h1", "h2", "h3", "a", "img", "strong", "em", "br"}
    assert not [name for name in tags.attributes if name.startswith("on")]
    assert "javascript:" not in "".join(mail.links)
    if kind in ("heading", "text", "footer", "columns") and "[" not in text and "{{" not in text:
        assert words(text) in words(mail.text)
    values = {"contact.firstName": "Ann", "contact.name": "", "company.name": "<i>Acme</i>", "contact.email": "a@b"}
    sent = render("Subject", mail, [], values)
    assert "{{" not in sent.html
    assert "<i>" not in sent.html


def test_hundred_thousand_characters_are_refused_with_their_place() -> None:
    with pytest.raises(NamedError) as error:
        read_design(design(block("divider"), {"type": "text", "text": "x" * 100_000}))
    assert error.value.detail == "design.blocks.1.text: enter at most 20,000 characters"
    assert len(compiled(design({"type": "text", "text": "*" * 20_000})).text) == 20_000
    assert len(compiled(design({"type": "text", "text": "[a](" * 5_000})).text) == 20_000


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({}, "design.version: is required"),
        ({"version": 2, "blocks": [{"type": "divider"}]}, "design.version: choose one of 1"),
        (design(), "design.blocks: list should have at least 1 item after validation, not 0"),
        (design({"type": "nothing"}), "design.blocks.0: choose one of heading, text, image, button, columns, "),
        (design({"text": "x"}), "design.blocks.0: enter the type: heading, text"),
        (design(block("text", html="<b>")), "design.blocks.0.html: is unknown here"),
        (design(block("heading", level=4)), "design.blocks.0.level: choose one of 1, 2 or 3"),
        (design(block("button", url="javascript:alert(1)")), "design.blocks.0.url: enter an address that begins with"),
        (design(block("button", url="https://a b")), "design.blocks.0.url: enter an address that begins with"),
        (design(block("image", url="data:image/png;base64,x")), "design.blocks.0.url: enter an address that begins"),
        (design(block("image", file="../etc")), "design.blocks.0.file: must be the id of a file"),
        (design(block("divider"), style={"accent": "red;x"}), "design.style.accent: enter a color, such as #1d4ed8"),
        (
            design(block("columns", columns=[{"blocks": []}, {"blocks": [block("columns")]}])),
            "design.blocks.0.columns.1.blocks.0: choose one of heading",
        ),
        (
            design(block("columns", columns=[{"blocks": []}, {"blocks": [block("text", "")]}])),
            "design.blocks.0.columns.1.blocks.0.text: enter a text",
        ),
        (
            design(block("social", links=[{"network": "myspace", "url": "https://a"}])),
            "design.blocks.0.links.0.network: ",
        ),
        (design(*[block("columns", columns=[{"blocks": [block("divider")] * 20}] * 3)] * 2), "design.blocks: has more"),
        ("x", "design: input should be a valid dictionary or instance of Design"),
    ],
)
def test_errors_name_the_part(value: Any, told: str) -> None:
    with pytest.raises(NamedError) as error:
        read_design(value)
    assert error.value.name == "InvalidEmailTemplate_400"
    assert error.value.detail.startswith(told)


def test_any_valid_design_compiles() -> None:
    chance = random.Random(32)
    letters = "ab <>&\"'*[](){}|\\\n\r\té€😀م\u202e%#;:=/-"
    for _ in range(150):
        blocks = []
        for _place in range(chance.randint(1, 12)):
            text = "".join(chance.choices(letters, k=chance.randint(1, 80)))
            text = re.sub(r"\{\{|\}\}|\{%|%\}", "", re.sub(r"[{}]", "", text)).strip() or "x"
            kind = chance.choice(BLOCKS)
            if kind == "columns":
                inner = [block(chance.choice([one for one in BLOCKS if one != "columns"]), text) for _ in range(3)]
                columns = [{"blocks": inner[: chance.randint(0, 3)]} for _ in range(chance.choice((2, 3)))]
                blocks.append(block(kind, text, columns=columns))
            else:
                align = {} if kind == "divider" else {"align": chance.choice(("left", "center", "right"))}
                blocks.append(block(kind, text, **align))
        style = {
            "font": chance.choice(["", *FONTS]),
            "accent": f"#{chance.randrange(1 << 24):06x}",
            "surface": f"#{chance.randrange(1 << 24):06x}",
            "width": chance.randint(400, 700),
            "logo": chance.random() < 0.5,
        }
        value = read_design(design(*blocks, block("text", "End"), style=style, preheader="A <b> & “c”"))
        mail = compile_body(mjml_of(value, BRAND, {}))
        assert mail.text.rstrip().endswith("End")
        assert read_design(value.model_dump()) == value


def test_marks_become_markup_and_nothing_else_does() -> None:
    shown = inline_html('**Hi {{a | default: "*x*"}}** *you* 5 * 3 [a](https://a.example/?x={{b}}&y)\n<b>', "#112233")
    assert shown == (
        '<strong>Hi {{a | default: &quot;*x*&quot;}}</strong> <em>you</em> 5 * 3 <a href="https://a.example/?x={{b}}'
        '&amp;y" style="color:#112233;text-decoration:underline">a</a><br />&lt;b&gt;'
    )
    assert paragraphs_html("One\ntwo\n\n \nthree", "#000000") == (
        '<p style="margin:0 0 16px">One<br />two</p><p style="margin:0">three</p>'
    )
    assert paragraphs_html("שלום", "#000000").startswith('<p style="margin:0" dir="rtl">')
    good = ["https://a.example", "HTTP://a", "mailto:a@b.example", "tel:+49 1".replace(" ", ""), "{{contact.site}}"]
    bad = ["", "javascript:x", "//a.example", "/x", "https://", "https://a b", 'https://a"b', "data:x", "a.example"]
    assert [is_address(text) for text in [*good, *bad]] == [True] * len(good) + [False] * len(bad)


def test_styles_of_the_brand_and_of_the_email() -> None:
    plain = mjml_of(read_design(design(block("button"), block("social"), block("footer", text=""))), BRAND, {})
    assert 'background-color="#2f5bea" color="#ffffff"' in plain
    assert "Acme &amp; &lt;b&gt;Sons&lt;/b&gt;<br />1 Main Street" in plain
    assert plain.count("https://linkedin.com/company/acme") == 1
    assert "javascript" not in plain
    assert plain.index("logo.png") < plain.index("<mj-button href")
    style = {"accent": "#FFEE00", "font": "georgia", "width": 480, "logo": False, "surface": "#000000"}
    own = mjml_of(read_design(design(block("button"), style=style)), BRAND, {})
    assert 'background-color="#ffee00" color="#111827"' in own
    assert ('width="480px"' in own, "logo.png" in own, "Georgia" in own) == (True, False, True)
    assert (luminance("#000000"), round(luminance("#ffffff"), 3)) == (0, 1)
    assert set(NETWORKS) > {"linkedin", "x"}
    assert set(get_args(SocialLink.model_fields["network"].annotation)) == set(NETWORKS)


def test_columns_stand_next_to_each_other() -> None:
    value = read_design(design(block("text"), block("columns"), block("text")))
    assert isinstance(value.blocks[1], Columns)
    body = mjml_of(value, BRAND, {})
    assert (body.count("<mj-section"), body.count("<mj-column>")) == (4, 5)  # with the logo's
    assert compile_body(body).html.count('class="mj-column-per-50"') == 2


@pytest.mark.parametrize(
    ("text", "values", "shown"),
    [
        ('Hi {{contact.firstName | default: "there"}}!', {"contact.firstName": "Ann"}, "Hi Ann!"),
        ('Hi {{contact.firstName | default: "there"}}!', {"contact.firstName": " "}, "Hi there!"),
        ("Hi {{contact.firstName|default:'you & <b>me</b>'}}!", {}, "Hi you & <b>me</b>!"),
        ("Hi {{ contact.firstName | default: “there” }}!", {}, "Hi there!"),
        ('Hi {{contact.firstName | default: ""}}!', {}, "Hi!"),
    ],
)
def test_fallbacks_of_fields(text: str, values: dict[str, str], shown: str) -> None:
    for body in (
        text if "<" not in text else "Hi there!",
        f"<p>{text.replace('<', '&lt;').replace('you & ', 'you &amp; ')}</p>",
    ):
        mail = render(text, compile_template("Subject", body, []), [], values)
        assert mail.subject == shown
        assert mail.text.strip() == shown or "<" in text
        assert "<b>" not in mail.html
    linked = compile_template(
        "S", f"""<p><a href="https://a.example/?n={text[3:-1].replace('"', "&quot;")}">x</a></p>""", []
    )
    assert "{{" not in render("S", linked, [], values).html


def test_unclear_fallbacks_are_refused() -> None:
    for text in ("{{contact.name | upper}}", "{{contact.name | default: there}}", '{{nothing | default: "x"}}'):
        with pytest.raises(NamedError, match="InvalidVariables_400"):
            compile_template("Subject", text, [])


def test_addresses_of_pictures_are_signed(settings: Any) -> None:
    settings.BASE_URL = "https://leads.example"
    address = picture_address("0" * 24)
    assert address.startswith(f"https://leads.example/pictures/{'0' * 24}/")
    assert address != picture_address("1" * 24)
