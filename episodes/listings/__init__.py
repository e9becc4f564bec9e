"""Reads listing pages: a document in, entries out; pure."""

from ..dates import read_feed_date, read_length
from . import any_page
from .decoding import (
    asks_for_login,
    clean,
    decode,
    is_html,
    is_opml,
)
from .document import PageDocument, check_page
from .feeds import (
    Subscription,
    feed_addresses,
    subscriptions,
    web_address,
)
from .lines import Lines
from .rows import absolute, tree_of
from .show_names import is_show, looks_like, names_show
from .xml_repair import BROKEN, Element, defines_entities, parse_xml

__all__ = [
    "BROKEN",
    "Element",
    "Lines",
    "PageDocument",
    "Subscription",
    "absolute",
    "any_page",
    "asks_for_login",
    "check_page",
    "clean",
    "decode",
    "defines_entities",
    "feed_addresses",
    "is_html",
    "is_opml",
    "is_show",
    "looks_like",
    "names_show",
    "parse_xml",
    "read_feed_date",
    "read_length",
    "subscriptions",
    "tree_of",
    "web_address",
]
