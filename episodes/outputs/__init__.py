"""Every format that the catalog, or any list of it, can be had in."""

from . import catalog_json, json_ld, markdown, sitemap
from .covers import cover_key, draw_cover_png, draw_cover_svg
from .episode_files import render_chapters_json, render_vtt
from .formats import FEED_FORMATS, LIST_FORMATS, ListFormat, dump_csv, podcast_app_links, render_csv
from .listing import (
    Absolute,
    EpisodeListing,
    credits_of,
    format_timestamp,
    join_known,
    load_credits_into_episodes,
    render_xml,
    without_control_characters,
)
from .pictures import (
    Picture,
    attach_photos_or_initials_if_any_photo,
    attach_stored_pictures,
    draw_episode_card_png_or_none,
    draw_site_card_png_or_none,
    picture_of,
    stored_picture_of,
)
from .rss import dump_rss

__all__ = [
    "FEED_FORMATS",
    "LIST_FORMATS",
    "Absolute",
    "EpisodeListing",
    "ListFormat",
    "Picture",
    "attach_photos_or_initials_if_any_photo",
    "attach_stored_pictures",
    "catalog_json",
    "cover_key",
    "credits_of",
    "draw_cover_png",
    "draw_cover_svg",
    "draw_episode_card_png_or_none",
    "draw_site_card_png_or_none",
    "dump_csv",
    "dump_rss",
    "format_timestamp",
    "join_known",
    "json_ld",
    "load_credits_into_episodes",
    "markdown",
    "picture_of",
    "podcast_app_links",
    "render_chapters_json",
    "render_csv",
    "render_vtt",
    "render_xml",
    "sitemap",
    "stored_picture_of",
    "without_control_characters",
]
