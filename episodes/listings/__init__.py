"""Reads listing pages. Pure: nothing is fetched or stored."""

from ..dates import read_feed_date, read_length_range
from . import any_page
from .decoding import (
    clean_text,
    decode_page,
    has_password_field,
    is_html,
    is_opml,
)
from .document import PageDocument, check_page
from .feeds import (
    Subscription,
    find_feed_links,
    parse_opml,
    unwrap_app_address,
)
from .lines import LineLayout
from .rows import absolute_address, parse_html
from .show_names import is_lookalike, is_name_of_show, names_show
from .xml_repair import BROKEN_ATTRIBUTE, Element, defines_entities, parse_xml

__all__ = [
    "BROKEN_ATTRIBUTE",
    "Element",
    "LineLayout",
    "PageDocument",
    "Subscription",
    "absolute_address",
    "any_page",
    "check_page",
    "clean_text",
    "decode_page",
    "defines_entities",
    "find_feed_links",
    "has_password_field",
    "is_html",
    "is_lookalike",
    "is_name_of_show",
    "is_opml",
    "names_show",
    "parse_html",
    "parse_opml",
    "parse_xml",
    "read_feed_date",
    "read_length_range",
    "unwrap_app_address",
]
