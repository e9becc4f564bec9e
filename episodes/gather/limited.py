"""Runs the reading of a document in a process of its own, which ends when it takes too much time or
memory."""

from __future__ import annotations

import gc
import os
import resource
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn, TypeVar

from ..records import DocumentRejected

T = TypeVar("T")
OTHERS_RUN_TOO = 10  # a busy machine gives a process this part of its seconds


def limited(read: Callable[[], T], *, seconds: int, megabytes: int) -> T:
    """The result of `read()` from a copy of this process, made by fork, which writes nothing but
    its answer.

    Raises:
        DocumentRejected: it took more than `seconds` of CPU or `megabytes` beyond what the process
        has now.
        Exception: whatever `read` raises.
    """
    fork = get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_answer, args=(read, there, seconds, megabytes))
    child.start()
    there.close()
    value: T | Exception | None = None
    has_answer = False
    try:
        with here, suppress(EOFError):  # the child ended without an answer
            if here.poll(seconds * OTHERS_RUN_TOO):
                has_answer, value = here.recv()
    finally:
        child.kill()
        child.join()
    if isinstance(value, MemoryError):
        raise DocumentRejected(f"reading it takes more than {megabytes} MB of memory")
    if isinstance(value, Exception):
        raise value
    if not has_answer:
        raise DocumentRejected(
            f"reading it takes more than {seconds} s of CPU time, or ends the process"
        )
    return value  # type: ignore[return-value]  # None may be what was read


def _answer(
    read: Callable[[], object], there: Connection, seconds: int, megabytes: int
) -> NoReturn:
    """The child's life."""
    # Objects of the parent's other threads, such as connections, must not be finalised here.
    gc.freeze()
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        with suppress(OSError):  # a system that does not say what the process has already
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limit = pages * resource.getpagesize() + megabytes * 1_000_000
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            there.send((True, read()))
        except Exception as error:
            there.send((True, error))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)  # nothing of the parent is closed or written
