"""Images that are kept, for sites whose web server does not serve the folder itself."""

from __future__ import annotations

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ..models import Image

YEAR = 365 * 24 * 3600  # seconds


@require_safe
def media(request: HttpRequest, name: str) -> HttpResponse:
    """A file of an image; its name changes with its bytes, so browsers may keep it."""
    kept = settings.IMAGES == "keep" and Image.objects.filter(name=name.rpartition("-")[0]).exists()
    if not kept:
        raise Http404("Image not found.")
    try:
        with default_storage.open(name) as file:
            response = HttpResponse(file.read(), content_type="image/webp")
    except OSError as error:
        raise Http404("The file is missing.") from error
    response["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    return response
