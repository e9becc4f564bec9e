"""Evidence and decisions in, the catalog of one show out: the one pure function that everything else
serves.

1. Match the entries: each group of them is an episode.
2. Read the outline of each episode, unless it is stored.
3. Look at the show as a whole, by outlines alone: order, addresses, repeated sentences, topics that
   keywords declare, identities of people, names of episodes, related episodes.
4. Make the episodes of which the inputs, the outline and what the show says of it, have changed.

A withdrawal hangs on an entry and holds for whatever episode the entry belongs to, as every decision
about an episode does. So the entries of an episode that was taken out are matched like all others,
and a source that lists it anew, under another guid or at another host, joins it there.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, pairwise
from typing import Any

from ..fields import NOTES, PUBLISHED, TITLE
from ..identity import (
    MatchKeys,
    Sortable,
    Taken,
    assign,
    find_reruns,
    instants,
    is_ahead,
    match,
    match_transcripts,
    newest_first,
    nobodys,
    own_guids,
    slug_of,
    unlisted,
)
from ..notes import (
    LINK,
    SYMBOL,
    Attempts,
    Corrections,
    EpisodeNames,
    NamedTarget,
    TopicNames,
    TopicRule,
    collect_traits,
    find_declared_topics,
    folded_key,
    know,
    read_notes,
    related,
    settle_identities,
)
from ..records import (
    CreditData,
    Decisions,
    EpisodeLinkData,
    EpisodePlace,
    FieldConflict,
    Matching,
    Merged,
    ReferenceData,
    RelatedEpisode,
    Resolved,
    ResolvedEpisode,
    ResolvedWithdrawal,
    Show,
    SourceEntry,
    WithdrawalData,
    parse_date,
    trusted,
)
from ..text.fingerprints import fingerprint
from ..text.numbering import heading, numbering
from ..text.summaries import shared_keys, summarize
from ..text.urls import host_of, taken_apart
from .reading import (
    CLOSED,
    EpisodeOutline,
    EpisodeReading,
    ReadingRules,
    StoredReading,
    correct_links,
    read_match_keys,
)

NO_NAMES = TopicNames()
PEOPLE = ("curator", "by-hand")  # sources of dates that no reading brought
MAX_RELATED = 5
# What the earlier of two episodes is, by what the later one is.
VERSION_OF = {"replaces": "replaced", "repeats": "repeated"}
Ref = tuple[str, str, str]


@dataclass(frozen=True)
class Stored:
    """What an earlier resolve left, and what the database knows beside entries and decisions."""

    readings: Mapping[str, StoredReading] = field(default_factory=dict)  # by `outline_fingerprint`
    fingerprints: Mapping[str, str] = field(
        default_factory=dict
    )  # of episodes by slug, the oldest first
    match_keys: Mapping[Ref, Mapping[str, Any]] = field(default_factory=dict)  # of entries
    revisions: Mapping[Ref, int] = field(default_factory=dict)  # the newest of each entry
    files: Mapping[str, str] = field(
        default_factory=dict
    )  # hashes of transcripts and chapters, by address
    # The corrected words of transcripts, by source and key of an entry.
    words: Mapping[tuple[str, str], Sequence[Any]] = field(default_factory=dict)
    rules: str = ""  # a fingerprint of all else that the outline of each episode depends on
    topic_rules: str = ""  # a fingerprint of the rules of topics


NOTHING_STORED = Stored()


@dataclass(frozen=True, slots=True)
class Draft:
    """An episode in the making: its entries, what was decided about it, its outline, and its address
    as soon as it has one."""

    reading: EpisodeReading
    stored: StoredReading
    outline: EpisodeOutline  # with corrected links
    fingerprint: str  # of what the outline was read from
    at: datetime | None  # sorts it; None where the date is unknown or still to come
    withdrawal: WithdrawalData | None = None
    slug: str = ""
    own_guid: str = ""  # its identifier in feeds

    @property
    def entries(self) -> tuple[SourceEntry, ...]:
        return self.reading.entries

    @property
    def decided(self) -> read_notes.EpisodeDecisions:
        return self.reading.decided

    @property
    def pinned(self) -> str:
        """The address that a person gave it, or that it had when it was taken out."""
        if self.withdrawal:
            return self.withdrawal.address
        return self.decided.overrides.get("slug", "")

    @property
    def shown_title(self) -> str:
        """The title, or the address that a person gave, from which the address is made."""
        return self.pinned or self.outline.title


def resolve(
    entries: Sequence[SourceEntry],
    decisions: Decisions,
    show: Show,
    rules: Sequence[TopicRule],
    taken: Taken = nobodys,
    stored: Stored = NOTHING_STORED,
    read_at: datetime | None = None,
    names: TopicNames = NO_NAMES,
) -> Resolved:
    """Return the catalog of a show, with those episodes that are not as they are stored.

    `taken` picks out the slugs that are other shows', `names` are those of the topics of all shows;
    nothing else of other shows matters. `read_at` is when the show was read last.

    The result depends on what is said and decided, never on the order in which it came, nor on what
    is stored.
    """
    attempts = {entry.ref: Attempts(entry.address) for entry in entries}
    keys = {}
    for entry in entries:
        keys[entry.ref] = read_match_keys(entry, show, attempts[entry.ref])
        if entry.ref in stored.match_keys:
            keys[entry.ref].restore(stored.match_keys[entry.ref])
    matching = group_entries(entries, decisions, keys)
    corrections = Corrections(decisions.corrections)
    reading_rules = ReadingRules(show, rules, corrections)
    drafts = []
    for group, decided in zip(matching.groups, _decided(matching.groups, decisions), strict=True):
        reading = EpisodeReading(group, decided, reading_rules, keys, attempts)
        drafts.append(_draft(reading, decisions, stored, read_at))
    # What was taken out has its address still, so it is told apart before the others are shown.
    every = addressed(_oldest_first(drafts), taken, show)
    facts = ShowFacts(_shown(every), entries, decisions, reading_rules, names)
    places, episodes = [], []
    for position, draft in enumerate(facts.drafts):
        fingerprint = _fingerprint(position, facts, matching, stored)
        sorted_at = facts.sorted_at[position]
        place = EpisodePlace(draft.slug, position + 1, sorted_at, fingerprint, draft.fingerprint)
        places.append(place)
        if stored.fingerprints.get(draft.slug) != fingerprint:
            episodes.append(_episode(position, facts))
    is_as_it_was = not episodes and [p.slug for p in places] == list(stored.fingerprints)
    alike = None if is_as_it_was else facts.related()
    return Resolved(
        episodes=tuple(replace(one, related=(alike or {})[one.slug]) for one in episodes),
        places=tuple(places),
        held=matching.held,
        ignored=matching.ignored,
        reasons=matching.reasons,
        link_titles=facts.link_titles,
        repeats=tuple(facts.reruns),
        declared_topics=tuple(facts.declared.values()),
        withdrawn=withdrawn(every),
        related=alike,
        slugs={entry.ref: draft.slug for draft in every for entry in draft.entries},
        readings={draft.fingerprint: draft.stored for draft in facts.drafts},
        match_keys={ref: own for ref, own in keys.items() if not attempts[ref].failures},
    )


def group_entries(
    entries: Sequence[SourceEntry], decisions: Decisions, keys: Mapping[Ref, MatchKeys]
) -> Matching:
    """Return the entries in groups, each an episode."""
    matching = match(entries, keys, decisions)
    transcripts = [
        e for e in entries if e.is_transcript and (e.source, e.key) not in decisions.unwanted
    ]
    # Last, as a transcript joins an episode and never two of them.
    return match_transcripts(matching, transcripts, keys, decisions) if transcripts else matching


def _decided(
    groups: Sequence[Sequence[SourceEntry]], decisions: Decisions
) -> list[read_notes.EpisodeDecisions]:
    """Return the decisions about each group of entries; of overrides of one field the last holds."""
    places = {e.ref[::2]: place for place, group in enumerate(groups) for e in group}
    rows_of_kinds: list[Sequence[tuple[Any, ...]]] = [
        decisions.overrides,
        decisions.removals,
        decisions.additions,
    ]
    by_place: dict[int | None, tuple[list[Any], ...]] = defaultdict(lambda: ([], [], []))
    for kind, rows in enumerate(rows_of_kinds):
        for row in rows:
            by_place[places.get(row[0])][kind].append(row[1:])
    result = []
    for place in range(len(groups)):
        overrides, removed, added = by_place.get(place, ((), (), ()))
        values = dict(overrides), frozenset(removed), tuple(dict.fromkeys(added))
        result.append(read_notes.EpisodeDecisions(*values))
    return result


# -- the outlines of single episodes -----------------------------------------------------------------


def _draft(
    reading: EpisodeReading, decisions: Decisions, stored: Stored, read_at: datetime | None
) -> Draft:
    """Return an episode with its stored outline, or with one that is read now."""
    of_outline = _outline_fingerprint(reading, stored)
    stored_reading = stored.readings.get(of_outline)
    if stored_reading is None:
        stored_reading = StoredReading(reading.outline(), reading.merged.text, (), "")
    outline = correct_links(stored_reading.outline, reading.rules.corrections)
    stored_reading = _tag(reading, outline, stored_reading, stored)
    own = {entry.ref[::2] for entry in reading.entries}
    # The last word counts. A decision that replaces the episode by itself says nothing: the two
    # have become one since.
    latest = reversed(decisions.withdrawals)
    withdrawal = next((d for d in latest if d.entry in own and d.other not in own), None)
    # A date sorts where it is known, and no source gives it ahead of its time.
    moment = parse_date(outline.published)
    at = moment.at if moment else None
    if at and outline.published_source not in PEOPLE and is_ahead(at, read_at):
        at = None
    return Draft(reading, stored_reading, outline, of_outline, at, withdrawal)


def _tag(
    reading: EpisodeReading, outline: EpisodeOutline, before: StoredReading, stored: Stored
) -> StoredReading:
    """Return a reading with the topics that the rules assign now."""
    links = [link.key for link in outline.links if link.is_shown]
    of_tags = fingerprint(stored.topic_rules, links)
    if before.tags_fingerprint == of_tags:
        return before
    tags = reading.tags(outline, before.text)
    # After a failure they are read again.
    return replace(before, tags=tags, tags_fingerprint="" if reading.failures else of_tags)


def _outline_fingerprint(reading: EpisodeReading, stored: Stored) -> str:
    entries = [
        (
            entry.ref,
            stored.revisions.get(entry.ref),
            entry.rank,
            entry.may_create,
            entry.own,
            entry.vouched,
            entry.is_transcript,
            entry.first_version,
            entry.before,
        )
        for entry in reading.entries
    ]
    decided = reading.decided
    overrides, removed = sorted(decided.overrides.items()), sorted(decided.removed)
    return fingerprint(stored.rules, entries, overrides, removed, decided.added)


# -- order and addresses -----------------------------------------------------------------------------


def _oldest_first(drafts: Sequence[Draft]) -> list[Draft]:
    sortable = [
        Sortable(place, draft.outline.number, draft.at, draft.outline.name, draft.outline.season)
        for place, draft in enumerate(drafts)
    ]
    lists: dict[tuple[object, ...], list[tuple[int, str, int]]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        for entry in trusted(draft.entries):
            if entry.gone_version is None:
                lists[entry.document_order].append((entry.position, entry.key, place))
    listed = [[place for _, _, place in sorted(lists[key])] for key in sorted(lists)]
    return [drafts[place] for place in reversed(newest_first(sortable, listed))]


def addressed(oldest: Sequence[Draft], taken: Taken, show: Show) -> list[Draft]:
    """Return the drafts with their identifiers for feeds and their addresses: first what people decided,
    then by the version in which a source first gave a title, and by age. So no import takes an
    address from an episode that had it, whatever that is called now, nor from one to which a person
    gave it or that was taken out."""
    claims = [
        (version, place, slug, title)
        for place, draft in enumerate(oldest)
        for slug, (version, title) in _titles(draft, oldest).items()
    ]
    # By version and age alone, so that no title has a say in whose an address is.
    claims.sort(key=lambda claim: claim[:2])
    wanted = []
    for _, place, _, title in claims:
        outline = oldest[place].outline
        wanted.append((title, outline.number, outline.opening or outline.name))
    slugs = assign(wanted, taken, show.slug)
    given = {claim[1:3]: slug for claim, slug in zip(claims, slugs, strict=True)}
    guids = own_guids(show.slug, [trusted(draft.entries) for draft in oldest])
    return [
        replace(draft, slug=given[place, slug_of(draft.shown_title)], own_guid=guid)
        for place, (draft, guid) in enumerate(zip(oldest, guids, strict=True))
    ]


def _titles(draft: Draft, others: Sequence[Draft]) -> dict[str, tuple[int, str]]:
    """Return the titles that an episode has and had, by the words of their addresses, each with the
    version in which its source first gave it. A title that a person gave counts from the beginning;
    the one that it replaces frees its address, unless others of the same list have that title."""
    outline, entries = draft.outline, trusted(draft.entries)
    own = [entry for entry in entries if entry.source == outline.title_source] or entries
    first = min(entry.first_version for entry in own)
    every = sorted(chain.from_iterable(entry.titles for entry in own), reverse=True)
    titles = {slug_of(title): (version, title) for version, title in every}
    if TITLE.name in draft.decided.overrides:
        list_of_own = draft.entries[0].ref[:2]
        equals = (
            other.outline.stated_title == outline.stated_title
            for other in others
            if other.entries[0].ref[:2] == list_of_own
        )
        if sum(equals) < 2:  # it is one of them
            titles.pop(slug_of(outline.stated_title), None)
    shown = slug_of(draft.shown_title)
    if draft.pinned:
        return titles | {shown: (0, draft.shown_title)}
    return {shown: (first, draft.shown_title)} | titles


def _shown(every: Sequence[Draft]) -> list[Draft]:
    """Return the drafts that become episodes, oldest first; what was taken out has no part in their
    order. The newest whose date has come is the last."""
    shown = _oldest_first([draft for draft in every if draft.withdrawal is None])
    # One whose date is still to come has a moment that does not sort it.
    come = [draft for draft in shown if draft.at or not draft.outline.published]
    newest = come[-1] if come else None
    return sorted(shown, key=lambda draft: draft is newest)


def withdrawn(every: Sequence[Draft]) -> tuple[ResolvedWithdrawal, ...]:
    """Return the episodes that were taken out, oldest first, each with the shown one that
    replaces it, if there is one."""
    gone = [(draft, draft.withdrawal) for draft in every if draft.withdrawal]
    by_entry = {entry.ref[::2]: draft for draft in every for entry in draft.entries}
    return tuple(
        ResolvedWithdrawal(
            draft.slug,
            draft.reading.merged,
            draft.entries,
            decision,
            _stand_in(decision, by_entry),
        )
        for draft, decision in gone
    )


def _stand_in(decision: WithdrawalData, by_entry: Mapping[tuple[str, str], Draft]) -> str:
    """Return the address of the episode that a chain of replacements ends with; "" where it ends nowhere,
    or goes round."""
    met: set[str] = set()
    while (other := by_entry.get(decision.other)) and other.slug not in met:
        if other.withdrawal is None:
            return other.slug
        met.add(other.slug)
        decision = other.withdrawal
    return ""


# -- the show as a whole -----------------------------------------------------------------------------


class ShowFacts:
    """What the episodes of a show are to each other. Each list is by the position of an episode, the
    oldest first."""

    def __init__(
        self,
        drafts: Sequence[Draft],
        entries: Sequence[SourceEntry],
        decisions: Decisions,
        rules: ReadingRules,
        names: TopicNames,
    ) -> None:
        """`entries` are all of the show's, with its posts."""
        self.drafts, self.rules = drafts, rules
        self.outlines = [draft.outline for draft in drafts]
        self.sorted_at = instants([draft.at for draft in drafts])
        self.order_conflicts = find_order_conflicts(drafts)
        self.shared_sentences = shared_keys([outline.sentences for outline in self.outlines])
        keywords = [outline.keywords for outline in self.outlines]
        title, refused = rules.show.title, decisions.refused_topics
        self.declared = find_declared_topics(keywords, title, names, refused)
        self.topic_slugs = {rule.slug for rule in rules.topic_rules} | names.declared
        self.people = self._credit_people()
        self.episode_names = self._name_episodes()
        self.slugs_by_entry = {
            f"{entry.source} {entry.key}": draft.slug for draft in drafts for entry in draft.entries
        }
        self.link_titles = _link_titles(entries, self.outlines, rules.corrections)
        self.sketches = [self._sketch(position) for position in range(len(drafts))]
        self.reruns = find_reruns(self.sketches, rules.show, decisions.repeats)
        self.unlisted = unlisted(self.reruns)
        self.versions, self.repeats = self._tell_of_each_other()

    def _credit_people(self) -> list[tuple[CreditData, ...]]:
        """Return the people of each episode, one identity a person over the whole show."""
        settled = settle_identities([outline.credits for outline in self.outlines])
        everybody = read_notes.Everybody(settled, self.rules.corrections)
        people = []
        for draft in self.drafts:
            found = map(everybody.credit, draft.outline.credits)
            decided = read_notes.with_decided_people(found, draft.decided, everybody)
            people.append(everybody.corrected(decided))
        return people

    def _name_episodes(self) -> EpisodeNames:
        return know(
            [
                NamedTarget(
                    draft.slug, draft.outline.title, draft.outline.number, draft.outline.pages
                )
                for draft in self.drafts
            ]
        )

    def _sketch(self, position: int) -> ResolvedEpisode:
        """Return an episode with its title and place alone."""
        draft = self.drafts[position]
        return ResolvedEpisode(
            slug=draft.slug,
            order=position + 1,
            merged=Merged({TITLE.name: draft.outline.title}),
            entries=draft.entries,
            sorted_at=self.sorted_at[position],
        )

    def _tell_of_each_other(self) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Return by slug which others an episode replaces or repeats: both of the two, whatever page
        shows one of them, where a curator accepted it; else the later one, to be asked."""
        versions: dict[str, list[Any]] = defaultdict(list)
        repeats: dict[str, list[Any]] = defaultdict(list)
        outlines = {draft.slug: draft.outline for draft in self.drafts}
        for rerun in self.reruns:
            if not rerun.accepted:
                known = {"of": rerun.of, "kind": rerun.kind, "evidence": list(rerun.evidence)}
                repeats[rerun.episode].append(known)
                continue
            for slug, other, kind in (
                (rerun.episode, rerun.of, rerun.kind),
                (rerun.of, rerun.episode, VERSION_OF[rerun.kind]),
            ):
                outline = outlines[other]
                version = {
                    "is": kind,
                    "slug": other,
                    "heading": heading(outline.title, outline.season, outline.number),
                    "published": outline.published,
                }
                versions[slug].append(version)
        return versions, repeats

    def topics(self, position: int) -> tuple[Any, ...]:
        """Return the topics of an episode."""
        draft = self.drafts[position]
        tags, keywords = draft.stored.tags, draft.outline.keywords
        return read_notes.topics(tags, keywords, self.declared, draft.decided, self.topic_slugs)

    def targets(self, position: int) -> list[str | None]:
        """Return the slugs of the episodes that the links and words of an episode name."""
        names, outline = self.episode_names, self.outlines[position]
        linked = [names.linked(link.key, link.page) for link in outline.links]
        mentions = map(names.find, outline.mentions)
        return [*linked, *(mention.slug if mention else None for mention in mentions)]

    def decided_targets(self, position: int) -> list[str | None]:
        """Return the slugs of the episodes that curators added to or removed from the references of an
        episode."""
        decided = self.drafts[position].decided
        added = [key for key, _ in decided.additions("reference")]
        return [
            self.slugs_by_entry.get(k) for k in [*sorted(decided.removals("reference")), *added]
        ]

    def related(self) -> Mapping[str, tuple[RelatedEpisode, ...]]:
        """Return by slug the episodes that each has most in common with. One that it refers to is not
        said again."""
        labels = {rule.slug: rule.aliases[0] for rule in self.rules.topic_rules}
        titles = {key: title for key, (title, _) in self.link_titles.items()}
        titles |= {f"episode:{draft.slug}": draft.outline.title for draft in self.drafts}
        labels |= {key: f"“{title}”" for key, title in titles.items() if title}
        episodes = []
        for position, sketch in enumerate(self.sketches):
            people = self.people[position]
            labels |= {one.identity: one.full_name or one.credited_as for one in people}
            links = tuple(
                EpisodeLinkData(link.kind, link.key, link.url, "", 0)
                for link in self.outlines[position].links
                if link.is_shown
            )
            references = self._references_by_slug(position)
            topics = self.topics(position)
            episodes.append(
                replace(sketch, people=people, links=links, references=references, topics=topics)
            )
        return related(collect_traits(episodes), MAX_RELATED, labels)

    def _references_by_slug(self, position: int) -> tuple[ReferenceData, ...]:
        """Return the references of an episode as far as it takes no text to find them."""
        draft = self.drafts[position]
        slugs = {*self.targets(position)}
        slugs -= {self.slugs_by_entry.get(key) for key in draft.decided.removals("reference")}
        for key, _ in draft.decided.additions("reference"):
            slugs.add(self.slugs_by_entry.get(key))
        slugs.discard(draft.slug)
        return tuple(ReferenceData("", slug, "") for slug in sorted(filter(None, slugs)))


def find_order_conflicts(oldest: Sequence[Draft]) -> list[FieldConflict | None]:
    """Return for each episode, oldest first, the conflict of its date with its number: the episode
    numbered before it is dated after it. The number decides the order."""
    conflicts: list[FieldConflict | None] = [None] * len(oldest)
    dated = []
    for position, draft in enumerate(oldest):
        moment = parse_date(draft.outline.published)
        if draft.outline.number is not None and moment:
            dated.append((position, draft, moment))
    # Neighbours by number tell it all: a longer look would tell one mistake many times.
    for (_, other, earlier), (position, draft, moment) in pairwise(dated):
        if earlier.at.date() > moment.at.date():
            number = numbering(other.outline.season, other.outline.number)
            conflict = FieldConflict(
                PUBLISHED.name,
                draft.outline.published_source,
                moment.isoformat(),
                other.outline.published_source,
                f"number {number} is dated {earlier.isoformat()}",
            )
            decided = draft.decided
            is_closed = PUBLISHED.name in decided.overrides or not decided.keeps(
                CLOSED, conflict.key
            )
            conflicts[position] = None if is_closed else conflict
    return conflicts


def _link_titles(
    entries: Sequence[SourceEntry], outlines: Sequence[EpisodeOutline], corrections: Corrections
) -> dict[str, tuple[str, str]]:
    """Return titles and summaries that posts give to links. A curator's label counts over a post's
    title."""
    # The best-ranked comes last, and stays.
    posts = sorted(
        (e for e in entries if e.is_post and e.vouched), key=lambda e: e.order, reverse=True
    )
    # A link leads to a post on its host, with a path that ends in its slug.
    by_place = {(e.host, slug_of(e.said.title)): e.said for e in posts}
    labels = {
        key: label
        for key in corrections.keys(LINK)
        if (label := corrections.of(LINK, key).get("label"))
    }
    titles: dict[str, tuple[str, str]] = {}
    if not (by_place or labels):
        return titles
    for link in chain.from_iterable(outline.links for outline in outlines):
        name = taken_apart(link.url).path.rstrip("/").rpartition("/")[2]
        if post := by_place.get((host_of(link.url), name)):
            titles[link.key] = (post.title, post.text)
        if label := labels.get(folded_key(link.key)):
            titles[link.key] = (label, titles.get(link.key, ("", ""))[1])
    return titles


# -- single episodes with what their show says of them -------------------------------------------------


def _fingerprint(position: int, facts: ShowFacts, matching: Matching, stored: Stored) -> str:
    """Return the fingerprint of all that an episode is made from."""
    draft, outline = facts.drafts[position], facts.outlines[position]
    titles = [facts.link_titles.get(link.key) for link in outline.links if facts.link_titles]
    words = [stored.words.get(entry.ref[::2]) for entry in draft.entries if stored.words]
    return fingerprint(
        draft.fingerprint,
        _corrections_of(outline, facts.rules.corrections),
        draft.own_guid,
        draft.slug in facts.unlisted,
        facts.order_conflicts[position],
        sorted(facts.shared_sentences.intersection(outline.sentences)),
        facts.topics(position),
        facts.people[position],
        facts.targets(position),
        facts.decided_targets(position),
        facts.versions.get(draft.slug),
        facts.repeats.get(draft.slug),
        titles,
        [matching.reasons.get(entry.ref) for entry in draft.entries],
        [(address, stored.files.get(address)) for address in outline.files],
        words,
    )


def _corrections_of(outline: EpisodeOutline, corrections: Corrections) -> list[object]:
    """Return what curators corrected of the links and symbols of an episode."""
    values: list[object] = []
    if corrections.keys(LINK):
        values += [
            sorted(corrections.of(LINK, folded_key(link.key)).items()) for link in outline.links
        ]
    if corrections.keys(SYMBOL):
        for symbol in outline.symbols:
            name = corrections.joined(SYMBOL, symbol)
            values.append((name, sorted(corrections.of(SYMBOL, name).items())))
    return values


def _episode(position: int, facts: ShowFacts) -> ResolvedEpisode:
    """Return an episode with all that it holds."""
    draft, reading, rules = facts.drafts[position], facts.drafts[position].reading, facts.rules
    merged = reading.merged
    if conflict := facts.order_conflicts[position]:
        merged = replace(merged, conflicts=(*merged.conflicts, conflict))
    notes = replace(merged.notes, html=reading.html)
    names, slugs = facts.episode_names, facts.slugs_by_entry
    references = read_notes.read_references(draft.slug, reading.notes, names)
    decided_references = read_notes.with_decided_references(
        references, draft.slug, draft.decided, slugs
    )
    summary = summarize(merged.title, reading.sentences, facts.shared_sentences, rules.show.title)
    episode = ResolvedEpisode(
        slug=draft.slug,
        order=position + 1,
        merged=replace(merged, values={**merged.values, NOTES.name: notes}),
        entries=draft.entries,
        links=reading.links,
        topics=facts.topics(position),
        names=reading.symbols,
        people=facts.people[position],
        references=decided_references,
        summary=summary,
        sorted_at=facts.sorted_at[position],
        own_guid=draft.own_guid,
        listed=draft.slug not in facts.unlisted,
        versions=tuple(facts.versions.get(draft.slug, ())),
        proposed_repeats=tuple(facts.repeats.get(draft.slug, ())),
    )
    # Now that all of it was read.
    return replace(episode, failures=reading.failures)
