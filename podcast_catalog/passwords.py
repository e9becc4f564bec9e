"""A new password by mail, for those who forgot theirs and those who are invited; only where mail is
set up."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse_lazy

from episodes.curation import account_changed

MAIL: dict[str, Any] = {
    "email_template_name": "admin/password_mail.txt",
    "subject_template_name": "admin/password_subject.txt",
}


class ForgottenView(views.PasswordResetView):
    """Asks for a mail address. Whether an account has it, the answer does not tell."""

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


def send_link(request: HttpRequest, account: User) -> None:
    """Send a link with which the owner of an account sets its password."""
    form = PasswordResetForm({"email": account.email})
    if form.is_valid():
        sender, https = settings.NOTIFY_SENDER or None, request.is_secure()
        form.save(request=request, use_https=https, from_email=sender, **MAIL)


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
