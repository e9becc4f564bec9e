"""Episodes as a CSV file, with every field that a curator can change."""

import csv
import io
from typing import Any

from django.db.models import QuerySet

from ..fields import CSV_COLUMNS, OVERRIDABLE_FIELDS
from ..models import QUERY_BATCH_SIZE, Episode
from ..text.formulas import escape_formula

# Each once.
DOWNLOAD_COLUMNS = list(
    dict.fromkeys([*CSV_COLUMNS, *(field.name for field in OVERRIDABLE_FIELDS)])
)


def render_episodes_csv_bytes(episodes: QuerySet[Episode]) -> bytes:
    """Return the CSV file (bytes) with a row for each episode, in the order of the query.

    It begins with a byte order mark, so that spreadsheets recognize UTF-8. No cell runs as a formula.
    """
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(DOWNLOAD_COLUMNS)
    rows: Any = episodes.select_related("podcast").prefetch_related("topic_uses__topic")
    for episode in rows.iterator(QUERY_BATCH_SIZE):
        slugs = sorted(use.topic.slug for use in episode.topic_uses.all())
        values = {field.name: field.text_of_episode(episode) for field in OVERRIDABLE_FIELDS}
        values["podcast"] = episode.podcast.slug
        values["topics"] = " ".join(slugs)
        writer.writerow([escape_formula(values[name]) for name in DOWNLOAD_COLUMNS])
    return out.getvalue().encode("utf-8-sig")
