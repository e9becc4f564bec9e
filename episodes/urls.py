"""The public addresses (contract.md: Addresses); they only grow."""

from __future__ import annotations

from django.urls import path, register_converter

from . import views


class Slug:
    """Letters and digits of every script; what else stands in an address never reaches the database."""

    regex = r"[-\w]{1,255}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Slug, "words")

urlpatterns = [
    path("", views.episodes, name="home"),
    path("episodes/", views.episodes, name="episodes"),
    path("episodes/<words:slug>/", views.episode, name="episode"),
    path("topics/", views.topics, name="topics"),
    path("topics/<words:slug>/", views.topic, name="topic"),
    path("links/", views.links, name="links"),
    path("links/item/", views.link, name="link"),
    path("people/", views.people, name="people"),
    path("people/<words:slug>/", views.person, name="person"),
    path("names/", views.names, name="names"),
    path("names/<words:slug>/", views.name, name="name"),
    path("sources/", views.sources, name="sources"),
    path("changes/", views.changes, name="changes"),
    path("changes.rss", views.changes_rss, name="changes-rss"),
    path("healthz", views.healthz, name="healthz"),
]
