"""Counts and index columns of rows that tests create without a resolve."""

from episodes.models import CodeName, Link, Podcast
from episodes.resolve.counts import update_facet_counts_of_show_and_site, write_all_episode_counts
from episodes.text.link_labels import link_index_columns, symbol_index_columns


def complete() -> None:
    """Write the columns that a resolve computes: counts of episodes, and index columns of links and symbols."""
    for link in Link.objects.all():
        Link.objects.filter(pk=link.pk).update(**link_index_columns(link.key, link.kind))
    for symbol in CodeName.objects.all():
        CodeName.objects.filter(pk=symbol.pk).update(**symbol_index_columns(symbol.name))
    write_all_episode_counts()
    for podcast in Podcast.objects.all():
        update_facet_counts_of_show_and_site(podcast)
