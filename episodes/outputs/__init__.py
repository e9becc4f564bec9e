"""Every format that the catalog, or any list of it, can be had in."""

from . import catalog_json, json_ld, markdown, sitemap
from .companions import chapters_json, transcript_vtt
from .lists import (
    FEEDS,
    FORMATS,
    Format,
    Listing,
    add_credits,
    app_links,
    document,
    dump_csv,
    dump_rss,
    people,
    stamp,
    xml_text,
)
from .pictures import Picture, add_pictures, draw_card, draw_site_card, picture

__all__ = [
    "FEEDS",
    "FORMATS",
    "Format",
    "Listing",
    "Picture",
    "add_credits",
    "add_pictures",
    "app_links",
    "catalog_json",
    "chapters_json",
    "document",
    "draw_card",
    "draw_site_card",
    "dump_csv",
    "dump_rss",
    "json_ld",
    "markdown",
    "people",
    "picture",
    "sitemap",
    "stamp",
    "transcript_vtt",
    "xml_text",
]
