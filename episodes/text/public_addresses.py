"""Public IP addresses, which anybody on the internet can reach, by IANA's registries."""

import ipaddress
import tomllib
from pathlib import Path

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_REGISTRIES = tomllib.loads(
    Path(__file__).with_name("special_purpose.toml").read_text(encoding="utf-8")
)
_SPECIAL_BLOCKS = [
    *_REGISTRIES["ipv4"]["blocks"],
    *_REGISTRIES["ipv6"]["blocks"],
    # No registry lists multicast of IPv4, and the address at which Azure gives its machines their settings.
    ["224.0.0.0/4"],
    ["168.63.129.16/32"],
]
SPECIAL: list[Network] = [ipaddress.ip_network(block) for block, *_ in _SPECIAL_BLOCKS]
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public_ip(ip: str) -> bool:
    """Return whether a text is a public IP address. An IPv6 address with an IPv4 address in it is as
    public as that."""
    try:
        address = _embedded_ipv4_or_same_address(ipaddress.ip_address(ip))
    except ValueError:
        return False
    # Of IPv6 only this block is given to networks on the internet.
    is_routed = address.version == 4 or address in _GLOBAL_UNICAST
    is_special = any(address in block for block in SPECIAL)
    return is_routed and not is_special


def _embedded_ipv4_or_same_address(ip: Address) -> Address:
    """Return the IPv4 address that receives packets to an IPv6 address, or the address itself.

    The targets of Teredo and of a network's own translator (64:ff9b:1::/48) are unknown.
    """
    if ip in _NAT64:
        last_32_bits = int(ip) & 0xFFFF_FFFF
        return ipaddress.IPv4Address(last_32_bits)
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.ipv4_mapped or ip.sixtofour or ip
    return ip
