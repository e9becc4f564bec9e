"""`manage.py export`: the whole catalog on standard output, the same bytes for the same catalog."""

from typing import Any, ClassVar

from ...ingest import UsageError, find_show
from ...models import Podcast
from ...outputs import catalog_json, dump_csv, dump_rss
from ._command import TEXT, Arguments, CatalogCommand

FORMATS = {"json": catalog_json.dump_json, "csv": dump_csv, "rss": dump_rss}


class Command(CatalogCommand):
    refusal = (UsageError, 2)
    help = "Write the catalog to standard output. The same catalog always gives the same bytes."
    arguments: ClassVar[Arguments] = {
        "--format": {"choices": sorted(FORMATS), "default": "json"},
        "--podcast": {**TEXT, "help": "the slug of one show (default: all shows)"},
    }

    def handle(self, *args: Any, **options: Any) -> None:
        named, every = options["podcast"], Podcast.objects.order_by("slug")
        shows = [find_show(named)] if named else list(every)
        # Without an end of its own: the same catalog gives the same bytes.
        self.stdout.write(FORMATS[options["format"]](shows), ending="")
