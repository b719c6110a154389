"""Records for tests. Company-owned ones are made inside a company's scope (the `scope` fixture, or
core.tenancy.company_scope)."""

from __future__ import annotations

import factory
from django.utils import timezone

from accounts.models import Company, Member, Role, User
from billing.models import Subscription
from crm.models import Contact, ContactCategory, Lead, Organization, Tag
from crm.organizations.names import name_key
from outreach.models import Smtp


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"user{n}@example.com")
    name = factory.Sequence(lambda n: f"User {n}")
    email_verified_at = factory.LazyFunction(timezone.now)
    password = factory.django.Password("correct horse battery")


class CompanyFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Company

    name = factory.Sequence(lambda n: f"Company {n}")
    email = factory.Sequence(lambda n: f"office{n}@example.com")


class RoleFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Role

    name = factory.Sequence(lambda n: f"Role {n}")


class MemberFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Member

    user = factory.SubFactory(UserFactory)
    status = Member.Status.OWNER
    name = factory.SelfAttribute("user.name")
    email = factory.SelfAttribute("user.email")


class SubscriptionFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Subscription

    starts_at = factory.LazyFunction(timezone.now)


class TagFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Tag

    name = factory.Sequence(lambda n: f"Tag {n}")


class ContactCategoryFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = ContactCategory

    name = factory.Sequence(lambda n: f"Category {n}")


class ContactFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Contact

    name = factory.Sequence(lambda n: f"Contact {n}")
    email = factory.Sequence(lambda n: f"contact{n}@example.org")
    email_key = factory.LazyAttribute(lambda contact: contact.email and contact.email.lower())


class OrganizationFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Organization

    name = factory.Sequence(lambda n: f"Organization {n}")
    name_key = factory.LazyAttribute(lambda organization: name_key(organization.name))


class LeadFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Lead

    contact = factory.SubFactory(ContactFactory)
    status = "new"


class SmtpFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Smtp

    name = "Sender"
    host = "127.0.0.1"
    port = 2525
    username = "sender"
    password = "secret"
    secure = False
    from_email = "sender@example.com"
    from_name = "Sender"
