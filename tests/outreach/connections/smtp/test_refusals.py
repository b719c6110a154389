"""How refusals of mail servers are judged, by the words that known servers use."""

from __future__ import annotations

import pytest

from outreach.connections.smtp.outcome import Rejected
from outreach.connections.smtp.refusals import STATUS, Severity, judge_refusal
from outreach.messaging.inbox.analysis.reports import severity_of

HARD = """
550 5.1.1 The email account that you tried to reach does not exist.
550-5.1.1 <x@y>: Recipient address rejected: undeliverable address: host mx.y[1.2.3.4] said: 550 5.1.1 User unknown
550 5.1.1 <x@y>: Recipient address rejected: User unknown in virtual mailbox table
550 5.1.0 <x@y>: Recipient address rejected: User unknown
554 5.7.1 <x@y>: Recipient address rejected: user unknown
550 <x@y>: User doesn't exist
550 5.1.1 unknown user
550 Unknown local part
550 unknown user account
553 Invalid recipient x@y (Mode: normal)
550 x@y... No such user
550 cuda_nsu <x@y>: No such user
550 Invalid recipient <x@y> (#5.1.1)
550 5.1.1 Mailbox unknown
550 That mailbox does not exist
550 Mailbox does not exist!
550 The account does not exist
550 5.4.1 [x@y]: Recipient address rejected: Access denied
5.1.1 smtp; 550 4.4.7 QUEUE.Expired; user unknown
550 #5.1.0 Address rejected x@y
550 5.1.1 Address does not exist here
501 5.1.3 Bad recipient address syntax
550 5.1.2 <x@y>: Recipient address rejected: Domain not found
550 5.4.4 Unable to route: domain does not exist
DNS error: domain not found
NXDOMAIN
550 No MX record found for domain y
DNS domain 'y' does not exist
The following address had permanent errors: unroutable domain
550 Empfänger unbekannt
550 5.1.1 utilisateur inconnu
550 recipient unknown
550 5.5.1 Recipient rejected: no such user
550 5.2.1 Mailbox disabled, not accepting messages
550 5.2.1 mailbox disabled
550 Account disabled
554 5.7.1 The account or mailbox x@y does not exist
550 5.1.1 x is not a valid user
550 Unknown User (in reply to RCPT TO command)
550 no such address
550 This address no longer accepts mail
550 That email address doesn't exist at y
550 5.0.0 User account is unavailable or does not exist
550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR03FT017.eop-EUR03.prod.protection.outlook.com]
550 5.4.1 All recipient addresses rejected : Access denied
550 5.5.0 Requested action not taken: mailbox unavailable
550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [AM7EUR06FT030.prod.protection.outlook.com]
550 Requested action not taken: mailbox unavailable
550 5.1.1 <x@y.z>: Recipient address rejected: User unknown in local recipient table
550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking
550 5.2.1 The email account that you tried to reach is disabled. https://support.google.com/mail/?p=DisabledUser
550 5.2.1 The email account that you tried to reach is inactive. For more information
554 delivery error: dd This user doesn't have a yahoo.com account (x@yahoo.com) [-5] - mta4001.mail.bf1.yahoo.com
552 1 Requested mail action aborted, mailbox not found
554 30 Sorry, your message to ann@yahoo.com cannot be delivered. This mailbox is disabled (554.30).
550 5.1.1 <x@icloud.com>: user does not exist
550 5.1.6 recipient no longer on server: x@me.com
Unrouteable address
550 Unrouteable address
all relevant MX records point to non-existent hosts
an MX or SRV record indicated no SMTP service
Host or domain name not found. Name service error for name=gmial.example type=AAAA: Host not found
Host or domain name not found. Name service error for g.example type=A: Host found but no data record of requested type
no MX host
5.7.1 <x@y>: Recipient address rejected: User unknown in relay recipient table
5.7.1 No such user here
550 No user found
550 No such user here
550 No Such User Here"
550 5.1.1 User does not exist - <x@zoho.com>
554 5.1.1 Mailbox does not exist
550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [abc.us222]
550 Recipient email address is possibly incorrect
550 5.1.1 <x@y.com>: Recipient unknown - Proofpoint
550 5.1.1 <x@y.com>... User unknown
550 5.1.1 <x@y.com>: invalid recipient (PPE)
550-Requested action not taken: mailbox unavailable 550 For explanation visit https://postmaster.gmx.net/en/error-messages?c=rq
550 Message was not accepted -- invalid mailbox. Local mailbox x@mail.ru is unavailable: user not found
550 Message was not accepted -- invalid mailbox. Local mailbox x@mail.ru is unavailable: user is terminated
550 Message was not accepted -- invalid mailbox. Local mailbox x@mail.ru is unavailable: account is disabled
550 5.7.1 No such user!
550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728
550 The recipient may contain a non-existent account, please check the recipient address.
550 User not found: x@163.com
550 Invalid User: x@163.com
550 permanent failure for one or more recipients (x@y.com:550 5.1.1 <x@y.com>: Recipient address rejected: User unknown)
550 No such domain at this location
550 5.1.1 <x@y>: Email address could not be found, or was misspelled (G8)
550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found
550 5.4.310 DNS domain gmial.example does not exist [Message=InfoDomainNonexistent]
550 5.4.4 SMTPSEND.DNS.NonExistentDomain; nonexistent domain
550 Unknown recipient
550 Benutzer unbekannt
550 Adresse d au moins un destinataire invalide. Invalid recipient. OFR204_416
551 User not local; please try <elsewhere@y>
553 5.3.0 <x@y>... Addressee unknown, relay=[1.2.3.4]
550 5.1.1 x@y... unknown or illegal alias
550 Unknown address error
550 #5.1.0 Address rejected.
550 5.1.1 host spam.filter.example said: user unknown
550 x@blocked.example: no such recipient
550 5.1.1
550 5.1.2 Bad destination system address
550 5.1.3 Invalid address format
511 5.1.1 sorry, no mailbox here by that name (#5.1.1 - chkuser)
550 sorry, no mailbox here by that name. (#5.7.17)
550 Mailbox is inactive
550 account closed
550 5.1.1 Dirección de correo no existe. El usuario desconocido
550 Utente sconosciuto
550 Recipient not found
550 <x@y> is not a valid mailbox
550 Rejected: x@y is not a known user
550 Address does not exist
550 User x@y does not exist
550 5.1.1 No such user - pp
550 This user no longer works here
550 Kein solcher Benutzer
550 Kein Postfach mit diesem Namen
550 User (bob) unknown.
550 Mailbox "bob" not found
5.7.1 User email address is marked as invalid
550 5.7.1 Recipient account was flagged as inactive
550 Cette adresse n'existe pas
550 El usuario bob no existe
550 La casella non esiste
550 Gebruiker bestaat niet
550 Mottagaren finns inte
550 Skrzynka nie istnieje
550 没有此用户
550 使用者不存在
"""
SOFT = """
552 5.2.2 mailbox full.if you think that this is wrong, call us
552 5.2.2 over quota
452 4.2.2 Mailbox full
550 5.2.2 user has exceeded storage quota
550 mailbox is full
554 5.2.2 mailbox full; STOREDRV.Deliver
552 Quota exceeded
550 5.2.3 Message too large
421 4.4.2 connection timed out
552 5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to
552-5.2.2 The email account that you tried to reach is over quota.
4.4.3 Host or domain name not found. Name service error for name=x.example type=MX: Host not found, try again
552 5.2.2 Mailbox full
550 5.1.1 <x@y> user over quota. (#5.1.1)
552 Message size exceeds fixed maximum message size
550 Mailbox quota exceeded
550 5.7.1 Recipient only accepts mail from specified senders
"""
BLOCKED = """
550 5.7.1 Relaying denied
554 5.7.1 <x@y>: Relay access denied
550 5.7.1 Unable to relay
550 relay denied
551 relaying not allowed
553 5.3.0 <me@us>... Spam blocked, see http://x
550 5.7.1 Sender rejected
550 Sender verify failed
550 5.1.8 Sender address rejected: Domain not found
553 Sender unknown
550 your domain us.example has no MX
550 5.7.515 Access denied, sending domain US.EXAMPLE doesn't meet the required authentication level.
550 5.7.1 SPF unauthorized mail is prohibited.
550 5.1.1 Message blocked by spam filter
550 5.1.0 Message rejected due to content restrictions
550 5.1.2 rejected: your server is listed in Spamcop
550 Denied by policy
550 Message rejected as spam by Content Filtering.
550 Mail is rejected by recipients because of your IP reputation
554 IP=1.2.3.4 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.)
554 5.7.1 Service unavailable; Client host [1.2.3.4] blocked using b.barracudacentral.org
550 rDNS check failed
550 no reverse DNS for 1.2.3.4
421 4.7.0 Too many messages, slow down
450 4.2.0 <x@y>: Recipient address rejected: Greylisted for 300 seconds
550 5.7.1 rate limit exceeded
451 4.7.500 Server busy. Please try again later from [1.2.3.4]. rate limited
550 5.4.5 Daily user sending limit exceeded
550 DKIM signature verification failed
550 ARC validation failed; DMARC reject
553 We do not accept mail from your network
550 Envelope sender us.example does not exist
550 5.7.1 Command rejected: administrative policy
550 5.7.1 message looks like spam
550 authentication failed
530 5.7.0 Must issue a STARTTLS command first
550 Unauthenticated email from us.example is not accepted due to domain's DMARC policy
550 The sender's mailbox does not exist
550 Invalid sender mailbox
550 5.1.0 From address invalid
551 sender not authorized
553 5.7.1 your IP is not allowed to send
550 5.4.1 Relay Access Denied
550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages
554 5.7.1 [HM08] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137
550 5.7.1 [CS01] Message rejected due to local policy.
550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550
554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554
550 Rejected by header based Anti-Spoofing policy: x - https://community.mimecast.com
550 Envelope blocked - User Domain Entry - https://community.mimecast.com
550 Administrative prohibition - envelope blocked - https://community.mimecast.com
550 5.7.1 Rejected by DMARC policy for example.com
554 Blocked - see https://ipcheck.proofpoint.com/?ip=1.2.3.4
554-Transaction failed 554-Reject due to policy restrictions. 554 See https://postmaster.gmx.net/de/case?c=hi
550-Requested action not taken: mailbox unavailable 550-Reject due to policy restrictions.
554-gmx.net (mxgmx116) Nemesis ESMTP Service not available 554-No SMTP service 554-IP address is black listed.
550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=abc or report to abuse@corp.mail.ru.
554 5.7.1 [2] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc
550 Connection frequency limited [x IP: 1.2.3.4]
550 Mail content denied. http://service.mail.qq.com/
550 Suspected bounce attacks
554 DT:SPM 163 smtp3
550 MI:SPF mx14,QMCowECpA0qTiftVaeB3Cg-- 1442548129
550 permanent failure for one or more recipients (x@y.com:blocked)
550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required
550 5.7.606 Access denied, banned sending IP [1.2.3.4]
550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.
550 5.1.8 Access denied, bad outbound sender AS(42004)
550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients
550 5.7.1 Unfortunately, messages from [1.2.3.4] weren't sent. Part of their network is on our block list (S3140).
550 JunkMail rejected - host [203.0.113.7] is in an RBL
550 SPF check failed
550 relay not permitted
550 Verification failed for <sales@acmemail.example>
550-Verification failed for <sales@acmemail.example> 550-No Such User Here 550 Sender verify failed
550 5.1.0 sender rejected: spam policy
550 5.1.1 spam message rejected by content filter
553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)
551 we do not relay
553 5.7.1 <sales@acme.example>: Sender address rejected: not owned by user sales
553 5.1.8 <x@acme.example>... Domain of sender address x@acme.example does not exist
550 Sender domain does not exist
550 5.1.1 SPF fail for acmemail.example
550 5.1.2 Message rejected: sender IP listed at zen.spamhaus.org
550 Your IP is blacklisted
550 rejected by zen.spamhaus.org
550 5.7.26 This mail has been blocked because the sender is unauthenticated.
550 5.7.25 The IP address sending this message does not have a PTR record setup
550 Client host rejected: cannot find your reverse hostname, [1.2.3.4]
550 5.7.1 Greylisted, please try again later
450 4.7.1 <x@y>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/y.html
550 DMARC check failed
550 Too many connections from your IP
550 5.7.1 Message contains virus Eicar
550 High probability of spam
550 This message was classified as SPAM and may not be delivered
550 Authentication required
550 authentication is required for relay
550 5.2.0 Mail rejete. Mail rejected. ofr_506 [506]
550 5.7.1 Recipient refuses mail: your message violates our policy
550 Blocked by Barracuda reputation
550 Mail from host 1.2.3.4 refused
550 5.7.1 Sender domain not found in DNS
550 5.7.0 Local Policy Violation
550 Bad HELO
550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)
550 Callback setup failed while verifying <sales@acme.example>
550 Error: content rejected
571 Email from 1.2.3.4 is currently blocked by Verizon Online's anti-spam system
550 You are not allowed to send to this recipient
550 Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record
550-Requested action not taken: mailbox unavailable 550 Sender domain has null MX
554-gmx.net (mxgmx) Nemesis ESMTP Service not available 554-No SMTP service 554 Bad DNS PTR resource record.
554-web.de (mxweb) Nemesis ESMTP Service not available 554-No SMTP service 554 invalid FQDN
521 5.2.1 :  AOL will not accept delivery of this message.
521 5.2.1 : (CON:B1) https://postmaster.aol.com/error-codes
554 5.2.1 : (RLY:B2) https://postmaster.aol.com/error-codes
553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred
554 IP=192.0.2.1 - Dialup/transient IP not allowed. Use a mailgateway or contact toda@rx.t-online.de
554 resimta-c1p comcast 192.0.2.1 Comcast BL000010
550 5.1.1 Service refuse. Veuillez essayer plus tard. OFR_999 [999]
550 5.1.1 Votre adresse IP est sur liste noire
554-esa1.example 554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.
550 5.2.1 Message refused due to its content policy
554 rejected due to spam URL in content
550 5.7.1 Service unavailable; Client [192.0.2.1] blocked using Trend Micro Email Reputation Service
550 Absender abgelehnt: Empfänger unbekannt
550 5.1.1 Expéditeur refusé
550 5.1.1 El remitente fue rechazado
550 5.1.0 Mittente rifiutato
550 5.1.1 发件人被拒绝
550 5.1.1 送信者が拒否されました
550 5.1.1 Адрес отправителя отклонён
"""
UNDECIDED = """
550 Administrative problem
550 failure
550
551
554 Transaction failed
550 5.2.1
550 5.2.1 Delivery not possible
"""


def judged(said: str) -> Severity | None:
    status = STATUS.search(said)
    return judge_refusal(status[1] if status else "", said)


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("said", lines(HARD))
def test_words_that_name_a_missing_mailbox_or_domain_are_hard(said: str) -> None:
    assert judged(said) is Severity.HARD
    assert severity_of("failed", "", said) is Severity.HARD


@pytest.mark.parametrize("said", lines(SOFT))
def test_full_mailboxes_and_owners_who_refuse_are_soft(said: str) -> None:
    assert judged(said) is Severity.SOFT


@pytest.mark.parametrize("said", lines(BLOCKED))
def test_refusals_of_the_sender_never_suppress(said: str) -> None:
    assert judged(said) is Severity.BLOCKED


@pytest.mark.parametrize("said", lines(UNDECIDED))
def test_a_code_alone_decides_nothing_unless_it_is_about_the_mailbox(said: str) -> None:
    assert judged(said) is None


@pytest.mark.parametrize("said", [one for text in (HARD, SOFT, BLOCKED, UNDECIDED) for one in lines(text)])
def test_an_answer_to_rcpt_suppresses_as_a_delivery_report_does(said: str) -> None:
    code, _, reply = said.partition(" ")
    if code.isdigit() and code.startswith("5"):
        assert Rejected(False, int(code), reply, "rcpt").bad_address is (said in lines(HARD))


@pytest.mark.parametrize(
    ("code", "reply", "stage", "bad"),
    [
        (550, "5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", "final", True),
        (550, "Requested action not taken: mailbox unavailable", "final", False),  # about the content, maybe
        (550, "5.1.1 no such user", "mail", False),
        (450, "4.1.1 no such user", "rcpt", False),
        (404, "Domain not found: acme.example", "final", False),  # a vendor's answer by HTTP
    ],
)
def test_what_is_refused_elsewhere_is_about_the_recipient_only_when_it_says_so(
    code: int, reply: str, stage: str, bad: bool
) -> None:
    assert Rejected(code < 500, code, reply, stage).bad_address is bad  # type: ignore[arg-type]


def test_names_of_hosts_and_links_say_nothing_of_the_reason() -> None:
    said = "host spam-filter.blocklist.example[192.0.2.7] said: 550 5.1.1 <ann@spf.example>: User unknown"
    assert judged(f"{said} https://policy.example/spam") is Severity.HARD


def test_long_words_are_judged_in_bounded_time() -> None:
    assert judged("user " * 100_000) is None
    assert judged("550 " + "a." * 100_000) is None
    assert judged("<" * 5000 + "@" * 5000) is None
