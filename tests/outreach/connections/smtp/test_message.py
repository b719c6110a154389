"""outreach.connections.smtp.message: what goes over the wire, read back by the standard parser."""

import datetime as dt
import email
import re
from dataclasses import replace
from email import policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outreach.connections.smtp.markup import html_from_text, sanitise_html
from outreach.connections.smtp.message import (
    InvalidMail,
    OutgoingMail,
    bodies,
    build,
    clean_line,
    message_id,
    thread_headers,
)
from outreach.connections.smtp.parts import Attachment

HIDDEN = "display:block;margin:0;max-height:0;overflow:hidden;mso-hide:all"
URL = "https://leads.example.com/api/public/unsubscribe/" + "a1b2" * 40
MAIL = OutgoingMail(
    id="65f0c0ffee65f0c0ffee65f0",
    from_name="Maria Lopez",
    from_email="maria@example.com",
    to_name="Ann Lee",
    to_email="ann@example.org",
    subject="A question about spring",
    text="Hi Ann,\n\nhave a look at https://example.com/a?b=1&c=2.\n\nBest\nMaria",
    date=dt.datetime(2026, 3, 1, 9, 30, tzinfo=dt.UTC),
    unsubscribe_url=URL,
)


def parsed(mail: OutgoingMail) -> EmailMessage:
    message = email.message_from_bytes(build(mail), policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert message.defects == []
    return message


def part(mail: OutgoingMail, kind: str) -> str:
    body = parsed(mail).get_body((kind,))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def changed(**values: object) -> OutgoingMail:
    return replace(MAIL, **values)  # type: ignore[arg-type]


def test_headers() -> None:
    message = parsed(MAIL)
    assert {name: message[name] for name in ("From", "To", "Subject", "Message-ID", "MIME-Version")} == {
        "From": "Maria Lopez <maria@example.com>",
        "To": "Ann Lee <ann@example.org>",
        "Subject": "A question about spring",
        "Message-ID": "<65f0c0ffee65f0c0ffee65f0@example.com>",
        "MIME-Version": "1.0",
    }
    assert message["Date"].datetime == MAIL.date
    assert message["Reply-To"] is None
    assert message.get_content_type() == "multipart/alternative"
    assert [child.get_content_type() for child in message.iter_parts()] == ["text/plain", "text/html"]


def test_one_click_unsubscribe_stays_one_unbroken_url() -> None:
    assert f"\r\nList-Unsubscribe: <{URL}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n".encode() in build(
        MAIL
    )
    assert part(MAIL, "plain").endswith(f"\n-- \nUnsubscribe from these messages: {URL}\n")
    assert f'<a href="{URL}"' in part(MAIL, "html")


def test_one_click_unsubscribe_is_for_https_alone() -> None:
    message = parsed(changed(unsubscribe_url=URL.replace("https:", "http:")))
    assert message["List-Unsubscribe"] == f"<{URL.replace('https:', 'http:')}>"
    assert message["List-Unsubscribe-Post"] is None


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Acme", b"List-Id: Acme <a1b2.example.com>\r\n"),
        ("", b"List-Id: <a1b2.example.com>\r\n"),
        ('Lee, "Sons" <x>', b'List-Id: "Lee, \\"Sons\\" <x>" <a1b2.example.com>\r\n'),
        ("Müller", b"List-Id: =?utf-8?b?TcO8bGxlcg==?= <a1b2.example.com>\r\n"),
    ],
)
def test_the_list_of_a_company_has_its_name(name: str, written: bytes) -> None:
    assert written in build(changed(list_id="a1b2", list_name=name))


def test_a_long_name_of_a_list_is_folded_and_reads_back() -> None:
    name = "Gesellschaft für schöne Künste und Wissenschaften im Süden Österreichs e. V."
    mail = changed(list_id="a1b2", list_name=name)
    raw = build(mail)
    header = email.message_from_bytes(raw, policy=policy.compat32)["List-Id"]
    words = str(email.header.make_header(email.header.decode_header(header)))
    assert words == f"{name} <a1b2.example.com>"
    assert "\n" not in thread_headers(mail)["List-Id"]
    assert "List-Id" not in parsed(MAIL)
    assert "List-Id" not in parsed(changed(list_id="a" * 250))


def test_without_unsubscribe_url_there_is_no_such_header() -> None:
    raw = build(changed(unsubscribe_url=None))
    assert b"List-Unsubscribe" not in raw
    assert b"Unsubscribe" not in raw


def test_bulk_mail_says_so() -> None:
    assert "Precedence" not in parsed(MAIL)
    assert parsed(replace(MAIL, bulk=True))["Precedence"] == "bulk"


def test_building_twice_gives_the_same_bytes() -> None:
    assert build(MAIL) == build(changed())


def test_the_wire_form_is_7bit_crlf_and_short_lines() -> None:
    raw = build(
        changed(
            text="Ünïcödé 😀 " * 300 + "\r\rx\n" + "y" * 5000, subject="Grüße 😀 " * 20, from_name="Łukasz, Żółć " * 8
        )
    )
    assert raw.isascii()
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", raw)
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998


def test_international_text_survives() -> None:
    mail = changed(
        subject="Grüße aus Łódź — 你好 שלום 😀",
        from_name="Łukasz, Żółć",
        to_name='Ann "the boss" O\'Neil (x)',
        text="שלום\n你好 😀\n.\nend",
    )
    message = parsed(mail)
    assert message["Subject"] == mail.subject
    assert message["From"].addresses[0].display_name == mail.from_name
    assert message["To"].addresses[0].display_name == mail.to_name
    assert part(mail, "plain").startswith("שלום\n你好 😀\n.\nend\n")


def test_international_addresses() -> None:
    raw = build(changed(from_email="maria@bücher.example", to_email="jörg@bücher.example"))
    assert b"<maria@xn--bcher-kva.example>" in raw
    assert b"Message-ID: <65f0c0ffee65f0c0ffee65f0@xn--bcher-kva.example>" in raw
    assert "<jörg@xn--bcher-kva.example>".encode() in raw


def test_reply_to() -> None:
    assert parsed(changed(reply_to="desk@example.com"))["Reply-To"] == "desk@example.com"


@pytest.mark.parametrize("field", ["subject", "from_name", "to_name", "unsubscribe_label"])
@pytest.mark.parametrize("line_break", ["\r\n", "\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\x00"])
def test_no_value_can_add_a_header(field: str, line_break: str) -> None:
    message = parsed(changed(**{field: f"Hello{line_break}Bcc: victim@example.net{line_break}{line_break}body"}))
    assert message["Bcc"] is None
    assert [child.get_content_type() for child in message.iter_parts()] == ["text/plain", "text/html"]


@pytest.mark.parametrize("field", ["from_email", "to_email", "reply_to"])
@pytest.mark.parametrize(
    "address",
    ["a@b.c\r\nBcc: x@y.z", "a@b.c, d@e.f", "a b@c.d", "<a@b.c>", "a@b@c.d", "none", "@b.c", "a@", "a@.ü..", '"a"@b.c'],
)
def test_what_is_no_single_address_is_refused(field: str, address: str) -> None:
    with pytest.raises(InvalidMail, match=field):
        build(changed(**{field: address}))


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "https://x.example/\r\nBcc: a@b.c",
        "https://x.example/<>",
        "https://é.example/",
        "ftp://x",
    ],
)
def test_an_unsubscribe_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(InvalidMail, match="unsubscribe_url"):
        build(changed(unsubscribe_url=url))


@pytest.mark.parametrize(
    "values", [{"subject": " \n "}, {"text": " \n"}, {"date": dt.datetime(2026, 1, 1)}, {"id": "a b"}, {"id": "a\r\nb"}]
)
def test_what_can_not_be_built_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(InvalidMail):
        build(changed(**values))


def test_the_title_of_the_page_is_the_subject() -> None:
    assert "<title>Fish &amp; &lt;chips&gt;</title>" in part(changed(subject="Fish & <chips>"), "html")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('<div style="display:none;font-size:1px;color:#fff">Pre</div>', HIDDEN),
        ('<div style="COLOR:red; Display : None !important">Pre</div>', HIDDEN),
        ('<img src="https://x.example/a" style="display:none;width:1px">', "display:none"),
        ('<p style="background:#0A0;color:#fff">x</p>', "background-color:#0A0;color:#fff"),
        ('<p style="color:#fff; background : rgb(0, 10, 0) !important">x</p>', "background-color:rgb(0 , 10 , 0)"),
        ('<p style="background:url(https://x.example/a) red;color:red">x</p>', 'style="color:red"'),
    ],
)
def test_hidden_words_and_backgrounds_keep_what_mails_need(given: str, kept: str) -> None:
    once = sanitise_html(given)
    assert kept.replace(" ", "") in once.replace(" ", "")
    assert sanitise_html(once) == once
    assert ("font-size" in once, "https" in once) == (False, "<img" in given)


def test_a_page_with_a_picture_is_never_as_short_as_spam() -> None:
    pixel = f'<p>Hi</p><img src="http://a.de/o/{"a" * 34}.gif" width="1" height="1" alt="">'
    mail = changed(subject="x", unsubscribe_url=f"http://a.de/api/public/unsubscribe/{'a' * 116}")
    assert len(part(replace(mail, html=pixel), "html")) > 3_200
    assert len(part(replace(mail, html="<p>Hi</p>"), "html")) < 1_000


def test_html_from_text_escapes_and_links() -> None:
    assert html_from_text('A <b> & "c"\nsee https://x.example/a?b=1&c=2.\n\nEnd <https://y.example>') == (
        '<p style="margin:0 0 1em" dir="auto">A &lt;b&gt; &amp; &quot;c&quot;<br>\n'
        'see <a href="https://x.example/a?b=1&amp;c=2">https://x.example/a?b=1&amp;c=2</a>.</p>\n'
        '<p style="margin:0 0 1em" dir="auto">End &lt;<a href="https://y.example">https://y.example</a>&gt;</p>'
    )


def test_given_html_keeps_its_looks_and_loses_what_runs() -> None:
    given_html = (
        "<html><head><title>t</title><style>p{}</style></head><body onload=x()><script>alert(1)</script><!-- c -->"
        '<p style="color:red;position:fixed" onclick="x()">Hi <b>Ann</b></p>'
        '<a href="javascript:x()">a</a><a href="https://x.example">b</a>'
        '<img src="https://x.example/i.png" onerror="x()" alt="i"><iframe src="https://x.example"></iframe>'
        '<form action="/x"><input></form>'
        "</body></html>"
    )
    assert sanitise_html(given_html) == (
        '<p style="color:red">Hi <b>Ann</b></p><a>a</a><a href="https://x.example">b</a>'
        '<img src="https://x.example/i.png" alt="i">'
    )
    assert '<p style="color:red">Hi <b>Ann</b></p>' in part(changed(html=given_html), "html")


def test_message_id_is_that_of_the_row() -> None:
    assert (
        message_id("65f0c0ffee65f0c0ffee65f0", "a@bücher.example") == "<65f0c0ffee65f0c0ffee65f0@xn--bcher-kva.example>"
    )


def test_clean_line() -> None:
    assert clean_line("  a\r\n\tb\u2028c\u202ed \x00 ") == "a b cd"


@given(subject=st.text(max_size=250), name=st.text(max_size=120), text=st.text(max_size=400))
def test_any_text_gives_a_message_that_reads_back(subject: str, name: str, text: str) -> None:
    mail = changed(subject=f"S {subject}", from_name=name, to_name=name, text=f"T {text}")
    raw = build(mail)
    assert raw.isascii()
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", raw)
    message = email.message_from_bytes(raw, policy=policy.compat32)
    assert sorted(set(message.keys())) == sorted(
        [
            "From",
            "To",
            "Subject",
            "Date",
            "Message-ID",
            "List-Unsubscribe",
            "List-Unsubscribe-Post",
            "MIME-Version",
            "Content-Type",
        ]
    )
    shown = str(email.header.make_header(email.header.decode_header(message["Subject"])))
    assert shown == clean_line(mail.subject)[:200].strip()
    assert len(message.get_payload()) == 2


def by_the_standard_library(text: str, page: str) -> EmailMessage:
    message = EmailMessage(policy=policy.SMTP.clone(cte_type="7bit"))
    message.set_content(text, charset="utf-8")
    message.add_alternative(page, subtype="html", charset="utf-8")
    read = email.message_from_bytes(message.as_bytes(), policy=policy.default)
    assert isinstance(read, EmailMessage)
    return read


PIECES = st.sampled_from(
    [" ", "\t", ".", "\n", "\n.", "\n\n", "=", "é", "😀", "日本語", "From ", "-- \n", "w" * 75, "x" * 100]
)


@given(text=st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=60).map("".join))
def test_the_parts_read_back_as_those_of_the_standard_library(text: str) -> None:
    mail = changed(text=f"T {text}", unsubscribe_url=None)
    raw = build(mail)
    ours = email.message_from_bytes(raw, policy=policy.default)
    theirs = by_the_standard_library(*bodies(mail))
    assert isinstance(ours, EmailMessage)
    for kind in ("plain", "html"):
        mine, other = ours.get_body((kind,)), theirs.get_body((kind,))
        assert mine is not None
        assert other is not None
        assert mine.get_content().replace("\r\n", "\n") == other.get_content().replace("\r\n", "\n")
    assert max(map(len, raw.split(b"\r\n"))) <= 76


def test_attachments_go_beside_the_text() -> None:
    files = [
        Attachment("Angebot für Köln.pdf", "application/pdf", bytes(range(256)) * 9),
        Attachment("../a\r\nBcc: x@example.org", "message/rfc822", b""),
    ]
    mail = changed(attachments=files)
    message = parsed(mail)
    assert message.get_content_type() == "multipart/mixed"
    assert part(mail, "plain") == part(MAIL, "plain")
    found = [(one.get_content_type(), one.get_filename(), one.get_content()) for one in message.iter_attachments()]
    assert found == [
        ("application/pdf", "Angebot für Köln.pdf", files[0].content),
        ("application/octet-stream", ".. a Bcc: x@example.org", b""),
    ]
    assert message["Bcc"] is None
    assert build(mail) == build(mail)


@given(subject=st.text(alphabet=st.sampled_from('ab =?_."(öß你😀'), max_size=200))
def test_a_subject_reads_back_and_has_short_lines(subject: str) -> None:
    raw = build(changed(subject=f"S {subject}"))
    head = raw.partition(b"\r\n\r\n")[0].split(b"\r\nDate:")[0]
    assert max(len(line) for line in head.split(b"\r\n") if b" " in line.strip()) <= 76
    shown = email.message_from_bytes(raw, policy=policy.default)["Subject"]
    assert shown == clean_line(f"S {subject}")[:200].strip()
