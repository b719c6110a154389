"""The contract of AI providers, over each entry of the registry."""

import pytest

from outreach.connections.ai.evidence import evidence_of, facts_of
from outreach.connections.ai.providers import (
    AiProvider,
    CompanyBrief,
    ComposeBrief,
    ContactBrief,
    Draft,
    ProductBrief,
    ProviderError,
)
from outreach.connections.ai.services import provider_class, provider_for, providers
from outreach.models import AiApp
from tests.kit.ai_server import AiServer

COMPANY = CompanyBrief(
    name="Green Fields",
    description="We plan gardens for offices.",
    website="https://greenfields.example",
    products=(ProductBrief(name="Roof garden", description="A garden on your roof"),),
    sender_name="Maria Lopez",
)
CONTACT = ContactBrief(
    name="Ann Lee",
    email="ann@example.org",
    fields={"Company": "ACME", "City": "Berlin"},
    tags=("VIP",),
    category="Customer",
)
BRIEFS = [
    ComposeBrief(
        contact=CONTACT, company=COMPANY, prompt="Invite them to our open day on 12 May.", tone="friendly", seed="1"
    ),
    ComposeBrief(contact=CONTACT, company=COMPANY, seed="2"),
    ComposeBrief(contact=ContactBrief(email="x@example.org"), company=CompanyBrief(name="Green Fields"), seed="3"),
    ComposeBrief(
        contact=CONTACT,
        company=COMPANY,
        prompt="Follow up on our offer",
        step=3,
        occurrence=2,
        tone="pirate",
        language="de",
        seed="4",
    ),
    ComposeBrief(contact=CONTACT, company=COMPANY, prompt="Thank them for the visit", channel="sms", seed="5"),
]


def test_the_registry_has_entries() -> None:
    assert "offline-composer" in providers()


@pytest.fixture
def provider(key: str, server: AiServer) -> AiProvider:
    """The provider of an app; one that calls a model calls the stand-in."""
    return provider_for(server.app(key))


@pytest.mark.parametrize("key", sorted(providers()))
class TestContract:
    def test_it_names_itself(self, key: str, provider: AiProvider) -> None:
        assert isinstance(provider, AiProvider)
        assert provider.key == key
        assert 3 <= len(provider.name) <= 80
        assert isinstance(provider.calls_a_model, bool)
        assert provider.calls_a_model or "no AI model is called" in provider.name

    @pytest.mark.parametrize("brief", BRIEFS, ids=lambda brief: f"brief {brief.seed}")
    def test_it_writes_a_message_that_can_go_out(self, provider: AiProvider, brief: ComposeBrief) -> None:
        draft = provider.compose(brief)
        assert isinstance(draft, Draft)
        assert "\n" not in draft.subject
        assert "\r" not in draft.subject
        assert len(draft.subject) <= 200
        assert bool(draft.subject) is (brief.channel == "email")
        assert len(draft.text.split()) >= 10
        for mark in ("{{", "}}", "None", "[Name]"):
            assert mark not in draft.subject + draft.text

    @pytest.mark.parametrize("brief", BRIEFS, ids=lambda brief: f"brief {brief.seed}")
    def test_it_says_what_its_words_rest_on(self, provider: AiProvider, brief: ComposeBrief) -> None:
        draft = provider.compose(brief)
        assert len(evidence_of(draft, brief)) == len(draft.claims) > 0
        assert {claim.source for claim in draft.claims} <= set(facts_of(brief))

    def test_a_batch_keeps_its_order(self, provider: AiProvider) -> None:
        drafts = provider.compose_many(BRIEFS)
        assert len(drafts) == len(BRIEFS)
        assert all(isinstance(draft, Draft | ProviderError) for draft in drafts)


def test_a_failure_in_a_batch_costs_nobody_else_their_draft() -> None:
    class Moody(AiProvider):
        key, name, calls_a_model = "moody", "Moody", True

        def compose(self, brief: ComposeBrief) -> Draft:
            if brief.seed == "2":
                raise ProviderError("rate_limited", "Too many requests.", temporary=True)
            return Draft(subject="s", text=brief.seed)

    drafts = Moody(AiApp()).compose_many(BRIEFS[:3])
    assert [draft.text if isinstance(draft, Draft) else draft.code for draft in drafts] == ["1", "rate_limited", "3"]


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(ProviderError, match=f"'nobody'; there is: {', '.join(sorted(providers()))}") as caught:
        provider_class("nobody")
    assert (caught.value.code, caught.value.temporary) == ("unknown_provider", False)
