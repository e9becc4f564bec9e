"""Reads every source when it is due, does the other work in the background, and tells people of
troubles."""

from .due import slots
from .incidents import report_incidents
from .jobs import JOBS, Work, all_due, send_notices
from .links import check_links
from .notices import Notice, digest
from .worker import Busy, run_all, run_once, until_stopped

__all__ = [
    "JOBS",
    "Busy",
    "Notice",
    "Work",
    "all_due",
    "check_links",
    "digest",
    "report_incidents",
    "run_all",
    "run_once",
    "send_notices",
    "slots",
    "until_stopped",
]
