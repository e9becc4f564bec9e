"""Counts and index columns of rows that tests create without a resolve."""

from typing import Any

from episodes.models import CodeName, Link, Podcast
from episodes.resolve.counts import update_facet_counts_of_show_and_site, write_all_episode_counts
from episodes.text.link_labels import link_index_columns, symbol_index_columns


def complete() -> None:
    """Write the columns that a resolve computes: counts of episodes, and index columns of links and symbols."""
    for link in Link.objects.all():
        _write_if_changed(link, link_index_columns(link.key, link.kind))
    for symbol in CodeName.objects.all():
        _write_if_changed(symbol, symbol_index_columns(symbol.name))
    write_all_episode_counts()
    for podcast in Podcast.objects.all():
        update_facet_counts_of_show_and_site(podcast)


def _write_if_changed(row: Link | CodeName, columns: dict[str, Any]) -> None:
    if any(getattr(row, name) != value for name, value in columns.items()):
        type(row)._default_manager.filter(pk=row.pk).update(**columns)
