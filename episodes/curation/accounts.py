"""Accounts in the history: who logged in, who failed to, and who changed what somebody may do."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from ..models import Change

LOG_IN, FAILED = "log in", "failed login"
LINK_SENT = "send password link"
LOGINS = (LOG_IN, FAILED, LINK_SENT)  # for administrators alone
LINK_EVERY = timedelta(minutes=10)  # for somebody who is not logged in
LOGINS_KEPT = timedelta(days=90)
ONE_ROW_FOR = timedelta(hours=1)  # in which failures from one address are counted
NOBODY = "an unknown name"


def logged_in(user: Any, address: str) -> None:
    Change.objects.create(
        made_by_id=user.pk,
        verb=LOG_IN,
        subject=user.get_username(),
        about=f"account:{user.pk}",
        told=[["from", "", address]],
    )


def has_logged_in(name: str, address: str) -> bool:
    """True where the history has a login to the account from this address."""
    rows = Change.objects.filter(verb=LOG_IN, made_by__username=name)
    return rows.filter(told=[["from", "", address]]).exists()


@transaction.atomic
def login_failed(name: str, address: str, now: datetime) -> None:
    """One row an hour for each name and address. A name of no account is not kept: people type
    passwords there."""
    user = User.objects.filter(username=name).first()
    about = f"account:{user.pk}" if user else "account:none"
    # Locked, because whoever guesses sends many at once.
    rows = Change.objects.select_for_update().filter(
        verb=FAILED, about=about, made_at__gt=now - ONE_ROW_FOR, told__0__2=address
    )
    row = rows.order_by("-pk").first()
    if row:
        # The second line tells how many times.
        row.told[1][2] = str(int(row.told[1][2]) + 1)
        row.save(update_fields=["told"])
    else:
        subject = user.get_username() if user else NOBODY
        told = [["from", "", address], ["times", "", "1"]]
        Change.objects.create(verb=FAILED, subject=subject, about=about, told=told, made_at=now)


def link_sent(maker: Any, account: User) -> None:
    """Note that somebody has a link mailed with which the owner sets the password; None for a
    stranger."""
    account_changed(maker, LINK_SENT, account, [["password", "", "link sent"]])


@transaction.atomic
def may_send_link(account: User, now: datetime) -> bool:
    """Note a link that a stranger asked for; False where one was sent a short time ago."""
    # Locked, because whoever wants to annoy sends many at once.
    User.objects.select_for_update().get(pk=account.pk)
    sent = Change.objects.filter(verb=LINK_SENT, about=f"account:{account.pk}")
    if sent.filter(made_at__gt=now - LINK_EVERY).exists():
        return False
    link_sent(None, account)
    return True


def account_changed(maker: Any, verb: str, account: Any, told: Iterable[list[str]]) -> None:
    """Note a change of an account or a role; nothing where nothing differs."""
    lines = list(told)
    if lines:
        kind = "account" if isinstance(account, User) else "role"
        about = f"{kind}:{account.pk}"
        Change.objects.create(
            made_by_id=getattr(maker, "pk", None),
            verb=verb,
            subject=str(account),
            about=about,
            told=lines,
        )


def forget_logins(now: datetime, *, dry_run: bool = False) -> int:
    """Delete logins that are long ago; how many they were."""
    old = Change.objects.filter(verb__in=LOGINS, made_at__lt=now - LOGINS_KEPT)
    return old.count() if dry_run else old.delete()[0]


def set_staff(user: User) -> None:
    """Make an account staff where it has a role or is a superuser, and take that away where it has
    neither: whoever has a role may use the admin, and nobody else."""
    is_staff = user.is_superuser or user.groups.exists()
    # Mostly nothing differs, and nothing has to be written.
    if user.is_staff != is_staff:
        user.is_staff = is_staff
        user.save(update_fields=["is_staff"])
