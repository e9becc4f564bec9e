"""Reads every source when it is due, in any number of processes, and tells people of troubles."""

from .channels import Channels
from .incidents import Thresholds, report_incidents
from .notices import Notice
from .weekly import digest
from .worker import Schedule, Worker

__all__ = ["Channels", "Notice", "Schedule", "Thresholds", "Worker", "digest", "report_incidents"]
