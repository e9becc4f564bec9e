"""What a person can do about an answer that is no document, by the status of the answer."""

from __future__ import annotations

REFUSES = "The server refuses us, or wants a login: save the page in a browser, and import the file with --url"
ADVICE = {
    401: REFUSES,
    402: REFUSES,
    403: REFUSES,
    404: "Nothing is there: look for the new address on the show's site",
    407: REFUSES,
    410: "It is gone for good, says the server: look for a new address, or pause the show",
    429: "We asked too often: let imports run less often",
    451: REFUSES,
}
OF_THE_SERVER = "The server has a fault of its own: the next import asks again"


def advice(status: int | None) -> str:
    """A sentence to add; "" where there is nothing to say."""
    said = ADVICE.get(status or 0) or (OF_THE_SERVER if 500 <= (status or 0) < 600 else "")
    return f". {said}" if said else ""
