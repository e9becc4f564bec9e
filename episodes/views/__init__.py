"""The pages."""

from . import listen_first
from .about import about, data, offline
from .changes import changes, changes_of_episode, changes_of_show, changes_rss
from .episode import episode, numbered
from .links import link, links, links_csv, links_markdown
from .lists import episodes
from .machines import (
    chapters,
    export_schema,
    favicon,
    healthz,
    livez,
    manifest,
    media,
    opensearch,
    robots_txt,
    service_worker,
    share_card,
    shows_opml,
    site_card,
    sitemap_file,
    sitemap_xml,
    theme_css,
    transcript,
)
from .mcp import mcp
from .names import name, names
from .outputs import episodes_as, path_as, person_as, topic_as
from .page import not_found
from .paths import path, paths
from .people import people, person
from .search import suggest
from .shows import home, show, shows
from .sources import sources, sources_json
from .suggestions import corrections, suggest_correction
from .texts import episode_markdown, llms_full_txt, llms_txt
from .time_budget import time_budget
from .timeline import timeline
from .topics import topic, topics

__all__ = [
    "about",
    "changes",
    "changes_of_episode",
    "changes_of_show",
    "changes_rss",
    "chapters",
    "corrections",
    "data",
    "episode",
    "episode_markdown",
    "episodes",
    "episodes_as",
    "export_schema",
    "favicon",
    "healthz",
    "home",
    "link",
    "links",
    "links_csv",
    "links_markdown",
    "listen_first",
    "livez",
    "llms_full_txt",
    "llms_txt",
    "manifest",
    "mcp",
    "media",
    "name",
    "names",
    "not_found",
    "numbered",
    "offline",
    "opensearch",
    "path",
    "path_as",
    "paths",
    "people",
    "person",
    "person_as",
    "robots_txt",
    "service_worker",
    "share_card",
    "show",
    "shows",
    "shows_opml",
    "site_card",
    "sitemap_file",
    "sitemap_xml",
    "sources",
    "sources_json",
    "suggest",
    "suggest_correction",
    "theme_css",
    "time_budget",
    "timeline",
    "topic",
    "topic_as",
    "topics",
    "transcript",
]
