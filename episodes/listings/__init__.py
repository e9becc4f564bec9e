"""Reads listing pages: a document in, entries out; pure."""

from ..dates import read_feed_date, read_length
from . import any_site
from .decoding import (
    asks_for_login,
    clean,
    decode,
    defines_entities,
    is_html,
    is_opml,
    mended,
    read_xml,
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

__all__ = [
    "Lines",
    "PageDocument",
    "Subscription",
    "absolute",
    "any_site",
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
    "mended",
    "names_show",
    "read_feed_date",
    "read_length",
    "read_xml",
    "subscriptions",
    "tree_of",
    "web_address",
]
