"""A copy of this process that answers questions within limits of CPU time, memory and output, and
writes nothing but its answers."""

import gc
import os
import pickle
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any, Generic, NamedTuple, NoReturn, Self, TypeVar

from ..records import DocumentRejected

Question = TypeVar("Question")
Answer = TypeVar("Answer")
MAX_SLOWDOWN = 10  # on a busy machine, a second of CPU time takes up to this many seconds
# A process that is forked while another one is made would hold the other one's pipes open.
_forking = Lock()


class LimitExceeded(DocumentRejected):
    """Parsing a document exceeds a limit, or ends the process."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The limits of one question. Smaller limits of the system (`ulimit`, `LimitCPU=`, `LimitAS=`) count
    instead."""

    seconds: int  # of CPU time
    memory: int | None  # bytes of address space; None if the system does not say what is in use
    answer_bytes: int
    cpu_reason: str  # the message of LimitExceeded
    memory_reason: str

    @classmethod
    def for_forked_copy(cls, seconds: int, megabytes: int, answer_megabytes: int) -> Self:
        """Return limits for a copy of this process. It may take `megabytes` more than the memory that
        this process has now, as a copy begins with the same memory."""
        cpu_seconds, cpu_reason = _cpu_limit_and_excess_message(seconds)
        memory, memory_reason = _memory_limit_and_excess_message(megabytes)
        answer_bytes = answer_megabytes * 1_000_000
        return cls(cpu_seconds, memory, answer_bytes, cpu_reason, memory_reason)


def _cpu_limit_and_excess_message(seconds: int) -> tuple[int, str]:
    system_seconds = _smallest_system_limit_or_maxsize(resource.RLIMIT_CPU)
    if seconds <= system_seconds:
        return seconds, f"reading it takes more than {seconds} s of CPU time"
    message = (
        f"reading it takes more than the {system_seconds} s of CPU time that the system allows a "
        "process (ulimit -t, LimitCPU)"
    )
    return system_seconds, message


def _memory_limit_and_excess_message(megabytes: int) -> tuple[int | None, str]:
    """Return the bytes that a copy of this process may have in all, and the message beyond them."""
    message = f"reading it takes more than {megabytes} MB of memory"
    used_bytes = _used_memory_bytes_or_none()
    if used_bytes is None:  # a system without /proc: without a limit
        return None, message
    max_bytes = used_bytes + megabytes * 1_000_000
    system_bytes = _smallest_system_limit_or_maxsize(resource.RLIMIT_AS)
    if max_bytes <= system_bytes:
        return max_bytes, message
    remaining_megabytes = max(0, system_bytes - used_bytes) // 1_000_000
    message_of_system_limit = (
        f"reading it takes more than the {remaining_megabytes} MB of memory that the system leaves this "
        "process (ulimit -v, LimitAS)"
    )
    return system_bytes, message_of_system_limit


def _smallest_system_limit_or_maxsize(resource_kind: int) -> int:
    soft, hard = resource.getrlimit(resource_kind)
    smallest = sys.maxsize
    for limit in (soft, hard):
        if limit != resource.RLIM_INFINITY:
            smallest = min(smallest, limit)
    return smallest


def _used_memory_bytes_or_none() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return None
    return pages * resource.getpagesize()


class LimitedProcess(Generic[Question, Answer]):
    """A copy of this process that answers one question after another. It is forked at once.

    The function that answers is part of the copy. Questions and answers are pickled.
    """

    def __init__(
        self, answer_question: Callable[[Question], Answer], limits: ProcessLimits
    ) -> None:
        self.limits = limits
        self.cpu_seconds = 0.0  # of all answers until now
        with _forking:  # a lock, so that no other thread's copy gets these pipes
            self._connection, end_of_copy = Pipe()
            self._pid = os.fork()  # returns 0 in the copy, and the id of the copy in this process
            is_copy = self._pid == 0
            if is_copy:
                # With the parent's end open the copy would never notice that the parent was killed,
                # and would hold its files and locks for ever.
                self._connection.close()
                _answer_questions_and_exit(answer_question, end_of_copy, limits)
            end_of_copy.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_and_get_wait_status()

    def ask(self, question: Question) -> Answer:
        """Return the answer to a question.

        Raises:
            LimitExceeded: answering exceeds a limit, or ends the process.
            Exception: whatever the function that answers raises.
        """
        # The system limits CPU time. This limit is for a process that waits for ever.
        wait_seconds = self.limits.seconds * MAX_SLOWDOWN
        try:
            self._connection.send(question)
            has_reply = self._connection.poll(wait_seconds)
            if not has_reply:
                self.stop_and_get_wait_status()
                raise LimitExceeded(f"reading it takes more than {wait_seconds} s")
            message = self._connection.recv_bytes()
        # The pipe is closed: the process has ended, mostly because of a limit of the system.
        except (EOFError, ConnectionError):
            raise LimitExceeded(self._stop_and_describe_exit()) from None
        reply: _Reply = pickle.loads(message)
        self.cpu_seconds = reply.cpu_seconds
        if reply.error is not None:
            raise reply.error
        return reply.answer  # type: ignore[no-any-return]

    def _stop_and_describe_exit(self) -> str:
        exit_code = os.waitstatus_to_exitcode(self.stop_and_get_wait_status())
        if exit_code == -signal.SIGXCPU:
            return self.limits.cpu_reason
        # A signal is a negative code.
        cause = signal.Signals(-exit_code).name if exit_code < 0 else f"exit code {exit_code}"
        return f"reading it ends the process ({cause})"

    def stop_and_get_wait_status(self) -> int:
        """End the process. Return its wait status, as of `os.waitpid`, or 0 if `stop_and_get_wait_status` was called before."""
        self._connection.close()
        if not self._pid:
            return 0
        # A process that ended by itself keeps its own status.
        os.kill(self._pid, signal.SIGKILL)
        _, wait_status = os.waitpid(self._pid, 0)
        self._pid = 0
        return wait_status


# -- in the copy -----------------------------------------------------------------------------------

_is_limited_copy = False  # True in the copy, so that it makes no copy of itself


def is_limited() -> bool:
    return _is_limited_copy


def _answer_questions_and_exit(
    answer_question: Callable[[Any], object], connection: Connection, limits: ProcessLimits
) -> NoReturn:
    """Answer questions until the parent closes the connection or ends, then end this process.

    The copy has all objects of the parent. It ends by `os._exit`, which neither flushes the parent's
    buffers nor runs its clean-up functions a second time.
    """
    global _is_limited_copy
    _is_limited_copy = True
    # The garbage collector must not close objects of the parent, such as connections to a database.
    gc.freeze()
    try:
        _set_signals_and_memory_limit(limits)
        # At a hard limit the system sends SIGKILL, which tells no reason. SIGXCPU comes at the soft limit.
        last_second = _smallest_system_limit_or_maxsize(resource.RLIMIT_CPU) - 1
        with suppress(EOFError):  # the parent has closed the connection
            while True:
                question = connection.recv()
                # The system counts from the start of the process, not of the question.
                cpu_limit = ceil(time.process_time()) + limits.seconds
                _set_soft_limit(resource.RLIMIT_CPU, min(cpu_limit, last_second))
                connection.send_bytes(_pickle_answer_or_error(answer_question, question, limits))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _set_signals_and_memory_limit(limits: ProcessLimits) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # after Ctrl-C the parent ends this process
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)  # too much CPU time ends it
    no_core_dump = (0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, no_core_dump)
    if limits.memory is not None:
        _set_soft_limit(resource.RLIMIT_AS, limits.memory)


def _set_soft_limit(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit, hard))


class _Reply(NamedTuple):
    """The answer to a question, or the error."""

    answer: Any
    error: Exception | None
    cpu_seconds: float  # of the process until now


def _pickle_answer_or_error(
    answer_question: Callable[[Any], object], question: object, limits: ProcessLimits
) -> bytes:
    error: Exception
    try:
        answer = answer_question(question)
        message = pickle.dumps(_Reply(answer, None, time.process_time()))
        if len(message) <= limits.answer_bytes:
            return message
        error = LimitExceeded(
            f"what it holds takes more than {limits.answer_bytes // 1_000_000} MB"
        )
    except MemoryError:  # beyond the memory limit
        error = LimitExceeded(limits.memory_reason)
    # An error of the function is an answer, too: the parent raises it.
    except Exception as reason:
        error = reason.with_traceback(None)  # the traceback would keep all parsed objects in memory
    return pickle.dumps(_Reply(None, error, time.process_time()))
