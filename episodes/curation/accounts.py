"""The history of accounts: logins and failed logins, password links, and changed roles."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from ..models import Change

LOG_IN, FAILED_LOGIN = "log in", "failed login"
LINK_SENT = "send password link"
LOGIN_VERBS = (LOG_IN, FAILED_LOGIN, LINK_SENT)  # only administrators see these changes


def record_login(user: Any, address: str) -> None:
    record_account_change(user, LOG_IN, user, [["from", "", address]])


def has_logged_in_from(username: str, address: str) -> bool:
    logins = Change.objects.filter(verb=LOG_IN, made_by__username=username)
    return logins.filter(told=[["from", "", address]]).exists()


@transaction.atomic
def record_failed_login(username: str, address: str, now: datetime) -> None:
    """Count a failed login: one row an hour for each name and address.

    A name of no account is not stored, because people type passwords there.
    """
    user = User.objects.filter(username=username).first()
    subject = "an unknown name"
    subject_key = "account:none"
    if user:
        subject = user.get_username()
        subject_key = f"account:{user.pk}"
    # Lines of the history have a label, an old and a new text: ["from", "", "192.0.2.7"], ["times", "", "3"].
    address_line = ["from", "", address]
    # Locked, because an attacker sends many at once.
    recent = Change.objects.select_for_update().filter(
        verb=FAILED_LOGIN,
        about=subject_key,
        made_at__gt=now - timedelta(hours=1),
        told__0__2=address,  # the new text of the first line
    )
    change = recent.order_by("-pk").first()
    if change:
        _, (label, _, count) = change.told
        change.told = [address_line, [label, "", str(int(count) + 1)]]
        change.save(update_fields=["told"])
    else:
        Change.objects.create(
            verb=FAILED_LOGIN,
            subject=subject,
            about=subject_key,
            told=[address_line, ["times", "", "1"]],
            made_at=now,
        )


def record_password_link(maker: Any, account: User) -> None:
    """Record that a link to set the password was mailed to the owner. Without a maker, a stranger requested it."""
    record_account_change(maker, LINK_SENT, account, [["password", "", "link sent"]])


@transaction.atomic
def record_password_link_unless_recent(account: User, now: datetime) -> bool:
    """Record a password link that a stranger requests, and return True.

    Return False, and record nothing, if the last link was sent less than ten minutes ago.
    """
    # Locked, because an attacker sends many requests at once.
    User.objects.select_for_update().get(pk=account.pk)
    sent = Change.objects.filter(verb=LINK_SENT, about=f"account:{account.pk}")
    if sent.filter(made_at__gt=now - timedelta(minutes=10)).exists():
        return False
    record_password_link(None, account)
    return True


def record_account_change(maker: Any, verb: str, account: Any, lines: list[list[str]]) -> None:
    """Record a change of an account or a role, unless it has no lines."""
    if lines:
        kind = "account" if isinstance(account, User) else "role"
        Change.objects.create(
            made_by_id=getattr(maker, "pk", None),
            verb=verb,
            subject=str(account),
            about=f"{kind}:{account.pk}",
            told=lines,
        )


def delete_old_logins(now: datetime) -> int:
    """Delete logins older than 90 days and return their number."""
    old = Change.objects.filter(verb__in=LOGIN_VERBS, made_at__lt=now - timedelta(days=90))
    row_count, _ = old.delete()
    return row_count


def update_staff_flag(account: User) -> None:
    """Open the admin to superusers and to accounts with a role, and to no other account."""
    account.is_staff = account.is_superuser or account.groups.exists()
    account.save(update_fields=["is_staff"])
