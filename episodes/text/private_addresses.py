"""Secret addresses: tests for them, and forms of them that may be shown.

Private feeds are opened by their address: with a token in the query or in the path, or with a name and
a password in front of the host.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, unquote

from .urls import safe_urlsplit
from .vocabulary import load_vocabulary, pattern_of_words

_DATA = load_vocabulary(__file__, "private_addresses")
_SECRET_PARAMETER = re.compile(
    rf"(?:\A|&){pattern_of_words(_DATA['parameters'])}=[^&]", re.IGNORECASE
)
# Where host or path say that a token follows, letters and digits are one.
_ANNOUNCED_TOKEN = re.compile(
    rf"(?<![a-z0-9]){pattern_of_words(_DATA['announcing'])}(?![a-z0-9]).{{0,200}}"
    r"/(?:[^/]{0,200}[^a-z0-9/])?(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{8}",
    re.IGNORECASE,
)
# Elsewhere only if they are long and as mixed as chance mixes them; a UUID or a short hash is the name of many a
# public feed.
_TOKEN = re.compile(
    r"(?<![a-z0-9])(?![0-9a-f]{1,32}(?![a-z0-9]))(?=[a-z0-9]*[0-9][a-z]+[0-9])[a-z0-9]{20}",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)  # a page asks for the same few
def carries_secret(address: str) -> bool:
    """Return whether an address gives access by itself: by a login, a parameter, or a token in its
    path."""
    plain, login = split_login(address)
    parts = safe_urlsplit(plain)
    path = unquote(parts.path)
    return any(
        (
            login,
            _SECRET_PARAMETER.search(unquote(parts.query)),
            _ANNOUNCED_TOKEN.search(f"{parts.netloc}{path}"),
            _TOKEN.search(path),
        )
    )


def mask_address(address: str) -> str:
    """Return a web address with its host alone: `https://feeds.example.org/…`."""
    # JSON may write a slash as "\\/".
    return re.sub(
        r"(https?:(?:\\?/){2})(?:[^/?#\\]*@)?([^/?#\\]*).*",
        r"\1\2/…",
        address,
        flags=re.IGNORECASE | re.DOTALL,
    )


def without_secret(address: str) -> str:
    return mask_address(address) if carries_secret(address) else address


def mask_secrets(text: str, is_secret: Callable[[str], bool] = carries_secret) -> str:
    def replacement(match: re.Match[str]) -> str:
        return mask_address(match[0]) if is_secret(match[0]) else match[0]

    # Up to the punctuation of the sentence that it stands in.
    return re.sub(
        r"https?:(?:\\?/){2}[^\s\"<>“”]*[^\s\"<>“”.,:;!?')\]]",
        replacement,
        text,
        flags=re.IGNORECASE,
    )


def mask_parts_of_secret_address(text: str, address: str) -> str:
    """Return text without the tokens of a secret address, or without the address if it has no token, also where
    they are percent-encoded."""
    for secret in _tokens_or_address(address):
        plain = unquote(secret)
        encoded = quote(plain, safe="")
        # Addresses in parameters of other addresses are encoded twice.
        for form in (secret, plain, encoded, quote(encoded, safe="")):
            text = re.sub(re.escape(form), "…", text, flags=re.IGNORECASE)
    return text


def _tokens_or_address(address: str) -> list[str]:
    plain, _login = split_login(address)
    parts = safe_urlsplit(plain)
    tokens = []
    for parameter in parts.query.split("&"):
        if _SECRET_PARAMETER.search(unquote(parameter)):
            _name, _, value = parameter.partition("=")
            # A short value alone may be any word.
            tokens.append(value if len(value) >= 8 else parameter)
    path = unquote(parts.path)
    for pattern, searched in ((_ANNOUNCED_TOKEN, f"{parts.netloc}{path}"), (_TOKEN, path)):
        match = pattern.search(searched)
        if match:
            # The pattern may end within the token, so the token is the whole part of the path.
            start = searched.rfind("/", 0, match.end()) + 1
            segment, _, _ = searched[start:].partition("/")
            tokens.append(segment)
    if tokens:
        return tokens
    has_path = parts.path.strip("/") or parts.query
    return [plain.partition("//")[2]] if has_path else []


def split_login(address: str) -> tuple[str, str]:
    """Return (the address without its login, `https://name:password@host` or "")."""
    match = re.match(
        r"(?P<scheme>https?://)[^/?#\\]*@(?P<host>[^/?#\\]*)", address, flags=re.IGNORECASE
    )
    if match is None:
        return address, ""
    return match["scheme"] + address[match.start("host") :], match[0]
