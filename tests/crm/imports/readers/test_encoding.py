"""Encodings are found out from short lists of names, where language models of whole texts fail."""

from __future__ import annotations

import io
import unicodedata

import pytest

from crm.imports.readers import ReaderError, open_table
from crm.imports.readers.encoding import ENCODINGS, detect_encoding

NAMES = [
    ("cp1252", "Müller;Jürgen;Köln|Weiß;Käthe;Düsseldorf|Schäfer;Björn;Nürnberg"),
    ("cp1252", "Meier;Groß;Bonn"),
    ("cp1252", "MÜLLER;JÜRGEN;KÖLN"),
    ("cp1252", "Lefèvre;André;Orléans|Gérard;Hélène;Besançon|Français;Zoé;Nîmes"),
    ("cp1252", "Dupont;René;Paris"),
    ("cp1252", "Muñoz;José;Málaga|Núñez;Íñigo;León"),
    ("cp1252", "Gonçalves;João;São Paulo|Conceição;Inês;Évora"),
    ("cp1252", "Niccolò;Rossi;Forlì|Bianchi;Nicolò;Cantù"),
    ("cp1252", "Sørensen;Bjørn;Århus|Åsa;Sjöberg;Malmö"),
    ("cp1252", "Acme;100 €;It’s – “quoted”"),
    ("cp1250", "Łukasz;Wiśniewski;Łódź|Wójcik;Małgorzata;Gdańsk|Kamiński;Paweł;Poznań"),
    ("cp1250", "Nowak;Paweł;Warszawa"),
    ("cp1250", "Novák;Jiří;Plzeň|Dvořáková;Tereza;České Budějovice"),
    ("cp1250", "Kovács;Győző;Pécs|Szűcs;Erzsébet;Győr"),
    ("cp1250", "Petrović;Đorđe;Šibenik|Kovačić;Željko;Čakovec"),
    ("cp1251", "Иванов;Сергей;Москва|Петрова;Анна;Санкт-Петербург"),
    ("cp1251", "ИВАНОВ;СЕРГЕЙ;МОСКВА"),
    ("cp1251", "Шевченко;Тарас;Київ|Ковальчук;Олена;Запоріжжя"),
    ("cp1253", "Παπαδόπουλος;Γιώργος;Αθήνα|Νικολάου;Μαρία;Θεσσαλονίκη"),
    ("cp1253", "ΠΑΠΑΔΟΠΟΥΛΟΣ;ΓΙΩΡΓΟΣ;ΑΘΗΝΑ"),
    ("cp1254", "Yılmaz;Ayşe;İstanbul|Öztürk;Çağla;Eskişehir|Şahin;Gökhan;Muğla"),
    ("cp1254", "Demir;Ayşe;Bursa"),
    ("cp1255", "כהן;דוד;ירושלים|לוי;שרה;חיפה"),
    ("cp1256", "محمد;أحمد;القاهرة|فاطمة;علي;بغداد"),
    ("cp1257", "Kazlauskienė;Rūta;Šiauliai|Bērziņš;Jānis;Rīga"),
    ("cp850", "Müller;Jürgen;Köln"),
    ("mac_roman", "Müller;Jürgen;Köln|Gérard;Hélène;Besançon"),
    ("cp932", "山田;太郎;東京|鈴木;花子;大阪"),
    ("gb18030", "王;小明;北京|李;红;上海市浦东新区"),
    ("koi8_r", "Новиков;Алексей;Казань|Морозова;Татьяна;Пермь"),
    ("koi8_u", "Мельник;Ірина;Чернівці|Кравченко;Микола;Тернопіль"),
    ("cp866", "Новиков;Алексей;Казань"),
    ("tis_620", "นภาพร;อนุชา;ขอนแก่น|สุวรรณ;ชัย;ระยอง"),
    ("iso8859_15", "Cœur;Loïc;Œuilly|Žana;Müller;50 €"),
    ("iso8859_2", "Ślęzak;Błażej;Częstochowa|Jabłoński;Paweł;Rzeszów"),
    ("cp852", "Kříž;Zdeněk;Ústí|Doležal;Vojtěch;Hradec Králové"),
    ("cp1258", "Nguyên;Lan;Đông Hà|Đinh;Hùng;Phú Yên"),
    ("big5", "黃;志明;桃園市|許;雅雯;台中市"),
    ("euc_jp", "井上;明;横浜市|高木;由美子;神戸市"),
    ("cp949", "조;현우;대전광역시|윤;서연;울산"),
    ("iso8859_7", "Καραγιάννης;Σοφία;Πάτρα"),
]
SINGLE = [
    ("koi8_r", "Новиков"),
    ("koi8_r", "ВОЛКОВ"),
    ("cp1251", "Новиков"),
    ("cp1250", "Jabłoński"),
    ("cp1250", "Kovačević"),
    ("cp1252", "Böttcher"),
    ("cp1252", "Thérèse"),
    ("cp1252", "Ibáñez"),
    ("cp1252", "O´Neill Café"),
    ("mac_roman", "Müller"),
    ("mac_roman", "François"),
    ("cp1253", "Σοφία"),
    ("cp1254", "Güneş"),
    ("cp1255", "תל אביב"),
    ("cp1256", "الرياض"),
    ("cp1257", "Šarūnas"),
    ("cp1258", "Đỗ Thị Lan"),
    ("tis_620", "ขอนแก่น"),
    ("gb18030", "赵丽"),
    ("big5", "黃志明"),
    ("cp932", "井上明"),
    ("cp949", "한소희"),
    ("iso8859_15", "50 € Küche"),
    ("iso8859_15", "Cœur Noël"),
]
MARKED = [
    ("utf-8", "utf-8"),
    ("utf-8-sig", "utf-8"),
    ("utf-16", "utf-16-le"),
    ("utf-16-le", "utf-16-le"),
    ("utf-16-be", "utf-16-be"),
    ("utf-32", "utf-32-le"),
    ("utf-32-le", "utf-32-le"),
    ("utf-32-be", "utf-32-be"),
]


@pytest.mark.parametrize(("codec", "names"), NAMES)
@pytest.mark.parametrize("padding", [0, 5_000], ids=["short", "behind plain rows"])
def test_code_pages(codec: str, names: str, padding: int) -> None:
    rows = [line.split(";") for line in names.split("|")]
    plain = [["Smith", "John", "London"]] * padding
    text = "\r\n".join(";".join(row) for row in [["Name", "First", "City"], *plain, *rows])
    with open_table(io.BytesIO(text.encode(codec)), kind="csv") as table:
        assert [row for _, row in table.rows(padding + 2)] == rows


@pytest.mark.parametrize(("codec", "name"), SINGLE)
def test_single_name_among_plain_rows(codec: str, name: str) -> None:
    if codec == "cp1258":
        name = in_cp1258(name)
    content = f"Name,City\r\nSmith,London\r\n{name},Rome\r\nBrown,Leeds\r\n".encode(codec)
    with open_table(io.BytesIO(content), kind="csv") as table:
        assert [row[0] for _, row in table.rows()] == ["Smith", name, "Brown"]


def in_cp1258(text: str) -> str:
    """Return Vietnamese as Windows writes it: tones as marks after their letters."""
    letters = []
    for char in text:
        marks = unicodedata.normalize("NFD", char)
        tones = "".join(mark for mark in marks if mark in "\u0300\u0301\u0303\u0309\u0323")
        base = unicodedata.normalize("NFC", "".join(mark for mark in marks if mark not in tones))
        letters.append(base + tones)
    return "".join(letters)


CENTRAL = [
    "Žaneta Řeháková|Šárka Ťápalová",
    "Ľubomír Štefánik|Žigmund Čačko",
    "Łukasz Świątek|Ździsława Żak",
    "Győző Tőkés|Ödön Űr",
]


@pytest.mark.parametrize("codec", ["cp1250", "iso8859_2", "mac_latin2", "cp852"])
@pytest.mark.parametrize("names", CENTRAL)
def test_two_names_of_central_europe(codec: str, names: str) -> None:
    """Signs such as ® and « in front of words are letters of another code page."""
    content = "Name,Email\n" + "".join(f"{name},a@b.example\n" for name in names.split("|"))
    found, _ = detect_encoding(io.BytesIO(content.encode(codec)))
    assert content.encode(codec).decode(found) == content


@pytest.mark.parametrize("text", ["Acme® GmbH,Müller", "«Blé d’or» SARL,Hélène", "© Fern Ltd,Zoë", "¥500 René,Loïc"])
def test_signs_of_western_europe(text: str) -> None:
    found, _ = detect_encoding(io.BytesIO(f"Company,Name\n{text}\n".encode("cp1252")))
    assert f"{text}\n".encode("cp1252").decode(found) == f"{text}\n"


def test_offered_encodings_can_all_be_read() -> None:
    content = "Name,City\nUte,Ulm\n"
    for codec, words in ENCODINGS:
        with open_table(io.BytesIO(content.encode(codec)), kind="csv", encoding=codec) as table:
            assert list(table.rows()) == [(2, ["Ute", "Ulm"])], words
    assert len({codec for codec, _ in ENCODINGS}) == len(ENCODINGS) >= 25


@pytest.mark.parametrize(("written", "found"), MARKED)
@pytest.mark.parametrize("names", [names for _, names in NAMES if names.isascii() or names[0] in "ML"])
def test_unicode(written: str, found: str, names: str) -> None:
    rows = [line.split(";") for line in names.split("|")]
    text = "\r\n".join(";".join(row) for row in [["Name", "First", "City"], *rows])
    with open_table(io.BytesIO(text.encode(written)), kind="csv") as table:
        assert (table.encoding, table.headers) == (found, ["Name", "First", "City"])
        assert [row for _, row in table.rows()] == rows


@pytest.mark.parametrize(
    ("written", "given"),
    [("cp1251", "windows-1251"), ("utf-16", "UTF-16"), ("utf-16-be", "utf-16-be"), ("utf-8-sig", "utf8")],
)
def test_encoding_can_be_given(written: str, given: str) -> None:
    content = "Имя,Город\nИван,Тула\n".encode(written)
    with open_table(io.BytesIO(content), kind="csv", encoding=given) as table:
        assert (table.headers, list(table.rows())) == (["Имя", "Город"], [(2, ["Иван", "Тула"])])


@pytest.mark.parametrize(
    "name", ["klingon", "cp037", "utf-7", "base64", "iso2022_jp", "\0", "x" * 1000, "idna", "rot13"]
)
def test_unusable_encodings_are_refused(name: str) -> None:
    with pytest.raises(ReaderError) as caught:
        open_table(io.BytesIO(b"a,b\n1,2\n"), kind="csv", encoding=name)
    assert caught.value.code == "InvalidDataFormat_400"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_blocks_of_wide_text_end_at_lines(codec: str, end: str) -> None:
    """Characters whose bytes look like line ends (U+0A0A, U+0D0D) must not be taken for them."""
    rows = [[f"ਊ{number}", "\u0d0d\u0a0a"] for number in range(60_000)]
    text = "\ufeff" + end.join(f"{a},{b}" for a, b in [["One", "Two"], *rows])
    with open_table(io.BytesIO(text.encode(codec)), kind="csv") as table:
        assert [row for _, row in table.rows()] == rows
