"""The offline composer: what it makes of a prompt, of what it knows, and of data that means harm."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outreach.connections.ai.evidence import evidence_of
from outreach.connections.ai.providers import CompanyBrief, ComposeBrief, ContactBrief, Draft, ProductBrief
from outreach.connections.ai.providers.goal import read_goal
from outreach.connections.ai.providers.hints import read_hint
from outreach.connections.ai.providers.offline import OfflineComposer
from outreach.connections.ai.providers.passages import WORD_LIMIT
from outreach.connections.ai.providers.text_language import language_of_text
from outreach.models import AiApp
from tests.kit.examples import thorough

COMPANY = CompanyBrief(
    name="Green Fields",
    description="We plan and plant gardens for offices. Since 1999.",
    website="https://greenfields.example",
    products=(
        ProductBrief(name="Roof garden", description="A garden on your roof"),
        ProductBrief(name="Office plants"),
    ),
    sender_name="Maria Lopez",
)
ANN = ContactBrief(
    name="Ann Lee",
    email="ann@example.org",
    fields={"Company": "ACME", "Job title": "Head of Facilities", "City": "Berlin"},
)


def compose(contact: ContactBrief = ANN, company: CompanyBrief = COMPANY, **values: object) -> Draft:
    return OfflineComposer(AiApp()).compose(ComposeBrief(contact=contact, company=company, **values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("prompt", "kind", "sentences"),
    [
        ("Invite them to our webinar on Tuesday", "invite", ["I would like to invite you to our webinar on Tuesday."]),
        ("Please invite all our customers to the fair!", "invite", ["I would like to invite you to the fair!"]),
        ("Follow up about the offer we sent", "follow_up", ["I am writing to follow up on the offer we sent."]),
        ("Write a friendly email thanking them for their visit", "thank", ["Thank you for your visit."]),
        (
            "Tell them that their subscription ends in May",
            "inform",
            ["I wanted to let you know that your subscription ends in May."],
        ),
        ("Let them know about our new office", "inform", ["I wanted to tell you about our new office."]),
        ("Ask them whether they need parking", "ask", ["I wanted to ask you whether you need parking."]),
        ("Offer our customers 20% off all plants", "offer", ["I would like to offer you 20% off all plants."]),
        ("20% discount on plants", "offer", ["I would like to offer you a 20% discount on plants."]),
        ("book a demo call with them next week", "meet", ["I would like to arrange a demo call next week with you."]),
        ("Get feedback on their last order", "feedback", ["I would like to hear what you think of your last order."]),
        ("Introduce our new app to them", "present", ["I would like to introduce our new app to you."]),
        ("Remind them to renew", "remind", ["I wanted to remind you to renew."]),
        (
            "Re-engage leads who went quiet",
            "win_back",
            ["It has been a while, and I would be glad to be in touch again."],
        ),
        (
            "Write them to visit https://x.example/a.",
            "inform",
            ["I would like to ask you to visit https://x.example/a."],
        ),
        ("our new showroom is open", "general", ["Our new showroom is open."]),
        ("The spring catalogue", "general", ["I am writing to you about the spring catalogue."]),
        (
            "Invite them to lunch on 3 May at 1 p.m. in Bonn and ask them to bring a friend. Keep it short."
            " Mention that it is free.",
            "invite",
            [
                "I would like to invite you to lunch on 3 May at 1 p.m. in Bonn.",
                "I wanted to ask you to bring a friend.",
                "It is free.",
            ],
        ),
        ("Try one of our bikes", "inform", ["I would like to ask you to try one of our bikes."]),
        ("Invite them to A night of jazz", "invite", ["I would like to invite you to a night of jazz."]),
        ("Invite them to Bonn", "invite", ["I would like to invite you to Bonn."]),
        ("Introduce CRM for bakers", "present", ["I would like to introduce CRM for bakers to you."]),
        ("Ask them to Reply", "ask", ["I wanted to ask you to reply."]),
        ("Remind them to Renew", "remind", ["I wanted to remind you to renew."]),
        ("Encourage them to Subscribe", "inform", ["I would like to encourage you to subscribe."]),
        (
            "We open a shop in Bonn, invite them to the party",
            "general",
            ["We open a shop in Bonn.", "I would like to invite you to the party."],
        ),
        (
            "We open a shop in Bonn Invite them to Try one",
            "general",
            ["We open a shop in Bonn.", "I would like to invite you to try one."],
        ),
        ("We open in May: thank them for Your help", "general", ["We open in May.", "Thank you for your help."]),
        (
            "We open in May – offer them A free cake",
            "general",
            ["We open in May.", "I would like to offer you a free cake."],
        ),
        ("Invite {{name}} to our fair, [First Name]", "invite", ["I would like to invite you to our fair."]),
    ],
)
def test_a_prompt_becomes_sentences_to_the_recipient(prompt: str, kind: str, sentences: list[str]) -> None:
    goal = read_goal(prompt)
    assert goal is not None
    assert (goal.kind, list(goal.sentences)) == (kind, sentences)


@pytest.mark.parametrize(
    "sentence",
    [
        "We open our new bakery on 1 December and invite you to a free croissant tasting.",
        "We moved to a new office and thank you for your patience.",
        "On Friday we launch our app and offer 20 % off all plans.",
        "I will be in Paris next week and then present our new range.",
        "Our bakers start at four and share what is fresh.",
        "We bake every night and offer you fresh bread, and give children a free roll.",
    ],
)
def test_verbs_that_share_a_subject_stay_in_one_sentence(sentence: str) -> None:
    goal = read_goal(sentence)
    assert goal is not None
    assert goal.sentences == (sentence,)
    assert sentence in compose(prompt=sentence).text


@pytest.mark.parametrize(
    ("prompt", "sentences"),
    [
        (
            "We open in May and invite them to the party",
            ["We open in May.", "I would like to invite you to the party."],
        ),
        ("Write to our customers: we open in May and invite you", ["We open in May and invite you."]),
        ("On what we do in May", ["I am writing to you about what we do in May."]),
    ],
)
def test_a_statement_and_a_request_are_two_sentences(prompt: str, sentences: list[str]) -> None:
    goal = read_goal(prompt)
    assert goal is not None
    assert list(goal.sentences) == sentences


@pytest.mark.parametrize("prompt", ["", " \n", "...", "{{name}}", "Keep it short. Use a friendly tone."])
def test_a_prompt_without_a_goal(prompt: str) -> None:
    assert read_goal(prompt) is None


def test_the_whole_of_a_mail() -> None:
    draft = compose(prompt="Invite them to our webinar on Tuesday", tone="formal", seed="7")
    greeting, personal, body, about, call, sign_off = draft.text.split("\n\n")
    assert greeting == "Dear Ann Lee,"
    assert any(known in personal for known in ("ACME", "Berlin"))
    assert body == "I would like to invite you to our webinar on Tuesday."
    assert about == "We plan and plant gardens for offices."
    assert call in {
        "May we count on your attendance? I would be grateful for a short reply.",
        "Please let me know whether you can attend.",
    }
    assert sign_off.splitlines()[1:] == ["Maria Lopez", "Green Fields", "https://greenfields.example"]


def test_without_a_prompt_it_is_planned_from_the_catalogue_and_the_contacts_interest() -> None:
    contact = ContactBrief(name="Bob", email="bob@example.org", tags=("office plants",))
    for seed in range(10):
        text = compose(contact, seed=str(seed)).text
        assert "your interest in Office plants" in text
        assert "You will also find Roof garden with us." in text
    bare = compose(contact, CompanyBrief(name="Green Fields", description="We plan gardens.")).text
    assert "I would like to introduce Green Fields to you. We plan gardens." in bare


def test_it_is_the_same_for_a_seed_and_varies_between_recipients() -> None:
    prompt = "Invite them to our webinar"
    assert compose(prompt=prompt, seed="1") == compose(prompt=prompt, seed="1")
    assert len({compose(prompt=prompt, seed=str(seed)).text for seed in range(30)}) >= 8
    assert len({compose(prompt=prompt, seed=str(seed)).subject for seed in range(30)}) >= 3


@pytest.mark.parametrize(
    ("tone", "greetings"),
    [
        ("Very Friendly, please", {"Hi Ann,", "Hey Ann,", "Hello Ann,"}),
        ("professional", {"Dear Ann Lee,"}),
        ("short and to the point", {"Hello Ann,", "Ann,"}),
        ("ENTHUSIASTIC", {"Hi Ann!", "Hello Ann!"}),
        ("informal", {"Hi Ann,", "Hey Ann,", "Hello Ann,"}),
        ("like a pirate", {"Hello Ann,", "Hi Ann,"}),
        ("", {"Hello Ann,", "Hi Ann,"}),
    ],
)
def test_tones(tone: str, greetings: set[str]) -> None:
    assert {compose(tone=tone, seed=str(seed)).text.partition("\n")[0] for seed in range(25)} == greetings


def test_a_later_step_follows_up() -> None:
    draft = compose(prompt="Invite them to our webinar", step=2)
    assert draft.subject.startswith("Following up: ")
    assert any(
        word in draft.text for word in ("wrote to you a little while ago", "my earlier message", "My earlier message")
    )


def test_other_channels_get_one_paragraph_and_no_subject() -> None:
    draft = compose(prompt="Invite them to our webinar", channel="sms")
    assert draft.subject == ""
    assert "\n" not in draft.text
    assert "I would like to invite you to our webinar." in draft.text


def test_internal_labels_stay_internal() -> None:
    contact = ContactBrief(name="Ann", email="ann@example.org", tags=("difficult payer", "VIP"), category="Cold lead")
    for seed in range(20):
        text = compose(contact, prompt="Invite them to our webinar", seed=str(seed)).text.lower()
        assert "difficult" not in text
        assert "cold" not in text
        assert "vip" not in text
    assert (
        "Thank you for being a customer of Green Fields."
        in compose(ContactBrief(name="Ann", email="a@b.c", category="Customers"), tone="direct").text
    )


hostile = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "{{name}}",
            "None",
            "{0.__class__}",
            "<script>alert(1)</script>",
            "a\r\nBcc: b@c.d",
            "\u202eevil",
            "%s %(x)s",
            "{",
            "}",
            "a" * 5000,
            "{x}",
            "{topic}",
        ]
    ),
)


@settings(max_examples=thorough(300), deadline=None)
@given(
    contact=st.builds(
        ContactBrief,
        name=hostile,
        email=hostile,
        category=hostile,
        tags=st.lists(hostile, max_size=3).map(tuple),
        fields=st.dictionaries(st.sampled_from(["Company", "job_title", "CITY", "Industry", "x"]), hostile),
    ),
    company=st.builds(
        CompanyBrief,
        name=hostile,
        description=hostile,
        website=hostile,
        sender_name=hostile,
        products=st.lists(st.builds(ProductBrief, name=hostile, description=hostile), max_size=3).map(tuple),
    ),
    prompt=hostile
    | st.lists(
        st.sampled_from(["Invite them to lunch", "x " * 200, "Tell them that {{x}}", "{{a}}", "our offer"]), max_size=9
    ).map(". ".join),
    tone=hostile,
    channel=st.sampled_from(["email", "sms"]),
    step=st.integers(1, 3),
)
def test_any_brief_gives_a_clean_short_mail(
    contact: ContactBrief, company: CompanyBrief, prompt: str, tone: str, channel: str, step: int
) -> None:
    draft = compose(contact, company, prompt=prompt, tone=tone, channel=channel, step=step, seed="s")
    assert len(draft.text.split()) <= WORD_LIMIT
    assert len(draft.subject) <= 78
    assert bool(draft.subject) is (channel == "email")
    assert "{{" not in draft.subject + draft.text
    assert "}}" not in draft.subject + draft.text
    assert "\n\n\n" not in draft.text
    for character in draft.subject + draft.text.replace("\n", ""):
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("hint", "shorter", "longer", "mention", "ignored"),
    [
        ("Shorter, and mention the open day", True, False, "the open day", ""),
        ("longer; mention that we open on 12 May. Friendlier", False, True, "we open on 12 May", ""),
        ("Kürzer bitte, und erwähne unser Fest", True, False, "unser Fest", ""),
        ("plus court et moins formel", True, False, "", ""),
        ("más largo, menciona que abrimos", False, True, "abrimos", ""),
        ("Offer 10 % off, make it more formal", False, False, "", "Offer 10 % off"),
    ],
)
def test_what_is_read_of_a_hint(hint: str, shorter: bool, longer: bool, mention: str, ignored: str) -> None:
    found = read_hint(hint)
    assert (found.shorter, found.longer, found.mention, found.ignored) == (shorter, longer, mention, ignored)
    assert ignored in OfflineComposer(AiApp()).hint_warning(hint)


OPEN_DAY = {
    "English": "Invite them to our open day",
    "German": "Wir laden Sie zu unserem Tag der offenen Tür ein",
    "French": "Nous vous invitons à notre journée portes ouvertes",
    "Spanish": "Le invitamos a nuestra jornada de puertas abiertas",
}
"""Language -> a topic in it."""


@pytest.mark.parametrize("language", OPEN_DAY)
def test_hints_are_followed_in_each_language(language: str) -> None:
    def words(hint: str) -> str:
        return compose(prompt=OPEN_DAY[language], language=language, hint=hint).text

    plain, told = words(""), words("mention that we open on 12 May")
    assert len(words("shorter").split()) < len(plain.split()) < len(words("longer").split())
    assert ("we open on 12 May." in told, told == words("mention that we open on 12 May")) == (True, True)
    formal = {"English": "Dear Ann Lee,", "German": "Mit freundlichen Grüßen", "French": "Bien cordialement"}
    assert formal.get(language, "Atentamente") in words("more formal")


@pytest.mark.parametrize(("language", "said"), [("German", "Grüße"), ("French", "ordialement"), ("Spanish", "aludo")])
def test_messages_in_other_languages_rest_on_facts(language: str, said: str) -> None:
    bare = CompanyBrief(name="")
    for prompt, company, contact, step in (
        (OPEN_DAY[language], COMPANY, ANN, 1),
        (OPEN_DAY[language], bare, ContactBrief(), 2),
        ("", bare, ANN, 1),
    ):
        texts = set()
        for seed in "abcdef":
            brief = ComposeBrief(
                contact=contact, company=company, prompt=prompt, language=language, step=step, seed=seed
            )
            draft = OfflineComposer(AiApp()).compose(brief)
            evidence = evidence_of(draft, brief)
            assert (draft.subject != "", [one["text"] for one in evidence if not one["source"]]) == (True, [])
            assert len(draft.text.split()) <= WORD_LIMIT
            texts.add(draft.text)
        assert any(said in text or "Bien à vous" in text for text in texts)
        assert not any("Hello" in text or "regards" in text for text in texts)


@pytest.mark.parametrize("channel", ["email", "chatapp"])
@pytest.mark.parametrize("asked", [None, *OPEN_DAY])
@pytest.mark.parametrize("written", OPEN_DAY)
def test_a_message_stays_in_the_language_of_its_topic(written: str, asked: str | None, channel: str) -> None:
    """The company's description, in English, is left out of a message in another language."""
    for seed in "abcdef":
        brief = ComposeBrief(
            contact=ANN, company=COMPANY, prompt=OPEN_DAY[written], language=asked, channel=channel, seed=seed
        )
        draft = OfflineComposer(AiApp()).compose(brief)
        for sentence in re.split(r"(?<=[.!?:])\s", draft.text):
            assert language_of_text(sentence) in ("", written), sentence
        noted = [claim.text for claim in draft.claims if claim.source == "outreach.language"]
        assert bool(noted) is (asked not in (None, written))


def test_without_a_topic_the_profile_decides() -> None:
    german = CompanyBrief(name="Bäckerei Korn", description="Wir backen Brot und Brötchen für die Stadt.")
    draft = compose(company=german, prompt="", language="English")
    assert ("Wir backen Brot" in draft.text, "regards" in draft.text) == (True, False)
    assert "Wir backen" not in compose(company=german, prompt=OPEN_DAY["English"]).text


@pytest.mark.parametrize("language", OPEN_DAY)
def test_a_subject_is_never_cut(language: str) -> None:
    long = f"{OPEN_DAY[language]}, {OPEN_DAY[language].lower()}, {OPEN_DAY[language].lower()}"
    company = CompanyBrief(name="The Company With a Name That Is as Long as Names of Companies Ever Get, Limited")
    for topic in (OPEN_DAY[language], long):
        for us in (COMPANY, company):
            for seed in "abcdefgh":
                for step in (1, 2):
                    subject = compose(prompt=topic, company=us, language=language, seed=seed, step=step).subject
                    assert ("…" in subject, 0 < len(subject) <= 78) == (False, True)


def test_a_language_without_sentences_is_told() -> None:
    brief = ComposeBrief(contact=ANN, company=COMPANY, prompt="Invite them", language="Italian")
    told = [one for one in evidence_of(OfflineComposer(AiApp()).compose(brief), brief) if "language" in one["source"]]
    assert [(one["source"], one["value"]) for one in told] == [("outreach.language", "Italian was asked for")]
