"""Hundreds of addresses that nobody may lead us to: no connection is made, by whatever way they come. Public blocks end where
IANA's registries say."""

import ipaddress
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from episodes.gather.fetch import FetchLimits, Unreachable, fetch, post_and_require_success, probe_final_page
from episodes.tests.loopback import Loopback, resolver
from episodes.text.public_addresses import SPECIAL, is_public_ip

from ..tables import cases

# Hosts of private networks, of this machine and of clouds, written in all the ways that resolvers understand.
PRIVATE = (
    "127.0.0.1", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "198.18.0.1",
    "224.0.0.1", "168.63.129.16",
)  # fmt: skip
FORMS: dict[str, Callable[[ipaddress.IPv4Address], str]] = {
    "decimal": lambda ip: str(int(ip)),
    "hex": lambda ip: hex(int(ip)),
    "octal": lambda ip: "0" + oct(int(ip))[2:],
    "dotted octal": lambda ip: ".".join(f"0{part:o}" for part in ip.packed),
    "dotted hex": lambda ip: ".".join(map(hex, ip.packed)),
    "three parts": lambda ip: f"{ip.packed[0]}.{ip.packed[1]}.{int.from_bytes(ip.packed[2:])}",
    "two parts": lambda ip: f"{ip.packed[0]}.{int.from_bytes(ip.packed[1:])}",
    "full width": lambda ip: str(ip).translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789."}),
    "circled": lambda ip: str(ip).translate({ord("0"): "⓪", **{ord(str(n)): chr(0x245F + n) for n in range(1, 10)}}),
    "other stops": lambda ip: str(ip).replace(".", "。"),
    "a stop behind it": lambda ip: f"{ip}.",
    "percent signs": lambda ip: str(ip).replace(".", "%2e"),
    "mapped": lambda ip: f"[::ffff:{ip}]",
    "mapped in hex": lambda ip: f"[::ffff:{int(ip) >> 16:x}:{int(ip) & 0xFFFF:x}]",
    "translated": lambda ip: f"[::ffff:0:{ip}]",
    "compatible": lambda ip: f"[::{ip}]",
    "NAT64": lambda ip: f"[64:ff9b::{ip}]",
    "a NAT64 of their own": lambda ip: f"[64:ff9b:1::{ip}]",
    "6to4": lambda ip: f"[2002:{int(ip) >> 16:x}:{int(ip) & 0xFFFF:x}::1]",
    "Teredo": lambda ip: f"[2001:0:4136:e378:8000:63bf:{int(ip) >> 16 ^ 0xFFFF:x}:{int(ip) & 0xFFFF ^ 0xFFFF:x}]",
    "ISATAP": lambda ip: f"[fe80::5efe:{ip}]",
}
OTHERS = (
    "localhost", "LOCALHOST", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[fe80::1%25lo]", "[fd00:ec2::254]",
    "[ff02::1]", "user@127.0.0.1", "user:word@10.0.0.1", "8.8.8.8@10.0.0.1", "10.0.0.1#@8.8.8.8", "10.0.0.1\\@8.8.8.8",
    "127.0.0.1:80", "10.0.0.1:443", "8.8.8.8:22", "8.8.8.8:6379", "127.0.0.1%00.example.org", "[::ffff:127.0.0.1%25lo]", "1", "0",
)  # fmt: skip
PRIVATE_IPS = ("10.0.0.7", "::ffff:10.0.0.7", "127.0.0.1", "169.254.169.254")


def addresses() -> Iterator[str]:
    for block in SPECIAL:
        for ip in dict.fromkeys((block[0], block[-1])):
            yield f"http://[{ip}]/" if ip.version == 6 else f"http://{ip}/"
    for private in PRIVATE:
        for form in FORMS.values():
            yield f"http://{form(ipaddress.IPv4Address(private))}/"
    for host in OTHERS:
        yield f"http://{host}/"
        yield f"https://{host}/feed"


ADDRESSES = tuple(dict.fromkeys(addresses()))


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are resolved, names are not asked for, and whoever connects fails the test."""
    real = socket.getaddrinfo

    def getaddrinfo(host: str, port: int, **options: Any) -> Any:
        numeric = {**options, "flags": 0 if host.lower() == "localhost" else socket.AI_NUMERICHOST}
        return real(host, port, **numeric)

    monkeypatch.setattr(
        FetchLimits.__init__, "__defaults__", (*(FetchLimits.__init__.__defaults__ or ())[:-1], getaddrinfo)
    )
    monkeypatch.setattr(socket, "create_connection", lambda address, **_: pytest.fail(f"connected to {address}"))


@pytest.mark.parametrize(
    "ask",
    [
        lambda address: fetch(address, resolve_host=FetchLimits(frozenset(), 1).resolve_host),
        probe_final_page,
        lambda address: post_and_require_success(address, b"", "text/plain", allowed_private_hosts=frozenset()),
    ],
)
def test_none_is_asked(no_connection: None, ask: Callable[..., object]) -> None:
    for address in ADDRESSES:
        with pytest.raises(Unreachable) as caught:
            ask(address)
        assert "\n" not in str(caught.value)


def test_no_redirect_leads_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    dial = socket.create_connection

    def create_connection(address: tuple[str, int], **options: Any) -> socket.socket:
        assert address[1] == web.port, f"connected to {address}"
        return dial(address, **options)

    monkeypatch.setattr(socket, "create_connection", create_connection)
    # Where an address cannot be written into a header as it is, it is no address either.
    hosts = [address for address in ADDRESSES if address.isascii()]
    with Loopback() as web:
        for address in hosts:
            web.routes["/feed"] = (302, {"Location": address}, b"")
            with pytest.raises(Unreachable) as caught:
                fetch(web.address("/feed"), allowed_private_hosts=web.allow, resolve_host=_numbers)
            assert "FETCH_ALLOW" not in str(caught.value) or "uses port" in str(caught.value), "no advice to let it in"


def _numbers(host: str, port: int, **options: Any) -> Any:
    if host in ("localhost", "localhost."):
        return resolver("127.0.0.1")(host, port)
    return socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST, **options)


@pytest.mark.parametrize("ip", PRIVATE_IPS)
@pytest.mark.parametrize("beside", [(), ("8.8.8.8",), ("2a00:1450:4001::1",)])
def test_no_name_of_one_is_asked(no_connection: None, ip: str, beside: tuple[str, ...]) -> None:
    for found in ((ip, *beside), (*beside, ip)):
        with pytest.raises(Unreachable, match="is not on the public internet"):
            fetch("https://podcast.example/feed", resolve_host=resolver(*found))


CASES = cases("gather_never_fetched")

PUBLIC = "8.8.8.8"

# Blocks with the addresses right before and after them, where these are public.


@pytest.mark.parametrize("block, beside", CASES["a_block_ends_where_the_registry_says"])
def test_a_block_ends_where_the_registry_says(block: str, beside: str) -> None:
    network = ipaddress.ip_network(block)
    assert not is_public_ip(str(network[0]))
    assert not is_public_ip(str(network[-1]))
    assert all(is_public_ip(ip) for ip in beside.split())


@pytest.mark.parametrize("ip", [PUBLIC, "10.0.0.1", "198.51.100.7", "192.88.99.1", "127.0.0.1", "224.0.0.1"])
def test_nested_address_decides_whether_public(ip: str) -> None:
    inner = ipaddress.IPv4Address(ip)
    carriers = [
        f"::ffff:{ip}",
        f"64:ff9b::{ip}",
        str(ipaddress.IPv6Address((0x2002 << 112) | (int(inner) << 80) | 1)),  # 6to4
    ]
    assert [is_public_ip(carrier) for carrier in carriers] == [ip == PUBLIC] * 3


@pytest.mark.parametrize("ip", ["8.8.8.8", "10.0.0.1"])
def test_unclear_address_is_not_asked(ip: str) -> None:
    inverted = int(ipaddress.IPv4Address(ip)) ^ 0xFFFF_FFFF
    teredo = ipaddress.IPv6Address((0x2001_0000 << 96) | (int(ipaddress.IPv4Address("1.1.1.1")) << 64) | inverted)
    assert not is_public_ip(str(teredo))
    assert not is_public_ip(f"64:ff9b:1::{ip}")
    assert not is_public_ip(f"::{ip}")


@pytest.mark.parametrize(
    "text", ["", "8.8.8", "8.8.8.8.8", "08.8.8.8", "134744072", "0x8080808", "example.org", "[::1]"]
)
def test_what_is_no_ip_address_is_not_public(text: str) -> None:
    assert not is_public_ip(text)
