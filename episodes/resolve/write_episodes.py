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
    Key,
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
    # A source may state which episodes it has notes of that were written for the catalog, not by the show.
    # Pages mark them.
    editorial_numbers_by_source: dict[str | None, list[int]] = dict(
        podcast.sources.values_list("slug", "editorial")
    )
    columns = {}
    for episode in result.episodes:
        merged = episode.merged
        notes = merged.provenance[NOTES_FIELD.name]
        is_editorial = merged.number in editorial_numbers_by_source.get(notes.source, ())
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
    columns = {}
    for field in STATED_FIELDS:
        columns.update(field.episode_columns(merged.values[field.name]))
    return columns


def add_declared_topics(podcast: Podcast, topics: Collection[DeclaredTopic]) -> None:
    """Add the topics that a feed declares and no show has.

    They stay when the feed no longer declares them, because their addresses are public.
    """
    stored_slugs = find_ids_by_value(Topic, "slug", [topic.slug for topic in topics])
    rows = [
        Topic(podcast=podcast, slug=topic.slug, name=topic.name, declared=True)
        for topic in topics
        if topic.slug not in stored_slugs
    ]
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


def write_and_return_changed_symbol_ids(
    result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> set[int]:
    """Write symbols and their mentions in episodes. Return the ids of symbols with changed mentions."""
    uses = list(result.iterate_parts("names"))  # with the slug of the episode
    symbol_ids = _find_or_create_symbol_ids({use.name for _, use in uses})
    mentions = {}
    for slug, use in uses:
        key = (episode_ids[slug], symbol_ids[use.name], use.field, use.position)
        mentions[key] = {"sentence": use.sentence}
    key_columns = ("episode_id", "name_id", "field", "position")
    changed = sync_and_return_changed_keys(CodeMention, key_columns, mentions, scope)
    return {symbol_id for _, symbol_id, _, _ in changed}


def _find_or_create_symbol_ids(names: Collection[str]) -> dict[str, int]:
    columns_by_name = {}
    for name in sorted(names):
        # Of the name alone, so that the address does not depend on the show that is resolved first.
        slug = f"{make_slug(name)}-{short_hash(name)}"
        columns_by_name[name] = {"slug": slug, **symbol_index_columns(name)}
    return find_or_create_ids_by_value(CodeName, "name", columns_by_name)


def write_references_between_episodes(
    result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> None:
    """Write the references between episodes. Both need a row before."""
    rows = {}
    for slug, reference in result.iterate_parts("references"):
        key = (episode_ids[slug], episode_ids[reference.episode], reference.kind)
        rows[key] = {"evidence": reference.evidence}
    sync_and_return_changed_keys(Reference, ("episode_id", "target_id", "kind"), rows, scope)


def write_and_return_changed_link_ids(
    result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> set[int]:
    """Write the links of episodes, with their descriptions by the show. Return the ids of links with
    changed mentions."""
    description_by_key = {}
    for _, link in result.iterate_parts("links"):
        # The same for each mention of the link in this show.
        description_by_key[link.key] = describe_link(link, result.link_titles)
    columns_if_new = {}
    for key, description in description_by_key.items():
        columns_if_new[key] = {**description, **link_index_columns(key, description["kind"])}
    link_ids = find_or_create_ids_by_value(Link, "key", columns_if_new)
    mentions = {}
    for slug, link in result.iterate_parts("links"):
        mentions[episode_ids[slug], link_ids[link.key]] = {
            "position": link.position,
            "url": link.url,
            "text": link.text[:500],  # the size of the column
            "said": description_by_key[link.key],
        }
    changed = sync_and_return_changed_keys(EpisodeLink, ("episode_id", "link_id"), mentions, scope)
    changed_link_ids = {link_id for _, link_id in changed}
    # Only a changed mention changes a description, so its result adds nothing to these ids.
    update_link_descriptions_and_detect_change(changed_link_ids)
    return changed_link_ids


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
    """Write each link as the first show describes it that has it. Without a title by that show, use the
    title of the page. Return whether a link has changed."""
    changed_keys: set[Key] = set()
    for batch in batches(link_ids):
        page_titles = _page_titles_by_link_key(batch)
        mentions = EpisodeLink.objects.filter(link__in=batch).exclude(said={})
        # The first show that has a link comes last, and counts: a later one renames nothing.
        mentions = mentions.order_by("-episode__podcast__rank")
        rows = {}
        for link_id, key, description in mentions.values_list("link", "link__key", "said"):
            title = description["title"] or page_titles.get(key, "")
            index_columns = link_index_columns(key, description["kind"])
            rows[(link_id,)] = {**description, "title": title, **index_columns}
        changed_keys |= sync_and_return_changed_keys(
            Link, ("pk",), rows, {"pk__in": batch}, keep_extra_rows=True
        )
    return bool(changed_keys)


def _page_titles_by_link_key(link_ids: Collection[int]) -> dict[str, str]:
    # The check of links stores the title of each page.
    keys = Link.objects.filter(pk__in=link_ids).values("key")
    checks = LinkCheck.objects.filter(key__in=keys).exclude(title="")
    return dict(checks.values_list("key", "title"))
