"""Writes the people or one link of a show as corrections say, and nothing else. A preview rolls it back.

The whole resolve gives the same rows, but builds every episode that changes."""

from collections.abc import Sequence

from ..models import CodeName, EpisodeLink, Link, Person, Podcast
from ..notes import fold_link_key, read_notes
from ..records import EpisodeLinkData
from .counts import update_or_delete_counted_rows
from .load_inputs import load_episodes
from .people import write_credits_and_return_changed_people
from .read_episodes import EpisodeOutline
from .sync_rows import sync_and_return_changed_keys
from .write import compute_facts
from .write_episodes import describe_link, update_link_descriptions_and_detect_change


def write_corrected_people(podcast: Podcast) -> None:
    facts = compute_facts(podcast)
    credits_by_slug = {}
    for draft, credits_of_episode in zip(facts.drafts, facts.people, strict=True):
        credits_by_slug[draft.slug] = credits_of_episode
    episode_ids = {episode.slug: episode.pk for episode in load_episodes(podcast)}
    person_ids = write_credits_and_return_changed_people(
        credits_by_slug, episode_ids, {"episode__podcast": podcast}
    )
    changed_ids = {Link: set[int](), CodeName: set[int](), Person: person_ids}
    update_or_delete_counted_rows(changed_ids)


def write_corrected_link(podcast: Podcast, folded_key: str) -> None:
    """Write the corrected mentions of a link in a show, and its description, without the rest of the
    catalog."""
    facts = compute_facts(podcast)
    kind_by_key = _link_kind_by_equivalent_key(facts.outlines, folded_key)
    scope = {"episode__podcast": podcast, "link__key__in": list(kind_by_key)}
    rows = {}
    for mention in EpisodeLink.objects.filter(**scope).select_related("link"):
        key = mention.link.key
        link = EpisodeLinkData(kind_by_key[key], key, mention.url, mention.text, mention.position)
        visible_links = read_notes.visible_links_with_corrections([link], facts.rules.corrections)
        # A hidden link gets no row, so its mention is deleted.
        if visible_links:
            corrected_link = visible_links[0]
            description = describe_link(corrected_link, facts.link_titles)
            rows[mention.episode_id, mention.link_id] = {"said": description}
    sync_and_return_changed_keys(EpisodeLink, ("episode_id", "link_id"), rows, scope)
    update_link_descriptions_and_detect_change({link_id for _, link_id in rows})


def _link_kind_by_equivalent_key(
    outlines: Sequence[EpisodeOutline], folded_key: str
) -> dict[str, str]:
    # Notes write the key of a repository with different capitals: gh:PyTorch/PyTorch, gh:pytorch/pytorch.
    kind_by_key = {}
    for outline in outlines:
        for link in outline.links:
            if fold_link_key(link.key) == folded_key:
                kind_by_key[link.key] = link.kind
    return kind_by_key
