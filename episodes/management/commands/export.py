"""`manage.py export`: the whole catalog on standard output, the same bytes for the same catalog."""

from typing import Any, ClassVar

from django.core.management.base import CommandError

from ...models import Podcast
from ...outputs import catalog_csv, catalog_json, dump_rss
from ._command import Arguments, CatalogCommand

FORMATS = {"json": catalog_json.dump, "csv": catalog_csv.dump, "rss": dump_rss}


class Command(CatalogCommand):
    help = "Write the catalog to standard output. The same catalog always gives the same bytes."
    arguments: ClassVar[Arguments] = {
        "--format": {"choices": sorted(FORMATS), "default": "json"},
        "--podcast": {"default": "", "help": "the slug of one show (default: all shows)"},
    }

    def handle(self, *args: Any, **options: Any) -> None:
        shows = Podcast.objects.order_by("slug")
        if options["podcast"]:
            shows = shows.filter(slug=options["podcast"])
            if not shows:
                raise CommandError(f"unknown show: {options['podcast']!r}", returncode=2)
        # Without an end of its own: the same catalog gives the same bytes.
        self.stdout.write(FORMATS[options["format"]](list(shows)), ending="")
