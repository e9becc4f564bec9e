"""Public IP addresses: those that anybody on the internet can reach, by IANA's registries."""

import ipaddress
import tomllib
from pathlib import Path

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_REGISTRIES = tomllib.loads(
    Path(__file__).with_name("special_purpose.toml").read_text(encoding="utf-8")
)
# Of IPv4 also what is sent to many, and an address of Azure's that gives its own machines their
# settings; no registry lists these.
MORE = [("224.0.0.0/4",), ("168.63.129.16/32",)]
SPECIAL: tuple[Network, ...] = tuple(
    ipaddress.ip_network(block)
    for blocks in (*(registry["blocks"] for registry in _REGISTRIES.values()), MORE)
    for block, *_ in blocks
)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(ip: str) -> bool:
    """The test for an IP address given as text; of one that carries an IPv4 address, that is
    tested."""
    try:
        address = _target(ipaddress.ip_address(ip))
    except ValueError:
        return False
    is_routed = address.version == 4 or address in _GLOBAL_UNICAST
    return is_routed and not any(address in block for block in SPECIAL)


def _target(ip: Address) -> Address:
    """The IPv4 address that packets to an IPv6 address end up at, else the address itself.

    Teredo's and those of a network's own translator (64:ff9b:1::/48) stay: nobody outside can say
    where these end.
    """
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.ipv4_mapped or ip.sixtofour or ip
    return ip
