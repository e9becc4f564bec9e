"""Which IP addresses are public: every block of IANA's registries to its edges, and none of what lies beside it."""

import ipaddress

import pytest

from episodes.text.public_addresses import is_public

PUBLIC = "8.8.8.8"

# Blocks with the addresses right before and after them, where these are public.
EDGES = [
    ("0.0.0.0/8", "1.0.0.0"),
    ("10.0.0.0/8", "9.255.255.255 11.0.0.0"),
    ("100.64.0.0/10", "100.63.255.255 100.128.0.0"),
    ("127.0.0.0/8", "126.255.255.255 128.0.0.0"),
    ("169.254.0.0/16", "169.253.255.255 169.255.0.0"),
    ("172.16.0.0/12", "172.15.255.255 172.32.0.0"),
    ("192.0.0.0/24", "191.255.255.255 192.0.1.0"),
    ("192.0.2.0/24", "192.0.1.255 192.0.3.0"),
    ("192.31.196.0/24", "192.31.195.255 192.31.197.0"),
    ("192.52.193.0/24", "192.52.192.255 192.52.194.0"),
    ("192.88.99.0/24", "192.88.98.255 192.88.100.0"),
    ("192.168.0.0/16", "192.167.255.255 192.169.0.0"),
    ("192.175.48.0/24", "192.175.47.255 192.175.49.0"),
    ("198.18.0.0/15", "198.17.255.255 198.20.0.0"),
    ("198.51.100.0/24", "198.51.99.255 198.51.101.0"),
    ("203.0.113.0/24", "203.0.112.255 203.0.114.0"),
    ("224.0.0.0/4", "223.255.255.255"),
    ("240.0.0.0/4", ""),
    ("168.63.129.16/32", "168.63.129.15 168.63.129.17"),
    ("::/3", "2000::"),
    ("2001::/23", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200::"),
    ("2001:db8::/32", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9::"),
    ("2620:4f:8000::/48", "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001::"),
    ("3fff::/20", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000::"),
    ("4000::/2", ""),
    ("5f00::/16", ""),
    ("8000::/1", ""),
]


@pytest.mark.parametrize("block, beside", EDGES)
def test_a_block_ends_where_the_registry_says(block: str, beside: str) -> None:
    network = ipaddress.ip_network(block)
    assert not is_public(str(network[0]))
    assert not is_public(str(network[-1]))
    assert all(is_public(ip) for ip in beside.split())


@pytest.mark.parametrize("ip", [PUBLIC, "10.0.0.1", "198.51.100.7", "192.88.99.1", "127.0.0.1", "224.0.0.1"])
def test_nested_address_decides_whether_public(ip: str) -> None:
    inner = ipaddress.IPv4Address(ip)
    carriers = [
        f"::ffff:{ip}",
        f"64:ff9b::{ip}",
        str(ipaddress.IPv6Address((0x2002 << 112) | (int(inner) << 80) | 1)),  # 6to4
    ]
    assert [is_public(carrier) for carrier in carriers] == [ip == PUBLIC] * 3


@pytest.mark.parametrize("ip", ["8.8.8.8", "10.0.0.1"])
def test_unclear_address_is_not_asked(ip: str) -> None:
    inverted = int(ipaddress.IPv4Address(ip)) ^ 0xFFFF_FFFF
    teredo = ipaddress.IPv6Address((0x2001_0000 << 96) | (int(ipaddress.IPv4Address("1.1.1.1")) << 64) | inverted)
    assert not is_public(str(teredo))
    assert not is_public(f"64:ff9b:1::{ip}")
    assert not is_public(f"::{ip}")


@pytest.mark.parametrize(
    "text", ["", "8.8.8", "8.8.8.8.8", "08.8.8.8", "134744072", "0x8080808", "example.org", "[::1]"]
)
def test_what_is_no_ip_address_is_not_public(text: str) -> None:
    assert not is_public(text)
