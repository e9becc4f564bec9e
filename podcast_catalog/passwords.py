"""A new password by mail, for those who forgot theirs and those who are invited; only where mail is
set up."""

import logging
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import path, reverse_lazy
from django.utils import timezone

from episodes.curation import account_changed, link_sent, may_send_link

logger = logging.getLogger(__name__)

MAIL: dict[str, Any] = {
    "email_template_name": "admin/password_mail.txt",
    "subject_template_name": "admin/password_subject.txt",
}


class ForgottenForm(PasswordResetForm):
    """A mail address of accounts, each of which gets one link in ten minutes at most."""

    def get_users(self, email: str) -> Iterator[User]:
        now = timezone.now()
        return (account for account in super().get_users(email) if may_send_link(account, now))


class InvitationForm(PasswordResetForm):
    """Sends the link to one account alone."""

    def __init__(self, account: User) -> None:
        super().__init__({"email": account.email})
        self.account = account

    def get_users(self, email: str) -> list[User]:
        return [self.account]

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        """Send the mail; unlike Django's method, raise what goes wrong."""
        subject = render_to_string(subject_template_name, context).strip()
        send_mail(subject, render_to_string(email_template_name, context), from_email, [to_email])


class ForgottenView(views.PasswordResetView):
    """Asks for a mail address. The answer is the same whether an account has it or not; where one
    has, it takes longer."""

    form_class = ForgottenForm
    success_url = reverse_lazy("admin:password_reset_done")
    email_template_name = MAIL["email_template_name"]
    subject_template_name = MAIL["subject_template_name"]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        if not settings.EMAIL_URL:
            raise Http404("No mail is sent from here.")
        self.from_email = settings.NOTIFY_SENDER or None
        return super().dispatch(request, *args, **kwargs)


class NewPasswordView(views.PasswordResetConfirmView):
    """Sets the password that the link of a mail is for; the history says so."""

    success_url = reverse_lazy("admin:password_reset_complete")

    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        account_changed(self.user, "change account", self.user, [["password", "", "changed"]])
        return answer


def send_link(request: HttpRequest, account: User) -> str:
    """Send a link with which the owner of an account sets its password; returns the reason why
    that could not be done, "" for none."""
    form = InvitationForm(account)
    if not account.is_active:
        return "the account is not active"
    if not form.is_valid():
        return "the account has no mail address that can be used"
    sender, https = settings.NOTIFY_SENDER or None, request.is_secure()
    try:
        form.save(request=request, use_https=https, from_email=sender, **MAIL)
    except Exception as error:  # mail servers fail in more ways than smtplib has classes for
        logger.exception("A password link could not be sent to %s", account)
        return f"the mail server did not take it ({type(error).__name__})"
    link_sent(request.user, account)
    return ""


urlpatterns = [
    path("password/", ForgottenView.as_view(), name="password_reset"),
    path("password/sent/", views.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path("password/<uidb64>/<token>/", NewPasswordView.as_view(), name="password_reset_confirm"),
    path(
        "password/done/",
        views.PasswordResetCompleteView.as_view(),
        name="password_reset_complete",
    ),
]
