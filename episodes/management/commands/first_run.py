"""`manage.py first_run`: fill an empty database from `fixtures/`. A database with shows stays as it
is."""

from typing import Any, ClassVar

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from ...curation import add_shipped_credits_unless_decided
from ...models import Podcast
from ...schedule import DAY, plan_new_and_moved_sources
from ._command import Arguments, CatalogCommand


class Command(CatalogCommand):
    help = "Load the sample show, sources, topics, paths and documents into an empty database, offline."
    arguments: ClassVar[Arguments] = {
        "--demo": {
            "action": "store_true",
            "help": "load three invented shows in three languages instead",
        },
    }

    def handle(self, *args: Any, **options: Any) -> None:
        has_shows = Podcast.objects.exists()
        if options["demo"] and has_shows:
            self.stdout.write("This database has shows already: nothing was loaded.")
        elif options["demo"]:
            self.load_demo_shows()
        # `make run` calls this at each start, so without a message if there are shows.
        elif not has_shows:
            self.load_sample_show()
            if not settings.FIRST_RUN_FETCH:
                # A source without a plan is due at once, so each gets a plan for tomorrow.
                plan_new_and_moved_sources(timezone.now() + DAY)

    @transaction.atomic  # a run that was stopped begins anew
    def load_sample_show(self) -> None:
        call_command("loaddata", "sources", "topics", "paths", stdout=self.stdout)
        fixtures = settings.BASE_DIR / "fixtures"
        call_command(
            "ingest",
            fixtures / "feed.xml",
            fixtures / "pages" / "pod-casts-io-pytorch-page-2.txt",
            fixtures / "pages" / "numbered-top-10.txt",
            fixtures / "pages" / "player-fm-pytorch.txt",
            fixtures / "pages" / "ezyang-blog-pytorch.txt",
            podcast="pytorch-developer-podcast",
            stdout=self.stdout,
            stderr=self.stderr,
        )
        add_shipped_credits_unless_decided()

    @transaction.atomic
    def load_demo_shows(self) -> None:
        folder = settings.BASE_DIR / "fixtures" / "demo"
        streams = {"stdout": self.stdout, "stderr": self.stderr}
        call_command("loaddata", "demo/topics", "demo/paths", stdout=self.stdout)
        for show in ("the-tide-table", "nachtschicht-im-museum", "la-cuisine-des-sons"):
            address = f"https://{show}.example/feed.xml"
            call_command("ingest", str(folder / f"{show}.xml"), url=address, **streams)
        transcripts = str(folder / "the-tide-table")
        call_command("transcripts", transcripts, podcast="the-tide-table", **streams)
