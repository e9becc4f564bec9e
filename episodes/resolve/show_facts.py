"""What the episodes of a show are to each other: order, people, references, topics, re-runs, related
episodes; pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from ..fields import TITLE_FIELD
from ..identity import instants_for_sorting, list_decided_reruns, make_slug, slugs_hidden_by_reruns
from ..notes import (
    LINK,
    Corrections,
    EpisodeNames,
    ReferenceMatch,
    ReferenceTarget,
    TopicNames,
    build_episode_name_lookups,
    declared_topics_by_keyword,
    fold_link_key,
    list_traits_without_usual_sites,
    read_notes,
    related_episodes_by_slug,
    unified_identity_by_identity,
)
from ..records import (
    CreditData,
    Decisions,
    EntryData,
    EpisodeLinkData,
    MergedValues,
    ReferenceData,
    RelatedEpisode,
    ResolvedEpisode,
    SourceEntry,
)
from ..text.numbering import format_heading
from ..text.summaries import keys_of_repeated_sentences
from ..text.urls import host_of, safe_urlsplit
from .drafts import Draft
from .read_episodes import EpisodeOutline, ReadingRules

MAX_RELATED = 5


class ShowFacts:
    """What the episodes of a show are to each other. Each list is in the order of `drafts`, the oldest
    episode first."""

    def __init__(
        self,
        drafts: Sequence[Draft],
        entries: Sequence[SourceEntry],
        decisions: Decisions,
        rules: ReadingRules,
        topic_names: TopicNames,
    ) -> None:
        """Compute all facts. `drafts` are not withdrawn, the oldest first. `entries` are all
        entries of the show, with its posts. Many facts need facts that are computed before them."""
        self.drafts = drafts
        self.rules = rules
        self.outlines = [draft.outline for draft in drafts]
        self.sorted_at = instants_for_sorting([draft.at for draft in drafts])
        # Sentences of many episodes, such as advertisements. Summaries leave them out.
        self.shared_sentences = keys_of_repeated_sentences(
            [outline.sentences for outline in self.outlines]
        )
        # Topics that follow from keywords of the feed, by keyword.
        self.declared_topics = declared_topics_by_keyword(
            [outline.keywords for outline in self.outlines],
            rules.show.title,
            topic_names,
            decisions.refused_topics,
        )
        self.aliases_by_topic = {rule.slug: rule.aliases for rule in rules.topic_rules}
        # Of all topics that an episode can have.
        self.topic_slugs = self.aliases_by_topic.keys() | set(topic_names.declared)
        self.people = self._visible_credits_of_each_draft()
        self.episode_names = self._build_episode_name_index()
        self.slugs_by_entry = self._slugs_by_source_and_key_of_entry()
        self.link_titles = _descriptions_by_link(entries, self.outlines, rules.corrections)
        # Episodes with only the values that finding re-runs needs.
        self.sketches = [self._sketch_of_episode(draft_index) for draft_index in range(len(drafts))]
        self.reruns = list_decided_reruns(self.sketches, decisions.rerun_decisions)
        # Lists show another version of these episodes.
        self.unlisted_slugs = slugs_hidden_by_reruns(self.reruns)
        self.outline_of_slug = {draft.slug: draft.outline for draft in drafts}
        self.rerun_descriptions_by_slug = self._rerun_descriptions_by_slug()

    def _visible_credits_of_each_draft(self) -> list[tuple[CreditData, ...]]:
        identities = unified_identity_by_identity([outline.credits for outline in self.outlines])
        registry = read_notes.PersonRegistry(identities, self.rules.corrections)
        people = []
        for draft in self.drafts:
            # With the identity that the person has in the whole show.
            settled = map(registry.settled_credit, draft.outline.credits)
            decided = read_notes.credits_after_decisions(settled, draft.decided, registry)
            people.append(registry.visible_credits_with_corrections(decided))
        return people

    def _slugs_by_source_and_key_of_entry(self) -> dict[str, str]:
        slugs = {}
        for draft in self.drafts:
            for entry in draft.entries:
                # As decisions about references name an entry.
                slugs[f"{entry.source} {entry.key}"] = draft.slug
        return slugs

    def _build_episode_name_index(self) -> EpisodeNames:
        targets = []
        for draft in self.drafts:
            outline = draft.outline
            targets.append(
                ReferenceTarget(draft.slug, outline.title, outline.number, outline.pages)
            )
        return build_episode_name_lookups(targets)

    def _sketch_of_episode(self, draft_index: int) -> ResolvedEpisode:
        draft = self.drafts[draft_index]
        return ResolvedEpisode(
            slug=draft.slug,
            order=draft_index + 1,
            merged=MergedValues({TITLE_FIELD.name: draft.outline.title}),
            entries=draft.entries,
            sorted_at=self.sorted_at[draft_index],
        )

    def _rerun_descriptions_by_slug(self) -> dict[str, list[Any]]:
        """Return for each re-run, by its slug, the episode that it replaces or repeats, and for each
        original, by its slug, the re-run by which it is replaced or repeated."""
        relation_of_original = {"replaces": "replaced", "repeats": "repeated"}
        versions: dict[str, list[Any]] = defaultdict(list)
        for rerun in self.reruns:
            rerun_slug = rerun.episode
            original_slug = rerun.of
            original = self._describe_version(original_slug, relation=rerun.kind)
            versions[rerun_slug].append(original)
            relation = relation_of_original[rerun.kind]
            later = self._describe_version(rerun_slug, relation=relation)
            versions[original_slug].append(later)
        return versions

    def _describe_version(self, slug: str, relation: str) -> dict[str, str]:
        outline = self.outline_of_slug[slug]
        return {
            "is": relation,
            "slug": slug,
            "heading": format_heading(outline.title, outline.season, outline.number),
            "published": outline.published,
        }

    def topic_tags(self, draft_index: int) -> tuple[Any, ...]:
        draft = self.drafts[draft_index]
        tags = draft.stored.tags
        keywords = draft.outline.keywords
        return read_notes.combine_topic_tags(
            tags, keywords, self.declared_topics, draft.decided, self.topic_slugs
        )

    def target_slugs_of_links_then_mentions(self, draft_index: int) -> list[str | None]:
        """Return for each link, then each mention, of an episode the slug of the episode that it
        names, or None."""
        names = self.episode_names
        outline = self.outlines[draft_index]
        slugs = [names.find_slug_of_link(link.key, link.page) for link in outline.links]
        for possible_mention in outline.mentions:
            mention = names.find_mention_of_episode(possible_mention)
            slug = mention.slug if mention else None
            slugs.append(slug)
        return slugs

    def decided_target_slugs(self, draft_index: int) -> list[str | None]:
        """Return the slugs of the episodes that curators removed from the references of an episode,
        then of those that they added. It is None for an entry without an episode."""
        decided = self.drafts[draft_index].decided
        keys = sorted(decided.removals("reference"))
        keys += [key for key, _ in decided.additions("reference")]
        return [self.slugs_by_entry.get(key) for key in keys]

    def similar_episodes_by_slug(self) -> Mapping[str, tuple[RelatedEpisode, ...]]:
        """Return at most MAX_RELATED episodes that each episode has most in common with, by its slug:
        no episodes that it refers to, or that refer to it."""
        comparable_episodes = []
        for draft_index, sketch in enumerate(self.sketches):
            # With the values that are compared. `related_episodes_by_slug` leaves out references.
            episode = replace(
                sketch,
                people=self.people[draft_index],
                links=self._visible_links_to_compare(draft_index),
                references=self._references_to_compare(draft_index),
                topics=self.topic_tags(draft_index),
            )
            comparable_episodes.append(episode)
        traits = list_traits_without_usual_sites(comparable_episodes)
        return related_episodes_by_slug(traits, MAX_RELATED, self._label_by_shared_feature())

    def _visible_links_to_compare(self, draft_index: int) -> tuple[EpisodeLinkData, ...]:
        links = []
        for link in self.outlines[draft_index].links:
            if link.is_visible:
                # The text and the position in the notes are not compared.
                links.append(EpisodeLinkData(link.kind, link.key, link.url, text="", position=0))
        return tuple(links)

    def _label_by_shared_feature(self) -> dict[str, str]:
        """Return names of the features that two episodes can share, for reasons such as "Both with Ada
        Roe". A feature is the slug of a topic, the key of a link, `episode:SLUG` for an episode that both
        refer to, or the identity of a person."""
        labels = {}
        for rule in self.rules.topic_rules:
            topic_name = rule.aliases[0]
            labels[rule.slug] = topic_name
        for feature, title in self._title_by_link_or_episode_key().items():
            if title:
                labels[feature] = f"“{title}”"
        for credits_of_episode in self.people:
            for credit in credits_of_episode:
                labels[credit.identity] = credit.full_name or credit.credited_as
        return labels

    def _title_by_link_or_episode_key(self) -> dict[str, str]:
        titles = {}
        for link_key, description in self.link_titles.items():
            titles[link_key] = description.title
        for draft in self.drafts:
            reference_key = f"episode:{draft.slug}"
            titles[reference_key] = draft.outline.title
        return titles

    def _references_to_compare(self, draft_index: int) -> tuple[ReferenceData, ...]:
        # Without kind and evidence, which only the text has.
        draft = self.drafts[draft_index]
        targets = filter(None, self.target_slugs_of_links_then_mentions(draft_index))
        references = [ReferenceMatch("", slug, 0, "") for slug in targets]
        return read_notes.references_after_decisions(
            references, draft.slug, draft.decided, self.slugs_by_entry
        )


class LinkDescription(NamedTuple):
    """The words that pages show for a link."""

    title: str = ""
    summary: str = ""


def _descriptions_by_link(
    entries: Sequence[SourceEntry], outlines: Sequence[EpisodeOutline], corrections: Corrections
) -> dict[str, LinkDescription]:
    """Return the title and summary of links, by their keys: of the post of the show's blog that the link leads to,
    or with the label that a curator gave to the link, which goes before the title of a post."""
    post_by_host_and_slug = _posts_by_host_and_slug(entries)
    labels = _labels_by_link(corrections)
    descriptions: dict[str, LinkDescription] = {}
    # Most shows have neither. Then the addresses of their links need not be split.
    if not post_by_host_and_slug and not labels:
        return descriptions
    for link in chain.from_iterable(outline.links for outline in outlines):
        linked_post = post_by_host_and_slug.get(_host_and_last_part_of_path(link.url))
        if linked_post:
            descriptions[link.key] = LinkDescription(linked_post.title, linked_post.text)
        label = labels.get(fold_link_key(link.key))
        if label:
            # Keep the summary of a post: this address or another one with the same key may lead to it.
            description = descriptions.get(link.key, LinkDescription())
            descriptions[link.key] = description._replace(title=label)
    return descriptions


def _host_and_last_part_of_path(address: str) -> tuple[str, str]:
    # https://blog.example/2021/05/broken-builds/ gives ("blog.example", "broken-builds").
    path = safe_urlsplit(address).path.rstrip("/")
    _, _, last_part = path.rpartition("/")
    return host_of(address), last_part


def _posts_by_host_and_slug(entries: Sequence[SourceEntry]) -> dict[tuple[str, str], EntryData]:
    """Return the show's posts by the host of their blog, and the slug of their title: blogs put it at the
    end of a post's address."""
    posts = [entry for entry in entries if entry.is_post and entry.is_confirmed]
    # The best-ranked comes last, and stays.
    posts.sort(key=lambda post: post.order, reverse=True)
    return {(post.host, make_slug(post.values.title)): post.values for post in posts}


def _labels_by_link(corrections: Corrections) -> dict[str, str]:
    labels = {}
    for key in corrections.keys(LINK):
        label = corrections.values_of(LINK, key).get("label")
        if label:
            labels[key] = label
    return labels
