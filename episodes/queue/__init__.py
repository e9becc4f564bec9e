"""The one seam to Procrastinate, the queue of jobs on PostgreSQL. On SQLite nothing is queued:
`run_schedule` looks for what is due.

A job is its name and a key, and both together are its lock: it waits at most once and runs at most
once at a time. When something is due is data of the catalog; nothing is queued for later.
"""

from .putting import STALLED, counts, is_queued, put, put_due
from .working import work

__all__ = ["STALLED", "counts", "is_queued", "put", "put_due", "work"]
