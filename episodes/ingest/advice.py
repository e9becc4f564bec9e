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
IS_NO_DOCUMENT = "The answer is not a document: open the address in a browser"
IS_REFUSED = "The server does not take this request: see in a browser whether the address is right"
LOOK_THERE = "Nothing was changed: see in a browser what the address serves now"
OF_THE_SERVER = "The server has a problem: the next import tries again"
CLASSES = {1: IS_NO_DOCUMENT, 2: IS_NO_DOCUMENT, 3: IS_NO_DOCUMENT, 4: IS_REFUSED}


def advice(status: int | None) -> str:
    """A sentence to add; "" where no server answered."""
    if status is None:
        return ""
    return f". {ADVICE.get(status) or CLASSES.get(status // 100, OF_THE_SERVER)}"
