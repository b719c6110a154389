"""An open form with the submissions of visitors. The worker creates leads of them as of any others."""

from __future__ import annotations

from accounts.models import Member
from core.types import JsonObject
from outreach.site.forms.services import create_form, publish_form
from outreach.site.forms.submissions import store_submission

FIELDS: list[JsonObject] = [
    {"key": "name", "label": "Your name", "type": "text", "required": True},
    {"key": "email", "label": "Your email address", "type": "email", "required": True},
    {"key": "phone", "label": "Your phone number", "type": "phone", "required": True},
    {
        "key": "kind",
        "label": "Which coffee would you like?",
        "type": "select",
        "options": ["Filter roast", "Espresso", "Both"],
    },
    {"key": "message", "label": "Anything else?", "type": "textarea"},
    {"key": "agree", "label": "Yes, email me news about coffee.", "type": "consent", "required": True},
]
SENT = (
    {
        "name": "Noor Bakker",
        "email": "noor@cafe-zeezicht.example",
        "phone": "+31612340001",
        "kind": "Both",
        "message": "We run a café with 30 seats.",
    },
    {
        "name": "Emil Lorenz",
        "email": "emil@lorenz-bistro.example",
        "phone": "+491713920001",
        "kind": "Espresso",
        "message": "",
    },
    {
        "name": "Camille Perrin",
        "email": "camille@perrin.example",
        "phone": "+33612340001",
        "kind": "Filter roast",
        "message": "A sample first, please.",
    },
)


def create_forms(member: Member) -> None:
    """Create the form with its submissions."""
    fields = [{"required": False, "options": [], "help": "", "value": "", **field} for field in FIELDS]
    form = create_form(
        member_id=member.pk,
        name="Sample request",
        title="Try our coffee for free",
        text="Request a free sample of 250 g, roasted this week.",
        thanks="Thank you. We'll send your sample within three days.",
        button="Request a sample",
        colour="#7c3aed",
        fields=fields,
        mapping={"name": "name", "email": "email", "phone": "number", "message": "notes"},
    )
    publish_form(id=form.pk, member_id=member.pk)
    for number, answers in enumerate(SENT):
        filled = {key: text for key, text in answers.items() if text}
        store_submission(form, f"demo-{number}", {**filled, "agree": "yes"}, {"utm_source": "fair"})
