"""Evidence and decisions in, the catalog of one show out: the one pure function that everything else serves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlsplit

from ..folding import fold
from ..records import (
    Decisions,
    Entry,
    Matching,
    Merged,
    NamedCode,
    NotedLink,
    Resolved,
    ResolvedEpisode,
    Show,
    TopicTag,
)
from .code_names import code_names
from .facts import Facts, facts
from .links import identify, mentions
from .match import match
from .merge import Voice, merge, texts
from .order import Sortable, newest_first
from .slugs import assign, slug_of
from .topics import TopicRule, tag


def resolve(
    entries: Sequence[Entry],
    decisions: Decisions,
    show: Show,
    rules: Sequence[TopicRule],
    taken: Collection[str] = (),
) -> Resolved:
    """The catalog of a show. `taken` are slugs that other shows have; nothing else of them matters.

    The result depends on what is said and decided, never on the order in which it came (rules.md 8).
    """
    matching = match(entries, show, decisions.rulings)
    known = {e.ref: facts(e, show) for group in matching.groups for e in group}
    voices = [[Voice(e, known[e.ref]) for e in group] for group in matching.groups]
    overrides = [_overrides(group, decisions) for group in matching.groups]
    merged = [merge(own, fields) for own, fields in zip(voices, overrides, strict=True)]
    oldest = [int(str(place)) for place in reversed(_newest_first(matching, merged, known))]
    merged = _with_order_conflicts(merged, oldest)
    slugs = assign([_wanted(merged[place], overrides[place]) for place in oldest], taken)
    episodes = tuple(
        _episode(slug, number, merged[place], voices[place], decisions, show, rules)
        for number, (slug, place) in enumerate(zip(slugs, oldest, strict=True), 1)
    )
    titles, posts = _link_titles(entries, episodes)
    return Resolved(episodes, matching.held, matching.ignored, matching.reasons, titles, posts)


def _overrides(group: Sequence[Entry], decisions: Decisions) -> dict[str, str]:
    own = {entry.ref[::2] for entry in group}
    return {name: value for ref, name, value in decisions.overrides if ref in own}


def _newest_first(
    matching: Matching, merged: Sequence[Merged], known: dict[tuple[str, str, str], Facts]
) -> list[object]:
    """The places of the groups, newest first."""
    sortable = [
        Sortable(place, m.number, m.moment.at if m.moment else None, _name(m)) for place, m in enumerate(merged)
    ]
    lists: dict[tuple[object, ...], list[tuple[int, str, int]]] = {}
    for place, group in enumerate(matching.groups):
        for entry in group:
            if entry.gone_version is None:
                lists.setdefault(entry.document_order, []).append((entry.position, entry.key, place))
    listed = [[place for _, _, place in sorted(lists[key])] for key in sorted(lists)]
    return list(newest_first(sortable, listed))


def _with_order_conflicts(merged: Sequence[Merged], oldest: Sequence[int]) -> list[Merged]:
    """The number decides the order; an episode that is dated before one of a lower number says so (rules.md 13)."""
    found = list(merged)
    latest: Merged | None = None
    for place in oldest:
        m = found[place]
        if m.number is None or m.moment is None:
            continue
        if latest is None or latest.moment is None or m.moment.at.date() >= latest.moment.at.date():
            latest = m
            continue
        conflict = {
            "field": "published",
            "source": m.provenance["published"]["source"],
            "value": m.moment.isoformat(),
            "other_source": latest.provenance["published"]["source"],
            "other_value": f"number {latest.number} is dated {latest.moment.isoformat()}",
        }
        found[place] = replace(m, conflicts=(*m.conflicts, conflict))
    return found


def _name(merged: Merged) -> str:
    """What tells an episode from others of the same title, whoever is asked and in whatever order."""
    return "\0".join((slug_of(merged.title), _opening(merged), merged.guid, merged.audio_url, merged.url))


def _opening(merged: Merged) -> str:
    return fold(merged.text)[:80]


def _wanted(merged: Merged, overrides: dict[str, str]) -> tuple[str, int | None, str]:
    return (overrides.get("slug") or merged.title, merged.number, _opening(merged) or _name(merged))


def _episode(
    slug: str,
    order: int,
    merged: Merged,
    voices: Sequence[Voice],
    decisions: Decisions,
    show: Show,
    rules: Sequence[TopicRule],
) -> ResolvedEpisode:
    own = {voice.entry.ref[::2] for voice in voices}
    removed = {(kind, key) for ref, kind, key in decisions.removals if ref in own}
    links = tuple(link for link in _links(merged, voices, show) if ("link", link.key) not in removed)
    keywords = sorted({word for voice in voices for word in voice.entry.said.keywords})
    tags = _tags(merged.title, merged.text, tuple(link.key for link in links), tuple(keywords), tuple(rules))
    topics = tuple(t for t in tags if ("topic", t.topic) not in removed)
    entries = tuple(v.entry for v in voices)
    return ResolvedEpisode(slug, order, merged, entries, links, topics, _code(merged.title, merged.text, merged.cut))


@lru_cache(maxsize=8192)  # a resolve asks again for what the last one asked
def _code(title: str, text: str, cut: bool) -> tuple[NamedCode, ...]:
    return tuple(NamedCode(n.name, n.field, n.position, n.sentence) for n in code_names(title, text, cut=cut))


@lru_cache(maxsize=8192)  # a resolve asks again for what the last one asked
def _tags(
    title: str, text: str, links: tuple[str, ...], keywords: tuple[str, ...], rules: tuple[TopicRule, ...]
) -> tuple[TopicTag, ...]:
    return tag(title, text, links, keywords, rules)


def _links(merged: Merged, voices: Sequence[Voice], show: Show) -> Iterator[NotedLink]:
    """The links of the notes as shown, then those that only other sources have; one a key, as first published."""
    own_hosts = frozenset({urlsplit(show.site_url).hostname or ""} - {""})
    seen: set[str] = set()
    rest = [(text.voice.entry.said.html, text.plain, text.cut) for text in texts(voices)]
    for html, text, cut in ((merged.html, merged.text, merged.cut), *rest):
        for mention in mentions(html, text, cut):
            target = identify(mention.address, own_hosts)
            # No database indexes more, and no address that leads somewhere is as long.
            if target.key not in seen and len(target.key.encode("utf-8", "replace")) <= 2000:
                seen.add(target.key)
                yield NotedLink(target.kind, target.key, mention.address, mention.text, len(seen))


def _link_titles(
    entries: Sequence[Entry], episodes: Sequence[ResolvedEpisode]
) -> tuple[dict[str, tuple[str, str]], frozenset[tuple[str, str, str]]]:
    """Titles and summaries that posts give to links of their host whose path ends in the post's slug; the posts that did."""
    posts = {
        (e.host, slug_of(e.said.title)): e for e in sorted(entries, key=lambda e: e.order, reverse=True) if e.is_post
    }
    titles: dict[str, tuple[str, str]] = {}
    met = set()
    for link in (link for episode in episodes for link in episode.links):
        parts = urlsplit(link.url)
        post = posts.get((parts.hostname or "", parts.path.rstrip("/").rpartition("/")[2]))
        if post is not None:
            titles[link.key] = (post.said.title, post.said.text)
            met.add(post.ref)
    return titles, frozenset(met)
