"""The public addresses; they only grow."""

from django.contrib.sitemaps import views as sitemaps
from django.urls import path, register_converter
from django.urls.converters import StringConverter
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

from .outputs import LIST_FORMATS, sitemap
from .views import (
    about_site,
    episode,
    episode_list,
    feeds,
    former_addresses,
    link_index,
    mcp,
    paths,
    people,
    play_moments,
    responses,
    search_suggestions,
    shows,
    site_files,
    source_changes,
    sources,
    suggestions,
    symbols,
    time_budget,
    timeline,
    topics,
)


class Slug(StringConverter):
    """Letters and digits of every script; what else stands in an address never reaches the
    database."""

    # The ranges have vowels of Indic scripts, Thai and their neighbours, which \w leaves out.
    regex = r"[-\w\u0900-\u109f\u1780-\u17d3]{1,255}"


class Ending(Slug):
    """The ending of an address that asks for a list in a format."""

    regex = "|".join(LIST_FORMATS)


class ImageFile(Slug):
    """The name of a file of an image."""

    regex = r"[0-9a-f]{32}-[0-9a-f]{8}-(?:600|150)\.webp"


class CoverFile(Slug):
    """The name of a file of a drawn cover."""

    regex = r"[0-9a-f]{16}\.(?:svg|png)"


class Number(Slug):
    """A number in Latin digits."""

    regex = "[0-9]{1,9}"


# The files that name all pages, by kind of page.
sitemap_index = require_safe(responses.conditional_get(sitemaps.index))
sitemap_file = require_safe(responses.conditional_get(sitemaps.sitemap))
# Pages that were read, without a network; from the root, so that it is about the whole site.
service_worker = TemplateView.as_view(
    template_name="sw.js", content_type="text/javascript; charset=utf-8"
)

register_converter(Number, "number")
register_converter(Slug, "words")
register_converter(Ending, "ending")
register_converter(ImageFile, "image")
register_converter(CoverFile, "cover")

urlpatterns = [
    path("", shows.home_page, name="home"),
    path("episodes/", episode_list.episode_list, name="episodes"),
    path("episodes.<ending:ending>", feeds.episodes_in_format, name="episodes-as"),
    path("episodes/<words:slug>/", episode.episode_page, name="episode"),
    path("episodes/<words:slug>.md", site_files.episode_markdown, name="episode-markdown"),
    path("episodes/<words:slug>/card.png", site_files.episode_or_quote_card, name="share-card"),
    path("episodes/<words:slug>/chapters.json", site_files.chapters_file, name="chapters"),
    path("episodes/<words:slug>/transcript.vtt", site_files.captions_file, name="transcript"),
    path(
        "episodes/<words:slug>/changes.rss",
        source_changes.changes_of_episode,
        name="episode-changes",
    ),
    path("shows/", shows.show_index, name="shows"),
    path("shows/<words:slug>/", shows.show_page, name="show"),
    path("shows/<words:slug>/changes.rss", source_changes.changes_of_show, name="show-changes"),
    path("shows/<words:slug>/card.png", site_files.show_card, name="show-card"),
    path("topics/", topics.topic_index, name="topics"),
    path("topics/<words:slug>/", topics.topic_page, name="topic"),
    path("topics/<words:slug>.<ending:ending>", feeds.topic_in_format, name="topic-as"),
    path("paths/", paths.learning_path_index, name="paths"),
    path("paths/<words:slug>/", paths.learning_path_page, name="path"),
    path("paths/<words:slug>.<ending:ending>", feeds.learning_path_in_format, name="path-as"),
    path("links/", link_index.link_index, name="links"),
    path("links.csv", link_index.links_csv, name="links-csv"),
    path("links.md", link_index.links_markdown, name="links-markdown"),
    path("links/item/", link_index.link_page, name="link"),
    path("people/", people.people_index, name="people"),
    path("people/<words:slug>/", people.person_page, name="person"),
    path("people/<words:slug>.<ending:ending>", feeds.person_in_format, name="person-as"),
    path("search/suggest", search_suggestions.search_suggestions_html, name="suggest"),
    path("names/", symbols.symbol_index, name="names"),
    path("names/<words:slug>/", symbols.symbol_page, name="name"),
    path("moments/", play_moments.moments_page, name="moments"),
    path("timeline/", timeline.timeline_page, name="timeline"),
    path("time/", time_budget.time_budget_page, name="time"),
    path("about/", about_site.about_page, name="about"),
    path("sources/", sources.sources_page, name="sources"),
    path("sources.json", sources.sources_json, name="sources-json"),
    path("changes/", source_changes.newest_changes_page, name="changes"),
    path("suggest/", suggestions.suggest_correction, name="suggest-correction"),
    path("suggest/<slug:token>/", suggestions.suggestion_page, name="suggestion"),
    path("corrections/", suggestions.corrections_page, name="corrections"),
    path("changes.rss", source_changes.changes_rss, name="changes-rss"),
    path("shows.opml", site_files.shows_opml, name="opml"),
    path(
        "sitemap.xml",
        sitemap_index,
        {"sitemaps": sitemap.SITEMAPS, "sitemap_url_name": "sitemap-file"},
        name="sitemap",
    ),
    path(
        "sitemap-<words:section>.xml",
        sitemap_file,
        {"sitemaps": sitemap.SITEMAPS},
        name="sitemap-file",
    ),
    path("mcp", mcp.mcp_server, name="mcp"),
    path("llms.txt", site_files.llms_txt, name="llms"),
    path("llms-full.txt", site_files.llms_full_txt, name="llms-full"),
    path("opensearch.xml", site_files.opensearch, name="opensearch"),
    path("data/", about_site.data_page, name="data"),
    path("data/export.schema.json", site_files.export_schema, name="export-schema"),
    path("card.png", site_files.site_card, name="site-card"),
    path("offline/", about_site.offline_page, name="offline"),
    path("sw.js", service_worker, name="service-worker"),
    path("robots.txt", site_files.robots_txt, name="robots"),
    path("media/<image:name>", site_files.resized_image_file, name="media"),
    path("covers/<cover:cover>", site_files.drawn_cover_file, name="cover"),
    path("manifest.webmanifest", site_files.web_manifest, name="manifest"),
    path("theme.css", site_files.theme_css, name="theme"),
    path("<number:number>", former_addresses.redirect_number, name="numbered"),
    path("favicon.ico", site_files.favicon, name="favicon"),
    path("healthz", site_files.healthz, name="healthz"),
    path("readyz", site_files.healthz, name="readyz"),
    path("livez", site_files.livez, name="livez"),
]
