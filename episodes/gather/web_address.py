"""Addresses that may be fetched: http(s), without a password, on a host of the public internet
(rule 23)."""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from ..text.public_addresses import is_public

ResolveHost = Callable[..., Iterable[tuple[Any, ...]]]

_PORTS = {"http": 80, "https": 443}
_IN_PATH = "/%:@!$&'()*+,;=~"


class Unreachable(Exception):
    """Could not be reached, or did not answer with a whole document; the message is one line for
    the person who asked.

    `retry_after` is how long the server asked to be left alone, in seconds from now (at most a
    week), None where it did not say. `status` is the one that was answered, None where it did not
    come to that. `advice` is for a person who named the address, and for nobody whom a server or a
    feed leads there. `host` is the one that redirects led to, "" without any.
    """

    def __init__(
        self,
        message: str,
        retry_after: int | None = None,
        status: int | None = None,
        advice: str = "",
        host: str = "",
    ) -> None:
        super().__init__(f"{message}; {advice}" if advice else message)
        self.message = message
        self.retry_after = retry_after
        self.status = status
        self.host = host


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An address taken apart once, so that what is checked is what is used."""

    scheme: str
    host: str  # ASCII, lower case, IPv6 without brackets
    port: int
    target: str  # path and query, percent-encoded

    @property
    def pair(self) -> str:
        """Host and port, as FETCH_ALLOW names them."""
        return f"{self._name}:{self.port}"

    @property
    def authority(self) -> str:
        return self._name if self.port == _PORTS[self.scheme] else self.pair

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def shown(self) -> str:
        return shown(self.url.removesuffix("/") if self.target == "/" else self.url)

    @property
    def _name(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def read_address(address: str) -> WebAddress:
    """Raises `Unreachable` for what is no http(s) address, or has a password in it."""
    # urlsplit drops control characters silently; the address would no longer be the one that was
    # asked for.
    if not re.fullmatch(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+", address):
        raise Unreachable(f"{shown(address) or 'An empty address'} is not a valid address")
    if not address.lower().startswith(("http:", "https:")):
        raise Unreachable(f"{shown(address)} is not an http or https address")
    try:
        parts = urlsplit(address)
        host, port, target = _ascii_host(parts.hostname or ""), parts.port, _target(parts)
    except ValueError as error:
        raise Unreachable(f"{shown(address)} is not a valid address") from error
    if "@" in parts.netloc:
        raise Unreachable(
            f"{shown(address)} contains a user name or password, which are never sent"
        )
    return WebAddress(parts.scheme, host, _PORTS[parts.scheme] if port is None else port, target)


def checked_ips(address: WebAddress, allow: frozenset[str], resolve_host: ResolveHost) -> list[str]:
    """The IP addresses of the host, all of them public unless `allow` names host and port."""
    allowed = address.pair in allow
    if not allowed and address.port not in _PORTS.values():
        raise Unreachable(
            f"{address.shown} uses port {address.port}; only ports 80 and 443 and the hosts in FETCH_ALLOW may be fetched"
        )
    try:
        found = resolve_host(address.host, address.port, type=socket.SOCK_STREAM)
        ips = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    except (OSError, UnicodeError):
        ips = []
    if not ips:
        raise Unreachable(f"{address.shown} could not be reached: host not found: {address.host}")
    if not allowed and not all(map(is_public, ips)):
        raise Unreachable(
            f"{address.shown} is not on the public internet",
            advice=f"to allow it, add {address.pair} to FETCH_ALLOW",
        )
    return ips


def shown(address: str) -> str:
    """An address as a message may show it: one line, not too long, without a password."""
    text = re.sub(r"//[^/?#]*@", "//", "".join(c for c in address if c.isprintable()))
    return text if len(text) <= 200 else text[:199] + "…"


def _target(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe=_IN_PATH)
    if not path.startswith("/"):
        raise ValueError("not an absolute path")
    return path + (f"?{quote(parts.query, safe=f'{_IN_PATH}?[]|')}" if parts.query else "")


def _ascii_host(host: str) -> str:
    if ":" in host and "%" not in host:
        return str(ipaddress.IPv6Address(host))
    name = host.encode("idna").decode("ascii").lower()
    if not re.fullmatch(r"[a-z0-9_][a-z0-9_.-]{0,252}", name):
        raise ValueError("not a host name")
    return name
