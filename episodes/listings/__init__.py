"""Reads listing pages. Pure: nothing is fetched or stored."""

from ..dates import feed_length_seconds_range, read_feed_date
from . import any_page
from .decoding import (
    begins_like_html,
    clean_text,
    decode_page,
    has_password_field,
    is_opml,
)
from .document import PageDocument, require_parsable_page
from .feeds import (
    Subscription,
    find_likeliest_feed_addresses,
    parse_opml_subscriptions,
    unwrap_app_address,
)
from .lines import LineLayout
from .rows import absolute_web_address_or_blank, attribute, parse_untrusted_html
from .show_names import is_lookalike, is_name_of_show, names_show
from .xml_repair import (
    BROKEN_ATTRIBUTE,
    Element,
    ParsedXml,
    defines_entities,
    parse_or_repair_xml,
)

__all__ = [
    "BROKEN_ATTRIBUTE",
    "Element",
    "LineLayout",
    "PageDocument",
    "ParsedXml",
    "Subscription",
    "absolute_web_address_or_blank",
    "any_page",
    "attribute",
    "begins_like_html",
    "clean_text",
    "decode_page",
    "defines_entities",
    "feed_length_seconds_range",
    "find_likeliest_feed_addresses",
    "has_password_field",
    "is_lookalike",
    "is_name_of_show",
    "is_opml",
    "names_show",
    "parse_opml_subscriptions",
    "parse_or_repair_xml",
    "parse_untrusted_html",
    "read_feed_date",
    "require_parsable_page",
    "unwrap_app_address",
]
