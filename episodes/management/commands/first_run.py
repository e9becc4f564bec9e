"""`manage.py first_run`: fill an empty database with what `fixtures/` ships; does nothing to one that has a show."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction

from ...models import Podcast

DOCUMENTS = (
    "feed.xml",
    "pages/pod-casts-io-pytorch-page-2.txt",
    "pages/numbered-top-10.txt",
    "pages/player-fm-pytorch.txt",
    "pages/ezyang-blog-pytorch.txt",
)


class Command(BaseCommand):
    help = "Load the shipped show, sources, topics, paths and documents into an empty database, without the network."

    @transaction.atomic  # all of it or nothing: a run that was stopped begins anew
    def handle(self, *args: Any, **options: Any) -> None:
        if Podcast.objects.exists():
            return
        call_command("loaddata", "sources", "topics", "paths", stdout=self.stdout)
        fixtures = settings.BASE_DIR / "fixtures"
        call_command("ingest", *(str(fixtures / name) for name in DOCUMENTS), stdout=self.stdout, stderr=self.stderr)
