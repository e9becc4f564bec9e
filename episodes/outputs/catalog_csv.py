"""Episodes as CSV, one row each, harmless when a spreadsheet opens it."""

import csv
import io
from collections.abc import Iterable, Sequence

from ..fields import BY_NAME, CSV
from ..models import Episode, Podcast
from ..text.formulas import harmless


def dump(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first."""
    return rows(Episode.objects.of_shows(podcasts).for_list().in_batches())


def rows(episodes: Iterable[Episode]) -> str:
    """The header and a row for each episode; topics are slugs with a space between them."""
    out = io.StringIO()
    # RFC 4180 ends a line so.
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV)
    for e in episodes:
        topics = " ".join(sorted(topic.slug for topic in e.topics_in_order))
        values = {"podcast": e.podcast.slug, "topics": topics}
        writer.writerow(
            [harmless(values[name] if name in values else BY_NAME[name].shown(e)) for name in CSV]
        )
    return out.getvalue()
