"""`manage.py two_factor_off`: let somebody who lost the app log in with the password alone."""

from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from podcast_catalog.accounts import has_two_factor, turn_off_two_factor

from ._command import NAME_OPTION, Arguments, CatalogCommand


class Command(CatalogCommand):
    help = "Turn two-factor login off for an account whose app was lost. Exit 0: it is off; 2: no such account."
    arguments: ClassVar[Arguments] = {
        "name": {"metavar": "NAME", **NAME_OPTION, "help": "the name of the account"},
    }

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"no account is called {options['name']}", returncode=2)
        line = f"{user}: two-factor login is off"
        if not has_two_factor(user):
            line += ", as it was"
        # The history names no person.
        turn_off_two_factor(maker=None, user=user)
        self.stdout.write(line)
