"""Reads listing pages: a document in, entries out; pure."""

from . import any_site
from .dates import read_date, read_length
from .decoding import decode, is_html
from .document import PageDocument, address_of, check_page
from .html import absolute, host_of
from .lines import Lines
from .show_names import is_show, names_show

__all__ = [
    "Lines",
    "PageDocument",
    "absolute",
    "address_of",
    "any_site",
    "check_page",
    "decode",
    "host_of",
    "is_html",
    "is_show",
    "names_show",
    "read_date",
    "read_length",
]
