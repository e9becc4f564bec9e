"""Every format that the catalog, or any list of it, can be had in."""

from . import catalog_json, json_ld, markdown, sitemap
from .episode_files import chapters_json, transcript_vtt
from .formats import FEEDS, LIST_FORMATS, Format, app_links, dump_csv
from .listing import Absolute, Listing, add_credits, credits_of, render_xml, stamp, xml_text
from .pictures import Picture, add_pictures, draw_episode_card, draw_site_card, picture
from .rss import dump_rss

__all__ = [
    "FEEDS",
    "LIST_FORMATS",
    "Absolute",
    "Format",
    "Listing",
    "Picture",
    "add_credits",
    "add_pictures",
    "app_links",
    "catalog_json",
    "chapters_json",
    "credits_of",
    "draw_episode_card",
    "draw_site_card",
    "dump_csv",
    "dump_rss",
    "json_ld",
    "markdown",
    "picture",
    "render_xml",
    "sitemap",
    "stamp",
    "transcript_vtt",
    "xml_text",
]
