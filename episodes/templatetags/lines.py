"""The lines of indexes and of an episode's page, printed by Python: pages repeat them by the hundred."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from ..models import Episode, EpisodeLine
from ..site import Site
from .catalog import breakable

register = template.Library()

MOST_EPISODES = 3
OUTSIDE = 'rel="nofollow noopener noreferrer"'
UNKNOWN = ' class="unknown"'


@register.simple_tag
def person_lines(people: Iterable[Any]) -> SafeString:
    """Everybody on a page of the index, with their parts and their newest episodes."""
    return mark_safe("\n".join(map(_person, people)))


def _person(row: Any) -> str:
    page = row.get_absolute_url()
    more = (
        f'<li><a class="all" href="{page}">all {row.count} episodes</a></li>' if row.count > len(row.episodes) else ""
    )
    return (
        f'<li>\n<p><a class="person" href="{page}">{escape(row.name)}</a> <small>{escape(row.parts)}</small></p>\n'
        f"<ul>{_episodes(row.episodes)}{more}</ul>\n</li>"
    )


def _episodes(episodes: Iterable[Episode | EpisodeLine]) -> str:
    return "".join(
        f'<li><a href="{episode.get_absolute_url()}"><span class="of" aria-hidden="true">{episode.numbering or "–"}</span>'
        f"{escape(episode.heading)}</a></li>"
        for episode in episodes
    )


@register.simple_tag
def coverage_paths(spans: Iterable[tuple[int, int]]) -> SafeString:
    """The bars of the episodes that a source lists: the first of each run, and how long it is."""
    return mark_safe("".join(f'<path d="M{start} 0h{length}v10h-{length}z"/>' for start, length in spans))


@register.simple_tag
def lost_fields(fields: Iterable[tuple[str, int, int]]) -> SafeString:
    """How many entries of a source have each field."""
    return mark_safe("".join(map(_lost, fields)))


def _lost(field: tuple[str, int, int]) -> str:
    name, count, _ = field
    return f"<div><dt>{name}</dt><dd{'' if count else UNKNOWN}>{count}</dd></div>"


@register.simple_tag
def reference_lines(entries: Iterable[Any]) -> SafeString:
    """Links in the index, each with the first episodes that mention it."""
    return mark_safe("\n".join(map(_reference, entries)))


def _reference(entry: Any) -> str:
    look = f' class="{entry.look}"' if entry.look else ""
    before, name = entry.before and breakable(entry.before), breakable(entry.name)
    if entry.leads_to:
        before = before and f"<small>{before}</small>"
        link = f'<a href="{escape(entry.leads_to)}" {OUTSIDE}{look}>{before}{name}</a>'
    else:
        link = f"<span{look}>{escape(entry.before)}{name}</span>"
    note = f" <small>{breakable(entry.note)}</small>" if entry.note else ""
    more = ""
    if entry.count > MOST_EPISODES:
        more = f'<li><a class="all" href="{escape(entry.own_page)}">all {entry.count} episodes</a></li>'
    return f"<li>\n<p>{link}{note}</p>\n<ul>{_episodes(entry.episodes[:MOST_EPISODES])}{more}</ul>\n</li>"


@register.simple_tag
def joined_lines(links: Iterable[Any]) -> SafeString:
    """The links of the figure, each with the lines to the episodes that mention it."""
    return mark_safe("".join(map(_joined, links)))


def _joined(link: Any) -> str:
    entry = link.entry
    look = ' class="code"' if entry.look == "code" else ""
    episodes = ", ".join(escape(episode.heading) for episode in entry.episodes)
    lines = "".join(f'<path vector-effect="non-scaling-stroke" d="{line}"/>' for line in link.lines)
    return (
        f'<li><a href="{escape(entry.own_page)}"{look}>{breakable(entry.label)}</a>'
        f'<span class="hidden">, mentioned by {episodes}</span>'
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">{lines}</svg></li>'
    )


@register.simple_tag
def source_lines(sources: Iterable[Any], site: Site) -> SafeString:
    """The rows of a table of sources: each with its show, where there are several, and what it lists."""
    page = reverse("sources")
    return mark_safe("\n".join(_source(source, page, site.several) for source in sources))


def _source(source: Any, page: str, several: bool) -> str:
    place = f"{source.podcast.slug}-{source.slug}" if several else source.slug
    show = f"<td>{escape(source.podcast.title)}</td>" if several else ""
    lists = [_counted(source.known, "episode"), _counted(source.posts, "post")]
    return (
        f'<tr><th scope="row"><a href="{page}#{place}">{escape(source.heading)}</a></th>{show}'
        f'<td class="lists">{", ".join(filter(None, lists)) or "–"}</td></tr>'
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}" if count else ""
