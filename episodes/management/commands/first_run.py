"""`manage.py first_run`: fill an empty database with what `fixtures/` ships; does nothing to one
that has a show."""

from typing import Any, ClassVar

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from ...curation import add_shipped_credits
from ...models import Podcast
from ...schedule import DAY, plan_new_sources
from ._command import Arguments, CatalogCommand

DOCUMENTS = (
    "feed.xml",
    "pages/pod-casts-io-pytorch-page-2.txt",
    "pages/numbered-top-10.txt",
    "pages/player-fm-pytorch.txt",
    "pages/ezyang-blog-pytorch.txt",
)
# Invented shows, each of the feed of its name; the first has transcripts.
DEMO = ("the-tide-table", "nachtschicht-im-museum", "la-cuisine-des-sons")
SHOW = "pytorch-developer-podcast"  # in fixtures/sources.json


class Command(CatalogCommand):
    help = "Load the sample show, sources, topics, paths and documents into an empty database, offline."
    arguments: ClassVar[Arguments] = {
        "--demo": {
            "action": "store_true",
            "help": "load three invented shows in three languages instead",
        },
    }

    def handle(self, *args: Any, **options: Any) -> None:
        # `make run` calls this at each start.
        if Podcast.objects.exists():
            if options["demo"]:
                self.stdout.write("This database has shows already: nothing was loaded.")
            return
        if options["demo"]:
            self.load_demo()
            return
        self.load()
        if not settings.FIRST_RUN_FETCH:
            # Sources that are planned already are not due at once.
            plan_new_sources(timezone.now() + DAY)

    @transaction.atomic  # all of it or nothing: a run that was stopped begins anew
    def load(self) -> None:
        call_command("loaddata", "sources", "topics", "paths", stdout=self.stdout)
        fixtures = settings.BASE_DIR / "fixtures"
        paths = [str(fixtures / name) for name in DOCUMENTS]
        call_command("ingest", *paths, "--podcast", SHOW, stdout=self.stdout, stderr=self.stderr)
        add_shipped_credits()

    @transaction.atomic
    def load_demo(self) -> None:
        folder = settings.BASE_DIR / "fixtures" / "demo"
        out = {"stdout": self.stdout, "stderr": self.stderr}
        call_command("loaddata", "demo/topics", "demo/paths", stdout=self.stdout)
        for show in DEMO:
            address = f"https://{show}.example/feed.xml"
            call_command("ingest", str(folder / f"{show}.xml"), url=address, **out)
        call_command("transcripts", str(folder / DEMO[0]), podcast=DEMO[0], **out)
