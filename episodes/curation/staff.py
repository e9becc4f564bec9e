"""Lets whoever has a role use the admin, and nobody else."""

from __future__ import annotations

from django.contrib.auth.models import User


def set_staff(user: User) -> None:
    """Make an account staff where it has a role or is a superuser, and take that away where it has
    neither."""
    is_staff = user.is_superuser or user.groups.exists()
    if user.is_staff != is_staff:
        user.is_staff = is_staff
        user.save(update_fields=["is_staff"])
