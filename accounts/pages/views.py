"""The pages that mails link to, and the pages that request such mails."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from accounts.auth.passwords.services import forgot_password, reset_password, user_of_reset_link
from accounts.auth.verification.services import resend_verification, user_of_verification_link, verify_email
from accounts.pages.base import Page
from accounts.pages.forms import AddressForm, PasswordForm, RegistrationForm, TokenForm
from accounts.pages.session import enter_as
from accounts.registration.locality import locality_of
from accounts.registration.services import register
from core.access.callers import caller_of
from core.text.translation import gettext_lazy
from core.types import JsonObject


class ForgotPassword(Page):
    template_name = "pages/forgot_password.html"
    form_class = AddressForm
    done_template = "pages/mail_sent.html"

    def act(self, form: AddressForm) -> JsonObject:
        forgot_password(email=form.cleaned_data["email"], caller=caller_of(self.request))
        return {}


class ResetPassword(Page):
    way_on = ("pages:forgot-password", gettext_lazy("Send a new link"))
    template_name = "pages/reset_password.html"
    form_class = PasswordForm
    done_template = "pages/password_set.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        token = request.GET.get("token", "")
        return self.page(
            self.template_name, {"person": user_of_reset_link(token), "form": PasswordForm(initial={"token": token})}
        )

    def act(self, form: PasswordForm) -> JsonObject:
        values = form.cleaned_data
        return {
            "person": reset_password(token=values["token"], password=values["password"], caller=caller_of(self.request))
        }


class VerifyEmail(Page):
    """The page of the mail's link. Its button verifies the address and logs this browser in."""

    template_name = "pages/verify_email.html"
    form_class = TokenForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        token = request.GET.get("token", "")
        return self.page(
            self.template_name,
            {"person": user_of_verification_link(token), "form": TokenForm(initial={"token": token})},
        )

    def act(self, form: TokenForm) -> HttpResponse:
        user = verify_email(token=form.cleaned_data["token"], caller=caller_of(self.request))
        return enter_as(self.request, user, "verified the address")


class ResendVerification(Page):
    template_name = "pages/resend_verification.html"
    form_class = AddressForm
    done_template = "pages/mail_sent.html"

    def act(self, form: AddressForm) -> JsonObject:
        resend_verification(email=form.cleaned_data["email"], caller=caller_of(self.request))
        return {"verifies": True}


class Register(Page):
    """The page that referral links open."""

    template_name = "pages/register.html"
    form_class = RegistrationForm
    done_template = "pages/registered.html"

    def get_initial(self) -> JsonObject:
        return {"referralCode": self.request.GET.get("referralCode", "")[:64]}

    def act(self, form: RegistrationForm) -> JsonObject:
        values = form.cleaned_data
        locality = locality_of(values["timezone"], values["language"])
        register(
            name=values["name"],
            email=values["email"],
            password=values["password"],
            company_name=values["companyName"],
            referral_code=values["referralCode"],
            timezone=locality.timezone,
            country=locality.country,
            currency=locality.currency,
            caller=caller_of(self.request),
        )
        return {"email": values["email"]}
