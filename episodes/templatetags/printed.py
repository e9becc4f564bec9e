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

from ..models import Episode, Topic
from ..search import excerpts
from ..site import Site
from ..text import formatting
from .catalog import breakable, hue, in_language, in_words, machine_day

register = template.Library()

KINDS_SHOWN = ("trailer", "bonus")
CHOSEN = ' aria-current="true"'
CARD_END = "\n</article>"


@register.simple_tag(takes_context=True)
def kept(context: Context, name: str, part: dict) -> SafeString:
    return render_to_string(name, {**context.flatten(), **part})


@register.simple_tag(takes_context=True)
def cards(context: Context, shown) -> SafeString:
    return mark_safe("".join(card(context, episode) for episode in shown))


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
        yield f'<a href="{episode.podcast.get_absolute_url()}">{escape(episode.podcast.title)}</a>'
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
    other = f"{link}{breakable(version['heading'])}</a>{f', {date}' if date else ''}"
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
                f"{CHOSEN if line.chosen else ''}>{escape(line.label)}</a> {line.count}"
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
