"""Keys of names, and domains."""

from __future__ import annotations

import pytest

from core.text.domains import domain_of, organization_domain
from crm.organizations.names import name_key


@pytest.mark.parametrize(
    "names",
    [
        ("Acme", "ACME Ltd.", "acme  limited", "Acme, Inc.", "A.C.M.E.", "Acme GmbH & Co. KG", "Acme AG"),
        ("Dupont", "DUPONT S.A.R.L.", "Dupont SARL", "Dupont S.A.", "Dupont SAS"),
        ("Müller & Söhne", "Muller Söhne GmbH", "MÜLLER UND SÖHNE".replace("UND ", "")),
        ("Łódź Meble", "Lodz Meble Sp. z o.o.", "LODZ MEBLE sp. k."),
        ("Cemex", "Cemex S.A. de C.V.", "CEMEX SAB de CV"),
        ("Ромашка", "ООО «Ромашка»", "ромашка"),
        ("Blue-Sky", "Blue Sky", "BlueSky Pty Ltd"),
    ],
)
def test_equal_names(names: tuple[str, ...]) -> None:
    assert len({name_key(name) for name in names}) == 1, [name_key(name) for name in names]


def test_different_names() -> None:
    names = ["Acme", "Acme Germany", "Acme 2", "Smith", "Smithson", "AG", "Co", "SA", "株式会社トヨタ", "トヨタ"]
    assert len({name_key(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["", " ", "-", "…", "&"])
def test_no_key(name: str) -> None:
    assert name_key(name) == ""


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("example.com", "example.com"),
        ("WWW.Example.COM.", "example.com"),
        ("https://www.example.com/about?x=1", "example.com"),
        ("ann@mail.example.com", "mail.example.com"),
        ("http://ann:pw@example.com:8080/", "example.com"),
        ("Bücher.example", "xn--bcher-kva.example"),
        ("www.com", "www.com"),
        ("localhost", ""),
        ("no domain", ""),
        ("192.168.1.1", ""),
        ("-a.com", ""),
        ("", ""),
    ],
)
def test_domain(text: str, domain: str) -> None:
    assert domain_of(text) == domain


@pytest.mark.parametrize(
    ("email", "domain"),
    [("Ann@ACME.test", "acme.test"), ("ann@gmail.com", ""), ("ann@T-Online.de", ""), ("acme.test", ""), (None, "")],
)
def test_domain_of_an_organization(email: str | None, domain: str) -> None:
    assert organization_domain(email) == domain
