"""`manage.py rebuild`: delete the catalog and resolve it again from evidence and decisions."""

from typing import Any

from django.db import transaction
from django.utils.translation import ngettext

from ...ingest import reparse_listing_pages_and_detect_change
from ...models import Held, Podcast
from ...resolve import (
    clear_catalog,
    deleting_unpublished_addresses_of_people,
    update_catalog,
    write_missing_meanings,
)
from ._command import CatalogCommand


class Command(CatalogCommand):
    stealth_options = ("on_progress",)  # a function that is called with counts of shows
    help = (
        "Rebuild the catalog from stored sources and edits. The export is the same before and after. "
        "Exit 0: rebuilt; 2: wrong usage; 3: the machine, the database or a setting is at fault."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Clear the catalogs of all shows and build them again from the evidence, in one transaction."""
        on_progress = options.get("on_progress", self.show_count)
        # Before the last show is resolved, a person may get an address that a later show changes.
        # Nobody has seen such an address, so the ledger of former addresses need not have it.
        with transaction.atomic(), deleting_unpublished_addresses_of_people():
            podcasts = list(Podcast.objects.select_for_update())
            # Clear all shows before any is built. Otherwise old episodes of a later show would hold
            # addresses that the ledger or the order of shows gives to another one.
            clear_catalog(podcasts)
            for number, podcast in enumerate(podcasts):
                on_progress(number, len(podcasts), "shows")
                reparse_listing_pages_and_detect_change(podcast)
                update_catalog(podcast)
                episode_count = podcast.episodes.count()
                held_count = Held.objects.filter(podcast=podcast).count()
                episodes = ngettext("episode", "episodes", episode_count)
                line = f"{podcast.slug}: {episode_count} {episodes}, {held_count} held"
                self.print_line_and_update_exit_code(line)
        # The search by meaning needs vectors of the new rows. Each batch of them is its own transaction.
        write_missing_meanings()
