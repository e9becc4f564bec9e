"""`manage.py publish`: the public site as static files in a folder."""

from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import CommandError

from ...publish import HOME_ADDRESS, FolderRefused, publish_site
from ._command import Arguments, CatalogCommand


class Command(CatalogCommand):
    stealth_options = ("on_progress",)  # a function that is called with counts of pages
    expected_error_and_exit_code = (FolderRefused, 1)
    help = (
        "Write the public site to FOLDER as static files, which any web server or GitHub Pages can serve. "
        "The next run writes what has changed, and deletes what is gone. "
        "Exit 0: the copy is up to date; 1: the folder is not ours, or cannot be made; 2: wrong usage; "
        "3: the machine, the database or a setting is at fault."
    )
    arguments: ClassVar[Arguments] = {
        "folder": {"metavar": "FOLDER", "type": Path},
        "--address": {
            "default": "",
            "help": "the address at which the copy is served, such as https://me.github.io/podcasts (default: PUBLISH_ADDRESS)",
        },
    }

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["folder"]
        home = options["address"] or settings.PUBLISH_ADDRESS
        # Checked first, because every page contains the address.
        if not HOME_ADDRESS.fullmatch(home):
            raise CommandError(
                "Pass --address, or set PUBLISH_ADDRESS: the http or https address of the copy’s start page, "
                "in ASCII, without a login, a query or “%”, its host in small letters.",
                returncode=2,
            )
        # Not of the command line: `call_command` may pass it, as the job of the schedule does.
        on_progress = options.get("on_progress", self.show_count)
        copy = publish_site(folder, home, on_progress)
        self.print_line_and_update_exit_code(
            f"{folder}: {copy.files:,} files, {copy.written:,} written, {copy.deleted:,} deleted; "
            f"{copy.rendered:,} pages made anew",
        )
