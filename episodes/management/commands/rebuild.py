"""`manage.py rebuild`: throw the catalog away and resolve it again from evidence and decisions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from ...models import Podcast
from ...resolve.apply import apply, clear


class Command(BaseCommand):
    help = "Make the catalog again from evidence and decisions; the export is the same before and after."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            podcasts = list(Podcast.objects.select_for_update())
            # All first: an empty catalog leaves it to the ledger and the shows' ranks whose an address is.
            for podcast in podcasts:
                clear(podcast)
            for podcast in podcasts:
                result = apply(podcast)
                self.stdout.write(f"{podcast.slug}: {len(result.episodes)} episodes, {len(result.held)} held")
