"""The description by which browsers offer the site's search in their address bar (OpenSearch
1.1)."""

from __future__ import annotations

from collections.abc import Callable

from django.templatetags.static import static
from django.urls import reverse

from .xml import add, document, root

SHORT_NAME = 16  # letters, as the format asks


def opensearch_xml(name: str, absolute: Callable[[str], str]) -> str:
    found = root("OpenSearchDescription", {"xmlns": "http://a9.com/-/spec/opensearch/1.1/"})
    add(found, "ShortName", name[:SHORT_NAME])
    add(found, "LongName", name[:48])
    add(found, "Description", f"Search the episodes of {name}")
    add(found, "InputEncoding", "UTF-8")
    add(
        found,
        "Image",
        absolute(static("img/icon-192.png")),
        width="192",
        height="192",
        type="image/png",
    )
    pages, feed = absolute(reverse("episodes")), absolute(reverse("episodes-as", args=("rss",)))
    add(found, "Url", type="text/html", template=f"{pages}?q={{searchTerms}}")
    add(found, "Url", type="application/rss+xml", template=f"{feed}?q={{searchTerms}}")
    return document(found)
