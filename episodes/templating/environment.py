"""The environment of the Jinja2 templates that readers' pages are made of."""

from __future__ import annotations

from email.utils import format_datetime
from typing import Any

from django.template import defaultfilters as django
from django.templatetags.static import static
from django.urls import reverse
from jinja2 import Environment, StrictUndefined

from ..outputs import picture, stamp
from ..text import formatting
from ..text.link_labels import followable
from . import filters, markup


def environment(**options: Any) -> Environment:
    """The environment, as Django's backend asks for it; a name that nothing was given to is an
    error."""
    made = Environment(**options | {"undefined": StrictUndefined})
    made.globals |= {"picture_of": picture, "static": static, "url": url}
    made.filters |= {
        "around": markup.around,
        "bdi": markup.bdi,
        "clock": formatting.clock,
        "date": django.date,
        "day": formatting.day,
        "floatformat": django.floatformat,
        "host": filters.host,
        "hue": filters.hue,
        "in_words": filters.in_words,
        "language": filters.language,
        "linked": markup.linked,
        "machine_day": filters.machine_day,
        "marked": markup.marked,
        "marks": markup.marks,
        "minutes": formatting.minutes,
        "notes": markup.notes,
        "pieces": filters.pieces,
        "pluralize": django.pluralize,
        "rfc822": format_datetime,
        "stamp": stamp,
        "thousands": "{:,}".format,
        "truncatechars": django.truncatechars,
        "urlencode": django.urlencode,
        "web": followable,
        "with_name": markup.with_name,
    }
    made.tests["playable"] = filters.playable
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return made


def url(view: str, *args: object) -> str:
    """The address of a page by the name of its view."""
    return reverse(view, args=args)
