"""Runs the reading of a document in a process of its own, which ends when it takes too much time or
memory."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from select import select
from time import monotonic
from typing import Any, NoReturn, TypeVar

from ..records import DocumentRejected

T = TypeVar("T")
OTHERS_RUN_TOO = 10  # a busy machine gives a process this part of its seconds
PIECE = 1 << 20  # bytes


def limited(read: Callable[[], T], *, seconds: int, megabytes: int) -> T:
    """The result of `read()` from a copy of this process, made by fork, which writes nothing but
    its answer.

    Raises:
        DocumentRejected: it took more than `seconds` of CPU or `megabytes` beyond what the process
        has now.
        Exception: whatever `read` raises.
    """
    here, there = os.pipe()
    child = os.fork()
    if not child:
        os.close(here)
        _answer(read, there, seconds, megabytes)
    os.close(there)
    try:
        answer = _received(here, seconds * OTHERS_RUN_TOO)
    finally:
        os.close(here)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if not answer:
        raise DocumentRejected(_why(status, seconds))
    outcome, value = pickle.loads(answer)
    if outcome == "read":
        return value  # type: ignore[no-any-return]
    if outcome == "memory":
        raise DocumentRejected(f"reading it takes more than {megabytes} MB of memory")
    raise value


def _answer(read: Callable[[], Any], out: int, seconds: int, megabytes: int) -> NoReturn:
    """The child's life."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        limit = _bytes_now() + megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        _send(out, _outcome(read))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)  # nothing of the parent is closed or written


def _outcome(read: Callable[[], Any]) -> bytes:
    try:
        return pickle.dumps(("read", read()))
    except MemoryError:
        return pickle.dumps(("memory", None))
    except Exception as error:
        return pickle.dumps(("raised", error))


def _send(out: int, answer: bytes) -> None:
    view = memoryview(answer)
    while view:
        view = view[os.write(out, view[:PIECE]) :]


def _received(pipe: int, seconds: float) -> bytes:
    """The whole answer; empty where the child ended without one, or said nothing for so long."""
    pieces: list[bytes] = []
    end = monotonic() + seconds
    while select([pipe], [], [], max(0.0, end - monotonic()))[0]:
        piece = os.read(pipe, PIECE)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return b""


def _why(status: int, seconds: int) -> str:
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if ended_by in (signal.SIGXCPU, signal.SIGKILL):
        return f"reading it takes more than {seconds} s of CPU time"
    return f"reading it ended the process ({signal.Signals(ended_by).name if ended_by else 'without a word'})"


def _bytes_now() -> int:
    """The address space that this process has already; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()
