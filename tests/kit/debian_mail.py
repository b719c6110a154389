"""Postfix and Dovecot as Debian packages them, on free ports of loopback, with generated files in one folder.

Postfix has three doors: submission with a login (SASL by Dovecot), mail that comes in, and the mail server of
remote.example, which refuses some of its recipients. Dovecot reads what Postfix delivers.
"""

from __future__ import annotations

import os
import shutil
import signal
import smtplib
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.kit.smtp_server import certificate

USER, PASSWORD, DOMAIN = "ann", "päss wörd", "acme.example"
OWNER = 5000
"""The user and group id of mailboxes; nobody needs to have it."""
PATIENCE = 30.0


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def missing() -> str:
    """Return why the servers cannot run here; empty if they can."""
    lacking = [name for name in ("postfix", "dovecot", "doveconf") if _program(name) is None]
    if lacking:
        return f"{', '.join(lacking)} not installed (Debian: postfix, dovecot-imapd)"
    return "" if os.geteuid() == 0 else "Postfix and Dovecot start as root alone"


needs_mail_servers = pytest.mark.skipif(bool(missing()), reason=missing() or "they can run")


@dataclass(frozen=True)
class MailServers:
    """The running servers."""

    folder: Path
    submission: int
    incoming: int
    imap: int
    ca_file: str

    def mails(self, user: str) -> list[EmailMessage]:
        """Return what lies in a mailbox, in the order of delivery."""
        files = [*(self.folder / "mail" / user).glob("new/*"), *(self.folder / "mail" / user).glob("cur/*")]
        found = []
        for path in sorted(files, key=lambda one: one.stat().st_mtime_ns):
            message = message_from_bytes(path.read_bytes(), policy=policy.default)
            assert isinstance(message, EmailMessage)
            found.append(message)
        return found

    def come_in(self, sender: str, recipient: str, message: str) -> None:
        """Hand in a mail from elsewhere, as the mail server of its sender does."""
        with smtplib.SMTP("127.0.0.1", self.incoming, timeout=PATIENCE) as connection:
            connection.sendmail(sender, [recipient], message.encode())

    def log(self) -> str:
        """Return what Postfix has logged."""
        return (self.folder / "postfix.log").read_text(errors="replace")

    def settle(self) -> None:
        """Wait until nothing is on its way: the queue is empty but for what is deferred."""
        queues = [self.folder / "queue" / name for name in ("maildrop", "incoming", "active")]
        wait_for(lambda: not any(path.is_file() for queue in queues for path in queue.rglob("*")))


def wait_for(ready: Callable[[], bool]) -> None:
    """Wait until something holds, for PATIENCE seconds at most."""
    ends = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < ends, "it takes too long"
        time.sleep(0.05)


@contextmanager
def mail_servers(mailboxes: Sequence[str], refused: Mapping[str, str]) -> Iterator[MailServers]:
    """Run the servers for mailboxes of people.example; `refused`: address of remote.example -> action of Postfix."""
    folder = Path(tempfile.mkdtemp(prefix="mail-servers-"))
    folder.chmod(0o755)  # Postfix's own user reads below it
    try:
        _context, ca_file = certificate(folder)
        ports = _free_ports(4)
        servers = MailServers(folder, ports[0], ports[1], ports[2], ca_file)
        _configure_dovecot(servers)
        _configure_postfix(servers, mailboxes, refused, remote=ports[3])
        with _running(_dovecot(folder, "-F"), [servers.imap]), _postfix_running(folder, [*ports[:2], ports[3]]):
            yield servers
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _dovecot(folder: Path, *arguments: str) -> list[str]:
    return [_program("dovecot") or "", "-c", str(folder / "dovecot.conf"), *arguments]


@contextmanager
def _postfix_running(folder: Path, ports: Sequence[int]) -> Iterator[None]:
    command = [_program("postfix") or "", "-c", str(folder / "postfix")]
    with _running([*command, "start-fg"], ports):
        yield
        # Its master is in a session of its own, which ends by its own command alone.
        subprocess.run([*command, "stop"], check=True, capture_output=True, timeout=PATIENCE)


@contextmanager
def _running(command: Sequence[str], ports: Sequence[int]) -> Iterator[None]:
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, stdin=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: process.poll() is not None or all(_answers(port) for port in ports))
        assert process.poll() is None, process.stderr and process.stderr.read().decode(errors="replace")
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _configure_dovecot(servers: MailServers) -> None:
    folder = servers.folder
    mail = folder / "mail"
    mail.mkdir()
    os.chown(mail, OWNER, OWNER)
    (folder / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n", encoding="utf-8")
    (folder / "dovecot.conf").write_text(
        f"""
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
ssl = yes
ssl_cert = <{folder}/localhost.pem
ssl_key = <{folder}/localhost.key
mail_location = maildir:{mail}/%n
first_valid_uid = {OWNER}
auth_mechanisms = plain login
passdb {{
  driver = passwd-file
  args = username_format=%n {folder}/users
}}
userdb {{
  driver = static
  args = uid={OWNER} gid={OWNER} home={mail}/%n
}}
service imap-login {{
  inet_listener imap {{
    port = {servers.imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service auth {{
  unix_listener {folder}/auth {{
    mode = 0666
  }}
}}
""",
        encoding="utf-8",
    )


def _configure_postfix(servers: MailServers, mailboxes: Sequence[str], refused: Mapping[str, str], remote: int) -> None:
    folder = servers.folder
    config = folder / "postfix"
    for path in (config, folder / "queue", folder / "data"):
        path.mkdir()
    shutil.chown(folder / "data", "postfix")
    places = [f"{one}@people.example {one}/" for one in mailboxes] + [f"{USER}@{DOMAIN} {USER}/"]
    (config / "mailboxes").write_text("\n".join(places) + "\n")
    (config / "refused").write_text("".join(f"{address} {action}\n" for address, action in refused.items()))
    (config / "transport").write_text(f"remote.example smtp:[127.0.0.1]:{remote}\n")
    (config / "main.cf").write_text(_main(folder))
    (config / "master.cf").write_text(_master(servers.submission, servers.incoming, remote))


def _main(folder: Path) -> str:
    config = folder / "postfix"
    return f"""
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
myhostname = mail.{DOMAIN}
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
virtual_mailbox_domains = people.example, {DOMAIN}
virtual_mailbox_maps = texthash:{config}/mailboxes
virtual_mailbox_base = {folder}/mail
virtual_uid_maps = static:{OWNER}
virtual_gid_maps = static:{OWNER}
transport_maps = texthash:{config}/transport
smtp_host_lookup = native
smtpd_peername_lookup = no
smtpd_tls_cert_file = {folder}/localhost.pem
smtpd_tls_key_file = {folder}/localhost.key
smtpd_sasl_type = dovecot
smtpd_sasl_path = {folder}/auth
smtpd_client_connection_rate_limit = 0
smtpd_client_connection_count_limit = 0
"""


def _master(submission: int, incoming: int, remote: int) -> str:
    login = "smtpd_tls_security_level=encrypt smtpd_sasl_auth_enable=yes smtpd_reject_unlisted_recipient=no"
    login += " smtpd_recipient_restrictions=permit_sasl_authenticated,reject"
    # It refuses as the mail server of another company, whatever the rest of this one may.
    other = "virtual_mailbox_domains= relay_domains=remote.example smtpd_relay_restrictions=permit_mynetworks,reject"
    other += " smtpd_recipient_restrictions=check_recipient_access,texthash:$config_directory/refused,permit"
    doors = [(submission, login), (incoming, ""), (remote, other)]
    lines = []
    for port, options in doors:
        lines.append(f"127.0.0.1:{port} inet n - n - - smtpd")
        lines += [f"  -o {option}" for option in options.split()]
    services = {
        "pickup": "unix n - n 60 1 pickup",
        "cleanup": "unix n - n - 0 cleanup",
        "qmgr": "unix n - n 300 1 qmgr",
        "rewrite": "unix - - n - - trivial-rewrite",
        "bounce": "unix - - n - 0 bounce",
        "defer": "unix - - n - 0 bounce",
        "trace": "unix - - n - 0 bounce",
        "verify": "unix - - n - 1 verify",
        "flush": "unix n - n 1000? 0 flush",
        "proxymap": "unix - - n - - proxymap",
        "smtp": "unix - - n - - smtp",
        "relay": "unix - - n - - smtp",
        "error": "unix - - n - - error",
        "retry": "unix - - n - - error",
        "virtual": "unix - n n - - virtual",
        "anvil": "unix - - n - 1 anvil",
        "scache": "unix - - n - 1 scache",
        "tlsmgr": "unix - - n 1000? 1 tlsmgr",
        "postlog": "unix-dgram n - n - 1 postlogd",
    }
    return "\n".join([*lines, *(f"{name} {rest}" for name, rest in services.items())]) + "\n"
