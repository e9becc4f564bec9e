"""`python -m podcast_catalog.serve PORT`: the server of `make serve`, on this machine and as long
as its terminal is open.

With `check` after it: only whether the port is free. The server binds with SO_REUSEPORT: a second
one would get half of the requests of the first, and no error.
"""

import os
import signal
import socket
import sys


def trouble(port: str) -> str:
    """The reason why the server cannot have a port, and what to do; "" if it can."""
    if not (port.isdecimal() and 0 < int(port[:6]) < 65_536):
        return f"PORT={port} is not a port. Take a number from 1 to 65535: make run PORT=9000"
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", int(port)))
    except OSError as error:
        return f"Port {port} cannot be used ({error}). Take another, such as make run PORT=9000"
    return ""


def serve(port: int) -> None:
    from granian.constants import HTTPModes, Interfaces
    from granian.log import LogLevels
    from granian.server import Server

    server = Server(
        "podcast_catalog.rsgi:application",
        port=port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        log_level=LogLevels.warning,
        websockets=False,
    )
    # The terminal's signals are the parent's: a worker that gets one from each of them often does
    # not end.
    os.register_at_fork(after_in_child=os.setpgrp)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        server.on_startup(end_with_terminal)
    server.serve()


def end_with_terminal() -> None:
    """Without this granian starts its workers anew when the terminal is closed."""
    signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM))


if __name__ == "__main__":
    found = trouble(sys.argv[1])
    if found:
        sys.exit(found)
    if sys.argv[2:] != ["check"]:
        serve(int(sys.argv[1]))
