"""`manage.py rebuild`: throw the catalog away and resolve it again from evidence and decisions."""

from typing import Any

from django.db import transaction

from ...ingest import reparse_any_site_pages
from ...models import Held, Podcast
from ...resolve import clear_catalog, drop_intermediate_addresses, update_catalog
from ._command import CatalogCommand


class Command(CatalogCommand):
    help = "Rebuild the catalog from stored sources and edits. The export is the same before and after."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic(), drop_intermediate_addresses():
            podcasts = list(Podcast.objects.select_for_update())
            # All first: an empty catalog leaves it to the ledger and the shows' ranks whose an
            # address is.
            clear_catalog(podcasts)
            for podcast in podcasts:
                reparse_any_site_pages(podcast)
                update_catalog(podcast)
                episodes, held = (
                    podcast.episodes.count(),
                    Held.objects.filter(podcast=podcast).count(),
                )
                self.stdout.write(f"{podcast.slug}: {episodes} episodes, {held} held")
