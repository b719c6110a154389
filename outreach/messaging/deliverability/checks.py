"""The checks of a sender's domain: MX, SPF, DKIM, DMARC, and whether they belong to the From address."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from outreach.messaging.deliverability.dkim_records import SHORT_BITS, DkimInvalid, key_of, public_record
from outreach.messaging.deliverability.dmarc import DmarcInvalid, Policy, find_policy
from outreach.messaging.deliverability.lookups import LookupFailed, Lookups
from outreach.messaging.deliverability.results import Light, Record, Result, all_shown, display_text, printable
from outreach.messaging.deliverability.spf import IP, MAX_LOOKUPS, Spf, SpfInvalid, is_spf

INCLUDES = {
    "gmail.com": "_spf.google.com",
    "office365.com": "spf.protection.outlook.com",
    "amazonaws.com": "amazonses.com",
    "mailgun.org": "mailgun.org",
    "sendgrid.net": "sendgrid.net",
    "messagingengine.com": "spf.messagingengine.com",
}
"""SPF includes of services whose sending servers differ from the servers for their customers' mails."""
INSIDE = tuple(
    ipaddress.ip_network(text)
    for text in ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
)
"""Addresses that nobody outside ever sees, so that no record names them."""
SELECTORS = ("google", "selector1", "selector2", "default", "mail", "dkim", "s1", "s2", "k1", "fm1")
"""Selectors of well-known services: selectors cannot be listed."""


@dataclass(frozen=True)
class OwnKey:
    """The key by which the service signs; `was_published` once a check has found its record."""

    selector: str
    record: str
    was_published: bool


@dataclass(frozen=True)
class Sender:
    """The subject of a check: the domain of the From address, which is the envelope's as well, and the mail server."""

    domain: str
    host: str
    key: OwnKey | None = None


def check(sender: Sender, lookups: Lookups) -> list[Result]:
    """Check the sender's domain. A failed query of the name servers gives amber, and has no further effect."""
    results = {name: _run_check(name, checker, sender, lookups) for name, checker in CHECKS.items()}
    return [*results.values(), check_alignment(results["spf"], results["dkim"], results["dmarc"])]


def check_mx(sender: Sender, lookups: Lookups) -> Result:
    domain = sender.domain
    servers = lookups.exchanges(domain)
    # RFC 7505: a null MX says that the domain takes no mail at all.
    if servers == [""]:
        return Result("mx", Light.RED, f"{domain} says that it takes no mail, so replies cannot arrive.")
    if servers:
        return Result("mx", Light.GREEN, f"Replies to {domain} arrive.", found=all_shown(servers))
    # RFC 5321, 5.1: without MX records, mail goes to the address of the name itself.
    if lookups.addresses(domain):
        text = f"{domain} names no mail server. Replies go to its web server, which may not take them."
        return Result("mx", Light.AMBER, text, Record(domain, "MX", "10 <your mail server>"))
    text = f"{domain} has no mail server, so replies cannot arrive, and many refuse mail from such a domain."
    return Result("mx", Light.RED, text, Record(domain, "MX", "10 <your mail server>"))


def check_spf(sender: Sender, lookups: Lookups) -> Result:
    domain = sender.domain
    records = [text for text in lookups.texts(domain) if is_spf(text)]
    needed, ips = _spf_mechanism(sender.host, lookups)
    shown_records = all_shown(records)
    if not records:
        text = f"{domain} does not say which servers may send its mail, so much of it is taken for spam."
        return Result("spf", Light.RED, text, Record(domain, "TXT", f"v=spf1 {needed} ~all"))
    try:
        # Once without an address, which walks through the whole record and finds all of its errors.
        whole = Spf(lookups)
        ends = whole.evaluate(domain)
        # Of an unknown or inner address nothing can be said, so it does not pass.
        passes = bool(ips) and all(Spf(lookups, ip).evaluate(domain) == "pass" for ip in ips)
    except SpfInvalid as error:
        many = Record(domain, "TXT", _merge_records(records)) if len(records) > 1 else None
        return Result("spf", Light.RED, f"The SPF record is not valid: {display_text(str(error))}", many, shown_records)
    # +all covers every server in the world, which receivers take for a sign of spam.
    if ends == "pass":
        text = "The SPF record lets anybody send mail for this domain. End it in ~all."
        return Result("spf", Light.RED, text, Record(domain, "TXT", _with_softfail(records[0])), shown_records)
    # A service's outgoing servers are others than the one that we log in to, so its include is what counts.
    provider = next((name for host, name in INCLUDES.items() if _is_subdomain(sender.host, host)), "")
    if not (provider in whole.included if provider else passes):
        text = (
            f"The SPF record does not name {display_text(sender.host)}. If this server passes mail on to others before"
            " it leaves, your provider tells you what to include instead."
        )
        return Result(
            "spf", Light.AMBER, text, Record(domain, "TXT", _add_mechanism(records[0], needed)), shown_records
        )
    if ends == "neutral":
        text = "The SPF record names the server, but says nothing of others. End it in ~all."
        return Result("spf", Light.AMBER, text, Record(domain, "TXT", _with_softfail(records[0])), shown_records)
    text = f"{display_text(sender.host)} may send mail for {domain} ({whole.count} of at most {MAX_LOOKUPS} look-ups)."
    return Result("spf", Light.GREEN, text, found=shown_records)


def check_dkim(sender: Sender, lookups: Lookups) -> Result:
    return _check_own(sender.domain, sender.key, lookups) if sender.key else _check_of_others(sender.domain, lookups)


def _check_own(domain: str, key: OwnKey, lookups: Lookups) -> Result:
    place = f"{key.selector}._domainkey.{domain}"
    record = Record(place, "TXT", key.record)
    records = lookups.texts(place)
    if not records:
        # A record that was never there is a task; one that has gone is a fault.
        if key.was_published:
            text = "The record of your key is gone, so messages are not signed. Publish it again."
            return Result("dkim", Light.RED, text, record)
        return Result("dkim", Light.AMBER, "Publish the record of your key; from then on messages are signed.", record)
    problem = "it is another key"
    for text in records:
        try:
            # Compared as keys: name servers split and space the text in their own ways.
            if public_record(key_of(text)) == key.record:
                return Result("dkim", Light.GREEN, "Messages are signed by your key.", found=all_shown([text]))
        except DkimInvalid as error:
            problem = str(error)
    text = f"What stands at {place} is not your key: {problem}. Publish this record instead."
    return Result("dkim", Light.RED, text, record, all_shown(records))


def _check_of_others(domain: str, lookups: Lookups) -> Result:
    for selector in SELECTORS:
        for record in lookups.texts(f"{selector}._domainkey.{domain}"):
            try:
                key = key_of(record)
            except DkimInvalid:
                continue
            shown_records = all_shown([record])
            # RFC 8301, 3.2: signers should use 2,048 bits at least.
            if isinstance(key, RSAPublicKey) and key.key_size < SHORT_BITS:
                text = (
                    f"The key at {selector}._domainkey is short ({key.key_size} bits). Ask your provider for a new one."
                )
                return Result("dkim", Light.AMBER, text, found=shown_records)
            text = f"A key stands at {selector}._domainkey, so your mail server can sign what it sends."
            return Result("dkim", Light.GREEN, text, found=shown_records)
    text = (
        "No key was found at the usual names. Your mail server may sign under a name of its own; if it does not sign,"
        " make a key here."
    )
    return Result("dkim", Light.AMBER, text)


def check_dmarc(sender: Sender, lookups: Lookups) -> Result:
    domain = sender.domain
    proposed = Record(f"_dmarc.{domain}", "TXT", "v=DMARC1; p=none")
    try:
        policy = find_policy(lookups, domain)
    except DmarcInvalid as error:
        return Result(
            "dmarc", Light.RED, display_text(str(error)), Record(f"_dmarc.{error.domain}", "TXT", "v=DMARC1; p=none")
        )
    if policy is None:
        text = "There is no DMARC record, and large mail services ask for one from whoever sends much."
        return Result("dmarc", Light.RED, text, proposed)
    shown_records = all_shown([policy.record])
    if policy.policy == "none":
        text = "DMARC only watches. When SPF and DKIM have been green for some weeks, change p=none to p=quarantine."
        return Result("dmarc", Light.AMBER, text, _stricter(policy), shown_records)
    done = "refused" if policy.policy == "reject" else "taken for spam"
    return Result("dmarc", Light.GREEN, f"What others send in the name of {domain} is {done}.", found=shown_records)


def check_alignment(spf: Result, dkim: Result, dmarc: Result) -> Result:
    """Check whether DMARC passes: SPF or DKIM has to, for the domain of the From address.

    The envelope's address and the signature's domain are those of the From address, so they are aligned.
    """
    good = [label for label, result in (("SPF", spf), ("DKIM", dkim)) if result.light == Light.GREEN]
    if len(good) == 2:
        return Result("alignment", Light.GREEN, "SPF and DKIM stand for the From address, so that DMARC passes.")
    # A forwarding server breaks SPF, and a list that adds a footer breaks DKIM; both together survive more.
    if good:
        other = "DKIM" if good == ["SPF"] else "SPF"
        text = f"DMARC passes by {good[0]} alone. Mend {other} too: forwarded mails lose one of the two."
        return Result("alignment", Light.AMBER, text)
    # Without answers of the name servers nothing is said for certain.
    all_asked = spf.asked and dkim.asked and dmarc.asked
    if all_asked and Light.RED in (spf.light, dkim.light) and dmarc.light == Light.GREEN:
        text = "Neither SPF nor DKIM stands for the From address, so that your own DMARC record turns messages away."
        return Result("alignment", Light.RED, text)
    return Result("alignment", Light.AMBER, "It is not sure that SPF or DKIM stands for the From address.")


CHECKS: dict[str, Callable[[Sender, Lookups], Result]] = {
    "mx": check_mx,
    "spf": check_spf,
    "dkim": check_dkim,
    "dmarc": check_dmarc,
}


def _run_check(name: str, checker: Callable[[Sender, Lookups], Result], sender: Sender, lookups: Lookups) -> Result:
    try:
        return checker(sender, lookups)
    except LookupFailed as error:
        return Result(name, Light.AMBER, str(error), asked=False)


def _spf_mechanism(host: str, lookups: Lookups) -> tuple[str, list[IP]]:
    """Return the mechanism that names the server in an SPF record, and the server's addresses."""
    for service, included in INCLUDES.items():
        if _is_subdomain(host, service):
            return f"include:{included}", []
    try:
        ip = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        needed, ips = f"a:{host}", [ipaddress.ip_address(address) for address in lookups.addresses(host)[:4]]
    else:
        needed, ips = f"ip{ip.version}:{ip}", [ip]
    # An inner address in a public SPF record would never match and look like a fix.
    seen = [ip for ip in ips if not any(ip in network for network in INSIDE)]
    return needed if seen or not ips else "ip4:<the address that your server sends from>", seen


def _is_subdomain(host: str, domain: str) -> bool:
    return f".{host.lower().rstrip('.')}".endswith(f".{domain}")


def _add_mechanism(record: str, needed: str) -> str:
    """Return the SPF record with one more server in front of the others."""
    terms = record.split()
    return printable(" ".join([terms[0], needed, *terms[1:]]))


def _with_softfail(record: str) -> str:
    terms = record.split()
    kept = [word for word in terms if word.lower().lstrip("+-~?") != "all"]
    return printable(" ".join([*kept, "~all"]))


def _merge_records(records: list[str]) -> str:
    """Return one SPF record for several."""
    terms = [word for record in records for word in record.split()[1:]]
    return _with_softfail(" ".join(["v=spf1", *dict.fromkeys(terms)]))


def _stricter(policy: Policy) -> Record:
    parts = [part.strip() for part in policy.record.split(";") if part.strip()]
    stricter = ["p=quarantine" if part.replace(" ", "").lower() == "p=none" else part for part in parts]
    return Record(f"_dmarc.{policy.domain}", "TXT", printable("; ".join(stricter)))
