"""The log as JSON, for programs: a line an event, with the request that it is about."""

import re
import time
from uuid import uuid4

import structlog
from django.http import HttpRequest, HttpResponse

from .middleware import GetResponse

USABLE_ID = re.compile("[!-~]{1,64}")  # printable ASCII
COMMON = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),  # the `extra` of logging.info(…, extra={"show": …, "source": …})
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
)
log = structlog.stdlib.get_logger("podcast_catalog.requests")


def formatter() -> structlog.stdlib.ProcessorFormatter:
    """The formatter of the setting `LOGGING`, for what we log and what libraries log."""
    structlog.configure(
        processors=[*COMMON, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=COMMON,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
    )


def log_requests(get_response: GetResponse) -> GetResponse:
    """Give each request an id, also in the answer, and log what was answered and how long it took.

    The id is that of the proxy in front (`X-Request-ID`), or a new one.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        given = request.headers.get("X-Request-ID", "")
        name = given if USABLE_ID.fullmatch(given) else uuid4().hex
        with structlog.contextvars.bound_contextvars(request_id=name):
            response = get_response(request)
            log.info(
                "request",
                method=request.method,
                path=request.path,
                status=response.status_code,
                milliseconds=round((time.perf_counter() - began) * 1000, 1),
            )
        response.headers["X-Request-ID"] = name
        return response

    return middleware
