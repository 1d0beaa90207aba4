"""Which addresses are those of a proxy that may say who somebody is, and who stands behind it."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def networks_of(listed: str) -> tuple[Network, ...]:
    """``10.0.0.0/8, 127.0.0.1``. Raises ValueError that names the part that is none."""
    found = []
    for part in filter(None, (one.strip() for one in listed.split(","))):
        try:
            found.append(ipaddress.ip_network(part))
        except ValueError as error:
            raise ValueError(f"{part}: no address, no network as 10.0.0.0/8: {error}") from None
    return tuple(found)


def is_loopback(host: str) -> bool:
    """Of a name or an address to listen on, or of the one who asks."""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


@dataclass(frozen=True, slots=True)
class Proxies:
    networks: Sequence[Network] = ()

    def trusts(self, host: str) -> bool:
        address = _address(host)
        return address is not None and any(address in network for network in self.networks)

    def client(self, peer: str, forwarded_for: str) -> str:
        """Who asks: the peer; or, behind proxies of ours, the last of ``X-Forwarded-For`` that is
        none of them. What stands before that, anybody may have written."""
        chain = [*(one.strip() for one in forwarded_for.split(",")), peer]
        for host in reversed(chain):
            if not self.trusts(host):
                return host if _address(host) is not None else peer
        return peer


def _address(host: str) -> Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    # An IPv6 socket shows IPv4 peers as ::ffff:10.0.0.1.
    mapped = getattr(address, "ipv4_mapped", None)
    return address if mapped is None else mapped
