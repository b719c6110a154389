"""Bounces that others have published (the set of emails of Sisimai, BSD licence), as data outside of the repository.

Each is classified as its text means it. The files are read where they are there: ../shared/mime, or PUBLIC_MAILS.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from outreach.messaging.inbox.analysis.classification import Kind, classify
from outreach.messaging.inbox.analysis.parsing import read_mail
from outreach.messaging.inbox.analysis.reports import read_bounce

PUBLIC = Path(os.environ.get("PUBLIC_MAILS", Path(__file__).parents[5] / "shared" / "mime")) / "set-of-emails"
EXPECTED = {
    "hard": """
        lhost-amavis-02 lhost-amazonses-05 lhost-amazonses-10 lhost-amazonses-20 lhost-courier-02 lhost-dragonfly-10
        lhost-exchange2003-03 lhost-exchange2007-07 lhost-exim-05 lhost-ezweb-04 lhost-imailserver-01
        lhost-mailmarshal-02 lhost-mailru-05 lhost-mcafee-05 lhost-messagingserver-05 lhost-messagingserver-10
        lhost-mfilter-03 lhost-mxlogic-01 lhost-notes-03 lhost-office365-10 lhost-opensmtpd-10 lhost-outlook-03
        lhost-postfix-16 lhost-postfix-31 lhost-postfix-36 lhost-postfix-46 lhost-postfix-76 lhost-powermta-01
        lhost-qmail-13 lhost-qmail-18 lhost-qmail-23 lhost-sendmail-02 lhost-sendmail-17 lhost-sendmail-22
        lhost-sendmail-28 lhost-sendmail-48 lhost-v5sendmail-02 lhost-v5sendmail-07 lhost-x1-03 lhost-x5-01
        lhost-yahoo-03 lhost-zoho-01 rfc3464-51 rfc3464-66 rhost-aol-04 rhost-google-01 rhost-gsuite-03
        rhost-gsuite-08 rhost-gsuite-13 rhost-kddi-02 rhost-microsoft-02 rhost-zoho-01
    """,
    "soft": """
        lhost-amazonworkmail-04 lhost-domino-03 lhost-dragonfly-30 lhost-exchange2007-02 lhost-exim-60
        lhost-gmail-11 lhost-gmail-19 lhost-kddi-01 lhost-mailru-10 lhost-opensmtpd-02 lhost-postfix-05
        lhost-postfix-56 lhost-postfix-61 lhost-qmail-08 lhost-receivingses-03 lhost-receivingses-08
        lhost-sendmail-12 lhost-surfcontrol-03 lhost-x2-04 lhost-x3-02 lhost-yahoo-08 lhost-yahoo-13 rfc3464-01
        rfc3464-29 rfc3464-38 rfc3464-56 rhost-apple-03 rhost-facebook-03 rhost-outlook-01 rhost-outlook-07
    """,
    "blocked": """
        lhost-amazonses-15 lhost-barracuda-01 lhost-dragonfly-05 lhost-dragonfly-15 lhost-dragonfly-20
        lhost-dragonfly-25 lhost-exim-30 lhost-exim-35 lhost-exim-40 lhost-exim-45 lhost-exim-50 lhost-exim-55
        lhost-googlegroups-01 lhost-googlegroups-06 lhost-googlegroups-11 lhost-office365-05 lhost-outlook-09
        lhost-postfix-10 lhost-postfix-41 lhost-postfix-51 lhost-postfix-66 lhost-postfix-71 lhost-qmail-03
        lhost-sendmail-07 lhost-sendmail-33 lhost-sendmail-38 lhost-sendmail-43 lhost-sendmail-53 lhost-sendmail-58
        rfc3464-08 rfc3464-61 rhost-franceptt-04 rhost-franceptt-10 rhost-google-06 rhost-mimecast-01
        rhost-tencent-02
    """,
    "delayed": """
        lhost-gmail-06 lhost-opensmtpd-15
    """,
    "auto": """
        lhost-fml-03 rfc3834-05
    """,
    "complaint": """
        arf-01 arf-15 arf-20 arf-25
    """,
}
"""Severity of a bounce, or kind of another mail -> files. Google Groups refuse senders who may not post."""
MISSED = {
    "lhost-amazonses-10",  # JSON of Amazon SNS in a mail
    "rfc3464-01",  # the status says that there is no such user, the text that the disk is full
}
"""Files that are classified otherwise."""
pytestmark = pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public bounces are not beside the checkout")


def classified(file: Path) -> str:
    """Return the severity of a bounce, or the kind of another mail."""
    mail = read_mail(file.read_bytes())
    kind = classify(mail)
    if kind != Kind.BOUNCE:
        return kind.value
    return read_bounce(mail).failures[0].severity.value


def test_public_bounces_are_classified_as_their_text_means() -> None:
    expected = {name: meaning for meaning, names in EXPECTED.items() for name in names.split()}
    found = {file.stem: classified(file) for file in sorted(PUBLIC.glob("*.eml"))}
    assert (found.keys(), len(found)) == (expected.keys(), 126)
    assert {name for name in found if found[name] != expected[name]} == MISSED
