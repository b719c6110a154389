"""Domains of organizations: their one form, and those that many organizations share."""

from __future__ import annotations

import re

import idna

MAX_DOMAIN = 253
_LABELS = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
FREE_MAIL = frozenset(
    """
    aol.com fastmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net hey.com hotmail.co.uk
    hotmail.com hotmail.de hotmail.fr hotmail.it icloud.com inbox.lv laposte.net libero.it live.com mac.com mail.com
    mail.ru mailbox.org me.com msn.com naver.com orange.fr outlook.com outlook.de pm.me posteo.de proton.me
    protonmail.com qq.com rediffmail.com seznam.cz t-online.de tutanota.com wanadoo.fr web.de wp.pl yahoo.co.in
    yahoo.co.jp yahoo.co.uk yahoo.com yahoo.de yahoo.fr yandex.com yandex.ru ymail.com zoho.com 126.com 163.com
    """.split()  # noqa: SIM905  a list would take a line for each domain
)
"""Domains whose addresses don't identify the organisation."""
SHARED = FREE_MAIL | frozenset(
    """
    aim.com alice.it arcor.de att.net bbox.fr bellsouth.net bigpond.com bluewin.ch blueyonder.co.uk bol.com.br
    btinternet.com charter.net comcast.net cox.net daum.net duck.com earthlink.net email.cz example.com example.org
    fastmail.fm foxmail.com googlemail.com gmx.fr hanmail.net hotmail.be hotmail.es hotmail.nl hushmail.com
    interia.pl juno.com kpnmail.nl list.ru live.ca live.co.uk live.de live.fr live.it live.nl mail.de mailfence.com
    neuf.fr ntlworld.com o2.pl onet.pl online.de online.no optonline.net outlook.co.uk outlook.es outlook.fr
    outlook.it planet.nl privaterelay.appleid.com rambler.ru rocketmail.com runbox.com sbcglobal.net sfr.fr
    shaw.ca sky.com skynet.be sina.com sohu.com startmail.com sympatico.ca talktalk.net telenet.be telia.com
    terra.com.br tin.it tiscali.it tuta.com tutanota.de tutamail.com uol.com.br verizon.net vodafone.de
    virgilio.it virginmedia.com vodafone.it xs4all.nl yahoo.ca yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.mx
    yahoo.es yahoo.it yandex.by yandex.kz yandex.ua yeah.net ziggo.nl zonnet.nl
    """.split()  # noqa: SIM905
)
"""Domains of free mail and of internet providers, whose addresses say nothing about an organization."""


def domain_of(text: str) -> str:
    """Return the domain of an address, a URL or a domain: lower case, IDNA, without www. Empty for any other text."""
    host = _SCHEME.sub("", text.strip(), count=1)
    host = re.split(r"[/?#\s]", host, maxsplit=1)[0].rpartition("@")[2].partition(":")[0].rstrip(".").lower()
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except (ValueError, idna.IDNAError):
            return ""
    if host.count(".") > 1:
        host = host.removeprefix("www.")
    return host if _LABELS.fullmatch(host) else ""


def organization_domain(email: str | None) -> str:
    """Return the domain of an email address if it belongs to one organization; otherwise an empty text."""
    domain = domain_of(email or "") if "@" in (email or "") else ""
    return "" if domain in SHARED else domain
