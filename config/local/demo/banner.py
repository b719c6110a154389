"""The demo's banner: addresses, logins, and commands to paste into a shell."""

from __future__ import annotations

import shlex

from config.local.demo.company import AUDIENCE, COLLEAGUES, OWNER, STAFF, Demo

_MAIN_JOB = (
    "The main job by curl, to paste into a shell:"
    f' import a file, write to the people tagged "{AUDIENCE}", approve the drafts.'
)
_PROMPT = '"prompt":"Invite people to a free coffee tasting","draft":true'


def banner(demo: Demo, address: str) -> str:
    """Return the text. `address` is the service's."""
    login = demo.password
    return f"""
Leadwright runs with a demo company of {demo.contacts:,} contacts. Open
  {address}/           the members' pages: log in as any of the demo's people with one click
  {address}/api/docs   the API documentation, with requests to try
  {address}/admin/     the back office: {STAFF} / {login}
  {address}/mails/     the emails of the demo; none leaves this machine
The company's owner is {OWNER} / {login}
(with the same password {_colleagues()})
and its API key is {demo.made.api_key.key}

{_MAIN_JOB}
  API={address}/api/key/protected KEY={demo.made.api_key.key}
  call() {{ curl -sS -w '\\n' -H "apikey: $KEY" "$@"; }}
  send() {{ call -H "Content-Type: application/json" -d "$1" "$2"; }}
  first_id() {{ grep -o '"_id":"[0-9a-f]*"' | head -n 1 | cut -d '"' -f 4; }}
  FILE=$(call -F file=@{shlex.quote(str(demo.file))} $API/upload | first_id)
  send '{{"importType":"contact","fileId":"'$FILE'","pauseImport":false}}' $API/contact/import
  RUN=$(send '{{{_audience(demo)},{_PROMPT}}}' $API/genie/from-contacts | first_id)
  sleep 5; call $API/genie/$RUN
  send '{{}}' $API/genie/$RUN/approve-all
"""


def _colleagues() -> str:
    return ", ".join(f"{email}: {role}" for _, email, role in COLLEAGUES)


def _audience(demo: Demo) -> str:
    """Return the selector of the people with the tag; of nobody if the tag is gone."""
    return f'"tags":["{demo.audience_id}"]' if demo.audience_id else '"contactIds":[]'
