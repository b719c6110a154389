"""The mapping and the fields proposed for files with the columns of well-known programs, and in many languages."""

from __future__ import annotations

from typing import Any

import pytest

from crm.field_types import FIELD_TYPES
from crm.imports.readers import FieldSpec, propose_mapping
from crm.imports.readers.new_fields import ColumnCounter, proposed_fields
from crm.imports.types.contacts import ContactImportType
from crm.imports.types.leads import LeadImportType

FIELDS = [*ContactImportType.fields, *ContactImportType.names]
LEAD_FIELDS = [*LeadImportType.fields, *LeadImportType.names]

# Program -> its columns, in which "header > field" marks those that a person would map.
EXPORTS = {
    "Google 2024": """First Name > firstName, Middle Name, Last Name > lastName, Phonetic First Name, Name Prefix,
        Name Suffix, Nickname, File As, Organization Name, Organization Title, Birthday, Notes, Photo, Labels > tags,
        E-mail 1 - Label, E-mail 1 - Value > email, E-mail 2 - Label, E-mail 2 - Value > email, Phone 1 - Label,
        Phone 1 - Value > number, Phone 2 - Label, Phone 2 - Value > number, Relation 1 - Value""",
    "Google before": """Name > name, Given Name, Additional Name, Family Name, Yomi Name, Group Membership > tags,
        E-mail 1 - Type, E-mail 1 - Value > email, Phone 1 - Type, Phone 1 - Value > number, Organization 1 - Name""",
    "Outlook": """First Name > firstName, Middle Name, Last Name > lastName, Title, Suffix, Nickname,
        E-mail Address > email, E-mail Type, E-mail Display Name, E-mail 2 Address > email, Home Phone > number,
        Home Phone 2 > number, Business Phone > number, Mobile Phone > number, Other Phone > number, Pager,
        Business Fax, Home Fax, Company Main Phone, Telex, TTY/TDD Phone, Manager's Name, Assistant's Name,
        Assistant's Phone, Spouse, Children, Categories > tags, Referred By, Company, Job Title, Birthday""",
    "LinkedIn": "First Name > firstName, Last Name > lastName, URL, Email Address > email, Company, Connected On",
    "HubSpot": """Record ID, First Name > firstName, Last Name > lastName, Email > email, Phone Number > number,
        Mobile Phone Number > number, Contact owner > owner, Lead Status, Marketing contact status, Create Date""",
    "Salesforce": """Salutation, First Name > firstName, Last Name > lastName, Title, Account Name, Phone > number,
        Mobile > number, Email > email, Account Owner, Fax, Email Opt Out, Assistant, Asst. Phone""",
    "Mailchimp": """Email Address > email, First Name > firstName, Last Name > lastName, Address,
        Phone Number > number, MEMBER_RATING, OPTIN_TIME, LEID, EUID, NOTES, TAGS > tags""",
    "Zoho": """Record Id, Contact Owner > owner, First Name > firstName, Last Name > lastName, Email > email,
        Secondary Email > email, Phone > number, Mobile > number, Fax, Asst Phone, Created By, Tag > tags""",
    "own": """_id, name > name, email > email, countryCode > countryCode, number > number, Company, contactNumber,
        category._id, tags > tags, createdBy._id, createdBy.name, createdBy.email, isDeleted, createdAt""",
    "of others": """Name > name,
        Referred by email, Reply-to email, Emergency contact phone, Spouse mobile, Fax,
        Manager e-mail, Supervisor phone, Billing contact email, Account owner email, Sales rep phone, Partner phone,
        Parent's phone, Child mobile, Pager phone, Created by email, Modified by email, Company phone""",
}
OF_OTHERS = """
    Support phone, Hotline, Service e-mail, Helpdesk Mail, Help desk phone, Deputy phone, Backup e-mail, Backup mobile,
    Secretary phone, Reception phone, Front desk phone, Agent mobile, Broker email, Doctor's phone, School phone,
    Landlord email, Guarantor mobile, Next of kin phone, Contact of guardian phone, Vertreter E-Mail,
    Stellvertreter Telefon, Supporttelefon, Kundendienst-Telefon, Sekretariat Telefon, Notfallnummer, Hausarzt Telefon,
    Vermieter E-Mail, Téléphone médecin, Courriel secrétariat, Téléphone accueil, Teléfono colegio, Móvil suplente,
    Correo soporte, Telefono scuola, Email avvocato, Telefone médico, E-mail suporte, Telefoon huisarts,
    Telefon szkoły, E-mail zastępcy, Телефон врача, Почта поддержки, Телефон лікаря, Telefon lékaře, E-mail podpory,
    Telefon skola, Mejl kundtjänst, Telefon læge, E-post fastlege, Puhelin lääkäri, Okul telefon, E-posta destek,
    Telefon orvos, Email suport, サポート電話, 学校電話, 客服电话, 학교 전화, 고객센터 이메일
"""
LANGUAGES = {
    "de": """Anrede, Vorname > firstName, Nachname > lastName, Firma, E-Mail-Adresse > email,
        Telefon (geschäftlich) > number, Mobiltelefon > number, Ländervorwahl > countryCode, Telefon Assistentin,
        Notfalltelefon, E-Mail Vorgesetzter, Schlagwörter > tags""",
    "fr": "Prénom > firstName, Nom > lastName, Courriel > email, Téléphone portable > number, Téléphone conjoint",
    "es": "Nombre > firstName, Apellidos > lastName, Correo electrónico > email, Móvil > number, Teléfono asistente",
    "it": """Nome > firstName, Cognome > lastName, Indirizzo e-mail > email, Cellulare > number,
        Prefisso internazionale > countryCode,        Telefono segretaria""",
    "pt": "Nome completo > name, E-mail > email, Telemóvel > number, Código do país > countryCode, Telefone do cônjuge",
    "nl": """Voornaam > firstName, Achternaam > lastName, E-mailadres > email, Telefoonnummer > number,
        Landcode > countryCode, Telefoon noodgeval""",
    "pl": "Imię > firstName, Nazwisko > lastName, Adres e-mail > email, Telefon komórkowy > number, Telefon asystenta",
    "ru": """Имя > firstName, Фамилия > lastName, Электронная почта > email, Мобильный телефон > number,
        Код страны > countryCode, Телефон ассистента, Метки > tags""",
    "uk": "Ім'я > firstName, Прізвище > lastName, Електронна пошта > email, Номер телефону > number",
    "ja": "姓 > lastName, 名 > firstName, メールアドレス > email, 電話番号 > number, 緊急連絡先電話",
    "zh": "姓名 > name, 电子邮箱 > email, 手机号码 > number, 公司, 标签 > tags, 紧急联系人电话",
    "ko": "이름 > name, 이메일 > email, 휴대폰 번호 > number, 비상 연락처 전화",
    "sv": "Förnamn > firstName, Efternamn > lastName, E-postadress > email, Mobiltelefon > number, Telefon chef",
    "da": "Fornavn > firstName, Efternavn > lastName, E-mail > email, Mobil > number, Landekode > countryCode",
    "nb": "Fornavn > firstName, Etternavn > lastName, E-post > email, Tlf > number",
    "fi": "Etunimi > firstName, Sukunimi > lastName, Sähköposti > email, Puhelin > number",
    "cs": """Jméno > firstName, Příjmení > lastName, E-mail > email, Telefon > number,
        Mezinárodní předvolba > countryCode, Předvolba""",
    "tr": "Adı > firstName, Soyadı > lastName, E-posta > email, Cep telefonu > number, Ülke kodu > countryCode",
    "hu": "Vezetéknév > lastName, Keresztnév > firstName, E-mail cím > email, Telefonszám > number",
    "ro": "Nume > lastName, Prenume > firstName, Email > email, Telefon > number",
}


@pytest.mark.parametrize("columns", [*EXPORTS.values(), *LANGUAGES.values()], ids=[*EXPORTS, *LANGUAGES])
def test_mapping(columns: str) -> None:
    pairs = [tuple(" ".join(part.split()) for part in one.split(" > ")) for one in columns.split(",")]
    expected = {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
    assert propose_mapping([pair[0] for pair in pairs], FIELDS) == expected


def test_cleaner_cells_do_not_make_the_main_address() -> None:
    headers = ["First Name", "E-mail 1 - Value", "E-mail 2 - Value", "Phone 1 - Value", "Phone 2 - Value"]
    rows = [
        ["a", "a@g.example", None, "+1 415 555 0101 x2", None],
        ["b", "b@g.example ::: b2@g.example", None, "n/a", None],
        ["c", "unknown", None, "+1 415 555 0103", None],
        ["d", "d@g.example", "d2@g.example", "+1 415 555 0104", "+1 415 555 0105"],
    ]
    found = propose_mapping(headers, FIELDS, rows)
    assert list(found.items())[1:] == [
        ("E-mail 1 - Value", "email"),
        ("E-mail 2 - Value", "email"),
        ("Phone 1 - Value", "number"),
        ("Phone 2 - Value", "number"),
    ]


def test_values_of_somebody_else_are_not_the_persons() -> None:
    rows = [["Ann", "bo@ref.example", "+49 30 1111111"]] * 5
    assert propose_mapping(["Name", "Referred by email", "Assistant's Phone"], FIELDS, rows) == {"Name": "name"}


@pytest.mark.parametrize("header", [" ".join(one.split()) for one in OF_OTHERS.split(",")])
def test_nobody_elses_addresses_are_proposed(header: str) -> None:
    rows = [[f"Ann {n}", f"+49 30 111111{n}" if n % 2 else f"help{n}@b.example"] for n in range(5)]
    for sample in ([], rows, rows[1::2], rows[::2]):
        assert propose_mapping(["Name", header], FIELDS, sample) == {"Name": "name"}


def test_what_the_person_has_to_do_with_others_is_kept() -> None:
    headers = ["School", "Service", "Doctor", "School phone"]
    counter = ColumnCounter(headers)
    counter.add(["Hill School", "Gardening", "Dr. Ash", "+49 30 1111111"])
    found = proposed_fields(headers, counter.facts(), {})
    assert [one["column"] for one in found if one["preselected"]] == ["School", "Service", "Doctor"]


def test_an_empty_whole_name_gives_way_to_its_parts() -> None:
    rows = [[None, "Ann", "Lee"]] * 5
    assert propose_mapping(["Name", "First Name", "Last Name"], FIELDS, rows) == {
        "First Name": "firstName",
        "Last Name": "lastName",
    }


def test_a_custom_field_of_the_columns_name_goes_first() -> None:
    """Unless the column alone has a value in some rows, for which the number would be missing."""
    fields = [
        *FIELDS,
        FieldSpec("f1", "mobile phone", "phone"),
        FieldSpec("f2", "COMPANY"),
        FieldSpec("f3", "Create Date", "date"),
    ]
    headers = ["Phone", "Mobile Phone", "Company", "Create Date"]
    full = [["+49 30 123456", "+49 170 123456", "Acme", "2024-05-01"]] * 4
    expected = {"Phone": "number", "Mobile Phone": "f1", "Company": "f2", "Create Date": "f3"}
    assert propose_mapping(headers, fields, full) == expected
    gap = [*full, [None, "+49 170 123457", "Acme", "2024-05-01"]]
    assert propose_mapping(headers, fields, gap) == expected | {"Mobile Phone": "number"}


def test_deals_are_leads() -> None:
    headers = ["Record ID", "Deal Name", "Deal Stage", "Amount", "Deal owner", "Email", "Products", "Notes"]
    assert propose_mapping(headers, LEAD_FIELDS) == {
        "Deal Stage": "stage",
        "Amount": "value",
        "Deal owner": "teamMember",
        "Email": "email",
        "Products": "productServices",
        "Notes": "notes",
    }


MOMENT = "datetime" if "datetime" in FIELD_TYPES else "date"
# Values of a column -> the field that holds them.
TYPES: dict[str, tuple[list[Any], str]] = {
    "Company": (["Acme", "Fern & Co", "Beech"], "text"),
    "Seats": (["3", "1,200", "-"], "number"),
    "Value": (["€ 1.500,00", "12,5 €", "N/A"], "number"),
    "Postal code": (["10115", "20095"], "text"),
    "Customer no": (["007", "012"], "text"),
    "Since": (["2024-01-31", "31.01.2024", "14 Feb 2024", "9-Mar-24", "March 9, 2024", "0/0/00"], "date"),
    "Called": (["2024-05-01 09:12", "2024-05-02T10:00:00Z", "3/9/2024 2:30 PM"], MOMENT),
    "Opt out": (["yes", "No", "ja"], "checkbox"),
    "Email Opt Out": (["0", "1"], "checkbox"),
    "Other email": (["a@b.example", "c@d.example"], "email"),
    "Second": (["+49 170 1234567", "0039 333 1234567"], "phone"),
    "Site": (["https://a.example", "www.b.example"], "url"),
    "About": (["One\nTwo", "x"], "textarea"),
    "Heat": (["Hot", "Cold", "Warm"] * 9, "select"),
    "Town": (["Rome", "Bonn"] * 30, "text"),
    "Few": (["Hot", "Cold"], "text"),
    "Empty": ([None, None], "text"),
}


@pytest.mark.parametrize("header", TYPES)
def test_new_fields(header: str) -> None:
    values, expected = TYPES[header]
    counter = ColumnCounter([header])
    for value in values:
        counter.add([value])
    (facts,) = counter.facts()
    assert (facts["fieldType"], facts["filled"]) == (expected, len(values) - values.count(None))
    assert facts["options"] == (["Hot", "Cold", "Warm"] if expected == "select" else [])


@pytest.mark.parametrize("values", [["0/0/00"] * 3, ["N/A", "-", "null"], ["00.00.0000"], ["#N/A", None]])
def test_a_column_of_words_for_nothing_is_empty(values: list[Any]) -> None:
    headers = ["Birthday", "Seats"]
    counter = ColumnCounter(headers)
    for place, value in enumerate(values):
        counter.add([value, place])
    facts = counter.facts()
    assert [one["filled"] for one in facts] == [0, len(values)]
    assert [one["preselected"] for one in proposed_fields(headers, facts, {})] == [False, True]


def test_options_are_those_of_all_rows() -> None:
    counter = ColumnCounter(["Heat"])
    for number in range(2000):
        counter.add([["Hot", "Cold"][number % 2] if number < 1900 else "Lost"])
    assert counter.facts()[0]["options"] == ["Hot", "Cold", "Lost"]


def test_columns_that_a_person_would_keep() -> None:
    headers = ["Record ID", "Company", "Created By", "Assistant", "Empty", "E-mail 1 - Label", "Email", "Birthday"]
    counter = ColumnCounter(headers)
    counter.add(["1", "Acme", "Bo", "Cy", None, "Work", "a@b.example", "2000-01-31"])
    found = proposed_fields(headers, counter.facts(), {"Email": "email"})
    assert [one["column"] for one in found if one["preselected"]] == ["Company", "Birthday"]
    assert found[7]["fieldType"] == "date"
