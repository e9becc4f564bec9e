"""`manage.py two_factor_off`: let somebody who lost the app log in with the password alone."""

from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from podcast_catalog.accounts import has_two_factor, turn_off_two_factor

from ._command import TEXT, Arguments, CatalogCommand


class Command(CatalogCommand):
    help = "Turn two-factor login off for an account whose app was lost. Exit 0: it is off; 2: no such account."
    arguments: ClassVar[Arguments] = {
        "name": {"metavar": "NAME", **TEXT, "help": "the name of the account"},
    }

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"no account is called {options['name']}", returncode=2)
        was_on = has_two_factor(user)
        turn_off_two_factor(None, user)
        self.stdout.write(f"{user}: two-factor login is off" + ("" if was_on else ", as it was"))
