"""Says when two published addresses are the same address: of a page, of an episode's page, of an
audio file."""

import re
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from .vocabulary import any_word, load, word_set

_DATA = load(__file__, "urls")
_TRACKING_ON: dict[str, str] = _DATA["tracking_on"]
_CAMPAIGN = any_word(_DATA["campaign"])
_WWW_IS_SAME = word_set(_DATA["www_is_same"])
_VOLATILE = any_word(_DATA["volatile"])

_TAILED = tuple(f".{host}" for host in _DATA["tailed_hosts"])
_EDGES = "".join(
    map(chr, [*range(33), 0x7F, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F])
)
_EDGES += "\u205f\u3000\ufeff"
_ADDRESS = re.compile(
    r"(?:(?P<scheme>https?):)?//(?:(?P<user>[^/?#\\]*)@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]*\]|[^\x00-\x20\"#%/:<>?@\[\\\]`\x7f\ud800-\udfff]+)(?::(?P<port>\d*))?"
    r"(?P<path>(?:[/\\][^?#]*)?)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.IGNORECASE | re.DOTALL,
)
_WITHOUT_SCHEME = re.compile(r"www(?:\.[\w-]+){2,}|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::\d+)?/")
# A host as people type it, with a port or with a path; a word with a dot alone may be a file's name.
_TYPED_PORT = re.compile(
    r"\A(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9A-Fa-f:.]+\]):(?!443\b)[0-9]{1,5}(?=[/?]|\Z)"
)
_TYPED_HOST = re.compile(
    r"\A(?:[^\s/?#@]+@)?(?:www(?:\.[\w-]+){2,}|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::[0-9]{1,5})?/)"
)
_UPPER_TO_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_PORTS = {"http": "80", "https": "443"}
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAFE = "!#$%&'()*+,/:;=?@[]\\^{|}"  # with letters, digits and "-._~"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# In a path behind what counts visits, perhaps with its scheme.
_NESTED_HOST = re.compile(r"/(?:https?:/+)?(?=(?:[\w-]+\.)+[a-z]{2,24}(?::\d+)?/)", re.IGNORECASE)
_AUDIO = re.compile(r"\.(?:mp3|m4[abv]|mp4|aac|og[ag]|opus|flac|wav|mov)\Z", re.IGNORECASE)
# Slugs are lower-case, so an upper-case letter tells a tail from a word.
_TAIL = re.compile(r"(?<=[^/-])-(?=[a-z0-9_-]{0,7}[A-Z])[A-Za-z0-9_-]{8}\Z")


class Parts(NamedTuple):
    """An http(s) address in canonical form, taken apart; `query` and `fragment` without their mark,
    "" where absent."""

    scheme: str
    user: str
    host: str
    port: str
    path: str
    query: str
    fragment: str

    @property
    def site(self) -> str:
        """The host without "www."."""
        return self.host.removeprefix("www.")

    @property
    def server(self) -> str:
        """The host, and its port where it says one."""
        return f"{self.host}:{self.port}".removesuffix(":")

    def address(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return urlunsplit((self.scheme, user + self.server, self.path, self.query, self.fragment))

    def place(self) -> str:
        """Host, path and query: what is asked of whom."""
        return urlunsplit(("", self.server, self.path, self.query, "")).removeprefix("//")


@lru_cache(maxsize=4096)  # asked again for each key of an address
def split(address: str) -> Parts | None:
    """The canonical parts of an http(s) address, with or without its scheme; None for anything
    else. Never raises."""
    text = _stripped(address)
    found = _ADDRESS.fullmatch(f"https://{text}" if _WITHOUT_SCHEME.match(text) else text)
    if found is None or not found["host"].strip("."):
        return None
    given = found.groupdict("")
    # Only ASCII is folded: other letters change their number, or their meaning to a name server,
    # when lowered.
    host = given["host"].translate(_UPPER_TO_LOWER).rstrip(".")
    bare = host.removeprefix("www.")
    host = bare if bare in _WWW_IS_SAME else host
    scheme, port = given["scheme"].lower() or "https", given["port"].lstrip("0")
    port = "" if port == _PORTS[scheme] else port
    path = escaped(given["path"].replace("\\", "/")) or "/"
    sites = (site for site in _TRACKING_ON if f".{host}".endswith(f".{site}"))
    query = without_parameters(escaped(given["query"]), _tracking_at(next(sites, "")))
    fragment = escaped(given["fragment"]).partition(":~:")[0]
    scheme = scheme if port else "https"
    return Parts(scheme, escaped(given["user"]), host, port, path, query, fragment)


def taken_apart(address: str) -> SplitResult:
    """`urlsplit` for addresses of strangers: one that it refuses ("http://[", "a℀b@example.org")
    has no parts."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def host_of(address: str) -> str:
    """The name of an address's host in lower case; "" where it has none."""
    return taken_apart(address).hostname or ""


def site_of(address: str) -> str:
    """The host without "www."; "" where the address has none."""
    return host_of(address).removeprefix("www.")


def is_web(address: str) -> bool:
    """True for what begins like an http(s) address."""
    return address.lower().startswith(("http://", "https://"))


def with_scheme(typed: str) -> str:
    """Return a typed address without spaces around it and with the scheme that people leave out: https,
    and http for a host with a port of its own (`127.0.0.1:8000/feed`), unless a password is sent."""
    text = _TYPED_PORT.sub(r"http://\g<0>", _stripped(typed))
    return _TYPED_HOST.sub(r"https://\g<0>", text)


def canonical(address: str) -> str:
    """The form in which two spellings of one address are equal: scheme (https for http), host and
    port folded, escapes spelled one way, tracking parameters and empty marks off. A fragment stays.

    What is no http(s) address comes back as it is, made safe to store. Twice is once; never raises.
    """
    parts = split(address)
    return parts.address() if parts else escaped(_stripped(address))


def page_key(address: str) -> str:
    """The identity of an episode's page: its canonical address without scheme, "www.", closing
    slash and fragment (an address that lives in its fragment, `#!…` or `#/…`, keeps it), without
    Simplecast's tail."""
    parts = split(address)
    if parts is None:
        return escaped(_stripped(address))
    path = without_tail(parts.path.rstrip("/"), parts.host)
    fragment = f"#{parts.fragment}" if is_route(parts.fragment) else ""
    return parts._replace(host=parts.site, path=path).place() + fragment


def enclosure_key(address: str) -> str:
    """The identity of an audio file: its address without scheme, "www.", what counts visits before
    it, and query.

    Where the path does not name a file of audio (`/download.php?id=7`) the parameters that do not
    change stay, sorted.
    """
    parts = split(address)
    if parts is None:
        return escaped(_stripped(address))
    # A host in the path is that of the file: whoever stands before it counts visits.
    whole = _NESTED_HOST.split(f"{parts.host}{unquote(parts.path, errors='replace')}")[-1]
    kept = without_parameters(parts.query, _VOLATILE)
    query = "" if _AUDIO.search(whole) else "&".join(sorted(set(kept.split("&"))))
    return urlunsplit(("", "", escaped(whole.removeprefix("www.")), query, ""))


def without_tail(path: str, host: str = "") -> str:
    """The path of an episode's page without the 8 characters that some hosts end some of its
    addresses in."""
    return path if host and not host.endswith(_TAILED) else _TAIL.sub("", path)


def is_route(fragment: str) -> bool:
    """True if a fragment says which page it is (`#!/a`, `#/a`) rather than which place on the
    page."""
    return fragment.startswith(("!", "/"))


def escaped(text: str) -> str:
    """The text with escapes spelled one way, and with every character escaped that cannot stand in
    an address."""
    if not _BROKEN_ESCAPE.search(text):
        text = _ESCAPE.sub(_one_spelling, text)
    # Halves of characters have no bytes of their own.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return quote(whole, safe=_SAFE)


def _stripped(address: str) -> str:
    return address.strip(_EDGES).translate(
        {9: None, 10: None, 13: None}
    )  # as browsers read an address


def _one_spelling(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()


def is_campaign(name: str) -> bool:
    """True for a parameter that mail programs and advertisers add to any address; no reader typed
    it."""
    return _CAMPAIGN.fullmatch(name) is not None


def without_campaign(query: str) -> str:
    return without_parameters(query, _CAMPAIGN)


@cache
def _tracking_at(site: str) -> re.Pattern[str]:
    """Return the names of parameters that only track visitors of a site; "" is any other site."""
    return any_word(f"{_DATA['tracking']} {_TRACKING_ON.get(site, '')}")


def without_parameters(query: str, names: re.Pattern[str]) -> str:
    """A query without the parameters that have one of these names, and without empty ones."""
    parts = (part for part in query.split("&") if part)
    return "&".join(part for part in parts if not names.fullmatch(part.partition("=")[0]))
