"""Accounts in the admin: a new password by mail, for those who forgot theirs and those who are
invited; and two-factor login, a code of an app (TOTP) beside the password, for those who turn it
on."""

import logging
from base64 import b32encode
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import django_otp
import segno
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm, UsernameField
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import path, reverse, reverse_lazy
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_otp.util import random_hex

from episodes.curation import claim_password_link, record_account_change, record_password_link

WHAT = "two-factor login"
LONGEST = 4_096  # characters of a name or password
WRONG = (
    "This is not the code that the app shows now. "
    "Wait for the next one, and enter it within half a minute."
)
PAUSE = "After a wrong code there is a pause, which doubles each time. Try again in a minute."


def has_two_factor(user: Any) -> bool:
    return bool(
        user.is_authenticated and TOTPDevice.objects.filter(user=user, confirmed=True).exists()
    )


def requires_two_factor(user: Any) -> bool:
    """True for somebody of whom a role requires it."""
    roles = settings.TWO_FACTOR_ROLES
    return bool(roles) and (user.is_superuser or user.groups.filter(name__in=roles).exists())


def lacks_two_factor(user: Any) -> bool:
    """True where somebody has to turn it on before anything else."""
    return requires_two_factor(user) and not has_two_factor(user)


class CodeField(forms.CharField):
    """Six digits of an app; people and apps write them in groups."""

    widget = forms.TextInput(
        attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "maxlength": "9"}
    )

    def to_python(self, value: Any) -> str:
        return "".join(str(value or "").split())


class LoginForm(AdminAuthenticationForm):
    """Name and password, and for those who turned it on the code."""

    # Hashing takes a quarter of a second: not for what nobody can have as a name or password.
    username = UsernameField(max_length=LONGEST, widget=forms.TextInput({"autofocus": True}))
    password = forms.CharField(
        max_length=LONGEST,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )
    code = CodeField(label="Code, if you use two-factor login", required=False)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean()
        user = self.get_user()
        if user is not None and has_two_factor(user):
            device = django_otp.match_token(user, cleaned.get("code", ""))
            if device is None:
                raise ValidationError(
                    WRONG if cleaned.get("code") else "Enter the code that your app shows."
                )
            user.otp_device = device  # type: ignore[attr-defined]
        return cleaned


class CodeForm(forms.Form):
    """A code, and the key of an app that is added with it: until then the key is in the page
    alone."""

    code = CodeField(label="Code", max_length=9)
    key = forms.RegexField(r"^[0-9a-f]{40}$", required=False, widget=forms.HiddenInput)


def two_factor_page(request: HttpRequest) -> HttpResponse:
    """The page to turn it on and off, each with a code."""
    user: Any = request.user
    on = has_two_factor(user)
    form = CodeForm(request.POST or None)
    key = (form.is_valid() and form.cleaned_data["key"]) or random_hex()
    if form.is_valid():
        # The app that is in use, else the one that is being added; it counts wrong codes.
        device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
        if device is None:
            defaults = {"name": "app", "key": key}
            device, _ = TOTPDevice.objects.update_or_create(
                user=user, confirmed=False, defaults=defaults
            )
        allowed, _ = device.verify_is_allowed()
        if device.verify_token(form.cleaned_data["code"]):
            if on:
                TOTPDevice.objects.filter(user=user).delete()
            else:
                device.confirmed = True
                device.save()
                django_otp.login(request, device)
            before, after = ("on", "off") if on else ("off", "on")
            record_account_change(user, f"turn {WHAT} {after}", user, [[WHAT, before, after]])
            messages.success(request, f"Two-factor login is {after}.")
            return HttpResponseRedirect(reverse("admin:two_factor"))
        form.add_error("code", WRONG if allowed else PAUSE)
    shown = TOTPDevice(user=user, name="app", key=key)
    letters = b32encode(shown.bin_key).decode()
    context = {
        **admin.site.each_context(request),
        "title": "Two-factor login",
        "on": on,
        "required": requires_two_factor(user),
        "form": form,
        "new": key,
        "key": " ".join(wrap(letters, 4)),
        "address": shown.config_url,
        "picture": segno.make(shown.config_url).svg_data_uri(scale=5, light="white"),
    }
    return TemplateResponse(request, "admin/two_factor.html", context)


def turn_off_two_factor(maker: Any, user: Any) -> None:
    """Forget the app of somebody else who lost it, with a line in the history."""
    if has_two_factor(user):
        TOTPDevice.objects.filter(user=user).delete()
        record_account_change(maker, f"turn {WHAT} off", user, [[WHAT, "on", "off"]])


logger = logging.getLogger(__name__)

MAIL, SUBJECT = "admin/password_mail.txt", "admin/password_subject.txt"


class ForgottenPasswordForm(PasswordResetForm):
    """A mail address of accounts, each of which gets one link in ten minutes at most."""

    def get_users(self, email: str) -> Iterator[User]:
        now = timezone.now()
        return (
            account for account in super().get_users(email) if claim_password_link(account, now)
        )


class ForgottenPasswordView(views.PasswordResetView):
    """Asks for a mail address. The answer is the same whether an account has it or not; where one
    has, it takes longer."""

    form_class = ForgottenPasswordForm
    success_url = reverse_lazy("admin:password_reset_done")
    email_template_name = MAIL
    subject_template_name = SUBJECT

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        if not settings.EMAIL_URL:
            raise Http404("No mail is sent from here.")
        return super().dispatch(request, *args, **kwargs)


class NewPasswordView(views.PasswordResetConfirmView):
    """Sets the password that the link of a mail is for; the history says so."""

    success_url = reverse_lazy("admin:password_reset_complete")

    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        record_account_change(self.user, "change account", self.user, [["password", "", "changed"]])
        return answer


def send_password_link(request: HttpRequest, account: User) -> str:
    """Send a link with which the owner of an account sets its password; returns the reason why
    that could not be done, "" for none."""
    if not account.is_active:
        return "the account is not active"
    if not PasswordResetForm({"email": account.email}).is_valid():
        return "the account has no mail address that can be used"
    context = {
        "user": account,
        "uid": urlsafe_base64_encode(force_bytes(account.pk)),
        "token": default_token_generator.make_token(account),
        "protocol": request.scheme,
        "domain": request.get_host(),
    }
    subject = render_to_string(SUBJECT, context).strip()
    try:
        send_mail(subject, render_to_string(MAIL, context), None, [account.email])
    except Exception as error:  # mail servers fail in more ways than smtplib has classes for
        logger.exception("A password link could not be sent to %s", account)
        return f"the mail server did not take it ({type(error).__name__})"
    record_password_link(request.user, account)
    return ""


urlpatterns = [
    path("password/", ForgottenPasswordView.as_view(), name="password_reset"),
    path("password/sent/", views.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path("password/<uidb64>/<token>/", NewPasswordView.as_view(), name="password_reset_confirm"),
    path(
        "password/done/",
        views.PasswordResetCompleteView.as_view(),
        name="password_reset_complete",
    ),
]
