"""`manage.py export`: the whole catalog on standard output, the same bytes for the same catalog."""

from typing import Any, ClassVar

from ...ingest import UsageError, find_show_or_only_show
from ...models import Podcast
from ...outputs import catalog_json, dump_csv, dump_rss
from ._command import NAME_OPTION, Arguments, CatalogCommand

EXPORT_FORMATS = {"json": catalog_json.dump_json, "csv": dump_csv, "rss": dump_rss}


class Command(CatalogCommand):
    expected_error_and_exit_code = (UsageError, 2)
    help = "Write the catalog to standard output. The same catalog always gives the same bytes."
    arguments: ClassVar[Arguments] = {
        "--format": {"choices": sorted(EXPORT_FORMATS), "default": "json"},
        "--podcast": {**NAME_OPTION, "help": "the slug of one show (default: all shows)"},
    }

    def handle(self, *args: Any, **options: Any) -> None:
        dump = EXPORT_FORMATS[options["format"]]
        if options["podcast"]:
            shows = [find_show_or_only_show(options["podcast"])]
        else:
            shows = list(Podcast.objects.order_by("slug"))
        self.stdout.write(dump(shows), ending="")
