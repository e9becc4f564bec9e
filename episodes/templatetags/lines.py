"""The lines of indexes and of an episode's page, printed by Python: the template engine takes ten times as long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from ..models import CodeName, Episode, EpisodeLine, Podcast, Status, Topic
from ..site import Site
from ..text.formatting import day
from .catalog import bdi, breakable, hue, web

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
        f'<li>\n<p><a class="person" href="{page}">{bdi(row.name)}</a> <small>{escape(row.parts)}</small></p>\n'
        f"<ul>{_episodes(row.episodes)}{more}</ul>\n</li>"
    )


def _episodes(episodes: Iterable[Episode | EpisodeLine]) -> str:
    return "".join(
        f'<li><a href="{episode.get_absolute_url()}"><span class="of" aria-hidden="true">{episode.numbering or "–"}</span>'
        f"{bdi(episode.heading)}</a></li>"
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
    before, name = entry.before and breakable(entry.before), bdi(breakable(entry.name))
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
    episodes = ", ".join(bdi(episode.heading) for episode in entry.episodes)
    lines = "".join(f'<path vector-effect="non-scaling-stroke" d="{line}"/>' for line in link.lines)
    return (
        f'<li><a href="{escape(entry.own_page)}"{look}>{bdi(breakable(entry.label))}</a>'
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


@register.simple_tag
def source_facts(place: Any, podcast: Podcast, site: Site, compact: bool) -> SafeString:
    """The line about a source: what it lists, and how its imports went."""
    return mark_safe("\n".join(_source_facts(place, podcast, site, compact)))


def _source_facts(place: Any, podcast: Podcast, site: Site, compact: bool) -> Iterator[str]:
    if place.listed:
        of_show = f"&amp;podcast={podcast.slug}" if site.several else ""
        address = f"{reverse('episodes')}?source={place.source.slug}{of_show}"
        yield f'<a href="{address}">{place.episodes} of {place.total} episodes</a>'
    elif place.posts:
        yield f"<span>{_counted(len(place.posts), 'blog post')} (not episodes)</span>"
    else:
        yield f"<span{UNKNOWN}>Nothing imported yet</span>"
    yield f'<span class="conflict">{place.held} awaiting review</span>' if place.held else ""
    at = place.succeeded
    yield (
        f'<span>last imported <time datetime="{at:%Y-%m-%dT%H:%M:%SZ}">{day(at)}, {at:%H:%M} UTC</time></span>'
        if at
        else ""
    )
    yield f"<span{UNKNOWN}>{podcast.status}</span>" if podcast.status in (Status.PAUSED, Status.ARCHIVED) else ""
    told = compact or place.healthy
    yield "" if told else f'<strong class="conflict">Not imported: {escape(place.last.reason)}</strong>'
    yield f"<span{UNKNOWN}>{_counted(place.refused, 'document')} refused</span>" if place.refused else ""


@register.simple_tag
def document_links(documents: Iterable[Any]) -> SafeString:
    """The documents of a source, each with the number of its versions."""
    return mark_safe(" · ".join(map(_document, documents)))


def _document(document: Any) -> str:
    url = escape(document.url)
    link = (
        f'<a href="{url}" {OUTSIDE}>{url}</a>'
        if url
        else f"archived copy: {escape(document.address.replace('file:', ''))}"
    )
    return f"{link}, {document.versions} versions" if document.versions > 1 else link


# --- The page of an episode ------------------------------------------------------------------------------------------


@register.simple_tag
def step_lines(steps: Iterable[Any]) -> SafeString:
    """Episodes before, after or beside this one, each with what it is to this one."""
    return mark_safe("".join(map(_step, steps)))


def _step(step: Any) -> str:
    episode, rel = step.episode, f' rel="{step.rel}"' if step.rel else ""
    return (
        f'<li><a href="{episode.get_absolute_url()}"{rel}><span class="of" aria-hidden="true">{episode.numbering or "–"}'
        f"</span>{bdi(breakable(episode.heading))}</a> <small>{' · '.join(map(escape, step.notes))}</small></li>\n"
    )


@register.simple_tag
def topic_lines(topics: Iterable[Topic]) -> SafeString:
    return mark_safe(
        "".join(
            f'<li><a class="dot {hue(topic.group)}" href="{topic.get_absolute_url()}">{escape(topic.name)}</a></li>'
            for topic in topics
        )
    )


@register.simple_tag
def symbol_lines(names: Iterable[CodeName]) -> SafeString:
    return mark_safe(
        "".join(
            f'<li><a class="code" href="{name.get_absolute_url()}">{breakable(name.name)}</a></li>' for name in names
        )
    )


@register.simple_tag
def link_lines(links: Iterable[Any]) -> SafeString:
    """The links of an episode that its notes do not show, each with its kind and the way to its own page."""
    return mark_safe("".join(map(_link, links)))


def _link(link: Any) -> str:
    title: str = bdi(breakable(link.title))
    if link.leads_to:
        code = ' class="code"' if link.is_code else ""
        title = f'<a href="{escape(link.leads_to)}" {OUTSIDE}{code}>{title}</a>'
    more = f"also in {link.elsewhere} other episode{'' if link.elsewhere == 1 else 's'}"
    more = f' · <a href="{escape(link.own_page)}">{more}</a>' if link.elsewhere else ""
    return f"<li>{title} <small>{breakable(link.about)}{more}</small></li>\n"


@register.simple_tag
def provenance_lines(fields: Iterable[Any]) -> SafeString:
    """For each field of an episode whose value is shown, and what others say."""
    rows = list(fields)
    since = {field.since for field in rows if field.source}
    shared = since.pop() if len(since) == 1 else ""
    told = f"<dt>All fields</dt>\n<dd{UNKNOWN}>{shared}</dd>\n" if shared else ""
    return mark_safe(told + "".join(_provenance(field, shared) for field in rows))


def _provenance(field: Any, shared: str) -> str:
    since = f" <span{UNKNOWN}>{field.since}</span>" if field.since and field.since != shared else ""
    verb = "agree" if ", " in field.agree else "agrees"
    agree = f"; <span{UNKNOWN}>{escape(field.agree)} {verb}</span>" if field.agree else ""
    source = f"{escape(field.source)}{since}{agree}" if field.source else f"<span{UNKNOWN}>Unknown</span>"
    return f"<dt>{field.name}</dt>\n<dd>{source}\n{''.join(map(_other, field.others))}</dd>\n"


def _other(other: Any) -> str:
    conflict, words = (' class="conflict"', " <strong>These conflict.</strong>") if other.conflicts else ("", "")
    return f"<p{conflict}>{escape(other.sources)}: <q>{bdi(other.value)}</q>{words}</p>"


@register.simple_tag
def place_lines(places: Iterable[Any]) -> SafeString:
    """Where sources list an episode, and why each entry was taken for it."""
    return mark_safe("".join(map(_place, places)))


def _place(place: Any) -> str:
    source = escape(place.source)
    if web(place.url):
        listed = f'<a href="{escape(place.url)}" {OUTSIDE}>{source}</a>'
    else:
        listed = f"{source} <span{UNKNOWN}>(archived copy: {escape(place.document)})</span>"
    position = f", #{place.position} in list" if place.position else ", since removed"
    reasons = "; ".join(map(escape, place.reasons))
    matched = f" <span{UNKNOWN}>· reasons: {reasons}</span>" if reasons else ""
    return f"<li>{listed}{position}{matched}</li>\n"
