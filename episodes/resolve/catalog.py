"""Evidence and decisions in, the catalog of one show out: the one pure function that everything
else serves. Before it episodes in the making, and what curators decided that keeps some of it from the
catalog: conflicts that they closed and episodes that they took out.

A withdrawal hangs on an entry and holds for whatever episode the entry belongs to, as every decision
about an episode does. So the entries of an episode that was taken out are matched like all others,
and a source that lists it anew, under another guid or at another host, joins it there.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain, pairwise
from typing import Any

from ..fields import NOTES, TITLE
from ..identity import (
    MatchKeys,
    Sortable,
    Taken,
    assign,
    entry_keys,
    find_reruns,
    instants,
    is_ahead,
    match,
    match_transcripts,
    merge,
    newest_first,
    nobodys,
    own_guids,
    rank_entry,
    slug_of,
    unlisted,
)
from ..notes import (
    Corrections,
    Memory,
    TopicNames,
    TopicRule,
    collect_traits,
    enrich,
    find_declared_topics,
    related,
)
from ..records import (
    Decisions,
    FieldConflict,
    Matching,
    Merged,
    RankedEntry,
    RelatedEpisode,
    Resolved,
    ResolvedEpisode,
    ResolvedWithdrawal,
    Show,
    SourceEntry,
    WithdrawalData,
    trusted,
)
from ..text.normalize import folded_opening
from ..text.numbering import numbering
from ..text.show_notes import to_html, to_text
from ..text.summaries import summaries
from ..text.urls import host_of, taken_apart

NO_NAMES = TopicNames()
CLOSED = "conflict"  # the kind of a removal


@dataclass(frozen=True, slots=True)
class Draft:
    """An episode in the making: who speaks of it, what was decided, what is said, and its address
    as soon as it has one."""

    entries: tuple[SourceEntry, ...]
    voices: Sequence[RankedEntry]  # those of the entries whose values count
    decided: enrich.EpisodeDecisions
    merged: Merged
    name: str  # tells it from others of the same title
    at: datetime | None  # sorts it; None where the date is unknown or still to come
    withdrawal: WithdrawalData | None = None
    slug: str = ""
    own_guid: str = ""  # its identifier in feeds

    @property
    def trusted(self) -> list[SourceEntry]:
        """The entries whose values count."""
        return [voice.entry for voice in self.voices]

    @property
    def pinned(self) -> str:
        """The address that a person gave it, or that it had when it was taken out."""
        return (
            self.withdrawal.address if self.withdrawal else self.decided.overrides.get("slug", "")
        )

    @property
    def shown_title(self) -> str:
        """The title, or the address that a person gave, from which the address is made."""
        return self.pinned or self.merged.title


def without_closed(merged: Merged, decided: enrich.EpisodeDecisions) -> Merged:
    """The values without the conflicts that a curator found to be none: of a field with a curator's
    own value, or closed by hand."""
    left = tuple(
        conflict
        for conflict in merged.conflicts
        if conflict.field not in decided.overrides and decided.keeps(CLOSED, conflict.key)
    )
    return replace(merged, conflicts=left)


def with_order_conflicts(oldest: Sequence[Merged]) -> list[Merged]:
    """The episodes, oldest first, each with the conflict of its date with its number, where there is
    one: the episode numbered before it is dated after it. The number decides the order."""
    found = list(oldest)
    dated = [
        (place, one, one.moment)
        for place, one in enumerate(oldest)
        if one.number is not None and one.moment is not None
    ]
    # Neighbours by number tell it all: a longer look would tell one mistake many times.
    for (_, other, earlier), (place, merged, moment) in pairwise(dated):
        if earlier.at.date() > moment.at.date():
            conflict = FieldConflict(
                "published",
                merged.provenance["published"].source,
                moment.isoformat(),
                other.provenance["published"].source,
                f"number {numbering(other.season, other.number)} is dated {earlier.isoformat()}",
            )
            found[place] = replace(merged, conflicts=(*merged.conflicts, conflict))
    return found


def withdrawn(every: Sequence[Draft]) -> tuple[ResolvedWithdrawal, ...]:
    """The episodes that were taken out, oldest first, each with the shown one that
    replaces it, if there is one."""
    gone = [(draft, draft.withdrawal) for draft in every if draft.withdrawal]
    by_entry = {entry.ref[::2]: draft for draft in every for entry in draft.entries}
    return tuple(
        ResolvedWithdrawal(
            draft.slug, draft.merged, draft.entries, decision, _stand_in(decision, by_entry)
        )
        for draft, decision in gone
    )


def _stand_in(decision: WithdrawalData, by_entry: Mapping[tuple[str, str], Draft]) -> str:
    """The address of the episode that a chain of replacements ends with; "" where it ends nowhere,
    or goes round."""
    met: set[str] = set()
    while (other := by_entry.get(decision.other)) and other.slug not in met:
        if other.withdrawal is None:
            return other.slug
        met.add(other.slug)
        decision = other.withdrawal
    return ""


MOST_RELATED = 5
IDENTIFIERS = ("guid", "audio_url", "url")
OPENING = 80  # characters of notes that tell an episode from others of its title
BY_HAND = "by-hand"
PEOPLE = ("curator", BY_HAND)  # sources of dates that no reading brought


def resolve(
    entries: Sequence[SourceEntry],
    decisions: Decisions,
    show: Show,
    rules: Sequence[TopicRule],
    taken: Taken = nobodys,
    memory: Memory | None = None,
    read_at: datetime | None = None,
    names: TopicNames = NO_NAMES,
) -> Resolved:
    """The catalog of a show. `taken` picks out the slugs that are other shows', `names` are those of the
    topics of all shows; nothing else of other shows matters. `read_at` is when the show was read last.

    The result depends on what is said and decided, never on the order in which it came, nor on what
    is remembered of the notes.
    """
    memory = memory or Memory()
    matching, known = grouped(entries, decisions, show, memory)
    voices = rank_entries(matching.groups, known)
    found = drafts_of(matching.groups, voices, decisions, memory, read_at)
    # What was taken out has its address still, so it is told apart before the others are shown.
    every = addressed(_oldest_first(found), taken, show)
    drafts = _shown(every)
    corrections = Corrections(decisions.corrections)
    keywords = [keywords_of(draft) for draft in drafts]
    declared = find_declared_topics(keywords, show.title, names, decisions.refused_topics)
    tagger = enrich.Tagger(rules, show, declared, names)
    single, notes = with_texts(drafts, show, tagger, decisions, memory)
    # The episodes with their people, and with what they are to each other.
    decided = [draft.decided for draft in drafts]
    people = enrich.credited(enrich.read_credits(notes, single, show), decided, corrections)
    with_people = [
        replace(episode, people=own) for episode, own in zip(single, people, strict=True)
    ]
    enriched = tuple(enrich.with_references(with_people, notes, show, decided))
    titles = _link_titles(entries, enriched)
    alike = _related(enriched, rules, titles)
    reruns = find_reruns(enriched, show, decisions.repeats)
    left_out = unlisted(reruns)
    episodes = tuple(
        replace(one, related=alike[one.slug], listed=one.slug not in left_out) for one in enriched
    )
    return Resolved(
        episodes,
        matching.held,
        matching.ignored,
        matching.reasons,
        titles,
        tuple(reruns),
        tuple(declared.values()),
        withdrawn(every),
        entry_keys_of(entries, known),
    )


Known = Mapping[tuple[str, str, str], MatchKeys]


def keys_of(entries: Sequence[SourceEntry], show: Show, memory: Memory) -> Known:
    """The values of entries that are compared and merged, read off when they are needed."""
    return {
        e.ref: MatchKeys(e.said, show, partial(_plain, memory, e.address), e.may_create)
        for e in entries
    }


def entry_keys_of(
    entries: Iterable[SourceEntry], known: Known
) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The values of entries that others can meet, as columns."""
    return {e.ref: entry_keys(e, known[e.ref])._asdict() for e in entries if e.is_listed}


def grouped(
    entries: Sequence[SourceEntry], decisions: Decisions, show: Show, memory: Memory
) -> tuple[Matching, Known]:
    """The entries in groups, each an episode, and what was read off every entry."""
    known = keys_of(entries, show, memory)
    matching = match(entries, known, decisions)
    transcripts = [
        e for e in entries if e.is_transcript and (e.source, e.key) not in decisions.unwanted
    ]
    # Last, as a transcript joins an episode and never two of them.
    if transcripts:
        matching = match_transcripts(matching, transcripts, known, decisions)
    return matching, known


def rank_entries(groups: Sequence[Sequence[SourceEntry]], known: Known) -> list[list[RankedEntry]]:
    """Return the entries of each group whose values count, best first."""
    return [[rank_entry(entry, known[entry.ref]) for entry in trusted(group)] for group in groups]


def drafts_of(
    groups: Sequence[Sequence[SourceEntry]],
    heard: Sequence[Sequence[RankedEntry]],
    decisions: Decisions,
    memory: Memory,
    read_at: datetime | None,
) -> list[Draft]:
    """Return a draft of each group, with its voices."""
    drafts = []
    for group, voices, decided in zip(groups, heard, _decided(groups, decisions), strict=True):
        merged = merge(voices, decided.overrides, partial(_markup, memory, group[0].address))
        own = {entry.ref[::2] for entry in group}
        # The last word counts. A decision that replaces the episode by itself says nothing: the two
        # have become one since.
        latest = reversed(decisions.withdrawals)
        withdrawal = next((d for d in latest if d.entry in own and d.other not in own), None)
        # A date sorts where it is known, and no source gives it ahead of its time.
        at = merged.moment.at if merged.moment else None
        is_read = merged.provenance["published"].source not in PEOPLE
        if at and is_read and is_ahead(at, read_at):
            at = None
        name = _name(merged, voices)
        merged = without_closed(merged, decided)
        drafts.append(Draft(tuple(group), voices, decided, merged, name, at, withdrawal))
    return drafts


def with_texts(
    drafts: Sequence[Draft],
    show: Show,
    tagger: enrich.Tagger,
    decisions: Decisions,
    memory: Memory,
    others: Iterable[tuple[str, str]] = (),
) -> tuple[list[ResolvedEpisode], list[list[enrich.NotesAsRead]]]:
    """The episodes, oldest first, with what their own notes hold, and these notes; `others` are
    titles and notes of the show that may repeat what they say."""
    corrections = Corrections(decisions.corrections)
    notes = [enrich.parsed(draft.merged, draft.voices, show, memory) for draft in drafts]
    texts = [(draft.merged.title, draft.merged.text) for draft in drafts]
    sorting = instants([draft.at for draft in drafts])
    episodes: list[ResolvedEpisode] = []
    for draft, own, sorted_at, summary in zip(
        drafts, notes, sorting, summaries([*texts, *others], show.title), strict=False
    ):
        merged, decided = draft.merged, draft.decided
        links = tuple(enrich.links(own, show, decided, corrections))
        keys = [link.key for link in links]
        html = enrich.with_corrected_links(merged.notes.html, show, corrections)
        shown = replace(merged.notes, html=html)
        one = ResolvedEpisode(
            slug=draft.slug,
            order=len(episodes) + 1,
            merged=replace(merged, values={**merged.values, NOTES.name: shown}),
            entries=draft.entries,
            links=links,
            topics=tagger.topics(own[0], merged, keys, keywords_of(draft), decided),
            names=enrich.symbols(own[0], merged.title, show, corrections),
            summary=summary,
            sorted_at=sorted_at,
            own_guid=draft.own_guid,
        )
        episodes.append(one)
    return episodes, notes


def keywords_of(draft: Draft) -> set[str]:
    """Return the keywords of an episode."""
    return {word for voice in draft.voices for word in voice.said.keywords}


def addressed(oldest: Sequence[Draft], taken: Taken, show: Show) -> list[Draft]:
    """The drafts with their identifiers for feeds and their addresses: first what people decided,
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
    wanted = [
        (
            title,
            oldest[place].merged.number,
            folded_opening(oldest[place].merged.text, OPENING) or oldest[place].name,
        )
        for _, place, _, title in claims
    ]
    slugs = assign(wanted, taken, show.slug)
    given = {claim[1:3]: slug for claim, slug in zip(claims, slugs, strict=True)}
    guids = own_guids(show.slug, [draft.trusted for draft in oldest])
    return [
        replace(draft, slug=given[place, slug_of(draft.shown_title)], own_guid=guid)
        for place, (draft, guid) in enumerate(zip(oldest, guids, strict=True))
    ]


def _titles(draft: Draft, others: Sequence[Draft]) -> dict[str, tuple[int, str]]:
    """The titles that an episode has and had, by the words of their addresses, each with the
    version in which its source first gave it. A title that a person gave counts from the beginning;
    the one that it replaces frees its address, unless others of the same list have that title."""
    stated = TITLE.choose(draft.voices)
    own = [entry for entry in draft.trusted if entry.source == stated.source] or draft.trusted
    first = min(entry.first_version for entry in own)
    every = sorted(chain.from_iterable(entry.titles for entry in own), reverse=True)
    titles = {slug_of(title): (version, title) for version, title in every}
    if TITLE.name in draft.decided.overrides:
        list_of_own = draft.entries[0].ref[:2]
        equals = (
            TITLE.choose(other.voices).value == stated.value
            for other in others
            if other.entries[0].ref[:2] == list_of_own
        )
        if sum(equals) < 2:  # it is one of them
            titles.pop(slug_of(stated.value or ""), None)
    shown = slug_of(draft.shown_title)
    if draft.pinned:
        return titles | {shown: (0, draft.shown_title)}
    return {shown: (first, draft.shown_title)} | titles


def _shown(every: Sequence[Draft]) -> list[Draft]:
    """The drafts that become episodes, oldest first; what was taken out has no part in their
    order. The newest whose date has come is the last."""
    ordered = _oldest_first([draft for draft in every if draft.withdrawal is None])
    values = with_order_conflicts([draft.merged for draft in ordered])
    shown = [
        replace(draft, merged=without_closed(merged, draft.decided))
        for draft, merged in zip(ordered, values, strict=True)
    ]
    # One whose date is still to come has a moment that does not sort it.
    come = [draft for draft in shown if draft.at or draft.merged.moment is None]
    newest = come[-1] if come else None
    return sorted(shown, key=lambda draft: draft is newest)


def _decided(
    groups: Sequence[Sequence[SourceEntry]], decisions: Decisions
) -> list[enrich.EpisodeDecisions]:
    """The decisions about each group of entries; of overrides of one field the last holds."""
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
    return [
        enrich.EpisodeDecisions(dict(overrides), frozenset(removed), tuple(dict.fromkeys(added)))
        for overrides, removed, added in map(by_place.__getitem__, range(len(groups)))
    ]


def _oldest_first(drafts: Sequence[Draft]) -> list[Draft]:
    sortable = [
        Sortable(place, draft.merged.number, draft.at, draft.name, draft.merged.season)
        for place, draft in enumerate(drafts)
    ]
    lists: dict[tuple[object, ...], list[tuple[int, str, int]]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        for entry in draft.trusted:
            if entry.gone_version is None:
                lists[entry.document_order].append((entry.position, entry.key, place))
    listed = [[place for _, _, place in sorted(lists[key])] for key in sorted(lists)]
    return [drafts[place] for place in reversed(newest_first(sortable, listed))]


def _name(merged: Merged, voices: Sequence[RankedEntry]) -> str:
    """A text that tells an episode from others of the same title, in any order of imports."""
    said = [voice.entry.said for voice in voices]
    opening = folded_opening(merged.text, OPENING)
    first = [next(filter(None, (getattr(s, name) for s in said)), "") for name in IDENTIFIERS]
    return "\0".join((slug_of(merged.title), opening, *first))


def _related(
    episodes: Sequence[ResolvedEpisode],
    rules: Sequence[TopicRule],
    link_titles: Mapping[str, tuple[str, str]],
) -> Mapping[str, tuple[RelatedEpisode, ...]]:
    """By episode those that it has most in common with. One that it names already is not said
    again."""
    labels = {rule.slug: rule.aliases[0] for rule in rules}
    titles = {key: title for key, (title, _) in link_titles.items()}
    titles |= {f"episode:{episode.slug}": episode.merged.title for episode in episodes}
    labels |= {key: f"“{title}”" for key, title in titles.items() if title}
    for episode in episodes:
        labels |= {
            person.identity: person.full_name or person.credited_as for person in episode.people
        }
    return related(collect_traits(episodes), MOST_RELATED, labels)


def _plain(memory: Memory, at: str, html: str) -> str:
    """Notes as text; read once, whichever entry has them."""
    return memory.of(html, at=at).recall("plain", None, lambda: to_text(html))


def _markup(memory: Memory, at: str, html: str, text: str, cut: bool) -> str:
    """Notes as markup to show."""
    return memory.of(html, text, cut, at=at).recall("shown", None, lambda: to_html(html, text, cut))


def _link_titles(
    entries: Sequence[SourceEntry], episodes: Sequence[ResolvedEpisode]
) -> dict[str, tuple[str, str]]:
    """Titles and summaries that posts give to links. A curator's label counts over a post's
    title."""
    # The best-ranked comes last, and stays.
    posts = sorted(
        (e for e in entries if e.is_post and e.vouched), key=lambda e: e.order, reverse=True
    )
    # A link leads to a post on its host, with a path that ends in its slug.
    by_place = {(e.host, slug_of(e.said.title)): e.said for e in posts}
    titles: dict[str, tuple[str, str]] = {}
    for link in chain.from_iterable(episode.links for episode in episodes):
        name = taken_apart(link.url).path.rstrip("/").rpartition("/")[2]
        if post := by_place.get((host_of(link.url), name)):
            titles[link.key] = (post.title, post.text)
        if link.label:
            titles[link.key] = (link.label, titles.get(link.key, ("", ""))[1])
    return titles
