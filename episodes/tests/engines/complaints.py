"""A middleware that puts `complaints.js` before all other scripts of a page."""

from collections.abc import Callable
from pathlib import Path

from django.http import HttpRequest, HttpResponse

ADDRESS = "/complaints.js"
SCRIPT = Path(__file__).with_suffix(".js").read_bytes()


def with_complaints(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Serve the script, and name it first in the head of every page."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path == ADDRESS:
            return HttpResponse(SCRIPT, content_type="text/javascript")
        response = get_response(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            tag = f'<head><script src="{ADDRESS}"></script>'.encode()
            response.content = response.content.replace(b"<head>", tag, 1)
        return response

    return answer
