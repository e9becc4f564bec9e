"""Which IP addresses are public: every block of IANA's registries to its edges, and none of what lies beside it."""

import ipaddress

import pytest

from episodes.text.public_addresses import is_public_ip

from ..tables import cases

CASES = cases("gather_public_addresses")

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
