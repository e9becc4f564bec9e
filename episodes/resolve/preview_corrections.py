"""Writes the people or one link of a show as corrections say, and nothing else. A preview rolls it back.

The whole resolve gives the same rows, but builds every episode that changes."""

from ..models import CodeName, EpisodeLink, Link, Person, Podcast
from ..notes import LINK, fold_link_key
from ..notes.read_notes import apply_link_corrections
from ..records import EpisodeLinkData
from .counts import write_episode_counts_and_names_of_people
from .load_inputs import load_episodes
from .people import write_credits
from .write import compute_facts
from .write_episodes import describe_link, update_link_descriptions


def preview_people(podcast: Podcast) -> None:
    """Write the credits of all episodes of a show, and the names of its people."""
    facts = compute_facts(podcast)
    credits_by_slug = {}
    for draft, credits_of_episode in zip(facts.drafts, facts.people, strict=True):
        credits_by_slug[draft.slug] = credits_of_episode
    episode_ids = {episode.slug: episode.pk for episode in load_episodes(podcast)}
    person_ids = write_credits(credits_by_slug, episode_ids, {"episode__podcast": podcast})
    changed_ids = {Link: set[int](), CodeName: set[int](), Person: person_ids}
    write_episode_counts_and_names_of_people(changed_ids)


def preview_link(podcast: Podcast, key: str) -> None:
    """Write the mentions of a link in a show, and its description. `key` is folded."""
    facts = compute_facts(podcast)
    corrections = facts.rules.corrections
    # By key as the notes have it: the capitals of a repository differ between notes.
    kinds = {}
    for outline in facts.outlines:
        for outline_link in outline.links:
            if fold_link_key(outline_link.key) == key:
                kinds[outline_link.key] = outline_link.kind
    mentions = EpisodeLink.objects.filter(episode__podcast=podcast, link__key__in=kinds)
    if "hidden" in corrections.values_of(LINK, key):
        mentions.delete()
        return
    changed_mentions = list(mentions.select_related("link"))
    for mention in changed_mentions:
        link_key = mention.link.key
        link = EpisodeLinkData(
            kinds[link_key], link_key, mention.url, mention.text, mention.position
        )
        (corrected_link,) = apply_link_corrections([link], corrections)
        mention.said = describe_link(corrected_link, facts.link_titles)
    EpisodeLink.objects.bulk_update(changed_mentions, ["said"])
    update_link_descriptions({mention.link_id for mention in changed_mentions})
