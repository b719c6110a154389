"""Encodings are found out from short lists of names, where language models of whole texts fail."""

from __future__ import annotations

import io

import pytest

from crm.imports.readers import ReaderError, open_table

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
]
MARKED = [
    ("utf-8", "utf-8"),
    ("utf-8-sig", "utf-8"),
    ("utf-16", "utf-16-le"),
    ("utf-16-le", "utf-16-le"),
    ("utf-16-be", "utf-16-be"),
]


@pytest.mark.parametrize(("codec", "names"), NAMES)
@pytest.mark.parametrize("padding", [0, 5_000], ids=["short", "behind plain rows"])
def test_code_pages(codec: str, names: str, padding: int) -> None:
    rows = [line.split(";") for line in names.split("|")]
    plain = [["Smith", "John", "London"]] * padding
    text = "\r\n".join(";".join(row) for row in [["Name", "First", "City"], *plain, *rows])
    with open_table(io.BytesIO(text.encode(codec)), kind="csv") as table:
        assert [row for _, row in table.rows(padding + 2)] == rows


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
