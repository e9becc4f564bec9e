"""Canonical forms of published addresses: of a page, of an episode's page, of an audio file."""

import re
from functools import cache, lru_cache
from string import ascii_letters, digits
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from .vocabulary import compile_words, load_vocabulary, word_set

_DATA = load_vocabulary(__file__, "urls")
_TRACKING_ON: dict[str, str] = _DATA["tracking_on"]
_CAMPAIGN = compile_words(_DATA["campaign"])
_WWW_IS_SAME = word_set(_DATA["www_is_same"])
_VOLATILE = compile_words(_DATA["volatile"])

_TAILED = tuple(f".{host}" for host in _DATA["tailed_hosts"])
# White space and control characters, which stand around copied addresses.
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
_UNRESERVED = frozenset(ascii_letters + digits + "-._~")


class UrlParts(NamedTuple):
    """The parts of an http(s) address in canonical form, "" if absent. `query` and `fragment` are
    without their mark."""

    scheme: str
    user: str
    host: str
    port: str
    path: str
    query: str
    fragment: str

    @property
    def site(self) -> str:
        return self.host.removeprefix("www.")

    @property
    def server(self) -> str:
        return f"{self.host}:{self.port}".removesuffix(":")

    def address(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return urlunsplit((self.scheme, user + self.server, self.path, self.query, self.fragment))

    def without_scheme(self) -> str:
        return urlunsplit(("", self.server, self.path, self.query, "")).removeprefix("//")


@lru_cache(maxsize=4096)  # each key of an address needs them
def canonical_address_parts_or_none(address: str) -> UrlParts | None:
    """Return the canonical parts of an http(s) address, or None for another text. The address may
    lack its scheme. Without a port of its own the scheme is https. Never raises."""
    match = _ADDRESS.fullmatch(_add_missing_scheme(_trim(address)))
    if match is None or not match["host"].strip("."):  # "https://../"
        return None
    written = match.groupdict("")
    host = _canonical_host(written["host"])
    scheme = written["scheme"].lower() or "https"
    port = written["port"].lstrip("0")
    default_ports = {"http": "80", "https": "443"}
    if port in ("", default_ports[scheme]):
        scheme = "https"
        port = ""
    path = escape_forbidden_address_characters(written["path"].replace("\\", "/"))
    query = escape_forbidden_address_characters(written["query"])
    # Behind ":~:" browsers find words of the page to scroll to.
    fragment, _, _ = escape_forbidden_address_characters(written["fragment"]).partition(":~:")
    return UrlParts(
        scheme=scheme,
        user=escape_forbidden_address_characters(written["user"]),
        host=host,
        port=port,
        path=path or "/",
        query=drop_query_parameters(query, _tracking_parameter_pattern(host)),
        fragment=fragment,
    )


def _add_missing_scheme(address: str) -> str:
    # "www.loom.example", "loom.example:8000/"
    lacks_scheme = re.match(
        r"www(?:\.[\w-]+){2,}|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::\d+)?/", address
    )
    return f"https://{address}" if lacks_scheme else address


def _canonical_host(written_host: str) -> str:
    """Return "youtube.com" for "WWW.YouTube.com." and "www.loom.example" for itself: only known sites are the
    same with "www." and without."""
    # Only ASCII: in lower case some other letters become two, or another host.
    host = re.sub("[A-Z]+", lambda letters: letters[0].lower(), written_host).rstrip(".")
    host_without_www = host.removeprefix("www.")
    return host_without_www if host_without_www in _WWW_IS_SAME else host


def _tracking_parameter_pattern(host: str) -> re.Pattern[str]:
    for site in _TRACKING_ON:
        if f".{host}".endswith(f".{site}"):
            return _tracking_pattern_of_site(site)
    return _tracking_pattern_of_site("")


def safe_urlsplit(address: str) -> SplitResult:
    """Return the result of `urlsplit`, without any parts for addresses that it refuses ("http://[",
    "a℀b@example.org")."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def host_of(address: str) -> str:
    return safe_urlsplit(address).hostname or ""


def site_of(address: str) -> str:
    """Return the host of an address without "www.", or ""."""
    return host_of(address).removeprefix("www.")


def is_web_url(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def add_scheme(typed: str) -> str:
    """Return a typed address without spaces around it, and with the scheme if people left it out: http for
    a host with a port of its own (`127.0.0.1:8000/feed`), https for any other host and with a login."""
    text = re.sub(
        r"\A(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9A-Fa-f:.]+\]):(?!443\b)[0-9]{1,5}(?=[/?]|\Z)",
        r"http://\g<0>",
        _trim(typed),
    )
    # With "www." or a path. A word with a dot alone may be the name of a file.
    return re.sub(
        r"\A(?:[^\s/?#@]+@)?(?:www(?:\.[\w-]+){2,}|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::[0-9]{1,5})?/)",
        r"https://\g<0>",
        text,
    )


def canonical_url(address: str) -> str:
    """Return one form for all spellings of an address. Never raises.

    Scheme (https for http), host, port and escapes are written one way, and tracking parameters are
    dropped. A fragment stays. Text that is not an http(s) address is only made safe to store.
    """
    parts = canonical_address_parts_or_none(address)
    return parts.address() if parts else escape_forbidden_address_characters(_trim(address))


def page_key(address: str) -> str:
    """Return the identity of an episode's page: its canonical address without scheme, "www.", closing
    slash and Simplecast's tail. A fragment stays only if it is a route (`#!…` or `#/…`)."""
    parts = canonical_address_parts_or_none(address)
    if parts is None:
        return escape_forbidden_address_characters(_trim(address))
    path = drop_id_suffix(parts.path.rstrip("/"), parts.host)
    key_parts = parts._replace(host=parts.site, path=path)  # `site` lacks "www."
    route = f"#{parts.fragment}" if is_fragment_route(parts.fragment) else ""
    return key_parts.without_scheme() + route


def enclosure_key(address: str) -> str:
    """Return the identity of an audio file: its address without scheme, "www.", hosts that count
    visits, and query.

    If the path does not name a file of audio (`/download.php?id=7`), stable parameters stay, sorted.
    """
    parts = canonical_address_parts_or_none(address)
    if parts is None:
        return escape_forbidden_address_characters(_trim(address))
    # The last host in the path serves the file. Hosts before it count visits:
    # "count.example/https://cdn.example/12.mp3", "count.example/cdn.example:8000/12.mp3".
    host_and_path = parts.host + unquote(parts.path, errors="replace")
    *_, file_address = re.split(
        r"/(?:https?:/+)?(?=(?:[\w-]+\.)+[a-z]{2,24}(?::\d+)?/)",
        host_and_path,
        flags=re.IGNORECASE,
    )
    names_audio_file = re.search(
        r"\.(?:mp3|m4[abv]|mp4|aac|og[ag]|opus|flac|wav|mov)\Z", file_address, flags=re.IGNORECASE
    )
    query = "" if names_audio_file else _sorted_stable_parameters(parts.query)
    host_and_path_of_file = escape_forbidden_address_characters(file_address.removeprefix("www."))
    return urlunsplit(("", "", host_and_path_of_file, query, ""))


def _sorted_stable_parameters(query: str) -> str:
    """Return "id=7" for "token=ab12&id=7": a host gives each listener another token."""
    parameters = drop_query_parameters(query, _VOLATILE).split("&")
    return "&".join(sorted(set(parameters)))


def drop_id_suffix(path: str, host: str = "") -> str:
    """Return the path or key of an episode's page without the 8 characters that Simplecast puts at its end.
    Without a host it may be Simplecast's."""
    if host and not host.endswith(_TAILED):
        return path
    # "/springs-Ab12cd_-". Slugs are lower-case, so an upper-case letter tells a tail from a word.
    return re.sub(r"(?<=[^/-])-(?=[a-z0-9_-]{0,7}[A-Z])[A-Za-z0-9_-]{8}\Z", "", path)


def is_fragment_route(fragment: str) -> bool:
    """Return whether a fragment names a page (`#!/a`, `#/a`) and not a place on the page."""
    return fragment.startswith(("!", "/"))


def escape_forbidden_address_characters(text: str) -> str:
    """Return "a%20b~" for "a b%7e": characters that addresses may not have are escaped, and escapes are written
    in one way. A "%" that begins no escape stays, as in browsers."""
    # In "100%-%41" a "%" is no part of an escape, so "%41" may be none either, and stays as it is.
    has_bare_percent_sign = re.search(r"%(?![0-9A-Fa-f]{2})", text)
    if not has_bare_percent_sign:
        text = re.sub(r"%([0-9A-Fa-f]{2})", _canonical_escape, text)
    # Lone surrogates cannot be encoded, so they become U+FFFD.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # Browsers send "[]\^{|}" in a query as they are.
    return quote(text, safe="!#$%&'()*+,/:;=?@[]\\^{|}")


def _trim(address: str) -> str:
    """Return an address without white space around it, and like in browsers without tabs and line breaks."""
    return address.strip(_EDGES).translate(dict.fromkeys(map(ord, "\t\n\r")))


def _canonical_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def is_campaign_parameter(name: str) -> bool:
    return _CAMPAIGN.fullmatch(name) is not None


def drop_campaign_parameters(query: str) -> str:
    return drop_query_parameters(query, _CAMPAIGN)


@cache
def _tracking_pattern_of_site(site: str) -> re.Pattern[str]:
    return compile_words(f"{_DATA['tracking']} {_TRACKING_ON.get(site, '')}")


def drop_query_parameters(query: str, name_pattern: re.Pattern[str]) -> str:
    remaining = []
    for parameter in query.split("&"):
        name, _, _ = parameter.partition("=")
        if parameter and not name_pattern.fullmatch(name):
            remaining.append(parameter)
    return "&".join(remaining)
