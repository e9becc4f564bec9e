"""Answers of other types than pages, and validators that say whether an answer has changed."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import get_script_prefix
from django.utils.encoding import iri_to_uri
from django.views.decorators.http import condition

from ..models import CatalogVersion
from ..text.fingerprints import fingerprint


def _etag(request: HttpRequest, *args: object, **kwargs: object) -> str:
    displayed_settings = (
        get_script_prefix(),
        settings.SITE_NAME,
        settings.SITE_DESCRIPTION,
        settings.IMAGES,
    )
    version, _ = _catalog_version(request)
    # The address is a part of it, because all lists share a version.
    etag = fingerprint(request.build_absolute_uri(), version, displayed_settings)
    # Weak (`W/`), because the compressed bytes of an answer differ from the plain bytes.
    return f'W/"{etag}"'


def _last_modified(request: HttpRequest, *args: object, **kwargs: object) -> datetime | None:
    _, changed_at = _catalog_version(request)
    return changed_at


def _catalog_version(request: HttpRequest) -> tuple[str, datetime | None]:
    if not hasattr(request, "catalog_version"):
        request.catalog_version = CatalogVersion.latest()  # type: ignore[attr-defined]
    return request.catalog_version  # type: ignore[attr-defined, no-any-return]


# A decorator of views that programs ask again and again.
conditional_get = condition(etag_func=_etag, last_modified_func=_last_modified)


def shared_answer(text: str, content_type: str, next_address: str = "") -> HttpResponse:
    """Answer any site and program. They have to ask each time, and get the text again if it changed."""
    headers = {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"}
    if next_address:
        # CSV has no place for the address of its next part, so a header has it (RFC 8288).
        headers["Link"] = f'<{next_address}>; rel="next"'
    return HttpResponse(text, content_type=content_type, headers=headers)


def absolute_url_builder(request: HttpRequest) -> Callable[[str], str]:
    """Return a function that makes addresses of the site absolute.

    It only escapes the characters of other addresses: a source may give one that cannot be parsed.
    """
    home = request.build_absolute_uri("/").removesuffix("/")

    def absolute(address: str) -> str:
        if address.startswith("/"):
            return f"{home}{address}"
        return iri_to_uri(address)

    return absolute
