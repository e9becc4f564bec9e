"""Says when two published addresses are the same address: of a page, of an episode's page, of an audio file."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

# Parameters that only tell a site where a visitor came from; each means the same on every site.
TRACKING = re.compile(
    r"utm_\w+|mtm_\w+|pk_(?:campaign|kwd|source|medium)|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid"
    r"|ttclid|li_fat_id|igshid|igsh|srsltid|mc_[ce]id|mkt_tok|_hsenc|_hsmi|hsctatracking|vero_id|vero_conv"
    r"|oly_(?:enc|anon)_id|_openstat|wickedid|rb_clickid|s_kwcid|ref_src|ref_url|_ga|_gl|cmpid",
    re.IGNORECASE,
)

# Parameters that are tracking on these sites (and their subdomains) and may mean something elsewhere.
TRACKING_ON = {
    "youtube.com": {"si", "feature", "pp", "ab_channel"},
    "youtu.be": {"si", "feature", "pp"},
    "spotify.com": {"si"},
    "docs.google.com": {"usp", "ouid", "rtpof", "sd"},
    "drive.google.com": {"usp", "ouid", "rtpof", "sd"},
    "twitter.com": {"s", "t"},
    "x.com": {"s", "t"},
    "medium.com": {"source"},
    "linkedin.com": {"trk", "trackingid"},
    "amazon.com": {"ref", "ref_", "psc", "qid", "sr", "keywords", "tag", "linkcode", "crid", "sprefix"},
}

# Sites known to serve the same pages with and without "www."; elsewhere the two may differ.
WWW_IS_SAME = frozenset(
    [
        "github.com",
        "youtube.com",
        "youtu.be",
        "arxiv.org",
        "openreview.net",
        "pytorch.org",
        "numpy.org",
        "scipy.org",
        "stackoverflow.com",
        "medium.com",
        "cmake.org",
        "tensorflow.org",
        "twitter.com",
        "x.com",
        "amazon.com",
        "wikipedia.org",
        "google.com",
        "vimeo.com",
    ]
)

# What counts visits in front of an audio address. A line is a pattern of "host/path/" before the true address.
AUDIO_PREFIXES = (
    r"(?:dts|www|play)\.podtrac\.com/(?:pts/)?redirect\.\w+/",
    r"play\.podtrac\.com/[^/.]+/",
    r"(?:www\.)?pdst\.fm/e/",
    r"(?:www\.)?chrt\.fm/track/[^/.]+/",
    r"(?:www\.)?chtbl\.com/track/[^/.]+/",
    r"(?:www\.)?op3\.dev/e(?:,[^/]*)?/",
    r"(?:www\.)?pdcn\.co/e/",
    r"(?:www\.)?mgln\.ai/(?:e|track)/(?:[^/.]+/)?",
    r"(?:www\.)?claritaspod\.com/measure/",
    r"(?:www\.)?clrtpod\.com/m/",
    r"(?:www\.)?arttrk\.com/p/[^/.]+/",
    r"(?:verifi\.podscribe\.com|pscrb\.fm)/rss/p/",
    r"prfx\.byspotify\.com/e/",
    r"pfx\.(?:vpixl|veritonicmetrics)\.com/[^/.]+/",
    r"tracking\.swap\.fm/track/[^/.]+/",
    r"(?:media|ins)\.blubrry\.com/[^/.]+/",
    r"(?:www\.)?pdrl\.fm/[^/.]+/",
    r"(?:\d\.)?gum\.fm/(?:[^/.]+/)*",
    r"growx\.podkite\.com/https?/[^/.]+/",
    r"p\.podderapp\.com/[^/.]+/",
    r"adbarker\.com/stream/[^/.]+/",
)

# Hosts of audio: whatever stands before one of them in a path counts visits, whoever runs it.
AUDIO_HOSTS = [
    "traffic.libsyn.com",
    "cdn.simplecast.com",
    "injector.simplecastaudio.com",
    "traffic.megaphone.fm",
    "dcs.megaphone.fm",
    "media.transistor.fm",
    "sphinx.acast.com",
    "buzzsprout.com",
    "www.buzzsprout.com",
    "api.spreaker.com",
    "media.rss.com",
    "rss.art19.com",
    "cdn.pinecast.com",
    "traffic.omny.fm",
    "feeds.soundcloud.com",
    "aphid.fireside.fm",
    "mcdn.podbean.com",
]

# Parameters of an audio address that change from feed to feed or from hour to hour.
VOLATILE = re.compile(
    r"aid|feed|updated?|token|access_?token|expires?|exp|signature|sig|key-pair-id|policy|hash|hmac|verify|nonce"
    r"|x-(?:amz|goog)-[\w-]+|aw(?:collection|episode)id|awsaccesskeyid|source|src|ref|client|ts|timestamp|cb|rand"
    r"|nocache|session|sid|uid|dest-id|listeningsessionid|download|dl",
    re.IGNORECASE,
)

# Names of files that say nothing about which file it is.
NAMELESS = re.compile(
    r"(?:default|audio|episode|stream|media|file|index|download|play|player|podcast|redirect|listen|track|original)"
    r"(?:_tc)?(?:\.\w+)?|[^.]*|.*\.(?:php\d?|aspx?|cgi|jsp|do)",
    re.IGNORECASE,
)

_EDGES = "".join(map(chr, [*range(33), 0x7F, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F]))
_EDGES += "\u205f\u3000\ufeff"
_ADDRESS = re.compile(
    r"(?:(?P<scheme>https?):)?//(?P<authority>[^/?#\\]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.IGNORECASE | re.DOTALL,
)
_AUTHORITY = re.compile(
    r"(?:(?P<user>.*)@)?(?P<host>\[[0-9A-Fa-f:.]*\]|[^\x00-\x20\"<>%:@\[\]`\x7f\ud800-\udfff]+)(?::(?P<port>\d*))?"
)
_WITHOUT_SCHEME = re.compile(r"www(?:\.[\w-]+){2,}|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::\d+)?/")
_UPPER_TO_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNSAFE = re.compile(r"[^!#$%&'()*+,\-./0-9:;=?@A-Z\[\]\\^_a-z{|}~]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_AUDIO_PREFIX = re.compile("|".join(f"(?:{prefix})" for prefix in AUDIO_PREFIXES), re.IGNORECASE)
_AUDIO_HOST = re.compile(rf"/(?={'|'.join(re.escape(host) for host in AUDIO_HOSTS)}/)", re.IGNORECASE)
_NESTED_SCHEME = re.compile(r"https?(?::|%3A)?(?:/|%2F)+", re.IGNORECASE)
_NESTED_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/|%2F)", re.IGNORECASE)
_ID_LIKE = re.compile(r"(?=[^/]*\d)[\w-]{6,}")


class Parts(NamedTuple):
    """An http(s) address in canonical form, taken apart; `query` and `fragment` without their mark, "" where absent."""

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

    def address(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return f"{self.scheme}://{user}{self.place()}" + (f"#{self.fragment}" if self.fragment else "")

    def place(self) -> str:
        """Host, path and query: what is asked of whom."""
        port = f":{self.port}" if self.port else ""
        return f"{self.host}{port}{self.path}" + (f"?{self.query}" if self.query else "")


def split(address: str) -> Parts | None:
    """The canonical parts of an http(s) address, with or without its scheme; None for anything else. Never raises."""
    text = _stripped(address)
    found = _ADDRESS.fullmatch(f"https://{text}" if _WITHOUT_SCHEME.match(text) else text)
    authority = _AUTHORITY.fullmatch(found["authority"]) if found else None
    if found is None or authority is None:
        return None
    host = _host(authority["host"])
    if not host.strip("."):
        return None
    said, place = found.groupdict(""), authority.groupdict("")
    scheme, port = _scheme_and_port(said["scheme"].lower() or "https", place["port"])
    path = _without_dots(escaped(said["path"].replace("\\", "/"))) or "/"
    query = _without_tracking(escaped(said["query"]), host)
    return Parts(scheme, escaped(place["user"]), host, port, path, query, _meaningful(escaped(said["fragment"])))


def canonical(address: str) -> str:
    """The form in which two spellings of one address are equal: scheme (https for http), host and port folded,
    escapes spelled one way, tracking parameters and empty marks off. A fragment stays.

    What is no http(s) address comes back as it is, made safe to store. Twice is once; never raises.
    """
    parts = split(address)
    return parts.address() if parts else escaped(_stripped(address))


def page_key(address: str) -> str:
    """The identity of an episode's page: its canonical address without scheme, "www.", closing slash and fragment
    (an address that lives in its fragment, `#!…` or `#/…`, keeps it), without Simplecast's tail."""
    parts = split(address)
    if parts is None:
        return escaped(_stripped(address))
    path = parts.path.rstrip("/")
    if parts.host.endswith(".simplecast.com"):
        path = without_tail(path)
    fragment = f"#{parts.fragment}" if is_route(parts.fragment) else ""
    return parts._replace(host=parts.site, path=path).place() + fragment


def enclosure_key(address: str) -> str:
    """The identity of an audio file: its address without scheme, "www.", what counts visits before it, and query.

    Where the path does not name the file (`/download.php?id=7`) the parameters that do not change stay, sorted.
    """
    parts = _without_prefixes(address)
    if parts is None:
        return escaped(_stripped(address))
    query = "" if _names_a_file(parts.path) else "&".join(sorted(_stable(parts.query)))
    return parts._replace(host=parts.site, query=query).place()


def without_tail(path: str) -> str:
    """A Simplecast path without the 8 characters that some addresses of an episode end in.

    Slugs are lower-case, so an upper-case letter tells a tail from a word; where there is none, only letters and
    digits mixed as no word mixes them do ("counting", "bfloat16" and "2021" are words of a title).
    """
    slug, dash, tail = path[:-9], path[-9:-8], path[-8:]
    if dash != "-" or not slug.strip("/-") or slug.endswith("/") or not re.fullmatch(r"[A-Za-z0-9_-]{8}", tail):
        return path
    return slug if re.search("[A-Z]", tail) or _is_jumble(tail) else path


def is_route(fragment: str) -> bool:
    """Whether a fragment says which page it is (`#!/a`, `#/a`) rather than which place on the page."""
    return fragment.startswith(("!", "/"))


def escaped(text: str) -> str:
    """The text with escapes spelled one way, and with every character escaped that cannot stand in an address."""
    if "%" in text and not _BROKEN_ESCAPE.search(text):
        text = _ESCAPE.sub(_one_spelling, text)
    return _UNSAFE.sub(lambda found: _percent(found[0]), text)


def _stripped(address: str) -> str:
    return address.strip(_EDGES).translate({9: None, 10: None, 13: None})  # as browsers read an address


def _one_spelling(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()


def _percent(character: str) -> str:
    lone = "\ud800" <= character <= "\udfff"
    return "".join(f"%{byte:02X}" for byte in ("\ufffd" if lone else character).encode())


def _host(host: str) -> str:
    # Only ASCII is folded: other letters change their number, or their meaning to a name server, when lowered.
    host = host.translate(_UPPER_TO_LOWER).rstrip(".")
    return host.removeprefix("www.") if host.removeprefix("www.") in WWW_IS_SAME else host


def _scheme_and_port(scheme: str, port: str) -> tuple[str, str]:
    port = port.lstrip("0")
    if port == {"http": "80", "https": "443"}[scheme]:
        port = ""
    return scheme if port else "https", port


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def _without_tracking(query: str, host: str) -> str:
    on_site: set[str] = set()
    for site, names in TRACKING_ON.items():
        if host == site or host.endswith(f".{site}"):
            on_site |= names
    return "&".join(part for part in query.split("&") if part and not _is_tracking(part.partition("=")[0], on_site))


def _is_tracking(name: str, on_site: set[str]) -> bool:
    return name.lower() in on_site or TRACKING.fullmatch(name) is not None


def _meaningful(fragment: str) -> str:
    fragment = fragment.partition(":~:")[0]
    return "" if fragment.lower().startswith(("utm_", "xtor=")) else fragment


def _is_jumble(tail: str) -> bool:
    if "-" in tail or "_" in tail or re.fullmatch(r"(?:[a-z]{2,}\d+)+[a-z]*", tail):
        return False
    return len(re.findall(r"\d+", tail)) >= 2


def _without_prefixes(address: str) -> Parts | None:
    parts = split(address)
    if parts is None:
        return None
    place, start = parts.host + parts.path, 0
    while (found := _AUDIO_PREFIX.match(place, start)) and (inner := _nested(place, found.end())) is not None:
        start = inner
    for host in _AUDIO_HOST.finditer(place, start):
        start = host.end()
    if not start:
        return parts
    rest = place[start:]
    rest = unquote(rest, errors="replace") if "/" not in rest else rest
    query = f"?{parts.query}" if parts.query else ""
    return split(f"https://{rest}{query}") or parts


def _nested(place: str, start: int) -> int | None:
    scheme = _NESTED_SCHEME.match(place, start)
    start = scheme.end() if scheme else start
    return start if _NESTED_HOST.match(place, start) else None


def _names_a_file(path: str) -> bool:
    *folders, name = path.split("/")
    if not NAMELESS.fullmatch(name):
        return True
    is_script_or_bare = "." not in name or re.search(r"\.(?:php\d?|aspx?|cgi|jsp|do)$", name, re.IGNORECASE)
    return not is_script_or_bare and any(_ID_LIKE.fullmatch(folder) for folder in folders)


def _stable(query: str) -> list[str]:
    return [part for part in query.split("&") if part and not VOLATILE.fullmatch(part.partition("=")[0])]
