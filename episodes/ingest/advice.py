"""Advice about an answer that is no document, by the status of the answer."""

from __future__ import annotations

REFUSES = "The server refuses us, or wants a login: save the page in a browser, and import the file with --url"
ADVICE = {
    401: REFUSES,
    402: REFUSES,
    403: REFUSES,
    404: "Nothing is there: look for the new address on the show's site",
    407: REFUSES,
    410: "The server says it is gone for good: look for a new address, or pause the show",
    429: "Too many requests: import less often",
    451: REFUSES,
}
OTHERS = "See in a browser what the address serves; the next import tries again"
LOOK_THERE = "Nothing was changed: see in a browser what the address serves now"


def advice(status: int | None) -> str:
    """A sentence to add; "" where no server answered."""
    return f". {ADVICE.get(status, OTHERS)}" if status else ""
