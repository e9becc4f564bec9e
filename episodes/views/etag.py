"""Validators of answers, which follow from the version of the catalog."""

from datetime import datetime
from hashlib import sha256

from django.conf import settings
from django.http import HttpRequest
from django.urls import get_script_prefix

from ..models import CatalogVersion


def etag(request: HttpRequest, *args: object, **kwargs: object) -> str:
    """Another one as soon as anything changed that answers show, settings too.

    The address counts too: what was said of one list says nothing of another, nor of an address
    that is none.
    """
    shown = (
        get_script_prefix(),
        settings.SITE_NAME,
        settings.SITE_DESCRIPTION,
        settings.IMAGES,
        settings.SEMANTIC_MODEL,
    )
    parts = (request.build_absolute_uri(), version(request)[0], shown)
    # Weak, because the compressed bytes of an answer are others than the plain ones.
    return f'W/"{sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:20]}"'


def changed_at(request: HttpRequest, *args: object, **kwargs: object) -> datetime | None:
    """When that happened last; None where it never did, or cannot be told."""
    return version(request)[1]


def version(request: HttpRequest) -> tuple[str, datetime | None]:
    """The version of the catalog and its time, asked for once a request."""
    if not hasattr(request, "catalog_version"):
        request.catalog_version = CatalogVersion.latest()  # type: ignore[attr-defined]
    return request.catalog_version  # type: ignore[attr-defined, no-any-return]
