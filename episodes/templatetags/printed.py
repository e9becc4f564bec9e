"""What lists repeat most, printed by Python: the template engine takes ten times as long for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from ..models import Episode, Kept, Shown, Topic, surroundings
from ..search import excerpts
from ..site import Site
from ..text import formatting
from .catalog import bdi, breakable, hue, in_language, in_words, machine_day

register = template.Library()

KINDS_SHOWN = ("trailer", "bonus")
CHOSEN = ' aria-current="true"'
CARD_END = "\n</article>"


@register.simple_tag
def kept(name: str, part: Kept) -> SafeString:
    """An included template that is printed once and kept: it sees the context of `part` alone, nothing of the request."""
    fragment = (name, surroundings(), *part.name)
    return part.now.printed(fragment, lambda: render_to_string(name, part.context()), show=part.show, asked=part.asked)


@register.simple_tag(takes_context=True)
def cards(context: Context, shown: Shown) -> SafeString:
    """The episodes of a list, each as `card` prints it; only those whose cards are not kept are read."""
    if context.get("words"):
        return mark_safe("".join(card(context, episode) for episode in shown))
    now, kind = shown.now, ("card", surroundings(), _names_show(context))
    found: dict[int, str | None] = {pk: now.fragment((*kind, pk)) for pk in shown.ids}
    for row in shown.rows_of([pk for pk, text in found.items() if text is None]):
        found[row.pk] = now.keep((*kind, row.pk), card(Context({"names_show": kind[-1]}), row), show=row.podcast_id)
    reasons: Mapping[int, Sequence[str]] = context.get("reasons") or {}
    own = context.get("topic")
    dot = _dot(own.group, own) if isinstance(own, Topic) else ""
    texts = (_completed(text, dot, reasons.get(pk, ())) for pk, text in found.items() if text)
    return mark_safe("".join(texts))


def _completed(text: str, dot: str, reasons: Sequence[str]) -> str:
    """A card without the topic that the page is about, and with what the page says of the episode."""
    if dot:
        text = text.replace(dot, "", 1)
    if reasons:
        text = text.removesuffix(CARD_END) + _why(reasons) + CARD_END
    return text


def _why(reasons: Iterable[str]) -> str:
    return "".join(f'\n<p class="why">{reason}</p>' for reason in reasons)


@register.simple_tag(takes_context=True)
def card(context: Context, episode: Episode) -> SafeString:
    """An episode in a list: number, title, the line about it, versions, excerpt, and why it was found."""
    words = context.get("words") or ""
    language = in_language(episode.podcast)
    if words:
        heading: str = excerpts.marked(episode.heading, words)
        text: str = excerpts.around(episode.description_text, words)
    else:
        heading, text = escape(episode.heading), escape(excerpts.teaser(episode.description_text))
    season = "" if episode.season is None else " in-season"
    unnamed = "" if episode.title else ' class="unnamed"'
    reasons = (context.get("reasons") or {}).get(episode.pk, ())
    parts = (
        f'<article>\n<span class="number{season}" aria-hidden="true">{episode.numbering or "–"}</span>\n',
        f"<h2{unnamed}{language}>",
        f'<a href="{episode.get_absolute_url()}">{heading}</a></h2>\n',
        about(context, episode),
        versions(episode),
        f"\n<p{language}>{text}</p>" if text else "",
        _why(reasons),
        CARD_END,
    )
    return mark_safe("".join(parts))


@register.simple_tag(takes_context=True)
def about(context: Context, episode: Episode) -> SafeString:
    """The line about an episode: its show where there are several, its date, kind, length and topics."""
    facts = _facts(episode, _names_show(context), context.get("part"), context.get("topic"))
    return mark_safe(f'<p class="meta">{"".join(facts)}</p>')


def _names_show(context: Context) -> bool:
    """True on a page of several shows."""
    site = context.get("site")
    return bool(context.get("names_show")) or (isinstance(site, Site) and site.several and not context.get("show"))


def _facts(episode: Episode, show: bool, part: Any, own: Any) -> Iterator[str]:
    if show:
        yield f'<a href="{episode.podcast.get_absolute_url()}">{bdi(episode.podcast.title)}</a>'
    if part:
        yield f"<span>{escape(str(part))}</span>"
    if episode.published_at:
        yield f'<time datetime="{machine_day(episode)}">{formatting.day(episode.published_at)}</time>'
    else:
        yield "<span>Undated</span>"
    if episode.episode_type in KINDS_SHOWN:
        yield f"<span>{episode.episode_type}</span>"
    if episode.duration_seconds:
        yield f"<span>{formatting.minutes(episode.duration_seconds)}</span>"
    yield from (_dot(topic.group, topic) for topic in episode.topics_in_order if topic != own)
    if episode.description_truncated:
        yield '<span class="unknown">Shortened notes</span>'


def _dot(group: str, topic: Topic) -> str:
    return f'<a class="dot {_hue(group)}" href="{topic.get_absolute_url()}">{escape(topic.name)}</a>'


_hue = lru_cache(maxsize=500)(hue)


@register.simple_tag
def versions(episode: Episode) -> SafeString:
    """The episodes that it replaces or repeats, or that do so to it."""
    return mark_safe("".join(f'<p class="versions">{_version(version)}.</p>' for version in episode.versions))


def _version(version: dict[str, str]) -> str:
    day = version["published"]
    date = f'<time datetime="{escape(day)}">{in_words(day)}</time>' if day else ""
    link = f'<a href="{Episode(slug=version["slug"]).get_absolute_url()}">'
    other = f"{link}{bdi(breakable(version['heading']))}</a>{f', {date}' if date else ''}"
    return {
        "replaces": f"Replaces the {link}{f'version of {date}' if date else 'earlier version'}</a>",
        "repeated": f"{link}Also rebroadcast</a>{f' on {date}' if date else ''}",
        "repeats": f"Rebroadcast of {other}",
        "replaced": f"Replaced by {other}",
    }[version["is"]]


@register.simple_tag(takes_context=True)
def lines(context: Context, choices: Iterable[Any]) -> SafeString:
    """The lines of a facet."""
    address = escape(context["list_url"])
    return mark_safe(
        "<ul>{}</ul>".format(
            "".join(
                f'<li class="s{line.share}"><a href="{address}{escape(line.query)}"'
                f"{CHOSEN if line.chosen else ''}>{bdi(line.label)}</a> {line.count}"
                for line in choices
            )
        )
    )


@register.simple_tag(takes_context=True)
def months(context: Context, years: Iterable[Any]) -> SafeString:
    """The bars of a timeline, a year beside the other."""
    address = escape(context["list_url"])
    return mark_safe("\n".join(_year(year, address) for year in years))


def _year(year: Any, address: str) -> str:
    bars = "".join("<i></i>" if bar is None else _bar(bar, address) for bar in year.months)
    link = f'<a class="year" href="{address}{escape(year.query)}"{CHOSEN if year.chosen else ""}>{year.year}</a>'
    return f'<div><div class="months">{bars}</div>{link}</div>'


def _bar(bar: Any, address: str) -> str:
    whole = f'<path class="all" d="M0 40h1v-{bar.all_height}h-1z"/>' if bar.shown_height != bar.all_height else ""
    inked = f'<path d="M0 40h1v-{bar.shown_height}h-1z"/>' if bar.shown_height else ""
    return (
        f'<a href="{address}{escape(bar.query)}" aria-label="{bar.label}"{CHOSEN if bar.chosen else ""}>'
        f'{bar.shown or ""}<svg viewBox="0 0 1 40" preserveAspectRatio="none" aria-hidden="true">{whole}{inked}</svg></a>'
    )
