"""The log as JSON, for programs: a line for each event, with its request."""

import re
import time
from uuid import uuid4

import structlog
from django.http import HttpRequest, HttpResponse

from .middleware import GetResponse

PROCESSORS = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),  # the `extra` of logging.info(…, extra={"show": …, "source": …})
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
)
log = structlog.stdlib.get_logger("podcast_catalog.requests")


def formatter() -> structlog.stdlib.ProcessorFormatter:
    structlog.configure(
        processors=[*PROCESSORS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=PROCESSORS,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
    )


def log_requests(get_response: GetResponse) -> GetResponse:
    """Return a middleware that gives each request an id, and logs its status and time.

    The id comes from the proxy in front (`X-Request-ID`), or is new. The response has it, too.
    """

    def answer_with_id_and_log(request: HttpRequest) -> HttpResponse:
        began_at = time.perf_counter()
        request_id = request.headers.get("X-Request-ID", "")
        # Accept only a short id of printable ASCII, so that nobody can forge lines of the log.
        if not re.fullmatch("[!-~]{1,64}", request_id):
            request_id = uuid4().hex
        # All lines that the request logs have its id.
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = get_response(request)
            seconds = time.perf_counter() - began_at
            log.info(
                "request",
                method=request.method,
                path=request.path,
                status=response.status_code,
                milliseconds=round(seconds * 1000, 1),
            )
        response.headers["X-Request-ID"] = request_id
        return response

    return answer_with_id_and_log
