"""The rules of the checks, by a table of names, and the look-ups against a name server."""

from __future__ import annotations

import ipaddress
from time import monotonic

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

from config.env import resolver_address
from outreach.messaging.deliverability.checks import OwnKey, Sender, check
from outreach.messaging.deliverability.dkim_records import DkimInvalid, key_of, public_record
from outreach.messaging.deliverability.dmarc import find_policy, organisational_domain
from outreach.messaging.deliverability.lookups import DnsLookups, LookupFailed
from outreach.messaging.deliverability.results import Light, Result
from outreach.messaging.deliverability.spf import Spf, SpfInvalid
from tests.kit.dns_server import Zone

DOMAIN = "acme.example"
HOST = "smtp.acme.example"
OUTSIDE = "<the address that your server sends from>"
PLAIN = Sender(DOMAIN, HOST)
SHORT = rsa.generate_private_key(65537, 1024).public_key()  # noqa: S505  what is refused
ED = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()  # the same in each process
ED_RECORD = public_record(ED)


class Names:
    """Look-ups in a table: (name, type) -> answers."""

    def __init__(self, texts: dict[str, list[str] | str] | None = None, **other: dict[str, list[str]]) -> None:
        self.known = {name: [one] if isinstance(one, str) else one for name, one in (texts or {}).items()}
        self.mx = other.get("mx", {})
        self.hosts = other.get("hosts", {})

    def texts(self, name: str) -> list[str]:
        return self.known.get(name, [])

    def exchanges(self, name: str) -> list[str]:
        return self.mx.get(name, [])

    def addresses(self, name: str) -> list[str]:
        return self.hosts.get(name, [])


class Unanswered(Names):
    def texts(self, name: str) -> list[str]:
        raise LookupFailed("nobody answers")


def found(names: Names, sender: Sender = PLAIN) -> dict[str, Result]:
    return {one.name: one for one in check(sender, names)}


def spf(record: str, **texts: str) -> str:
    """Evaluate a record for 192.0.2.7, the address of the host a.example."""
    ip = ipaddress.ip_address("192.0.2.7")
    hosts = {"a.example": ["192.0.2.7"], "mx1.example": ["192.0.2.7"]}
    known: dict[str, list[str] | str] = {"d.example": record, **{f"{name}.example": one for name, one in texts.items()}}
    return Spf(Names(known, hosts=hosts, mx={"m.example": ["mx1.example"]}), ip).evaluate("d.example")


@pytest.mark.parametrize(
    ("record", "result"),
    [
        ("v=spf1 ip4:192.0.2.0/24 -all", "pass"),
        ("v=spf1 ip4:192.0.2.8 -all", "fail"),
        ("v=spf1 ip6:2001:db8::/32 ~all", "softfail"),
        ("V=SPF1 A:a.example ?all", "pass"),
        ("v=spf1 a:a.example/24//64 -all", "pass"),
        ("v=spf1 mx:m.example -all", "pass"),
        ("v=spf1 include:i.example -all", "pass"),
        ("v=spf1 include:no.example -all", "fail"),
        ("v=spf1 redirect=i.example", "pass"),
        ("v=spf1 exp=why.example custom=%{i}", "neutral"),
        ("v=spf1 exists:%{i}.x.example ptr -all", "fail"),
        ("v=spf1 -ip4:192.0.2.7 +all", "fail"),
        ("v=spf10 +all", "none"),
    ],
)
def test_spf_as_receivers_evaluate_it(record: str, result: str) -> None:
    assert spf(record, i="v=spf1 ip4:192.0.2.7 -all", no="v=spf1 -all") == result


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ("v=spf1 include:none.example -all", "no SPF record"),
        ("v=spf1 redirect=none.example", "no SPF record"),
        ("v=spf1 ipv4:192.0.2.7 -all", "ipv4:192.0.2.7"),
        ("v=spf1 ip4:192.0.2.777 -all", "192.0.2.777"),
        ("v=spf1 ip6:192.0.2.7 -all", "no address"),
        ("v=spf1 a:a.example/99 -all", "no address"),
        ("v=spf1 include:d.example -all", "more than 10 look-ups"),
        ("v=spf1 " + "ptr " * 11 + "-all", "more than 10 look-ups"),
        ("v=spf1 a:x.example a:y.example mx:z.example -all", "do not exist"),
    ],
)
def test_spf_records_that_receivers_take_for_an_error(record: str, told: str) -> None:
    with pytest.raises(SpfInvalid, match=told):
        spf(record)


def test_look_ups_of_included_records_count_and_redirects_too() -> None:
    texts: dict[str, list[str] | str] = {
        "d.example": "v=spf1 include:i.example a mx redirect=r.example",
        "i.example": "v=spf1 a:a.example ptr -all",
        "r.example": "v=spf1 exists:e.example ~all",
    }
    hosts = {name: ["192.0.2.1"] for name in ("d.example", "a.example", "mx.example", "e.example")}
    whole = Spf(Names(texts, hosts=hosts, mx={"d.example": ["mx.example"]}))
    whole.lookups = Names({**texts, "r.example": "v=spf1 ptr ~all"}, hosts=hosts, mx={"d.example": ["mx.example"]})
    assert (whole.evaluate("d.example"), whole.count) == ("softfail", 7)


def test_a_domain_without_records() -> None:
    results = found(Names())
    assert {name: one.light for name, one in results.items()} == {
        "mx": Light.RED,
        "spf": Light.RED,
        "dkim": Light.AMBER,
        "dmarc": Light.RED,
        "alignment": Light.AMBER,
    }
    assert results["spf"].record is not None
    assert results["spf"].record.value == f"v=spf1 a:{HOST} ~all"
    assert results["dmarc"].record is not None
    assert (results["dmarc"].record.name, results["dmarc"].record.value) == (f"_dmarc.{DOMAIN}", "v=DMARC1; p=none")


def test_a_domain_in_order() -> None:
    texts: dict[str, list[str] | str] = {
        DOMAIN: ["google-site-verification=x", f"v=spf1 a:{HOST} ~all"],
        f"_dmarc.{DOMAIN}": "v=DMARC1;p=reject",
        f"lw1._domainkey.{DOMAIN}": ED_RECORD.replace("; ", ";"),
    }
    names = Names(texts, hosts={HOST: ["192.0.2.7", "2001:db8::7"]}, mx={DOMAIN: ["mx.acme.example"]})
    results = found(names, Sender(DOMAIN, HOST, OwnKey("lw1", ED_RECORD, was_published=False)))
    assert {one.light for one in results.values()} == {Light.GREEN}
    assert results["mx"].found == ("mx.acme.example",)


@pytest.mark.parametrize(
    ("records", "host", "light", "told", "proposed"),
    [
        (["v=spf1 mx -all"], HOST, Light.AMBER, "does not name", f"v=spf1 a:{HOST} mx -all"),
        (["v=spf1 -all"], "192.0.2.9", Light.AMBER, "does not name", "v=spf1 ip4:192.0.2.9 -all"),
        (["v=spf1 -all"], "10.0.0.9", Light.AMBER, "does not name", f"v=spf1 ip4:{OUTSIDE} -all"),
        (["v=spf1 a +all"], HOST, Light.RED, "anybody", "v=spf1 a ~all"),
        (["v=spf1 all"], HOST, Light.RED, "anybody", "v=spf1 ~all"),
        (["v=spf1 a:smtp.acme.example ?all"], HOST, Light.AMBER, "says nothing", "v=spf1 a:smtp.acme.example ~all"),
        (["v=spf1 a -all", "v=spf1 mx a -all"], HOST, Light.RED, "2 SPF records", "v=spf1 a mx ~all"),
        (["v=spf1 a ~all"], "smtp.gmail.com", Light.AMBER, "does not name", "v=spf1 include:_spf.google.com a ~all"),
        (["v=spf1 include:_spf.google.com ~all"], "smtp.gmail.com", Light.GREEN, "may send", None),
        (["v=spf1 a\x00\u202e<b> -all"], HOST, Light.RED, "nothing that SPF knows", None),
    ],
)
def test_spf_says_what_to_publish(records: list[str], host: str, light: Light, told: str, proposed: str | None) -> None:
    texts: dict[str, list[str] | str] = {DOMAIN: records, "_spf.google.com": "v=spf1 ip4:203.0.113.0/24 ~all"}
    names = Names(texts, hosts={HOST: ["192.0.2.7"], DOMAIN: ["203.0.113.9"]}, mx={DOMAIN: [DOMAIN]})
    result = found(names, Sender(DOMAIN, host))["spf"]
    assert (result.light, result.record and result.record.value) == (light, proposed)
    assert told in result.text
    assert all(one.isprintable() for one in (result.text, *result.found))


@pytest.mark.parametrize(
    ("record", "was_published", "light", "told"),
    [
        (None, False, Light.AMBER, "Publish the record"),
        (None, True, Light.RED, "is gone"),
        (public_record(SHORT), True, Light.RED, "another key"),
        ("v=DKIM1; p=", True, Light.RED, "withdrawn"),
        ("v=DKIM1; k=rsa; p=AAAA", False, Light.RED, "cannot be read"),
        (ED_RECORD, False, Light.GREEN, "signed by your key"),
    ],
)
def test_the_record_of_an_own_key(record: str | None, was_published: bool, light: Light, told: str) -> None:
    names = Names({f"lw1._domainkey.{DOMAIN}": record} if record else {})
    result = found(names, Sender(DOMAIN, HOST, OwnKey("lw1", ED_RECORD, was_published)))["dkim"]
    assert result.light == light
    assert told in result.text


def test_keys_of_the_mail_server_at_usual_names() -> None:
    assert "google._domainkey" in found(Names({f"google._domainkey.{DOMAIN}": ED_RECORD}))["dkim"].text
    short = found(Names({f"s1._domainkey.{DOMAIN}": public_record(SHORT)}))["dkim"]
    assert (short.light, "1024 bits" in short.text) == (Light.AMBER, True)
    with pytest.raises(DkimInvalid):
        key_of("v=spf1 -all")


@pytest.mark.parametrize(
    ("texts", "domain", "organisation", "policy"),
    [
        ({"_dmarc.acme.example": "v=DMARC1; p=reject"}, "acme.example", "acme.example", "reject"),
        ({"_dmarc.acme.example": "v=DMARC1; p=none; sp=reject"}, "a.b.acme.example", "acme.example", "reject"),
        ({"_dmarc.acme.example": "v=DMARC1; p=quarantine"}, "m.acme.example", "acme.example", "quarantine"),
        ({"_dmarc.co.example": "v=DMARC1; p=reject; psd=y"}, "a.acme.co.example", "acme.co.example", None),
        (
            {"_dmarc.b.acme.example": "v=DMARC1; p=none; psd=n", "_dmarc.acme.example": "v=DMARC1; p=reject"},
            "a.b.acme.example",
            "b.acme.example",
            "none",
        ),
        ({"_dmarc.example": "nothing of the kind"}, "acme.example", "acme.example", None),
        ({"_dmarc.x.y": "v=DMARC1; p=none"}, ".".join("abcdefghij") + ".x.y", "x.y", "none"),
    ],
)
def test_dmarc_of_the_organisation(
    texts: dict[str, list[str] | str], domain: str, organisation: str, policy: str | None
) -> None:
    names = Names(texts)
    assert organisational_domain(names, domain) == organisation
    known = find_policy(names, domain)
    assert (known.policy if known else None) == policy


@pytest.mark.parametrize(
    ("records", "light", "told"),
    [
        (["v=DMARC1; p=none; rua=mailto:d@acme.example"], Light.AMBER, "only watches"),
        (["v=DMARC1; p=quarantine"], Light.GREEN, "taken for spam"),
        (["v=DMARC1; p=maybe"], Light.RED, "no policy"),
        (["v=DMARC1; p=none", "v=DMARC1; p=reject"], Light.RED, "2 DMARC records"),
    ],
)
def test_dmarc_policies(records: list[str], light: Light, told: str) -> None:
    result = found(Names({f"_dmarc.{DOMAIN}": records}))["dmarc"]
    assert (result.light, told in result.text) == (light, True)
    if light == Light.AMBER:
        assert result.record is not None
        assert result.record.value == "v=DMARC1; p=quarantine; rua=mailto:d@acme.example"


def test_a_strict_policy_without_spf_and_dkim_turns_messages_away() -> None:
    names = Names({DOMAIN: "v=spf1 a +all", f"_dmarc.{DOMAIN}": "v=DMARC1; p=reject"})
    assert found(names)["alignment"].light == Light.RED
    assert found(Names({f"google._domainkey.{DOMAIN}": ED_RECORD}))["alignment"].text.startswith("DMARC passes by DKIM")


def test_name_servers_that_do_not_answer_are_no_verdict() -> None:
    results = found(Unanswered())
    assert results["mx"].asked
    for name in ("spf", "dkim", "dmarc"):
        assert (results[name].light, results[name].asked, results[name].text) == (Light.AMBER, False, "nobody answers")
    assert results["alignment"].light == Light.AMBER


def test_look_ups_in_the_name_system(zone: Zone) -> None:
    long = "v=DKIM1; k=rsa; p=" + "A" * 600
    zone.text(DOMAIN, "v=spf1 -all", "x" * 5000)
    zone.text(f"lw1._domainkey.{DOMAIN}", long)
    zone.records[DOMAIN, "MX"] = ["20 B.example.", "10 a.example."]
    zone.records["null.example", "MX"] = ["0 ."]
    zone.records[HOST, "A"] = ["192.0.2.7"]
    zone.records["www.example", "CNAME"] = [HOST + "."]
    names = DnsLookups(5)
    assert names.texts(f"lw1._domainkey.{DOMAIN}") == [long]
    assert [names.exchanges(one) for one in (DOMAIN, "null.example", HOST, "none.example")] == [
        ["a.example", "b.example"],
        [""],
        [],
        [],
    ]
    assert names.addresses(HOST) == ["192.0.2.7"] == names.addresses(HOST.upper() + ".")
    assert zone.asked.count((HOST, "A")) == 1
    before = len(zone.asked)
    assert [names.texts(one) for one in ("a b", "x" * 64, "a..b", "é.example", "a." * 200)] == [[]] * 5
    assert len(zone.asked) == before


def test_silent_name_servers_cost_no_more_than_the_deadline(zone: Zone) -> None:
    started, names = monotonic(), DnsLookups(0.3)
    for _ in range(3):
        with pytest.raises(LookupFailed):
            names.texts("a.silent")
    assert monotonic() - started < 1.5


def test_addresses_of_resolvers() -> None:
    for text, address in (
        ("192.0.2.1", ("192.0.2.1", 53)),
        ("192.0.2.1:5353", ("192.0.2.1", 5353)),
        ("2001:db8::1", ("2001:db8::1", 53)),
        ("[2001:db8::1]:5353", ("2001:db8::1", 5353)),
    ):
        assert resolver_address(text) == address
    for text in ("dns.example", "192.0.2.1:0", "192.0.2.1:x", ""):
        with pytest.raises(Exception, match="DNS_RESOLVERS"):
            resolver_address(text)
