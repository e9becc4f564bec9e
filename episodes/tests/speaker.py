"""A server on the loopback interface that sends raw bytes, or runs a function of a test on each connection."""

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import Self

from .patience import PATIENCE

Speech = bytes | Callable[[socket.socket, Event], object]


def silent(connection: socket.socket, stopped: Event) -> None:
    """Wait for more of the request, and answer nothing."""
    connection.recv(1)


class Speaker:
    """A server that answers every request with `speech` between `with` and its end. `heard` is the log of requests.

    If `speech` is a function, it gets the connection, and an event that is set when the server stops.
    """

    def __init__(self, speech: Speech = b"", context: ssl.SSLContext | None = None) -> None:
        self.speech, self.context = speech, context
        self.stopped = Event()
        self.heard: list[bytes] = []

    def __enter__(self) -> Self:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.listener.settimeout(0.05)
        self.port = int(self.listener.getsockname()[1])
        self.pair = f"127.0.0.1:{self.port}"
        self.thread = Thread(target=self._serve)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()
        self.listener.close()

    def speech_for(self, request: bytes) -> Speech:
        """Return the answer to a request. Subclasses may answer requests differently."""
        return self.speech

    def _serve(self) -> None:
        while not self.stopped.is_set():
            with suppress(OSError):
                connection, _ = self.listener.accept()
                connection.settimeout(PATIENCE)
                if self.context:
                    connection = self.context.wrap_socket(connection, server_side=True)
                with connection:
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        request = b""
        while not request.endswith(b"\r\n\r\n"):
            piece = connection.recv(65_536)
            if not piece:
                return
            request += piece
        self.heard.append(request)
        speech = self.speech_for(request)
        if isinstance(speech, bytes):
            connection.sendall(speech)
        else:
            speech(connection, self.stopped)
