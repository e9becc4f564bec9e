"""The Jinja2 environment of readers' pages: its filters, and the only markup that Python makes.

Markup is made for notes with names and timed links, for linked symbols, and for marked words.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import lru_cache
from html import unescape
from typing import Any

from django.template import defaultfilters as django
from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils.text import slugify
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from .models import Episode, Podcast
from .outputs import format_timestamp, picture_of
from .search import excerpts, parse_query
from .text import formatting
from .text.link_labels import safe_href
from .text.summaries import shorten_prose
from .text.timecodes import find_timecodes_at_line_edges
from .text.urls import site_of


def environment(**options: Any) -> Environment:
    """Return the environment for Django's backend. An undefined name is an error.

    A block tag on a line of its own prints nothing, `+%}` keeps its line break.
    """
    syntax = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    jinja = Environment(**{**options, **syntax})
    # Functions that templates call, then filters by their names in templates.
    jinja.globals.update({"picture_of": picture_of, "static": static, "url": _page_url})
    django_filters = {
        "date": django.date,
        "floatformat": django.floatformat,
        "pluralize": django.pluralize,
        "truncatechars": django.truncatechars,
        "urlencode": django.urlencode,
        "yesno": django.yesno,
    }
    text_filters = {
        "class_of_heading": _class_of_heading,
        "clock": formatting.format_time,
        "day": formatting.format_day,
        "host": site_of,
        "hue": _topic_group_class,
        "anchor": _topic_group_anchor,
        "in_words": _day_of_stored_date,
        "language": _language_attributes_unless_english,
        "machine_day": _machine_date,
        "minutes": formatting.format_minutes,
        "pieces": split_breakable,
        "rfc822": format_datetime,
        "shortened": _shorten,
        "stamp": format_timestamp,
        "thousands": "{:,}".format,
        "web": safe_href,
    }
    markup_filters = {
        "around": mark_excerpt,
        "bdi": isolate_text,
        "linked": _join_with_linked_parts,
        "marked": mark_words,
        "marks": join_with_every_second_marked,
        "notes": render_notes_with_audio_links,
        "with_name": mark_symbol,
    }
    for filters in (django_filters, text_filters, markup_filters):
        jinja.filters.update(filters)
    # For the filter `tojson`: letters of any script as they are, and no spaces.
    jinja.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return jinja


def _page_url(view: str, *args: object) -> str:
    return _reversed_address(view, args, get_script_prefix())


# A page asks for twenty addresses, most of them on every page, and `reverse` is slow.
@lru_cache(maxsize=1_000, typed=True)
def _reversed_address(view: str, args: tuple[object, ...], script_prefix: str) -> str:
    return reverse(view, args=args)


# -- filters that give text and data ---------------------------------------------------------------


def _machine_date(episode: Episode) -> str:
    at = episode.published_at
    if episode.published_precision == "instant":
        return f"{at:%Y-%m-%dT%H:%MZ}"
    return f"{at:%Y-%m-%d}"


def _day_of_stored_date(iso_date: str) -> str:
    """Return the day of a date that the catalog stores as text (`2021-06-21`), as pages show it."""
    iso_day = iso_date[:10]  # without the time that may follow
    midnight = datetime.fromisoformat(iso_day).replace(tzinfo=UTC)
    return formatting.format_day(midnight)


def _class_of_heading(episode: Episode) -> dict[str, str]:
    return {} if episode.title else {"class": "unnamed"}


def _language_attributes_unless_english(show: Podcast | None) -> dict[str, str]:
    """Return `lang` and `dir` of a show's texts, `{"lang": "ar-eg", "dir": "rtl"}`; {} if they are in the
    language of the page, or of no show."""
    # The pages are in English.
    if show is None or show.primary_language == "en":
        return {}
    code = show.language.lower().replace("_", "-")
    code_without_hyphens = code.replace("-", "")
    # A feed may have any text as its language, or none.
    is_plain = code_without_hyphens.isascii() and code_without_hyphens.isalnum()
    is_language_code = is_plain and len(code) >= 2
    if not is_language_code:
        # Without a language the browser takes the direction of the letters.
        return {"dir": "auto"}
    right_to_left = "ar arc ckb dv fa he iw ks ps sd syr ug ur yi".split()
    direction = "rtl" if show.primary_language in right_to_left else "ltr"
    return {"lang": code, "dir": direction}


@lru_cache
def _topic_group_class(group: str) -> str:
    return f"g-{slugify(group)}"


def _topic_group_anchor(group: str) -> str:
    """Return the id of a group in the index of topics. An id has no spaces."""
    return f"group-{group.replace(' ', '-')}"


def split_breakable(text: str) -> list[str]:
    """Split a path or a name after its slashes, underscores and number signs, where a line may break."""
    # After the slash of `torch/nn`, the sign of `file#L10`, or the underscore of `my_name`, but not after
    # the underscores of `__init__`.
    return re.split(r"(?<=[^\s_][/#])(?=\w)|(?<=[^\W_]_)(?=[^\W_])", text)


def _shorten(text: str, max_length: int) -> str:
    return shorten_prose(" ".join(text.split()), max_length=max_length)


# -- markup ----------------------------------------------------------------------------------------


def isolate_text(words: object) -> Markup:
    """Return a title or name for use inside other text: its script does not move its neighbours."""
    return Markup(f"<bdi>{escape(words)}</bdi>")


def join_with_every_second_marked(parts: Sequence[str], moment_index: int | None = None) -> Markup:
    """Join parts of a text, with every second part marked.

    The part with the index `moment_index` gets the anchor `#moment`.
    """
    marked_parts: list[str] = []
    for index, part in enumerate(parts):
        is_marked = index % 2 == 1
        if is_marked:
            anchor = ' id="moment"' if index == moment_index else ""
            marked_parts.append(Markup(f"<mark{anchor}>{escape(part)}</mark>"))
        else:
            marked_parts.append(part)
    # Joining markup escapes the parts that are text.
    return Markup("").join(marked_parts)


def mark_words(text: str, query_text: str) -> Markup:
    return join_with_every_second_marked(excerpts.split_around_terms(text, parse_query(query_text)))


def mark_excerpt(text: str, query_text: str, default_excerpt: str) -> Markup:
    return join_with_every_second_marked(
        excerpts.best_excerpt_split_around_terms(text, query_text, default_excerpt)
    )


def mark_symbol(sentence: str, symbol: str) -> Markup:
    return join_with_every_second_marked(excerpts.split_sentence_at_symbol(sentence, symbol))


def _join_with_linked_parts(parts: Sequence[str | tuple[str, str]]) -> Markup:
    linked: list[str] = []
    for part in parts:
        if isinstance(part, tuple):
            words, address = part
            # `Markup.format` would escape these, too, but takes twice as long.
            linked.append(Markup(f'<a href="{escape(address)}">{escape(words)}</a>'))
        else:
            linked.append(part)
    # Joining markup escapes the parts that are text.
    return Markup("").join(linked)


# A link with its address as its text. Notes are sanitised markup of one shape.
_BARE_LINK = re.compile(
    r'(?P<opening_tag><a href="(?P<address>[^"]*)"[^>]*>)(?P=address)(?P<closing_tag></a>)'
)
# A whole link, as a text inside a link gets no second link, or a tag.
_LINK_OR_TAG = re.compile(r"(<a .*?</a>|<[^<>]*>)", re.DOTALL)


def render_notes_with_audio_links(
    html: str, episode: Episode, names_by_address: Mapping[str, str]
) -> Markup:
    """Return notes with names in place of bare addresses, and with links on positions in the audio.

    `html` must be sanitised: it is not escaped. `names_by_address` has the names of links.
    """

    def replace_address_by_name(bare_link: re.Match[str]) -> str:
        name = names_by_address.get(unescape(bare_link["address"]))
        if not name:
            return bare_link[0]
        # A browser may break the line at each <wbr>. Joining markup escapes the pieces.
        breakable_name = Markup("<wbr>").join(split_breakable(name))
        return f"{bare_link['opening_tag']}{breakable_name}{bare_link['closing_tag']}"

    html_with_names = _BARE_LINK.sub(replace_address_by_name, html)
    # Without audio nothing can be played from a position.
    if not safe_href(episode.audio_url):
        return Markup(html_with_names)
    # Splitting by a pattern with a group gives texts and links or tags in turns: "See ", "<a …>…</a>", ".".
    parts = _LINK_OR_TAG.split(html_with_names)
    for text_index in range(0, len(parts), 2):
        parts[text_index] = _link_audio_positions(parts[text_index], episode.duration_seconds)
    return Markup("".join(parts))


def _link_audio_positions(text: str, duration_seconds: int | None) -> str:
    """Return a text with `<a class="time" href="?t=754">12:34</a>` in place of "12:34".

    A time behind the end of the audio stays as it is.
    """
    # From the end, so that the offsets of earlier positions stay right.
    for start, end, seconds in reversed(find_timecodes_at_line_edges(text, duration_seconds)):
        link = f'<a class="time" href="?t={seconds}">{text[start:end]}</a>'
        text = f"{text[:start]}{link}{text[end:]}"
    return text
