"""The public addresses; they only grow."""

from __future__ import annotations

from django.urls import path, register_converter

from . import views
from .outputs import FORMATS


class Slug:
    """Letters and digits of every script; what else stands in an address never reaches the
    database."""

    regex = r"[-\w]{1,255}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class Ending(Slug):
    """The ending of an address that says in which format a list is asked for."""

    regex = "|".join(FORMATS)


class ImageFile(Slug):
    """The name of a file of an image."""

    regex = r"[0-9a-f]{32}-[0-9a-f]{8}-(?:600|150)\.webp"


class Number(Slug):
    """A number in Latin digits."""

    regex = "[0-9]{1,9}"


register_converter(Number, "number")
register_converter(Slug, "words")
register_converter(Ending, "ending")
register_converter(ImageFile, "image")

urlpatterns = [
    path("", views.home, name="home"),
    path("episodes/", views.episodes, name="episodes"),
    path("episodes.<ending:form>", views.episodes_as, name="episodes-as"),
    path("episodes/<words:slug>/", views.episode, name="episode"),
    path("episodes/<words:slug>.md", views.episode_markdown, name="episode-markdown"),
    path("episodes/<words:slug>/card.png", views.share_card, name="share-card"),
    path("episodes/<words:slug>/chapters.json", views.chapters, name="chapters"),
    path("episodes/<words:slug>/transcript.vtt", views.transcript, name="transcript"),
    path("episodes/<words:slug>/changes.rss", views.changes_of_episode, name="episode-changes"),
    path("shows/", views.shows, name="shows"),
    path("shows/<words:slug>/", views.show, name="show"),
    path("shows/<words:slug>/changes.rss", views.changes_of_show, name="show-changes"),
    path("topics/", views.topics, name="topics"),
    path("topics/<words:slug>/", views.topic, name="topic"),
    path("topics/<words:slug>.<ending:form>", views.topic_as, name="topic-as"),
    path("paths/", views.paths, name="paths"),
    path("paths/<words:slug>/", views.path, name="path"),
    path("paths/<words:slug>.<ending:form>", views.path_as, name="path-as"),
    path("links/", views.links, name="links"),
    path("links.csv", views.links_csv, name="links-csv"),
    path("links.md", views.links_markdown, name="links-markdown"),
    path("links/item/", views.link, name="link"),
    path("people/", views.people, name="people"),
    path("people/<words:slug>/", views.person, name="person"),
    path("people/<words:slug>.<ending:form>", views.person_as, name="person-as"),
    path("search/suggest", views.suggest, name="suggest"),
    path("names/", views.names, name="names"),
    path("names/<words:slug>/", views.name, name="name"),
    path("timeline/", views.timeline, name="timeline"),
    path("time/", views.time_budget, name="time"),
    path("about/", views.about, name="about"),
    path("sources/", views.sources, name="sources"),
    path("changes/", views.changes, name="changes"),
    path("suggest/", views.suggest_correction, name="suggest-correction"),
    path("corrections/", views.corrections, name="corrections"),
    path("changes.rss", views.changes_rss, name="changes-rss"),
    path("shows.opml", views.shows_opml, name="opml"),
    path("sitemap.xml", views.sitemap_xml, name="sitemap"),
    path("sitemap-<words:section>.xml", views.sitemap_file, name="sitemap-file"),
    path("mcp", views.mcp, name="mcp"),
    path("llms.txt", views.llms_txt, name="llms"),
    path("llms-full.txt", views.llms_full_txt, name="llms-full"),
    path("opensearch.xml", views.opensearch, name="opensearch"),
    path("data/", views.data, name="data"),
    path("data/export.schema.json", views.export_schema, name="export-schema"),
    path("card.png", views.site_card, name="site-card"),
    path("offline/", views.offline, name="offline"),
    path("sw.js", views.service_worker, name="service-worker"),
    path("robots.txt", views.robots_txt, name="robots"),
    path("media/<image:name>", views.media, name="media"),
    path("manifest.webmanifest", views.manifest, name="manifest"),
    path("theme.css", views.theme_css, name="theme"),
    path("<number:number>", views.numbered, name="numbered"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.healthz, name="readyz"),
    path("livez", views.livez, name="livez"),
]
