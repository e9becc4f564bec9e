"""Accounts in the admin: a new password by mail, and two-factor login, with the code of an app (TOTP)
beside the password."""

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

from episodes.curation import (
    record_account_change,
    record_password_link,
    record_password_link_unless_recent,
)

logger = logging.getLogger(__name__)

# Django's message speaks of a "staff account".
WRONG_LOGIN = "Wrong username or password. Both are case-sensitive."
NO_ROLE = "This account has no role yet. Ask an administrator of this site to give it one."
MAX_CREDENTIAL = 4_096  # characters of a name or password
WRONG_CODE = (
    "This is not the code that the app shows now. "
    "Wait for the next one, and enter it within half a minute."
)


# --- Two-factor login ----------------------------------------------------------------------------


def has_two_factor(user: Any) -> bool:
    devices = TOTPDevice.objects.filter(user=user, confirmed=True)
    return bool(user.is_authenticated and devices.exists())


def requires_two_factor(user: Any) -> bool:
    """Return whether a role of the account requires two-factor login. A superuser has all roles."""
    roles = settings.TWO_FACTOR_ROLES
    if not roles:
        return False
    return bool(user.is_superuser or user.groups.filter(name__in=roles).exists())


def lacks_two_factor(user: Any) -> bool:
    return requires_two_factor(user) and not has_two_factor(user)


class CodeField(forms.CharField):
    """The six digits of an app. People and apps write them in groups."""

    widget = forms.TextInput(
        attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "maxlength": "9"}
    )

    def to_python(self, value: Any) -> str:
        return "".join(str(value or "").split())


class LoginForm(AdminAuthenticationForm):
    """Name, password, and the code for accounts with two-factor login."""

    # Hashing takes a quarter of a second, so impossible names and passwords are refused before.
    username = UsernameField(max_length=MAX_CREDENTIAL, widget=forms.TextInput({"autofocus": True}))
    password = forms.CharField(
        max_length=MAX_CREDENTIAL,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )
    code = CodeField(label="Code, if you use two-factor login", required=False)

    def get_invalid_login_error(self) -> ValidationError:
        return ValidationError(WRONG_LOGIN, code="invalid_login")

    def confirm_login_allowed(self, user: Any) -> None:
        # Nobody reads this without the right password.
        if user.is_active and not user.is_staff:
            raise ValidationError(NO_ROLE, code="no_role")
        super().confirm_login_allowed(user)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean()
        # There is no user if the name or the password is wrong.
        user = self.get_user()
        if user is not None and has_two_factor(user):
            code = cleaned.get("code", "")
            # The app whose present code this is. None also in the pause after a wrong code.
            device = django_otp.match_token(user, code)
            if device is None:
                reason = WRONG_CODE if code else "Enter the code that your app shows."
                raise ValidationError(reason)
            # django-otp takes the session for verified by this attribute.
            user.otp_device = device  # type: ignore[attr-defined]
        return cleaned


class CodeForm(forms.Form):
    """A code, and the key of a new app. Until the code is right, only the page has the key."""

    code = CodeField(label="Code", max_length=9)
    key = forms.RegexField(r"^[0-9a-f]{40}$", required=False, widget=forms.HiddenInput)


def two_factor_page(request: HttpRequest) -> HttpResponse:
    """Show whether two-factor login is on, with the key for an app, and switch it by a right code."""
    user: Any = request.user
    form = CodeForm(request.POST or None)
    key = random_hex()
    if form.is_valid():
        # The app has the key of the page before, which the form sends back. After a wrong code the
        # page shows the same key again. The form that turns it off sends no key.
        key = form.cleaned_data["key"] or key
        if try_to_switch_two_factor(request, form, key):
            return HttpResponseRedirect(reverse("admin:two_factor"))
    context = {
        **admin.site.each_context(request),
        "title": "Two-factor login",
        "on": has_two_factor(user),
        "required": requires_two_factor(user),
        "form": form,
        **new_app_context(user, key),
    }
    return TemplateResponse(request, "admin/two_factor.html", context)


def new_app_context(user: Any, key: str) -> dict[str, str]:
    """Return the key of a new app for the form, for people who type it, and in an address
    ("otpauth://totp/…") that apps read from a picture."""
    device = TOTPDevice(user=user, name="app", key=key)  # not stored
    secret = b32encode(device.bin_key).decode()
    return {
        "new": key,
        "key": " ".join(wrap(secret, 4)),
        "address": device.config_url,
        "picture": segno.make(device.config_url).svg_data_uri(scale=5, light="white"),
    }


def try_to_switch_two_factor(request: HttpRequest, form: CodeForm, new_key: str) -> bool:
    """Turn two-factor login off, or on with the app of a new key, and return True.

    If the code is wrong, add an error to the form and return False.
    """
    user: Any = request.user
    is_on = has_two_factor(user)
    if is_on:
        # If the form that turned it on was sent twice at once, there may be two with one key.
        device = TOTPDevice.objects.filter(user=user, confirmed=True).earliest("pk")
    else:
        # Stored before the code is checked, because the device counts wrong codes.
        device, _ = TOTPDevice.objects.update_or_create(
            user=user, confirmed=False, defaults={"name": "app", "key": new_key}
        )
    # Asked before the code is checked, because a wrong code begins the next pause.
    may_try, _ = device.verify_is_allowed()
    if not device.verify_token(form.cleaned_data["code"]):
        pause = (
            "After a wrong code there is a pause, which doubles each time. Try again in a minute."
        )
        form.add_error("code", WRONG_CODE if may_try else pause)
        return False
    if is_on:
        turn_off_two_factor(user, user)
        messages.success(request, "Two-factor login is off.")
    else:
        turn_on_two_factor(request, device)
        messages.success(request, "Two-factor login is on.")
    return True


def turn_on_two_factor(request: HttpRequest, device: TOTPDevice) -> None:
    device.confirmed = True
    device.save()
    django_otp.login(request, device)  # this session has entered a code
    record_two_factor(request.user, request.user, before="off", after="on")


def turn_off_two_factor(maker: Any, user: Any) -> None:
    if has_two_factor(user):
        TOTPDevice.objects.filter(user=user).delete()
        record_two_factor(maker, user, before="on", after="off")


def record_two_factor(maker: Any, user: Any, before: str, after: str) -> None:
    lines = [["two-factor login", before, after]]
    record_account_change(maker, f"turn two-factor login {after}", user, lines)


# --- Passwords by mail -----------------------------------------------------------------------------


class ForgottenPasswordForm(PasswordResetForm):
    """A mail address. Each account with it gets at most one link in ten minutes."""

    def get_users(self, email: str) -> Iterator[User]:
        now = timezone.now()
        for account in super().get_users(email):
            if record_password_link_unless_recent(account, now):
                yield account


class ForgottenPasswordView(views.PasswordResetView):
    """Asks for a mail address. The answer is the same whether an account has it or not, but takes longer
    for one."""

    form_class = ForgottenPasswordForm
    success_url = reverse_lazy("admin:password_reset_done")
    email_template_name = "admin/password_mail.txt"
    subject_template_name = "admin/password_subject.txt"

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        if not settings.EMAIL_URL:
            raise Http404("No mail is sent from here.")
        return super().dispatch(request, *args, **kwargs)


class NewPasswordView(views.PasswordResetConfirmView):
    """Sets the password after the link of a mail, with a line in the history."""

    success_url = reverse_lazy("admin:password_reset_complete")

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        record_account_change(self.user, "change account", self.user, [["password", "", "changed"]])
        return response


def password_link_values(request: HttpRequest, account: User) -> dict[str, Any]:
    """Return the values of a link that sets the password of an account once, within three days."""
    return {
        "user": account,
        "uid": urlsafe_base64_encode(force_bytes(account.pk)),
        "token": default_token_generator.make_token(account),
        "protocol": request.scheme,
        "domain": request.get_host(),
    }


def password_link(request: HttpRequest, account: User) -> str:
    values = password_link_values(request, account)
    address = reverse("admin:password_reset_confirm", args=(values["uid"], values["token"]))
    return request.build_absolute_uri(address)


def mail_password_link_and_return_problem(request: HttpRequest, account: User) -> str:
    """Mail the owner of an account a link to set the password. Return the reason if that fails, or ""."""
    if not account.is_active:
        return "the account is not active"
    # An account may have no mail address, or an invalid one, which the form refuses.
    if not PasswordResetForm({"email": account.email}).is_valid():
        return "the account has no mail address that can be used"
    context = password_link_values(request, account)
    subject = render_to_string(ForgottenPasswordView.subject_template_name, context).strip()
    try:
        text = render_to_string(ForgottenPasswordView.email_template_name, context)
        send_mail(subject, text, from_email=None, recipient_list=[account.email])
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
