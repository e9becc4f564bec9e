"""`manage.py rebuild`: throw the catalog away and resolve it again from evidence and decisions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from ...models import Podcast
from ...resolve.apply import rebuild


class Command(BaseCommand):
    help = "Make the catalog again from evidence and decisions; the export is the same before and after."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            for podcast in Podcast.objects.select_for_update().order_by("slug"):
                result = rebuild(podcast)
                self.stdout.write(f"{podcast.slug}: {len(result.episodes)} episodes, {len(result.held)} held")
