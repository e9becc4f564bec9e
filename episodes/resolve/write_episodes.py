"""Writes the rows of episodes, their topics, links and symbols, and the titles of links."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from typing import Any

from ..fields import NOTES_FIELD, STATED_FIELDS
from ..identity import guid_hash, make_slug, short_hash
from ..models import (
    CodeMention,
    CodeName,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Link,
    LinkCheck,
    Podcast,
    Reference,
    Topic,
    batches,
    start_new_version,
)
from ..records import DeclaredTopic, EpisodeLinkData, MergedValues, ResolvedShow
from ..text.link_labels import link_index_columns, symbol_index_columns
from .sync_rows import (
    Scope,
    find_ids_by_value,
    find_or_create_ids_by_value,
    sync_and_return_changed_keys,
)


def write_episodes(columns: Mapping[str, dict[str, Any]], scope: Scope) -> dict[str, int]:
    """Write the columns of episodes, by slug, and keep other rows. Return the ids of these episodes by
    slug."""
    rows = {(slug,): values for slug, values in columns.items()}
    sync_and_return_changed_keys(Episode, ("slug",), rows, scope, keep_extra_rows=True)
    return find_ids_by_value(Episode, "slug", list(columns))


def episode_columns_by_slug(podcast: Podcast, result: ResolvedShow) -> dict[str, dict[str, Any]]:
    # The numbers of the episodes with notes that were written for the catalog, by source.
    editorial_numbers: dict[str | None, list[int]] = dict(
        podcast.sources.values_list("slug", "editorial")
    )
    columns = {}
    for episode in result.episodes:
        merged = episode.merged
        notes = merged.provenance[NOTES_FIELD.name]
        # Pages mark a summary that was written for the catalog, not by the show.
        is_editorial = merged.number in editorial_numbers.get(notes.source, ())
        provenance = {**merged.provenance, NOTES_FIELD.name: replace(notes, editorial=is_editorial)}
        provenance_payload = {name: value.payload() for name, value in provenance.items()}
        columns[episode.slug] = {
            **value_columns(merged),
            "podcast_id": podcast.pk,
            "order": episode.order,
            "sorted_at": episode.sorted_at,
            "own_guid": episode.own_guid,
            "listed": episode.listed,
            "summary": episode.summary,
            "guid_hash": guid_hash(merged.values["guid"] or ""),
            "provenance": provenance_payload,
            "conflicts": [asdict(conflict) for conflict in merged.conflicts],
            "versions": list(episode.versions),
            "related": [[related.slug, related.reason] for related in episode.related],
        }
    return columns


def value_columns(merged: MergedValues) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for field in STATED_FIELDS:
        columns.update(field.episode_columns(merged.values[field.name]))
    return columns


def add_declared_topics(podcast: Podcast, topics: Collection[DeclaredTopic]) -> None:
    """Add the topics that a feed declares and no show has.

    They stay when the feed no longer declares them, because their addresses are public.
    """
    stored_slugs = find_ids_by_value(Topic, "slug", [topic.slug for topic in topics])
    rows = []
    for topic in topics:
        if topic.slug not in stored_slugs:
            rows.append(Topic(podcast=podcast, slug=topic.slug, name=topic.name, declared=True))
    # The import of another show may add one of them at the same time.
    Topic.objects.bulk_create(rows, ignore_conflicts=True)


def write_topics_of_episodes(
    result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> None:
    slugs_of_topics = {tag.topic for _, tag in result.iterate_parts("topics")}
    topic_ids = find_ids_by_value(Topic, "slug", slugs_of_topics)
    rows = {}
    for slug, tag in result.iterate_parts("topics"):
        rows[episode_ids[slug], topic_ids[tag.topic]] = {
            "term": tag.term,
            "field": tag.field,
            "position": tag.position,
            "confidence": tag.confidence,
        }
    sync_and_return_changed_keys(EpisodeTopic, ("episode_id", "topic_id"), rows, scope)


def write_symbols_and_return_changed_ids(
    result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> set[int]:
    names = {use.name for _, use in result.iterate_parts("names")}
    columns_by_name = {}
    for name in sorted(names):
        # The name alone decides the address, so that the first show to mention it does not.
        slug = f"{make_slug(name)}-{short_hash(name)}"
        columns_by_name[name] = {"slug": slug, **symbol_index_columns(name)}
    symbol_ids = find_or_create_ids_by_value(CodeName, "name", columns_by_name)
    mentions = {}
    for slug, use in result.iterate_parts("names"):
        key = (episode_ids[slug], symbol_ids[use.name], use.field, use.position)
        mentions[key] = {"sentence": use.sentence}
    key_columns = ("episode_id", "name_id", "field", "position")
    changed = sync_and_return_changed_keys(CodeMention, key_columns, mentions, scope)
    return {symbol for _, symbol, _, _ in changed}


def write_references_between_episodes(
    result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> None:
    """Write the references between episodes. Both need a row before."""
    rows = {}
    for slug, reference in result.iterate_parts("references"):
        key = (episode_ids[slug], episode_ids[reference.episode], reference.kind)
        rows[key] = {"evidence": reference.evidence}
    sync_and_return_changed_keys(Reference, ("episode_id", "target_id", "kind"), rows, scope)


def write_links_and_return_changed_ids(
    result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> set[int]:
    """Write the links of episodes, with their descriptions by the show. Return the ids of links with
    changed episodes."""
    descriptions: dict[str, dict[str, Any]] = {}
    for _, link in result.iterate_parts("links"):
        descriptions[link.key] = describe_link(link, result.link_titles)
    columns_by_key = {}
    for key, description in descriptions.items():
        columns_by_key[key] = {**description, **link_index_columns(key, description["kind"])}
    link_ids = find_or_create_ids_by_value(Link, "key", columns_by_key)
    mentions = {}
    for slug, link in result.iterate_parts("links"):
        mentions[episode_ids[slug], link_ids[link.key]] = {
            "position": link.position,
            "url": link.url,
            "text": link.text[:500],  # the size of the column
            "said": descriptions[link.key],
        }
    changed = sync_and_return_changed_keys(EpisodeLink, ("episode_id", "link_id"), mentions, scope)
    links = {link for _, link in changed}
    update_link_descriptions_and_detect_change(links)
    return links


def describe_link(
    link: EpisodeLinkData, link_titles: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    """Return the columns that a show gives to a link. `link_titles` are title and summary by key."""
    title, summary = link_titles.get(link.key, (link.label, ""))
    return {
        "kind": link.kind,
        "title": title,
        "summary": summary,
        "labelled": bool(link.label),
        "replacement": link.replacement,
    }


def retitle_links(keys: Collection[str]) -> None:
    """Give links with these keys the titles that their pages have now, if no show names them."""
    link_ids = list(Link.objects.filter(key__in=keys).values_list("pk", flat=True))
    is_changed = update_link_descriptions_and_detect_change(link_ids)
    if is_changed:
        start_new_version()


def update_link_descriptions_and_detect_change(link_ids: Collection[int]) -> bool:
    """Write title, summary and kind of each link from the first show that has it, else the title of
    its page. Return whether something changed."""
    is_changed = False
    for batch in batches(link_ids):
        mentions = EpisodeLink.objects.filter(link__in=batch).exclude(said={})
        # The first show that has a link comes last, and counts: a later one renames nothing.
        mentions = mentions.order_by("-episode__podcast__rank")
        keys = Link.objects.filter(pk__in=batch).values("key")
        checks = LinkCheck.objects.filter(key__in=keys).exclude(title="")
        page_titles = dict(checks.values_list("key", "title"))
        rows = {}
        for link, key, description in mentions.values_list("link", "link__key", "said"):
            title = description["title"] or page_titles.get(key, "")
            index_columns = link_index_columns(key, description["kind"])
            rows[(link,)] = {**description, "title": title, **index_columns}
        changed_keys = sync_and_return_changed_keys(
            Link, ("pk",), rows, {"pk__in": batch}, keep_extra_rows=True
        )
        if changed_keys:
            is_changed = True
    return is_changed
