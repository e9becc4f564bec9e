"""The public addresses; they only grow."""

from django.contrib.sitemaps import views as sitemaps
from django.urls import path, register_converter
from django.urls.converters import StringConverter
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

from .outputs import FORMATS, sitemap
from .views import (
    about_site,
    episode,
    links,
    lists,
    mcp,
    outputs,
    page,
    shows,
    sources,
    suggestions,
    things,
    times,
)


class Slug(StringConverter):
    """Letters and digits of every script; what else stands in an address never reaches the
    database."""

    regex = r"[-\w]{1,255}"


class Ending(Slug):
    """The ending of an address that says in which format a list is asked for."""

    regex = "|".join(FORMATS)


class ImageFile(Slug):
    """The name of a file of an image."""

    regex = r"[0-9a-f]{32}-[0-9a-f]{8}-(?:600|150)\.webp"


class Number(Slug):
    """A number in Latin digits."""

    regex = "[0-9]{1,9}"


# The files that name all pages, by kind of page.
sitemap_index = require_safe(page.conditional(sitemaps.index))
sitemap_file = require_safe(page.conditional(sitemaps.sitemap))
OF_PAGES = {"sitemaps": sitemap.SITEMAPS}
OF_FILES = {"sitemap_url_name": "sitemap-file"}
NO_LONGER = {
    "reason": "This file is no longer provided. llms.txt links to each episode as Markdown."
}
# Pages that were read, without a network; from the root, so that it is about the whole site.
service_worker = TemplateView.as_view(
    template_name="sw.js", content_type="text/javascript; charset=utf-8"
)

register_converter(Number, "number")
register_converter(Slug, "words")
register_converter(Ending, "ending")
register_converter(ImageFile, "image")

urlpatterns = [
    path("", shows.home, name="home"),
    path("episodes/", lists.episodes, name="episodes"),
    path("episodes.<ending:form>", outputs.episodes_as, name="episodes-as"),
    path("episodes/<words:slug>/", episode.episode, name="episode"),
    path("episodes/<words:slug>.md", outputs.episode_markdown, name="episode-markdown"),
    path("episodes/<words:slug>/card.png", outputs.share_card, name="share-card"),
    path("episodes/<words:slug>/chapters.json", outputs.chapters, name="chapters"),
    path("episodes/<words:slug>/transcript.vtt", outputs.transcript, name="transcript"),
    path("episodes/<words:slug>/changes.rss", sources.changes_of_episode, name="episode-changes"),
    path("shows/", shows.shows, name="shows"),
    path("shows/<words:slug>/", shows.show, name="show"),
    path("shows/<words:slug>/changes.rss", sources.changes_of_show, name="show-changes"),
    path("topics/", things.topics, name="topics"),
    path("topics/<words:slug>/", things.topic, name="topic"),
    path("topics/<words:slug>.<ending:form>", outputs.topic_as, name="topic-as"),
    path("paths/", things.paths, name="paths"),
    path("paths/<words:slug>/", things.path, name="path"),
    path("paths/<words:slug>.<ending:form>", outputs.path_as, name="path-as"),
    path("links/", links.links, name="links"),
    path("links.csv", links.links_csv, name="links-csv"),
    path("links.md", links.links_markdown, name="links-markdown"),
    path("links/item/", links.link, name="link"),
    path("people/", things.people, name="people"),
    path("people/<words:slug>/", things.person, name="person"),
    path("people/<words:slug>.<ending:form>", outputs.person_as, name="person-as"),
    path("search/suggest", lists.suggest, name="suggest"),
    path("names/", things.names, name="names"),
    path("names/<words:slug>/", things.name, name="name"),
    path("timeline/", times.timeline, name="timeline"),
    path("time/", times.time_budget, name="time"),
    path("about/", about_site.about, name="about"),
    path("sources/", sources.sources, name="sources"),
    path("sources.json", sources.sources_json, name="sources-json"),
    path("changes/", sources.changes, name="changes"),
    path("suggest/", suggestions.suggest_correction, name="suggest-correction"),
    path("corrections/", suggestions.corrections, name="corrections"),
    path("changes.rss", sources.changes_rss, name="changes-rss"),
    path("shows.opml", outputs.shows_opml, name="opml"),
    path("sitemap.xml", sitemap_index, OF_PAGES | OF_FILES, name="sitemap"),
    path("sitemap-<words:section>.xml", sitemap_file, OF_PAGES, name="sitemap-file"),
    path("mcp", mcp.mcp, name="mcp"),
    path("llms.txt", outputs.llms_txt, name="llms"),
    path("llms-full.txt", require_safe(page.gone), NO_LONGER, name="llms-full"),
    path("opensearch.xml", outputs.opensearch, name="opensearch"),
    path("data/", about_site.data, name="data"),
    path("data/export.schema.json", outputs.export_schema, name="export-schema"),
    path("card.png", outputs.site_card, name="site-card"),
    path("offline/", about_site.offline, name="offline"),
    path("sw.js", service_worker, name="service-worker"),
    path("robots.txt", outputs.robots_txt, name="robots"),
    path("media/<image:name>", outputs.media, name="media"),
    path("manifest.webmanifest", outputs.manifest, name="manifest"),
    path("theme.css", outputs.theme_css, name="theme"),
    path("<number:number>", page.numbered, name="numbered"),
    path("favicon.ico", outputs.favicon, name="favicon"),
    path("healthz", outputs.healthz, name="healthz"),
    path("readyz", outputs.healthz, name="readyz"),
    path("livez", outputs.livez, name="livez"),
]
