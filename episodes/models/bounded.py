"""A memory of bounded size: what was used longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")

OF_AN_ENTRY = 500  # bytes that an entry takes beside its value


class Bounded(Generic[Value]):
    """Values under their names, of at most so many bytes together; several threads may use it."""

    def __init__(self, most_bytes: int) -> None:
        self.most = most_bytes
        self._lock = Lock()
        self.forget()

    def forget(self) -> None:
        self.bytes = 0
        self._held: OrderedDict[Hashable, tuple[int, Value]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, name: Hashable) -> Value | None:
        with self._lock:
            held = self._held.get(name)
            if held is None:
                return None
            self._held.move_to_end(name)
        return held[1]

    def put(self, name: Hashable, value: Value, size: int) -> None:
        """Hold a value in place of the one before it; one that is larger than the whole memory is not held."""
        size += OF_AN_ENTRY
        with self._lock:
            self.bytes -= self._held.pop(name, (0,))[0]
            if size > self.most:
                return
            self._held[name] = (size, value)
            self.bytes += size
            while self.bytes > self.most:
                self.bytes -= self._held.popitem(last=False)[1][0]
