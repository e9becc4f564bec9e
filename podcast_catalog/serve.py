"""`python -m podcast_catalog.serve PORT`: the server of `make serve` and `make run`, on this machine
and as long as its terminal is open.

One process migrates the database, with `--sample` fills an empty one, with `--schedule` starts the
process that reads sources, and then becomes the server.
"""

import os
import signal
import socket
import sys
import threading
import time
from argparse import ArgumentParser, Namespace


def port_problem(port: str) -> str:
    """Return why the server cannot use a port, with a remedy, or "".

    It is tested here, because the server itself binds with SO_REUSEPORT: a second server would get half of the
    requests of the first, and no error.
    """
    # Python refuses to convert thousands of digits, so their number is tested first.
    is_port = port.isdecimal() and len(port) <= 5 and 0 < int(port) < 65_536
    if not is_port:
        return f"PORT={port} is not a port. Take a number from 1 to 65535, such as PORT=9000."
    try:
        with socket.socket() as probe:
            # A port can be used while its last connections are closing.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", int(port)))
    except OSError as error:
        return f"Port {port} cannot be used ({error}). Take another, such as PORT=9000."
    return ""


def prepare_database(*, loads_sample: bool) -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    if loads_sample:
        call_command("first_run")


def start_schedule_in_child_process() -> None:
    """Start a child process that reads sources and does the other work in the background.

    The child does not return from this function. It ends with this process, also after this process has
    become the server.
    """
    from django.core.management import call_command
    from django.db import connections

    from episodes.management.commands.run_schedule import Command

    # The child process must not share our database connection, nor print our lines again.
    connections.close_all()
    sys.stdout.flush()
    parent_id = os.getpid()
    child_id = os.fork()  # returns 0 in the child
    is_parent = child_id != 0
    if is_parent:
        return
    threading.Thread(target=end_with_parent, args=(parent_id,), daemon=True).start()
    command = Command()
    # The schedule of a server that was just stopped may not have ended yet.
    command.waits_for_other_process = True
    call_command(command)
    sys.exit()


def end_with_parent(parent_id: int) -> None:
    """End this process as soon as its parent has ended. Unfinished work is rolled back, and repeated by the
    next process."""
    # A process whose parent has ended gets another parent.
    while os.getppid() == parent_id:
        time.sleep(1)
    # `sys.exit` would end only this thread.
    os._exit(0)


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
    # Ctrl+C reaches every process of the terminal's group. A worker often hangs if it gets the signal
    # twice, from the terminal and from its parent. In a group of its own it gets only the parent's.
    os.register_at_fork(after_in_child=os.setpgrp)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        server.on_startup(end_with_terminal)
    server.serve()


def end_with_terminal() -> None:
    """End the server when the terminal is closed. Without this, granian restarts its workers."""
    signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM))


def prepare_database_and_serve() -> None:
    """Prepare the database, and become the same program with `--prepared`, which serves."""
    options = parse_options()
    problem = port_problem(options.port)
    if problem:
        sys.exit(problem)
    if options.prepared:
        serve(int(options.port))
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")
    from .errors import exit_with_one_line_errors

    with exit_with_one_line_errors():
        prepare_database(loads_sample=options.sample)
        if options.schedule:
            start_schedule_in_child_process()
    print(f"The catalog is at http://127.0.0.1:{options.port} (Ctrl-C stops it).")
    print(
        "To edit it: '.venv/bin/python manage.py createsuperuser', then "
        f"http://127.0.0.1:{options.port}/admin/",
        flush=True,
    )
    # A new program, because the settings of the server differ from those of commands (limits of time).
    command = [sys.executable, "-m", "podcast_catalog.serve", options.port, "--prepared"]
    os.execv(sys.executable, command)


def parse_options() -> Namespace:
    parser = ArgumentParser(prog="python -m podcast_catalog.serve")
    parser.add_argument("port")
    parser.add_argument("--sample", action="store_true", help="fill an empty database")
    parser.add_argument("--schedule", action="store_true", help="read sources when they are due")
    parser.add_argument("--prepared", action="store_true", help="only serve")
    return parser.parse_args()


if __name__ == "__main__":
    prepare_database_and_serve()
