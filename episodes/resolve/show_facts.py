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
    """What the episodes of a show are to each other. Each list is by the position of an episode, the
    oldest first."""

    def __init__(
        self,
        drafts: Sequence[Draft],
        entries: Sequence[SourceEntry],
        decisions: Decisions,
        rules: ReadingRules,
        topic_names: TopicNames,
    ) -> None:
        """Compute all facts. `drafts` are not withdrawn, the oldest first. `entries` are all
        entries of the show, with its posts. Later facts need earlier ones."""
        self.drafts = drafts
        self.rules = rules
        self.outlines = [draft.outline for draft in drafts]
        self.sorted_at = instants_for_sorting([draft.at for draft in drafts])
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
        self.topic_slugs = self.aliases_by_topic.keys() | set(topic_names.declared)
        self.people = self._visible_credits_of_each_draft()
        self.episode_names = self._build_episode_name_index()
        self.slugs_by_entry: dict[str, str] = {}  # by "SOURCE KEY", as decisions name an entry
        for draft in drafts:
            for entry in draft.entries:
                self.slugs_by_entry[f"{entry.source} {entry.key}"] = draft.slug
        self.link_titles = _descriptions_by_link(entries, self.outlines, rules.corrections)
        # Episodes with the values that finding re-runs needs.
        self.sketches = [self._sketch(position) for position in range(len(drafts))]
        self.reruns = list_decided_reruns(self.sketches, decisions.rerun_decisions)
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

    def _build_episode_name_index(self) -> EpisodeNames:
        targets = []
        for draft in self.drafts:
            outline = draft.outline
            targets.append(
                ReferenceTarget(draft.slug, outline.title, outline.number, outline.pages)
            )
        return build_episode_name_lookups(targets)

    def _sketch(self, position: int) -> ResolvedEpisode:
        draft = self.drafts[position]
        return ResolvedEpisode(
            slug=draft.slug,
            order=position + 1,
            merged=MergedValues({TITLE_FIELD.name: draft.outline.title}),
            entries=draft.entries,
            sorted_at=self.sorted_at[position],
        )

    def _rerun_descriptions_by_slug(self) -> dict[str, list[Any]]:
        """Return the re-runs of an episode by its slug, described from its side: original and
        re-run list each other."""
        # The relation of the earlier episode, by the relation of the later one.
        relation_of_earlier = {"replaces": "replaced", "repeats": "repeated"}
        versions: dict[str, list[Any]] = defaultdict(list)
        for rerun in self.reruns:
            original = self._describe_version(rerun.of, relation=rerun.kind)
            versions[rerun.episode].append(original)
            relation = relation_of_earlier[rerun.kind]
            later = self._describe_version(rerun.episode, relation=relation)
            versions[rerun.of].append(later)
        return versions

    def _describe_version(self, slug: str, relation: str) -> dict[str, str]:
        outline = self.outline_of_slug[slug]
        return {
            "is": relation,
            "slug": slug,
            "heading": format_heading(outline.title, outline.season, outline.number),
            "published": outline.published,
        }

    def topics(self, position: int) -> tuple[Any, ...]:
        draft = self.drafts[position]
        tags = draft.stored.tags
        keywords = draft.outline.keywords
        return read_notes.combine_topic_tags(
            tags, keywords, self.declared_topics, draft.decided, self.topic_slugs
        )

    def target_slug_of_each_link_and_mention(self, position: int) -> list[str | None]:
        """Return for each link, then each mention, of an episode the slug of the episode that it
        names, or None."""
        names = self.episode_names
        outline = self.outlines[position]
        slugs = [names.find_slug_of_link(link.key, link.page) for link in outline.links]
        for possible_mention in outline.mentions:
            mention = names.find_mention_of_episode(possible_mention)
            slug = mention.slug if mention else None
            slugs.append(slug)
        return slugs

    def decided_target_slugs(self, position: int) -> list[str | None]:
        """Return the slugs of the episodes that curators removed from the references of an episode,
        then of those that they added. It is None for an entry without an episode."""
        decided = self.drafts[position].decided
        keys = sorted(decided.removals("reference"))
        keys += [key for key, _ in decided.additions("reference")]
        return [self.slugs_by_entry.get(key) for key in keys]

    def similar_episodes_by_slug(self) -> Mapping[str, tuple[RelatedEpisode, ...]]:
        """Return at most MAX_RELATED episodes that each episode has most in common with, by its
        slug. Leave out episodes that it refers to."""
        episodes = []
        for position, sketch in enumerate(self.sketches):
            links = []
            for link in self.outlines[position].links:
                if link.is_shown:
                    # Without words and position, which are not compared.
                    links.append(EpisodeLinkData(link.kind, link.key, link.url, "", 0))
            episode = replace(
                sketch,
                people=self.people[position],
                links=tuple(links),
                references=self._references_without_text(position),
                topics=self.topics(position),
            )
            episodes.append(episode)
        labels = self._labels_by_feature()
        return related_episodes_by_slug(
            list_traits_without_usual_sites(episodes), MAX_RELATED, labels
        )

    def _labels_by_feature(self) -> dict[str, str]:
        """Return the names of topics, links, episodes and people, for reasons such as "Both with Ada
        Roe". They are by slug of the topic, key of the link, and identity of the person."""
        labels = {}
        for rule in self.rules.topic_rules:
            topic_name = rule.aliases[0]
            labels[rule.slug] = topic_name
        titles_by_feature = {}
        for link_key, description in self.link_titles.items():
            titles_by_feature[link_key] = description.title
        for draft in self.drafts:
            titles_by_feature[f"episode:{draft.slug}"] = draft.outline.title
        for feature, title in titles_by_feature.items():
            if title:
                labels[feature] = f"“{title}”"
        for credits_of_episode in self.people:
            for credit in credits_of_episode:
                labels[credit.identity] = credit.full_name or credit.credited_as
        return labels

    def _references_without_text(self, position: int) -> tuple[ReferenceData, ...]:
        """Return the references of an episode without kind and evidence, which only the text has."""
        draft = self.drafts[position]
        targets = filter(None, self.target_slug_of_each_link_and_mention(position))
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
    """Return title and summary by link key, for links that lead to a post of the show or have a
    label. A curator's label goes before a post's title."""
    post_by_host_and_slug = _posts_by_host_and_slug(entries)
    labels = _labels_by_link(corrections)
    descriptions: dict[str, LinkDescription] = {}
    # Most shows have neither. Then the addresses of their links need not be split.
    if not post_by_host_and_slug and not labels:
        return descriptions
    for link in chain.from_iterable(outline.links for outline in outlines):
        path = safe_urlsplit(link.url).path.rstrip("/")
        _, _, last_part_of_path = path.rpartition("/")
        linked_post = post_by_host_and_slug.get((host_of(link.url), last_part_of_path))
        if linked_post:
            descriptions[link.key] = LinkDescription(linked_post.title, linked_post.text)
        label = labels.get(fold_link_key(link.key))
        if label:
            # Keep the summary of a post: this address or another one with the same key may lead to it.
            description = descriptions.get(link.key, LinkDescription())
            descriptions[link.key] = description._replace(title=label)
    return descriptions


def _posts_by_host_and_slug(entries: Sequence[SourceEntry]) -> dict[tuple[str, str], EntryData]:
    """Return the show's posts. A link leads to a post on its host, with a path that ends in the slug of
    its title."""
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
