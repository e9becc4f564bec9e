"""Reads every source when it is due, does the other work in the background, and tells people of
troubles."""

from .due import slots
from .jobs import JOBS, Busy, Work, all_due, check_links, run, send_notices, until_stopped
from .notices import Notice, digest, report_incidents

__all__ = [
    "JOBS",
    "Busy",
    "Notice",
    "Work",
    "all_due",
    "check_links",
    "digest",
    "report_incidents",
    "run",
    "send_notices",
    "slots",
    "until_stopped",
]
