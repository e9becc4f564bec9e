"""Every format that the catalog, or any list of it, can be had in."""

from . import catalog_csv, catalog_json, json_ld, markdown, sitemap
from .companions import chapters_json, transcript_vtt
from .feeds import document, dump_rss, xml_text
from .formats import FEEDS, FORMATS, Format, app_links
from .listing import Listing, add_credits, people, stamp
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
    "catalog_csv",
    "catalog_json",
    "chapters_json",
    "document",
    "draw_card",
    "draw_site_card",
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
